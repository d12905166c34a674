//! `runner pending`: lists what waits for a decision.

use clap::Args;
use indexmap::IndexMap;

use super::completions;
use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::history::count_running;
use crate::snapshot::{Cause, KeyNames, PendingEntry, Selection, SnapshotError};

#[derive(Debug, Args)]
pub struct PendingArguments {
    /// Print only the keys, whole
    #[arg(long, short)]
    quiet: bool,
    /// Print all changes of a reason, and each file
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,
}

/// Lists pending goldens by cause, and patches to selectors; with `--quiet` only their keys. Warnings about goldens
/// that disagree, and of runs that go on, go to standard error and do not change the exit code. Exits with 1 if a golden
/// or a patch is pending or a merge waits for a decision, else with 0. An interrupted accept is completed first.
pub fn run(arguments: &PendingArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    let store = config.recovered_store()?;
    note_running(&config, "more may be proposed");
    let pending = store.pending()?;
    for found in store.disagreements()? {
        output::note(&format!(
            "warning: {}:{}: {}",
            found.path, found.line, found.what
        ));
    }
    #[cfg(feature = "review")]
    let is_merging = super::review::print_unmerged(&config);
    #[cfg(not(feature = "review"))]
    let is_merging = false;
    #[cfg(feature = "review")]
    let has_patches = {
        let patches = crate::review::patches(&config);
        if arguments.quiet {
            for group in &patches.groups {
                output::line(&group.key.to_string());
            }
        } else {
            super::patches::print(&patches, arguments.verbose);
        }
        !patches.groups.is_empty()
    };
    #[cfg(not(feature = "review"))]
    let has_patches = false;
    if pending.is_empty() && !has_patches {
        if is_merging {
            return Ok(ExitCode::Failed);
        }
        output::note("nothing to review");
        return Ok(ExitCode::Passed);
    }
    if arguments.quiet {
        for entry in &pending {
            output::line(&entry.key.to_string());
        }
    } else {
        print(&pending, arguments.verbose);
    }
    output::note(
        "look at them with `runner review`; accept with `runner accept KEY…` or `--all`, reject with `runner reject KEY…` or `--all`",
    );
    Ok(ExitCode::Failed)
}

/// Prints what waits to standard output, in groups of equal causes by their first entry; with `verbose` also all
/// changes and files. A group without a cause says so. Prints nothing for none.
fn print(pending: &[PendingEntry], verbose: bool) {
    let names = KeyNames::new(pending.iter().map(|entry| &entry.key));
    // Grouped by equal causes, as in a review.
    let mut groups: IndexMap<Option<&Cause>, Vec<&PendingEntry>> = IndexMap::new();
    for entry in pending {
        groups.entry(entry.cause.as_ref()).or_default().push(entry);
    }
    for (cause, group) in &groups {
        match cause {
            Some(cause) => {
                output::line(&format!("{}: {}", cause.kind.as_str(), cause.title));
                for change in cause.changes.iter().skip(1).filter(|_| verbose) {
                    output::line(&format!("      {change}"));
                }
            }
            None => output::line("the run that proposed them did not say why:"),
        }
        for entry in group {
            output::line(&format!("    {}", names.name(&entry.key)));
            for file in entry.files.iter().filter(|_| verbose) {
                output::line(&format!("        {} → {}", file.pending, file.golden));
            }
        }
    }
}

/// Advice for `--all` while a run goes on.
pub(super) const ALL_OF_RUNNING: &str = "`--all` takes what was proposed so far, also what `runner pending` has not listed yet; `runner undo` takes it back";

/// Prints a note with this advice if a `runner test` of the project goes on. Runs of agents and of the studio have no
/// file in the history, so they are not seen.
pub(super) fn note_running(config: &Config, advice: &str) {
    let runs = match count_running(&config.history_folder()) {
        0 => return,
        1 => "a run goes on".to_owned(),
        runs => format!("{runs} runs go on"),
    };
    output::note(&format!("warning: {runs}: {advice}"));
}

/// Words that people write in place of `--all`.
const ALL: [&str; 6] = ["all", "everything", "every", "any", "*", "."];

/// Converts the error. Adds `--all` to that of a key that nothing pending matches, if the key is a word for all;
/// others stay. `command` is the subcommand.
pub(super) fn with_all(error: SnapshotError, command: &str) -> CliError {
    match &error {
        SnapshotError::NoSuchPending { given, .. } if ALL.contains(&given.as_str()) => {
            CliError::Usage(format!(
                "{error}; `runner {command} --all` is for all of them"
            ))
        }
        _ => error.into(),
    }
}

/// Which pending goldens.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub struct KeySelection {
    /// Keys as `runner pending` lists them; globs are allowed
    #[arg(value_name = "KEY", add = completions::pending_keys())]
    keys: Vec<String>,
    /// All of them
    #[arg(long)]
    all: bool,
}

impl KeySelection {
    /// Returns the selection of pending goldens that the arguments name: all of them with `--all`, else the keys as
    /// they are. Checks nothing.
    pub fn selection(&self) -> Selection {
        if self.all {
            Selection::All
        } else {
            Selection::Keys(self.keys.clone())
        }
    }
}
