//! Parses the XML of a dump into the arena of nodes.
//!
//! This module knows what dumps look like: text before and after the hierarchy, windows and displays, odd
//! attributes, limits. `Screen::assemble` adds what the device reports beside the dump.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::decode::{decode, unescape_into};
use super::id::{ParentLink, node_hash};
use super::node_data::{NodeData, PASSWORD, Span, takes_text};
use super::{Rect, ScreenError, Window};
use runner_text::secret::Excerpt;

/// Largest number of nodes. Chosen: more than any real screen has.
const MAX_NODES: usize = 100_000;
/// Largest depth of nodes. Chosen: far more than any real screen has.
const MAX_LEVELS: usize = 1_000;
/// Largest size of a dump in bytes. Chosen: far more than any real dump has, and it fits into memory.
const MAX_BYTES: usize = 256 << 20;

#[derive(Debug)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) nodes: Vec<NodeData>,
    /// Windows in the device's order, including those without nodes.
    pub(super) windows: Vec<Window>,
    pub(super) rotation: u8,
    /// True if the dump names windows.
    pub(super) has_windows: bool,
    /// Texts of toasts; dumps of Android's own have none.
    pub(super) toasts: Vec<String>,
}

/// Parses the XML of a dump, from the first `<hierarchy` or `<displays` on. Whatever comes before and after
/// is ignored. Only the windows of the default display are kept.
///
/// It assumes one `<hierarchy>` with an end, or `<displays>`; that elements have `class` and `bounds`; and
/// that text before them is no XML of its own (AOSP `AccessibilityNodeInfoDumper.java`;
/// `screens/SharpAdb__AdvancedSharpAdbClient/` has an exception of MIUI before the dump).
///
/// # Errors
/// [`ScreenError::NotADump`] without a beginning, [`ScreenError::Truncated`] without an end, also of a node in it,
/// and [`ScreenError::TooLarge`] for too many bytes, nodes or levels. A dump without nodes is no error here.
pub(super) fn parse(dump: &[u8]) -> Result<Document, ScreenError> {
    check_size(dump)?;
    let dump_text = decode(dump);
    let starts = ["<hierarchy", "<displays"];
    let Some(start) = starts.iter().filter_map(|tag| dump_text.find(tag)).min() else {
        return Err(ScreenError::NotADump {
            begins: Excerpt::new(&dump_text, 80).in_quotes().to_string(),
        });
    };
    let mut reader = lenient(&dump_text[start..]);
    let mut builder = Builder::new(dump.len());
    let truncated = || ScreenError::Truncated { bytes: dump.len() };
    loop {
        // All syntax errors of the reader are constructs without an end.
        match reader.read_event() {
            Ok(Event::Start(tag)) => builder.start(&tag)?,
            Ok(Event::Empty(tag)) => {
                builder.start(&tag)?;
                builder.end(tag.name().as_ref());
            }
            Ok(Event::End(tag)) => builder.end(tag.name().as_ref()),
            Ok(Event::Eof) | Err(_) => return Err(truncated()),
            Ok(_) => {}
        }
        // Nodes are missing then, and the screen would pass for one that does not show them.
        if builder.lacks_ends {
            return Err(truncated());
        }
        if builder.done {
            return Ok(builder.document);
        }
    }
}

/// Returns a lenient XML reader, since devices do not write clean XML everywhere. A lone `&` is text, and an
/// end tag without a beginning is ignored.
pub(super) fn lenient(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    reader
}

/// Refuses a dump of more than [`MAX_BYTES`].
pub(super) fn check_size(dump: &[u8]) -> Result<(), ScreenError> {
    if dump.len() > MAX_BYTES {
        return Err(ScreenError::TooLarge {
            what: "bytes",
            limit: MAX_BYTES,
        });
    }
    Ok(())
}

/// Builder of the arena that receives one tag after the other.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent state of the parser"
)]
pub(super) struct Builder {
    pub(super) document: Document,
    /// Open nodes, outermost first.
    pub(super) open: Vec<u32>,
    /// Open windows; windows can hold windows.
    pub(super) open_windows: Vec<u32>,
    /// Number of roots in the current hierarchy so far.
    roots: u32,
    in_hierarchy: bool,
    /// True inside a display other than the one that touches reach.
    in_other_display: bool,
    /// True if a hierarchy ended while nodes were open, or the displays while a hierarchy was.
    lacks_ends: bool,
    done: bool,
}

