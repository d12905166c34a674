//! `runner init --git`: prepares a clone so that git stores and merges goldens whole, and ignores what runs
//! write.

use std::fmt::Write as _;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use runner_git::Repository;

use super::error::CliError;
use super::output;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::files::{real_path, write_durable};
use runner_text::input_file::{InputProblem, MAX_TEXT, read_text};

pub(super) const IGNORE: &str = ".gitignore";
const ATTRIBUTES: &str = ".gitattributes";
/// Merge driver that older versions of this program set up. Git would still ask for it.
const OLD_DRIVER: &str = "runner-golden";
/// Name of git's built-in merge of text files.
const TEXT: &str = "text";
/// Value that git reports for files with `-merge`, which it never merges.
const NEVER: &str = "unset";

/// Adds what the project of `folder` lacks to `.gitattributes` and `.gitignore` beside its `runner.yaml`, prints
/// what it did, and commits nothing. `ignored` are the lines for `.gitignore`. Lines that are there stay, but for
/// those of the merge driver of older versions, which are replaced. Returns an error outside a repository, with
/// `with_lfs` if git-lfs is not installed, and if a file that lacks lines is a link out of the project; then
/// nothing is written.
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
    let files = GoldenFiles::new(&config, &repository)?;
    let known = read_or_empty(&config.root.join(IGNORE))?;
    let unknown = ignored
        .lines()
        .filter(|line| !known.lines().any(|known| known.trim() == *line));
    let unknown: Vec<String> = unknown.map(str::to_owned).collect();
    if !unknown.is_empty() {
        // Asked before the other file is written.
        place_in_project(&config.root, IGNORE)?;
    }
    forget_old_driver(&config, &repository)?;
    extend(
        &config.root,
        ATTRIBUTES,
        &files.missing(&repository, with_lfs)?,
    )?;
    files.report(&repository, with_lfs)?;
    extend(&config.root, IGNORE, &unknown)?;
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

/// Goldens of a project, as `.gitattributes` names them.
struct GoldenFiles {
    /// Pattern, and the path of a file that matches it; both from the top of the repository.
    rows: [String; 2],
    pictures: [String; 2],
}

impl GoldenFiles {
    /// Computes the patterns of goldens for `.gitattributes`, and paths to check them by. Patterns are relative to
    /// the project, paths to the top of the repository. An error if the project lies outside of the repository.
    fn new(config: &Config, repository: &Repository) -> Result<Self, CliError> {
        let root = repository.path_of(&config.root)?;
        // In runner.yaml it may end with a slash.
        let folder = config.snapshots.value.components();
        let folder: Vec<&str> = folder
            .filter(|part| *part != Utf8Component::CurDir)
            .map(|part| part.as_str())
            .collect();
        let folder = folder.join("/");
        let of = |ending: &str| {
            let file = root.join(&folder).join(format!("a/b{ending}"));
            let files = format!("{}/**/*{ending}", literal(&folder));
            [pattern(&files), file.to_string()]
        };
        Ok(Self {
            rows: of(".tsv"),
            pictures: of(".png"),
        })
    }

    /// Asks git, and returns the lines that `.gitattributes` lacks for rows and pictures. Writes nothing. Rows get
    /// `text eol=lf` and the merge driver; pictures get `-merge`, as git has no driver for them. Where other attributes
    /// give a merge driver, the whole line is left out, but for the line that begins LFS. Empty if all is set.
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

    /// Returns a message for each kind of golden that other attributes make git merge in an unsafe way. Git's
    /// default counts as safe. Empty if all is well.
    fn merge_problems(&self, repository: &Repository) -> Result<Vec<String>, CliError> {
        let mut notes = Vec::new();
        for ([pattern, file], own) in [(&self.rows, TEXT), (&self.pictures, NEVER)] {
            let merge = repository.attribute("merge", file)?;
            // Git's default is as good, as it recognizes binary files.
            if ![own, "unspecified", "set"].contains(&merge.as_str()) {
                notes.push(format!(
                    "{pattern} is merged by {merge:?}, as other attributes say"
                ));
            }
        }
        Ok(notes)
    }

