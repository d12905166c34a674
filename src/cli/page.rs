//! Page of `runner review --web` and `runner studio`: its token, its address, and opening it in a browser.

use std::net::Ipv4Addr;

use tokio::net::TcpListener;

use super::error::CliError;
use super::{browser, output};
use crate::access::random_token;
use crate::context::Context;
use runner_pages::Keys;

/// Secrets of a page that is about to be served.
pub struct Page {
    token: String,
    code: String,
}

impl Page {
    /// Listens on 127.0.0.1 and prints `NAME at ADDRESS` with the token to standard output. Opens a browser, with the
    /// code in place of the token, if `wanted`. Port 0 takes a free one; a taken port is an error, but that no browser
    /// opens is only a note. Returns the token and the code that the server must accept, and the listener, which
    /// accepts no connection yet.
    pub async fn announce(
        name: &str,
        port: u16,
        wanted: bool,
        context: &Context,
    ) -> Result<(Self, TcpListener), CliError> {
        let random = || {
            random_token()
                .map_err(|error| CliError::Failed(format!("no random token for the page: {error}")))
        };
        let (token, code) = (random()?, random()?);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .await
            .map_err(|error| {
                CliError::Failed(format!(
                    "cannot listen at 127.0.0.1:{port}: {error}. Leave `--port` out to take a free one"
                ))
            })?;
        let page = format!("http://{}/", listener.local_addr()?);
        output::line(&format!("{name} at {page}?token={token}"));
        output::note("Ctrl-C ends it.");
        // The token would stand on the browser's command line for as long as that runs.
        if wanted && let Err(why) = browser::open(&format!("{page}?code={code}"), context) {
            output::note(&format!(
                "No browser opened, as {why}; open the address yourself."
            ));
        }
        Ok((Self { token, code }, listener))
    }

    /// Returns the token and the code by which a browser may open the page.
    pub fn keys(&self) -> Keys<'_> {
        Keys {
            token: &self.token,
            code: &self.code,
        }
    }
}
