//! Reads the sub-flow that a step runs, and advises on paths that name none.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::diagnostics::{add, finish};
use super::file::Reader;
use super::project::{MAX_CHAIN, MAX_RUNS, find_circle};
use crate::ast::Flow;
use crate::files::{ContainmentError, inside, load, near_path, normalise};
use crate::header_advice::outputs_with;
use crate::keys;
use crate::yaml::Node;
use runner_text::diagnostic::Code;
use runner_tools::file_in_other_form;

impl Reader<'_> {
    /// Reads the sub-flow at the path in `node`, relative to this file. Its steps may use the names in `env` and the
    /// variables of this flow. Reports errors and returns `None` for a path with an expression, absolute or out of
    /// the root, a circle, too many sub-flows, a file that is no flow, and a sub-flow with errors, which are added
    /// too. A node that is no scalar returns `None` without a report. It is read anew each time.
    pub(crate) fn sub_flow(&mut self, node: &Node, env: &[String]) -> Option<Arc<Flow>> {
        let text = &node.scalar()?.text;
        if text.contains("${") {
            let help = Some("sub-flows are read before anything runs; choose with `if`".to_owned());
            self.fail(
                node,
                Code::SubFlow,
                "the path of a sub-flow holds no expression",
                help,
            );
            return None;
        }
        let folder = self.source.path.parent().unwrap_or(Utf8Path::new(""));
        let Some(path) =
            normalise(&folder.join(text)).filter(|_| !Utf8Path::new(text).is_absolute())
        else {
            let help = Some("paths are relative to this file and stay below the root".to_owned());
            self.fail(
                node,
                Code::SubFlow,
                format!("`{text}` leaves the project's root"),
                help,
            );
            return None;
        };
        if let Some(circle) = find_circle(&self.chain, &path) {
            let message = format!("sub-flows run in a circle: {circle}");
            self.fail(node, Code::SubFlowCycle, message, None);
            return None;
        }
        let runs = self.project.count_run();
        if self.chain.len() >= MAX_CHAIN || runs > MAX_RUNS {
            let message = format!(
                "too many sub-flows: at most {MAX_CHAIN} one inside another, {MAX_RUNS} in all"
            );
            self.fail(node, Code::TooLarge, message, None);
            return None;
        }
        let absolute = self.project.options.root.join(&path);
        if let Some(help) = no_sub_flow(text) {
            let message = format!("`{text}` is not a flow");
            self.fail(node, Code::SubFlow, message, Some(help));
            return None;
        }
        // Before the file is opened: a link may lead out of the project, and errors quote lines of the file.
        if let Err(message) = inside(&absolute, &self.project.options.root) {
            let is_missing = matches!(message, ContainmentError::Unreadable(_));
            let help = is_missing.then(|| self.near_sub_flow(node, text, &path));
            self.fail(node, Code::SubFlow, format!("`{text}`: {message}"), help);
            return None;
        }
        let source = match load(&absolute, &path) {
            Ok(source) => source,
            Err(diagnostic) => {
                let help = absolute.is_dir().then(|| {
                    "`run` takes the file of one flow: write a step for each, such as `run: _login.yaml`"
                        .to_owned()
                });
                self.fail(
                    node,
                    Code::SubFlow,
                    format!("`{text}`: {}", diagnostic.message),
                    help,
                );
                return None;
            }
        };
        let mut names = self.env.clone();
        for name in env {
            names.add_text(name);
        }
        let mut reader = Reader::new(self.project, source, names, &self.chain);
        reader.repeats = self.repeats;
        let flow = reader.own_flow();
        let (flow, found) = finish(flow, reader.diagnostics);
        add(&mut self.diagnostics, found);
        let flow = flow?;
        for name in reader
            .stored_names
            .difference(&flow.outputs.iter().cloned().collect())
        {
            let help = format!(
                "`{path}` keeps it for itself: write `outputs: [ {} ]` in its header",
                outputs_with(&flow, name)
            );
            self.names.add_inner(name, help);
        }
        for name in flow.env.keys() {
            let help = format!(
                "`env` of `{path}` gives it there alone: write `{name}` into `env` of this flow"
            );
            self.names.add_inner(name, help);
        }
        Some(Arc::new(flow))
    }

    /// Returns advice for the path of a sub-flow that does not exist: a command in its place, backslashes, a file
    /// with a similar name, a path that is right from the root, or else where it was looked for; the first that fits.
    /// `text` is the path as written, `path` is relative to the root.
    fn near_sub_flow(&self, node: &Node, text: &str, path: &Utf8Path) -> String {
        let written = self.source.text.get(node.span.clone()).unwrap_or_default();
        if let Some(help) = self.no_path(text) {
            return help;
        }
        if text.starts_with("adb ") || text.starts_with("am ") || text.starts_with("pm ") {
            return "write `shell: […]` for a command; `run` takes the file of a flow".to_owned();
        }
        if written.contains('\\') {
            return "write a path with `/` between its parts".to_owned();
        }
        // A flow that runs itself would be a circle.
        let runs_already = |near: &String| {
            let folder = self.source.path.parent().unwrap_or(Utf8Path::new(""));
            let near = normalise(&folder.join(near));
            near.is_some_and(|near| self.chain.contains(&near))
        };
        let absolute = self.project.options.root.join(path);
        if let Some(help) = file_in_other_form(&absolute) {
            return help;
        }
        let near = near_path(text, &absolute);
        if let Some(near) = near.filter(|near| !runs_already(near)) {
            return format!("did you mean `{near}`?");
        }
        self.looked_for(text, path)
    }

    /// Returns advice for a file that is not there: the path from this file to one that is at `text` below the root or
    /// below its folder `flows`, or else that it was looked for at `path`, which is relative to the root.
    pub(crate) fn looked_for(&self, text: &str, path: &Utf8Path) -> String {
        self.path_from_here(text).unwrap_or_else(|| {
            format!("a path is relative to the file that names it: it was looked for as `{path}`")
        })
    }

    /// Returns advice with the path from this file, for a path that is right from the root or from its folder
    /// `flows`; the root goes first. Returns `None` if there is no file at either place.
    fn path_from_here(&self, text: &str) -> Option<String> {
        let root = &self.project.options.root;
        let folder = self.source.path.parent().unwrap_or(Utf8Path::new(""));
        let places = [Utf8PathBuf::from(text), Utf8Path::new("flows").join(text)];
        let there = places.iter().find(|it| root.join(it).is_file())?;
        let from_here = match there.strip_prefix(folder) {
            Ok(inside) => inside.to_owned(),
            Err(_) => folder
                .components()
                .map(|_| "..")
                .chain([there.as_str()])
                .collect(),
        };
        Some(format!(
            "paths are relative to this file: write `{from_here}`"
        ))
    }

    /// Returns advice for a text in place of a path that is an address, a step with a value, a command with
    /// arguments, a path with values or another path behind it, or one that begins with `~/`; `None` for other texts.
    /// Looks at no files.
    fn no_path(&self, text: &str) -> Option<String> {
        const COMMANDS: [&str; 14] = [
            "npm",
            "npx",
            "yarn",
            "node",
            "python",
            "python3",
            "bash",
            "sh",
            "echo",
            "curl",
            "make",
            "gradle",
            "./gradlew",
            "cd",
        ];
        if text.contains("://") {
            return Some("`run` takes a file of the project, and loads nothing".to_owned());
        }
        if let Some(path) = text.strip_prefix("~/") {
            return Some(format!(
                "a path begins in the folder of this file, and `~` is no folder: write such as `{path}`"
            ));
        }
        if let Some((path, rest)) = text.split_once([' ', ','])
            && path.ends_with(".yaml")
        {
            let rest = rest.trim();
            return Some(match rest {
                "" => format!("write `run: {path}`"),
                _ if rest.ends_with(".yaml") => {
                    format!("write a step for each file: `- run: {path}`")
                }
                _ => format!("write `run: {{ flow: {path}, env: {{ … }} }}`"),
            });
        }
        let line = text.lines().next()?.trim();
        let (first, rest) = line.split_once(' ')?;
        let is_step = keys::step_names(self.project.vocabulary).any(|name| name == first);
        if is_step {
            return Some(format!(
                "`run` takes the file of a flow; a step stands by itself: write `- {first}: {}`",
                rest.trim_start_matches([':', ' '])
            ));
        }
        COMMANDS.contains(&first).then(|| {
            "no step runs a command of this computer: run it before `runner test`; `http` asks a server"
                .to_owned()
        })
    }
}

/// Returns advice for a file that is no flow by its extension, in any case of letters, such as `.js` and `.CSV`; `None`
/// for other extensions and without one.
fn no_sub_flow(path: &str) -> Option<String> {
    let extension = Utf8Path::new(path).extension()?.to_ascii_lowercase();
    let help = match extension.as_str() {
        "js" | "ts" => "scripts run in flows of Maestro's alone; here `set` and `http` give values",
        "csv" | "tsv" => "`each: FILE` in the header runs a flow once for each row of a CSV file",
        "py" | "sh" | "bash" | "zsh" | "bat" | "cmd" | "ps1" | "exe" | "rb" => {
            "`run` takes the YAML file of a flow, and no step runs a program of this computer: run it before `runner test`; `http: …` asks a server"
        }
        "json" | "kt" => "`run` takes the YAML file of a flow",
        _ => return None,
    };
    Some(help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_counts_in_any_case_of_letters() {
        for path in ["a.js", "a.JS", "rows.CSV", "b/run.Py"] {
            assert!(no_sub_flow(path).is_some(), "{path}");
        }
        assert_eq!(no_sub_flow("a.YAML"), None);
    }
}
