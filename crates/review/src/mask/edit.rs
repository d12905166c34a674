//! Adds one mask to a snapshot step in a flow's text. Every other byte stays; the result is parsed again and
//! compared with what it should say.

use std::ops::Range;
use std::sync::Arc;

use super::row_scope::RowScope;
use runner_flow::yaml::{self, Key, Node, NodeKind};
use runner_text::diagnostic::Source;

/// Spaces of indentation if the file does not show any, as the documentation's examples have it.
const INDENT: usize = 2;

/// Reason why a mask is not written into a flow's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum EditError {
    #[error("the file does not read any more")]
    Unreadable,
    #[error("the step is not there any more")]
    NoStep,
    #[error("the step is not a map any more")]
    NotMap,
    #[error("the step takes no snapshot any more")]
    NoSnapshot,
    #[error("its name is not there any more")]
    NoName,
    #[error("this mask is there already; run the flow again")]
    SameMask,
    #[error("an alias (`*`) repeats this step elsewhere")]
    Repeated,
    #[error("an alias (`*`) holds its {0}")]
    AliasHolds(&'static str),
    #[error("an alias (`*`) is its {0} mask")]
    AliasIsMask(&'static str),
    #[error("its name has an anchor, a tag or a form of its own")]
    NameForm,
    #[error("its masks are not a list that is written out")]
    NotList,
    #[error("the list's dashes are not found")]
    NoDash,
    #[error("{0} on another key's line")]
    OtherLine(&'static str),
    #[error("its anchors or its layout do not allow it")]
    Layout,
}

type Result<T> = std::result::Result<T, EditError>;

/// Text with the added mask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EditResult {
    pub text: String,
    /// Offset of the mask.
    pub at: usize,
}

/// Replacement of a range by a text that contains the mask.
struct Edit {
    replaced: Range<usize>,
    text: String,
    /// Offset of the mask in `text`.
    mask: usize,
}

/// Reads the options of the snapshot step at `step`, a byte range of `source`, on which masks depend: true for `of`,
/// and the aliases of its own redactions, without those of the configuration. Returns the default, without both, if
/// the file or the step cannot be read.
pub(super) fn row_scope(source: &Arc<Source>, step: &Range<usize>) -> RowScope {
    read(source)
        .and_then(|tree| {
            let path = only_path(&tree, step)?;
            let place = OptionsRange::new(&tree, &path, &source.text)?;
            let rules = place.options.entry("redactions");
            let rules = rules.map(|(_, rules)| rules.children());
            let aliases = rules.into_iter().flatten().filter_map(|rule| {
                let (_, alias) = rule.entry("alias")?;
                Some(alias.scalar()?.text.clone())
            });
            Ok(RowScope {
                own_frame: place.options.entry("of").is_some(),
                aliases: aliases.collect(),
            })
        })
        .unwrap_or_default()
}

/// Adds `mask` to the snapshot step at `step`, a byte range of `source`, and returns the new text and the byte
/// position of the mask in it; no file is written. The mask must be YAML on one line that may stand inside `{ }`. If
/// the step has no masks yet, they become `inherited` and the new one. The rest of the text stays byte for byte.
/// Fails if the file or the step cannot be read, its layout or an alias does not allow it, the new text would not
/// read as meant, or the step has this mask already.
pub(super) fn add_mask(
    source: &Arc<Source>,
    step: &Range<usize>,
    inherited: &[String],
    mask: &str,
) -> Result<EditResult> {
    let tree = read(source)?;
    let path = only_path(&tree, step)?;
    let place = OptionsRange::new(&tree, &path, &source.text)?;
    let edit = place.edit(inherited, mask)?;
    let at = edit.replaced.start + edit.mask;
    let mut text = source.text.clone();
    text.replace_range(edit.replaced, &edit.text);
    let expected = expected(tree, &path, inherited, mask)?;
    let edited = Arc::new(Source {
        path: source.path.clone(),
        text,
    });
    let is_as_meant = read(&edited).is_ok_and(|tree| plain_value(&tree) == expected);
    if !is_as_meant {
        return Err(EditError::Layout);
    }
    let text = Arc::unwrap_or_clone(edited).text;
    Ok(EditResult { text, at })
}

/// Parses the text of the file. Fails if it is empty or has an error; warnings do not count.
fn read(source: &Arc<Source>) -> Result<Node> {
    let mut problems = Vec::new();
    let tree = yaml::read(source, &mut problems);
    let is_wrong = problems
        .iter()
        .any(|problem| problem.severity == runner_text::diagnostic::Severity::Error);
    match tree {
        Some(tree) if !is_wrong => Ok(tree),
        _ => Err(EditError::Unreadable),
    }
}

/// Returns the path to the step as child indices, for [`OptionsRange::new`]. Fails if no snapshot step has exactly
/// this byte range, or if aliases make several lead there.
fn only_path(tree: &Node, step: &Range<usize>) -> Result<Vec<usize>> {
    let mut found = tree
        .places()
        .filter(|(_, node)| node.span == *step && snapshot_of(node).is_some());
    match (found.next(), found.next()) {
        (Some((path, _)), None) => Ok(path),
        (None, _) => Err(EditError::NoStep),
        (Some(_), Some(_)) => Err(EditError::Repeated),
    }
}

fn snapshot_of(step: &Node) -> Option<&(Key, Node)> {
    step.entry("snapshot")
}

struct OptionsRange<'a> {
    text: &'a str,
    step: &'a Node,
    key: &'a Key,
    options: &'a Node,
    /// True inside `{ }` or `[ ]`, where line breaks have no meaning.
    in_flow: bool,
    /// Spaces by which the file indents a nested map.
    indent: usize,
}

