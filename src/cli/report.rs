//! `runner report`: makes reports again from saved event streams.

mod streams;

use camino::Utf8PathBuf;
use clap::Args;

use super::error::CliError;
use super::output;
use super::report_files::{self, NamedOutputs, Outputs, ReportFiles};
use crate::config::{Config, Overrides, RawSettings};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::history::{History, Trends};
use crate::recording::run_files;
use crate::report::{
    GitHub, JsonStream, JunitOptions, Repetition, ReportError, ReportLink, Reports, Results,
    SavedStream, ShardProblem, Subscriber as _, Summary, Terminal, TerminalStyle, Verbosity,
    closing, html, is_finished, junit_xml, lack_a_plan, merge, report_shard_problems,
    shard_problems, write_allure, write_archive,
};
use runner_event::{Event, EventKind, RunFailure, RunFailureKind};

/// Folder of the report made for `--open`, below the project's.
const OPENED_REPORT: &str = ".runner/report";

/// Advice for a stream that ends before its plan, so that nobody knows which flows are missing.
const NO_PLAN: &str = "a run was killed before it said what it would run; run it again";

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Event streams, as `runner test --json` writes them, or folders that hold some; several are merged into one run
    /// [default: the last run of this project]
    #[arg(value_name = "STREAM")]
    streams: Vec<Utf8PathBuf>,
    #[command(flatten)]
    files: ReportFiles,
    /// Folder of a run's artifacts, where they are elsewhere now; may be given several times
    #[arg(long, value_name = "DIR")]
    artifacts: Vec<Utf8PathBuf>,
    /// Pack what a review needs of all runs into a ZIP file, for `runner review --from FILE`
    #[arg(long, value_name = "FILE")]
    archive: Option<Utf8PathBuf>,
    /// Open the HTML report in the browser: that of --html, a report that is named, or else one that is made in
    /// `.runner/report`
    #[arg(long)]
    open: bool,
    /// Show every flow with its steps
    #[arg(long, short)]
    verbose: bool,
}

