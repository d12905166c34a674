//! Reads text files of a project, and keeps paths below its root.

use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::diagnostic::{Code, Diagnostic, Source};
use crate::input_file::{self, InputProblem};
use crate::suggest::{SourceRange, error, nearest};

/// Reads a text file of at most [`input_file::MAX_TEXT`] bytes. Messages call it `displayed`. The errors are those
/// of [`load_up_to`].
pub fn load(path: &Utf8Path, displayed: &Utf8Path) -> Result<Arc<Source>, Box<Diagnostic>> {
    load_up_to(path, displayed, input_file::MAX_TEXT)
}

/// Reads a text file of at most `max_bytes` bytes. Messages and the result call it `displayed`, with `/`
/// between its parts.
///
/// # Errors
/// A name that ends with white space, a file that is missing, too large or no regular one, and text that is not
/// UTF-8. The error quotes none of the text. Its code is [`Code::Unreadable`]; it stands at the first bad byte, or
/// at the start of an empty text.
pub fn load_up_to(
    path: &Utf8Path,
    displayed: &Utf8Path,
    max_bytes: u64,
) -> Result<Arc<Source>, Box<Diagnostic>> {
    let display_path = Utf8PathBuf::from(displayed.as_str().replace('\\', "/"));
    let fail = |message: String| {
        let source = Source::unread(&display_path);
        Box::new(error(
            &SourceRange::new(&source, 0..0),
            Code::Unreadable,
            message,
        ))
    };
    if path.as_str().ends_with(char::is_whitespace) {
        return Err(fail(
            "the name of this file ends with white space; rename it".to_owned(),
        ));
    }
    let bytes = input_file::read_regular(path, max_bytes)
        .map_err(|error| fail(message(path, &error.problem)))?;
    let text = String::from_utf8(bytes).map_err(|problem| {
        let end = problem.utf8_error().valid_up_to();
        let mut wrong = fail(format!(
            "this file is not UTF-8 text (byte {end}); save it as UTF-8"
        ));
        // Only the place is reported; the text around it may hold anything.
        let before = problem.as_bytes().get(..end).unwrap_or_default();
        let before = String::from_utf8_lossy(before);
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count();
        let lines = before.matches('\n').count();
        let text = format!("{}{}", "\n".repeat(lines), " ".repeat(column));
        wrong.span = text.len()..text.len();
        wrong.source = Arc::new(Source {
            path: display_path.clone(),
            text,
        });
        wrong
    })?;
    Ok(Arc::new(Source {
        path: display_path,
        text,
    }))
}

/// Describes a problem for a message that already names the file, such as `there is no such file`. A link to a folder,
/// and a missing file with U+FFFD in its name, have words of their own.
fn message(path: &Utf8Path, problem: &InputProblem) -> String {
    match problem {
        InputProblem::Missing if path.as_str().contains('\u{FFFD}') => {
            "the name of this file is not UTF-8 text; rename it".to_owned()
        }
        InputProblem::Missing => "there is no such file".to_owned(),
        InputProblem::LeadsNowhere => "this link leads nowhere".to_owned(),
        InputProblem::NotAFile(_) if path.is_dir() && path.is_symlink() => {
            "this link leads to a folder, not to a file; the flows in it are not run".to_owned()
        }
        problem => format!("this file {problem}"),
    }
}

/// Removes `.` and `..` from a relative path, without the file system; its parts are joined by `/`. Returns `None`
/// if it leads out of its root, even on the way, and for an absolute path. An empty path and `.` become an empty
/// path.
pub fn normalise(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                parts.pop()?;
            }
            Utf8Component::Normal(name) => parts.push(name),
            Utf8Component::Prefix(_) | Utf8Component::RootDir => return None,
        }
    }
    Some(Utf8PathBuf::from(parts.join("/")))
}

/// Reason why a file does not belong to a root.
#[derive(Debug, thiserror::Error)]
pub enum ContainmentError {
    /// The file does not exist or may not be read. Holds the message.
    #[error("{0}")]
    Unreadable(String),
    /// The file lies outside of the root, mostly by a link.
    #[error("a link leads out of the project's root")]
    Outside,
}

