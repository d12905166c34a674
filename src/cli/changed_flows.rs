//! `--changed-since`: keeps the flows of the plan that files changed in git concern.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use super::error::CliError;
use super::{flow_choice, output};
use crate::config::Config;
use crate::git::Repository;
use crate::history::ScreenNamesByFlow;
use crate::run::{Addition, ChangedFiles, ChangedReport, Filter, Plan, relative_to};

/// Limit for the changed lines that git is asked for. Chosen: far beyond a change that somebody wrote by
/// hand; more is generated code, and would only fill memory.
const MAX_CHANGED_BYTES: usize = 16 * 1024 * 1024;
/// Characters of a commit in messages. Chosen: short to read, and unique in all but the largest repositories.
const COMMIT_CHARS: usize = 9;

/// Project and history by which flows are chosen.
pub(super) struct Settings<'a> {
    pub config: &'a Config,
    /// True if earlier runs decide too: what flows met then.
    pub reads_history: bool,
}

/// Returns the plan of the whole project, whatever flows and tags the command line names: `plan` itself if it names
/// none, else what is read anew. The impact map may name other flows. Empty if `runner.yaml` names no flows and
/// they cannot be read.
pub(super) fn project_plan(plan: &Plan, config: &Config, filter: &Filter) -> Plan {
    if config.paths.is_empty() && *filter == Filter::default() {
        return plan.clone();
    }
    let mut config = config.clone();
    config.paths.clear();
    // Without flows in `runner.yaml` there are only those of the command line.
    Plan::read(&config, &Filter::default()).unwrap_or_default()
}

/// Removes the flows of the plan that no file changed since HEAD left `reference` concerns, and returns the reasons.
/// Files that are not committed or not tracked count as changed; flows that cannot be read stay. Prints a note if git
/// ignores changes of some files. `whole` is the plan of the whole project. The plan may be empty afterwards; that is
/// not printed here. Returns an error outside a repository, for an unknown reference, and if git fails.
pub(super) fn keep(
    plan: &mut Plan,
    whole: &Plan,
    reference: &str,
    settings: &Settings<'_>,
) -> Result<ChangedReport, CliError> {
    let config = settings.config;
    let repository = Repository::around(&config.root)?;
    let root = repository.path_of(&config.root)?;
    let changes = repository.changes_since(reference)?;
    if let Some(first) = changes.not_looked_at.first() {
        let more = match changes.not_looked_at.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        output::note(&format!(
            "git was told not to look at {first}{more}, so no change of it counts; `git update-index --no-assume-unchanged --no-skip-worktree FILE` undoes that"
        ));
    }
    let files: BTreeMap<Utf8PathBuf, Utf8PathBuf> = changes
        .files
        .into_iter()
        .map(|file| (relative_to(&root, &file), file))
        .collect();
    let changed = ChangedFiles {
        reference: reference.to_owned(),
        base: changes.base,
        files: files.keys().cloned().collect(),
    };
    plan.keep_changed(config, whole, &changed, |code| {
        let of_git = code.iter().filter_map(|file| files.get(file).cloned());
        let of_git: Vec<Utf8PathBuf> = of_git.collect();
        Ok(Addition {
            lines: repository.changed_lines(&changed.base, &of_git, MAX_CHANGED_BYTES)?,
            met: met_by_flow(settings),
        })
    })
}

/// Returns which screens each flow met in the runs of the history, and prints warnings about its files. Empty, with
/// a note, if the history may not be read, as with shards.
fn met_by_flow(settings: &Settings<'_>) -> ScreenNamesByFlow {
    if !settings.reads_history {
        output::note(
            "--changed-since with --shard: each machine has a history of its own, so none counts; name one that all have with --history",
        );
        return ScreenNamesByFlow::default();
    }
    let (met, warnings) = ScreenNamesByFlow::read(&settings.config.history.value);
    flow_choice::print_warnings(&warnings);
    met
}

/// Prints to standard error how many flows run, or why all do, and how many of them only because the history knows
/// nothing about them. With `verbose` also which run, why, and which are left out.
pub(super) fn print(report: &ChangedReport, verbose: bool) {
    let since = &report.since;
    let base = since.base.get(..COMMIT_CHARS).unwrap_or(&since.base);
    let files = match since.files {
        0 => "no file changed".to_owned(),
        1 => "1 changed file".to_owned(),
        files => format!("{files} changed files"),
    };
    let flows = if since.found == 1 { "flow" } else { "flows" };
    let runs = match &report.runs_all {
        Some(_) => format!("all {} {flows}", since.found),
        None => format!(
            "{} of {} {flows}",
            since.found - since.left_out,
            since.found
        ),
    };
    let end = match &report.runs_all {
        Some(why) => format!("; {why}"),
        None if since.left_out == since.found => ": nothing to run".to_owned(),
        None => String::new(),
    };
    output::note(&format!(
        "{runs}: {files} since {base} ({}){end}",
        since.reference
    ));
    if report.unknown > 0 {
        let (flows, run) = if report.unknown == 1 {
            ("flow", "runs")
        } else {
            ("flows", "run")
        };
        output::note(&format!(
            "{} {flows} of them {run} because no run in the history noted what they meet",
            report.unknown
        ));
    }
    if verbose {
        for (flow, why) in &report.because {
            output::note(&format!("  runs      {flow}: {why}"));
        }
        for flow in &report.left_out {
            output::note(&format!("  left out  {flow}"));
        }
    }
}
