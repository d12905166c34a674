//! `runner test`: runs flows.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use clap::builder::TypedValueParser;
use tokio_util::sync::CancellationToken;

use super::error::CliError;
use super::flow_choice::ChosenFlows;
use super::list::{self, ListFormat};
use super::optional_values::WordBehind;
use super::report::{github, junit_options};
use super::report_files::{self, NamedOutputs, Outputs, ReportFiles};
use super::selection::{DeviceSelection, FlowSelection};
use super::setting_flags::SettingFlags;
use super::shard::ShardArgument;
use super::spellings::{Format, MaestroSpellings, format};
use super::values::one_of;
use super::{changed_flows, completions, flow_choice, foreign, output, runtime, watch};
use crate::config::{Config, Origin, Overrides, Place};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::flow::{DiscoverError, NameError, TagExpression, check_name, plain_name};
use crate::history::{Durations, History, Trends};
use crate::interrupt;
use crate::report::{
    Allure, HistoryFile, Html, JsonStream, Junit, Reports, Terminal, TerminalStyle, Verbosity,
};
use crate::run::{self, PlanError};
use runner_base::output_file::OutputError;
use runner_text::input_file::{InputError, InputProblem, open_regular};

/// Arguments of `runner test`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each field is a separate switch of the command line, which clap wants as a bool"
)]
pub struct TestArguments {
    #[command(flatten)]
    flows: FlowSelection,
    /// Word that may be meant as a value of the option before it.
    #[arg(skip)]
    pub(super) word_behind: Option<WordBehind>,
    #[command(flatten)]
    device: DeviceSelection,
    /// Only flows with this tag; may be given several times
    #[arg(long = "tag", value_name = "TAG", add = completions::tags())]
    tags: Vec<String>,
    /// No flows with this tag; may be given several times
    #[arg(long = "exclude-tag", value_name = "TAG", add = completions::tags())]
    excluded_tags: Vec<String>,
    /// Only flows for whose tags this holds: "smoke and not slow"; `and`, `or`, `not` and brackets
    #[arg(long = "tags", value_name = "EXPRESSION", add = completions::tags())]
    tag_expression: Option<TagExpression>,
    #[command(flatten)]
    chosen: ChosenFlows,
    /// A value for `${KEY}` in flows; may be given several times
    #[arg(long = "env", short = 'e', value_name = "KEY=VALUE", value_parser = key_value)]
    env: Vec<(String, String)>,
    /// File of KEY=VALUE lines for `${KEY}` in flows
    #[arg(long, value_name = "FILE")]
    env_file: Option<Utf8PathBuf>,
    #[command(flatten)]
    goldens: SettingFlags<{ Place::Goldens as u8 }>,
    /// A snapshot without a stored picture for this device fails
    #[arg(long)]
    strict_pixels: bool,
    #[command(flatten)]
    files: ReportFiles,
    #[command(flatten)]
    folders: SettingFlags<{ Place::Folders as u8 }>,
    #[command(flatten)]
    run: SettingFlags<{ Place::Run as u8 }>,
    /// Skip flows no device can run
    #[arg(long)]
    allow_unfit: bool,
    /// Stop after N failed flows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_failures: Option<u32>,
    /// Stop at the first failure: --max-failures 1
    #[arg(long, conflicts_with = "max_failures")]
    fail_fast: bool,
    /// Fail the run if a flow is flaky
    #[arg(long)]
    fail_on_flaky: bool,
    /// Re-run affected flows on change
    #[arg(long, short = 'c', alias = "continuous", conflicts_with_all = ["list", "last_failed", "shard"])]
    watch: bool,
    /// Open review if changes are pending; only at a terminal
    #[cfg(feature = "review")]
    #[arg(long, conflicts_with = "watch")]
    review: bool,
    /// Seed printed by a failed run
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// Run one part of the flows: K of N, the same on every machine; `auto` reads what the CI's variables say.
    /// With --history the parts take about as long as each other
    #[arg(long, value_name = "K/N|auto")]
    shard: Option<ShardArgument>,
    /// What to do if no flow matches [default: fail]
    #[arg(long, value_name = "END", value_parser = no_flows())]
    no_flows: Option<NoFlows>,
    /// List the flows that would run, and stop
    #[arg(long)]
    list: bool,
    /// How they are listed [default: text]; or Maestro's name of a report
    #[arg(long, value_name = "FORMAT", value_parser = format(), ignore_case = true)]
    format: Option<Format>,
    #[command(flatten)]
    spellings: MaestroSpellings,
    /// Show each step with its round trips and dumps
    #[arg(long, short)]
    verbose: bool,
    /// Show failures and the summary only
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
}

