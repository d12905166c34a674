//! Lists the project's flows: the tool `runner_list_flows` and the resource `runner://flows`.

use std::collections::BTreeSet;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{AgentTool, Workspace, flow_files};
use runner_config::Config;
use runner_flow::{DiscoverError, discover, is_flow};
use runner_run::{Filter, Plan, PlanError};
use runner_text::percent::encoded;
use runner_tools::{Effect, Failure, Outcome, Progress, blocking};

pub(super) struct ListFlows;

/// Arguments of `runner_list_flows`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Only flows with this tag.
    tag: Option<String>,
}

impl AgentTool for ListFlows {
    const NAME: &'static str = "runner_list_flows";
    const SUMMARY: &'static str =
        "Lists the project's flows: path, name, app, tags, and which do not read.";
    const HELP: &'static str =
        "Read one: resource runner://flows/PATH. Names with `_` first are sub-flows for `run:`.";
    const EFFECT: Effect = Effect::Reads;
    const SHARES_DEVICE: bool = false;

    type Args = Args;

    async fn call(
        workspace: &Workspace,
        args: Args,
        _progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let index = Index::read(workspace, args.tag).await?;
        Ok(Outcome::value(index.text(), index.value()))
    }
}

/// Flows of a project, with those that do not parse.
pub(super) struct Index {
    plan: Plan,
    /// Paths of sub-flows, which run only as parts of others.
    sub_flows: Vec<String>,
    /// Message about the first folder or file of the settings that is not there.
    missing: Option<String>,
}

impl Index {
    /// Reads all flows, or those with a tag, and lists all sub-flows, whatever their tags. A project without flows, a
    /// tag that none has, and settings that name a missing folder, even beside others, give an index without flows.
    ///
    /// # Errors
    /// The settings name a folder without flows beside others, or one that cannot be read.
    pub(super) async fn read(workspace: &Workspace, tag: Option<String>) -> Result<Self, Failure> {
        let config = workspace.config.clone();
        // On a thread for blocking work: a large project takes a while.
        blocking(move || Self::read_blocking(&config, tag)).await?
    }

    /// Reads as [`Self::read`] does. Blocks.
    fn read_blocking(config: &Config, tag: Option<String>) -> Result<Self, Failure> {
        let filter = Filter {
            tags: tag.into_iter().collect(),
            ..Filter::default()
        };
        let mut missing = None;
        let plan = match Plan::read(config, &filter) {
            Ok(plan) => plan,
            Err(PlanError::Discover(DiscoverError::Missing(path))) => {
                let shown = flow_files::display_below(&config.root, &path.path);
                missing = Some(format!(
                    "`{shown}`: there is no such file or folder{}",
                    path.near
                ));
                Plan::default()
            }
            Err(PlanError::NoTag { .. } | PlanError::Discover(DiscoverError::None(_))) => {
                Plan::default()
            }
            Err(error) => return Err(Failure::usage(error.to_string())),
        };
        Ok(Self {
            plan,
            sub_flows: sub_flows(config),
            missing,
        })
    }

    /// Returns the packages of the apps that flows are for, sorted, each once. Sub-flows do not count, nor do packages
    /// that an expression decides.
    pub(super) fn apps(&self) -> BTreeSet<String> {
        let apps = self.plan.flows().filter_map(|flow| flow.app.clone());
        apps.filter(|app| !app.contains("${")).collect()
    }

    /// Lists one file a line: flows, those that do not read, and sub-flows. If there is none, or a folder of the
    /// settings is not there, the text says so and what to do.
    fn text(&self) -> String {
        let mut lines = Vec::new();
        if let Some(missing) = &self.missing {
            lines.push(format!(
                "{missing}\nso no flow is listed: write one there with runner_save_flow, or correct `flows` in runner.yaml"
            ));
        }
        for flow in self.plan.flows() {
            let mut line = format!("{}  {}", flow.source.path, flow.name);
            if let Some(app) = &flow.app {
                line.push_str(&format!("  app {app}"));
            }
            if !flow.tags.is_empty() {
                line.push_str(&format!("  [{}]", flow.tags.join(", ")));
            }
            lines.push(line);
        }
        for (path, diagnostics) in &self.plan.unreadable {
            let errors = flow_files::count(flow_files::errors(diagnostics), "error");
            lines.push(format!(
                "{path}  does not read: {errors}; runner_lint_flow says which"
            ));
        }
        for path in &self.sub_flows {
            lines.push(format!("{path}  sub-flow, for `run:`"));
        }
        if lines.is_empty() {
            return "there are no flows yet; write one with runner_save_flow".to_owned();
        }
        lines.join("\n")
    }