/// Checks that a file or folder exists and lies below the root after all links in both are resolved. The root
/// itself counts as below.
///
/// # Errors
/// [`ContainmentError::Unreadable`] if one of them does not exist or cannot be read, else
/// [`ContainmentError::Outside`].
pub fn inside(path: &Utf8Path, root: &Utf8Path) -> Result<(), ContainmentError> {
    let real = |path: &Utf8Path| {
        path.canonicalize_utf8().map_err(|error| {
            let problem = if path.is_symlink() {
                InputProblem::LeadsNowhere
            } else {
                error.into()
            };
            ContainmentError::Unreadable(message(path, &problem))
        })
    };
    if real(path)?.starts_with(real(root)?) {
        Ok(())
    } else {
        Err(ContainmentError::Outside)
    }
}

/// Returns the name, without its folder, of a `.yaml` or `.yml` file in the same folder with a similar name; for a `.csv`
/// file that of another one. The first that differs only in `_` at its start or in the extension comes before the
/// nearest in spelling. Searches the first 1000 entries, in the folder's order; a name alone counts from the current
/// folder. Returns `None` if none is similar, or the folder cannot be read.
pub fn near_files(path: &Utf8Path) -> Option<String> {
    let wanted = path.file_name()?;
    let ends: &[&str] = match path.extension() {
        Some("csv") => &[".csv"],
        _ => &[".yaml", ".yml"],
    };
    let names: Vec<String> = folder_of(path)?
        .read_dir_utf8()
        .ok()?
        .filter_map(Result::ok)
        .take(1000)
        .map(|entry| entry.file_name().to_owned())
        .filter(|name| ends.iter().any(|end| name.ends_with(end)))
        .collect();
    // The usual slips: the name of a sub-flow without its `_`, or without its extension.
    let stem = |name: &str| {
        let name = name.trim_start_matches('_');
        let bare = name.strip_suffix(".yaml").or(name.strip_suffix(".yml"));
        bare.unwrap_or(name).to_owned()
    };
    names
        .iter()
        .find(|name| stem(name) == stem(wanted))
        .cloned()
        .or_else(|| nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned))
}

/// Returns the folder of a path, which is `.` for a name alone. `None` if the path is a root or empty.
fn folder_of(path: &Utf8Path) -> Option<&Utf8Path> {
    let folder = path.parent()?;
    // Nothing can be read at an empty path.
    Some(if folder.as_str().is_empty() {
        Utf8Path::new(".")
    } else {
        folder
    })
}

/// Returns the path `written` of a file that does not exist, with the name that was probably meant, as
/// [`near_files`] finds it at `path`. `None` if it finds none. The folder stays as it is written.
pub fn near_path(written: &str, path: &Utf8Path) -> Option<String> {
    let name = near_files(path)?;
    Some(match written.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name,
    })
}

/// Returns the path relative to the root; `None` if it is not below it. Only the parts of the paths are compared,
/// without the file system.
pub fn below(path: &Utf8Path, root: &Utf8Path) -> Option<Utf8PathBuf> {
    path.strip_prefix(root).ok().map(Utf8Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_similar_name_is_found_in_the_folder_of_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        for name in ["_login.yaml", "payment.yml", "notes.txt", "people.csv"] {
            fs_err::write(folder.join(name), "").unwrap();
        }
        for (written, near) in [
            ("login", Some("_login.yaml")),
            ("login.yml", Some("_login.yaml")),
            ("paymnet.yml", Some("payment.yml")),
            ("notes", None),
            ("peple.csv", Some("people.csv")),
            ("people", None),
            ("login.csv", None),
            ("none/login.yaml", None),
        ] {
            let found = near_files(&folder.join(written));
            assert_eq!(found.as_deref(), near, "{written}");
        }
    }

    #[test]
    fn a_name_without_a_folder_is_searched_in_the_current_one() {
        for (path, folder) in [
            ("login.yaml", Some(".")),
            ("./login.yaml", Some(".")),
            ("flows/login.yaml", Some("flows")),
            ("/login.yaml", Some("/")),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(folder_of(Utf8Path::new(path)), folder.map(Utf8Path::new));
        }
    }
}
