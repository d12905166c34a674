//! XML of `uiautomator dump`, for the active window or for all windows.

use std::fmt::Write as _;

use super::{NodeDump, WindowDump};
use runner_screen::Rect;

const HEADER: &str = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>";

/// Returns the window of a plain dump: the focused one that is no keyboard, else the first of an application,
/// else `None`.
pub fn active(windows: &[WindowDump]) -> Option<&WindowDump> {
    windows
        .iter()
        .find(|window| window.focused && window.kind != "INPUT_METHOD")
        .or_else(|| windows.iter().find(|window| window.kind == "APPLICATION"))
}

/// Writes a plain dump, of the active window only. Returns `None` if there is no active window or its root is missing.
/// A `compressed` dump leaves out plain layouts, but for the root.
pub(crate) fn one_window(windows: &[WindowDump], rotation: u8, compressed: bool) -> Option<String> {
    let window = active(windows)?;
    let root = window.root.as_ref()?;
    let mut xml = format!("{HEADER}<hierarchy rotation=\"{rotation}\">");
    let mut writer = Writer {
        xml: &mut xml,
        package: &window.package,
        compressed,
    };
    writer.node(root, 0, 0);
    xml.push_str("</hierarchy>");
    Some(xml)
}

/// Writes the dump of `--windows`: all windows of the display in the order given. A window without a root has no
/// `hierarchy`. A `compressed` dump leaves out plain layouts, but for the roots.
pub(crate) fn all_windows(windows: &[WindowDump], rotation: u8, compressed: bool) -> String {
    let mut xml = format!("{HEADER}<displays><display id=\"0\">");
    for (index, window) in windows.iter().enumerate() {
        let _ = write!(xml, "<window index=\"{index}\"");
        attribute(&mut xml, "title", &window.title);
        let active = active(windows).is_some_and(|active| active.id == window.id);
        let _ = write!(
            xml,
            " bounds=\"{}\" active=\"{active}\" focused=\"{}\" accessibility-focused=\"false\" id=\"{}\" layer=\"{}\" type=\"TYPE_{}\">",
            edges(window.bounds),
            window.focused,
            window.id,
            window.layer,
            window.kind,
        );
        if let Some(root) = &window.root {
            let _ = write!(xml, "<hierarchy rotation=\"{rotation}\">");
            let mut writer = Writer {
                xml: &mut xml,
                package: &window.package,
                compressed,
            };
            writer.node(root, 0, 0);
            xml.push_str("</hierarchy>");
        }
        xml.push_str("</window>");
    }
    xml.push_str("</display></displays>");
    xml
}

/// Formats a rectangle as dumps do: `[left,top][right,bottom]`.
pub fn edges(rect: Rect) -> String {
    format!(
        "[{},{}][{},{}]",
        rect.left, rect.top, rect.right, rect.bottom
    )
}

/// Writes the nodes of one window.
struct Writer<'a> {
    xml: &'a mut String,
    package: &'a str,
    compressed: bool,
}

impl Writer<'_> {
    /// Writes a node and those below it. Its `index` is the parent's count unless it has an order of its own; `drawing`
    /// is its `drawing-order`. Children without an order are counted among the nodes that are listed.
    fn node(&mut self, node: &NodeDump, index: usize, drawing: usize) {
        let index = node.order.map_or(index, |order| order.index as usize);
        self.xml.push_str("<node");
        if is_unnamed(node) {
            self.xml.push_str(" NAF=\"true\"");
        }
        let _ = write!(self.xml, " index=\"{index}\"");
        for (name, value) in [
            ("text", display_text(node)),
            ("resource-id", &node.resource_id),
            ("class", &node.class),
            ("package", self.package),
            ("content-desc", &node.desc),
        ] {
            attribute(self.xml, name, value);
        }
        for (name, value) in [
            ("checkable", node.checkable),
            ("checked", node.checked),
            ("clickable", node.clickable),
            ("enabled", node.enabled),
            ("focusable", node.focusable),
            ("focused", node.focused),
            ("scrollable", node.scrollable),
            ("long-clickable", node.long_clickable),
            ("password", node.password),
            ("selected", node.selected),
        ] {
            let _ = write!(self.xml, " {name}=\"{value}\"");
        }
        let _ = write!(
            self.xml,
            " bounds=\"{}\" drawing-order=\"{drawing}\"",
            edges(node.bounds),
        );
        attribute(self.xml, "hint", &node.hint);
        self.xml
            .push_str(" display-id=\"0\" visible-to-user=\"true\"");
        if node.children.is_empty() {
            self.xml.push_str(" />");
            return;
        }
        self.xml.push('>');
        for (index, (drawing, child)) in listed(&node.children, self.compressed)
            .into_iter()
            .enumerate()
        {
            self.node(child, index, drawing);
        }
        self.xml.push_str("</node>");
    }
}

/// `drawing-order` of a node at each level, from the next node above it that a dump lists.
pub type DrawingWay = Vec<u32>;

