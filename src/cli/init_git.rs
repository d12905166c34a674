//! `runner init --git`: attributes, the driver that merges goldens, and what git ignores.

use std::fmt::Write as _;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use runner_git::Repository;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::files::write_atomic;
use runner_text::input_file::{InputProblem, MAX_TEXT, read_text};

const ATTRIBUTES: &str = ".gitattributes";
/// The name of the driver in attributes and settings.
pub(super) const DRIVER: &str = "runner-golden";

/// Prepares the clone that `folder` is in for the goldens of its project. What is there stays; what it lacks is added.
pub fn run(
    folder: &Utf8Path,
    ignored: &str,
    with_lfs: bool,
    context: &Context,
) -> Result<ExitCode, CliError> {
    let mut context = context.clone();
    folder.clone_into(&mut context.working_folder);
    let config = Config::resolve(&context, &Overrides::default())?;
    let repository = Repository::around(&config.root)?;
    if with_lfs && !repository.has_command("lfs")? {
        return Err(CliError::Usage(
            "git-lfs is not installed: install it (`apt-get install git-lfs`, `brew install git-lfs`), run `git lfs install`, then this again".to_owned(),
        ));
    }
    let files = GoldenFiles::of(&config, &repository)?;
    extend(
        &config.root.join(ATTRIBUTES),
        &files.missing(&repository, with_lfs)?,
    )?;
    files.report(&repository, with_lfs)?;
    let ignore = config.root.join(super::init::IGNORE);
    let known = text_of(&ignore)?;
    let missing = ignored
        .lines()
        .filter(|line| !known.lines().any(|known| known.trim() == *line));
    extend(&ignore, &missing.map(str::to_owned).collect::<Vec<_>>())?;
    register(&repository)?;
    output::line(&format!("set      merge.{DRIVER} in this clone"));
    output::note(
        "next: commit both files; git keeps the driver out of them, so each clone needs `runner init --git` once",
    );
    if with_lfs {
        if repository.setting("filter.lfs.clean")?.is_none() {
            output::note("git-lfs is not set up yet: run `git lfs install`");
        }
        output::note(
            "goldens that are committed already move with `git add --renormalize .` and a commit",
        );
    }
    Ok(ExitCode::Passed)
}

/// The goldens of a project, as attributes name them.
struct GoldenFiles {
    /// Pattern and a file that fits it, from the top of the repository: rows, pictures.
    rows: [String; 2],
    pictures: [String; 2],
}

impl GoldenFiles {
    fn of(config: &Config, repository: &Repository) -> Result<Self, CliError> {
        let root = repository.path_of(&config.root)?;
        // As runner.yaml has it, it may end with a slash.
        let folder = config.snapshots.value.components();
        let folder: Vec<&str> = folder
            .filter(|part| *part != Utf8Component::CurDir)
            .map(|part| part.as_str())
            .collect();
        let folder = folder.join("/");
        let of = |ending: &str| {
            let file = root.join(&folder).join(format!("a/b{ending}"));
            [pattern(&format!("{folder}/**/*{ending}")), file.to_string()]
        };
        Ok(Self {
            rows: of(".tsv"),
            pictures: of(".png"),
        })
    }

    /// The lines that attributes lack.
    fn missing(&self, repository: &Repository, with_lfs: bool) -> Result<Vec<String>, CliError> {
        let [rows, row_file] = &self.rows;
        let [pictures, picture_file] = &self.pictures;
        let mut lines = Vec::new();
        if is_free(&repository.attribute("merge", row_file)?) {
            lines.push(format!("{rows} text eol=lf merge={DRIVER}"));
        }
        let has_lfs = repository.attribute("filter", picture_file)? == "lfs";
        let merge = repository.attribute("merge", picture_file)?;
        let mut needs_driver = is_free(&merge);
        if with_lfs && !has_lfs {
            // As `git lfs track` writes it. Git has no driver of that name: it would write both pointers into one picture.
            lines.push(format!("{pictures} filter=lfs diff=lfs merge=lfs -text"));
            needs_driver = true;
        }
        if needs_driver {
            let kind = if with_lfs || has_lfs {
                ""
            } else {
                "-text -diff "
            };
            lines.push(format!("{pictures} {kind}merge={DRIVER}"));
        }
        Ok(lines)
    }

    /// Says what other attributes keep from being so.
    fn report(&self, repository: &Repository, with_lfs: bool) -> Result<(), CliError> {
        for [pattern, file] in [&self.rows, &self.pictures] {
            let merge = repository.attribute("merge", file)?;
            if merge != DRIVER {
                output::note(&format!(
                    "{pattern} is merged by {merge:?}, as other attributes say; for this driver write merge={DRIVER} there"
                ));
            }
        }
        let [pattern, file] = &self.pictures;
        if with_lfs && repository.attribute("filter", file)? != "lfs" {
            output::note(&format!(
                "{pattern} is not in Git LFS: other attributes say so"
            ));
        }
        Ok(())
    }
}

/// Whether nobody chose how such files are merged: `unset` is what `binary` makes of it, `lfs` what `git lfs track` does.
fn is_free(merge: &str) -> bool {
    matches!(merge, "unspecified" | "unset" | "set" | "lfs")
}

/// A pattern of attributes: where it has white space, it stands in quotes.
fn pattern(pattern: &str) -> String {
    if pattern.contains([' ', '"', '\\']) {
        let escaped = pattern.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    } else {
        pattern.to_owned()
    }
}

fn text_of(path: &Utf8Path) -> Result<String, CliError> {
    match read_text(path, MAX_TEXT) {
        Err(error) if matches!(error.problem, InputProblem::Missing) => Ok(String::new()),
        text => Ok(text?),
    }
}

/// Adds lines at the end of a file, with the line ends it has.
fn extend(path: &Utf8Path, lines: &[String]) -> Result<(), CliError> {
    let name = path.file_name().unwrap_or_default();
    if lines.is_empty() {
        output::line(&format!("kept     {name}"));
        return Ok(());
    }
    let mut text = text_of(path)?;
    let (word, end) = match (text.is_empty(), text.contains("\r\n")) {
        (true, _) => ("wrote   ", "\n"),
        (_, false) => ("extended", "\n"),
        (_, true) => ("extended", "\r\n"),
    };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(end);
    }
    for line in lines {
        let _ = write!(text, "{line}{end}");
    }
    write_atomic(path, text.as_bytes())?;
    output::line(&format!("{word} {name}"));
    for line in lines {
        output::line(&format!("           {line}"));
    }
    Ok(())
}

/// Registers the driver in the settings of this clone.
fn register(repository: &Repository) -> Result<(), CliError> {
    let program = Utf8PathBuf::from_path_buf(std::env::current_exe()?).map_err(|path| {
        CliError::Usage(format!(
            "the program's path is not valid Unicode: {}; install it elsewhere",
            path.display()
        ))
    })?;
    // A shell reads it, and git replaces what follows `%`.
    let program = program.as_str().replace('\'', r"'\''").replace('%', "%%");
    let command = format!("'{program}' merge-driver");
    let ancestor = format!("{DRIVER}-ancestor");
    for (name, what, options) in [
        (DRIVER, "goldens of runner", ""),
        (&ancestor, "ancestors of goldens of runner", "--ancestor "),
    ] {
        repository.set(&format!("merge.{name}.name"), what)?;
        let driver = format!("{command} {options}%O %A %B %P");
        repository.set(&format!("merge.{name}.driver"), &driver)?;
    }
    repository.set(&format!("merge.{DRIVER}.recursive"), &ancestor)?;
    Ok(())
}
