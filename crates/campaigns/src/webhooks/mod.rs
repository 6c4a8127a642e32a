//! Does every event reach every endpoint, and none twice? Many events, endpoints of which half fail,
//! workers that are killed in the middle of attempts, and a clock that is moved whenever nothing is
//! left to do; then every delivery and attempt in the table is judged.

mod judge;
mod receiver;
mod world;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
pub use judge::Findings;
use receiver::Receiver;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use webhooks::Worker;
use world::World;

use crate::{chance, progress};

/// Delivers many events to endpoints of which half fail, kills workers meanwhile, and checks that each
/// event was delivered to each endpoint, once, by the schedule.
#[derive(Args, Clone, Debug)]
pub struct WebhooksArguments {
    /// How many events.
    #[arg(long, default_value_t = 50_000)]
    pub events: usize,
    /// How many endpoints; every second one fails in some way.
    #[arg(long, default_value_t = 20)]
    pub endpoints: usize,
    /// How many workers at one time.
    #[arg(long, default_value_t = 3)]
    pub workers: usize,
    /// How many workers are killed.
    #[arg(long, default_value_t = 200)]
    pub kills: usize,
    /// What chance follows from; a new one if absent.
    #[arg(long)]
    pub seed: Option<u64>,
}

/// How often the campaign looks.
const LOOK: Duration = Duration::from_millis(5);
/// Looks that find nothing to do before time passes.
const IDLE_LOOKS: usize = 4;
/// How far behind what is due next the clock is set, so that much is done together: as long as a lease
/// and a bit.
const STEP: Duration = Duration::from_secs(125);
/// The clock is set no more often than this: longer than the schedule and every pause take together.
const STEPS_MAX: usize = 20_000;

/// Runs the campaign and prints what it found.
pub fn run(arguments: &WebhooksArguments) -> std::io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let seed = arguments.seed.unwrap_or_else(chance::new_seed);
    println!("seed {seed}");
    let findings = runtime.block_on(campaign(arguments, seed)).map_err(std::io::Error::other)?;
    println!("{findings}");
    Ok(if findings.is_well() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The campaign: gives what it found.
pub async fn campaign(arguments: &WebhooksArguments, seed: u64) -> Result<Findings, String> {
    let world = World::new(arguments.endpoints, seed).await?;
    world.emit(arguments.events).await?;
    let wanted = arguments.events * arguments.endpoints;
    let mut random = chance::random(seed, "kills", 0);
    let mut crew = Vec::new();
    for _ in 0..arguments.workers {
        crew.push(Running::start(&world)?);
    }
    let bar = progress::bar(wanted as u64, "deliveries");
    let (mut kills, mut steps, mut idle_looks, mut requests) = (0, 0, 0, 0);
    while steps < STEPS_MAX {
        tokio::time::sleep(LOOK).await;
        bar.set_position(world.receiver.successes().min(wanted) as u64);
        // Kills are spread over the whole campaign, and strike in the middle of a request.
        let due = world.receiver.successes() * arguments.kills / wanted.max(1);
        if kills < arguments.kills && kills <= due {
            let busy: Vec<usize> =
                (0..crew.len()).filter(|at| crew[*at].receiver.under_way() > 0).collect();
            if !busy.is_empty() {
                let at = busy[random.usize(0..busy.len())];
                crew[at].task.abort();
                crew[at] = Running::start(&world)?;
                kills += 1;
            }
        }
        let seen = std::mem::replace(&mut requests, world.receiver.requests());
        let is_idle = seen == requests && world.is_idle().await?;
        idle_looks = if is_idle { idle_looks + 1 } else { 0 };
        if idle_looks == IDLE_LOOKS {
            let Some(due) = world.next_due().await? else { break };
            world.pass_to(due, STEP);
            (steps, idle_looks) = (steps + 1, 0);
        }
    }
    bar.finish_and_clear();
    for running in crew {
        let _told = running.stop.send(true);
        running.task.await.map_err(|error| error.to_string())?;
    }
    judge::judge(&world, arguments, kills).await
}

/// A worker at work.
struct Running {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    receiver: Receiver,
}

impl Running {
    fn start(world: &World) -> Result<Running, String> {
        let (stop, stopped) = watch::channel(false);
        let receiver = world.receiver.of_another();
        let worker = world.platform.worker(Arc::new(receiver.clone()), Vec::new());
        let worker: Arc<Worker> = worker.map_err(world::text)?;
        Ok(Running { task: tokio::spawn(worker.run(stopped)), stop, receiver })
    }
}
