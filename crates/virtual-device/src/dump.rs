//! `uiautomator dump`'s XML, of the active window or of all windows.

use std::fmt::Write as _;

use super::{NodeDump, WindowDump};
use runner_screen::Rect;

const HEADER: &str = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>";

/// The window that a plain dump shows: the one with the focus, else the first application's.
pub fn active(windows: &[WindowDump]) -> Option<&WindowDump> {
    windows
        .iter()
        .find(|window| window.focused && window.kind != "INPUT_METHOD")
        .or_else(|| windows.iter().find(|window| window.kind == "APPLICATION"))
}

/// A plain dump. `None` is a null root.
pub(crate) fn one_window(windows: &[WindowDump], rotation: u8, compressed: bool) -> Option<String> {
    let window = active(windows)?;
    let root = window.root.as_ref()?;
    let mut xml = format!("{HEADER}<hierarchy rotation=\"{rotation}\">");
    let mut writer = Writer {
        xml: &mut xml,
        package: &window.package,
        compressed,
    };
    writer.node(root, 0);
    xml.push_str("</hierarchy>");
    Some(xml)
}

/// `--windows`: every window of the display.
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
            writer.node(root, 0);
            xml.push_str("</hierarchy>");
        }
        xml.push_str("</window>");
    }
    xml.push_str("</display></displays>");
    xml
}

/// A rectangle as dumps write it.
pub fn edges(rect: Rect) -> String {
    format!(
        "[{},{}][{},{}]",
        rect.left, rect.top, rect.right, rect.bottom
    )
}

/// Writes nodes of one window.
struct Writer<'a> {
    xml: &'a mut String,
    package: &'a str,
    compressed: bool,
}

impl Writer<'_> {
    fn node(&mut self, node: &NodeDump, index: usize) {
        let (index, drawing) = node.order.map_or((index, index + 1), |order| {
            (order.index as usize, order.drawing as usize)
        });
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
        self.children(&node.children, 0);
        self.xml.push_str("</node>");
    }

    /// Children from `index` on; returns the next index. A compressed dump leaves out layouts that say nothing.
    fn children(&mut self, children: &[NodeDump], mut index: usize) -> usize {
        for child in children {
            if self.compressed && is_plain_layout(child) {
                index = self.children(&child.children, index);
            } else {
                self.node(child, index);
                index += 1;
            }
        }
        index
    }
}

/// Whether only its children matter, as the system's own rule for "not important" views has it (AOSP,
/// `View.isImportantForAccessibility`): what neither acts nor says anything. Texts and bars make themselves important.
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

/// "Not accessibility friendly": acts, and says nothing, nor does anything in it.
pub fn is_unnamed(node: &NodeDump) -> bool {
    fn says(node: &NodeDump) -> bool {
        !display_text(node).is_empty() || !node.desc.is_empty() || node.children.iter().any(says)
    }
    node.clickable && node.enabled && !says(node)
}

/// The text as accessibility has it: while nothing is in a view, its hint, in password fields too.
pub fn display_text(node: &NodeDump) -> &str {
    if node.text.is_empty() {
        &node.hint
    } else {
        &node.text
    }
}

/// Writes ` name="value"` as `uiautomator dump` does: what its reader of 1.1 would not take becomes a dot (AOSP,
/// `AccessibilityNodeInfoDumper.stripInvalidXMLChars`).
pub fn attribute(xml: &mut String, name: &str, value: &str) {
    attribute_with(xml, name, value, |letter| {
        let is_stripped = matches!(letter,
            '\u{1}'..='\u{8}' | '\u{b}'..='\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}'
            | '\u{86}'..='\u{9f}' | '\u{fdd0}'..='\u{fddf}');
        if is_stripped { '.' } else { letter }
    });
}

/// Writes ` name="value"` as Android's serialiser does (AOSP, `KXmlSerializer`): in single quotes where a double one is in
/// the value, and with characters beyond the BMP as decimal references.
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

/// Returns true if a text has a character that Android's serialiser refuses. Android then writes no dump.
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
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"1\"><node index=\"0\" text=\"\" resource-id=\"\" class=\"android.widget.FrameLayout\" package=\"com.example\" content-desc=\"\" {plain} clickable=\"false\" enabled=\"true\" {rest} bounds=\"[0,0][100,200]\" drawing-order=\"1\" hint=\"\" display-id=\"0\" visible-to-user=\"true\"><node index=\"0\" text='&lt;\"hi\" &amp; &#128512;&#10;' resource-id=\"\" class=\"android.widget.Button\" package=\"com.example\" content-desc=\"\" {plain} clickable=\"true\" enabled=\"true\" {rest} bounds=\"[0,0][0,0]\" drawing-order=\"1\" hint=\"\" display-id=\"0\" visible-to-user=\"true\" /></node></hierarchy>"
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
}
