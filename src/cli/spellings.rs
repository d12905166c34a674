//! Options of `runner test` in Maestro's spelling, translated to ours.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use clap::Args;
use clap::builder::{StringValueParser, TypedValueParser};
use runner_text::input_file::InputProblem;

use super::completions;
use super::error::CliError;
use super::list::ListFormat;
use super::output;
use super::values::one_of;
use crate::config::Overrides;
use crate::context::Context;
use crate::run::Plan;

/// Purpose of `--config`, for messages.
const CONFIG_PURPOSE: &str = "it stands in place of config.yaml of Maestro's workspaces; settings of `runner` are in runner.yaml, which needs no option";

/// Value of `--format`: the form of `--list`, or Maestro's name of the report in `--output`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Form of `--list`.
    List(ListFormat),
    Junit,
    Html,
    /// Same as `Html`, as our report always shows the steps.
    HtmlDetailed,
    /// No report.
    Noop,
}

/// Returns a parser that takes any text, without the blanks around it: `a, b` are the names `a` and `b`.
fn trimmed() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().map(|text| text.trim().to_owned())
}

const FORMATS: [Format; 6] = [
    Format::List(ListFormat::Text),
    Format::List(ListFormat::Json),
    Format::Junit,
    Format::Html,
    Format::HtmlDetailed,
    Format::Noop,
];

/// Returns the parser of the formats' names, those of Maestro included.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    let name = |format| match format {
        Format::List(ListFormat::Text) => "text",
        Format::List(ListFormat::Json) => "json",
        Format::Junit => "junit",
        Format::Html => "html",
        Format::HtmlDetailed => "html-detailed",
        Format::Noop => "noop",
    };
    one_of(&FORMATS, name, |format| match format {
        Format::List(ListFormat::Text) => "With --list: a line for each case",
        Format::List(ListFormat::Json) => "With --list: one list, for the matrix of a CI",
        Format::Junit => "As Maestro: JUnit XML in the file of --output",
        Format::Html => "As Maestro: an HTML report in --output",
        Format::HtmlDetailed => "As Maestro: the same as html",
        Format::Noop => "As Maestro: no report",
    })
}

/// Options as Maestro spells them.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "As Maestro spells it")]
pub struct MaestroSpellings {
    /// Tags, with commas between them: --tag
    #[arg(long, value_name = "TAGS", value_delimiter = ',', value_parser = trimmed(), add = completions::tags())]
    include_tags: Vec<String>,
    /// Tags, with commas between them: --exclude-tag
    #[arg(long, value_name = "TAGS", value_delimiter = ',', value_parser = trimmed(), add = completions::tags())]
    exclude_tags: Vec<String>,
    /// A file in place of config.yaml of workspaces of Maestro's
    #[arg(long, value_name = "FILE")]
    config: Option<Utf8PathBuf>,
    /// Where the report of --format goes
    #[arg(long, value_name = "PATH", requires = "format")]
    output: Option<Utf8PathBuf>,
    /// Each flow once, spread over N devices: --spread
    #[arg(long, alias = "shards", short_alias = 's', value_name = "N", conflicts_with_all = ["shard_all", "spread"], value_parser = clap::value_parser!(u16).range(1..=64))]
    shard_split: Option<u16>,
    /// Every flow on each of N devices: --spread=false
    #[arg(long, value_name = "N", conflicts_with = "spread", value_parser = clap::value_parser!(u16).range(1..=64))]
    shard_all: Option<u16>,
    /// Name of the suites in the JUnit XML, in place of folders
    #[arg(long, value_name = "NAME")]
    test_suite_name: Option<String>,
    /// Folder of the run's files: --artifacts
    #[arg(long, value_name = "DIR", conflicts_with = "artifacts")]
    test_output_dir: Option<Utf8PathBuf>,
    /// The same, where --test-output-dir does not say it
    #[arg(long, value_name = "DIR", conflicts_with = "artifacts")]
    debug_output: Option<Utf8PathBuf>,
    /// No colours: the variable `NO_COLOR`
    #[arg(long, alias = "no-color")]
    no_ansi: bool,
    /// System of the devices; flows run on Android only
    #[arg(long, short = 'p', value_name = "PLATFORM", value_parser = ["android"], ignore_case = true)]
    platform: Option<String>,
    #[command(flatten)]
    ignored: IgnoredOptions,
}

