//! Route `/source`: the windows' nodes as XML whose elements are named after classes.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;

use super::attributes::SourceAttributes;
use super::call::{Call, Screen};
use super::error::WireError;
use crate::input::spend;
use crate::tree::Tree;
use runner_virtual_device::automation::dump::attribute_with;

/// Duration of a look. Chosen: typical of phones.
const LOOK: Duration = Duration::from_millis(200);

/// Returns the screen as XML, after the 200 ms a look takes.
pub(super) fn source(call: &Call<'_>) -> Result<Value, WireError> {
    spend(call.device, LOOK);
    let screen = call.screen()?;
    let tree = call.source_tree(&screen)?;
    let attributes = SourceAttributes::new(&call.server.settings());
    Ok(Value::from(xml(&screen, &tree, attributes)))
}

/// Formats the XML, indented as Android's serializer does, with the display's size and rotation. The device's
/// time in microseconds is in it if the screen has one.
fn xml(screen: &Screen, tree: &Tree<'_>, attributes: SourceAttributes) -> String {
    let display = screen.display;
    let mut writer = Writer {
        xml: "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>".to_owned(),
        tree,
        attributes,
    };
    let _ = write!(
        writer.xml,
        "\r\n<hierarchy index=\"0\" class=\"hierarchy\" rotation=\"{}\" width=\"{}\" height=\"{}\"",
        display.rotation, display.width, display.height
    );
    if let Some(time) = screen.time {
        // Programs between client and server drop headers, so the time is in the document.
        let _ = write!(writer.xml, " runner-clock=\"{}\"", time.as_micros());
    }
    if tree.roots.is_empty() {
        writer.xml.push_str(" />");
        return writer.xml;
    }
    writer.xml.push('>');
    for root in &tree.roots {
        writer.element(*root);
    }
    writer.xml.push_str("\r\n</hierarchy>");
    writer.xml
}

struct Writer<'a> {
    xml: String,
    tree: &'a Tree<'a>,
    attributes: SourceAttributes,
}

impl Writer<'_> {
    /// Writes an element and all below it. Characters that XML cannot have become question marks.
    fn element(&mut self, at: usize) {
        let Some(node) = self.tree.nodes.get(at) else {
            return;
        };
        let name = node.element_name();
        self.indent(node.depth);
        let _ = write!(self.xml, "<{name}");
        for (name, value) in self.attributes.list(self.tree, at) {
            // Characters that XML 1.0 cannot represent become question marks.
            attribute_with(&mut self.xml, name, &value, |letter| match letter {
                '\t' | '\n' | '\r' => letter,
                '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => '?',
                _ => letter,
            });
        }
        if node.children.is_empty() {
            self.xml.push_str(" />");
            return;
        }
        self.xml.push('>');
        for child in &node.children {
            self.element(*child);
        }
        self.indent(node.depth);
        let _ = write!(self.xml, "</{name}>");
    }

    /// Begins a new line, with two spaces for each level.
    fn indent(&mut self, depth: usize) {
        self.xml.push_str("\r\n");
        for _ in 0..depth {
            self.xml.push_str("  ");
        }
    }
}