    /// Prints to standard error which of the wanted attributes others override, as git sees them now. Prints
    /// nothing if none.
    fn report(&self, repository: &Repository, with_lfs: bool) -> Result<(), CliError> {
        for note in self.merge_problems(repository)? {
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

/// Returns a message for each kind of golden that this clone merges neither in git's own way nor safely.
pub(super) fn merge_problems(
    config: &Config,
    repository: &Repository,
) -> Result<Vec<String>, CliError> {
    GoldenFiles::new(config, repository)?.merge_problems(repository)
}

/// Returns true if nobody chose this merge on purpose. `binary` leads to `unset`, and `git lfs track` writes
/// `lfs`.
fn is_free(merge: &str) -> bool {
    matches!(merge, "unspecified" | NEVER | "set" | "lfs" | OLD_DRIVER)
}

/// Removes the merge driver of older versions from the clone's settings, and replaces it in `.gitattributes` by
/// git's own ways. Writes the file, and says so, only if that changes it. Does nothing without such a driver.
fn forget_old_driver(config: &Config, repository: &Repository) -> Result<(), CliError> {
    for name in [OLD_DRIVER, "runner-golden-ancestor"] {
        repository.forget(&format!("merge.{name}"))?;
    }
    let path = config.root.join(ATTRIBUTES);
    let text = read_or_empty(&path)?;
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
        write_in_project(&config.root, ATTRIBUTES, without.as_bytes())?;
        output::line(&format!("changed  {ATTRIBUTES}: git merges goldens itself"));
    }
    Ok(())
}

/// Escapes the signs of patterns in a path, so that it stands for itself at the beginning of a pattern of git's.
fn literal(path: &str) -> String {
    let mut literal = String::with_capacity(path.len());
    for (at, letter) in path.char_indices() {
        // A pattern that begins with `#` is a comment, and one with `!` the opposite.
        if matches!(letter, '\\' | '*' | '?' | '[') || at == 0 && matches!(letter, '#' | '!') {
            literal.push('\\');
        }
        literal.push(letter);
    }
    literal
}

/// Quotes a pattern for `.gitattributes` if it has a space, a quote or a backslash; else it stays.
fn pattern(pattern: &str) -> String {
    if pattern.contains([' ', '"', '\\']) {
        let escaped = pattern.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    } else {
        pattern.to_owned()
    }
}

/// Reads the text; empty if there is no such file, or a link to one that is missing. Any other failure is an error.
fn read_or_empty(path: &Utf8Path) -> Result<String, CliError> {
    match read_text(path, MAX_TEXT) {
        Err(error)
            if matches!(
                error.problem,
                InputProblem::Missing | InputProblem::LeadsNowhere
            ) =>
        {
            Ok(String::new())
        }
        text => Ok(text?),
    }
}

/// Returns the place that a write to `name` of the project in `root` goes to: where a link leads, else the file itself.
/// The file and each folder of the project above it may be a link. One that leads to no place in the project is an
/// error.
pub(super) fn place_in_project(root: &Utf8Path, name: &str) -> Result<Utf8PathBuf, CliError> {
    let path = root.join(name);
    let mut parts = Utf8Path::new(name).ancestors();
    let is_link = |part: &&Utf8Path| !part.as_str().is_empty() && root.join(part).is_symlink();
    let Some(link) = parts.find(is_link) else {
        return Ok(path);
    };
    let place = real_path(&path);
    // Of a link to a missing folder the rest of the path is not resolved.
    let is_resolved = !place
        .components()
        .any(|part| part == Utf8Component::ParentDir);
    if is_resolved && !place.is_symlink() && place.starts_with(real_path(root)) {
        return Ok(place);
    }
    let kind = if link == name { "file" } else { "folder" };
    Err(CliError::Usage(format!(
        "`{link}` is a link that leads to no place in the project, so nothing is written there; put a {kind} in its place"
    )))
}

/// Writes a file of the project in `root` whole, where a link leads if it is one; says then that git may not read it. A
/// file that is replaced keeps its permissions.
/// A link that leads to no place in the project is an error, and nothing is written.
pub(super) fn write_in_project(root: &Utf8Path, name: &str, bytes: &[u8]) -> Result<(), CliError> {
    let place = place_in_project(root, name)?;
    write_durable(&place, bytes)?;
    note_link(root, name);
    Ok(())
}

/// Prints a note to standard error if `name` is a file of git's in `root` that git does not read, as it is a link.
pub(super) fn note_link(root: &Utf8Path, name: &str) {
    if [ATTRIBUTES, IGNORE].contains(&name) && root.join(name).is_symlink() {
        output::note(&format!(
            "{name} is a link, and git 2.32 and newer read no link of this name: put the file in its place"
        ));
    }
}

/// Appends lines to a file of the project with its own line ends, also if they are there already, and prints what was
/// added. Creates a missing file. Without lines writes nothing and prints that the file was kept. Says in both cases if
/// git may not read the file.
fn extend(root: &Utf8Path, name: &str, lines: &[String]) -> Result<(), CliError> {
    if lines.is_empty() {
        output::line(&format!("kept     {name}"));
        note_link(root, name);
        return Ok(());
    }
    let mut text = read_or_empty(&root.join(name))?;
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
    write_in_project(root, name, text.as_bytes())?;
    output::line(&format!("{word} {name}"));
    for line in lines {
        output::line(&format!("           {line}"));
    }
    Ok(())
}
