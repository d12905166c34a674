//! Tools that `runner mcp` serves, on which device.

use std::sync::Arc;

use camino::Utf8PathBuf;
use clap::Args;
use clap::builder::TypedValueParser;

use crate::agent::Workspace;
use crate::cli::error::CliError;
use crate::cli::output;
use crate::cli::selection::DeviceSelection;
use crate::cli::values::one_of;
use crate::config::Config;
use crate::context::Context;
use crate::mcp::{Dialect, DialectOptions, DialectToolbox, Slug, ToolSet, ToolSubset};
use runner_base::output_file::{Form, OutputFile};

/// Returns the parser of the dialects, each with its help.
fn dialect() -> impl TypedValueParser<Value = Dialect> {
    one_of(&Dialect::ALL, Dialect::name, |dialect| match dialect {
        Dialect::Android => "The Android tools: `android_tap`, …",
        Dialect::MobileAgent => "The mobile-agent tools: `tap`, `click_control`, …",
        Dialect::Semantic => "The semantic-UI tools: `click`, `toggle`, …",
        Dialect::Scenario => "The scenario tools: `tap`, `verifyElementVisible`, …",
    })
}

/// Returns the parser of the tool sets, each with its help.
fn tool_set() -> impl TypedValueParser<Value = ToolSet> {
    one_of(&ToolSet::ALL, ToolSet::name, |tools| match tools {
        ToolSet::All => "The dialect's, and those named `runner_…`",
        ToolSet::Lean => "Sixteen named `runner_…`, whatever the dialect",
    })
}

/// What is served, on which device.
#[derive(Debug, Clone, Args)]
pub(super) struct ServedTools {
    #[command(flatten)]
    pub(super) device: DeviceSelection,
    /// Which tools, under which names
    #[arg(long, default_value = Dialect::default().name(), value_parser = dialect())]
    pub(super) dialect: Dialect,
    /// How many tools: all, or the sixteen that cost an agent least, whatever the dialect
    #[arg(long, default_value = ToolSet::default().name(), value_parser = tool_set())]
    pub(super) tools: ToolSet,
    /// Name of the device within the Android tools' names: `android_SLUG_tap`
    #[arg(long, value_name = "SLUG")]
    pub(super) slug: Option<Slug>,
    /// Folder of the project [default: the working folder]
    #[arg(long, value_name = "DIR")]
    pub(super) project: Option<Utf8PathBuf>,
    /// Leave out the tools named `runner_…`
    #[arg(long)]
    pub(super) no_agent_tools: bool,
    /// Write what is done as a flow, anew after each call; a file that is there is replaced by the first step
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<Utf8PathBuf>,
    /// Agents may accept snapshots
    #[arg(long)]
    pub(super) allow_accept: bool,
}

impl ServedTools {
    /// Returns the environment with the folder of `--project` as working folder; unchanged without it. The folder
    /// is not checked.
    pub(super) fn context(&self, context: &Context) -> Context {
        let mut context = context.clone();
        if let Some(project) = &self.project {
            context.working_folder = context.working_folder.join(project);
        }
        context
    }

    /// Opens the project's workspace, but no device, and records into a file if one is named. An error if the
    /// project's folder is missing, before any setting is read, if the settings do not read, if an app of `--app` is
    /// missing, or if the file of the recording would be lost.
    pub(super) fn workspace(&self, context: &Context) -> Result<Arc<Workspace>, CliError> {
        let context = self.context(context);
        if !context.working_folder.is_dir() {
            let folder = &context.working_folder;
            return Err(CliError::Usage(format!(
                "`--project {folder}`: there is no such folder"
            )));
        }
        let config =
            Config::resolve(&context, &self.device.overrides())?.with_notifier(output::note);
        self.device.check_apps(&context.working_folder)?;
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
    pub(super) fn has_two_addresses(&self) -> bool {
        self.dialect == Dialect::MobileAgent && self.tools == ToolSet::All
    }

    /// Creates the toolbox of a part of the tools, with these options, for all connections.
    pub(super) fn toolbox(
        &self,
        workspace: &Arc<Workspace>,
        part: ToolSubset,
    ) -> Arc<DialectToolbox> {
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