impl Builder {
    /// Creates a builder with room for a dump of this size. The text begins with the one for password fields.
    pub(super) fn new(bytes: usize) -> Self {
        // A node takes 300–400 bytes of XML, about a third of it text.
        let mut text = String::with_capacity(bytes / 3 + PASSWORD.len());
        text.push_str(PASSWORD);
        Self {
            document: Document {
                text,
                nodes: Vec::with_capacity(bytes / 300),
                windows: Vec::new(),
                rotation: 0,
                has_windows: false,
                toasts: Vec::new(),
            },
            open: Vec::new(),
            open_windows: Vec::new(),
            roots: 0,
            in_hierarchy: false,
            in_other_display: false,
            lacks_ends: false,
            done: false,
        }
    }

    /// Handles a start tag: inside a hierarchy every tag is a node, else it may begin displays, a window or a
    /// hierarchy. Displays other than that of number 0 are skipped; a display without a number counts as 0 as long as
    /// there are no nodes.
    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), ScreenError> {
        if self.in_hierarchy {
            return self.start_node(tag);
        }
        match tag.name().as_ref() {
            b"displays" => self.document.has_windows = true,
            // Coordinates on another display than the default one mean nothing to a touch.
            b"display" => {
                let mut is_other = !self.document.nodes.is_empty();
                each_attribute(tag, |name, value| {
                    if name == b"id" {
                        is_other = value != "0";
                    }
                });
                self.in_other_display = is_other;
            }
            b"window" if !self.in_other_display => self.start_window(tag),
            b"hierarchy" => self.start_hierarchy(tag),
            _ => {}
        }
        Ok(())
    }

    /// Handles an end tag. The end of a hierarchy with open nodes means that ends are missing, and so does the end of
    /// all displays in a hierarchy. A hierarchy's end is the end of the dump if there is no list of windows.
    fn end(&mut self, name: &[u8]) {
        match name {
            b"hierarchy" if self.in_hierarchy => {
                self.lacks_ends = !self.open.is_empty();
                self.in_hierarchy = false;
                self.done = !self.document.has_windows;
            }
            b"displays" => {
                self.lacks_ends = self.in_hierarchy;
                self.done = true;
            }
            b"display" if !self.in_hierarchy => self.in_other_display = false,
            b"window" if !self.in_hierarchy => {
                self.open_windows.pop();
            }
            _ => self.end_node(),
        }
    }

    /// Begins a hierarchy. Without a window around it, it gets a focused one of its own. A rotation that is no
    /// number is 0.
    fn start_hierarchy(&mut self, tag: &BytesStart<'_>) {
        self.in_hierarchy = true;
        self.roots = 0;
        if self.in_other_display {
            return;
        }
        each_attribute(tag, |name, value| {
            if name == b"rotation" {
                self.document.rotation = value.parse().unwrap_or(0) % 4;
            }
        });
        if self.open_windows.is_empty() {
            self.open_windows.push(self.document.windows.len() as u32);
            self.document.windows.push(Window {
                focused: true,
                ..unknown_window()
            });
        }
    }

    /// Begins a window with what its tag says. Numbers that cannot be read are 0.
    fn start_window(&mut self, tag: &BytesStart<'_>) {
        let mut window = unknown_window();
        each_attribute(tag, |name, value| match name {
            b"id" => window.id = value.trim().parse().unwrap_or(0),
            b"layer" => window.layer = value.trim().parse().unwrap_or(0),
            b"type" => window.kind = window_kind(&unescaped(value)),
            b"focused" => window.focused = value == "true",
            b"bounds" => window.bounds = parse_bounds(value),
            b"title" => {
                let title = unescaped(value);
                if !title.trim().is_empty() {
                    window.title = title;
                }
            }
            _ => {}
        });
        self.open_windows.push(self.document.windows.len() as u32);
        self.document.windows.push(window);
    }

    fn start_node(&mut self, tag: &BytesStart<'_>) -> Result<(), ScreenError> {
        self.add_node(tag, |_, index, _| index)
    }

    /// Adds a node below the last open one, and opens it. Before the id is computed, `settle` may change the
    /// properties: it receives the `index` attribute and the text of all nodes, and returns the child index to use, or
    /// `None` for the position among the siblings. Nodes of another display are ignored. Fails with
    /// [`ScreenError::TooLarge`] above the limits of nodes and levels.
    pub(super) fn add_node(
        &mut self,
        tag: &BytesStart<'_>,
        settle: impl FnOnce(&mut NodeData, Option<i64>, &str) -> Option<i64>,
    ) -> Result<(), ScreenError> {
        let too_large = |what, limit| Err(ScreenError::TooLarge { what, limit });
        if self.in_other_display {
            return Ok(());
        }
        if self.document.nodes.len() >= MAX_NODES {
            return too_large("nodes", MAX_NODES);
        }
        if self.open.len() >= MAX_LEVELS {
            return too_large("levels", MAX_LEVELS);
        }
        let index = self.document.nodes.len() as u32;
        let parent = self.open.last().copied();
        let position = self.next_position(parent);
        let depth = self.open.len() as u32;
        let window = self.open_windows.last().copied().unwrap_or(0);
        let mut node = NodeData::new(parent, window, depth, index + 1);
        let child_index = read_attributes(tag, &mut node, &mut self.document.text);
        let text = self.document.text.as_str();
        let child_index = settle(&mut node, child_index, text);
        let above = match parent.and_then(|parent| self.document.nodes.get(parent as usize)) {
            Some(parent) => ParentLink::Node(parent.hash),
            None => ParentLink::Window(
                self.document
                    .windows
                    .get(window as usize)
                    .map_or(0, |w| w.id),
            ),
        };
        node.hash = node_hash(
            node.resource_id.slice(text),
            node.class.slice(text),
            node.bounds,
            depth,
            // The dump's `index` is the accessibility tree's child index. It has gaps where children that are not
            // visible were left out, so it stays the same when a sibling before it appears; a position would not.
            child_index.unwrap_or(position.into()),
            above,
        );
        self.document.nodes.push(node);
        self.open.push(index);
        Ok(())
    }

    /// Returns the child index, from 0, of the next node below `parent`, or among the roots, and counts it.
    fn next_position(&mut self, parent: Option<u32>) -> u32 {
        let count = match parent.and_then(|parent| self.document.nodes.get_mut(parent as usize)) {
            Some(parent) => &mut parent.child_count,
            None => &mut self.roots,
        };
        *count += 1;
        *count - 1
    }

    /// Ends the innermost open node; does nothing without one.
    pub(super) fn end_node(&mut self) {
        if let Some(node) = self.open.pop() {
            self.close_node(node);
        }
    }

    /// Notes that no more nodes belong to this one.
    fn close_node(&mut self, node: u32) {
        let end = self.document.nodes.len() as u32;
        if let Some(node) = self.document.nodes.get_mut(node as usize) {
            node.end = end;
        }
    }
}

