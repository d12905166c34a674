//! Resolves the paths of flow files that agents give, by one rule for all tools.
//!
//! A path is relative to the root if it leads into a folder of flows; otherwise it is relative to the first
//! such folder. It never leads out of it.

use camino::{Utf8Path, Utf8PathBuf};

use super::Workspace;
use runner_config::Config;
use runner_flow::Flow;
use runner_run::{PlanError, find_shared_golden};
use runner_text::diagnostic::{self, Diagnostic, Severity};
use runner_tools::paths::below;
use runner_tools::{Failure, blocking};

/// Bytes of the longest flow text. Chosen: as for files.
const MAX_FLOW_BYTES: usize = 1024 * 1024;

/// Columns of rendered diagnostics. Chosen: usual lines of YAML with their message fit.
const DIAGNOSTIC_COLUMNS: usize = 100;

/// Returns the folders of flows, relative to the root, in the order of the settings. For a pattern, that is
/// the folder before its first special character, and for a file, the folder that holds it. They need not
/// exist.
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

/// Resolves a path relative to the root, or an absolute one inside it. It need not exist.
///
/// # Errors
/// It leads out of the root, or names no file.
pub(super) fn below_root(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    below_root_in(&workspace.config, path)
}

/// Resolves a path, absolute or relative to the root, below the root. One that leads out of it, also by a link, is
/// refused.
fn below_root_in(config: &Config, path: &str) -> Result<Utf8PathBuf, Failure> {
    let root = &config.root;
    let given = Utf8Path::new(path);
    let relative = given.strip_prefix(root).unwrap_or(given);
    below(root, relative.as_str())
}

/// Returns the failure for a plan without flows. If no file was found, it names the tool that lists the
/// flows.
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

/// Formats a path relative to the root, with `/` as separator.
pub(super) fn display_path(workspace: &Workspace, path: &Utf8Path) -> String {
    display_below(&workspace.config.root, path)
}

/// Formats a path relative to a folder, with `/` as separator. A path outside of it stays whole.
pub fn display_below(root: &Utf8Path, path: &Utf8Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    below.as_str().replace('\\', "/")
}

/// Resolves a path by the rule of this module. The file need not exist.
///
/// # Errors
/// It leads out of the root, or out of the folder of flows by a link.
pub(super) fn resolve(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    resolve_in(&workspace.config, path)
}

/// Resolves a path below the root or below a folder of flows. It must stay inside the folder of flows that it is
/// in; a path outside of all is taken as one below the first.
fn resolve_in(config: &Config, path: &str) -> Result<Utf8PathBuf, Failure> {
    let root = &config.root;
    let full = below_root_in(config, path)?;
    let folders = folders(config);
    for folder in &folders {
        let folder = root.join(folder);
        if let Ok(rest) = full.strip_prefix(&folder) {
            if rest.as_str().is_empty() {
                return Ok(full);
            }
            // Resolved again below the folder of flows, as no link in it may lead out of it.
            return below(&folder, rest.as_str());
        }
    }
    let first = root.join(folders.first().map_or("flows", |folder| folder.as_str()));
    let relative = full.strip_prefix(root).unwrap_or(&full);
    below(&first, relative.as_str())
}

