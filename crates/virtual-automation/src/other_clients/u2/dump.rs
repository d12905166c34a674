//! Method `dumpWindowHierarchy`: as `uiautomator dump` except for order of attributes, indentation and emoji.

use std::fmt::Write as _;

use crate::tree::{Tree, TreeOptions};
use runner_virtual_device::WindowDump;
use runner_virtual_device::automation::dump::{attribute, edges, is_unnamed};

/// Formats windows as XML, as the server of `uiautomator2` does. Roots have depth 0, and nodes deeper than
/// `max_depth` are left out. `compressed` leaves layouts out that say nothing. `rotation` is in quarter turns.
/// Without windows the hierarchy is empty.
pub(super) fn xml(
    windows: &[WindowDump],
    rotation: u8,
    compressed: bool,
    max_depth: usize,
) -> String {
    let options = TreeOptions {
        compressed,
        max_depth: max_depth.saturating_add(1),
    };
    let tree = Tree::new(windows, options);
    let mut xml = format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy rotation=\"{rotation}\""
    );
    if tree.roots.is_empty() {
        xml.push_str(" />");
        return xml;
    }
    xml.push('>');
    for root in &tree.roots {
        node(&mut xml, &tree, *root, 0);
    }
    xml.push_str("\r\n</hierarchy>");
    xml
}

/// Writes a node and all below it. Writes nothing if there is none.
fn node(xml: &mut String, tree: &Tree<'_>, at: usize, index: usize) {
    let Some(node_of) = tree.nodes.get(at) else {
        return;
    };
    let dump = node_of.dump;
    indent(xml, node_of.depth);
    xml.push_str("<node");
    if is_unnamed(dump) {
        xml.push_str(" NAF=\"true\"");
    }
    let _ = write!(xml, " index=\"{index}\"");
    let text = |xml: &mut String, name: &str, value: &str| {
        attribute(xml, name, &without_emoji(value));
    };
    for (name, value) in [
        ("text", node_of.text()),
        ("resource-id", &dump.resource_id),
        ("class", &dump.class),
        ("package", &node_of.window.package),
        ("content-desc", &dump.desc),
    ] {
        text(xml, name, value);
    }
    for (name, value) in [
        ("checkable", dump.checkable),
        ("checked", dump.checked),
        ("clickable", dump.clickable),
        ("enabled", dump.enabled),
        ("focusable", dump.focusable),
        ("focused", dump.focused),
        ("scrollable", dump.scrollable),
        ("long-clickable", dump.long_clickable),
        ("password", dump.password),
        ("selected", dump.selected),
        ("visible-to-user", true),
    ] {
        let _ = write!(xml, " {name}=\"{value}\"");
    }
    let _ = write!(
        xml,
        " bounds=\"{}\" drawing-order=\"{}\"",
        edges(dump.bounds),
        node_of.drawing
    );
    text(xml, "hint", &dump.hint);
    xml.push_str(" display-id=\"0\"");
    if node_of.children.is_empty() {
        xml.push_str(" />");
        return;
    }
    xml.push('>');
    for (index, child) in node_of.children.iter().enumerate() {
        node(xml, tree, *child, index);
    }
    indent(xml, node_of.depth);
    xml.push_str("</node>");
}

/// Begins a new line, with two spaces for each level.
fn indent(xml: &mut String, depth: usize) {
    xml.push_str("\r\n");
    for _ in 0..depth {
        xml.push_str("  ");
    }
}

/// Replaces characters beyond the first 65,536 by `..`, and control and reserved ones by `.`: the real server
/// takes both halves of such a character for invalid XML.
fn without_emoji(text: &str) -> String {
    let mut stored = String::new();
    for letter in text.chars() {
        match letter {
            '\u{10000}'.. => stored.push_str(".."),
            '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fdd0}'..='\u{fddf}' => stored.push('.'),
            letter => stored.push(letter),
        }
    }
    stored
}
