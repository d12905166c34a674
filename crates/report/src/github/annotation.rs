//! Writes annotations: workflow commands that GitHub shows at the lines of the flows.

use camino::Utf8Path;

use crate::problem::{Case, Problem};
use crate::results::Results;
use crate::text::{clean, count};
use runner_event::FlowStatus;

/// Errors that GitHub shows for a step, and warnings likewise. Source: `docs/problem-matchers.md` of
/// GitHub's repository actions/toolkit.
const MAX_ANNOTATIONS: usize = 10;

/// Lines of an annotation. Chosen: several annotations fit on a screen.
const MAX_LINES: usize = 12;

/// Returns the annotations, one line each: errors, then warnings for flaky flows, both in the order of the problems.
/// Empty without problems. There are at most [`MAX_ANNOTATIONS`] of each kind; if there are more problems, the last
/// of the kind counts the flows of the rest.
pub(super) fn annotations(
    problems: &[Problem],
    results: &Results,
    workspace: Option<&Utf8Path>,
) -> Vec<String> {
    let (flaky, failed): (Vec<&Problem>, Vec<&Problem>) = problems
        .iter()
        .partition(|problem| problem.status == FlowStatus::Flaky);
    let mut lines = level("error", &failed, results, workspace);
    lines.extend(level("warning", &flaky, results, workspace));
    lines
}

/// Returns a command of this level for each problem, at most `MAX_ANNOTATIONS` in all: if there are more, the last
/// one counts the flows of the others. Empty without problems.
fn level(
    level: &str,
    problems: &[&Problem],
    results: &Results,
    workspace: Option<&Utf8Path>,
) -> Vec<String> {
    let displayed = if problems.len() > MAX_ANNOTATIONS {
        // The last one counts the rest.
        MAX_ANNOTATIONS - 1
    } else {
        problems.len()
    };
    let mut lines: Vec<String> = problems[..displayed]
        .iter()
        .map(|problem| one(level, problem, results, workspace))
        .collect();
    let rest: usize = problems[displayed..]
        .iter()
        .map(|problem| problem.cases.len())
        .sum();
    if rest > 0 {
        lines.push(format!(
            "::{level} title={}::the summary of this step names them",
            property(&format!("{} more", count(rest as u64, "flow")))
        ));
    }
    lines
}

/// Returns the command for a problem. Its place is that of the first case; without cases it has none. The title has
/// the number of flows if there are several. The message has the first case, the details and then the other cases. It
/// is cut to `MAX_LINES`, the last of which is `…`.
fn one(level: &str, problem: &Problem, results: &Results, workspace: Option<&Utf8Path>) -> String {
    let mut properties = Vec::new();
    let mut also = Vec::new();
    if let Some((first, others)) = problem.cases.split_first() {
        let at = first.place();
        let file = in_checkout(&at.file, results, workspace);
        properties.push(format!("file={}", property(&file)));
        properties.push(format!("line={}", at.line));
        properties.push(format!("col={}", at.column));
        also = others.iter().map(label).collect();
    }
    let flows = problem.cases.len();
    let title = if flows > 1 {
        format!("{}: {}", count(flows as u64, "flow"), problem.title)
    } else {
        problem.title.clone()
    };
    properties.push(format!("title={}", property(&title)));
    let mut message: Vec<String> = problem.cases.first().map(label).into_iter().collect();
    message.extend(problem.details.iter().cloned());
    if !also.is_empty() {
        message.push(format!("also: {}", also.join(", ")));
    }
    let mut text: Vec<&str> = message.iter().flat_map(|part| part.lines()).collect();
    if text.len() > MAX_LINES {
        text.truncate(MAX_LINES - 1);
        text.push("…");
    }
    format!(
        "::{level} {}::{}",
        properties.join(","),
        data(&text.join("\n"))
    )
}

/// Names a flow with its line, case and device, such as `flows/a.yaml:7 [case 1] [virtual]`. A place in another file
/// stands in parentheses: `flows/a.yaml (flows/_login.yaml:7) [case 1] [virtual]`. Parts that are unknown are left
/// out. The text is not escaped.
pub(super) fn label(case: &Case) -> String {
    let mut label = case.flow.clone();
    if let Some(at) = &case.at {
        if at.file.as_str() == case.flow {
            label = format!("{label}:{}", at.line);
        } else {
            label = format!("{label} ({}:{})", at.file, at.line);
        }
    }
    if let Some(case) = &case.case {
        label = format!("{label} [{case}]");
    }
    match &case.device {
        Some(device) => format!("{label} [{device}]"),
        None => label,
    }
}

/// Returns the path of a project's file relative to the checkout, which may be above the project's root, with `/` as
/// separator. Without `workspace` it is relative to the project's root. A file outside the checkout keeps its
/// absolute path. Before the run has started, returns `file` as it is. Only compares paths.
fn in_checkout(file: &Utf8Path, results: &Results, workspace: Option<&Utf8Path>) -> String {
    let Some(run) = &results.run else {
        return file.to_string();
    };
    // The project may be a folder in the checkout.
    let whole = run.root.join(file);
    let base = workspace.unwrap_or(&run.root);
    let below = whole.strip_prefix(base).unwrap_or(&whole);
    below.as_str().replace('\\', "/")
}

/// Escapes the text of a workflow command, which ends with its line: `%`, carriage returns and line ends become
/// percent codes. Control characters become visible before.
pub(super) fn data(text: &str) -> String {
    clean(text)
        // `%` comes first, because the other replacements write it.
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
