//! Ends of messages about paths without flows: the path or the flows that were probably meant.

use camino::{Utf8Path, Utf8PathBuf};

use super::error::{MissingPath, NoFlow};
use super::flow_path::is_flow;
use super::walk::{AllFlows, FoundFiles, Walk};
use crate::files::near_files;
use crate::report::nearest;
use runner_base::named_path::tidy;
use runner_tools::file_in_other_form;

/// Most flows that a message names. Chosen: more names would hide it.
const MAX_NAMED: usize = 3;

impl MissingPath {
    /// Looks in the file system for what was probably meant by a missing path, relative to `folder`. Without any idea
    /// `near` is empty.
    pub(super) fn new(path: &Utf8Path, folder: &Utf8Path) -> Self {
        let in_unicode = || file_in_other_form(&folder.join(path)).map(|said| format!("; {said}"));
        let meant = another_form(path, folder).or_else(in_unicode);
        let meant = meant.or_else(|| near(path, folder));
        Self {
            path: path.to_owned(),
            near: meant.unwrap_or_default(),
        }
    }
}

impl NoFlow {
    /// Looks for flows in the folder `flows` of `folder`, and names at most [`MAX_NAMED`] of them. `paths` are in
    /// backticks already; none at all means an empty list.
    pub(super) fn new(paths: &[String], folder: &Utf8Path) -> Self {
        let mut names = usual_flows(folder);
        let is_elsewhere = !names.is_empty();
        names.truncate(MAX_NAMED);
        let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
        Self {
            paths: if paths.is_empty() {
                "an empty list".to_owned()
            } else {
                paths.join(", ")
            },
            end: if is_elsewhere {
                format!("the folder `flows` has {}", names.join(", "))
            } else {
                "flows are `*.yaml` files, but for those whose name, or whose folder's name, begins with `_` or `.`"
                    .to_owned()
            },
            is_elsewhere,
        }
    }
}

/// Returns the flows of the folder `flows`, relative to `folder` and sorted; none if it is not there or cannot be
/// read.
fn usual_flows(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let usual = folder.join("flows");
    if !usual.is_dir() {
        return Vec::new();
    }
    let mut found = FoundFiles::below(folder);
    if Walk::new(folder, &usual, AllFlows, true)
        .run(&mut found)
        .is_err()
    {
        return Vec::new();
    }
    let shown = |path: Utf8PathBuf| path.strip_prefix(folder).map(Utf8Path::to_owned).ok();
    found.sorted().into_iter().filter_map(shown).collect()
}

/// Returns an ending for the message about a missing path in the form of another tool or system: an address, a path
/// of Windows, or one with a case behind the file, such as `a.yaml::b`. `None` for others.
fn another_form(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let text = path.strip_prefix(folder).unwrap_or(path).as_str();
    // Joining to a folder has made one slash of two.
    if text.starts_with("http:/") || text.starts_with("https:/") {
        return Some("; flows are files of this computer, and nothing is fetched".to_owned());
    }
    let slashes = text.replace('\\', "/");
    if slashes != text && folder.join(&slashes).exists() {
        return Some(format!("; did you mean `{slashes}`?"));
    }
    let mut letters = text.chars();
    let is_drive = letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':');
    if is_drive && is_flow(path) && !text.contains(['/', '\\']) {
        return Some(
            "; a shell takes `\\` away: put the path into quotes, or write `/`".to_owned(),
        );
    }
    let (file, part) = ["::", "#", "@", ":"]
        .into_iter()
        .find_map(|sign| text.split_once(sign))?;
    let is_file = !file.is_empty() && folder.join(file).is_file();
    // As compilers and editors name a line, and a column behind it.
    let is_line = part.chars().all(|c| c.is_ascii_digit() || c == ':');
    if is_file && is_line {
        return Some(format!(
            "; a flow is taken as a whole, and no line of it: write `{file}`"
        ));
    }
    is_file.then(|| {
        format!("; a flow runs as a whole: write `{file}`, and `--grep {part}` for a case of it")
    })
}

/// Returns an ending for the message about a missing path, or `None`. It names a similar path that exists: one with
/// another name in place of the first missing part, one with the extension or the `_` that is missing, or a flow of
/// this name in the folder `flows`. Else it lists at most [`MAX_NAMED`] flows of the deepest existing folder, unless
/// that is `folder`, or mentions the folder `flows`. Reads the file system.
fn near(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let absolute = folder.join(path);
    let there = absolute.ancestors().find(|it| it.is_dir())?;
    let rest = absolute.strip_prefix(there).ok()?;
    let (wrong, below) = {
        let mut parts = rest.components();
        (parts.next()?.as_str(), parts.as_path())
    };
    let entries = there.read_dir_utf8().ok()?.flatten();
    let names: Vec<String> = entries.map(|it| it.file_name().to_owned()).collect();
    let shown = |path: Utf8PathBuf| {
        path.strip_prefix(folder)
            .map(Utf8Path::to_owned)
            .unwrap_or(path)
    };
    let meant = nearest(wrong, names.iter().map(String::as_str));
    // Joined to nothing, the name of a file would end in `/`, and no file has such a name.
    let meant = meant.map(|name| match below.as_str() {
        "" => there.join(name),
        _ => there.join(name).join(below),
    });
    if let Some(meant) = meant.filter(|meant| meant.exists()) {
        return Some(format!("; did you mean `{}`?", shown(tidy(&meant))));
    }
    // A name without its extension, or a sub-flow without its `_`.
    if below.as_str().is_empty()
        && let Some(name) = near_files(&there.join(wrong))
    {
        return Some(format!("; did you mean `{}`?", shown(there.join(name))));
    }
    let usual = usual_flows(folder);
    let same = usual
        .iter()
        .find(|flow| flow.file_name() == path.file_name());
    if let Some(flow) = same {
        return Some(format!("; did you mean `{flow}`?"));
    }
    let mut flows: Vec<&str> = names.iter().map(String::as_str).collect();
    flows.retain(|name| is_flow(Utf8Path::new(name)) && !name.starts_with(['_', '.']));
    flows.sort_unstable();
    flows.truncate(MAX_NAMED);
    if there != folder && !flows.is_empty() {
        return Some(format!(
            "; `{}` has `{}`",
            shown(there.to_owned()),
            flows.join("`, `")
        ));
    }
    let usual = folder.join("flows");
    usual
        .is_dir()
        .then(|| "; the folder `flows` is there".to_owned())
}
