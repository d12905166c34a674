//! Parses YAML into a tree that keeps the place of each value.
//!
//! Owns budgets against hostile files, anchors and merge keys, duplicate keys and the advice on quoting.
//! Knows no key of any file: flows and `runner.yaml` are read from the same tree.

mod advice;
pub use advice::missing_space;
mod walk;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde_yaml::granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

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

/// Value with its place in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Range of bytes in the source, without indentation and comments. A copy by an alias has the range of the
    /// original.
    pub span: Range<usize>,
    pub kind: NodeKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    Scalar(Scalar),
    /// Entries in the order of the file, with merge keys resolved and without duplicate keys.
    Map(Vec<(Key, Node)>),
    /// Items in the order of the file.
    Sequence(Vec<Node>),
}

/// Scalar as text. Its reader decides about its type, so `1` may be a text or a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    /// Text with escapes and line folding resolved.
    pub text: String,
    /// True if written without quotes, and neither as a block nor with a tag for text, so that it may be a number, a
    /// boolean or null.
    pub plain: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Text with escapes resolved.
    pub text: String,
    pub span: Range<usize>,
}

impl Node {
    /// Returns true if there is no value: a null, or nothing but a comment or an anchor.
    pub fn is_missing(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_null)
    }

    /// Returns the scalar; `None` for a list or a map.
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            NodeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Names the type with an article for messages, such as `a list`; `nothing` for a missing value. A number
    /// or boolean in quotes is `text`.
    pub fn what(&self) -> &'static str {
        match &self.kind {
            _ if self.is_missing() => "nothing",
            NodeKind::Scalar(scalar) if scalar.plain && scalar.boolean().is_some() => "a boolean",
            NodeKind::Scalar(scalar) if scalar.plain && scalar.number().is_some() => "a number",
            NodeKind::Scalar(_) => "text",
            NodeKind::Map(_) => "a map",
            NodeKind::Sequence(_) => "a list",
        }
    }
}

impl Scalar {
    /// Returns true if YAML reads it as null: empty, `~` or `null`, without quotes.
    pub fn is_null(&self) -> bool {
        self.plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// Returns the value of `true` or `false` in lower case without quotes; `None` for all other texts, `yes`
    /// and `on` too.
    pub fn boolean(&self) -> Option<bool> {
        match self.text.as_str() {
            "true" if self.plain => Some(true),
            "false" if self.plain => Some(false),
            _ => None,
        }
    }

    /// Returns the value of a number in JSON's syntax (a leading `+` is allowed) without quotes. Returns `None` for
    /// others, such as `007`, `0x1f` and `.5`, and for texts in quotes.
    pub fn number(&self) -> Option<serde_json::Number> {
        if !self.plain {
            return None;
        }
        let text = self.text.strip_prefix('+').unwrap_or(&self.text);
        serde_json::from_str(text).ok()
    }
}

/// Parses one document. An empty file is an empty plain scalar, for which [`Node::is_missing`] is true. Adds to
/// `diagnostics` what [`read_documents`] reports, and a second document as an error. Returns `None` if there is a
/// second one, and wherever [`read_documents`] does.
pub fn read(source: &Arc<Source>, diagnostics: &mut Vec<Diagnostic>) -> Option<Node> {
    only(read_documents(source, diagnostics)?, source, diagnostics)
}

#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Range of the line `---` before it; empty if it has none.
    pub start: Range<usize>,
    pub node: Node,
}

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

/// Returns the only document. Reports a second one as an error, and returns `None` then. An empty file is an
/// empty plain scalar without a report; the caller says what is missing.
pub fn only(
    documents: Vec<Document>,
    source: &Arc<Source>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Node> {
    let mut documents = documents.into_iter();
    let first = documents.next();
    if let Some(second) = documents.next() {
        let mut diagnostic = error(
            &SourceRange::new(source, second.node.span),
            Code::SeveralDocuments,
            "a file holds one document; this is a second one",
        );
        diagnostic.help =
            Some("remove the line `---` or move what follows to a file of its own".to_owned());
        diagnostics.push(diagnostic);
        return None;
    }
    Some(first.map_or(
        Node {
            span: 0..0,
            kind: NodeKind::Scalar(Scalar {
                text: String::new(),
                plain: true,
            }),
        },
        |document| document.node,
    ))
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
                "if it belongs to the text, quote it: \"{text} #{comment}\"; if it is a comment, put a space after `#`"
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
                "if it is a comment, put a space before `#`: `{before} # {comment}`; if it belongs to the text, quote it: \"{text}\""
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

    /// Resolves `<<: *base` and `<<: [*a, *b]`: adds the entries to `merged`, except those whose key is there
    /// already. So the first source wins. Any other value is an error.
    fn merge(&mut self, key: &Key, value: Node, merged: &mut Vec<(Key, Node)>) -> BuildResult<()> {
        let sources = match value.kind {
            NodeKind::Map(entries) => vec![entries],
            NodeKind::Sequence(items)
                if items
                    .iter()
                    .all(|item| matches!(item.kind, NodeKind::Map(_))) =>
            {
                items
                    .into_iter()
                    .filter_map(|item| match item.kind {
                        NodeKind::Map(entries) => Some(entries),
                        _ => None,
                    })
                    .collect()
            }
            _ => {
                return Err(self.fail(
                    Code::MergeKey,
                    "`<<` takes a map, or a list of maps, by its alias",
                    key.span.clone(),
                    Some("write `<<: *name` where `&name` marks the map"),
                ));
            }
        };
        for (key, value) in sources.into_iter().flatten() {
            if !merged.iter().any(|(have, _)| have.text == key.text) {
                merged.push((key, value));
            }
        }
        Ok(())
    }

    /// Returns a copy of the node that an alias names; its spans are those of the original. An error for an alias
    /// inside of that node, and beyond the limits for aliases, depth and values.
    fn alias(&mut self, id: usize, range: &Range<usize>, depth: usize) -> BuildResult<Node> {
        self.aliases += 1;
        if self.aliases > MAX_ALIASES {
            return Err(self.too_large(
                format!("more than {MAX_ALIASES} uses of anchors"),
                range.clone(),
            ));
        }
        let Some(node) = self.anchors.get(&id).cloned() else {
            return Err(self.fail(
                Code::Alias,
                "this alias stands inside the value it names",
                range.clone(),
                None,
            ));
        };
        let (nodes, height) = size(&node);
        if depth + height > MAX_DEPTH + 1 {
            return Err(self.too_large(
                format!("nested deeper than {MAX_DEPTH} levels"),
                range.clone(),
            ));
        }
        // Counted each time it is used: aliases of aliases multiply.
        self.count(nodes, range)?;
        Ok(node)
    }

    /// Remembers the node for aliases if it has an anchor, in place of an earlier one of that number; an error
    /// beyond `MAX_ANCHORS`.
    fn keep(&mut self, anchor: usize, node: &Node) -> BuildResult<()> {
        // Anchors are numbered from 1; 0 is none.
        if anchor == 0 {
            return Ok(());
        }
        if self.anchors.len() >= MAX_ANCHORS {
            return Err(self.too_large(
                format!("more than {MAX_ANCHORS} anchors"),
                node.span.clone(),
            ));
        }
        self.anchors.insert(anchor, node.clone());
        Ok(())
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

/// Counts the nodes and levels of a tree, the root included.
fn size(node: &Node) -> (usize, usize) {
    let (nodes, height) = node
        .children()
        .map(size)
        .fold((0, 0), |(nodes, height), (n, h)| (nodes + n, height.max(h)));
    (nodes + 1, height + 1)
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
