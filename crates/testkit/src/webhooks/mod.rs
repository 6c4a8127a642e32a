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
use platform::webhooks::Worker;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::{chance, progress};
pub use judge::Findings;
use world::World;

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

/// Real time without any progress after which nothing is left to do at the moment.
const QUIET: Duration = Duration::from_millis(150);
/// How often the campaign looks.
const LOOK: Duration = Duration::from_millis(5);
/// The clock's steps: as long as a lease and a bit.
const STEP: Duration = Duration::from_secs(125);
/// The clock goes no further than this: longer than the schedule and every pause take together.
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
    let mut crew: Vec<Running> = (0..arguments.workers).map(|_| start(&world)).collect();
    let bar = progress::bar(wanted as u64, "deliveries");
    let (mut kills, mut steps) = (0, 0);
    let mut progressed = (0, Duration::ZERO);
    while steps < STEPS_MAX {
        tokio::time::sleep(LOOK).await;
        let seen = world.receiver.requests();
        progressed = if seen == progressed.0 { (seen, progressed.1 + LOOK) } else { (seen, LOOK) };
        bar.set_position(world.receiver.successes().min(wanted) as u64);
        // Kills are spread over the whole campaign, and strike while something is under way.
        let due = world.receiver.successes() * arguments.kills / wanted.max(1);
        if kills < arguments.kills && kills <= due && world.receiver.under_way() > 0 {
            let at = random.usize(0..crew.len());
            crew[at].task.abort();
            crew[at] = start(&world);
            kills += 1;
        }
        if progressed.1 >= QUIET && world.receiver.under_way() == 0 {
            if world.is_done(wanted).await? {
                break;
            }
            world.pass(STEP);
            steps += 1;
            progressed.1 = Duration::ZERO;
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
}

fn start(world: &World) -> Running {
    let (stop, stopped) = watch::channel(false);
    let worker: Arc<Worker> = world.worker();
    Running { task: tokio::spawn(worker.run(stopped)), stop }
}
