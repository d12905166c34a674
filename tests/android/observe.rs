//! Own parser of a dump of all windows, and the observations that a row makes in it.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use runner_screen::Rect;

use super::rows::Row;

/// A window, a hierarchy or a node of a dump.
#[derive(Debug, Default)]
pub struct Node {
    attributes: BTreeMap<String, String>,
    children: Vec<Node>,
}

impl Node {
    fn get(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    pub fn bounds(&self) -> Rect {
        let numbers: Vec<i32> = self
            .get("bounds")
            .split(|c: char| !c.is_ascii_digit() && c != '-')
            .filter_map(|number| number.parse().ok())
            .collect();
        match numbers.as_slice() {
            [left, top, right, bottom] => Rect::new(*left, *top, *right, *bottom),
            other => panic!("{other:?}"),
        }
    }

    /// Returns the id without the package.
    fn id(&self) -> &str {
        self.get("resource-id")
            .rsplit('/')
            .next()
            .unwrap_or_default()
    }

    /// Returns the id, or else the text in quotes.
    fn name(&self) -> String {
        if self.id().is_empty() {
            format!("{:?}", self.get("text"))
        } else {
            self.id().to_owned()
        }
    }

    fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }

    fn all(&self) -> Vec<&Self> {
        let mut all = Vec::new();
        self.walk(&mut |node| all.push(node));
        all
    }

    /// Finds the node by an id or a `"text"`.
    fn find(&self, name: &str) -> Option<&Self> {
        let text = name
            .strip_prefix('"')
            .map(|name| name.trim_end_matches('"'));
        self.all().into_iter().find(|node| match text {
            Some(text) => node.get("text") == text,
            None => node.id() == name,
        })
    }
}

/// Windows of a dump, from front to back.
#[derive(Debug, Default)]
pub struct Look {
    windows: Vec<Node>,
}

impl Look {
    pub fn parse(xml: &str) -> Result<Self, String> {
        let begin = xml
            .find("<displays")
            .ok_or_else(|| format!("no dump: {xml}"))?;
        let mut reader = Reader::from_str(&xml[begin..]);
        reader.config_mut().check_end_names = false;
        let mut open = vec![Node::default()];
        loop {
            match reader.read_event().map_err(|error| error.to_string())? {
                Event::Start(start) => open.push(node(&start)),
                Event::Empty(start) => add(&mut open, node(&start)),
                Event::End(end) => {
                    if let Some(node) = open.pop() {
                        add(&mut open, node);
                    }
                    // A line may follow that says where the dump is.
                    if end.name().as_ref() == b"displays" {
                        break;
                    }
                }
                Event::Eof => break,
                _ => {}
            }
        }
        let mut windows = Vec::new();
        for display in open
            .remove(0)
            .children
            .into_iter()
            .flat_map(|node| node.children)
        {
            windows.extend(display.children);
        }
        Ok(Self { windows })
    }

    fn apps(&self) -> impl Iterator<Item = &Node> {
        let is_app = |window: &&Node| window.get("type") == "TYPE_APPLICATION";
        self.windows.iter().filter(is_app)
    }

    pub fn find(&self, name: &str) -> Option<&Node> {
        self.apps().find_map(|window| window.find(name))
    }

    fn active(&self) -> &Node {
        let active = self.apps().find(|window| window.get("active") == "true");
        active.unwrap_or_else(|| panic!("no window is active: {:#?}", self.windows))
    }
}

fn add(open: &mut [Node], node: Node) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(node);
    }
}

fn node(start: &BytesStart<'_>) -> Node {
    let attributes = start.attributes().map(|attribute| {
        let attribute = attribute.expect("an attribute");
        let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
        let value = String::from_utf8_lossy(&attribute.value).into_owned();
        let value = quick_xml::escape::unescape(&value)
            .expect("a value")
            .into_owned();
        (name, value)
    });
    Node {
        attributes: attributes.collect(),
        children: Vec::new(),
    }
}