    /// Returns the index as JSON: flows, unreadable files with their errors, and sub-flows. The steps of setup
    /// and teardown count too, those of `on_failure` and nested steps do not. `cases` is there only for a flow
    /// with cases, and `missing` only for a folder that is not there.
    pub(super) fn value(&self) -> Value {
        let flows: Vec<Value> = self
            .plan
            .flows()
            .map(|flow| {
                let mut reported = json!({
                    "path": flow.source.path,
                    "uri": uri(&flow.source.path),
                    "name": flow.name,
                    "app": flow.app,
                    "tags": flow.tags,
                    "steps": flow.setup.len() + flow.steps.len() + flow.teardown.len(),
                });
                if !flow.cases.is_empty() {
                    reported["cases"] = flow.cases.len().into();
                }
                reported
            })
            .collect();
        let unreadable: Vec<Value> = self
            .plan
            .unreadable
            .iter()
            .map(|(path, diagnostics)| {
                json!({ "path": path, "errors": flow_files::errors(diagnostics) })
            })
            .collect();
        let mut index =
            json!({ "flows": flows, "unreadable": unreadable, "sub_flows": self.sub_flows });
        if let Some(missing) = &self.missing {
            index["missing"] = missing.as_str().into();
        }
        index
    }
}

/// Returns the URI of a flow's resource. Its path is escaped, as the reader decodes it.
fn uri(path: &Utf8Path) -> String {
    format!("runner://flows/{}", encoded(path.as_str(), b"/"))
}

/// Returns the paths of all flows and sub-flows relative to the root, sorted, without reading the files. If there are
/// no flows, or the settings name a missing folder, only sub-flows are in it.
pub(super) fn paths(config: &Config) -> Result<BTreeSet<String>, Failure> {
    let mut all: BTreeSet<String> = sub_flows(config).into_iter().collect();
    match discover(&config.flow_paths(), &config.root) {
        Ok(files) => {
            let shown = files
                .iter()
                .map(|file| flow_files::display_below(&config.root, file));
            all.extend(shown);
        }
        Err(DiscoverError::None(_) | DiscoverError::Missing(_)) => {}
        Err(error) => return Err(Failure::usage(error.to_string())),
    }
    Ok(all)
}

/// Returns the sorted paths of sub-flows, relative to the root: files whose name, or a folder of it below the folder of
/// flows, begins with `_`. Discovery leaves them out. Skips hidden files and folders, what cannot be read, and all that
/// is more than 32 folders deep.
fn sub_flows(config: &Config) -> Vec<String> {
    let root = &config.root;
    let mut found = Vec::new();
    for folder in flow_files::folders(config) {
        let entries = walkdir::WalkDir::new(root.join(&folder))
            .max_depth(32)
            .into_iter()
            .filter_entry(|entry| {
                // A name that is not Unicode is skipped like a hidden one.
                let name = entry.file_name().to_str().unwrap_or(".");
                // The folder itself may be hidden, as the settings name it.
                entry.depth() == 0 || !name.starts_with('.')
            });
        for entry in entries.filter_map(Result::ok) {
            let Some(path) = camino::Utf8Path::from_path(entry.path()) else {
                continue;
            };
            let below = path.strip_prefix(root.join(&folder)).unwrap_or(path);
            // A folder whose name begins with `_` holds sub-flows only.
            let is_sub_flow = below
                .components()
                .any(|part| part.as_str().starts_with('_'));
            if is_sub_flow && is_flow(path) && entry.file_type().is_file() {
                found.push(flow_files::display_below(root, path));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the app that the flow at `path` names. `None` if the file does not parse or names none.
pub(super) fn flow_app(workspace: &Workspace, path: &camino::Utf8Path) -> Option<String> {
    let (flow, _) = runner_flow::read_flow(path, &workspace.config.read_options());
    flow?.app
}