fn key_value(text: &str) -> Result<(String, String), CliError> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(CliError::Usage("write KEY=VALUE".to_owned())),
    }
}

/// Returns the name of a variable behind a comma in a value, if `=` follows it: `TITLE` of `bo,TITLE=x`.
fn joined_key(value: &str) -> Option<&str> {
    let is_name = |text: &&str| {
        let mut letters = text.chars();
        let begins = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
        begins && text.len() > 1 && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let behind = value.split(',').skip(1);
    let mut keys = behind.filter_map(|part| Some(part.split_once('=')?.0.trim()));
    keys.find(is_name)
}

impl TestArguments {
    pub(super) fn overrides(&self) -> Overrides {
        let mut overrides = Overrides {
            paths: self.flows.paths.clone(),
            env: self.env.clone(),
            env_file: self.env_file.clone(),
            ..self.device.overrides()
        };
        let settings = &mut overrides.settings;
        self.goldens.give(settings);
        self.files.give(settings);
        self.folders.give(settings);
        self.run.give(settings);
        self.spellings.apply(self.format, &mut overrides);
        overrides
    }

    /// Removes words that name no file from the paths, and looks for flows by any of them as `--grep` does,
    /// with a note. Does nothing if `--grep` is given.
    fn take_words(&mut self, context: &Context) {
        if self.chosen.grep.is_some() {
            return;
        }
        let words = self.flows.take_words(&context.working_folder);
        if !words.is_empty() {
            let behind = self.word_behind.as_ref();
            let behind = behind.filter(|behind| words.contains(&behind.word));
            let no_value = behind.map(|behind| {
                let has = if behind.values.is_empty() {
                    format!("which takes a number, as in `{}=7`", behind.option)
                } else {
                    format!("which has {}", behind.values.join(", "))
                };
                format!(
                    ", and {} is no value of `{}`, {has}",
                    behind.word, behind.option
                )
            });
            let meant = words.iter().find_map(|word| foreign::option_for(word));
            let meant = meant.map(|option| format!("; for that option write `{option}`"));
            output::note(&format!(
                "no file is named {}{}: running the flows that have it in their path or name{}",
                words.join(", "),
                no_value.unwrap_or_default(),
                meant.unwrap_or_default()
            ));
            self.chosen.grep = Some(flow_choice::any_word(&words));
        }
    }

    pub(super) fn filter(&self) -> run::Filter {
        let (tags, excluded) = self.spellings.tags();
        run::Filter {
            tags: [&self.tags, tags].concat(),
            excluded: [&self.excluded_tags, excluded].concat(),
            expression: self.tag_expression.clone(),
        }
    }

    /// Keeps one part of the plan and prints its number of cases. Parts are balanced by durations if all
    /// machines read the same history, else by number.
    fn keep_shard(&self, plan: &mut run::Plan, number: run::ShardNumber, config: &Config) {
        let whole = plan.cases.len();
        let durations = self.is_history_shared(config).then(|| {
            let (durations, warnings) = Durations::read(&config.history.value);
            flow_choice::print_warnings(&warnings);
            durations
        });
        plan.keep_shard(number, durations.as_ref());
        if let Some(part) = &plan.shard {
            output::note(&format!(
                "part {} of {}: {} of {whole} cases",
                part.index,
                part.total,
                plan.cases.len()
            ));
        }
    }

    /// Returns true if all parts of a run read the same history. Each machine has its own unless `--history`
    /// names one.
    fn is_history_shared(&self, config: &Config) -> bool {
        config.history.origin == Origin::CommandLine
    }

    /// Returns the settings of `--changed-since`. The history counts only if all parts of a run read the same
    /// one.
    fn history<'a>(&self, config: &'a Config) -> changed_flows::Settings<'a> {
        changed_flows::Settings {
            config,
            reads_history: self.shard.is_none() || self.is_history_shared(config),
        }
    }

    /// Prints an empty list with `--format json`: a program that reads the list needs valid JSON.
    fn print_empty_list(&self) {
        if self.format == Some(Format::List(ListFormat::Json)) {
            output::line("[]");
        }
    }

    /// Returns true if `--no-flows pass` makes this error a success: no flow was found, or none has the tags
    /// or matches the choice.
    fn is_allowed_empty(&self, error: &PlanError) -> bool {
        self.no_flows == Some(NoFlows::Pass)
            && matches!(
                error,
                PlanError::NoTag { .. }
                    | PlanError::NoMatch { .. }
                    | PlanError::Discover(DiscoverError::None(_))
            )
    }

    pub(super) fn options(&self, choice: &run::Choice) -> run::Options {
        run::Options {
            max_failures: self.max_failures(),
            shuffle: choice.shuffle,
            fail_on_flaky: self.fail_on_flaky,
            strict_pixels: self.strict_pixels,
            allow_unfit: self.allow_unfit,
            seed: self.seed,
            // A watch reads the keys itself.
            may_ask: !self.watch,
            ..run::Options::default()
        }
    }

    /// Returns an error for a variable of `--env` that no flow of the plan can have; its value is not told, as it may
    /// be a secret. Flows of Maestro's take any name. Prints a note for a config of Maestro's without effect.
    fn check_plan(&self, plan: &run::Plan) -> Result<(), CliError> {
        self.spellings.report_unused_config(plan);
        if plan.flows().all(|flow| flow.maestro().is_some()) {
            return Ok(());
        }
        for (name, _) in &self.env {
            if let Err(wrong @ NameError::Malformed(_)) = check_name(name) {
                let plain = plain_name(name);
                let plain = plain.map(|plain| format!("; write `--env {plain}=…`"));
                return Err(CliError::Usage(format!(
                    "--env: {wrong}{}",
                    plain.unwrap_or_default()
                )));
            }
        }
        Ok(())
    }

    /// Prints a note for each option that was probably meant in another way.
    fn report_doubtful(&self, config: &Config, context: &Context) {
        self.report_unused_json();
        self.report_joined_env();
        super::config::report_doubts(config, context);
    }

    /// Prints a note for each `--env` whose value has the beginning of another one in it, as `A=1,B=2`. The value is
    /// not told: it may be a secret.
    fn report_joined_env(&self) {
        for (key, value) in &self.env {
            if let Some(other) = joined_key(value) {
                output::note(&format!(
                    "note: the value of `{key}` goes on behind `,{other}=`: write `--env` once for each variable, if `{other}` is another one"
                ));
            }
        }
    }

    /// Prints a note if `--json` was given with `--list`, which runs nothing.
    fn report_unused_json(&self) {
        if self.list && self.format.is_none() && self.overrides().settings.json.is_some() {
            output::note(
                "--json writes the events of a run, and --list runs none: --format json lists as JSON",
            );
        }
    }

    fn max_failures(&self) -> Option<u32> {
        if self.fail_fast {
            Some(1)
        } else {
            self.max_failures
        }
    }

    fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

