//! `runner review`.

use camino::Utf8PathBuf;
use clap::Args;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::review::terminal::{ImagesChoice, Options};
use crate::review::{self, Review};

/// Arguments of `runner review`.
#[derive(Debug, Args)]
pub struct ReviewArguments {
    /// Review in a browser instead of the terminal
    #[arg(long)]
    web: bool,
    /// Port of the page [default: a free one]
    #[arg(long, value_name = "PORT", requires = "web")]
    port: Option<u16>,
    /// Print the page's address, open no browser
    #[arg(long, requires = "web")]
    no_open: bool,
    /// How the terminal shows pictures
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "HOW",
        conflicts_with = "web"
    )]
    images: ImagesChoice,
    /// First take what another run left: a ZIP archive of its artifacts, or their folder
    #[arg(long, value_name = "FILE|DIR")]
    from: Option<Utf8PathBuf>,
}

/// Reviews goldens.
pub fn run(arguments: &ReviewArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    let review = Review::open(&config)?;
    if let Some(archive) = &arguments.from {
        let imported = review::import(&config.store(), archive)?;
        output::note(&format!(
            "{} snapshots taken from {archive}",
            imported.keys.len()
        ));
    }
    let _ = (arguments.web, arguments.port, arguments.no_open);
    if review.queue()?.is_empty() {
        output::note("nothing to review");
        return Ok(ExitCode::Passed);
    }
    if !(context.stdout_is_terminal && context.stderr_is_terminal) {
        output::note(
            "accept with `runner accept KEY…` or `--all`, reject with `runner reject KEY…` or `--all`; `runner review --web` shows a page",
        );
        return Ok(ExitCode::Usage);
    }
    review::terminal::run(&review, &Options::of(context, arguments.images))?;
    Ok(ExitCode::Passed)
}
