//! Law of failures: a faulty flow fails with each option, key, setting and device, and all reports say so.

use std::collections::BTreeSet;
use std::sync::Arc;

use fastrand::Rng;
use serde_json::Value;

use super::cells::apks;
use super::ends::{Flow, WAYS, Way};
use super::pairs::Pairs;
use super::reports::Reports;
use super::runs::{After, Devices, HEADERS, OPTIONS, SETTINGS};
use super::trial::{Bench, Run, goldens};
use super::wrong::{Stand, Wrong};
use super::{hold, seeds};
use crate::common::needs;

/// Returns true if the documents allow the exit code for these reasons.
fn is_allowed(code: i32, reasons: &[Vec<i32>], stops: bool) -> bool {
    let least = reasons
        .iter()
        .filter_map(|codes| codes.iter().min().copied());
    let least = least.max().unwrap_or(0);
    let is_one = code == 0 || reasons.iter().any(|codes| codes.contains(&code));
    // Where the run ends early, the worst flow is perhaps not run.
    is_one
        && if stops {
            (code > 0) == (least > 0) || least == 0
        } else {
            code >= least
        }
}

/// Returns a line for each flow whose end is not one that the documents allow.
fn compare(run: &Run, parts: &[Reports]) -> Vec<String> {
    let mut told = Vec::new();
    let results: Vec<_> = parts.iter().flat_map(Reports::ends).collect();
    let is_missing = |identity: &str| identity.contains("127.0.0.1:9");
    for (flow, expected, count) in run.ends() {
        let found: Vec<_> = results.iter().filter(|(of, ..)| *of == flow).collect();
        if found.len() != count {
            told.push(format!("{flow}: {} results, not {count}", found.len()));
        }
        for (_, identity, status) in found {
            let is_lost = is_missing(identity)
                && ["error", "quarantined", "skipped"].contains(&status.as_str());
            let is_expected = expected.statuses.contains(&status.as_str());
            let is_stopped = run.options.stops && status == "interrupted";
            if !(is_stopped || is_lost || is_expected && !is_missing(identity)) {
                let expected = &expected.statuses;
                told.push(format!("{flow} {identity}: {status}, not {expected:?}"));
            }
        }
    }
    told
}

/// Returns true if the documents demand a failed run.
fn is_red(run: &Run) -> bool {
    run.reasons().iter().any(|codes| !codes.contains(&0))
        || run.ends().iter().any(|(_, end, _)| end.is_red())
}

/// Returns a line for each way in which a run breaks the law.
fn judge(run: &Run, parts: &[Reports]) -> Vec<String> {
    let mut told: Vec<String> = parts.iter().flat_map(Reports::disagreements).collect();
    let code = parts.iter().map(|part| part.code).max().unwrap_or(-1);
    let allowed = |code: i32, reasons: &[Vec<i32>]| is_allowed(code, reasons, run.options.stops);
    let unreadable = run.flows.iter().any(|flow| flow.wrong.is_unreadable());
    if run.is_refused() {
        let is_missing = run.devices == Devices::OneMissing && code == 3;
        if !(code == 2 || is_missing || run.options.only_lists && code == 0) {
            told.push(format!("exit {code}, and no device fits"));
        }
        return told;
    }
    if run.options.only_lists || run.options.chooses_none.is_some() {
        // What does not read is perhaps told here too.
        let mut reasons = vec![vec![0]];
        reasons.extend(
            run.reasons()
                .into_iter()
                .map(|codes| [vec![0], codes].concat()),
        );
        if unreadable {
            reasons.push(vec![0, 2]);
        }
        let read: Vec<_> = parts.iter().flat_map(Reports::ends).collect();
        let mut ran = read.iter().filter(|(_, _, status)| status != "unreadable");
        if !allowed(code, &reasons) || ran.next().is_some() {
            told.push(format!("exit {code}, with {read:?}"));
        }
        return told;
    }
    let mut reasons = run.reasons();
    reasons.extend(run.ends().into_iter().map(|(_, end, _)| end.codes));
    if !allowed(code, &reasons) {
        told.push(format!("exit {code}, not one of {reasons:?}"));
    }
    told.extend(compare(run, parts));
    told
}

