//! Writes a screen as a dump. Parsing that dump gives the same nodes and the same rows of goldens.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::{Node, Rect, Screen, Window};

impl Screen {
    /// Writes the screen as a dump that [`Screen::parse`] reads, with every node of every window, also those off the
    /// screen. A screen without a list of windows becomes one hierarchy. A password is written as dots, one for each
    /// character that the source had, and a field that shows its hint has the hint as text. The display's size, the
    /// activity in front, bars, toasts and the numbers of sliders are lost, since a dump cannot hold them. The ids of
    /// nodes change where the source's `index` is not the place among the siblings.
    pub fn to_dump(&self) -> String {
        let mut out = String::with_capacity(self.len() * 300 + 256);
        out.push_str("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>");
        let rotation = self.display().rotation;
        if self.is_degraded() {
            self.write_hierarchy(0..self.windows().len(), rotation, &mut out);
            return out;
        }
        out.push_str("<displays><display id=\"0\">");
        for (place, window) in self.windows().iter().enumerate() {
            write_window(window, &mut out);
            self.write_hierarchy(place..place + 1, rotation, &mut out);
            out.push_str("</window>");
        }
        out.push_str("</display></displays>");
        out
    }

    /// Writes the nodes of these windows as one hierarchy, each closed behind the last node in it.
    fn write_hierarchy(&self, windows: std::ops::Range<usize>, rotation: u8, out: &mut String) {
        // Writing to a string does not fail.
        let _ = write!(out, "<hierarchy rotation=\"{rotation}\">");
        let mut open: Vec<Node<'_>> = Vec::new();
        for node in windows.flat_map(|window| self.window_nodes(window)) {
            while open.last().is_some_and(|last| !last.holds(node)) {
                out.push_str("</node>");
                open.pop();
            }
            write_node(node, out);
            open.push(node);
        }
        for _ in open {
            out.push_str("</node>");
        }
        out.push_str("</hierarchy>");
    }
}

/// Writes the start tag of a window.
fn write_window(window: &Window, out: &mut String) {
    let _ = write!(out, "<window id=\"{}\"", window.id);
    attribute("title", &window.title, out);
    attribute("type", &window.kind, out);
    attribute("bounds", &bounds(window.bounds), out);
    flag("focused", window.focused, out);
    let _ = write!(out, " layer=\"{}\">", window.layer);
}

/// Writes the start tag of a node. The text of a password becomes dots, and a field that shows its hint has the hint
/// as its text. All flags are written, but `enabled` is left out where the dump did not say it, and
/// `visible-to-user` and `drawing-order` where they are unknown.
fn write_node(node: Node<'_>, out: &mut String) {
    let flags = node.flags();
    out.push_str("<node");
    let masked;
    let text = if node.shows_hint() {
        // Android writes the hint as text, by which the parser recognises it.
        node.hint()
    } else if flags.password {
        masked = "•".repeat(node.masked_characters());
        &masked
    } else {
        node.text()
    };
    attribute("text", text, out);
    attribute("resource-id", node.resource_id(), out);
    attribute("class", node.class(), out);
    attribute("package", node.package(), out);
    attribute("content-desc", node.desc(), out);
    attribute("hint", node.hint(), out);
    for (name, on) in [
        ("checkable", flags.checkable),
        ("checked", flags.checked),
        ("clickable", flags.clickable),
        ("focusable", flags.focusable),
        ("focused", flags.focused),
        ("scrollable", flags.scrollable),
        ("long-clickable", flags.long_clickable),
        ("password", flags.password),
        ("selected", flags.selected),
    ] {
        flag(name, on, out);
    }
    // A missing attribute means enabled: `false` would disable the node, and `true` would change its row.
    if flags.enabled || node.is_disabled() {
        flag("enabled", flags.enabled, out);
    }
    if let Some(visible) = flags.visible_to_user {
        flag("visible-to-user", visible, out);
    }
    if node.drawing_order() > 0 {
        let _ = write!(out, " drawing-order=\"{}\"", node.drawing_order());
    }
    attribute("bounds", &bounds(node.bounds()), out);
    out.push('>');
}