/// Options of Maestro's that mean nothing here: taken, so that a command runs as it is, and named on standard error.
#[derive(Debug, Clone, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each field is a separate switch of the command line, which clap wants as a bool"
)]
struct IgnoredOptions {
    #[arg(long, hide = true)]
    flatten_debug_output: bool,
    #[arg(long, hide = true)]
    headless: bool,
    #[arg(long, hide = true)]
    analyze: bool,
    #[arg(long, hide = true)]
    no_reinstall_driver: bool,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    reinstall_driver: Option<String>,
    #[arg(long, hide = true)]
    screen_size: Option<String>,
    #[arg(long, hide = true)]
    api_key: Option<String>,
    #[arg(long, hide = true)]
    api_url: Option<String>,
    #[arg(long, hide = true)]
    apple_team_id: Option<String>,
    #[arg(long, hide = true)]
    driver_host_port: Option<String>,
}

impl IgnoredOptions {
    /// Returns those options of Maestro's that were given and do nothing here, each with the reason. Their values
    /// are not in it. Empty if none was given.
    fn given(&self) -> Vec<(&'static str, &'static str)> {
        let all = [
            (
                self.flatten_debug_output,
                "--flatten-debug-output",
                "folders are as docs/guide/report.md says",
            ),
            (self.headless, "--headless", "it is for web pages"),
            (
                self.screen_size.is_some(),
                "--screen-size",
                "it is for web pages",
            ),
            (self.analyze, "--analyze", "it asks a service of Maestro's"),
            (
                self.api_key.is_some(),
                "--api-key",
                "it is for a service of Maestro's",
            ),
            (
                self.api_url.is_some(),
                "--api-url",
                "it is for a service of Maestro's",
            ),
            (
                self.reinstall_driver.is_some(),
                "--reinstall-driver",
                "there is no driver of Maestro's",
            ),
            (
                self.no_reinstall_driver,
                "--no-reinstall-driver",
                "there is no driver of Maestro's",
            ),
            (
                self.driver_host_port.is_some(),
                "--driver-host-port",
                "there is no driver of Maestro's",
            ),
            (
                self.apple_team_id.is_some(),
                "--apple-team-id",
                "it is for iOS",
            ),
        ];
        let given = all.into_iter().filter(|(is_given, _, _)| *is_given);
        given.map(|(_, name, why)| (name, why)).collect()
    }
}

impl MaestroSpellings {
    /// Returns the wanted tags and the excluded ones.
    pub(super) fn tags(&self) -> (&[String], &[String]) {
        (&self.include_tags, &self.exclude_tags)
    }

    /// Puts these options into `overrides`, but for tags and the name of suites. `--test-output-dir` counts more than
    /// `--debug-output`, and `--artifacts` more than both. With `--format`, `--output` is the JUnit or HTML report, in
    /// place of `--junit` or `--html`. A JUnit report without `--output` goes to `report.xml`. Devices separated by
    /// commas become several, blanks around them aside; a number of shards decides if flows are spread; if the device
    /// `virtual` alone is named, it is taken that many times.
    pub(super) fn apply(&self, format: Option<Format>, overrides: &mut Overrides) {
        overrides.maestro_config.clone_from(&self.config);
        let folder = self.test_output_dir.as_ref().or(self.debug_output.as_ref());
        let artifacts = &mut overrides.settings.artifacts;
        *artifacts = artifacts.take().or_else(|| folder.cloned());
        match format {
            Some(Format::Junit) => {
                let file = self.output.clone();
                overrides.settings.junit = file.or_else(|| Some(Utf8PathBuf::from("report.xml")));
            }
            Some(Format::Html | Format::HtmlDetailed) => {
                overrides.settings.html.clone_from(&self.output);
            }
            _ => {}
        }
        let names = overrides.devices.iter().flat_map(|names| names.split(','));
        overrides.devices = names.map(|name| name.trim().to_owned()).collect();
        let Some(number) = self.shard_split.or(self.shard_all) else {
            return;
        };
        overrides.settings.spread = Some(self.shard_split.is_some());
        // The built-in device can be started any number of times.
        if let [only] = overrides.devices.as_slice()
            && only == "virtual"
        {
            overrides.devices = vec![only.clone(); usize::from(number)];
        }
    }

