//! `runner studio`: serves the live page of a device.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use tokio_util::sync::CancellationToken;

use super::error::CliError;
use super::output;
use super::page::Page;
use super::selection::DeviceSelection;
use crate::access::Access;
use crate::agent::{CallWatch, Workspace};
use crate::config::Config;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::mcp::{DialectOptions, DialectToolbox, mcp_routes};
use crate::run::Connection;
use crate::snapshot::UpdateMode;
use crate::studio::{self, AgentRoutes, Agents, FlowFile, SavedRun};

#[derive(Debug, Args)]
pub struct StudioArguments {
    #[command(flatten)]
    device: DeviceSelection,
    /// Port of the page [default: a free one]
    #[arg(id = "page-port", long = "port", value_name = "PORT")]
    port: Option<u16>,
    /// Print the page's address, open no browser
    #[arg(long)]
    no_open: bool,
    /// The flow to write; it need not exist [default: one without a name, until it is saved]. Or a saved run, without a
    /// device: an event stream (.ndjson), an archive (.zip), a folder of streams, or an HTML report's folder
    #[arg(value_name = "FLOW|RUN")]
    flow: Option<Utf8PathBuf>,
}

/// Serves the page, and MCP for agents at its address, until Ctrl-C, which is a success. Opens it in a browser unless
/// `--no-open` is given. The named file may be a flow, which need not exist, or a saved run, which needs no device; for
/// any other path nothing is served, and an error is returned. Goldens stay as they are, whatever `update` is set to.
/// At the end a running flow is waited for, at most 45 s, and the device's settings are restored.
pub fn run(arguments: &StudioArguments, context: &Context) -> Result<ExitCode, CliError> {
    let mut overrides = arguments.device.overrides();
    // Whatever the environment says: on the page a golden changes only where a person accepts it.
    overrides.settings.update = Some(UpdateMode::Pending);
    let config = Config::resolve(context, &overrides)?.with_notifier(output::note);
    super::config::report_doubts(&config, context);
    arguments.device.check_apps(&context.working_folder)?;
    let wrong = |error: studio::StudioError| CliError::Usage(error.to_string());
    let here = &context.working_folder;
    let flow = arguments.flow.as_deref();
    let saved = flow.map(|path| (path, here.join(path)));
    let saved = saved.filter(|(_, path)| studio::is_saved_run(path));
    let saved = saved
        .map(|(displayed, path)| {
            let run = SavedRun::open(&path, displayed.as_str(), &config.root);
            run.map_err(|error| no_run(displayed, &path, &error))
        })
        .transpose()?;
    let flow = flow.filter(|_| saved.is_none());
    let file = FlowFile::open(&config, here, flow).map_err(wrong)?;
    let connection = Connection::to_each(&config, "runner studio");
    let workspace = Arc::new(Workspace::on(connection, config, context.clone(), false));
    super::runtime::runtime()?.block_on(async {
        let (port, opens) = (arguments.port.unwrap_or(0), !arguments.no_open);
        let mut requests = crate::interrupt::Requests::new()?;
        let (page, listener) = Page::announce("Studio", port, opens, context).await?;
        let stop = CancellationToken::new();
        let beside = agent_routes(&workspace, page.keys().token, &stop);
        let served = studio::serve(
            Arc::clone(&workspace),
            file,
            saved,
            listener,
            page.keys(),
            beside,
            stop.clone(),
        );
        tokio::pin!(served);
        tokio::select! {
            ended = &mut served => return Ok(ended?),
            requested = requests.next() => requested?,
        }
        stop.cancel();
        served.await?;
        // A run that was cut off still has its teardown to run and settings to put back.
        workspace.wait_for_idle().await;
        // Restores the device's settings, as after a run.
        for left in workspace.connection.restore().await {
            output::note(&left);
        }
        Ok::<(), CliError>(())
    })?;
    Ok(ExitCode::Passed)
}

/// Returns the usage error for a path that is no saved run, with the message of `error`. For a folder of flows it
/// also names the first of them.
fn no_run(displayed: &Utf8Path, path: &Utf8Path, error: &studio::StudioError) -> CliError {
    let flows = crate::flow::discover(&[path.to_owned()], path).unwrap_or_default();
    let first = flows.first().filter(|_| path.is_dir());
    let first = first.and_then(|flow| flow.strip_prefix(path).ok());
    CliError::Usage(match first {
        Some(flow) => format!(
            "{error}. The studio opens one flow: `runner studio {}`",
            displayed.join(flow)
        ),
        None => error.to_string(),
    })
}

/// Returns the routes of the MCP server at `/mcp`, with all tools of the default dialect, and the counter of
/// agents' calls. It takes the page's token, as `runner mcp --http` takes its own. The routes end with `stop`.
fn agent_routes(workspace: &Arc<Workspace>, token: &str, stop: &CancellationToken) -> AgentRoutes {
    let agents = Arc::<Agents>::default();
    let watch: Arc<dyn CallWatch> = Arc::clone(&agents) as _;
    let toolbox = DialectToolbox::new(Arc::clone(workspace), DialectOptions::default());
    let toolbox = Arc::new(toolbox.watched_by(watch));
    let routes = mcp_routes(toolbox, Access::with_token(token), stop.child_token());
    AgentRoutes { agents, routes }
}
