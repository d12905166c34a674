//! `runner test`: runs flows.

mod arguments;
mod reports;
mod stop;
mod unread_env;

use camino::Utf8Path;

pub use self::arguments::TestArguments;
pub(super) use self::reports::reports;
use self::stop::cancelled_by_interrupt;
pub(super) use self::stop::exit_now;
use super::error::CliError;
use super::list::{self, ListFormat};
use super::runtime::runtime;
use super::spellings::Format;
use super::{changed_flows, flow_choice, output, report_files, watch};
use crate::config::Config;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::history::{History, HistoryProblem, HistoryWarning};
use crate::report::HistoryFile;
use crate::run::{self, PlanError};
use runner_text::input_file::{InputError, InputProblem, open_regular};

fn nothing_to_run(arguments: &TestArguments, why: &PlanError) -> ExitCode {
    arguments.print_empty_list();
    output::note(&format!("{why}; nothing to run (--no-flows=pass)"));
    ExitCode::Passed
}

/// Runs flows, lists them with `--list`, or watches them with `--watch`. The exit code is the worst of the
/// run's and of reports that could not be written. That no flow remains after `--last-failed` or
/// `--changed-since` is a success.
pub fn run(mut arguments: TestArguments, context: &Context) -> Result<ExitCode, CliError> {
    arguments.take_words(context);
    arguments
        .spellings
        .check(arguments.format, arguments.list)?;
    arguments.spellings.report_skipped();
    let context = &arguments.spellings.with_colors(context);
    let config = Config::resolve(context, &arguments.overrides())?;
    arguments.check_given(&config, context)?;
    arguments.spellings.check_config(context)?;
    check_history(&config.history.value)?;
    let mut choice = arguments.chosen.choice()?;
    if arguments.watch {
        return watch::run(&arguments, choice, context);
    }
    let mut plan = match run::Plan::read(&config, &arguments.filter()) {
        Err(error) if arguments.is_allowed_empty(&error) => {
            return Ok(nothing_to_run(&arguments, &error));
        }
        plan => plan?,
    };
    arguments.check_plan(&config, &plan)?;
    let whole = arguments
        .chosen
        .changed_since
        .is_some()
        .then(|| changed_flows::project_plan(&plan, &config, &arguments.filter()));
    if let Some(wanted) = arguments.chosen.last_failed {
        choice.last_failed = Some(flow_choice::last_failed(&config, wanted));
    }
    match plan.choose(&choice) {
        Err(error) if arguments.is_allowed_empty(&error) => {
            return Ok(nothing_to_run(&arguments, &error));
        }
        chosen => chosen?,
    }
    for message in &plan.without_effect {
        output::note(&format!("note: {message}"));
    }
    if plan.is_empty() {
        arguments.print_empty_list();
        output::note("no flow failed when it last ran: nothing to run");
        return Ok(ExitCode::Passed);
    }
    if let (Some(reference), Some(whole)) = (&arguments.chosen.changed_since, &whole) {
        let report = changed_flows::keep(&mut plan, whole, reference, &arguments.history(&config))?;
        changed_flows::print(&report, arguments.verbose);
        // Whoever joins the parts of a run misses one that left no stream.
        if plan.is_empty() && arguments.shard.is_none() {
            arguments.print_empty_list();
            return Ok(ExitCode::Passed);
        }
    }
    if let Some(shard) = arguments.shard {
        arguments.keep_shard(&mut plan, shard.resolve(context)?, &config);
    }
    if arguments.list {
        let format = match arguments.format {
            Some(Format::List(format)) => format,
            _ => ListFormat::default(),
        };
        return list::run(&plan, format, context);
    }
    // An accept that was cut short is brought to its end before anything is compared with its goldens.
    config.recovered_store()?;
    let options = run::Options {
        recordings: config.recordings.value.then(|| config.history_folder()),
        ..arguments.options(&choice)
    };
    let html = config.html.value.clone();
    let outputs = [config.json.value.clone(), config.junit.value.clone()];
    let history = HistoryFile::new(config.history_folder());
    let warning_cell = history.warning_cell();
    let reports = reports(&arguments, &config, &plan, context)?.with(history);
    let runtime = runtime()?;
    // Reports write files and draw: they have a thread of their own, so that nothing holds up the run.
    let reports = reports.spawn()?;
    let sink = reports.sender();
    let code = runtime.block_on(async {
        let cancel = cancelled_by_interrupt();
        run::run(config, context, plan, options, sink, cancel).await
    });
    let errors = reports.finish();
    // A history that cannot be written does not fail the run.
    if let Some(warning) = warning_cell.take() {
        output::note(&format!("warning: {warning}"));
    }
    let code = match errors.into_iter().next() {
        // A missing report must fail the run; the exit code of a lost device or an interrupt has precedence.
        Some(error) => {
            let error = CliError::from(error);
            output::error(&error.to_string());
            code.max(error.exit_code())
        }
        None => code,
    };
    if let Some(html) = html
        && (!arguments.quiet || code != ExitCode::Passed)
    {
        report_files::print_place(&html, &outputs.each_ref().map(Option::as_ref), context);
    }
    #[cfg(feature = "review")]
    if arguments.review && code != ExitCode::Interrupted {
        super::review::after_run(context)?;
    }
    Ok(code)
}

/// Returns an error if a history that is named as a file (`.ndjson`) is missing or cannot be opened: shards
/// that know other durations would not fit together. An existing file of any name must be one of the history.
/// A folder need not exist.
pub(super) fn check_history(history: &Utf8Path) -> Result<(), CliError> {
    if history.extension() == Some("ndjson") {
        match open_regular(history, runner_history::MAX_NAMED_FILE_BYTES) {
            Ok(_) => {}
            Err(InputError {
                problem: InputProblem::Missing,
                ..
            }) => {
                return Err(CliError::Usage(format!(
                    "the history {history} does not exist; name a folder, or a file of a run in `.runner/history`"
                )));
            }
            Err(error) => return Err(error.into()),
        }
    }
    let is_foreign = |it: &HistoryWarning| matches!(it.problem, HistoryProblem::Foreign);
    if history.is_file() && History::read(history).warnings.iter().any(is_foreign) {
        return Err(CliError::Usage(format!(
            "{history} is no file of the history; name a folder, or a file of a run in `.runner/history`"
        )));
    }
    Ok(())
}