    /// Checks that the file of `--config`, relative to the working folder, is there; it is not read. Without the
    /// option all is well. Without the check it would be missed only where a folder of Maestro's reads it.
    ///
    /// # Errors
    /// Returns [`CliError::Usage`] if there is no such file, or a link that leads nowhere.
    pub(super) fn check_config(&self, context: &Context) -> Result<(), CliError> {
        let Some(file) = &self.config else {
            return Ok(());
        };
        let path = context.working_folder.join(file);
        let problem = match (path.exists(), path.is_symlink()) {
            (true, _) => return Ok(()),
            (false, true) => InputProblem::LeadsNowhere,
            (false, false) => InputProblem::Missing,
        };
        Err(CliError::Usage(format!(
            "--config: {file} {problem}; {CONFIG_PURPOSE}"
        )))
    }

    /// Prints a note if `--config` is given, all flows of the plan read, and none is Maestro's and needs the file.
    pub(super) fn report_unused_config(&self, plan: &Plan) {
        let is_read = self.config.is_some() && plan.unreadable.is_empty();
        if is_read && plan.flows().all(|flow| flow.maestro().is_none()) {
            output::note(&format!("--config changes nothing here: {CONFIG_PURPOSE}"));
        }
    }

    /// Prints a note for each option that does nothing here.
    pub(super) fn report_skipped(&self) {
        for (name, why) in self.ignored.given() {
            output::note(&format!("{name} changes nothing here: {why}"));
        }
    }

    /// Returns the environment, with `NO_COLOR` set for `--no-ansi`; unchanged without it.
    pub(super) fn with_colors(&self, context: &Context) -> Context {
        if !self.no_ansi {
            return context.clone();
        }
        let no_color = BTreeMap::from([("NO_COLOR".to_owned(), "1".to_owned())]);
        context.with_variables(&no_color)
    }

    /// Returns the name of the suites in the JUnit XML. `None` names them by their folders.
    pub(super) fn suite_name(&self) -> Option<String> {
        self.test_suite_name.clone()
    }

    /// Checks combinations that clap does not check: formats for and without `--list`, and the path of an HTML
    /// report.
    ///
    /// # Errors
    /// Returns [`CliError::Usage`] if two options exclude each other or one lacks another, and if the HTML report
    /// is missing or has an extension other than `html`.
    pub(super) fn check(&self, format: Option<Format>, is_list: bool) -> Result<(), CliError> {
        let wrong = match format {
            Some(Format::List(_)) if !is_list => {
                "--format text and --format json are formats of --list; for the events of a run write `--json FILE`, and for its text no option"
            }
            Some(Format::Junit | Format::Html | Format::HtmlDetailed | Format::Noop) if is_list => {
                "--list prints --format text or --format json"
            }
            Some(Format::Html | Format::HtmlDetailed) => match &self.output {
                Some(path) if matches!(path.extension(), None | Some("html")) => return Ok(()),
                _ => "name the HTML report: --format html --output report.html, or a folder",
            },
            _ => return Ok(()),
        };
        Err(CliError::Usage(wrong.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::cli::{Arguments, Command};

    #[test]
    fn a_blank_beside_a_comma_belongs_to_no_name() {
        for (given, names) in [
            ("a", &["a"][..]),
            ("a,b", &["a", "b"]),
            ("a, b", &["a", "b"]),
            ("a , b ", &["a", "b"]),
            (" a b,c", &["a b", "c"]),
        ] {
            let options = ["--device", "--include-tags", "--exclude-tags"];
            let words = options.iter().flat_map(|option| [*option, given]);
            let words = ["runner", "test"].into_iter().chain(words);
            let Command::Test(arguments) = Arguments::try_parse_from(words).unwrap().command else {
                panic!("it is another subcommand");
            };
            assert_eq!(arguments.overrides().devices, names, "{given}");
            let filter = arguments.filter();
            assert_eq!(filter.tags, names, "{given}");
            assert_eq!(filter.excluded, names, "{given}");
        }
    }

    #[test]
    fn a_name_that_is_missing_beside_a_comma_is_told() {
        for given in ["a,", ",a", "a,,b", "a, ,b", ","] {
            let words = ["runner", "test", "--device", given];
            let error = Arguments::try_parse_from(words).unwrap_err().to_string();
            assert!(error.contains("beside a comma"), "{given}: {error}");
        }
    }
}