/// Makes the reports of the named runs, or of the last one, merged into one, and prints the results. Streams that
/// do not read are failures of the run in the reports, as long as one stream reads. The exit code is that of
/// `runner test` for the same runs; at least 3 if a part or a stream is missing, and that of an interrupt if nobody
/// knows which flows are missing. With `--open` and a report instead of a stream, only opens it. Places that would
/// lose something are refused before anything is written.
pub fn run(arguments: &ReportArguments, context: &Context) -> Result<ExitCode, CliError> {
    if let [report] = &arguments.streams[..]
        && arguments.open
        && report_files::is_report(&context.working_folder.join(report))
    {
        report_files::open(&context.working_folder.join(report), context);
        return Ok(ExitCode::Passed);
    }
    let mut files = RawSettings::default();
    arguments.files.give(&mut files);
    if arguments.open && files.html.is_none() {
        let root = Config::resolve(context, &Overrides::default())?.root;
        files.html = Some(root.join(OPENED_REPORT));
    }
    let named = NamedOutputs {
        junit: (files.junit.as_ref(), "--junit"),
        json: (files.json.as_ref(), "--json"),
        archive: (arguments.archive.as_ref(), "--archive"),
        html: (files.html.as_ref(), "--html"),
        allure: (files.allure.as_ref(), "--allure"),
    };
    let outputs = Outputs::claim(&named, context)?;
    let (streams, unreadable) = streams::read(&arguments.streams, context)?;
    let folders = folders(arguments, context, &streams);
    let lacks_a_plan = lack_a_plan(&streams);
    let is_whole = is_whole(arguments, context, streams.len() + unreadable.len());
    let streams: Vec<Vec<Event>> = streams.into_iter().map(|stream| stream.events).collect();
    let problems = if is_whole {
        shard_problems(&streams)
    } else {
        Vec::new()
    };
    let mut events = merge(streams);
    report_shard_problems(&mut events, &problems);
    let mut results = Results::default();
    results.folders.clone_from(&folders);
    for event in &events {
        results.add(event);
    }
    if !is_finished(&events) {
        let failures = problems.iter().map(ShardProblem::as_failure);
        results.because.extend(failures);
    }
    if lacks_a_plan {
        let failure = RunFailure::new(RunFailureKind::Parts, NO_PLAN);
        results.because.push(failure);
    }
    let failures = unreadable
        .iter()
        .map(|error| RunFailure::new(RunFailureKind::Parts, error.to_string()));
    results.because.extend(failures);
    if let Some(output) = &outputs.junit {
        let options = junit_options(context, arguments.files.junit_strict);
        let xml = junit_xml(&results, &options)?;
        let path = output.path().to_owned();
        let written = output.write(xml.as_bytes());
        written.map_err(|source| ReportError::File { path, source })?;
    }
    if let Some(folder) = &files.html {
        results.trends = trends(&results, context);
        match &outputs.html {
            Some(output) => html::write_one_file(&results, output)?,
            None => html::write(&results, &context.working_folder.join(folder))?,
        }
    }
    if let Some(folder) = &files.allure {
        write_allure(&results, &context.working_folder.join(folder))?;
    }
    if files.json.as_ref().is_some_and(|path| path == "-") {
        write_events(JsonStream::new(Box::new(std::io::stdout())), &events)?;
    }
    if let Some(output) = &outputs.json {
        write_events(JsonStream::create(output)?, &events)?;
    }
    if let Some(output) = &outputs.archive {
        let recordings = recordings(&events, context)?;
        let missing = write_archive(&results, &events, &recordings, output)?;
        if missing > 0 {
            output::note(&format!(
                "warning: {missing} files for the review are not among the artifacts; name their folder with --artifacts"
            ));
        }
    }
    let mut code = print_results(arguments, &files, context, folders, &events)?;
    if lacks_a_plan {
        output::error(NO_PLAN);
        code = code.max(ExitCode::Interrupted);
    }
    for problem in &problems {
        output::error(&problem.to_string());
    }
    for error in &unreadable {
        output::error(&error.to_string());
    }
    if let Some(report) = &files.html {
        let report = context.working_folder.join(report);
        let outputs = [files.json.as_ref(), files.junit.as_ref()];
        report_files::print_place(&report, &outputs, context);
        if arguments.open {
            report_files::open(&report, context);
        }
    }
    // Also for a killed run, whose stream has no end with an exit code.
    Ok(if problems.is_empty() && unreadable.is_empty() {
        code
    } else {
        code.max(ExitCode::NoDevice)
    })
}

/// Returns true if all parts of a plan should be there. A single stream that is named itself may be one part.
fn is_whole(arguments: &ReportArguments, context: &Context, streams: usize) -> bool {
    let is_folder = |path: &Utf8PathBuf| context.working_folder.join(path).is_dir();
    streams > 1 || arguments.streams.iter().any(is_folder)
}

