//! Builds the tree of a file from the parser's events, within limits.

mod anchors;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde_yaml::granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

use super::advice;
use super::node::{Document, Key, Node, NodeKind, Scalar};
use crate::diagnostic::{Code, Diagnostic, Label, Source};
use crate::suggest::{SourceRange, error};

/// Maximum nesting. Chosen: far above any flow; readers of the tree recurse, so much more would overflow
/// their stack.
pub const MAX_DEPTH: usize = 64;
/// Maximum number of nodes, with those that aliases repeat. Chosen: far above any flow; stops a small file
/// whose aliases grow to gigabytes.
pub const MAX_NODES: usize = 20_000;
/// Maximum number of aliases. Chosen: each may repeat a large part of the file.
pub const MAX_ALIASES: usize = 100;
/// Maximum number of anchors. Chosen: more than any file by hand has.
pub const MAX_ANCHORS: usize = 50;
/// Maximum number of documents in a file that may hold several. Chosen: flows have one or two.
pub const MAX_DOCUMENTS: usize = 8;

/// Parses all documents of a file; an empty file has none. Reports a duplicate key and keeps its first entry; warns
/// of a `#` that reads as something else than was meant. Reports the first syntax error, unknown tag, key that is
/// no scalar, wrong merge key or alias, or a file that is too large or too deep, and returns `None` then.
/// `diagnostics` keeps what it has.
pub fn read_documents(
    source: &Arc<Source>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Document>> {
    let options = serde_yaml::granit_parser::options! {
        emit_comments: false,
        // One more than this module allows, because its own message is better than the parser's.
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    let mut builder = Builder {
        source,
        parser: Parser::with_options(StrInput::new(&source.text), options),
        anchors: HashMap::new(),
        nodes: 0,
        aliases: 0,
        diagnostics,
    };
    match builder.documents() {
        Ok(documents) => Some(documents),
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            None
        }
    }
}

struct Builder<'a> {
    source: &'a Arc<Source>,
    parser: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    aliases: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
}

type BuildResult<T> = Result<T, Box<Diagnostic>>;

impl<'a> Builder<'a> {
    /// Reads all documents of the file; an empty file has none. An error at the first value that cannot be read,
    /// and beyond `MAX_DOCUMENTS`.
    fn documents(&mut self) -> BuildResult<Vec<Document>> {
        let mut documents = Vec::new();
        let mut start = 0..0;
        while let Some((event, span)) = self.next()? {
            match event {
                Event::StreamStart | Event::DocumentEnd => {}
                Event::StreamEnd => break,
                Event::DocumentStart(..) => start = self.range(span),
                event => {
                    if documents.len() >= MAX_DOCUMENTS {
                        let what = format!("more than {MAX_DOCUMENTS} documents");
                        return Err(self.too_large(what, self.range(span)));
                    }
                    let node = self.node(event, span, 1)?;
                    let start = start.clone();
                    documents.push(Document { start, node });
                }
            }
        }
        Ok(documents)
    }

    /// Returns the next event; `None` after the last. A syntax error comes with advice if some fits.
    fn next(&mut self) -> BuildResult<Option<(Event<'a>, Span)>> {
        match self.parser.next_event() {
            None => Ok(None),
            Some(Ok(event)) => Ok(Some(event)),
            Some(Err(scan)) => {
                let at = self.offset(
                    scan.marker().byte_offset(),
                    scan.marker().line(),
                    scan.marker().col(),
                );
                Err(Box::new(advice::explain(self.source, at, &scan.info())))
            }
        }
    }

    /// Returns the next event; an error if the file ends.
    fn expect(&mut self) -> BuildResult<(Event<'a>, Span)> {
        self.next()?.ok_or_else(|| {
            let end = self.source.text.len();
            self.fail(Code::Yaml, "the file ends too early", end..end, None)
        })
    }

