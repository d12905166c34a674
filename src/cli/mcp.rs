//! `runner mcp`: serves agents. `runner mcp config` prints what their programs need to connect.

mod config;
mod http;
mod token;

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use tokio_util::sync::CancellationToken;

use super::error::CliError;
use super::output;
use super::runtime::runtime;
use super::selection::DeviceSelection;
use super::values::one_of;
use crate::agent::Workspace;
use crate::config::Config;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::interrupt;
use crate::mcp::{Dialect, DialectOptions, DialectToolbox, Slug, ToolSet, ToolSubset, serve_stdio};
use runner_base::output_file::{Form, OutputFile};

/// Arguments of `runner mcp`.
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

fn dialect() -> impl TypedValueParser<Value = Dialect> {
    one_of(&Dialect::ALL, Dialect::name, |dialect| match dialect {
        Dialect::Android => "The Android tools: `android_tap`, …",
        Dialect::MobileAgent => "The mobile-agent tools: `tap`, `click_control`, …",
        Dialect::Semantic => "The semantic-UI tools: `click`, `toggle`, …",
        Dialect::Scenario => "The scenario tools: `tap`, `verifyElementVisible`, …",
    })
}

fn tool_set() -> impl TypedValueParser<Value = ToolSet> {
    one_of(&ToolSet::ALL, ToolSet::name, |tools| match tools {
        ToolSet::All => "The dialect's, and those named `runner_…`",
        ToolSet::Lean => "Sixteen named `runner_…`, whatever the dialect",
    })
}

/// What is served, on which device.
#[derive(Debug, Clone, Args)]
struct ServedTools {
    #[command(flatten)]
    device: DeviceSelection,
    /// Which tools, under which names
    #[arg(long, default_value = Dialect::default().name(), value_parser = dialect())]
    dialect: Dialect,
    /// How many tools: all, or the sixteen that cost an agent least, whatever the dialect
    #[arg(long, default_value = ToolSet::default().name(), value_parser = tool_set())]
    tools: ToolSet,
    /// Name of the device within the Android tools' names: `android_SLUG_tap`
    #[arg(long, value_name = "SLUG")]
    slug: Option<Slug>,
    /// Folder of the project [default: the working folder]
    #[arg(long, value_name = "DIR")]
    project: Option<Utf8PathBuf>,
    /// Leave out the tools named `runner_…`
    #[arg(long)]
    no_agent_tools: bool,
    /// Write what is done as a flow, anew after each call; a file that is there is replaced by the first step
    #[arg(long, value_name = "FILE")]
    record: Option<Utf8PathBuf>,
    /// Agents may accept snapshots
    #[arg(long)]
    allow_accept: bool,
}

impl ServedTools {
    /// Returns the environment with the folder of `--project` as working folder; unchanged without it.
    fn context(&self, context: &Context) -> Context {
        let mut context = context.clone();
        if let Some(project) = &self.project {
            context.working_folder = context.working_folder.join(project);
        }
        context
    }

    fn workspace(&self, context: &Context) -> Result<Arc<Workspace>, CliError> {
        let context = self.context(context);
        if !context.working_folder.is_dir() {
            let folder = &context.working_folder;
            return Err(CliError::Usage(format!(
                "`--project {folder}`: there is no such folder"
            )));
        }
        let config =
            Config::resolve(&context, &self.device.overrides())?.with_notifier(output::note);
        let record = self.record.as_ref().map(|file| {
            OutputFile::new(&context.working_folder, file, Form::Recording, "--record")
        });
        let record = record.transpose()?;
        let workspace = Workspace::new(config, context, self.allow_accept);
        if let Some(file) = &record {
            workspace.recorder.keep_in(file.path().to_owned());
        }
        Ok(Arc::new(workspace))
    }

    /// Returns true if the tools that look and those that act have an address each.
    fn has_two_addresses(&self) -> bool {
        self.dialect == Dialect::MobileAgent && self.tools == ToolSet::All
    }

    fn toolbox(&self, workspace: &Arc<Workspace>, part: ToolSubset) -> Arc<DialectToolbox> {
        let options = DialectOptions {
            dialect: self.dialect,
            part,
            slug: self.slug.clone(),
            tools: self.tools,
            no_agent_tools: self.no_agent_tools,
        };
        Arc::new(DialectToolbox::new(Arc::clone(workspace), options))
    }
}

/// Serves agents until they disconnect or the process is asked to stop, on standard input and output or over
/// HTTP. Then waits until a running flow has ended and restores the device's settings. `runner mcp config`
/// only prints a configuration.
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
