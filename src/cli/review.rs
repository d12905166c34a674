//! `runner review`.

use std::net::Ipv4Addr;

use camino::Utf8PathBuf;
use clap::Args;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::error::CliError;
use super::{browser, output};
use crate::access::random_token;
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
    if arguments.web {
        return web(review, arguments, context);
    }
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

/// Serves the page until Ctrl-C.
fn web(
    review: Review,
    arguments: &ReviewArguments,
    context: &Context,
) -> Result<ExitCode, CliError> {
    let token = random_token()
        .map_err(|error| CliError::Failed(format!("no random token for the page: {error}")))?;
    super::runtime()?.block_on(async {
        let port = arguments.port.unwrap_or(0);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .await
            .map_err(|error| {
                CliError::Failed(format!(
                    "cannot listen at 127.0.0.1:{port}: {error}. Leave `--port` out to take a free one"
                ))
            })?;
        let address = format!("http://{}/?token={token}", listener.local_addr()?);
        output::line(&format!("Review at {address}"));
        output::note("Ctrl-C ends it.");
        if !arguments.no_open && !browser::open(&address, context) {
            output::note("No browser opened; open the address yourself.");
        }
        let stop = CancellationToken::new();
        let reviewed = || output::note("Everything is reviewed. The page goes on showing what comes; Ctrl-C ends it.");
        let served = review::web::serve(review, listener, &token, stop.clone(), reviewed);
        tokio::pin!(served);
        tokio::select! {
            ended = &mut served => return Ok(ended?),
            asked = super::interrupt::requested() => asked?,
        }
        stop.cancel();
        Ok::<(), CliError>(served.await?)
    })?;
    Ok(ExitCode::Passed)
}
