//! Draws diagnostics for people, and writes them as lines for tools.

use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};

use super::code::Severity;
use super::problem::{Diagnostic, Label};
use super::source::Source;
use crate::harmless;

/// Number of diagnostics that are drawn with their source lines; the ones after it take a line or two each.
/// Chosen: more fills any terminal's scrollback, and drawing is slow.
const MAX_DRAWN: usize = 200;
/// Number of diagnostics that follow the drawn ones; the rest is only counted. Chosen: a file with more
/// problems is not a flow.
const MAX_REPORTED: usize = 2000;
/// Longest source line that is drawn, in bytes. Chosen: a longer line is generated text that nobody reads,
/// and it would be drawn once for each error in it.
const MAX_DRAWN_LINE_BYTES: usize = 2000;

/// Renders diagnostics in their order for a terminal of `width` columns, at least 40. The first 200 show source line,
/// marks, labels and help, with an empty line between two. The next 2000, and each that starts or has a label in a line
/// of more than 2000 bytes, have only the line of [`render_line`] and their help; the rest is counted: `and 7 more`. A
/// line feed ends the text, which is empty for no diagnostics.
///
/// Control characters in files and messages are made visible; only `color` adds escape sequences.
pub fn render(diagnostics: &[Diagnostic], color: bool, width: usize) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let renderer = renderer
        .decor_style(DecorStyle::Ascii)
        .term_width(width.max(40));
    let block = |diagnostic: &Diagnostic| {
        if is_drawable(diagnostic) {
            renderer.render(&groups(&harmless(diagnostic)))
        } else {
            to_message(diagnostic)
        }
    };
    let (drawn, rest) = diagnostics.split_at(diagnostics.len().min(MAX_DRAWN));
    let mut blocks: Vec<String> = drawn.iter().map(block).collect();
    if !rest.is_empty() {
        let mut lines: Vec<String> = rest.iter().take(MAX_REPORTED).map(to_message).collect();
        if rest.len() > MAX_REPORTED {
            lines.push(format!("and {} more", rest.len() - MAX_REPORTED));
        }
        blocks.push(lines.join("\n"));
    }
    let mut text = blocks.join("\n\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Returns true if the lines in which the span and each label start have at most [`MAX_DRAWN_LINE_BYTES`] bytes each,
/// line ends aside. Further lines of a span may be longer.
fn is_drawable(diagnostic: &Diagnostic) -> bool {
    let text = &diagnostic.source.text;
    let spans = diagnostic.labels.iter().map(|label| &label.span);
    spans.chain([&diagnostic.span]).all(|span| {
        let start = span.start.min(text.len());
        let is_end = |byte: &u8| *byte == b'\n';
        let (before, after) = text.as_bytes().split_at(start);
        let before = before
            .iter()
            .rev()
            .take_while(|byte| !is_end(byte))
            .take(MAX_DRAWN_LINE_BYTES + 1);
        let after = after
            .iter()
            .take_while(|byte| !is_end(byte))
            .take(MAX_DRAWN_LINE_BYTES + 1);
        before.count() + after.count() <= MAX_DRAWN_LINE_BYTES
    })
}

/// Formats a diagnostic without its source: the line of [`render_line`], and, if there is help, a second line with it,
/// its line feeds escaped.
fn to_message(diagnostic: &Diagnostic) -> String {
    let line = render_line(diagnostic);
    match &diagnostic.help {
        Some(help) => format!("{line}\n  = help: {}", harmless::line(help)),
        None => line,
    }
}

/// Formats a diagnostic for tools and annotations: `file:line:col: error[code]: message`. A warning has `warning`
/// in place of `error`. Always one line: harmful characters and line feeds in it are escaped. Labels and help are
/// left out.
pub fn render_line(diagnostic: &Diagnostic) -> String {
    let (line, column) = diagnostic.line_column();
    let severity = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    format!(
        "{}:{line}:{column}: {severity}[{}]: {}",
        harmless::line(diagnostic.source.path.as_str()),
        diagnostic.code,
        harmless::line(&diagnostic.message)
    )
}

/// Returns a copy in which no character can steer a terminal: path, message and labels become one line each, and help
/// keeps its line feeds. In the source each harmful character but `\r` is replaced by one of as many bytes, so spans
/// stay valid.
fn harmless(diagnostic: &Diagnostic) -> Diagnostic {
    let source = &diagnostic.source;
    let stand_in = |c: char| match c.len_utf8() {
        _ if matches!(c, '\r') || !harmless::is_harmful(c) => c,
        1 => '?',
        2 => '·',
        _ => '\u{fffd}',
    };
    let path = harmless::line(source.path.as_str());
    let is_changed = source.text.contains(harmless::is_harmful) || path != source.path.as_str();
    let source = if is_changed {
        Arc::new(Source {
            path: path.into_owned().into(),
            text: source.text.chars().map(stand_in).collect(),
        })
    } else {
        Arc::clone(source)
    };
    let label = |label: &Label| Label {
        span: label.span.clone(),
        text: harmless::line(&label.text).into_owned(),
    };
    let help = diagnostic.help.as_deref();
    Diagnostic {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: harmless::line(&diagnostic.message).into_owned(),
        source,
        span: diagnostic.span.clone(),
        labels: diagnostic.labels.iter().map(label).collect(),
        help: help.map(|help| harmless::text(help).into_owned()),
    }
}

/// Builds the one group to draw: message and code as its title, the source with labels, and help if there is some. Of a
/// span over several lines only the first is marked.
fn groups(diagnostic: &Diagnostic) -> Vec<Group<'_>> {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let source = &diagnostic.source;
    let mark = |span: &Range<usize>| first_line(&source.text, span);
    let labels = diagnostic.labels.iter().map(|label| {
        AnnotationKind::Context
            .span(mark(&label.span))
            .label(label.text.as_str())
    });
    let snippet = Snippet::source(source.text.as_str())
        .path(source.path.as_str())
        .annotation(AnnotationKind::Primary.span(mark(&diagnostic.span)))
        .annotations(labels);
    let mut group = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.as_str())
        .element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    vec![group]
}

