//! Arguments of `runner test`, and what they ask of the run.

use camino::Utf8PathBuf;
use clap::Args;
use clap::builder::TypedValueParser;

use super::unread_env;
use crate::cli::error::CliError;
use crate::cli::flow_choice::ChosenFlows;
use crate::cli::list::ListFormat;
use crate::cli::optional_values::FollowingWord;
use crate::cli::report_files::ReportFiles;
use crate::cli::selection::{DeviceSelection, FlowSelection};
use crate::cli::setting_flags::SettingFlags;
use crate::cli::shard::ShardArgument;
use crate::cli::spellings::{Format, MaestroSpellings, format};
use crate::cli::values::one_of;
use crate::cli::{changed_flows, completions, flow_choice, foreign, output};
use crate::config::{Config, FlagGroup, Origin, Overrides};
use crate::context::Context;
use crate::flow::{DiscoverError, TagExpression, check_name, plain_name};
use crate::history::Durations;
use crate::report::Verbosity;
use crate::run::{self, PlanError};

/// Arguments of `runner test`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each field is a separate switch of the command line, which clap wants as a bool"
)]
pub struct TestArguments {
    #[command(flatten)]
    pub(super) flows: FlowSelection,
    /// Word that may be meant as a value of the option before it.
    #[arg(skip)]
    pub(in crate::cli) word_behind: Option<FollowingWord>,
    #[command(flatten)]
    pub(super) device: DeviceSelection,
    /// Only flows with this tag; may be given several times
    #[arg(long = "tag", value_name = "TAG", add = completions::tags())]
    pub(super) tags: Vec<String>,
    /// No flows with this tag; may be given several times
    #[arg(long = "exclude-tag", value_name = "TAG", add = completions::tags())]
    pub(super) excluded_tags: Vec<String>,
    /// Only flows for whose tags this holds: "smoke and not slow"; `and`, `or`, `not` and brackets
    #[arg(long = "tags", value_name = "EXPRESSION", add = completions::tags())]
    pub(super) tag_expression: Option<TagExpression>,
    #[command(flatten)]
    pub(super) chosen: ChosenFlows,
    /// A value for `${KEY}` in flows; may be given several times
    #[arg(long = "env", short = 'e', value_name = "KEY=VALUE", value_parser = key_value)]
    pub(super) env: Vec<(String, String)>,
    /// File of KEY=VALUE lines for `${KEY}` in flows
    #[arg(long, value_name = "FILE")]
    pub(super) env_file: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub(super) goldens: SettingFlags<{ FlagGroup::Goldens as u8 }>,
    /// A snapshot without a stored picture for this device fails
    #[arg(long)]
    pub(super) strict_pixels: bool,
    #[command(flatten)]
    pub(super) files: ReportFiles,
    #[command(flatten)]
    pub(super) folders: SettingFlags<{ FlagGroup::Folders as u8 }>,
    #[command(flatten)]
    pub(super) run: SettingFlags<{ FlagGroup::Run as u8 }>,
    /// Skip flows no device can run
    #[arg(long)]
    pub(super) allow_unfit: bool,
    /// Stop after N failed flows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_failures: Option<u32>,
    /// Stop at the first failure: --max-failures 1
    #[arg(long, conflicts_with = "max_failures")]
    pub(super) fail_fast: bool,
    /// Fail the run if a flow is flaky
    #[arg(long)]
    pub(super) fail_on_flaky: bool,
    /// Re-run affected flows on change
    #[arg(long, short = 'c', alias = "continuous", conflicts_with_all = ["list", "last_failed", "shard"])]
    pub(super) watch: bool,
    /// Open review if changes are pending; only at a terminal
    #[cfg(feature = "review")]
    #[arg(long, conflicts_with = "watch")]
    pub(super) review: bool,
    /// Seed printed by a failed run
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u32>,
    /// Run one part of the flows: K of N, the same on every machine; `auto` reads what the CI's variables say.
    /// With --history the parts take about as long as each other
    #[arg(long, value_name = "K/N|auto")]
    pub(super) shard: Option<ShardArgument>,
    /// What to do if no flow matches [default: fail]
    #[arg(long, value_name = "END", value_parser = no_flows())]
    pub(super) no_flows: Option<NoFlows>,
    /// List the flows that would run, and stop
    #[arg(long)]
    pub(super) list: bool,
    /// How they are listed [default: text]; or Maestro's name of a report
    #[arg(long, value_name = "FORMAT", value_parser = format(), ignore_case = true)]
    pub(super) format: Option<Format>,
    #[command(flatten)]
    pub(super) spellings: MaestroSpellings,
    /// Show each step with its round trips and dumps
    #[arg(long, short)]
    pub(super) verbose: bool,
    /// Show failures and the summary only
    #[arg(long, short, conflicts_with = "verbose")]
    pub(super) quiet: bool,
}

/// Parses `KEY=VALUE`. The value may be empty or hold `=`; an error for an empty key.
fn key_value(text: &str) -> Result<(String, String), CliError> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(CliError::Usage("write KEY=VALUE".to_owned())),
    }
}