impl<'a> OptionsRange<'a> {
    /// Finds the snapshot step at `path`. Fails if there is no such step, it is no snapshot, or an alias holds its
    /// options.
    fn new(tree: &'a Node, path: &[usize], text: &'a str) -> Result<Self> {
        let mut step = tree;
        let mut in_flow = is_flow(step, text);
        for at in path {
            step = step.children().nth(*at).ok_or(EditError::NoStep)?;
            in_flow |= is_flow(step, text);
        }
        let (key, options) = snapshot_of(step).ok_or(EditError::NoSnapshot)?;
        let place = Self {
            text,
            step,
            key,
            options,
            in_flow,
            indent: indent_of(tree, text).unwrap_or(INDENT),
        };
        place.ensure_own(options)?;
        if !within(&key.span, &step.span) {
            return Err(EditError::AliasHolds("options"));
        }
        Ok(place)
    }

    /// Returns the edit that adds the mask; the text stays as it is. With masks of its own, the mask joins their
    /// list. Without, the step gets the inherited ones too, as they would not count any more. Fails if an alias holds
    /// the masks or the layout does not allow it.
    fn edit(&self, inherited: &[String], mask: &str) -> Result<Edit> {
        if let Some((key, masks)) = self.options.entry("mask") {
            if !within(&key.span, &self.options.span) {
                return Err(EditError::AliasHolds("masks"));
            }
            return self.append_to_list(key, masks, mask);
        }
        let before: String = inherited.iter().map(|mask| format!("{mask}, ")).collect();
        match &self.options.kind {
            NodeKind::Scalar(_) => self.expand_name(&before, mask),
            _ => self.add_to_map(&before, mask),
        }
    }

    /// Turns `snapshot: home` into a map with `name` and `mask`. It becomes a map in `{ }` within such a map, or if
    /// the name is on the next line; else a block, and a comment of the line stays behind `snapshot:`. Masks in
    /// `inherited` come first; each must end in a comma. Fails for a name of several lines or one with an anchor or
    /// tag.
    fn expand_name(&self, inherited: &str, mask: &str) -> Result<Edit> {
        let name = self.slice(&self.options.span);
        let gap = self.key.span.end..self.options.span.start;
        let is_plain = self.slice(&gap).trim() == ":" && !name.contains(['\n', '|', '>']);
        if !is_plain {
            return Err(EditError::NameForm);
        }
        if self.in_flow || self.slice(&gap).contains('\n') {
            let before = format!("{{ name: {name}, mask: [ {inherited}");
            return Ok(Edit {
                replaced: self.options.span.clone(),
                mask: before.len(),
                text: format!("{before}{mask} ] }}"),
            });
        }
        // The rest of the line, mostly a comment, stays behind `snapshot:`.
        let colon = gap.start + self.slice(&gap).find(':').unwrap_or_default() + 1;
        let line_end = self.line_end(self.options.span.end);
        let rest = &self.text[self.options.span.end..line_end];
        let inner = " ".repeat(self.column(self.key.span.start) + self.indent);
        let newline = self.newline();
        let rest = if rest.trim().is_empty() { "" } else { rest };
        let before =
            format!("{rest}{newline}{inner}name: {name}{newline}{inner}mask: [ {inherited}");
        Ok(Edit {
            replaced: colon..line_end,
            mask: before.len(),
            text: format!("{before}{mask} ]"),
        })
    }