/// Cuts a span at the end of its first line, as a mark over many lines hides more than it shows, and cuts white space
/// there. Both ends move back to character boundaries. A span beyond the text becomes an empty one at its end.
fn first_line(text: &str, span: &Range<usize>) -> Range<usize> {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(span.start);
    let end = boundary(span.end).max(start);
    let line = text[start..end].lines().next().unwrap_or_default();
    start..start + line.trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;

    fn found(text: &str, at: usize) -> Diagnostic {
        Diagnostic {
            code: Code::Yaml,
            severity: Severity::Error,
            message: "it is wrong".to_owned(),
            source: Arc::new(Source {
                path: "a.yaml".into(),
                text: text.to_owned(),
            }),
            span: at..at + 1,
            labels: Vec::new(),
            help: Some("mend it".to_owned()),
        }
    }

    #[test]
    fn a_line_that_nobody_reads_is_not_drawn() {
        let long = format!("a: {}", "x, ".repeat(2000));
        let text = render(&[found(&long, 3000), found("a: b", 3)], false, 80);
        assert!(
            text.starts_with(
                "a.yaml:1:3001: error[yaml]: it is wrong\n  = help: mend it\n\nerror[yaml]"
            ),
            "{text}"
        );
        assert!(text.contains("1 | a: b"), "{text}");
    }

    #[test]
    fn a_path_is_one_line_in_every_form() {
        for (path, shown) in [
            ("a\nb.yaml", "a\\u{a}b.yaml:1:4"),
            ("a\tb.yaml", "a    b.yaml:1:4"),
            ("a\u{1b}[2Jb.yaml", "a\\u{1b}[2Jb.yaml:1:4"),
        ] {
            let mut diagnostic = found("a: b", 3);
            diagnostic.source = Arc::new(Source {
                path: path.into(),
                text: "a: b".to_owned(),
            });
            let drawn = render(std::slice::from_ref(&diagnostic), false, 80);
            assert!(drawn.contains(&format!("--> {shown}\n")), "{drawn}");
            assert!(render_line(&diagnostic).starts_with(shown));
        }
    }

    #[test]
    fn many_are_told_in_lines() {
        let all: Vec<Diagnostic> = (0..1000).map(|_| found("a: b", 3)).collect();
        let text = render(&all, false, 80);
        assert_eq!(text.matches("1 | a: b").count(), MAX_DRAWN);
        assert_eq!(text.matches("it is wrong").count(), 1000);
        let all: Vec<Diagnostic> = (0..5000).map(|_| found("a: b", 3)).collect();
        let text = render(&all, false, 80);
        assert!(text.ends_with("and 2800 more\n"), "{text}");
    }
}
