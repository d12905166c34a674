//! Explains steps without a dash or colon, and aliases of lists that nothing marks.

use runner_text::diagnostic::Diagnostic;

use super::lines_of_error::{line_above, line_of, line_start};
use crate::keys;
use crate::maestro;
use crate::vocabulary::Vocabulary;

/// Keys with a list of steps.
const STEP_LISTS: [&str; 7] = [
    "steps",
    "setup",
    "teardown",
    "on_failure",
    "then",
    "else",
    "group",
];

/// Other keys of a flow that take no text.
const OTHER_LISTS: [&str; 9] = [
    "env",
    "tags",
    "needs",
    "matrix",
    "secrets",
    "outputs",
    "each",
    "on_device",
    "permissions",
];

/// Splits a line such as `click Sign in` into the step and the rest. Of several steps the longest counts.
/// Returns `None` for lines that begin with no step or have a colon.
fn step_without_colon<'l>(text: &'l str, vocabulary: &Vocabulary) -> Option<(&'l str, &'l str)> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    let steps =
        keys::step_names(vocabulary).filter(|name| text.strip_prefix(name).is_some_and(ends));
    let step = steps.max_by_key(|name| name.len())?;
    let (step, rest) = text.split_at(step.len());
    (!text.contains(':')).then(|| (step, rest.trim()))
}

/// Explains a step without its dash, or with a value but no colon. Looks at one line: for the error
/// `simple key expected` at the error's own, for `mapping values are not allowed` at the one above,
/// unless the error's own begins with `- `. Returns `None` for all other errors, for a line that begins
/// with no step or has a colon, and for a dash with a step alone.
pub(super) fn bare_step(diagnostic: &Diagnostic, vocabulary: &Vocabulary) -> Option<String> {
    let message = &diagnostic.message;
    let here = line_of(diagnostic);
    let line = if message.contains("simple key expected") {
        here
    } else if message.contains("mapping values are not allowed") {
        line_above(diagnostic).filter(|_| !here.trim_start().starts_with("- "))?
    } else {
        return None;
    };
    let text = line.trim();
    let item = text.strip_prefix("- ");
    let (step, value) = step_without_colon(item.unwrap_or(text).trim(), vocabulary)?;
    match (item, value) {
        // A step alone gets its colon or its key below it by other advice.
        (Some(_), "") => None,
        (Some(_), value) => Some(format!("a colon is missing: write `- {step}: {value}`")),
        (None, "") => Some(format!("begin each step with `- `: write `- {step}`")),
        (None, value) => Some(format!(
            "begin each step with `- `: write `- {step}: {value}`"
        )),
    }
}

/// Explains a command of Maestro's without its dash, in its second document: the line of the error, or the one above it.
/// Returns `None` for other files, lines and errors.
pub(super) fn bare_command(diagnostic: &Diagnostic) -> Option<String> {
    let above = &diagnostic.source.text[..line_start(diagnostic)];
    let has = |begin: &str| above.lines().any(|line| line.starts_with(begin));
    let is_told = ["mapping values are not allowed", "simple key expected"]
        .iter()
        .any(|part| diagnostic.message.contains(part));
    if !is_told || !has("appId:") || !has("---") {
        return None;
    }
    let line = line_above(diagnostic).filter(|line| maestro::in_line(line).is_some());
    maestro::in_line(line.unwrap_or_else(|| line_of(diagnostic)))
}

/// Explains a list that begins in the first column behind the header of a flow, without `steps:` or, in a flow of Maestro's,
/// without `---`. Returns `None` for other lines, and for a list below a key without a value.
pub(super) fn list_behind_header(diagnostic: &Diagnostic) -> Option<String> {
    let above = &diagnostic.source.text[..line_start(diagnostic)];
    let is_key = |line: &str| {
        let key = line.split_once(':').map(|(key, _)| key);
        key.is_some_and(|key| {
            !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_')
        })
    };
    let has_text = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let last = above.lines().rev().find(has_text)?;
    let begins_list = line_of(diagnostic).starts_with("- ");
    if !begins_list || !is_key(last) || last.trim_end().ends_with(':') {
        return None;
    }
    let has = |begin: &str| above.lines().any(|line| line.starts_with(begin));
    if has("appId:") || has("url:") {
        return Some(
            "the commands of Maestro stand in a second document: write `---` on a line of its own before the first `- `"
                .to_owned(),
        );
    }
    let is_flow = has("app:") || has("name:") || has("env:");
    (is_flow && !has("steps:"))
        .then(|| "write `steps:` on a line of its own before the first `- `".to_owned())
}

