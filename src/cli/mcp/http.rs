//! `runner mcp --http`: resolves the addresses, and serves with tokens and a list of allowed hosts.

use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use tokio::net::{TcpListener, lookup_host};
use tokio_util::sync::CancellationToken;

use super::served_tools::ServedTools;
use super::token::{TOKEN_VARIABLE, TokenArguments};
use crate::access::Access;
use crate::agent::Workspace;
use crate::cli::error::CliError;
use crate::cli::output;
use crate::context::Context;
use crate::mcp::{ToolSubset, serve_http};

/// Tries to find two free ports side by side. Chosen: each fails only if somebody has the next port, so this
/// many failures mean another problem.
const MAX_PORT_TRIES: u32 = 20;

/// Default port. Chosen freely, but documented and written into clients' configurations. The tools of the
/// mobile-agent dialect that act are at the next port.
pub(super) const DEFAULT_PORT: u16 = 8020;

/// Arguments for serving over HTTP.
#[derive(Debug, Args)]
pub(super) struct HttpArguments {
    /// Serve over HTTP at HOST:PORT, PORT or HOST [default: 127.0.0.1:8020]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "")]
    http: Option<Address>,
    #[command(flatten)]
    tokens: TokenArguments,
    /// Serve other machines too; the connection is not encrypted
    #[arg(long, requires = "http")]
    allow_remote: bool,
    /// Name by which clients reach this server; may be given several times
    #[arg(long = "allowed-host", value_name = "NAME", requires = "http")]
    allowed_hosts: Vec<String>,
}

/// Address to listen at, as the command line gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// Host name or IP address, without brackets.
    pub host: String,
    /// Port, or `None` for the default.
    pub port: Option<u16>,
}

impl FromStr for Address {
    type Err = CliError;

    /// Parses a port, a host, or both; an IPv6 host with a port stands in brackets. A missing host is `127.0.0.1`,
    /// also in an empty text; a missing port stays `None`. An error only for a port that is none. Hosts are not
    /// looked up.
    fn from_str(text: &str) -> Result<Self, CliError> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (host, port) = match text.rsplit_once(':') {
            _ if is_number => ("", Some(text)),
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (text, None),
        };
        let port = port
            .map(|port| {
                port.parse().map_err(|_| {
                    let wrong = format!("`{port}` is not a port; write HOST:PORT, PORT or HOST");
                    CliError::Usage(wrong)
                })
            })
            .transpose()?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Ok(Self {
            host: if host.is_empty() { "127.0.0.1" } else { host }.to_owned(),
            port,
        })
    }
}

impl HttpArguments {
    /// Returns the address to listen at, if HTTP is wanted at all.
    pub fn address(&self) -> Option<&Address> {
        self.http.as_ref()
    }

    /// Looks up the address to listen at; of several, the first. Without a port it is [`DEFAULT_PORT`].
    ///
    /// # Errors
    /// Returns an error for an unknown host, an address that other machines reach without `--allow-remote`, or a
    /// wildcard address without `--allowed-host`. Listens nowhere.
    async fn resolved(&self, address: &Address) -> Result<SocketAddr, CliError> {
        let port = address.port.unwrap_or(DEFAULT_PORT);
        let found = lookup_host((address.host.as_str(), port))
            .await
            .map_err(|error| CliError::Usage(format!("no host `{}`: {error}", address.host)))?
            .next()
            .ok_or_else(|| CliError::Usage(format!("no host `{}`", address.host)))?;
        if !found.ip().is_loopback() && !self.allow_remote {
            return Err(CliError::Usage(format!(
                "other machines reach `{}`. If that is meant, add `--allow-remote` and `--allowed-host NAME` with the \
                 name they use; else leave the host out",
                address.host
            )));
        }
        if found.ip().is_unspecified() && self.allowed_hosts.is_empty() {
            return Err(CliError::Usage(format!(
                "`{}` stands for all addresses of this machine. Say by which name clients reach it: \
                 `--allowed-host NAME`",
                address.host
            )));
        }
        Ok(found)
    }
}