/// Writes an attribute with its value escaped, also if it is empty. Line feeds become `&#10;`.
fn attribute(name: &str, value: &str, out: &mut String) {
    let value = escape(value);
    let _ = write!(out, " {name}=\"");
    // XML parsers turn line ends in attributes into spaces.
    for (number, line) in value.split('\n').enumerate() {
        if number > 0 {
            out.push_str("&#10;");
        }
        out.push_str(line);
    }
    out.push('"');
}

fn flag(name: &str, on: bool, out: &mut String) {
    let _ = write!(out, " {name}=\"{on}\"");
}

/// Formats a rectangle as dumps do: `[left,top][right,bottom]`.
fn bounds(bounds: Rect) -> String {
    let Rect {
        left,
        top,
        right,
        bottom,
    } = bounds;
    format!("[{left},{top}][{right},{bottom}]")
}

#[cfg(test)]
mod tests {
    use crate::{DisplayContext, Node, Profile, Screen};

    fn again(screen: &Screen) -> Screen {
        let surroundings = DisplayContext {
            display: Some(screen.display()),
            foreground: screen
                .foreground()
                .map(|(package, activity)| (package.to_owned(), activity.to_owned())),
            front: screen.front().clone(),
            windows: screen.windows().to_vec(),
            keyboard_shown: screen.keyboard_shown(),
            bars: screen.bars().to_vec(),
            layers: screen.layers().to_vec(),
            lacks_windows: screen.lacks_windows(),
        };
        Screen::parse(screen.to_dump().as_bytes(), &surroundings).unwrap()
    }

    #[test]
    fn what_is_written_reads_as_the_same_rows() {
        let node =
            |more: &str| format!("<node class=\"android.widget.EditText\" package=\"a\" {more}>");
        let inner = [
            node("text=\"one &amp; &lt;two&gt;&#10;three &quot;four&quot;\" bounds=\"[0,0][9,9]\" clickable=\"true\""),
            node("text=\"••••\" password=\"true\" bounds=\"[0,1][9,9]\"") + "</node>",
            node("text=\"Name\" hint=\"Name\" bounds=\"[0,2][9,9]\" visible-to-user=\"true\"") + "</node></node>",
            node("text=\"On\" enabled=\"true\" bounds=\"[0,4][9,9]\"") + "</node>",
            node("text=\"Off\" enabled=\"false\" bounds=\"[0,5][9,9]\"") + "</node>",
            node("text=\"Code\" hint=\"Code\" password=\"true\" bounds=\"[0,3][9,9]\"") + "</node>",
        ]
        .concat();
        let one = format!("<hierarchy rotation=\"1\">{inner}</hierarchy>");
        let many = format!(
            "<displays><display id=\"0\"><window id=\"7\" title=\"a &quot;b&quot;\" type=\"TYPE_SYSTEM\" layer=\"3\" bounds=\"[0,0][9,9]\">{one}</window>\
             <window id=\"9\" focused=\"true\">{one}</window></display></displays>"
        );
        for dump in [one, many] {
            let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
            let read = again(&screen);
            assert_eq!(read.tsv(Profile::Golden), screen.tsv(Profile::Golden));
            assert_eq!(read.to_dump(), screen.to_dump());
            assert!(!screen.to_dump().contains("<password>"));
            assert!(screen.nodes().any(|node| node.masked_characters() == 4));
            let masked = |screen: &Screen| -> Vec<usize> {
                screen.nodes().map(Node::masked_characters).collect()
            };
            assert_eq!(masked(&read), masked(&screen));
            let disabled =
                |screen: &Screen| -> Vec<bool> { screen.nodes().map(Node::is_disabled).collect() };
            assert_eq!(disabled(&read), disabled(&screen));
            assert!(disabled(&read).contains(&true));
        }
    }
}
