//! `runner history --suggest`: proposes which flows to put into quarantine, and which to take out.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::error::CliError;
use super::output;
use super::text_or_json::Format;
use crate::config::Config;
use crate::exit_code::ExitCode;
use crate::flow::Flow;
use crate::flow_text;
use crate::history::{History, Stability, stability};
use crate::run::{Filter, Plan, today};

/// Days of a proposed quarantine. Chosen: two weeks are enough to repair a flow, and too short to forget it.
const QUARANTINE_DAYS: u64 = 14;

/// By what flows are proposed.
#[derive(Debug, Args)]
pub(super) struct SuggestArguments {
    /// Print which flows to put into quarantine, and which to take out
    #[arg(long)]
    pub suggest: bool,
    /// With --suggest: propose a quarantine after so many flips
    #[arg(long, value_name = "K", default_value_t = 3, requires = "suggest", value_parser = number())]
    flips: u32,
    /// With --suggest: count flips in the newest N results
    #[arg(long, value_name = "N", default_value_t = 10, requires = "suggest", value_parser = number())]
    of: u32,
    /// With --suggest: propose the end of a quarantine after so many passes in a row
    #[arg(long, value_name = "M", default_value_t = 10, requires = "suggest", value_parser = number())]
    passes: u32,
}

fn number() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=1000)
}

/// Proposals for `--format json`.
#[derive(Serialize)]
struct Suggestions<'a> {
    add: Vec<Entry<'a>>,
    remove: Vec<Removal<'a>>,
}

/// A flow to put into quarantine.
#[derive(Serialize)]
struct Entry<'a> {
    flow: &'a str,
    flips: usize,
    results: usize,
    /// Line to write into the flow's header.
    yaml: String,
    /// Last day of an earlier quarantine, if the flow had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<NaiveDate>,
}

/// A flow to take out of quarantine.
#[derive(Serialize)]
struct Removal<'a> {
    flow: &'a str,
    passes: usize,
    /// Line of `quarantine` in the flow's file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

/// Prints the flows that should be quarantined or no longer be, by their last results; of `wanted` only, if given. A
/// flow counts like the worst of its cases on any device. Flows that cannot be read or are not in the project any more,
/// and those of Maestro's, are left out. No flow is changed. The exit code is 0, whatever is proposed; an error if the
/// project's flows cannot be found.
pub(super) fn run(
    arguments: &SuggestArguments,
    config: &Config,
    history: &History,
    wanted: Option<&str>,
    format: Format,
) -> Result<ExitCode, CliError> {
    let plan = Plan::read(config, &Filter::default())?;
    let flows: BTreeMap<&str, &Flow> = plan
        .flows()
        .map(|flow| (flow.source.path.as_str(), flow.as_ref()))
        .collect();
    let mut steady = stability(history, arguments.of as usize);
    steady.retain(|flow, _| wanted.is_none_or(|wanted| wanted == flow));
    // A flow of Maestro's has no key for a quarantine.
    let of_flows = steady.iter().filter_map(|(path, stability)| {
        let flow = flows.get(path.as_str())?;
        flow.maestro().is_none().then_some((*flow, *stability))
    });
    let suggestions = suggest(arguments, of_flows, today());
    match format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&suggestions)
                .map_err(|error| CliError::Failed(format!("the suggestions as JSON: {error}")))?;
            output::json(&json);
        }
        Format::Text => print(arguments, &suggestions),
    }
    Ok(ExitCode::Passed)
}

/// Suggests a quarantine for flows that are in none and have enough flips, the worst first, and the removal of one
/// for those that passed often enough in a row, also if it has ended. A flow whose quarantine ended and that did
/// not pass so often may be suggested anew.
fn suggest<'a>(
    arguments: &SuggestArguments,
    flows: impl Iterator<Item = (&'a Flow, Stability)>,
    today: NaiveDate,
) -> Suggestions<'a> {
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    for (flow, stability) in flows {
        let path = flow.source.path.as_str();
        let quarantine = flow.quarantine.as_ref();
        let ended = quarantine.filter(|it| it.has_ended(today));
        let is_in = quarantine.is_some() && ended.is_none();
        if quarantine.is_some() && stability.passes >= arguments.passes as usize {
            remove.push(Removal {
                flow: path,
                passes: stability.passes,
                line: line_of_quarantine(flow),
            });
        } else if !is_in && stability.flips >= arguments.flips as usize {
            add.push(Entry {
                flow: path,
                flips: stability.flips,
                results: stability.results,
                yaml: entry(stability, today),
                ended: ended.and_then(|it| it.until),
            });
        }
    }
    // The worst first. The sort is stable, so flows with the same number of flips stay in order of their paths.
    add.sort_by_key(|entry| std::cmp::Reverse(entry.flips));
    Suggestions { add, remove }
}

/// Returns the line for a flow's header, without a line end: a quarantine with the reason, that ends
/// [`QUARANTINE_DAYS`] after `today`.
fn entry(stability: Stability, today: NaiveDate) -> String {
    let Stability { flips, results, .. } = stability;
    let until = today
        .checked_add_days(Days::new(QUARANTINE_DAYS))
        .unwrap_or(today);
    let because = json!(format!("{flips} flips in its last {results} results"));
    format!(
        "quarantine: {{ because: {}, until: {until} }}",
        flow_text::literal(&because)
    )
}

/// Returns the line of the header's key `quarantine`, from 1. A key of that name inside of another one is indented.
/// `None` if no line begins with it, as in a flow in braces.
fn line_of_quarantine(flow: &Flow) -> Option<usize> {
    let is_key = |line: &str| {
        let rest = line.strip_prefix("quarantine");
        rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let at = flow.source.text.lines().position(is_key)?;
    Some(at + 1)
}

/// Prints the suggestions to standard output as comments and YAML, those to add first; a note to standard error if
/// there are none.
fn print(arguments: &SuggestArguments, suggestions: &Suggestions<'_>) {
    for entry in &suggestions.add {
        let ended = entry.ended.map_or_else(String::new, |day| {
            format!(" Its quarantine ended on {day}: replace that.")
        });
        output::line(&format!(
            "# {}: {} flips in its last {} results. For its header:{ended}",
            entry.flow, entry.flips, entry.results
        ));
        output::line(&entry.yaml);
    }
    for removal in &suggestions.remove {
        let line = removal
            .line
            .map_or_else(String::new, |line| format!(" (line {line})"));
        output::line(&format!(
            "# {}: passed {} times in a row. Take `quarantine` out of its header{line}.",
            removal.flow, removal.passes
        ));
    }
    if suggestions.add.is_empty() && suggestions.remove.is_empty() {
        output::note(&format!(
            "nothing to suggest: no flow flipped {} times in its last {} results, and none in quarantine passed {} times in a row",
            arguments.flips, arguments.of, arguments.passes
        ));
    }
}