/// Returns the folders in which to look for artifacts: those of `--artifacts`, then those that the streams name, in
/// this order; those that the streams name come once. None is checked for existence.
fn folders(
    arguments: &ReportArguments,
    context: &Context,
    streams: &[SavedStream],
) -> Vec<Utf8PathBuf> {
    let named = arguments.artifacts.iter();
    let mut folders: Vec<Utf8PathBuf> = named
        .map(|folder| context.working_folder.join(folder))
        .collect();
    for folder in streams.iter().flat_map(SavedStream::folders) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Returns the files of recordings of the runs in `events` that are in this machine's history. Empty if it has none
/// of them. An error if the project's settings cannot be read.
fn recordings(events: &[Event], context: &Context) -> Result<Vec<Utf8PathBuf>, CliError> {
    let history = Config::resolve(context, &Overrides::default())?.history_folder();
    let run_id = |event: &Event| match &event.kind {
        EventKind::Start { run_id, .. } => Some(run_id.clone()),
        _ => None,
    };
    let runs = events.iter().filter_map(run_id);
    Ok(runs.flat_map(|run| run_files(&history, &run)).collect())
}

/// Returns how the flows did in earlier runs, without the reported one, from the history of the project in the
/// working folder. Empty if its settings cannot be read, and without a history.
fn trends(results: &Results, context: &Context) -> Trends {
    let Ok(config) = Config::resolve(context, &Overrides::default()) else {
        return Trends::default();
    };
    let history = History::read(&config.history.value);
    Trends::from_history(
        &history,
        results.run.as_ref().map(|run| run.run_id.as_str()),
    )
}

/// Writes all events in their order. A reader that closes the pipe ends it without an error; any other failure is
/// one, and what was written stays.
fn write_events(mut stream: JsonStream, events: &[Event]) -> Result<(), ReportError> {
    for event in events {
        match stream.on(event) {
            Err(error) if error.is_broken_pipe() => return Ok(()),
            reported => reported?,
        }
    }
    Ok(())
}

/// Prints the results, writes GitHub's summary if this is GitHub Actions, and returns the exit code: the worst of
/// that of the run and that of its flows. Adds the ends of flows and of the run that a killed run lacks. Quiet
/// without `--verbose`.
fn print_results(
    arguments: &ReportArguments,
    files: &RawSettings,
    context: &Context,
    folders: Vec<Utf8PathBuf>,
    events: &[Event],
) -> Result<ExitCode, CliError> {
    let (term, attended) =
        report_files::terminal(&[files.json.as_ref(), files.junit.as_ref()], context);
    let style = TerminalStyle {
        color: context.color(attended),
        live: false,
        width: context.width,
        repetition: Repetition::LastFailed,
    };
    let verbosity = if arguments.verbose {
        Verbosity::Verbose
    } else {
        Verbosity::Quiet
    };
    let base = Some(context.working_folder.clone());
    let terminal = Terminal::on_term(&term, style, verbosity, base).looking_in(folders);
    let mut reports = Reports::new().with(terminal);
    // Without annotations: each run has made its own.
    if let Some(github) = github(context, files.html.as_ref()) {
        reports.add(Box::new(github));
    }
    let closing = closing(events);
    let (reported, end) = events.split_at(events.len() - usize::from(is_finished(events)));
    let mut summary = Summary::new();
    let mut code = ExitCode::Passed;
    for event in reported.iter().chain(&closing).chain(end) {
        summary.add(event);
        if let EventKind::Finish { exit_code, .. } = event.kind {
            // The run's own exit code may be worse than its flows alone say, but never better.
            code = code.max(ExitCode::from_code(exit_code).unwrap_or(ExitCode::Failed));
        }
        reports.on(event)?;
    }
    Ok(code.max(summary.exit_code(false)))
}

/// Returns the options of the JUnit report. GitLab finds attachments by their path below the project's folder,
/// others by absolute paths. The suite has no name of its own. Reads only the environment.
pub(super) fn junit_options(context: &Context, strict: bool) -> JunitOptions {
    let gitlab = context
        .variable("GITLAB_CI")
        .and_then(|_| context.variable("CI_PROJECT_DIR"));
    JunitOptions {
        strict,
        attachments_from: gitlab.map(Utf8PathBuf::from),
        suite_name: None,
    }
}

/// Returns the report for GitHub Actions, without annotations, or `None` outside of it. Writes nothing yet. Its
/// summary links the HTML report if that is one file.
pub(super) fn github(context: &Context, html: Option<&Utf8PathBuf>) -> Option<GitHub> {
    if context.variable("GITHUB_ACTIONS") != Some("true") {
        return None;
    }
    let folder = |name| context.variable(name).map(Utf8PathBuf::from);
    let run = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"];
    let artifacts = match run.map(|name| context.variable(name)) {
        [Some(server), Some(repository), Some(run)] => Some(format!(
            "{server}/{repository}/actions/runs/{run}#artifacts"
        )),
        _ => None,
    };
    let name = html.filter(|path| html::is_one_file(path));
    let report = name
        .and_then(|path| path.file_name())
        .map(|name| ReportLink {
            name: name.to_owned(),
            artifacts,
        });
    let github = GitHub::new(folder("GITHUB_WORKSPACE"), folder("GITHUB_STEP_SUMMARY"));
    Some(github.naming(report))
}