/// Serves until `stop` is cancelled, at one address, or at two if the tools that act have their own; requests in
/// progress then have 3 s. Prints the addresses to standard output, and the token to standard error if it is a new one.
/// Returns an error, and serves nothing, if a token, an address or a port cannot be used; if one of two servers fails,
/// both end.
pub(super) async fn serve(
    arguments: &HttpArguments,
    address: &Address,
    offer: &ServedTools,
    workspace: &Arc<Workspace>,
    context: &Context,
    stop: &CancellationToken,
) -> Result<(), CliError> {
    let tokens = arguments.tokens.read(context, offer.has_two_addresses())?;
    let first = arguments.resolved(address).await?;
    let mut endpoints = Vec::new();
    if offer.has_two_addresses() {
        // Both listen before either serves: if one port is taken, nothing is served.
        let (data, action) = listen_side_by_side(first).await?;
        endpoints.push((data, ToolSubset::Data, " (data)"));
        endpoints.push((action, ToolSubset::Action, " (action)"));
    } else {
        endpoints.push((listen(first).await?, ToolSubset::All, ""));
    }

    let access = |part: ToolSubset| {
        let own = tokens
            .action
            .as_ref()
            .filter(|_| part == ToolSubset::Action);
        let access =
            Access::with_token(own.unwrap_or(&tokens.token)).under(arguments.allowed_hosts.clone());
        // A wildcard address is no name of the machine: only allowed names count.
        if first.ip().is_unspecified() {
            return access;
        }
        // Clients may use the name that was asked for or the number that it stands for.
        access.under([host(first), address.host.clone()])
    };
    let mut servers = tokio::task::JoinSet::new();
    for (listener, part, name) in endpoints {
        let bound = listener.local_addr()?;
        output::line(&format!("MCP server{name} at http://{bound}/mcp"));
        let toolbox = offer.toolbox(workspace, part);
        servers.spawn(serve_http(listener, toolbox, access(part), stop.clone()));
    }
    if tokens.is_new {
        output::note(&format!(
            "token: {}\nClients send it as `Authorization: Bearer TOKEN`; `--token-file` or {TOKEN_VARIABLE} names \
             one that lasts.",
            tokens.token
        ));
    }
    while let Some(ended) = servers.join_next().await {
        ended.map_err(std::io::Error::other)??;
    }
    Ok(())
}

/// Listens at two ports, the second one higher by 1, as clients of the mobile-agent dialect expect. If the system
/// may choose the first (port 0), tries at most [`MAX_PORT_TRIES`] times; a port that was named is tried once.
/// Returns the error of the last try, and an error for port 65535.
async fn listen_side_by_side(first: SocketAddr) -> Result<(TcpListener, TcpListener), CliError> {
    let mut tries = 0;
    loop {
        let data = listen(first).await?;
        let port = data.local_addr()?.port().checked_add(1);
        let action = match port {
            Some(port) => listen(SocketAddr::new(first.ip(), port)).await,
            None => Err(CliError::Usage(
                "the port after 65535 is wanted too; take a lower one".to_owned(),
            )),
        };
        tries += 1;
        match action {
            Ok(action) => return Ok((data, action)),
            // The system chose the first port, and may choose one whose neighbour is free.
            Err(_) if first.port() == 0 && tries < MAX_PORT_TRIES => {}
            Err(error) => return Err(error),
        }
    }
}

/// Listens at the address, of which port 0 takes a free one; the error says how to choose another port.
async fn listen(address: SocketAddr) -> Result<TcpListener, CliError> {
    TcpListener::bind(address).await.map_err(|error| {
        CliError::Failed(format!(
            "cannot listen at {address}: {error}. Another server may run there; `--http HOST:PORT` names another port, \
             and port 0 takes a free one"
        ))
    })
}

/// Formats an address as the header `Host` has it, without the port: IPv6 in brackets.
fn host(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_short_or_whole() {
        for (text, host, port) in [
            ("", "127.0.0.1", None),
            ("8020", "127.0.0.1", Some(8020)),
            (":9000", "127.0.0.1", Some(9000)),
            ("127.0.0.1:0", "127.0.0.1", Some(0)),
            ("localhost", "localhost", None),
            ("[::1]:8020", "::1", Some(8020)),
            ("::1", "::1", None),
            ("[::1]", "::1", None),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(
                (address.host.as_str(), address.port),
                (host, port),
                "{text}"
            );
        }
        for wrong in ["localhost:", "localhost:http", "localhost:70000", "70000"] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
    }
}