/// Exit of a run that finds no flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoFlows {
    Fail,
    Pass,
}

fn no_flows() -> impl TypedValueParser<Value = NoFlows> {
    let name = |end| match end {
        NoFlows::Fail => "fail",
        NoFlows::Pass => "pass",
    };
    one_of(&[NoFlows::Fail, NoFlows::Pass], name, |end| match end {
        NoFlows::Fail => "With exit code 2",
        NoFlows::Pass => "With exit code 0",
    })
}

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
    arguments.report_doubtful(&config, context);
    arguments.spellings.check_config(context)?;
    must_exist(&config.history.value)?;
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
    arguments.check_plan(&plan)?;
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
/// that know other durations would not fit together. A folder need not exist.
pub(super) fn must_exist(history: &Utf8Path) -> Result<(), CliError> {
    if history.extension() != Some("ndjson") {
        return Ok(());
    }
    match open_regular(history, runner_history::MAX_NAMED_FILE_BYTES) {
        Ok(_) => Ok(()),
        Err(InputError {
            problem: InputProblem::Missing,
            ..
        }) => Err(CliError::Usage(format!(
            "the history {history} does not exist; name a folder, or a file of a run in `.runner/history`"
        ))),
        Err(error) => Err(error.into()),
    }
}

/// Checks all files and folders that reports are written to, before anything is written.
fn claim_outputs(config: &Config, context: &Context) -> Result<Outputs, OutputError> {
    for (folder, option, key) in [
        (&config.artifacts, "--artifacts", "reports.artifacts"),
        (&config.history, "--history", "reports.history"),
    ] {
        if folder.origin != Origin::Default {
            let named = folder.origin.name_of(option, key);
            report_files::must_be_folder(&folder.value, &context.working_folder, &named)?;
        }
    }
    let artifacts = &config.artifacts;
    if artifacts.value == config.root || config.flow_paths().contains(&artifacts.value) {
        let shown = artifacts.value.strip_prefix(&context.working_folder);
        return Err(OutputError::HoldsFlows {
            path: shown.unwrap_or(&artifacts.value).to_owned(),
            option: artifacts.origin.name_of("--artifacts", "reports.artifacts"),
        });
    }
    let junit = config.junit.origin.name_of("--junit", "reports.junit");
    let json = config.json.origin.name_of("--json", "reports.json");
    let html = config.html.origin.name_of("--html", "reports.html");
    let allure = config.allure.origin.name_of("--allure", "reports.allure");
    let named = NamedOutputs {
        junit: (config.junit.value.as_ref(), &junit),
        json: (config.json.value.as_ref(), &json),
        archive: (None, ""),
        html: (config.html.value.as_ref(), &html),
        allure: (config.allure.value.as_ref(), &allure),
    };
    Outputs::claim(&named, context)
}