/// Runs what follows the run, and returns a line for each way in which it breaks the law.
async fn afterwards(run: &Run, bench: &Bench, parts: &[Reports]) -> Vec<String> {
    let unreadable = run.flows.iter().any(|flow| flow.wrong.is_unreadable());
    let nothing = run.is_refused() || run.options.only_lists || run.options.chooses_none.is_some();
    let code = parts.iter().map(|part| part.code).max().unwrap_or(-1);
    let results: Vec<_> = parts.iter().flat_map(Reports::ends).collect();
    let repeats = run.options.arguments.contains(&"--last-failed=or-all");
    match run.after {
        _ if nothing || repeats && run.after != After::Report => Vec::new(),
        After::Nothing => Vec::new(),
        After::Report => {
            let outputs = [
                "--json",
                "merged/events.ndjson",
                "--junit",
                "merged/junit.xml",
            ];
            let mut command = bench.project.command(&["report", "out"]);
            command.args(outputs).args(["--html", "merged/html"]);
            let ran = Bench::output(command).await;
            let none = bench.project.path("none");
            let merged = Reports::read(&ran, &bench.project.path("merged"), &none);
            let mut told = merged.disagreements();
            if merged.code != code {
                told.push(format!("exit {}, where the run has {code}", merged.code));
            }
            let told = told.into_iter();
            told.map(|why| format!("`runner report`: {why}")).collect()
        }
        After::ListFailed if !unreadable => {
            let ran = bench
                .test(run, &["--list", "--format", "json", "--last-failed"])
                .await;
            let listed: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap_or_default();
            let listed: BTreeSet<_> = listed
                .iter()
                .filter_map(|flow| flow["flow"].as_str())
                .collect();
            let with = |statuses: &[&str]| -> BTreeSet<&str> {
                let flows = results
                    .iter()
                    .filter(|(flow, ..)| flow.starts_with("flows/"));
                let flows = flows.filter(|(_, _, status)| statuses.contains(&status.as_str()));
                flows.map(|(flow, ..)| flow.as_str()).collect()
            };
            let failed = with(&["failed", "error", "quarantined"]);
            // Of a flow that another's failure kept from running, the documents do not say it.
            let perhaps = with(&["interrupted"]);
            let listed_too: BTreeSet<_> = listed.difference(&failed).copied().collect();
            if !failed.is_subset(&listed) || !listed_too.is_subset(&perhaps) {
                return vec![format!(
                    "`--last-failed` lists {listed:?}, not {failed:?}: {}",
                    ran.stderr
                )];
            }
            Vec::new()
        }
        After::RunFailed if is_red(run) => {
            let ran = bench.test(run, &["--last-failed"]).await;
            let is_green = ran.code == 0;
            is_green
                .then(|| format!("`--last-failed` is green: {}", ran.stdout))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Runs the program, and returns a line for each way in which the law is broken.
async fn broken(run: &Run) -> Vec<String> {
    let bench = Bench::start(run).await;
    let parts = bench.parts(run).await;
    let mut told = judge(run, &parts);
    told.extend(afterwards(run, &bench, &parts).await);
    let ran = parts
        .first()
        .map(|part| part.printed.clone())
        .unwrap_or_default();
    let ran: Vec<&str> = ran.lines().take(12).collect();
    told.iter()
        .map(|why| format!("{}: {why}\n    {}", run.told(), ran.join("\n    ")))
        .collect()
}

/// Returns the flow of a cell. Replaces values in the cell of which the documents do not speak.
fn flow(cell: &mut [usize], devices: Devices, is_first: bool) -> Flow {
    let mut wrong = Wrong::ALL[cell[4]];
    // A quirk, and a dialog that a crash leaves, would reach the other flows too.
    let is_alone = matches!(wrong, Wrong::NoLog | Wrong::Crash);
    if is_alone && !is_first || wrong == Wrong::NoLog && devices.is_remote() {
        (cell[4], wrong) = (0, Wrong::ALL[0]);
    }
    if !Stand::ALL[cell[5]].takes(wrong) {
        cell[5] = 0;
    }
    let stand = Stand::ALL[cell[5]];
    let fails_twice = stand == Stand::Teardown && HEADERS[cell[6]].teardown_fails;
    if fails_twice || matches!(wrong, Wrong::Maestro | Wrong::NoYaml) {
        cell[6] = 0;
    }
    Flow {
        wrong,
        stand,
        header: &HEADERS[cell[6]],
    }
}

/// Returns the largest number of attempts that a cell takes.
fn attempts(cell: &[usize]) -> usize {
    let (options, settings) = (&OPTIONS[cell[0]], &SETTINGS[cell[1]]);
    let header = &HEADERS[cell[6]];
    let retries = options.retries.max(settings.retries).max(header.retries);
    let turns = Devices::ALL[cell[2]].count() * options.turns * header.cases;
    let again = 1 + usize::from(After::ALL[cell[3]] == After::RunFailed);
    turns * again * (1 + usize::try_from(retries).unwrap_or(0))
}

/// Draws runs of one to four flows each, and leaves out expensive ones.
fn runs(seed: u64, count: usize, pairs: &mut Pairs) -> Vec<Run> {
    let most = needs::long(4, 30);
    let mut rng = Rng::with_seed(seed);
    let mut runs = Vec::new();
    for _ in 0..count {
        let mut cell = pairs.draw(&mut rng, &[], 60);
        if attempts(&cell) > most {
            cell[6] = 0;
        }
        let devices = Devices::ALL[cell[2]];
        let mut flows = vec![flow(&mut cell, devices, true)];
        pairs.take(&cell);
        let is_alone = matches!(flows[0].wrong, Wrong::NoLog | Wrong::Crash);
        let mut cost = attempts(&cell);
        while !is_alone && flows.len() < 4 {
            let mut next = pairs.draw(&mut rng, &cell[..4], 60);
            cost += attempts(&next);
            if cost > most {
                break;
            }
            flows.push(flow(&mut next, devices, false));
            pairs.take(&next);
        }
        runs.push(Run {
            options: &OPTIONS[cell[0]],
            settings: &SETTINGS[cell[1]],
            devices,
            after: After::ALL[cell[3]],
            flows,
            seed,
        });
    }
    runs
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_fails_stays_red_in_every_report() {
    let devices = Devices::ALL.into_iter();
    let devices = devices.filter(|devices| !devices.needs_apks() || apks().is_some());
    let axes = [
        OPTIONS.len(),
        SETTINGS.len(),
        devices.count(),
        After::ALL.len(),
        Wrong::ALL.len(),
        Stand::ALL.len(),
        HEADERS.len(),
    ];
    let mut pairs = Pairs::new(&axes);
    let mut all = Vec::new();
    for seed in seeds(needs::long(1, 20)) {
        all.extend(runs(seed, needs::long(22, 60), &mut pairs));
    }
    goldens();
    let count = all.len();
    let mut ways: BTreeSet<Way> = BTreeSet::new();
    for run in &all {
        ways.extend(run.ends().into_iter().filter_map(|(_, end, _)| end.way));
        ways.extend(run.options.only_lists.then_some(Way::Listed));
        ways.extend(run.options.chooses_none.map(|_| Way::NothingChosen));
    }
    let broken = super::two_at_once(all.into_iter().map(Arc::new), |run| async move {
        broken(&run).await
    })
    .await;
    let green = WAYS.iter().filter(|(way, _)| ways.contains(way)).count();
    let told = format!(
        "{count} runs, {}, {green} of {} ways to green",
        pairs.told(),
        WAYS.len()
    );
    hold("red stays red", &told, broken.concat());
}
