//! Laws of verdicts: invariants of every flow, screen, device and option. docs/developers/laws.md explains
//! them.
//!
//! Their models are written from the documents alone, and share no code with the program's decisions.

mod booleans;
mod cells;
mod complement;
mod crossing;
mod drawn;
mod ends;
mod expressions;
mod flows;
mod hidden;
mod kinds;
mod odd;
mod pairs;
mod phone;
mod reader;
mod red;
mod refusals;
mod reports;
mod runs;
mod screen;
mod trial;
mod wrong;

/// Seeds that once found a fault; they run before all others.
const REGRESSIONS: &[u64] = &[];

/// Returns the seeds to run: those of `LAW_SEED` if it is set, else the regressions and `count` more.
#[expect(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn seeds(count: u64) -> Vec<u64> {
    match std::env::var("LAW_SEED") {
        Ok(seed) => vec![seed.parse().expect("a number")],
        Err(_) => REGRESSIONS.iter().copied().chain(1..=count).collect(),
    }
}

/// Runs the cases, two at a time: each runs the program, and machines of CI have two cores.
async fn two_at_once<Case, Done>(
    cases: impl IntoIterator<Item = Case>,
    run: impl Fn(Case) -> Done,
) -> Vec<Done::Output>
where
    Done: Future<Output: Send + 'static> + Send + 'static,
{
    let places = std::sync::Arc::new(tokio::sync::Semaphore::new(2));
    let mut running = tokio::task::JoinSet::new();
    for case in cases {
        let places = std::sync::Arc::clone(&places);
        let done = run(case);
        running.spawn(async move {
            let _place = places.acquire_owned().await;
            done.await
        });
    }
    running.join_all().await
}

/// Fails the test with the cells that break the law. The message has the number of cells.
#[track_caller]
fn hold(law: &str, told: &str, mut broken: Vec<String>) {
    eprintln!("{law}: {told}");
    broken.sort();
    broken.dedup();
    assert!(
        broken.is_empty(),
        "{law}: {told}, {} break it\n{}",
        broken.len(),
        broken.join("\n")
    );
}
