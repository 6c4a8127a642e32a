//! A sequence: made from a seed, run on both sides, and made shorter if the sides differ.

use serde_json::{Value, json};

use crate::compare::{Difference, Verdict, compare};
use crate::generate::{Generator, broken, kind_of};
use crate::party::{Message, Outcome, Party, Reference, Remote, Subject};
use crate::random::Random;
use crate::run::Side;
use crate::statistics::Statistics;
use crate::step::{Action, Step};
use crate::world::World;

/// The share of steps, in percent, that have a broken copy before them.
const BROKEN: usize = 40;

/// Who is compared with the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// The database under test.
    Database,
    /// The reference itself: nothing may differ.
    Reference,
    /// The reference with a fault in its answers: it must be found.
    Perturbed,
}

/// How the two are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// By calls.
    InProcess,
    /// Over HTTP, and with broken copies of some requests before the requests themselves.
    Http,
}

/// Who is compared with the reference, and how.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Who.
    pub opponent: Opponent,
    /// How.
    pub channel: Channel,
}

/// A difference with the steps that lead to it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The seed of the sequence.
    pub seed: u64,
    /// The steps, the last of which differs.
    pub steps: Vec<Step>,
    /// The difference.
    pub difference: Difference,
}

impl Pair {
    /// Both sides, empty: the opponent's and the reference's.
    fn open(self) -> (Side, Side) {
        let ours = self.party(self.opponent);
        let theirs = self.party(Opponent::Reference);
        (Side { party: ours }, Side { party: theirs })
    }

    fn party(self, who: Opponent) -> Box<dyn Party> {
        match (who, self.channel) {
            (Opponent::Database, Channel::InProcess) => Box::new(Subject::open()),
            (Opponent::Database, Channel::Http) => Box::new(Remote::open(Subject::open())),
            (Opponent::Reference, Channel::InProcess) => Box::new(Reference::open()),
            (Opponent::Reference, Channel::Http) => Box::new(Remote::open(Reference::open())),
            (Opponent::Perturbed, _) => {
                Box::new(Perturbed { inner: self.party(Opponent::Reference), calls: 0 })
            }
        }
    }

    /// The steps, with a broken copy before the first of them now and then.
    fn with_broken(self, steps: Vec<Step>, random: &mut Random) -> Vec<Step> {
        let is_broken = self.channel == Channel::Http && random.percent(BROKEN);
        let copy = steps.first().filter(|_| is_broken).and_then(|step| broken::copy(random, step));
        copy.into_iter().chain(steps).collect()
    }
}

/// Makes the sequence of a seed and runs it until the sides differ or it ends.
pub fn explore(
    pair: Pair,
    seed: u64,
    operations: usize,
    statistics: &mut Statistics,
) -> Option<Finding> {
    let mut random = Random::new(seed);
    // A source of its own, so that the rest of the sequence is the same over any channel.
    let mut breaking = Random::new(!seed);
    let mut world = World::new(&mut random);
    let (mut ours, mut theirs) = pair.open();
    let mut steps: Vec<Step> = Vec::new();
    let mut queue: Vec<Step> = world.tables.iter().flat_map(creation).collect();
    let mut made = 0;
    loop {
        if queue.is_empty() {
            if made >= operations {
                break;
            }
            let reference = theirs.party.as_mut();
            queue = Generator { random: &mut random, world: &mut world, reference }.next_steps();
            made += queue.len();
            queue = pair.with_broken(queue, &mut breaking);
            queue.reverse();
        }
        let Some(step) = queue.pop() else { break };
        match take(&mut ours, &mut theirs, &step, statistics) {
            Taken::On => steps.push(step),
            Taken::End => return None,
            Taken::Differs(difference) => {
                steps.push(step);
                return Some(Finding { seed, steps, difference: *difference });
            }
        }
    }
    for step in closing(&world) {
        match take(&mut ours, &mut theirs, &step, statistics) {
            Taken::On => {}
            Taken::End => return None,
            Taken::Differs(difference) => {
                steps.push(step);
                return Some(Finding { seed, steps, difference: *difference });
            }
        }
    }
    None
}

enum Taken {
    On,
    End,
    Differs(Box<Difference>),
}

fn take(ours: &mut Side, theirs: &mut Side, step: &Step, statistics: &mut Statistics) -> Taken {
    let (one, other) = (ours.execute(step), theirs.execute(step));
    statistics.count(step, &one);
    match compare(step, one, other) {
        Verdict::Same => Taken::On,
        Verdict::Accepted { names, ends_sequence } => {
            statistics.accept(&names);
            if ends_sequence { Taken::End } else { Taken::On }
        }
        Verdict::Different(difference) => Taken::Differs(Box::new(difference)),
    }
}

fn creation(table: &crate::world::Table) -> [Step; 2] {
    // The queue is taken from its end.
    let awaited = Action::AwaitActive { table: table.name.clone() };
    [
        Step { action: awaited, features: Vec::new(), fault: None },
        Step::call("CreateTable", table.create_request()),
    ]
}

