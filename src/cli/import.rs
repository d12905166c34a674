//! `runner import`: converts flows of other tools to our own language.

use std::fmt::Write as _;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, Subcommand};

use super::error::CliError;
use super::output;
use crate::config::ScreenshotUse;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::diagnostic::Source;
use crate::exit_code::ExitCode;
use crate::files;
use crate::flow::maestro::{self, ImportPlan, MaestroImport};
use crate::flow_text;
use crate::run::PlanError;
use runner_base::named_path::{below, tidy, within};
use runner_text::input_file::{MAX_PICTURE, MAX_TEXT, read_in_root, read_regular, read_text};
use runner_text::yaml;

#[derive(Debug, Args)]
pub struct ImportArguments {
    #[command(subcommand)]
    from: ImportSource,
}

/// What is taken over.
#[derive(Debug, Subcommand)]
enum ImportSource {
    /// Write Maestro's flows as flows of our own; those that cannot be said are copied as they are
    Maestro(MaestroArguments),
}

#[derive(Debug, Args)]
struct MaestroArguments {
    /// Folder of Maestro's flows
    #[arg(value_name = "DIR")]
    folder: Utf8PathBuf,
    /// Folder that the flows are written to
    #[arg(long, value_name = "DIR", default_value = "flows")]
    out: Utf8PathBuf,
    /// Write over files that were changed since, or that were not made by this command
    #[arg(long)]
    overwrite: bool,
}

/// Beginning of the first line of each imported file.
const MARK: &str = "# Imported from ";

/// Converts the flows of Maestro's in a folder and writes them, with `config.yaml`, the files they need, and a
/// `runner.yaml` if there is none or it is an unchanged one of this command, which keeps the folders of earlier imports,
/// then prints the counts. Flows that cannot be converted are copied. If `--out` is outside of the project, `runner.yaml`
/// goes beside it. Returns an error, and writes nothing, if something would be lost, a file may not be written over, or
/// the folder is missing, has no flow of Maestro's or is that of `--out`.
pub fn run(arguments: &ImportArguments, context: &Context) -> Result<ExitCode, CliError> {
    let ImportSource::Maestro(arguments) = &arguments.from;
    let folder = context.working_folder.join(&arguments.folder);
    if !folder.is_dir() {
        return Err(CliError::Usage(format!(
            "{}: there is no such folder",
            arguments.folder
        )));
    }
    let overrides = Overrides {
        paths: vec![arguments.folder.clone()],
        ..Overrides::default()
    };
    let config = Config::resolve(context, &overrides)?;
    let folder = plain(config.paths.first().unwrap_or(&folder), &config.root);
    let out = plain(&context.working_folder.join(&arguments.out), &config.root);
    if out == folder {
        let why = "the flows would be written over Maestro's; name another folder with --out";
        return Err(CliError::Usage(why.to_owned()));
    }
    let plan = ImportPlan {
        from: &folder,
        to: &out,
        keeps_goldens: config.maestro_screenshots.value == ScreenshotUse::Goldens,
    };
    let imported = maestro::import(&plan, &config.read_options()).map_err(PlanError::from)?;
    if !imported.lost.is_empty() {
        let why = imported.lost.join("\n  ");
        return Err(CliError::Usage(format!(
            "this would be lost:\n  {why}\nnothing was written"
        )));
    }
    if imported.flows.is_empty() && imported.unconverted.is_empty() {
        return Err(CliError::Usage(format!(
            "{}: no flow of Maestro's found: one begins with `appId: …` and a line `---`",
            arguments.folder
        )));
    }
    let mut files = output_files(&imported, &config, &out, &arguments.folder)?;
    // A folder of flows outside of the root gets its own project.
    let home = match out.parent() {
        Some(parent) if !out.starts_with(&config.root) => parent,
        _ => config.root.as_path(),
    };
    let project = home.join("runner.yaml");
    if !project.exists() || is_unchanged_import(&project) {
        let text = project_file(home, &out, &imported_folders(&project));
        files.push((project, with_header(&arguments.folder, &text).into_bytes()));
    }
    check_targets(&files, &out, arguments.overwrite, context)?;
    for (path, bytes) in &files {
        files::write_durable(path, bytes)?;
    }
    print(&imported, &out, context);
    Ok(ExitCode::Passed)
}

/// Returns a path in the form of all its spellings, without a slash at its end.
fn plain(path: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
    within(root, tidy(path)).components().collect()
}

/// Returns the files to write, as absolute path and content: the converted flows and, if the import made one,
/// `config.yaml` in `out`, with a header, and copies byte for byte from the root of `config`. `runner.yaml` is not
/// among them. `folder` is only named in a header. Returns an error if a file to copy cannot be read, is too large, or
/// leads out of the project.
fn output_files(
    imported: &MaestroImport,
    config: &Config,
    out: &Utf8Path,
    folder: &Utf8Path,
) -> Result<Vec<(Utf8PathBuf, Vec<u8>)>, CliError> {
    let own = imported.flows.iter().map(|flow| {
        let text = with_header(&flow.from, &flow.text);
        (out.join(&flow.path), text.into_bytes())
    });
    let mut files: Vec<_> = own.collect();
    if let Some(text) = &imported.config {
        let text = with_header(folder, text);
        files.push((out.join("config.yaml"), text.into_bytes()));
    }
    for file in &imported.copied {
        let bytes = read_in_root(&config.root, config.root.join(&file.from), MAX_PICTURE)?;
        files.push((out.join(&file.path), bytes));
    }
    Ok(files)
}

