//! Slips that show only beside the words of steps: what a diagnostic of YAML is to say of them.

use runner_text::diagnostic::{Code, Diagnostic, Severity};
use runner_text::look_alike;

use super::keys;
use super::vocabulary::Vocabulary;

/// Gives diagnostics the help that names the slip.
pub(crate) fn explain(diagnostics: &mut [Diagnostic], vocabulary: &Vocabulary) {
    for diagnostic in diagnostics {
        if diagnostic.severity != Severity::Error {
            continue;
        }
        let help = match diagnostic.code {
            Code::Yaml => nested_step(line_of(diagnostic), vocabulary)
                .or_else(|| option_of_word(diagnostic, vocabulary)),
            Code::DuplicateKey => second_step(diagnostic, vocabulary),
            _ => None,
        };
        if let Some(help) = look_alike_of(diagnostic).or(help) {
            diagnostic.help = Some(help);
        }
    }
}

fn line_of(diagnostic: &Diagnostic) -> &str {
    let text = &diagnostic.source.text;
    let at = diagnostic.span.start.min(text.len());
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].lines().next().unwrap_or_default()
}

fn is_step(word: &str, vocabulary: &Vocabulary) -> bool {
    keys::step_names(vocabulary).any(|name| name == word)
}

/// `- assert: visible: Save` is one step, and `- click: id: save` a step with a key.
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

/// A key below a step without a colon: `- launch` and then `clear: true`.
fn option_of_word(diagnostic: &Diagnostic, vocabulary: &Vocabulary) -> Option<String> {
    let line = line_of(diagnostic);
    let text = &diagnostic.source.text;
    let before = text[..text.find(line)?].lines().next_back()?;
    let step = before.trim().strip_prefix("- ")?;
    let (key, _) = line.trim().split_once(':')?;
    let tool = vocabulary.tool(step)?;
    let is_option = vocabulary.properties(&tool.schema).contains(&key);
    (is_option && !keys::MODIFIERS.contains(&key))
        .then(|| format!("write `{step}: {{ {key}: … }}`"))
}

/// Two steps under `steps:` without dashes are one map, in which a key stands twice.
fn second_step(diagnostic: &Diagnostic, vocabulary: &Vocabulary) -> Option<String> {
    let key = diagnostic.source.text.get(diagnostic.span.clone())?;
    is_step(key, vocabulary).then(|| format!("begin each step with `- `: write `- {key}: …`"))
}

/// Names a character of the line that looks as a space, or as nothing.
fn look_alike_of(diagnostic: &Diagnostic) -> Option<String> {
    let line = line_of(diagnostic);
    // A value may hold it: a text of the app's.
    let (before, _) = line.split_once(['"', '\'']).unwrap_or((line, ""));
    let is_syntax = matches!(
        diagnostic.code,
        Code::Yaml | Code::Step | Code::UnknownStep | Code::UnknownKey
    );
    let (character, name) = look_alike::first(before).filter(|_| is_syntax)?;
    let is_dash = ('\u{2010}'..='\u{2015}').contains(&character);
    let plain = if is_dash {
        "a plain `-`"
    } else {
        "plain spaces"
    };
    Some(format!(
        "there is a {name} in this line; write {plain} in its place"
    ))
}