/// After the last step: every table, index and stream as a whole.
fn closing(world: &World) -> Vec<Step> {
    let step = |action| Step { action, features: Vec::new(), fault: None };
    let mut steps = Vec::new();
    for table in &world.tables {
        let body = json!({ "TableName": table.name, "ReturnConsumedCapacity": "INDEXES" });
        let is_large = table.is_large;
        let scan = |body| Action::Pages { operation: "Scan", body, order_by: Vec::new(), is_large };
        steps.push(step(scan(body.clone())));
        for index in &table.indexes {
            let mut body = body.clone();
            body["IndexName"] = json!(index.name);
            steps.push(step(scan(body)).with(vec![kind_of(Some(index))]));
        }
        if table.stream.is_some() {
            steps.push(step(Action::ReadStream {
                table: table.name.clone(),
                limit: 1000,
                is_restarted: table.is_stream_restarted,
            }));
        }
        let indexes = table.indexes.iter().map(|index| index.name.clone()).collect();
        steps.push(step(Action::Recount { table: table.name.clone(), indexes }));
        steps.push(Step::call("DescribeTable", json!({ "TableName": table.name })));
        steps.push(Step::call("DeleteTable", json!({ "TableName": table.name })));
        steps.push(step(Action::AwaitGone { table: table.name.clone() }));
    }
    steps
}

/// Runs steps that are already made; gives the difference at the last of them, if there is one.
fn replay(pair: Pair, steps: &[Step]) -> Option<Difference> {
    let (mut ours, mut theirs) = pair.open();
    let mut unused = Statistics::default();
    let (last, before) = steps.split_last()?;
    for step in before {
        if !matches!(take(&mut ours, &mut theirs, step, &mut unused), Taken::On) {
            return None;
        }
    }
    match take(&mut ours, &mut theirs, last, &mut unused) {
        Taken::Differs(difference) => Some(*difference),
        Taken::On | Taken::End => None,
    }
}

/// Drops steps, then members of the last request, as long as the same difference remains.
pub fn shrink(pair: Pair, finding: Finding) -> Finding {
    let Finding { seed, mut steps, mut difference } = finding;
    let signature = difference.signature.clone();
    let attempt = |steps: &[Step], difference: &mut Difference| {
        let found = replay(pair, steps).filter(|found| found.signature == signature);
        let is_same = found.is_some();
        if let Some(found) = found {
            *difference = found;
        }
        is_same
    };
    let mut at = steps.len().saturating_sub(1);
    while at > 0 {
        at -= 1;
        let mut fewer = steps.clone();
        fewer.remove(at);
        if attempt(&fewer, &mut difference) {
            steps = fewer;
        }
    }
    for at in (0..steps.len()).rev() {
        for pointer in steps[at].body().map(removable).unwrap_or_default() {
            let mut fewer = steps.clone();
            let is_removed = fewer[at].body_mut().is_some_and(|body| remove(body, &pointer));
            if is_removed && attempt(&fewer, &mut difference) {
                steps = fewer;
            }
        }
    }
    Finding { seed, steps, difference }
}

/// Pointers to what may be left out of a body: members, and entries of their objects.
fn removable(body: &Value) -> Vec<Vec<String>> {
    let mut pointers = Vec::new();
    for (name, value) in body.as_object().into_iter().flatten() {
        pointers.push(vec![name.clone()]);
        for (entry, inner) in value.as_object().into_iter().flatten() {
            pointers.push(vec![name.clone(), entry.clone()]);
            for deeper in inner.as_array().into_iter().flatten().enumerate() {
                pointers.push(vec![name.clone(), entry.clone(), deeper.0.to_string()]);
            }
        }
        for index in (0..value.as_array().map_or(0, Vec::len)).rev() {
            pointers.push(vec![name.clone(), index.to_string()]);
        }
    }
    pointers
}

fn remove(body: &mut Value, pointer: &[String]) -> bool {
    let Some((last, path)) = pointer.split_last() else { return false };
    let mut place = body;
    for name in path {
        let next = match place {
            Value::Object(members) => members.get_mut(name),
            Value::Array(elements) => {
                name.parse::<usize>().ok().and_then(|index| elements.get_mut(index))
            }
            _ => None,
        };
        let Some(next) = next else { return false };
        place = next;
    }
    match place {
        Value::Object(members) => members.remove(last).is_some(),
        Value::Array(elements) => match last.parse::<usize>() {
            Ok(index) if index < elements.len() => {
                elements.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// The reference with a fault: every second item that is read has lost an attribute, and what is
/// broken is refused as if it were the server's fault.
struct Perturbed {
    inner: Box<dyn Party>,
    calls: usize,
}

impl Party for Perturbed {
    fn call(&mut self, operation: &str, body: &Value) -> Outcome {
        let mut outcome = self.inner.call(operation, body);
        if let Outcome::Answer(answer) = &mut outcome
            && let Some(item) = answer.get_mut("Item").and_then(Value::as_object_mut)
        {
            self.calls += 1;
            if self.calls.is_multiple_of(2) {
                item.remove("pk");
            }
        }
        outcome
    }

    fn send(&mut self, message: &Message) -> Outcome {
        let mut outcome = self.inner.send(message);
        if let Outcome::Failure(failure) = &mut outcome {
            failure.status = Some(500);
        }
        outcome
    }
}
