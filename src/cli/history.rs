//! `runner history`: prints rates, durations and trends of earlier runs.

use clap::Args;
use serde::Serialize;

use super::error::CliError;
use super::flow_choice::print_warnings;
use super::output;
use super::suggest::{self, SuggestArguments};
use super::test::check_history;
use super::text_or_json::{Format, format};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::event::CaseId;
use crate::exit_code::ExitCode;
use crate::flow::CaseName;
use crate::harmless;
use crate::history::{
    CaseKey, Details, History, MAX_RUNS, Outcome, Point, StepTrend, Trend, Trends,
    failures_by_step, step_trends,
};
use crate::recording::{self, Recording};
use crate::units::RoundedDuration;

/// Newest results drawn in a flow's line. Chosen: the line fits a terminal of 80 columns.
const MAX_DISPLAYED: usize = 20;
/// Newest failures shown for a flow. Chosen: enough to see whether they have one cause.
const MAX_FAILURES: usize = 5;

/// Words of people who want to delete the history.
const CLEARING: [&str; 7] = [
    "clear", "reset", "delete", "clean", "purge", "prune", "remove",
];

#[derive(Debug, Args)]
pub struct HistoryArguments {
    /// A flow's path, or its end: also its steps and its last failures
    #[arg(value_name = "FLOW")]
    flow: Option<String>,
    /// Folder of the history, or a file of it [default: .runner/history]
    #[arg(long, value_name = "DIR|FILE")]
    history: Option<camino::Utf8PathBuf>,
    /// How it is printed
    #[arg(long, value_name = "FORMAT", default_value = Format::Text.name(), value_parser = format())]
    format: Format,
    #[command(flatten)]
    suggestions: SuggestArguments,
}

/// Output of `--format json`.
#[derive(Serialize)]
struct HistoryReport<'a> {
    runs: usize,
    flows: Vec<FlowReport<'a>>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct FlowReport<'a> {
    flow: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<&'a str>,
    #[serde(flatten)]
    trend: &'a Trend,
    last: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepTrend>>,
}

/// Prints rates, durations and trends of all flows in the newest [`MAX_RUNS`] runs, or of one flow with its steps and
/// failures; with `--suggest` the proposals instead. The worst flows come first. An empty history is no error; the exit
/// code is always 0. A `--history` that is no history, or a flow that is not in it, is an error.
pub fn run(arguments: &HistoryArguments, context: &Context) -> Result<ExitCode, CliError> {
    let mut overrides = Overrides::default();
    overrides.settings.history.clone_from(&arguments.history);
    let config = Config::resolve(context, &overrides)?;
    let path = &config.history.value;
    check_history(path)?;
    let mut history = History::read(path);
    let wanted = match &arguments.flow {
        Some(flow) => Some(find(flow, &history)?),
        None => None,
    };
    if arguments.suggestions.suggest {
        print_warnings(&history.warnings);
        return suggest::run(
            &arguments.suggestions,
            &config,
            &history,
            wanted.as_deref(),
            arguments.format,
        );
    }
    if let Some(flow) = &wanted {
        history = History::read_with(path, Details::StepsOf(flow), MAX_RUNS);
    }
    let trends = Trends::from_history(&history, None);
    let mut flows = trends.worst_first();
    flows.retain(|(key, _)| wanted.as_ref().is_none_or(|flow| key.flow == *flow));
    match arguments.format {
        Format::Json => print_json(&flows, &history, wanted.is_some())?,
        Format::Text => {
            print_warnings(&history.warnings);
            if history.runs.is_empty() {
                output::note(&format!("no run is in the history {path} yet"));
            } else {
                print_table(&flows, history.runs.len());
                if wanted.is_some() {
                    for (key, _) in &flows {
                        print_flow(key, &history);
                        print_divergence(key, &config);
                    }
                }
            }
        }
    }
    Ok(ExitCode::Passed)
}