/// Returns an error if a file or a folder below `out` is a link, if a file that is there is not ours or was changed
/// since and has other content than ours, or if a new `config.yaml` would change which other flows are tests. With
/// `overwrites`, changed files are allowed. Nothing is written.
fn check_targets(
    files: &[(Utf8PathBuf, Vec<u8>)],
    out: &Utf8Path,
    overwrites: bool,
    context: &Context,
) -> Result<(), CliError> {
    let list = |paths: &[&Utf8Path]| {
        let mut message = String::new();
        for path in paths {
            let _ = writeln!(message, "  {}", display_path(path, context));
        }
        message
    };
    let paths = files.iter().map(|(path, _)| path.as_path());
    let linked: Vec<&Utf8Path> = paths.filter(|path| leads_away(path, out)).collect();
    if !linked.is_empty() {
        let text = list(&linked);
        return Err(CliError::Usage(format!(
            "links lead out of {out}:\n{text}nothing was written"
        )));
    }
    let is_changed = |(path, bytes): &&(Utf8PathBuf, Vec<u8>)| {
        path.symlink_metadata().is_ok()
            && !is_unchanged_import(path)
            && read_regular(path, MAX_PICTURE).ok().as_ref() != Some(bytes)
    };
    let changed = files.iter().filter(is_changed);
    let changed: Vec<&Utf8Path> = changed.map(|(path, _)| path.as_path()).collect();
    if !changed.is_empty() && !overwrites {
        let reported = list(&changed);
        return Err(CliError::Usage(format!(
            "these files were changed, or not made by this command:\n{reported}nothing was written; --overwrite writes over them"
        )));
    }
    // A new `config.yaml` would decide for the other flows in the folder too which are tests.
    let is_config =
        |path: &Utf8Path| matches!(path.file_name(), Some("config.yaml" | "config.yml"));
    let config = files
        .iter()
        .find(|(path, _)| is_config(path) && path.parent() == Some(out));
    if let Some((config, _)) = config.filter(|(path, _)| !path.exists()) {
        let others = maestro::other_flows(out, |path| files.iter().any(|(file, _)| file == path));
        if let Some(other) = others.first() {
            return Err(CliError::Usage(format!(
                "{} would say whether {} is a test; name another folder with --out\nnothing was written",
                display_path(config, context),
                display_path(other, context)
            )));
        }
    }
    Ok(())
}

/// Returns true if the file, or a folder between it and `out`, is a symbolic link, wherever it leads. `out` itself
/// may be one. Of a file that is not below `out`, only the file itself counts. False for a missing file.
fn leads_away(path: &Utf8Path, out: &Utf8Path) -> bool {
    let Ok(below) = path.strip_prefix(out) else {
        return path.is_symlink();
    };
    let mut at = out.to_owned();
    below.components().any(|part| {
        at.push(part);
        at.is_symlink()
    })
}

fn display_path(path: &Utf8Path, context: &Context) -> Utf8PathBuf {
    below(&context.working_folder, path)
}

/// Prints to standard output the flows that stay Maestro's, each with its line and reason, then the counts.
fn print(imported: &MaestroImport, out: &Utf8Path, context: &Context) {
    for flow in &imported.unconverted {
        output::line(&format!("{}:{}: {}", flow.from, flow.line, flow.why));
    }
    let out = display_path(out, context);
    output::line(&format!(
        "{} flows written to {out}; {} stay Maestro's, and run from there as they are ({} files copied)",
        imported.flows.len(),
        imported.unconverted.len(),
        imported.copied.len()
    ));
}

/// Puts a first line, a comment with the origin and the hash of the text, before the text.
fn with_header(from: &Utf8Path, text: &str) -> String {
    format!(
        "{MARK}{from} ({:016x}); run again, it is written anew unless it was changed\n{text}",
        hash(text)
    )
}

/// Returns true if this command made the file and its hash shows no change since. Other line ends are no change.
/// Returns false for a file that is missing or cannot be read.
fn is_unchanged_import(path: &Utf8Path) -> bool {
    let Ok(text) = read_text(path, MAX_TEXT) else {
        return false;
    };
    let Some((first, rest)) = text.split_once('\n') else {
        return false;
    };
    first.starts_with(MARK) && first.contains(&format!("({:016x})", hash(rest)))
}

fn hash(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.replace("\r\n", "\n").as_bytes())
}

/// Returns the folders of flows that are there, of those in a `runner.yaml`, as it names them. Empty without the file.
fn imported_folders(project: &Utf8Path) -> Vec<String> {
    let Ok(text) = read_text(project, MAX_TEXT) else {
        return Vec::new();
    };
    let path = project.to_owned();
    let root = yaml::read(&Arc::new(Source { path, text }), &mut Vec::new());
    let flows = root.as_ref().and_then(|root| root.entry("flows"));
    let folders = flows.into_iter().flat_map(|(_, list)| list.children());
    let folders = folders.filter_map(|folder| Some(folder.scalar()?.text.clone()));
    let is_there = |folder: &String| project.with_file_name(folder).exists();
    folders.filter(is_there).collect()
}

/// Returns the text of a `runner.yaml`, below `root`, that names the folders of flows in `earlier`, and behind them `out`
/// if it is none of them.
fn project_file(root: &Utf8Path, out: &Utf8Path, earlier: &[String]) -> String {
    let folder = below(root, out);
    let folder = folder.as_str();
    let mut folders: Vec<&str> = earlier.iter().map(String::as_str).collect();
    if !folders.contains(&folder) {
        folders.push(folder);
    }
    let folders = folders
        .into_iter()
        .map(|folder| flow_text::literal(&folder.into()));
    let folders: Vec<String> = folders.collect();
    format!("flows: [ {} ]\n", folders.join(", "))
}
