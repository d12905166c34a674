//! Flow files by the paths that agents give. One rule for all tools: a path leads from the root where it leads into a folder of
//! flows, else from the first such folder; never out of it.

use camino::{Utf8Path, Utf8PathBuf};

use super::Workspace;
use runner_config::Config;
use runner_flow::Flow;
use runner_run::PlanError;
use runner_text::diagnostic::{self, Diagnostic, Severity};
use runner_tools::paths::below;
use runner_tools::{Failure, blocking};

/// Largest text of a flow, in bytes; as for files.
const LARGEST: usize = 1024 * 1024;

/// Columns of rendered diagnostics.
const WIDTH: usize = 100;

/// The folders of flows, relative to the root. Of a pattern, the folder before its first special character.
pub fn folders(config: &Config) -> Vec<Utf8PathBuf> {
    let plain = |path: &Utf8PathBuf| -> Utf8PathBuf {
        path.components()
            .take_while(|part| !part.as_str().contains(['*', '?', '[', '{']))
            .collect()
    };
    let folder = |path: Utf8PathBuf| match path.parent() {
        Some(parent) if runner_flow::is_flow(&path) => parent.to_owned(),
        _ => path,
    };
    config.flows.value.iter().map(plain).map(folder).collect()
}

/// A path below the root, absolute. The path may be given absolute.
pub(super) fn below_root(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    below_root_of(&workspace.config, path)
}

fn below_root_of(config: &Config, path: &str) -> Result<Utf8PathBuf, Failure> {
    let root = &config.root;
    let given = Utf8Path::new(path);
    let relative = given.strip_prefix(root).unwrap_or(given);
    below(root, relative.as_str())
}

/// Why no flow is read, as an agent can act on it.
pub(super) fn not_found(error: &PlanError) -> Failure {
    match error {
        PlanError::Discover(error) => {
            Failure::usage(format!("{error}; runner_list_flows names the flows"))
        }
        PlanError::NoTag { .. }
        | PlanError::NoMatch { .. }
        | PlanError::NoHistory { .. }
        | PlanError::Workspace(_) => Failure::usage(error.to_string()),
    }
}

/// A path as it is shown: below the root, `/` as separator.
pub(super) fn display_path(workspace: &Workspace, path: &Utf8Path) -> String {
    display_below(&workspace.config.root, path)
}

/// A path as it is shown: below the root, with `/`.
pub fn display_below(root: &Utf8Path, path: &Utf8Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    below.as_str().replace('\\', "/")
}

/// What a path names by the one rule, absolute: always in a folder of flows. It need not exist.
pub(super) fn resolved(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    resolved_in(&workspace.config, path)
}

fn resolved_in(config: &Config, path: &str) -> Result<Utf8PathBuf, Failure> {
    let root = &config.root;
    let full = below_root_of(config, path)?;
    let folders = folders(config);
    for folder in &folders {
        let folder = root.join(folder);
        if let Ok(rest) = full.strip_prefix(&folder) {
            if rest.as_str().is_empty() {
                return Ok(full);
            }
            // Once more, below the folder of flows: no link in it may lead out of it.
            return below(&folder, rest.as_str());
        }
    }
    let first = root.join(folders.first().map_or("flows", |folder| folder.as_str()));
    let relative = full.strip_prefix(root).unwrap_or(&full);
    below(&first, relative.as_str())
}

/// What a path or pattern of flows to read names: by the one rule, or from the root where only there something is.
pub(super) fn to_read(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    let from_root = below_root(workspace, path)?;
    let inside = resolved(workspace, path)?;
    // Of a pattern, what stands before its first special character.
    let is_there = |full: &Utf8Path| {
        let rest = full.strip_prefix(&workspace.config.root).unwrap_or(full);
        let plain: Utf8PathBuf = rest
            .components()
            .take_while(|part| !part.as_str().contains(['*', '?', '[', '{']))
            .collect();
        workspace.config.root.join(plain).exists()
    };
    if is_there(&from_root) && !is_there(&inside) {
        return Ok(from_root);
    }
    Ok(inside)
}

/// The path of a flow file to write, absolute: by the one rule. It need not exist; without an ending it ends in `.yaml`.
pub(super) fn to_write(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    to_write_in(&workspace.config, path)
}

/// As [`to_write`], in the project of a configuration.
pub fn to_write_in(config: &Config, path: &str) -> Result<Utf8PathBuf, Failure> {
    let mut full = resolved_in(config, path)?;
    let is_folder = folders(config)
        .iter()
        .any(|folder| config.root.join(folder) == full);
    if full.extension().is_none() && !is_folder {
        full.set_extension("yaml");
    }
    if !is_flow_name(&full) {
        return Err(Failure::usage(format!(
            "`{path}` is not the name of a flow; flows end in `.yaml`, and `runner.yaml` and `app.yaml` are none"
        )));
    }
    Ok(full)
}

/// Whether a file of this name is a flow. Some file systems hold `Runner.yaml` for `runner.yaml`.
pub fn is_flow_name(path: &Utf8Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    runner_flow::is_flow(path)
        && !["runner", "app"]
            .iter()
            .any(|other| stem.eq_ignore_ascii_case(other))
        && !stem.starts_with('.')
}

/// Where a text is assumed to stand: below the root.
pub(super) fn assumed(workspace: &Workspace, path: Option<&str>) -> Result<Utf8PathBuf, Failure> {
    if let Some(path) = path {
        let full = to_read(workspace, path)?;
        return Ok(display_path(workspace, &full).into());
    }
    let folder = folders(&workspace.config).into_iter().next();
    Ok(folder.unwrap_or_default().join("untitled.yaml"))
}

/// Reads a flow that is not saved, away from the threads that serve other clients: a long one takes a while.
pub(super) async fn read_text_blocking(
    config: &Config,
    path: Utf8PathBuf,
    text: String,
) -> Result<(Option<Flow>, Vec<Diagnostic>), Failure> {
    let config = config.clone();
    blocking(move || read_text(&config, &path, &text)).await?
}

/// Reads a flow that is not saved.
pub fn read_text(
    config: &Config,
    path: &Utf8Path,
    text: &str,
) -> Result<(Option<Flow>, Vec<Diagnostic>), Failure> {
    if text.len() > LARGEST {
        return Err(Failure::usage(format!(
            "the text is larger than {LARGEST} bytes"
        )));
    }
    Ok(runner_flow::read_text(
        path,
        text.to_owned(),
        &config.read_options(),
    ))
}

/// Diagnostics with source line, marker and help.
pub(super) fn rendered(diagnostics: &[Diagnostic]) -> String {
    diagnostic::render(diagnostics, false, WIDTH)
}

/// How many errors there are.
pub(super) fn errors(diagnostics: &[Diagnostic]) -> usize {
    let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
    diagnostics.iter().filter(is_error).count()
}

/// `1 flow`, `2 flows`.
pub(super) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