/// Sets up all reports that were asked for, the terminal and the stream of the last run. All paths are
/// checked first. The order counts: a later report may tell that an earlier one could not be written. Returns
/// an error if a report's file is in a folder of artifacts that the run empties.
pub(super) fn reports(
    arguments: &TestArguments,
    config: &Config,
    plan: &run::Plan,
    context: &Context,
) -> Result<Reports, CliError> {
    // Before a report is begun: none is made where another would replace what is not its own.
    let outputs = claim_outputs(config, context)?;
    for file in outputs.files() {
        if run::is_emptied(&config.artifacts.value, plan, file.path()) {
            return Err(CliError::Usage(format!(
                "a run empties the folder of {}; give {} a path outside of the artifacts",
                file.path(),
                file.option()
            )));
        }
    }
    let json = config.json.value.as_deref();
    let junit = config.junit.value.as_ref();
    let (term, attended) = report_files::terminal(&[config.json.value.as_ref(), junit], context);
    let style = TerminalStyle {
        color: context.color(attended),
        // Redrawn lines would fill the log of a CI system.
        live: attended && !context.is_ci(),
        width: context.width,
        watched: arguments.watch && attended,
    };
    let base = Some(context.working_folder.clone());
    let mut reports =
        Reports::new().with(Terminal::on_term(&term, style, arguments.verbosity(), base));
    if let Some(folder) = &config.html.value {
        let history = History::read(&config.history.value);
        flow_choice::print_warnings(&history.warnings);
        let trends = Trends::from_history(&history, None);
        let html = match &outputs.html {
            Some(output) => Html::in_one_file(output.clone()),
            None => Html::create(folder.clone())?,
        };
        reports = reports.with(html.with_trends(trends));
    }
    if let Some(folder) = &config.allure.value {
        reports = reports.with(Allure::create(folder.clone())?);
    }
    if config.artifacts.origin != Origin::Default {
        // After a report that may lie in the same folder, and wants an empty one the first time.
        let artifacts = config
            .artifacts
            .origin
            .name_of("--artifacts", "reports.artifacts");
        run::claim_artifacts(&config.artifacts.value, plan, &artifacts)?;
    }
    if json.is_some_and(|path| path == "-") {
        reports = reports.with(JsonStream::new(Box::new(std::io::stdout())));
    }
    if let Some(output) = &outputs.json {
        reports = reports.with(JsonStream::create(output)?);
    }
    if let Some(last) = JsonStream::create_last_run(&config.root) {
        reports = reports.with(last);
    }
    if let Some(github) = github(context, config.html.value.as_ref()) {
        // After the terminal, and to the same place: GitHub reads both streams.
        reports = reports.with(github.annotating(Box::new(term)));
    }
    // The last: that another report cannot be written fails the run, and this one says so.
    if let Some(output) = outputs.junit {
        let mut options = junit_options(context, arguments.files.junit_strict);
        options.suite_name = arguments.spellings.suite_name();
        reports = reports.with(Junit::new(output, options));
    }
    Ok(reports)
}

/// Returns a token that the first request to stop cancels. The second ends the process at once. If requests
/// cannot be listened for, the token is never cancelled.
fn cancelled_by_interrupt() -> CancellationToken {
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    // Listens before the first output.
    let Ok(mut requests) = interrupt::Requests::new() else {
        return cancel;
    };
    tokio::spawn(async move {
        if requests.next().await.is_ok() {
            token.cancel();
            output::note(
                "\ninterrupted: ending the flow and putting settings back; once more to stop at once",
            );
        }
        if requests.next().await.is_ok() {
            exit_now();
        }
    });
    cancel
}

#[expect(
    clippy::exit,
    reason = "a second Ctrl-C means at once; clean ends were tried after the first"
)]
pub(super) fn exit_now() {
    std::process::exit(i32::from(ExitCode::Interrupted as u8));
}