    /// Adds the key `mask` to a map without one, after its `name`, in the style of the map. Fails if the map has no
    /// name, name or value came from an alias, or the name does not begin its line in a block.
    fn add_to_map(&self, inherited: &str, mask: &str) -> Result<Edit> {
        let (key, name) = self.options.entry("name").ok_or(EditError::NoName)?;
        if !within(&key.span, &self.options.span) || !within(&name.span, &self.options.span) {
            return Err(EditError::AliasHolds("name"));
        }
        if self.in_flow || is_flow(self.options, self.text) {
            return Ok(insertion(
                name.span.end,
                &format!(", mask: [ {inherited}"),
                mask,
                " ]",
            ));
        }
        let lead = self.lead(key.span.start)?;
        let before = format!("{}{lead}mask: [ {inherited}", self.newline());
        Ok(insertion(self.line_end(name.span.end), &before, mask, " ]"))
    }

    /// Adds an item to the end of a list of masks. In a list in `[ ]` whose last item came from an alias, the new one
    /// is put first. Fails if the masks are no list or come from an alias, or, in a block, the first or last item
    /// does or the list does not begin on a line of its own.
    fn append_to_list(&self, key: &Key, masks: &Node, mask: &str) -> Result<Edit> {
        let NodeKind::Sequence(items) = &masks.kind else {
            return Err(EditError::NotList);
        };
        if masks.span.start < key.span.end || !within(&masks.span, &self.options.span) {
            return Err(EditError::AliasHolds("masks"));
        }
        let own = |item: &&Node| within(&item.span, &masks.span);
        if self.in_flow || is_flow(masks, self.text) {
            let Some(last) = items.last() else {
                return Ok(insertion(masks.span.start + 1, " ", mask, " "));
            };
            return Ok(if own(&last) {
                insertion(last.span.end, ", ", mask, "")
            } else {
                insertion(masks.span.start + 1, " ", mask, ",")
            });
        }
        let last = items
            .last()
            .filter(own)
            .ok_or(EditError::AliasIsMask("last"))?;
        let first = items
            .first()
            .filter(own)
            .ok_or(EditError::AliasIsMask("first"))?;
        // The first item's dash tells the list's indentation.
        let line = self.line_start(first.span.start);
        let before = &self.text[line..first.span.start];
        let dash = before.find('-').ok_or(EditError::NoDash)?;
        if !before[..dash].bytes().all(|byte| byte == b' ') {
            return Err(EditError::OtherLine("the list begins"));
        }
        let before = format!("{}{}", self.newline(), &before[..=dash]) + " ";
        Ok(insertion(self.line_end(last.span.end), &before, mask, ""))
    }

    /// Fails for a node that an alias brought from elsewhere: it is not within the step, or before its key.
    fn ensure_own(&self, node: &Node) -> Result<()> {
        if within(&node.span, &self.step.span) && node.span.start >= self.key.span.end {
            Ok(())
        } else {
            Err(EditError::AliasHolds("options"))
        }
    }

    fn slice(&self, span: &Range<usize>) -> &'a str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// Returns the end of the line's text, before its line break.
    fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// Returns the spaces before a key that begins its line. Fails if anything else, a dash too, is before it.
    fn lead(&self, key: usize) -> Result<&'a str> {
        let lead = &self.text[self.line_start(key)..key];
        if lead.bytes().all(|byte| byte == b' ') {
            Ok(lead)
        } else {
            Err(EditError::OtherLine("its options begin"))
        }
    }

    fn column(&self, at: usize) -> usize {
        self.text[self.line_start(at)..at].chars().count()
    }

    /// Returns the line end of the first line, which inserted lines get too; `\n` if there is none.
    fn newline(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }
}

/// Returns an edit that inserts `before`, `mask` and `after` at `at`, replaces nothing, and knows where in its text
/// the mask begins.
fn insertion(at: usize, before: &str, mask: &str, after: &str) -> Edit {
    Edit {
        replaced: at..at,
        text: format!("{before}{mask}{after}"),
        mask: before.len(),
    }
}

fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Returns true for a map or list in braces or brackets, false for a block or a scalar.
fn is_flow(node: &Node, text: &str) -> bool {
    let begins = text.get(node.span.start..).unwrap_or_default();
    match node.kind {
        NodeKind::Scalar(_) => false,
        NodeKind::Map(_) => begins.starts_with('{'),
        // The span of a block list begins at its first item.
        NodeKind::Sequence(_) => begins.starts_with('['),
    }
}

/// Returns the spaces between a key and the keys of its block map, by the first such map of the file. `None` if the
/// file has no such map, or this one is not indented.
fn indent_of(tree: &Node, text: &str) -> Option<usize> {
    let column = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        text[line..at].chars().count()
    };
    let indent = |(key, value): &(Key, Node)| {
        let (first, _) = value.entries().first().filter(|_| !is_flow(value, text))?;
        let breaks =
            first.span.start > key.span.end && text[key.span.end..first.span.start].contains('\n');
        breaks.then(|| column(first.span.start).checked_sub(column(key.span.start)))
    };
    let mut maps = tree.nodes().map(Node::entries);
    maps.find_map(|entries| entries.iter().find_map(indent))
        .flatten()
}

/// Parses the text of one mask alone. Fails if it is empty or has an error.
fn read_mask(mask: &str) -> Result<Node> {
    read(&Arc::new(Source {
        path: "mask".into(),
        text: mask.to_owned(),
    }))
}

/// Returns the value that the text should have after the edit, computed on the tree alone. `inherited` counts only if
/// the step has no masks. Fails if the path leads to no snapshot step, a mask is no YAML, or the step has the same
/// mask already.
fn expected(
    mut tree: Node,
    path: &[usize],
    inherited: &[String],
    mask: &str,
) -> Result<PlainValue> {
    let inherited: Result<Vec<Node>> = inherited.iter().map(|mask| read_mask(mask)).collect();
    let mask = read_mask(mask)?;
    let node = tree.at_mut(path).ok_or(EditError::NoStep)?;
    let NodeKind::Map(entries) = &mut node.kind else {
        return Err(EditError::NotMap);
    };
    let options = entries
        .iter_mut()
        .find(|(key, _)| key.text == "snapshot")
        .map(|(_, value)| value)
        .ok_or(EditError::NoSnapshot)?;
    let key = |text: &str| Key {
        text: text.to_owned(),
        span: 0..0,
    };
    if let NodeKind::Scalar(_) = options.kind {
        options.kind = NodeKind::Map(vec![(key("name"), options.clone())]);
    }
    if let NodeKind::Map(entries) = &mut options.kind {
        match entries.iter_mut().find(|(key, _)| key.text == "mask") {
            Some((_, masks)) => {
                if let NodeKind::Sequence(items) = &mut masks.kind {
                    if items
                        .iter()
                        .any(|item| plain_value(item) == plain_value(&mask))
                    {
                        return Err(EditError::SameMask);
                    }
                    items.push(mask);
                }
            }
            None => entries.push((
                key("mask"),
                Node {
                    span: 0..0,
                    kind: NodeKind::Sequence(inherited?.into_iter().chain([mask]).collect()),
                },
            )),
        }
    }
    Ok(plain_value(&tree))
}

/// Value without positions. Maps are sorted by key, lists of masks by value.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PlainValue {
    Scalar(String, bool),
    Map(Vec<(String, PlainValue)>),
    Sequence(Vec<PlainValue>),
}

/// Returns the node's value without its layout. Entries of maps and the list of masks are sorted, so that their order
/// does not count; that of other lists does. Quotes count, as `1` and `"1"` differ.
fn plain_value(node: &Node) -> PlainValue {
    match &node.kind {
        // With its quotes, as `1` and `"1"` are different values.
        NodeKind::Scalar(scalar) => PlainValue::Scalar(scalar.text.clone(), scalar.plain),
        NodeKind::Sequence(items) => PlainValue::Sequence(items.iter().map(plain_value).collect()),
        NodeKind::Map(entries) => {
            let entry = |(key, value): &(Key, Node)| {
                let mut value = plain_value(value);
                if let (PlainValue::Sequence(items), "mask") = (&mut value, key.text.as_str()) {
                    // The new mask's position depends on the text's layout.
                    items.sort();
                }
                (key.text.clone(), value)
            };
            let mut entries: Vec<_> = entries.iter().map(entry).collect();
            entries.sort();
            PlainValue::Map(entries)
        }
    }
}

#[cfg(test)]
mod tests;
