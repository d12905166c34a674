//! `runner mcp`: serves agents. `runner mcp config` prints what their programs need to connect.

mod config;
mod http;
mod served_tools;
mod token;

use std::time::Duration;

use clap::{Args, Subcommand};
use tokio_util::sync::CancellationToken;

use self::served_tools::ServedTools;
use super::error::CliError;
use super::output;
use super::runtime::runtime;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::interrupt;
use crate::mcp::{ToolSet, ToolSubset, serve_stdio};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct McpArguments {
    #[command(subcommand)]
    command: Option<McpCommand>,
    #[command(flatten)]
    offer: ServedTools,
    #[command(flatten)]
    http: http::HttpArguments,
}

/// What `runner mcp` does besides serving.
#[derive(Debug, Subcommand)]
enum McpCommand {
    /// Print the configuration that connects a client with this server
    Config(config::ConfigArguments),
}

/// Serves agents until they disconnect or the process is asked to stop, on standard input and output or over HTTP. Then
/// waits at most 45 s for a running flow to end, restores the device's settings and closes the recording; what fails
/// there is only printed. `runner mcp config` only prints a configuration.
pub fn run(arguments: &McpArguments, context: &Context) -> Result<ExitCode, CliError> {
    if let Some(McpCommand::Config(arguments)) = &arguments.command {
        return config::run(arguments, context);
    }
    if arguments.offer.no_agent_tools && arguments.offer.tools == ToolSet::Lean {
        let message = "`--tools lean` are tools named `runner_…`; leave `--no-agent-tools` out";
        return Err(CliError::Usage(message.to_owned()));
    }
    let workspace = arguments.offer.workspace(context)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let mut requests = interrupt::Requests::new()?;
        let stop = CancellationToken::new();
        let serving = async {
            match arguments.http.address() {
                Some(address) => {
                    http::serve(
                        &arguments.http,
                        address,
                        &arguments.offer,
                        &workspace,
                        context,
                        &stop,
                    )
                    .await
                }
                None => {
                    let toolbox = arguments.offer.toolbox(&workspace, ToolSubset::All);
                    Ok(serve_stdio(toolbox, stop.clone()).await?)
                }
            }
        };
        let stopping = async {
            requests.next().await?;
            stop.cancel();
            // Never completes: `serving` ends once `stop` is cancelled.
            std::future::pending::<Result<(), CliError>>().await
        };
        let served = tokio::select! {
            served = serving => served,
            failed = stopping => failed,
        };
        // A flow that was cut off still has its teardown to run and settings to put back.
        workspace.wait_for_idle().await;
        served
    });
    if let Some(problem) = runtime.block_on(workspace.recorder.close(&workspace.connection)) {
        output::error(&problem);
    }
    // A read of standard input cannot be interrupted; it must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_millis(500));
    served.map(|()| ExitCode::Passed)
}
