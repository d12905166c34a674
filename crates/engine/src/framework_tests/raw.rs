//! Independent parser of dumps, the judge of these laws. Shares no code with the engine.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use runner_device::Direction;
use runner_screen::Point;

/// Left, top, right, bottom.
pub(super) type Edges = [i32; 4];

/// An element with its attributes as in the dump.
#[derive(Debug)]
pub(super) struct RawNode {
    pub(super) parent: Option<usize>,
    pub(super) edges: Edges,
    attributes: HashMap<String, String>,
}

impl RawNode {
    pub(super) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.attribute(name) == "true"
    }

    /// Returns an attribute with runs of white space collapsed.
    pub(super) fn words(&self, name: &str) -> String {
        let words: Vec<&str> = self.attribute(name).split_whitespace().collect();
        words.join(" ")
    }

    pub(super) fn class(&self) -> &str {
        self.attribute("class").rsplit('.').next().unwrap_or("")
    }

    pub(super) fn is_field(&self) -> bool {
        self.class().contains("EditText") || self.class().contains("AutoComplete")
    }

    /// Returns true if the element can scroll to reveal what lies in the direction, judged by its flag and
    /// class alone. Spinners never do. A class of neither axis scrolls along both.
    pub(super) fn scrolls(&self, to: Direction) -> bool {
        let class = self.class();
        let is_sideways = class.contains("Horizontal") || class == "Gallery";
        let is_upright = !is_sideways
            && ["ScrollView", "ListView", "GridView", "NumberPicker"]
                .iter()
                .any(|name| class.ends_with(name));
        let is_across = match to {
            Direction::Up | Direction::Down => is_sideways,
            Direction::Left | Direction::Right => is_upright,
        };
        self.is("scrollable") && class != "Spinner" && !is_across
    }
}

/// Parses all elements in the dump's order, parents first, each with the index of its parent. Panics for
/// broken XML.
pub(super) fn read(dump: &str) -> Vec<RawNode> {
    let mut reader = Reader::from_str(dump);
    let mut nodes: Vec<RawNode> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        match reader.read_event().expect("clean XML") {
            Event::Start(tag) if tag.name().as_ref() == b"node" => {
                nodes.push(raw_node(&tag, open.last().copied()));
                open.push(nodes.len() - 1);
            }
            Event::Empty(tag) if tag.name().as_ref() == b"node" => {
                nodes.push(raw_node(&tag, open.last().copied()));
            }
            Event::End(tag) if tag.name().as_ref() == b"node" => {
                open.pop();
            }
            Event::Eof => return nodes,
            _ => {}
        }
    }
}

fn raw_node(tag: &BytesStart<'_>, parent: Option<usize>) -> RawNode {
    let attributes: HashMap<String, String> = tag
        .attributes()
        .map(|attribute| {
            let attribute = attribute.expect("an attribute");
            let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
            let value = String::from_utf8_lossy(&attribute.value).into_owned();
            let value = quick_xml::escape::unescape(&value).expect("known entities");
            (name, value.into_owned())
        })
        .collect();
    let numbers: Vec<i32> = attributes["bounds"]
        .split(['[', ']', ','])
        .filter_map(|number| number.parse().ok())
        .collect();
    RawNode {
        parent,
        edges: numbers.try_into().expect("four edges"),
        attributes,
    }
}

/// Returns the element and its ancestors, innermost first.
pub(super) fn outward(nodes: &[RawNode], place: usize) -> impl Iterator<Item = &RawNode> {
    std::iter::successors(Some(&nodes[place]), |node| {
        node.parent.map(|parent| &nodes[parent])
    })
}

pub(super) fn holds(edges: Edges, point: Point) -> bool {
    let [left, top, right, bottom] = edges;
    (left..right).contains(&point.x) && (top..bottom).contains(&point.y)
}

pub(super) fn area([left, top, right, bottom]: Edges) -> i64 {
    i64::from(right - left) * i64::from(bottom - top)
}

/// Rewrites a dump's attributes with single quotes, as some devices do.
pub(super) fn in_single_quotes(dump: &str) -> String {
    let mut written = String::with_capacity(dump.len());
    let mut is_value = false;
    for letter in dump.chars() {
        match letter {
            '"' => {
                is_value = !is_value;
                written.push('\'');
            }
            '\'' if is_value => written.push_str("&apos;"),
            _ => written.push(letter),
        }
    }
    written.replace("&quot;", "\"")
}
