//! `runner init --git`: how git stores and merges goldens, and what it ignores.

use std::fmt::Write as _;

use camino::{Utf8Component, Utf8Path};
use runner_git::Repository;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::files::write_atomic;
use runner_text::input_file::{InputProblem, MAX_TEXT, read_text};

const ATTRIBUTES: &str = ".gitattributes";
/// Older versions merged goldens by a driver of their own. Git would still ask for it.
const OLD_DRIVER: &str = "runner-golden";
/// Git's own merge of texts.
const TEXT: &str = "text";
/// What git says of files that it never merges.
const NEVER: &str = "unset";

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
    forget_old_driver(&config, &repository)?;
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
    output::note("next: commit both files");
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
        let merge = repository.attribute("merge", row_file)?;
        if merge != TEXT && is_free(&merge) {
            lines.push(format!("{rows} text eol=lf merge={TEXT}"));
        }
        let has_lfs = repository.attribute("filter", picture_file)? == "lfs";
        let merge = repository.attribute("merge", picture_file)?;
        if with_lfs && !has_lfs {
            // `git lfs track` writes merge=lfs. Git has no driver of that name: it would write both pointers into one file.
            lines.push(format!("{pictures} filter=lfs diff=lfs -merge -text"));
        } else if merge != NEVER && is_free(&merge) {
            let kind = if has_lfs { "" } else { "-text -diff " };
            lines.push(format!("{pictures} {kind}-merge"));
        }
        Ok(lines)
    }

    /// What other attributes make of merging goldens, in words.
    fn strangers(&self, repository: &Repository) -> Result<Vec<String>, CliError> {
        let mut notes = Vec::new();
        for ([pattern, file], own) in [(&self.rows, TEXT), (&self.pictures, NEVER)] {
            let merge = repository.attribute("merge", file)?;
            // What git does by itself is as good: it knows pictures.
            if ![own, "unspecified", "set"].contains(&merge.as_str()) {
                notes.push(format!(
                    "{pattern} is merged by {merge:?}, as other attributes say"
                ));
            }
        }
        Ok(notes)
    }

    /// Says what other attributes keep from being so.
    fn report(&self, repository: &Repository, with_lfs: bool) -> Result<(), CliError> {
        for note in self.strangers(repository)? {
            output::note(&note);
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

/// How goldens of this clone are merged, where that is neither git's own way nor safe; in words.
pub(super) fn merged_otherwise(
    config: &Config,
    repository: &Repository,
) -> Result<Vec<String>, CliError> {
    GoldenFiles::of(config, repository)?.strangers(repository)
}

/// Whether nobody chose how such files are merged: `unset` is what `binary` makes of it, `lfs` what `git lfs track` does.
fn is_free(merge: &str) -> bool {
    matches!(merge, "unspecified" | NEVER | "set" | "lfs" | OLD_DRIVER)
}

/// Takes the driver of older versions out of the settings of this clone and out of the project's attributes.
fn forget_old_driver(config: &Config, repository: &Repository) -> Result<(), CliError> {
    for name in [OLD_DRIVER, "runner-golden-ancestor"] {
        repository.forget(&format!("merge.{name}"))?;
    }
    let path = config.root.join(ATTRIBUTES);
    let text = text_of(&path)?;
    let of_driver = format!(" merge={OLD_DRIVER}");
    let lines = text.split_inclusive('\n').map(|line| {
        let own = if line.contains(".png") {
            " -merge"
        } else {
            " merge=text"
        };
        line.replace(&of_driver, own)
    });
    let without: String = lines.collect();
    if without != text {
        write_atomic(&path, without.as_bytes())?;
        output::line(&format!("changed  {ATTRIBUTES}: git merges goldens itself"));
    }
    Ok(())
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