/// Returns the name of a variable behind a comma in a value, if `=` follows it: `TITLE` of `bo,TITLE=x`.
fn joined_key(value: &str) -> Option<&str> {
    let is_name = |text: &&str| {
        // A single letter in lower case is more likely a part of a formula or an address.
        let begins = |first: char| {
            first.is_ascii_uppercase() || text.len() > 1 && first.is_ascii_lowercase()
        };
        text.starts_with(begins) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let behind = value.split(',').skip(1);
    let mut keys = behind.filter_map(|part| Some(part.split_once('=')?.0.trim()));
    keys.find(is_name)
}

impl TestArguments {
    /// Returns the settings that the options override; those of Maestro's spellings are applied last.
    pub(in crate::cli) fn overrides(&self) -> Overrides {
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
    pub(super) fn take_words(&mut self, context: &Context) {
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

    /// Returns the filter by tags, in both spellings.
    pub(in crate::cli) fn filter(&self) -> run::Filter {
        let (tags, excluded) = self.spellings.tags();
        run::Filter {
            tags: [&self.tags, tags].concat(),
            excluded: [&self.excluded_tags, excluded].concat(),
            expression: self.tag_expression.clone(),
        }
    }

    /// Keeps one part of the plan and prints its number of cases. Parts are balanced by durations if all
    /// machines read the same history, else by number.
    pub(super) fn keep_shard(
        &self,
        plan: &mut run::Plan,
        number: run::ShardNumber,
        config: &Config,
    ) {
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
    pub(super) fn history<'a>(&self, config: &'a Config) -> changed_flows::Settings<'a> {
        changed_flows::Settings {
            config,
            reads_history: self.shard.is_none() || self.is_history_shared(config),
        }
    }

    /// Prints an empty list with `--format json`: a program that reads the list needs valid JSON.
    pub(super) fn print_empty_list(&self) {
        if self.format == Some(Format::List(ListFormat::Json)) {
            output::line("[]");
        }
    }

    /// Returns true if `--no-flows pass` makes this error a success: no flow was found, or none has the tags
    /// or matches the choice.
    pub(super) fn is_allowed_empty(&self, error: &PlanError) -> bool {
        self.no_flows == Some(NoFlows::Pass)
            && matches!(
                error,
                PlanError::NoTag { .. }
                    | PlanError::NoMatch { .. }
                    | PlanError::Discover(DiscoverError::None(_))
            )
    }

    /// Returns the options of a run. A watch lets no run ask at the terminal.
    pub(in crate::cli) fn options(&self, choice: &run::Choice) -> run::Options {
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
    /// be a secret. Flows of Maestro's take any name. Prints a note for a config of Maestro's without effect, and for
    /// each variable that nothing reads and that is a slip of one that is read.
    pub(super) fn check_plan(&self, config: &Config, plan: &run::Plan) -> Result<(), CliError> {
        self.spellings.report_unused_config(plan);
        if plan.flows().all(|flow| flow.maestro().is_some()) {
            return Ok(());
        }
        for (name, _) in &self.env {
            if let Err(wrong) = check_name(name) {
                let plain = plain_name(name);
                let plain = plain.map(|plain| format!("; write `--env {plain}=…`"));
                return Err(CliError::Usage(format!(
                    "--env: {wrong}{}",
                    plain.unwrap_or_default()
                )));
            }
        }
        unread_env::report(config, plan);
        Ok(())
    }

    /// Prints a note for each option that was probably meant in another way.
    ///
    /// # Errors
    /// Returns an error of usage for an app of `--app` that is not there.
    pub(super) fn check_given(&self, config: &Config, context: &Context) -> Result<(), CliError> {
        self.report_unused_files();
        self.report_joined_env();
        crate::cli::config::report_doubts(config, context);
        self.device.check_apps(&context.working_folder)
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

    /// Prints a note if `--list`, which runs nothing, was given with a file that a run writes.
    fn report_unused_files(&self) {
        if !self.list {
            return;
        }
        let settings = self.overrides().settings;
        if self.format.is_none() && settings.json.is_some() {
            output::note(
                "--json writes the events of a run, and --list runs none: --format json lists as JSON",
            );
        }
        let given = [
            ("--junit", settings.junit.is_some()),
            ("--html", settings.html.is_some()),
            ("--allure", settings.allure.is_some()),
            ("--artifacts", settings.artifacts.is_some()),
            ("--update", settings.update.is_some()),
            ("--video", settings.video.is_some()),
        ];
        let given = given.into_iter().filter(|(_, is_given)| *is_given);
        let given: Vec<&str> = given.map(|(option, _)| option).collect();
        if !given.is_empty() {
            output::note(&format!(
                "note: --list runs nothing, so {} changes nothing: leave --list out for a run",
                given.join(", ")
            ));
        }
    }

    /// Returns after how many failures the run stops; `--fail-fast` counts before another number.
    fn max_failures(&self) -> Option<u32> {
        if self.fail_fast {
            Some(1)
        } else {
            self.max_failures
        }
    }

    /// Returns how much is printed; `--quiet` counts before `--verbose`.
    pub(super) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

/// Exit of a run that finds no flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoFlows {
    Fail,
    Pass,
}

/// Returns the parser of the ends of a run without flows, each with its help.
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