    /// Reads the node that begins with this event, with all below it. Errors are a depth above `MAX_DEPTH`, too many
    /// values in the file, and a wrong alias, tag, key or merge.
    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> BuildResult<Node> {
        let range = self.range(span);
        if depth > MAX_DEPTH {
            return Err(self.too_large(format!("nested deeper than {MAX_DEPTH} levels"), range));
        }
        self.count(1, &range)?;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let forced = self.tag(tag.as_deref(), span)?;
                let plain = style == ScalarStyle::Plain && !forced;
                // An empty plain scalar comes as `~`; only what is written counts.
                let written = !(plain && range.is_empty());
                if plain && written {
                    self.comment_trap(&text, &range);
                    self.joined_comment(&text, &range);
                }
                let node = Node {
                    span: range,
                    kind: NodeKind::Scalar(Scalar {
                        text: if written {
                            text.into_owned()
                        } else {
                            String::new()
                        },
                        plain,
                    }),
                };
                self.keep(anchor, &node)?;
                Ok(node)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.tag(tag.as_deref(), span)?;
                let mut items = Vec::new();
                let end = loop {
                    match self.expect()? {
                        (Event::SequenceEnd, end) => break end,
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                };
                let span = self.extent(&range, items.last().map(|item| &item.span), end);
                let node = Node {
                    span,
                    kind: NodeKind::Sequence(items),
                };
                self.keep(anchor, &node)?;
                Ok(node)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.tag(tag.as_deref(), span)?;
                let (entries, end) = self.entries(depth)?;
                let last = entries.iter().map(|(_, value)| &value.span).next_back();
                let node = Node {
                    span: self.extent(&range, last, end),
                    kind: NodeKind::Map(entries),
                };
                self.keep(anchor, &node)?;
                Ok(node)
            }
            Event::Alias(id) => self.alias(id, &range, depth),
            _ => Err(self.fail(Code::Yaml, "this YAML is not understood here", range, None)),
        }
    }

    /// Warns of a `#` behind `text` that starts a comment where a text was probably meant, as in `Item #3`: no
    /// space follows the `#`. `range` is that of `text`.
    fn comment_trap(&mut self, text: &str, range: &Range<usize>) {
        let after = self.source.text.get(range.end..).unwrap_or_default();
        let line = after.lines().next().unwrap_or_default();
        let rest = line.trim_start_matches([' ', '\t']);
        let comment = rest.strip_prefix('#').unwrap_or_default().trim_end();
        let is_text = comment.starts_with(char::is_alphanumeric);
        if !is_text || rest.len() == line.len() {
            return;
        }
        let end = range.end + (line.len() - rest.len()) + 1 + comment.len();
        let diagnostic = Diagnostic {
            help: Some(format!(
                "if it belongs to the text, quote it: {}; if it is a comment, put a space after `#`",
                advice::quote(&format!("{text} #{comment}"))
            )),
            ..error(
                &SourceRange::new(self.source, range.start..end),
                Code::Comment,
                format!("`#` begins a comment: this reads as `{text}`"),
            )
        };
        self.diagnostics.push(diagnostic);
    }

    /// Warns of a `#` in `text` that was probably meant to begin a comment, as in `Save# the button`: no space
    /// stands before it. One letter before it, as in `C# course`, belongs to the text. `range` is that of `text`.
    fn joined_comment(&mut self, text: &str, range: &Range<usize>) {
        let Some((before, comment)) = text.split_once("# ") else {
            return;
        };
        let letters = before.chars().rev().take_while(|c| c.is_alphanumeric());
        if letters.take(2).count() < 2 || !comment.starts_with(char::is_alphabetic) {
            return;
        }
        let diagnostic = Diagnostic {
            help: Some(format!(
                "if it is a comment, put a space before `#`: `{before} # {comment}`; if it belongs to the text, quote it: {}",
                advice::quote(text)
            )),
            ..error(
                &SourceRange::new(self.source, range.clone()),
                Code::Comment,
                "`#` belongs to this text: no space stands before it",
            )
        };
        self.diagnostics.push(diagnostic);
    }

    /// Reads the entries of a map up to its end. A key that stands twice is reported and its first value stays;
    /// merged entries come last and do not replace any. Also returns the place where the map ends. A key that is a
    /// list or a map is an error.
    fn entries(&mut self, depth: usize) -> BuildResult<(Vec<(Key, Node)>, Span)> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        let mut merged: Vec<(Key, Node)> = Vec::new();
        loop {
            let (event, span) = self.expect()?;
            if matches!(event, Event::MappingEnd) {
                for (key, value) in merged {
                    if !entries.iter().any(|(have, _)| have.text == key.text) {
                        entries.push((key, value));
                    }
                }
                return Ok((entries, span));
            }
            let node = self.node(event, span, depth + 1)?;
            let NodeKind::Scalar(Scalar { text, plain }) = node.kind else {
                let written = self.source.text.get(node.span.clone()).unwrap_or("{name}");
                return Err(self.fail(
                    Code::Key,
                    "a key is plain text, not a list or a map",
                    node.span,
                    Some(&variable_or_text(written)),
                ));
            };
            let key = Key {
                text,
                span: node.span,
            };
            let (event, span) = self.expect()?;
            let value = self.node(event, span, depth + 1)?;
            // In quotes, `"<<"` is a key like any other.
            if plain && key.text == "<<" {
                self.merge(&key, value, &mut merged)?;
            } else if let Some((first, _)) = entries.iter().find(|(have, _)| have.text == key.text)
            {
                let mut diagnostic = error(
                    &SourceRange::new(self.source, key.span.clone()),
                    Code::DuplicateKey,
                    format!("`{}` stands twice in this map", key.text),
                );
                diagnostic.labels.push(Label {
                    span: first.span.clone(),
                    text: "first here".to_owned(),
                });
                diagnostic.help = Some("keep one of the two".to_owned());
                self.diagnostics.push(diagnostic);
            } else {
                entries.push((key, value));
            }
        }
    }

    /// Adds `nodes` to the number of values of the file; an error beyond `MAX_NODES`.
    fn count(&mut self, nodes: usize, range: &Range<usize>) -> BuildResult<()> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(self.too_large(format!("more than {MAX_NODES} values"), range.clone()));
        }
        Ok(())
    }

    /// Returns true if a tag makes the scalar a text: `!!str` or `!`. Other tags of YAML's core schema and no
    /// tag are false. All others are an error.
    fn tag(&self, tag: Option<&Tag>, span: Span) -> BuildResult<bool> {
        let Some(tag) = tag else { return Ok(false) };
        match tag.core_suffix() {
            Some("str") => Ok(true),
            Some(_) => Ok(false),
            None if tag.original() == "!" => Ok(true),
            None => {
                let mut range = self.range(span);
                if let Some(start) = span.tag_start {
                    range.start = self.offset(start.byte_offset(), start.line(), start.col());
                    range.end = range.end.max(range.start);
                }
                // In programs `!` is the opposite.
                let help = match tag.original().as_str() {
                    "!true" | "!yes" => "write `false`",
                    "!false" | "!no" => "write `true`",
                    _ => "text that begins with `!` must be quoted",
                };
                Err(self.fail(
                    Code::Tag,
                    format!(
                        "`!` begins a tag in YAML, and `{}` is none that is known",
                        tag.original()
                    ),
                    range,
                    Some(help),
                ))
            }
        }
    }

    /// Returns the range of a list or map: to its closing bracket, or else to the end of its last child, as the
    /// parser's own end lies behind blank lines.
    fn extent(&self, start: &Range<usize>, last: Option<&Range<usize>>, end: Span) -> Range<usize> {
        let last = last.map_or(start.end, |last| last.end).max(start.end);
        let end = self.range(end);
        // The end of a block collection is found only at what follows it; the last child ends it.
        let close = self.source.text.get(end.clone()).unwrap_or_default();
        let end = if close == "]" || close == "}" {
            end.end
        } else {
            last
        };
        start.start..end.max(start.start)
    }

    /// Returns the byte range; it is empty if the end lies before the start.
    fn range(&self, span: Span) -> Range<usize> {
        let start = self.offset(
            span.start.byte_offset(),
            span.start.line(),
            span.start.col(),
        );
        let end = self.offset(span.end.byte_offset(), span.end.line(), span.end.col());
        start..end.max(start)
    }

    /// Returns the byte offset; one beyond the end is the end, one inside of a character is its start. Without
    /// `bytes` it is counted by line and column.
    fn offset(&self, bytes: Option<usize>, line: usize, column: usize) -> usize {
        let mut offset = bytes.unwrap_or_else(|| offset_of(&self.source.text, line, column));
        offset = offset.min(self.source.text.len());
        while !self.source.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    fn too_large(&self, what: String, span: Range<usize>) -> Box<Diagnostic> {
        self.fail(Code::TooLarge, what, span, Some("split the file"))
    }

    fn fail(
        &self,
        code: Code,
        message: impl Into<String>,
        span: Range<usize>,
        help: Option<&str>,
    ) -> Box<Diagnostic> {
        let mut diagnostic = error(&SourceRange::new(self.source, span), code, message);
        diagnostic.help = help.map(str::to_owned);
        Box::new(diagnostic)
    }
}

/// Returns advice for a map in place of a key. `{{NAME}}` is the syntax of other tools for a variable, and
/// becomes `${NAME}`; all else is text that must be quoted.
fn variable_or_text(written: &str) -> String {
    let name = written.trim_matches(['{', '}', ' ']);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if written.starts_with('{') && is_name {
        return format!("for a value write \"${{{name}}}\"; a text in braces must be quoted");
    }
    "text that begins with `{` or `[` must be quoted: \"{name}\"".to_owned()
}

/// Returns the byte offset of a line from 1 and a column from 0. Beyond the end of the text it is that end.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let rest = text.get(start..).unwrap_or_default();
    start
        + rest
            .char_indices()
            .nth(column)
            .map_or(rest.len(), |(at, _)| at)
}