/// Finds a flow of the history by its path, or else by the end of a path that only one flow has, with or without
/// extension. The end must begin at a folder or file name.
///
/// # Errors
/// Returns an error if there is no such flow, or several, which it lists. Words such as `clear` get advice.
fn find(wanted: &str, history: &History) -> Result<String, CliError> {
    let mut known: Vec<&str> = history
        .runs
        .iter()
        .flat_map(|run| &run.flows)
        .map(|flow| flow.id.flow.as_str())
        .collect();
    known.sort_unstable();
    known.dedup();
    let wanted = wanted.trim_start_matches("./");
    if known.contains(&wanted) {
        return Ok(wanted.to_owned());
    }
    let is_end = |flow: &&&str| {
        let stem = flow.rsplit_once('.').map_or(**flow, |(stem, _)| stem);
        [**flow, stem].iter().any(|path| {
            path.strip_suffix(wanted)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    };
    let ends: Vec<&&str> = known.iter().filter(is_end).collect();
    match ends.as_slice() {
        [only] => Ok((**only).to_owned()),
        [] if CLEARING.contains(&wanted) => Err(CliError::Usage(
            "`runner history` prints alone: delete the folder .runner/history, or the one that `--history` names, to begin anew"
                .to_owned(),
        )),
        [] => Err(CliError::Usage(format!(
            "no flow {wanted} is in the history; `runner history` lists those that are"
        ))),
        several => Err(CliError::Usage(format!(
            "several flows end with {wanted}: {}; write more of the path",
            several
                .iter()
                .map(|flow| **flow)
                .collect::<Vec<_>>()
                .join(", ")
        ))),
    }
}

/// Prints the flows in their order as one JSON object, with the trends of their steps if they are wanted. The
/// number of runs and the warnings are in it, not on stderr.
fn print_json(
    flows: &[(&CaseKey, &Trend)],
    history: &History,
    with_steps: bool,
) -> Result<(), CliError> {
    let flows = flows.iter().map(|(key, trend)| FlowReport {
        flow: &key.flow,
        case: key.case.as_deref(),
        trend,
        last: trend
            .points
            .last()
            .map_or("", |point| point.outcome.as_str()),
        steps: with_steps.then(|| step_trends(history, key)),
    });
    let reported = HistoryReport {
        runs: history.runs.len(),
        flows: flows.collect(),
        warnings: history.warnings.iter().map(ToString::to_string).collect(),
    };
    let json = serde_json::to_string_pretty(&reported)
        .map_err(|error| CliError::Failed(format!("the history as JSON: {error}")))?;
    output::json(&json);
    Ok(())
}

/// Prints the flows in their order as a table, with a line below each that is bad now. The number of runs and the
/// meaning of signs go to standard error. Without flows only the head is printed.
fn print_table(flows: &[(&CaseKey, &Trend)], runs: usize) {
    let names: Vec<String> = flows.iter().map(|(key, _)| name(key)).collect();
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or_default().max(4);
    output::line(&format!(
        "{:<width$}  {:>6}  {:>6}  {:>7}  {:>8}  {:>6}  last {MAX_DISPLAYED}, newest right",
        "flow", "passed", "flaky", "results", "median", "slower"
    ));
    for (name, (_, trend)) in names.iter().zip(flows) {
        output::line(&format!(
            "{name:<width$}  {:>6}  {:>6}  {:>7}  {:>8}  {:>6}  {}",
            percent(trend.pass_rate),
            percent(trend.flake_rate),
            trend.results,
            time(trend.median_ms),
            trend.slower.map_or_else(|| "–".to_owned(), signed),
            signs(&trend.points),
        ));
        if let Some(bad) = &trend.bad_since {
            let good = bad.last_good.as_ref();
            let good = good.map_or_else(String::new, |run| format!(", passed in run {run} before"));
            let runs = if bad.runs == 1 { "run" } else { "runs" };
            output::line(&format!(
                "    bad since {} (run {}), {} {runs}{good}",
                local_time(&bad.started),
                bad.run,
                bad.runs
            ));
        }
    }
    let runs = if runs == 1 {
        "1 run".to_owned()
    } else {
        format!("{runs} runs")
    };
    output::note(&format!(
        "{runs}: . passed, ~ flaky, x failed, ! error, - skipped or interrupted"
    ));
}

/// Prints the step at which the newest recordings of a pass and of a failure begin to differ, if both are of the
/// same flow text. Prints nothing without such recordings, and if they do not differ. Recordings that cannot be
/// read are skipped.
fn print_divergence(key: &CaseKey, config: &Config) {
    let folder = config.history_folder();
    let case = CaseId {
        flow: key.flow.clone().into(),
        case: key.case.clone().map(CaseName::from),
        repeat: None,
    };
    let read = |passed: bool| {
        let files = recording::find(&folder, &case, passed);
        files.filter_map(|path| recording::read(&path).ok())
    };
    let Some(passed) = read(true).next() else {
        return;
    };
    // Of another text of the flow the steps differ anyway.
    let is_failure = |it: &Recording| !it.passed() && it.head.files == passed.head.files;
    let Some(failed) = read(false).find(is_failure) else {
        return;
    };
    if let Some(difference) = recording::first_difference(&passed, &failed) {
        output::line(&format!(
            "  the newest pass ({}) and failure ({}): {difference}",
            passed.provenance(),
            failed.provenance()
        ));
    }
}

/// Prints a flow's steps with their trends, the steps at which it failed and how often, and its last failures,
/// newest first, at most `MAX_FAILURES`. The history must have been read with the flow's steps, else only the heads
/// are printed.
fn print_flow(key: &CaseKey, history: &History) {
    let steps = step_trends(history, key);
    output::line("");
    output::line(&format!("steps of {}", name(key)));
    let width = steps.iter().map(|step| step.step.chars().count()).max();
    let width = width.unwrap_or_default().max(4);
    output::line(&format!(
        "  {:<width$}  {:>6}  {:>7}  {:>8}  {:>6}",
        "step", "failed", "results", "median", "slower"
    ));
    for step in &steps {
        output::line(&format!(
            "  {:<width$}  {:>6}  {:>7}  {:>8}  {:>6}{}",
            step.step,
            step.failed,
            step.results,
            time(step.median_ms),
            step.slower.map_or_else(|| "–".to_owned(), signed),
            step.bad_since
                .as_ref()
                .map_or_else(String::new, |bad| format!(
                    "  bad since {}",
                    local_time(&bad.started)
                )),
        ));
    }
    let of_case = |run: usize| {
        let flows = history.runs[run].flows.iter();
        flows.filter(|flow| flow.id.flow == key.flow && flow.id.case == key.case)
    };
    let all = (0..history.runs.len()).flat_map(of_case);
    for (step, number) in failures_by_step(all) {
        output::line(&format!("  failed {number}× at {step}"));
    }
    let failures = (0..history.runs.len()).rev().flat_map(|run| {
        let started = local_time(&history.runs[run].started.to_rfc3339());
        of_case(run).filter_map(move |flow| Some((started.clone(), flow.failure.as_ref()?)))
    });
    for (started, failure) in failures.take(MAX_FAILURES) {
        let at = failure.at.as_deref().unwrap_or("–");
        output::line(&format!("  {started}  {at}  {}", failure.message));
    }
}

/// Names the flow, with its case in brackets if it has one.
fn name(key: &CaseKey) -> String {
    match &key.case {
        Some(case) => format!("{} [{case}]", key.flow),
        None => key.flow.clone(),
    }
}

/// Formats a share as whole percent, rounded down, so that only all of them are 100 %. More than 1 is 100 % too.
fn percent(share: f64) -> String {
    // Rounded down: 100 % stands only for all.
    let percent = if share < 1.0 {
        (share * 100.0).floor()
    } else {
        100.0
    };
    format!("{percent:.0} %")
}

fn signed(share: f64) -> String {
    format!("{:+.0} %", share * 100.0)
}

/// Formats a time in milliseconds for people, rounded, with its unit; `–` for none.
fn time(ms: Option<u64>) -> String {
    ms.map_or_else(
        || "–".to_owned(),
        |ms| RoundedDuration(std::time::Duration::from_millis(ms)).to_string(),
    )
}

/// Formats a time in the local time zone, such as `2026-11-26 05:37`. A text that is no RFC 3339 time stays, with
/// harmful characters escaped.
fn local_time(started: &str) -> String {
    match chrono::DateTime::parse_from_rfc3339(started) {
        Ok(time) => time
            .with_timezone(&chrono::Local)
            .format("%Y-%m-%d %H:%M")
            .to_string(),
        Err(_) => harmless::line(started).into_owned(),
    }
}

/// Returns a sign for each of the newest `MAX_DISPLAYED` results, the newest at the right as in `points`. Skipped
/// and interrupted ones are `-`. Empty without results.
fn signs(points: &[Point]) -> String {
    let newest = &points[points.len().saturating_sub(MAX_DISPLAYED)..];
    let sign = |point: &Point| match point.outcome {
        Outcome::Passed => '.',
        Outcome::Flaky => '~',
        Outcome::Failed => 'x',
        Outcome::Error => '!',
        Outcome::Skipped | Outcome::Interrupted => '-',
    };
    newest.iter().map(sign).collect()
}