/// Returns the window for nodes whose window is not known: number 0, of type `APPLICATION` and title `unknown`,
/// without package and bounds, not focused.
fn unknown_window() -> Window {
    Window {
        id: 0,
        kind: "APPLICATION".to_owned(),
        package: String::new(),
        title: "unknown".to_owned(),
        activity: None,
        layer: 0,
        focused: false,
        bounds: Rect::default(),
    }
}

/// Normalizes a window's type: `TYPE_APPLICATION`, `APPLICATION` and `1` become `APPLICATION`. Unknown types
/// stay as they are, without spaces at the ends.
fn window_kind(written: &str) -> String {
    let kind = match written.trim() {
        "1" => "APPLICATION",
        "2" => "INPUT_METHOD",
        "3" => "SYSTEM",
        "4" => "ACCESSIBILITY_OVERLAY",
        "5" => "SPLIT_SCREEN_DIVIDER",
        "6" => "MAGNIFICATION_OVERLAY",
        other => other.strip_prefix("TYPE_").unwrap_or(other),
    };
    kind.to_owned()
}

/// Calls `each` with name and raw value, which is not unescaped, of every attribute in order. Attributes that
/// cannot be parsed or are not UTF-8 are skipped. Repeated ones are reported again.
pub(super) fn each_attribute(tag: &BytesStart<'_>, mut each: impl FnMut(&[u8], &str)) {
    // Without the check for duplicates, which compares each attribute with all before it.
    for attribute in tag.attributes().with_checks(false).flatten() {
        if let Ok(value) = std::str::from_utf8(&attribute.value) {
            each(attribute.key.as_ref(), value);
        }
    }
}

pub(super) fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    unescape_into(value, &mut text);
    text
}

