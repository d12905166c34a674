//! `runner init`: a starter project that runs at once, on the virtual device.

use camino::Utf8PathBuf;
use clap::Args;

use super::error::CliError;
use super::{init_git, output, schema};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::files::write_atomic;

pub(super) const IGNORE: &str = ".gitignore";
/// What git must not keep.
const IGNORED: &str = include_str!("init/gitignore");

/// Files of a starter project: name and text.
const FILES: [(&str, &str); 6] = [
    ("runner.yaml", include_str!("init/runner.yaml")),
    ("flows/first.yaml", include_str!("init/first.yaml")),
    ("apps/hello/app.yaml", include_str!("init/app.yaml")),
    ("apps/hello/main.yaml", include_str!("init/main.yaml")),
    (
        "snapshots/first/greeted.tsv",
        include_str!("init/greeted.tsv"),
    ),
    (IGNORE, IGNORED),
];

/// Arguments of `runner init`.
#[derive(Debug, Args)]
pub struct InitArguments {
    /// Folder to write into
    #[arg(default_value = ".", value_name = "DIR")]
    folder: Utf8PathBuf,
    /// Write no starter project: prepare this clone, so that git merges goldens, and ignores what runs write
    #[arg(long)]
    git: bool,
    /// With `--git`: keep pictures of goldens in Git LFS
    #[arg(long, requires = "git")]
    lfs: bool,
}

/// Writes the files that are not there yet, and the schema for editors.
pub fn run(arguments: &InitArguments, context: &Context) -> Result<ExitCode, CliError> {
    let folder = context.working_folder.join(&arguments.folder);
    if arguments.git {
        return init_git::run(&folder, IGNORED, arguments.lfs, context);
    }
    let schema = schema::text(schema::SchemaKind::Flow)?;
    let files = FILES
        .into_iter()
        .chain([("runner.schema.json", schema.as_str())]);
    for (name, text) in files {
        let path = folder.join(name);
        if path.exists() {
            output::line(&format!("kept     {name}"));
            continue;
        }
        write_atomic(&path, text.as_bytes())?;
        output::line(&format!("wrote    {name}"));
    }
    // A file that was there is the person's: what it lacks is reported, not written.
    let ignored = fs_err::read_to_string(folder.join(IGNORE))?;
    let missing: Vec<&str> = IGNORED
        .lines()
        .filter(|line| !ignored.lines().any(|known| known.trim() == *line))
        .collect();
    if !missing.is_empty() {
        output::note(&format!(
            "add to {IGNORE}, so that git leaves out what runs write: {}",
            missing.join("  ")
        ));
    }
    output::note("next: `runner test` runs flows/first.yaml on the virtual device");
    Ok(ExitCode::Passed)
}
