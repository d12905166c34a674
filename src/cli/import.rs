//! `runner import`: flows of other tools in our own language.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, Subcommand};

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::diagnostic;
use crate::exit_code::ExitCode;
use crate::files;
use crate::flow::maestro::{self, Imported, ImportedFlow};
use crate::run::PlanError;

/// Arguments of `runner import`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    #[command(subcommand)]
    from: From,
}

/// What is taken over.
#[derive(Debug, Subcommand)]
enum From {
    /// Write Maestro's flows as flows of our own; what cannot be said is a comment with its line
    Maestro(MaestroArguments),
}

/// Arguments of `runner import maestro`.
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

/// Begins the first line of a file that was made here.
const MARK: &str = "# Imported from ";

/// Takes flows over.
pub fn run(arguments: &ImportArguments, context: &Context) -> Result<ExitCode, CliError> {
    let From::Maestro(arguments) = &arguments.from;
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
    let folder = config.paths.first().cloned().unwrap_or(folder);
    let imported = maestro::import(&folder, &config.read_options()).map_err(PlanError::from)?;
    let out = context.working_folder.join(&arguments.out);
    let mut files: Vec<(Utf8PathBuf, String)> = imported
        .flows
        .iter()
        .map(|flow| (out.join(&flow.path), marked(&flow.from, &flow.text)))
        .collect();
    // A folder of flows out of the root is of a project of its own.
    let home = match out.parent() {
        Some(parent) if !out.starts_with(&config.root) => parent,
        _ => config.root.as_path(),
    };
    let project = home.join("runner.yaml");
    if !project.exists() || is_ours(&project) {
        let text = project_file(home, &out, &imported.notes);
        files.push((project, marked(&arguments.folder, &text)));
    }
    let changed: Vec<&Utf8Path> = files
        .iter()
        .map(|(path, _)| path.as_path())
        .filter(|path| path.symlink_metadata().is_ok() && !is_ours(path))
        .collect();
    if !changed.is_empty() && !arguments.overwrite {
        let mut told = String::from("these files were changed, or not made by this command:\n");
        for path in changed {
            let _ = writeln!(told, "  {}", shown(path, context));
        }
        told.push_str("nothing was written; --overwrite writes over them");
        return Err(CliError::Usage(told));
    }
    for (path, text) in &files {
        files::write_atomic(path, text.as_bytes())?;
    }
    tell(&imported, &out, context);
    Ok(if imported.unreadable.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Usage
    })
}

fn shown<'a>(path: &'a Utf8Path, context: &Context) -> &'a Utf8Path {
    path.strip_prefix(&context.working_folder).unwrap_or(path)
}

/// What was written, and what a person has to do.
fn tell(imported: &Imported, out: &Utf8Path, context: &Context) {
    if !imported.unreadable.is_empty() {
        output::diagnostics(&diagnostic::render(
            &imported.unreadable,
            context.color(context.stdout_is_terminal),
            context.width,
        ));
    }
    let left_out = |flow: &ImportedFlow| flow.left_out.len();
    for flow in &imported.flows {
        for (line, why) in &flow.left_out {
            output::line(&format!("{}:{line}: {why}", flow.from));
        }
    }
    let number: usize = imported.flows.iter().map(left_out).sum();
    output::line(&format!(
        "{} flows written to {}; {number} steps are comments",
        imported.flows.len(),
        shown(out, context)
    ));
    for note in &imported.notes {
        output::note(&format!("config.yaml, {note}"));
    }
}

/// The file with the comment that tells where it came from, and its hash.
fn marked(from: &Utf8Path, text: &str) -> String {
    format!(
        "{MARK}{from} ({:016x}); run again, it is written anew unless it was changed\n{text}",
        hash(text)
    )
}

/// Whether a file was made here and not changed since.
fn is_ours(path: &Utf8Path) -> bool {
    let Ok(text) = fs_err::read_to_string(path) else {
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

/// A runner.yaml for a project that has none.
fn project_file(root: &Utf8Path, out: &Utf8Path, notes: &[String]) -> String {
    let folder = out.strip_prefix(root).unwrap_or(out);
    let mut text = format!(
        "flows: [ {} ]\n",
        crate::flow_text::literal(&folder.as_str().into())
    );
    for note in notes {
        let _ = writeln!(text, "# {note}");
    }
    text
}
