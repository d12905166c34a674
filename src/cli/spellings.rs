//! Options of `runner test` that Maestro spells in its own way, and what they are here.

use camino::Utf8PathBuf;
use clap::Args;
use clap::builder::TypedValueParser;

use super::completions;
use super::error::CliError;
use super::list::ListFormat;
use super::values::one_of;
use crate::config::Overrides;

/// How flows are listed, or which report `--output` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Of `--list`.
    List(ListFormat),
    /// JUnit XML.
    Junit,
    /// An HTML report.
    Html,
    /// None.
    Noop,
}

const FORMATS: [Format; 5] = [
    Format::List(ListFormat::Text),
    Format::List(ListFormat::Json),
    Format::Junit,
    Format::Html,
    Format::Noop,
];

/// The formats by their names.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    let name = |format| match format {
        Format::List(ListFormat::Text) => "text",
        Format::List(ListFormat::Json) => "json",
        Format::Junit => "junit",
        Format::Html => "html",
        Format::Noop => "noop",
    };
    one_of(&FORMATS, name, |format| match format {
        Format::List(ListFormat::Text) => "With --list: a line for each case",
        Format::List(ListFormat::Json) => "With --list: one list, for the matrix of a CI",
        Format::Junit => "As Maestro: JUnit XML in the file of --output",
        Format::Html => "As Maestro: an HTML report in the folder of --output",
        Format::Noop => "As Maestro: no report",
    })
}

/// Options as Maestro spells them.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "As Maestro spells it")]
pub struct MaestroSpellings {
    /// Tags, with commas between them: --tag
    #[arg(long, value_name = "TAGS", value_delimiter = ',', add = completions::tags())]
    include_tags: Vec<String>,
    /// Tags, with commas between them: --exclude-tag
    #[arg(long, value_name = "TAGS", value_delimiter = ',', add = completions::tags())]
    exclude_tags: Vec<String>,
    /// A file in place of config.yaml of workspaces of Maestro's
    #[arg(long, value_name = "FILE")]
    config: Option<Utf8PathBuf>,
    /// Where the report of --format goes
    #[arg(long, value_name = "PATH", requires = "format")]
    output: Option<Utf8PathBuf>,
    /// Each flow once, spread over N devices: --spread
    #[arg(long, value_name = "N", conflicts_with_all = ["shard_all", "spread"], value_parser = clap::value_parser!(u16).range(1..=64))]
    shard_split: Option<u16>,
    /// Every flow on each of N devices: --spread=false
    #[arg(long, value_name = "N", conflicts_with = "spread", value_parser = clap::value_parser!(u16).range(1..=64))]
    shard_all: Option<u16>,
}

impl MaestroSpellings {
    /// Tags that are wanted, and those that are not.
    pub(super) fn tags(&self) -> (&[String], &[String]) {
        (&self.include_tags, &self.exclude_tags)
    }

    /// Puts what is said here into `overrides`.
    pub(super) fn apply(&self, format: Option<Format>, overrides: &mut Overrides) {
        overrides.maestro_config.clone_from(&self.config);
        match format {
            Some(Format::Junit) => {
                let file = self.output.clone();
                overrides.junit = file.or_else(|| Some(Utf8PathBuf::from("report.xml")));
            }
            Some(Format::Html) => overrides.html.clone_from(&self.output),
            _ => {}
        }
        let names = overrides.devices.iter().flat_map(|names| names.split(','));
        overrides.devices = names.map(str::to_owned).collect();
        let Some(number) = self.shard_split.or(self.shard_all) else {
            return;
        };
        overrides.spread = Some(self.shard_split.is_some());
        // The built-in device can be had as often as it is asked for.
        if let [only] = overrides.devices.as_slice()
            && only == "virtual"
        {
            overrides.devices = vec![only.clone(); usize::from(number)];
        }
    }

    /// What does not go together.
    ///
    /// # Errors
    /// [`CliError::Usage`].
    pub(super) fn check(&self, format: Option<Format>, is_list: bool) -> Result<(), CliError> {
        let wrong = match format {
            Some(Format::List(_)) if !is_list => "--format text and --format json need --list",
            Some(Format::Junit | Format::Html | Format::Noop) if is_list => {
                "--list prints --format text or --format json"
            }
            Some(Format::Html) => match &self.output {
                Some(path) if path.extension().is_none() => return Ok(()),
                _ => "the HTML report is a folder: --format html --output DIR, or --html DIR",
            },
            _ => return Ok(()),
        };
        Err(CliError::Usage(wrong.to_owned()))
    }
}