/// Returns the nodes that a dump lists below a node, with their `drawing-order`. A compressed dump leaves out
/// plain layouts.
fn listed(children: &[NodeDump], compressed: bool) -> Vec<(usize, &NodeDump)> {
    let (mut ways, mut nodes) = (Vec::new(), Vec::new());
    find_listed(children, compressed, &[], &mut ways, &mut nodes);
    drawing_orders(&ways).into_iter().zip(nodes).collect()
}

/// Adds the children in document order, and the way of drawing numbers to each below `above`. A plain layout in a
/// `compressed` dump is replaced by its own children.
fn find_listed<'a>(
    children: &'a [NodeDump],
    compressed: bool,
    above: &[u32],
    ways: &mut Vec<DrawingWay>,
    nodes: &mut Vec<&'a NodeDump>,
) {
    for (number, child) in children.iter().enumerate() {
        let way = [above, &[drawing_in_parent(child, number)]].concat();
        if compressed && is_plain_layout(child) {
            find_listed(&child.children, compressed, &way, ways, nodes);
        } else {
            ways.push(way);
            nodes.push(child);
        }
    }
}

/// Returns the `drawing-order` of a node in its parent. If the order is unknown, it is `number`, the node's
/// index, and 1.
pub fn drawing_in_parent(node: &NodeDump, number: usize) -> u32 {
    let drawing = node.order.map(|order| order.drawing);
    drawing.unwrap_or(u32::try_from(number + 1).unwrap_or(u32::MAX))
}

/// Returns the `drawing-order` of each of the nodes below a node, from 1. Children of layouts that are left out count
/// in their layout's place (AOSP, `View.populateAccessibilityNodeInfoDrawingOrderInParent`). If each way is a single
/// number, these are returned as they are.
pub fn drawing_orders(ways: &[DrawingWay]) -> Vec<usize> {
    if let Some(own) = ways.iter().map(only).collect() {
        return own;
    }
    let mut drawn: Vec<usize> = (0..ways.len()).collect();
    drawn.sort_by_key(|at| &ways[*at]);
    let mut orders = vec![0; ways.len()];
    for (place, at) in (1..).zip(drawn) {
        orders[at] = place;
    }
    orders
}

/// Returns the number of a way of exactly one number, else `None`.
fn only(way: &DrawingWay) -> Option<usize> {
    match way.as_slice() {
        [own] => Some(*own as usize),
        _ => None,
    }
}

/// Returns true for a layout that neither acts nor has a text or a description, so that a compressed dump leaves it
/// out: the rule for views that are "not important" (AOSP, `View.isImportantForAccessibility`). Texts, buttons, fields,
/// check boxes and bars are never plain; the end of their class tells.
pub fn is_plain_layout(node: &NodeDump) -> bool {
    let is_important = ["TextView", "Button", "EditText", "CheckBox", "Bar"];
    let is_important = is_important.iter().any(|end| node.class.ends_with(end));
    let acts = node.clickable
        || node.long_clickable
        || node.focusable
        || node.scrollable
        || node.checkable;
    !acts && !is_important && node.text.is_empty() && node.desc.is_empty()
}

/// Returns true for a node that is "not accessibility friendly": it can be clicked, is enabled, and neither
/// it nor a node in it has a text, a hint or a description.
pub fn is_unnamed(node: &NodeDump) -> bool {
    fn says(node: &NodeDump) -> bool {
        !display_text(node).is_empty() || !node.desc.is_empty() || node.children.iter().any(says)
    }
    node.clickable && node.enabled && !says(node)
}

/// Returns the text as accessibility reports it: the hint if the text is empty, also of passwords. Both may be
/// empty.
pub fn display_text(node: &NodeDump) -> &str {
    if node.text.is_empty() {
        &node.hint
    } else {
        &node.text
    }
}

/// Writes ` name="value"` as `uiautomator dump` does: characters that XML 1.1 does not allow become dots
/// (AOSP, `AccessibilityNodeInfoDumper.stripInvalidXMLChars`). The rest is escaped as in [`attribute_with`].
pub fn attribute(xml: &mut String, name: &str, value: &str) {
    attribute_with(xml, name, value, |letter| {
        let is_stripped = matches!(letter,
            '\u{1}'..='\u{8}' | '\u{b}'..='\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}'
            | '\u{86}'..='\u{9f}' | '\u{fdd0}'..='\u{fddf}');
        if is_stripped { '.' } else { letter }
    });
}

/// Writes ` name="value"` as Android's serialiser does (AOSP, `KXmlSerializer`): in single quotes if the
/// value has a double one. Tabs, line ends and characters beyond the BMP become decimal references. `replace`
/// changes each character first, but not the choice of quotes.
pub fn attribute_with(xml: &mut String, name: &str, value: &str, replace: impl Fn(char) -> char) {
    let quote = if value.contains('"') { '\'' } else { '"' };
    let _ = write!(xml, " {name}={quote}");
    for letter in value.chars().map(replace) {
        match letter {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '\'' if quote == '\'' => xml.push_str("&apos;"),
            '\t' | '\n' | '\r' | '\u{10000}'.. => {
                let _ = write!(xml, "&#{};", letter as u32);
            }
            _ => xml.push(letter),
        }
    }
    xml.push(quote);
}

