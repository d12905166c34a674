//! Settings that are paths.

use std::fmt::Debug;
use std::marker::PhantomData;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::Origin;
use super::layers::SourceContext;
use super::small_schemas::{names, text};
use super::spec::Kind;
use super::value_error::ValueError;
use runner_base::named_path::below;

/// Rules for a path: the folder that it is relative to, and the places it may lead to.
const BELOW_ROOT: u8 = 0;
const AS_WRITTEN: u8 = 1;
const ABSOLUTE: u8 = 2;
const ABSOLUTE_OR_DASH: u8 = 3;

/// Folder below the root, relative to it.
pub type FolderInRoot = OnePath<Utf8PathBuf, BELOW_ROOT>;
/// Optional folder anywhere, as written.
pub type NamedFolder = OnePath<Option<Utf8PathBuf>, AS_WRITTEN>;
/// Folder for output, absolute.
pub type OutputFolder = OnePath<Utf8PathBuf, ABSOLUTE>;
/// Optional file or folder for output, absolute.
pub type Output = OnePath<Option<Utf8PathBuf>, ABSOLUTE>;
/// Optional file for output, absolute, or `-` from the command line or a variable for standard output.
pub type OutputStream = OnePath<Option<Utf8PathBuf>, ABSOLUTE_OR_DASH>;

/// Path with one of the rules above. The program gets it as a `T`.
pub struct OnePath<T, const RULE: u8>(PhantomData<T>);

impl<T: From<Utf8PathBuf> + Into<Option<Utf8PathBuf>> + Clone + Debug, const RULE: u8> Kind
    for OnePath<T, RULE>
{
    type RawValue = Utf8PathBuf;
    type Value = T;

    fn schema(about: &str) -> Value {
        text(about)
    }

    /// Takes a text as a path. An empty one, words such as `true` and, unless the rule allows it, `-` are
    /// refused.
    fn read(text: &str) -> Result<Utf8PathBuf, ValueError> {
        if text.is_empty() {
            return Err(ValueError::NoPath);
        }
        if is_switch(text) || text == "-" && RULE != ABSOLUTE_OR_DASH {
            return Err(ValueError::Switch(text.to_owned()));
        }
        Ok(Utf8PathBuf::from(text))
    }

    fn expected(_: &str) -> String {
        "a path such as `out/report`".to_owned()
    }

    /// Returns the problem of a path that cannot be used: empty, a word such as `true`, with an expression, or
    /// outside the root where the rule forbids it. Whether it exists does not matter.
    fn problems(given: &Utf8PathBuf) -> Vec<(String, String)> {
        if given.as_str().is_empty() {
            return vec![(String::new(), ValueError::NoPath.to_string())];
        }
        if is_switch(given.as_str()) {
            return vec![(String::new(), format!("`{given}` names no file"))];
        }
        if let Some(wrong) = check_expression(given) {
            return vec![(String::new(), wrong)];
        }
        let wrong = (RULE == BELOW_ROOT)
            .then(|| check_below_root(given))
            .flatten();
        wrong
            .map(|wrong| (String::new(), wrong))
            .into_iter()
            .collect()
    }

    /// Returns the path as the rule says: absolute from the source's folder, as it is, or, below the root, in the form of
    /// all its spellings. A `-` of the command line or of a variable stays where the rule allows it.
    fn value(given: &Utf8PathBuf, source: &SourceContext) -> Option<T> {
        let is_of_file = matches!(source.origin, Origin::Default | Origin::File { .. });
        let is_dash = given == "-" && !is_of_file;
        let path = match RULE {
            BELOW_ROOT => below(source.folder, given),
            ABSOLUTE => source.folder.join(given),
            ABSOLUTE_OR_DASH if !is_dash => source.folder.join(given),
            _ => given.clone(),
        };
        Some(path.into())
    }

    fn show(value: &T) -> Option<String> {
        let path: Option<Utf8PathBuf> = value.clone().into();
        Some(path.map_or_else(|| "none".to_owned(), Utf8PathBuf::into_string))
    }
}

/// Files, folders and patterns below the root, relative to it.
pub struct PathsInRoot;

impl Kind for PathsInRoot {
    type RawValue = Vec<Utf8PathBuf>;
    type Value = Vec<Utf8PathBuf>;

    fn schema(about: &str) -> Value {
        names(about)
    }

    /// Returns the problem of each path that has an expression or is not below the root, with its index. Whether it
    /// exists does not matter.
    fn problems(given: &Self::RawValue) -> Vec<(String, String)> {
        let each = given.iter().enumerate();
        let wrong = |path: &Utf8Path| check_expression(path).or_else(|| check_below_root(path));
        each.filter_map(|(index, path)| Some((index.to_string(), wrong(path)?)))
            .collect()
    }

    /// Returns the paths in the form of all their spellings, so that `./flows` is `flows` wherever paths are compared.
    fn value(given: &Self::RawValue, source: &SourceContext) -> Option<Self::Value> {
        let paths = given.iter();
        Some(paths.map(|path| below(source.folder, path)).collect())
    }

    /// Shows the paths with commas between, or `none`.
    fn show(value: &Self::Value) -> Option<String> {
        if value.is_empty() {
            return Some("none".to_owned());
        }
        let paths: Vec<&str> = value.iter().map(|path| path.as_str()).collect();
        Some(paths.join(", "))
    }
}

/// Returns true for a word or a number that switches something on or off, which somebody writes who expects a switch.
/// Case counts.
pub fn is_switch(text: &str) -> bool {
    ["true", "false", "yes", "no", "on", "off", "1", "0"].contains(&text)
}

/// Returns a message for a path with an expression, which no path of the file may have; `None` for others.
fn check_expression(path: &Utf8Path) -> Option<String> {
    let has_one = path.as_str().contains("${") || path.as_str().contains("{{ ");
    has_one.then(|| format!("`{path}`: nothing is expanded in a path of runner.yaml"))
}

/// Returns true for a path that begins with the letter of a drive, as those of Windows.
fn is_of_drive(path: &Utf8Path) -> bool {
    let mut letters = path.as_str().chars();
    letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':')
}

/// Returns a message if a path leads out of the root, even on the way, or is absolute; `None` if it is right.
/// Looks only at the text of the path, not at links. Reports may be anywhere, but what the program reads or
/// keeps is below the root.
fn check_below_root(path: &Utf8Path) -> Option<String> {
    use camino::Utf8Component::{CurDir, Normal, ParentDir};
    // Checked at each part: `a/../../b/c` leaves the root on the way, though its end is deep enough.
    let mut depth = 0_i32;
    let goes_out = path.components().any(|part| {
        match part {
            Normal(_) => depth += 1,
            CurDir => {}
            ParentDir => depth -= 1,
            _ => return true,
        }
        depth < 0
    });
    (goes_out || is_of_drive(path))
        .then(|| format!("`{path}` leaves the project; paths are relative to runner.yaml"))
}