/// Explains steps in brackets of their own, one below the other. Returns `None` for other lines.
pub(super) fn lists_in_lines(diagnostic: &Diagnostic, vocabulary: &Vocabulary) -> Option<String> {
    let step = in_brackets(line_of(diagnostic))?;
    in_brackets(line_above(diagnostic)?)?;
    let name = step.split(':').next().unwrap_or_default();
    keys::step_names(vocabulary)
        .any(|known| known == name)
        .then(|| format!("begin each step with `- `, without brackets: write `- {step}`"))
}

/// Returns what stands between the brackets of a line that is nothing else.
fn in_brackets(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    Some(inner.trim())
}

/// Explains a program in place of a flow, by its first line. Returns `None` for other texts.
pub(super) fn program(text: &str) -> Option<String> {
    const BEGINS: [&str; 17] = [
        "module.exports",
        "export default",
        "export const",
        "exports.",
        "import {",
        "import ",
        "from ",
        "const ",
        "let ",
        "var ",
        "describe(",
        "test(",
        "it(",
        "def ",
        "public class ",
        "package ",
        "#include",
    ];
    let is_comment = |line: &&str| line.is_empty() || line.starts_with("//");
    let mut lines = text.lines().map(str::trim).skip_while(is_comment);
    let first = lines.next()?;
    let is_program = BEGINS.iter().any(|begin| first.starts_with(begin));
    let has_signs = text.contains(['{', '(', ';']);
    (is_program && has_signs).then(|| {
        "a flow is YAML, and no program: write `app: …`, and below `steps:` an item such as `- click: Save` for each step"
            .to_owned()
    })
}

/// Explains an alias without its anchor where no text is possible: a step, and a key such as `steps`. Returns
/// `None` for other places, where a text that begins with `*` may be meant.
pub(super) fn unknown_anchor(diagnostic: &Diagnostic) -> Option<String> {
    if !diagnostic.message.contains("unknown anchor") {
        return None;
    }
    let text = line_of(diagnostic).trim();
    let item = text.strip_prefix("- ").map_or(text, str::trim_start);
    let (key, value) = item.split_once(": ").unwrap_or(("", item));
    let word = value.trim().strip_prefix('*')?;
    let name = word.split([' ', ',', ']']).next().unwrap_or_default();
    let list = if key.is_empty() {
        list_of_item(diagnostic)
    } else {
        key
    };
    let is_steps = key == "<<" || STEP_LISTS.contains(&list);
    if !is_steps && !OTHER_LISTS.contains(&list) {
        return None;
    }
    let mark = format!("nothing above is marked `&{name}`");
    Some(if is_steps {
        format!("{mark}; write `- run: FILE` for the steps of another file")
    } else {
        format!("{mark}: write `&{name}` before the value that is meant")
    })
}

/// Returns the key above the error's line, in the same column or left of it, whose list the line belongs to;
/// an empty text if there is none.
fn list_of_item(diagnostic: &Diagnostic) -> &str {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let own = depth(line_of(diagnostic));
    let above = &diagnostic.source.text[..line_start(diagnostic)];
    let is_outer = |line: &&str| {
        let is_item = line.trim_start().starts_with("- ");
        depth(line) < own || depth(line) == own && !is_item
    };
    let mut above = above.lines().rev().filter(is_outer);
    let key = above.find_map(|line| line.trim().strip_suffix(':'));
    key.unwrap_or_default().trim_start_matches("- ")
}