/// Returns true if a text, description or hint has a character that Android's serialiser refuses: NUL, U+FFFE
/// or U+FFFF. Android then writes no dump.
pub(crate) fn is_refused(windows: &[WindowDump]) -> bool {
    fn refuses(node: &NodeDump) -> bool {
        let is_refused = |letter| matches!(letter, '\0' | '\u{fffe}' | '\u{ffff}');
        let texts = [&node.text, &node.desc, &node.hint];
        texts.iter().any(|text| text.contains(is_refused)) || node.children.iter().any(refuses)
    }
    windows
        .iter()
        .filter_map(|window| window.root.as_ref())
        .any(refuses)
}

#[cfg(test)]
mod tests {
    use super::super::NodeOrder;
    use super::*;

    fn window(root: Option<NodeDump>) -> WindowDump {
        WindowDump {
            id: 7,
            kind: "APPLICATION",
            title: "A & B".to_owned(),
            package: "com.example".to_owned(),
            activity: Some(".Main".to_owned()),
            layer: 1,
            focused: true,
            bounds: Rect::new(0, 0, 100, 200),
            root,
        }
    }

    #[test]
    fn nodes_are_written_as_android_does() {
        let root = NodeDump {
            class: "android.widget.FrameLayout".to_owned(),
            bounds: Rect::new(0, 0, 100, 200),
            enabled: true,
            children: vec![NodeDump {
                text: "<\"hi\" & 😀\n".to_owned(),
                class: "android.widget.Button".to_owned(),
                clickable: true,
                enabled: true,
                ..NodeDump::default()
            }],
            ..NodeDump::default()
        };
        let xml = one_window(&[window(Some(root))], 1, false).unwrap();
        let plain = "checkable=\"false\" checked=\"false\"";
        let rest = "focusable=\"false\" focused=\"false\" scrollable=\"false\" long-clickable=\"false\" password=\"false\" selected=\"false\"";
        let expected = format!(
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"1\"><node index=\"0\" text=\"\" resource-id=\"\" class=\"android.widget.FrameLayout\" package=\"com.example\" content-desc=\"\" {plain} clickable=\"false\" enabled=\"true\" {rest} bounds=\"[0,0][100,200]\" drawing-order=\"0\" hint=\"\" display-id=\"0\" visible-to-user=\"true\"><node index=\"0\" text='&lt;\"hi\" &amp; &#128512;&#10;' resource-id=\"\" class=\"android.widget.Button\" package=\"com.example\" content-desc=\"\" {plain} clickable=\"true\" enabled=\"true\" {rest} bounds=\"[0,0][0,0]\" drawing-order=\"1\" hint=\"\" display-id=\"0\" visible-to-user=\"true\" /></node></hierarchy>"
        );
        assert_eq!(xml, expected);
    }

    #[test]
    fn a_window_without_root_is_a_null_root() {
        assert_eq!(one_window(&[window(None)], 0, false), None);
        assert!(all_windows(&[window(None)], 0, false).contains("title=\"A &amp; B\""));
    }

    #[test]
    fn compressed_leaves_out_plain_layouts() {
        let leaf = |text: &str| NodeDump {
            text: text.to_owned(),
            ..NodeDump::default()
        };
        let plain = |children| NodeDump {
            children,
            ..NodeDump::default()
        };
        let root = plain(vec![plain(vec![leaf("a"), leaf("b")]), leaf("c")]);
        let xml = one_window(&[window(Some(root))], 0, true).unwrap();
        assert_eq!(xml.matches("<node").count(), 4);
        assert!(xml.contains("index=\"2\" text=\"c\""), "{xml}");
    }

    #[test]
    fn a_compressed_dump_counts_the_drawing_order_without_plain_layouts() {
        let node = |text: &str, drawing, children| NodeDump {
            text: text.to_owned(),
            order: Some(NodeOrder { index: 0, drawing }),
            children,
            ..NodeDump::default()
        };
        let low = node("", 1, vec![node("b", 2, vec![]), node("a", 1, vec![])]);
        let root = node("", 0, vec![node("c", 2, vec![]), low]);
        let orders = |compressed| {
            let xml = one_window(&[window(Some(root.clone()))], 0, compressed).unwrap();
            let value = |node: &str, name: &str| {
                let value = node.split_once(&format!("{name}=\"")).unwrap().1;
                value.split_once('"').unwrap().0.to_owned()
            };
            let nodes = xml.split("<node").skip(1);
            nodes
                .map(|node| value(node, " text") + &value(node, "drawing-order"))
                .collect::<Vec<_>>()
        };
        assert_eq!(orders(false), ["0", "c2", "1", "b2", "a1"]);
        assert_eq!(orders(true), ["0", "c3", "b2", "a1"]);
    }
}
