//! Improves errors of the YAML parser with the names of steps.

mod joined_keys;
mod lines;
mod lines_of_error;
mod quotes;
mod words_in_line;

use runner_text::confusables;
use runner_text::diagnostic::{Code, Diagnostic, Severity};
use runner_text::wide_signs;

use super::foreign;
use super::keys;
use super::maestro;
use super::vocabulary::Vocabulary;
use lines_of_error::{is_step, line_above, line_of, line_start};

/// Replaces the help of errors whose cause is a common slip. For a look-alike in the lines above, such as a strange
/// space or an invisible character, the error's place moves to it. Warnings, and errors of an unknown cause, stay as
/// they are; no error is added or taken away.
pub(crate) fn explain(diagnostics: &mut [Diagnostic], vocabulary: &Vocabulary) {
    for diagnostic in diagnostics {
        if diagnostic.severity != Severity::Error {
            continue;
        }
        let help = match diagnostic.code {
            Code::Yaml => foreign::gherkin_file(&diagnostic.source.text)
                .or_else(|| lines::program(&diagnostic.source.text))
                .or_else(|| lines::lists_in_lines(diagnostic, vocabulary))
                .or_else(|| foreign::chain(line_of(diagnostic).trim().trim_start_matches("- ")))
                .or_else(|| xpath(line_of(diagnostic)))
                .or_else(|| foreign::comment(line_of(diagnostic).trim()))
                .or_else(|| call(line_of(diagnostic), vocabulary))
                .or_else(|| nested_step(line_of(diagnostic), vocabulary))
                .or_else(|| joined_keys::nested_key(line_of(diagnostic)))
                .or_else(|| words_in_line::selector_without_braces(line_of(diagnostic)))
                .or_else(|| words_in_line::sign_in_header(diagnostic))
                .or_else(|| option_of_word(diagnostic, vocabulary))
                .or_else(|| step_of_word(diagnostic, vocabulary))
                .or_else(|| shallow_modifier(diagnostic))
                .or_else(|| deep_branch(diagnostic))
                .or_else(|| joined_keys::map_behind_words(line_of(diagnostic), vocabulary))
                .or_else(|| joined_keys::keys_behind_value(line_of(diagnostic), vocabulary))
                .or_else(|| joined_keys::keys_behind_map(line_of(diagnostic), vocabulary))
                .or_else(|| joined_keys::step_behind_value(line_of(diagnostic), vocabulary))
                .or_else(|| quotes::behind_text(line_of(diagnostic), vocabulary))
                .or_else(|| joined_keys::semicolon(diagnostic))
                .or_else(|| joined_keys::missing_comma(diagnostic, vocabulary))
                .or_else(|| lines::list_behind_header(diagnostic))
                .or_else(|| lines::bare_command(diagnostic))
                .or_else(|| lines::bare_step(diagnostic, vocabulary))
                .or_else(|| lines::unknown_anchor(diagnostic)),
            Code::DuplicateKey => second_step(diagnostic, vocabulary),
            Code::Tag => included(line_of(diagnostic))
                .or_else(|| words_in_line::denied_claim(line_of(diagnostic))),
            _ => None,
        };
        let sign = wide_signs::explain(diagnostic).or_else(|| look_alike_of(diagnostic));
        if let Some(help) = sign.or(help) {
            diagnostic.help = Some(help);
        }
        if diagnostic.code == Code::Yaml
            && let Some((at, help)) = look_alike_above(diagnostic)
        {
            let length = diagnostic.source.text[at..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
            diagnostic.span = at..at + length;
            diagnostic.help = Some(help);
        }
    }
}

/// Explains a call of another tool that YAML cannot read, such as `page.screenshot({ path: 'a.png' })`, by the step
/// that it means. Returns `None` for other lines, and for calls that mean no step.
fn call(line: &str, vocabulary: &Vocabulary) -> Option<String> {
    let text = line.trim().trim_start_matches("- ");
    let (name, _) = text.split_once('(')?;
    let name = name.trim_start_matches("await ");
    let is_part = |c: char| c.is_alphanumeric() || "._$".contains(c);
    if name.is_empty() || !name.chars().all(is_part) {
        return None;
    }
    let name = if text.contains("mobile:") {
        "mobile"
    } else {
        name
    };
    let help = foreign::step(name, keys::step_names(vocabulary))?;
    let ours = help.strip_prefix("did you mean `");
    match ours.and_then(|rest| rest.split_once('`')) {
        Some((ours, _)) => Some(format!("write `{ours}: …`")),
        None => help.starts_with("write ").then_some(help),
    }
}

/// Explains a path of `XPath`, whose brackets YAML reads as a list: always by selectors with `id` and `text`. Returns
/// `None` for other lines.
fn xpath(line: &str) -> Option<String> {
    let is_path = line.contains("//") && (line.contains("[@") || line.contains("xpath"));
    is_path.then(|| {
        "there is no XPath; write `{ id: … }`, `{ text: … }` or `{ text: …, inside: … }`".to_owned()
    })
}

/// Explains two keys in one line: `- assert: visible: Save` is one step, and `- click: id: save` a step with
/// a key. Returns `None` for other lines.
fn nested_step(line: &str, vocabulary: &Vocabulary) -> Option<String> {
    let mut parts = line.trim().strip_prefix("- ")?.splitn(3, ": ");
    let (first, second, _) = (parts.next()?, parts.next()?, parts.next()?);
    let both = format!("{first} {second}");
    if is_step(&both, vocabulary) {
        return Some(format!("write `{both}: …`"));
    }
    let options = vocabulary
        .tool(first)
        .map(|tool| vocabulary.properties(&tool.schema));
    let mut known = vocabulary.properties(&vocabulary.selector);
    known.extend(options.into_iter().flatten());
    let is_key = is_step(first, vocabulary) && known.contains(&second);
    is_key.then(|| format!("write `{first}: {{ {second}: … }}`"))
}

/// Explains a key of a step's options below the step without a colon: `- launch`, then `clear: true`, is
/// `launch: { clear: … }`. Modifiers do not count. Returns `None` for other lines.
fn option_of_word(diagnostic: &Diagnostic, vocabulary: &Vocabulary) -> Option<String> {
    let line = line_of(diagnostic);
    let before = line_above(diagnostic)?;
    let step = before.trim().strip_prefix("- ")?;
    let (key, _) = line.trim().split_once(':')?;
    let tool = vocabulary.tool(step)?;
    let is_option = vocabulary.properties(&tool.schema).contains(&key);
    (is_option && !keys::MODIFIERS.contains(&key))
        .then(|| format!("write `{step}: {{ {key}: … }}`"))
}

/// Explains a step below a step without a value: `- launch`, then `click: Save`, needs a dash of its own. Returns
/// `None` for other lines.
fn step_of_word(diagnostic: &Diagnostic, vocabulary: &Vocabulary) -> Option<String> {
    let line = line_of(diagnostic);
    let before = line_above(diagnostic)?;
    let word = before.trim().strip_prefix("- ")?;
    let (key, _) = line.trim().split_once(':')?;
    (is_step(word, vocabulary) && is_step(key, vocabulary) && !keys::MODIFIERS.contains(&key))
        .then(|| format!("begin each step with `- `: write `- {}`", line.trim()))
}

/// Explains a modifier, or the `then` or `else` of an `if`, that is not indented deeper than the dash of the step in
/// the line before. Returns `None` for other lines.
fn shallow_modifier(diagnostic: &Diagnostic) -> Option<String> {
    let line = line_of(diagnostic);
    let before = line_above(diagnostic)?;
    let depth = |line: &str| line.len() - line.trim_start().len();
    let (step, _) = before.trim().strip_prefix("- ")?.split_once(':')?;
    let (key, _) = line.trim().split_once(':')?;
    let belongs = keys::MODIFIERS.contains(&key) || step == "if" && ["then", "else"].contains(&key);
    (belongs && depth(line) <= depth(before))
        .then(|| format!("indent `{key}` to the column of `{step}`"))
}

/// Explains the `then` or `else` of an `if` that begins deeper than the `if`, such as in the column of the steps above
/// it. Returns `None` for other lines, and without an `if` above.
fn deep_branch(diagnostic: &Diagnostic) -> Option<String> {
    let line = line_of(diagnostic);
    let key = line.trim().split(':').next()?;
    let above = diagnostic.source.text.get(..line_start(diagnostic))?;
    let column = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let is_if = |line: &&str| line.trim_start_matches([' ', '-']).starts_with("if:");
    let branch = above.lines().rev().find(is_if)?;
    (["then", "else"].contains(&key) && column(branch) < column(line))
        .then(|| format!("begin `{key}` in the column of `if`: here it is indented too deep"))
}

/// Explains a tag that takes another flow in, such as `!include _login.yaml`, by a step `run`. Returns `None` for
/// other lines.
fn included(line: &str) -> Option<String> {
    let tags = ["!include ", "!import ", "!load ", "!file "];
    let rest = tags.iter().find_map(|tag| line.split_once(*tag))?.1;
    let file = rest
        .split([' ', ',', ']', '}'])
        .next()?
        .trim_matches(['"', '\'']);
    let is_flow = file.ends_with(".yaml") || file.ends_with(".yml");
    is_flow.then(|| format!("YAML takes in no other file: write `run: {file}` as a step"))
}

/// Explains a duplicate key that is a step, or a command of Maestro's: two steps without dashes are one map. Returns `None`
/// for other keys.
fn second_step(diagnostic: &Diagnostic, vocabulary: &Vocabulary) -> Option<String> {
    let key = diagnostic.source.text.get(diagnostic.span.clone())?;
    let is_maestro = diagnostic
        .source
        .text
        .lines()
        .any(|line| line.starts_with("appId:"));
    let is_command = is_maestro && maestro::in_line(key).is_some();
    (is_command || is_step(key, vocabulary))
        .then(|| format!("begin each step with `- `: write `- {key}: …`"))
}

/// Returns place and help for an invisible character, or one that looks like a space or a dash, at the start of an item
/// or key in the 3 lines above the error's. Of several the nearest line counts. Returns `None` if there is none.
fn look_alike_above(diagnostic: &Diagnostic) -> Option<(usize, String)> {
    /// Chosen: the parser reports a look-alike at most a few lines later.
    const MAX_LINES: usize = 3;
    let text = &diagnostic.source.text;
    let start = text.get(..diagnostic.span.start)?.rfind('\n')?;
    let mut end = start;
    for _ in 0..MAX_LINES {
        let begin = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &text[begin..end];
        let rest = line.trim_start_matches([' ', '-']);
        let first = rest
            .chars()
            .next()
            .filter(|c| confusables::name(*c).is_some());
        if let Some((character, name)) = first.and_then(|_| confusables::first(rest)) {
            let plain = plain_for(character);
            let help = format!("there is a {name} here; write {plain} in its place");
            return Some((begin + line.len() - rest.len(), help));
        }
        end = begin.checked_sub(1)?;
    }
    None
}

/// Returns help that names the first character of the error's line that looks like a space or a dash, or is
/// invisible. Searches only the part before a quote, and only for errors of the syntax and of unknown steps
/// and keys. Returns `None` if there is none.
fn look_alike_of(diagnostic: &Diagnostic) -> Option<String> {
    let line = line_of(diagnostic);
    // A value may contain the character: it is a text of the app.
    let (before, _) = line.split_once(['"', '\'']).unwrap_or((line, ""));
    let is_syntax = matches!(
        diagnostic.code,
        Code::Yaml | Code::Step | Code::UnknownStep | Code::UnknownKey
    );
    let (character, name) = confusables::first(before).filter(|_| is_syntax)?;
    let plain = plain_for(character);
    Some(format!(
        "there is a {name} in this line; write {plain} in its place"
    ))
}

/// Returns what to write in place of a look-alike: `a plain -` for a dash, `plain spaces` for any other character.
fn plain_for(character: char) -> &'static str {
    if ('\u{2010}'..='\u{2015}').contains(&character) {
        "a plain `-`"
    } else {
        "plain spaces"
    }
}
