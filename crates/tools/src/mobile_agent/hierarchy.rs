//! Formats the active window as the XML of `uiautomator dump`, as the reference's command prints it.

use std::fmt::Write as _;

use runner_screen::{Node, Screen};

/// Returns the nodes of the focused window, unless that is the keyboard's; else of the first application's
/// window, else of the first window. None without windows.
pub(super) fn active_nodes(screen: &Screen) -> impl Iterator<Item = Node<'_>> {
    let windows = screen.windows();
    let active = windows
        .iter()
        .position(|window| window.focused && window.kind != "INPUT_METHOD")
        .or_else(|| {
            windows
                .iter()
                .position(|window| window.kind == "APPLICATION")
        })
        .unwrap_or(0);
    screen.window_nodes(active)
}

/// Formats the active window as XML on one line, with its declaration. The text of a password field is `<password>`,
/// that of a field that shows its hint is the hint. Other windows, such as the keyboard and system bars, are left out.
pub(super) fn xml(screen: &Screen) -> String {
    let rotation = screen.display().rotation;
    let mut xml = format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"{rotation}\">"
    );
    let roots = active_nodes(screen).filter(|node| node.parent().is_none());
    for (index, root) in roots.enumerate() {
        open_tag(&mut xml, root, index);
        below(&mut xml, root);
    }
    xml.push_str("</hierarchy>");
    xml
}

/// Writes a node's children and its closing tag. Its opening tag must have been written without `>`.
/// Recursion is bounded by the parser's limit of depth.
fn below(xml: &mut String, node: Node<'_>) {
    if node.child_count() == 0 {
        xml.push_str(" />");
        return;
    }
    xml.push('>');
    for (index, child) in node.children().enumerate() {
        open_tag(xml, child, index);
        below(xml, child);
    }
    xml.push_str("</node>");
}

/// Writes a node's opening tag without its `>`. An empty hint and an unknown `visible-to-user` are left out; empty
/// texts are not.
fn open_tag(xml: &mut String, node: Node<'_>, index: usize) {
    let _ = write!(xml, "<node index=\"{index}\"");
    for (name, value) in [
        ("text", node.display_text()),
        ("resource-id", node.resource_id()),
        ("class", node.class()),
        ("package", node.package()),
        ("content-desc", node.desc()),
    ] {
        attribute(xml, name, value);
    }
    let flags = node.flags();
    for (name, value) in [
        ("checkable", flags.checkable),
        ("checked", flags.checked),
        ("clickable", flags.clickable),
        ("enabled", flags.enabled),
        ("focusable", flags.focusable),
        ("focused", flags.focused),
        ("scrollable", flags.scrollable),
        ("long-clickable", flags.long_clickable),
        ("password", flags.password),
        ("selected", flags.selected),
    ] {
        let _ = write!(xml, " {name}=\"{value}\"");
    }
    if let Some(visible) = flags.visible_to_user {
        let _ = write!(xml, " visible-to-user=\"{visible}\"");
    }
    let bounds = node.bounds();
    let _ = write!(
        xml,
        " bounds=\"[{},{}][{},{}]\"",
        bounds.left, bounds.top, bounds.right, bounds.bottom
    );
    if !node.hint().is_empty() {
        attribute(xml, "hint", node.hint());
    }
}

/// Writes an attribute, escaped. Characters that XML cannot hold become dots.
fn attribute(xml: &mut String, name: &str, value: &str) {
    let _ = write!(xml, " {name}=\"");
    for character in value.chars() {
        match character {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(xml, "&#{};", character as u32);
            }
            // Characters that XML 1.0 cannot represent become dots, as in Android's own dumps.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => xml.push('.'),
            _ => xml.push(character),
        }
    }
    xml.push('"');
}
