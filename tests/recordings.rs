//! Checks that recordings replay: random walks through three apps, each recorded, and run on a fresh device
//! at once.

mod apps;
mod walk;

use serde_json::json;

use crate::common::mcp::Client;
use crate::common::{Project, Ran};
use runner_testing::long;
use walk::{Dice, SECRET, Walker, Way};

/// Recordings of which one may fail to replay.
const ONE_IN: usize = 40;

const APPS: [(&str, &str); 3] = [
    ("com.example.notes", "Notes"),
    (apps::LEDGER.package, apps::LEDGER.label),
    (apps::ATLAS.package, apps::ATLAS.label),
];

/// A recording that did not replay.
struct Miss {
    seed: usize,
    told: Vec<String>,
    flow: String,
    why: String,
}

fn project() -> Project {
    let project = Project::with_demo_app();
    apps::write(&project, apps::LEDGER);
    apps::write(&project, apps::ATLAS);
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo, apps/ledger, apps/atlas]\n",
    );
    project
}

/// Records random acts by a seed, and replays them.
fn recorded(project: &Project, seed: usize) -> Result<(), Miss> {
    let (package, label) = APPS[seed % APPS.len()];
    let way = Way::ALL[seed / APPS.len() % Way::ALL.len()];
    let mut dice = Dice::new(seed as u64);
    let signs_in = label == "Notes" && dice.roll(10) < 8;
    let steps = 5 + dice.roll(9);
    let arguments: &[&str] = if way.is_lean() {
        &["--tools", "lean"]
    } else {
        &[]
    };
    let mut walker = Walker::new(Client::start(project, arguments), way, dice);
    walker.record(json!({ "action": "start", "name": format!("Walk {seed}") }));
    walker.open(package, label);
    if signs_in {
        walker.sign_in();
    }
    for _ in 0..steps {
        walker.step(label);
    }
    let name = format!("walk-{seed}.yaml");
    let answer = walker.record(json!({ "action": "stop", "path": name }));
    let flow = project.read(&format!("flows/{name}"));
    let told = walker.told.clone();
    drop(walker);
    assert!(!flow.contains(SECRET), "{flow}");
    assert!(
        flow.contains("launch: { clear: true }") && flow.contains(&format!("app: {package}\n")),
        "{flow}\n{told:#?}"
    );
    let mut command = project.command(&["test", &format!("flows/{name}")]);
    let variables = answer.json()["variables"].clone();
    for variable in variables.as_array().into_iter().flatten() {
        command.env(variable.as_str().unwrap_or_default(), SECRET);
    }
    let ran = command.output().map(Ran::from).expect("the program starts");
    if ran.code == 0 {
        return Ok(());
    }
    Err(Miss {
        seed,
        told,
        flow,
        why: format!("{}{}", ran.stdout, ran.stderr),
    })
}

/// Returns the only seed to walk by, from RUNNER_WALK.
#[expect(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn only_seed() -> Option<usize> {
    std::env::var("RUNNER_WALK").ok()?.parse().ok()
}

#[test]
fn what_is_recorded_at_random_replays_at_once() {
    let (first, count) = match only_seed() {
        Some(seed) => (seed, 1),
        None => (0, long(12, 200)),
    };
    let project = project();
    project.write("flows/first.yaml", "steps: [ back ]\n");
    project.run(&["lint"]).expect(0);
    let next = std::sync::atomic::AtomicUsize::new(first);
    let work = || {
        let mut missed = Vec::new();
        loop {
            let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if seed >= first + count {
                return missed;
            }
            missed.extend(recorded(&project, seed).err());
        }
    };
    let missed: Vec<Miss> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        let done = workers
            .into_iter()
            .map(|worker| worker.join().expect("no panic"));
        done.flatten().collect()
    });
    for Miss {
        seed,
        told,
        flow,
        why,
    } in &missed
    {
        println!(
            "=== {seed}\n{}\n--- flow\n{flow}--- why\n{why}",
            told.join("\n")
        );
        // Who replays it is told which step failed, and where.
        assert!(why.contains("FAIL") && why.contains("--> flows/"), "{why}");
    }
    println!("{} of {count} replay", count - missed.len());
    assert!(
        missed.len() * ONE_IN <= count,
        "{} of {count} do not replay",
        missed.len()
    );
}