/// Resolves a path or pattern of flows to read, by the rule of this module. If nothing is there but something
/// is at the path relative to the root, that is taken. Returns an absolute path, which need not exist.
///
/// # Errors
/// The path leads out of the root.
pub(super) fn to_read(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    let from_root = below_root(workspace, path)?;
    let inside = resolve(workspace, path)?;
    // For a pattern, the part before its first special character.
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

/// Resolves the path of a flow file to write, by the rule of this module. It need not exist; without an extension it
/// gets `.yaml`.
///
/// # Errors
/// It leads out of the folder of flows, or is not the name of a flow. A file that is not there would be named by a
/// secret.
pub(super) fn to_write(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    let full = to_write_in(&workspace.config, path)?;
    workspace.refuse_secret_name(&full)?;
    Ok(full)
}

/// Resolves a path like [`to_write`], without a workspace. Without an extension it gets `.yaml`. Nothing is
/// written.
///
/// # Errors
/// It leads out of the folder of flows, is not the name of a flow, or has a `\` that separates no folders here.
pub fn to_write_in(config: &Config, path: &str) -> Result<Utf8PathBuf, Failure> {
    // On Windows it separates folders, so such a file would be another one there.
    if path.contains('\\') && !cfg!(windows) {
        return Err(Failure::usage(format!(
            "`{path}` has a `\\`; folders are separated by `/`: `{}`",
            path.replace('\\', "/")
        )));
    }
    let mut full = resolve_in(config, path)?;
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

/// Returns true if a file of this name is a flow: it ends in `.yaml` or `.yml`, is not hidden and is not
/// called `runner` or `app`. Letter case does not count for these two: some file systems take `Runner.yaml`
/// for `runner.yaml`.
pub fn is_flow_name(path: &Utf8Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    runner_flow::is_flow(path)
        && !["runner", "app"]
            .iter()
            .any(|other| stem.eq_ignore_ascii_case(other))
        && !stem.starts_with('.')
}

/// Returns the path that an unsaved text is assumed to have, relative to the root: that of `path` as for reading, else
/// `untitled.yaml` in the first folder of flows. A `path` that leads out of the root is a failure.
pub(super) fn assumed_path(
    workspace: &Workspace,
    path: Option<&str>,
) -> Result<Utf8PathBuf, Failure> {
    if let Some(path) = path {
        let full = to_read(workspace, path)?;
        return Ok(display_path(workspace, &full).into());
    }
    let folder = folders(&workspace.config).into_iter().next();
    Ok(folder.unwrap_or_default().join("untitled.yaml"))
}

/// Parses an unsaved flow on a thread for blocking work, as a long one takes a while.
pub(super) async fn read_text_blocking(
    config: &Config,
    path: Utf8PathBuf,
    text: String,
) -> Result<(Option<Flow>, Vec<Diagnostic>), Failure> {
    let config = config.clone();
    blocking(move || read_text(&config, &path, &text)).await?
}

/// Parses a flow that is to be saved at `path`, like [`read_text`]. One that would share a golden with another flow of the
/// project has an error: neither of them could run any more. Reads other flows of the project, so it blocks.
pub(super) fn read_text_to_save(
    config: &Config,
    path: &Utf8Path,
    text: &str,
) -> Result<(Option<Flow>, Vec<Diagnostic>), Failure> {
    let (flow, mut diagnostics) = read_text(config, path, text)?;
    let flow_to_save = flow.clone();
    diagnostics.extend(flow_to_save.and_then(|flow| find_shared_golden(flow, config)));
    Ok((flow, diagnostics))
}

/// Parses an unsaved flow. The flow is `None` if it has errors, which are then among the diagnostics; these
/// may also be warnings. `path` says where it is assumed to be, for sub-flows and messages.
///
/// # Errors
/// The text is longer than 1 MiB.
pub fn read_text(
    config: &Config,
    path: &Utf8Path,
    text: &str,
) -> Result<(Option<Flow>, Vec<Diagnostic>), Failure> {
    if text.len() > MAX_FLOW_BYTES {
        return Err(Failure::usage(format!(
            "the text is larger than {MAX_FLOW_BYTES} bytes"
        )));
    }
    Ok(runner_flow::read_text(
        path,
        text.to_owned(),
        &config.read_options(),
    ))
}

/// Formats diagnostics with source line, marker and help.
pub(super) fn rendered(diagnostics: &[Diagnostic]) -> String {
    diagnostic::render(diagnostics, false, DIAGNOSTIC_COLUMNS)
}

/// Counts the errors among diagnostics.
pub(super) fn errors(diagnostics: &[Diagnostic]) -> usize {
    let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
    diagnostics.iter().filter(is_error).count()
}

/// Formats a number with its noun: `1 flow`, `2 flows`.
pub(super) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