/// Returns the observation `see` of a row, as text.
pub fn observe(see: &str, row: &Row, before: &Look, after: &Look) -> String {
    let scale = f64::from(row.density) / 160.0;
    let dp = |px: i32| format!("{:.1}", f64::from(px) / scale);
    let (name, what) = split(see);
    match (name, what) {
        ("focused", "") => focused(after),
        ("ids", "") => {
            let all = after.active().all();
            let ids = all.iter().map(|node| node.id()).filter(|id| !id.is_empty());
            ids.collect::<Vec<_>>().join(" ")
        }
        // Titles are the host's own.
        ("windows", "") => after.apps().count().to_string(),
        ("keyboard", "") => {
            let is_shown = |window: &Node| window.get("type") == "TYPE_INPUT_METHOD";
            after.windows.iter().any(is_shown).to_string()
        }
        ("window", "width") => dp(after.active().bounds().width() as i32),
        ("window", "height") => dp(after.active().bounds().height() as i32),
        (_, "there") => after.find(name).is_some().to_string(),
        (_, "position") => {
            let (Some(begin), Some(end)) = (place(name, before), place(name, after)) else {
                return "-".to_owned();
            };
            format!("{:.1}", (end - begin) / scale)
        }
        _ => {
            let Some(node) = after.find(name) else {
                return "-".to_owned();
            };
            match what {
                "" => node.get("text").to_owned(),
                "mark" => mark(node.get("text")),
                "children" => {
                    let names = node.children.iter().map(Node::name);
                    names.collect::<Vec<_>>().join(" ")
                }
                "width" => dp(node.bounds().width() as i32),
                "height" => dp(node.bounds().height() as i32),
                attribute => node.get(attribute).to_owned(),
            }
        }
    }
}

/// Splits `ID.ATTR` or `"Text".ATTR` into the element and the attribute.
fn split(see: &str) -> (&str, &str) {
    if see.starts_with('"') {
        let end = see.rfind('"').unwrap_or(0) + 1;
        return (&see[..end], see[end..].trim_start_matches('.'));
    }
    see.split_once('.').unwrap_or((see, ""))
}

fn focused(look: &Look) -> String {
    let all = look.active().all();
    let with_focus = all
        .iter()
        .find(|node| node.get("focused") == "true" && node.attributes.contains_key("clickable"));
    with_focus.map_or_else(|| "-".to_owned(), |node| node.name())
}

/// Returns the scroll position of a list, in pixels from a fixed origin: `Row N` stands at N times the pitch.
fn place(list: &str, look: &Look) -> Option<f64> {
    let list = look.find(list)?;
    let bounds = list.bounds();
    let mut rows: Vec<(f64, Rect)> = Vec::new();
    for node in list.all() {
        let number = node.get("text").strip_prefix("Row ");
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            rows.push((number, node.bounds()));
        }
    }
    // A row at an edge is cut: those next to it are not, or stand with it at the end.
    let tallest = rows.iter().map(|(_, at)| at.height()).max()?;
    let widest = rows.iter().map(|(_, at)| at.width()).max()?;
    rows.retain(|(_, at)| at.height() == tallest && at.width() == widest);
    let ((first, begin), (last, end)) = (*rows.first()?, *rows.last()?);
    let is_across = begin.top == end.top;
    let edge = |at: Rect| {
        if is_across {
            at.left - bounds.left
        } else {
            at.top - bounds.top
        }
    };
    if last <= first {
        return None;
    }
    let pitch = f64::from(edge(end) - edge(begin)) / (last - first);
    Some(first * pitch - f64::from(edge(begin)))
}

/// Returns the position of `|` in a text with words of equal letters, one on each line.
fn mark(text: &str) -> String {
    let Some(at) = text.find('|') else {
        return "none".to_owned();
    };
    let (before, after) = (&text[..at], &text[at + 1..]);
    let line = before.split([' ', '\n']).count();
    if before.is_empty() {
        "start".to_owned()
    } else if after.is_empty() {
        "end".to_owned()
    } else if after.starts_with([' ', '\n']) {
        format!("line {line} end")
    } else if before.ends_with([' ', '\n']) {
        format!("line {line} start")
    } else {
        format!("line {line} inside")
    }
}