/// Fills `node` from its tag and appends its strings to `buffer`. Returns the `index` attribute, `None`
/// without one or if it is no number. Only the flag value `true` is true. Of repeated attributes the last
/// counts.
fn read_attributes(tag: &BytesStart<'_>, node: &mut NodeData, buffer: &mut String) -> Option<i64> {
    let mut index = None;
    let mut text = None;
    for attribute in tag.attributes().with_checks(false).flatten() {
        // Read last, because only the other attributes show whether it is a password.
        if attribute.key.as_ref() == b"text" {
            text = Some(attribute.value);
            continue;
        }
        let Ok(value) = std::str::from_utf8(&attribute.value) else {
            continue;
        };
        let flags = &mut node.flags;
        let on = value == "true";
        match attribute.key.as_ref() {
            b"index" => index = value.trim().parse::<u32>().ok().map(i64::from),
            b"resource-id" => node.resource_id = Span::append(buffer, value),
            b"class" => node.class = Span::append(buffer, value),
            b"package" => node.package = Span::append(buffer, value),
            b"content-desc" => node.desc = Span::append(buffer, value),
            b"hint" => node.hint = Span::append(buffer, value),
            b"bounds" => node.bounds = parse_bounds(value),
            b"checkable" => flags.checkable = on,
            b"checked" => flags.checked = on,
            b"clickable" => flags.clickable = on,
            b"enabled" => {
                flags.enabled = on;
                node.disabled = value == "false";
            }
            b"focusable" => flags.focusable = on,
            b"focused" => flags.focused = on,
            b"scrollable" => flags.scrollable = on,
            b"long-clickable" => flags.long_clickable = on,
            b"password" => flags.password = on,
            b"selected" => flags.selected = on,
            b"visible-to-user" => flags.visible_to_user = Some(on),
            b"drawing-order" => node.drawing_order = value.trim().parse().unwrap_or(0),
            _ => {}
        }
    }
    let text = text
        .as_deref()
        .and_then(|text| std::str::from_utf8(text).ok());
    read_text(text.unwrap_or_default(), node, buffer);
    index
}

/// Reads the text, once the other attributes show whether it may be kept. Of a password only the length is stored,
/// and none while its field shows the hint. Android writes the hint as text while a field is empty, so an equal
/// text is dropped. The text of a password becomes [`PASSWORD`] in any case.
fn read_text(value: &str, node: &mut NodeData, buffer: &mut String) {
    let begin = buffer.len();
    let text = Span::append(buffer, value);
    let hint = node.hint.slice(buffer);
    // Releases before about 12 write no hint. There hint and text look the same, and for a password nothing
    // is proven.
    node.shows_hint = !hint.is_empty()
        && (text.slice(buffer) == hint || value.is_empty() && takes_text(node.class.slice(buffer)));
    if node.flags.password {
        if !node.shows_hint {
            node.masked = text.slice(buffer).chars().count() as u32;
        }
        node.text = Span::password();
    } else if !node.shows_hint {
        node.text = text;
        return;
    }
    // Removes the letters of a password, or of a hint that was read twice, from the buffer.
    buffer.truncate(begin);
}

/// Parses `[0,-10][1080,2400]`. Returns an empty rectangle for anything else; too large numbers become the
/// nearest possible one.
fn parse_bounds(written: &str) -> Rect {
    let mut edges = [0_i32; 4];
    let inner = written.trim().trim_start_matches('[').trim_end_matches(']');
    let mut numbers = inner.split([',', '[', ']']).filter(|part| !part.is_empty());
    for edge in &mut edges {
        let Some(number) = numbers
            .next()
            .and_then(|part| part.trim().parse::<i64>().ok())
        else {
            return Rect::default();
        };
        *edge = number.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    }
    let [left, top, right, bottom] = edges;
    Rect::new(left, top, right, bottom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_read_as_written() {
        let cases = [
            ("[0,0][1080,2400]", Rect::new(0, 0, 1080, 2400)),
            ("[-5,-10][0,20]", Rect::new(-5, -10, 0, 20)),
            ("[100,100][50,20]", Rect::new(100, 100, 50, 20)),
            (" [1,2][3,4] ", Rect::new(1, 2, 3, 4)),
            (
                "[0,0][99999999999,-99999999999]",
                Rect::new(0, 0, i32::MAX, i32::MIN),
            ),
            ("[1,2][3]", Rect::default()),
            ("[1,2][3,x]", Rect::default()),
            ("", Rect::default()),
        ];
        for (written, read) in cases {
            assert_eq!(parse_bounds(written), read, "{written}");
        }
    }
}
