//! A screen that can be changed, whose elements keep their keys.

use super::mutations::Names;
use crate::{DisplayContext, Node, NodeIndex, Rect, Screen};

/// Element that can be changed.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// Key that stays whatever changes.
    pub(super) key: u32,
    pub(super) class: String,
    pub(super) id: String,
    pub(super) text: String,
    pub(super) desc: String,
    pub(super) hint: String,
    pub(super) package: String,
    pub(super) bounds: Rect,
    /// Attributes such as `clickable="true"`.
    pub(super) flags: String,
    pub(super) children: Vec<Item>,
}

/// Screen that can be changed.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    roots: Vec<Item>,
    pub(super) next: u32,
}

impl Item {
    fn from_node(node: Node<'_>) -> Self {
        let flags = node.flags();
        let mut written = String::new();
        for (name, on) in [
            ("checkable", flags.checkable),
            ("checked", flags.checked),
            ("clickable", flags.clickable),
            ("enabled", flags.enabled),
            ("focusable", flags.focusable),
            ("scrollable", flags.scrollable),
            ("long-clickable", flags.long_clickable),
            ("password", flags.password),
            ("selected", flags.selected),
        ] {
            written.push_str(&format!(" {name}=\"{on}\""));
        }
        Self {
            key: node.index().0,
            class: node.class().to_owned(),
            id: node.resource_id().to_owned(),
            text: node.display_text().to_owned(),
            desc: node.desc().to_owned(),
            hint: node.hint().to_owned(),
            package: node.package().to_owned(),
            bounds: node.bounds(),
            flags: written,
            children: node.children().map(Self::from_node).collect(),
        }
    }

    fn write(&self, out: &mut String, keys: &mut Vec<u32>) {
        keys.push(self.key);
        out.push_str("<node");
        for (name, value) in [
            ("text", &self.text),
            ("resource-id", &self.id),
            ("class", &self.class),
            ("package", &self.package),
            ("content-desc", &self.desc),
            ("hint", &self.hint),
        ] {
            let value = quick_xml::escape::escape(value.as_str());
            let value = value.replace('\n', "&#10;");
            out.push_str(&format!(" {name}=\"{value}\""));
        }
        let Rect {
            left,
            top,
            right,
            bottom,
        } = self.bounds;
        out.push_str(&format!(
            "{} bounds=\"[{left},{top}][{right},{bottom}]\">",
            self.flags
        ));
        for child in &self.children {
            child.write(out, keys);
        }
        out.push_str("</node>");
    }

    pub(super) fn each(&mut self, change: &mut impl FnMut(&mut Self)) {
        change(self);
        for child in &mut self.children {
            child.each(change);
        }
    }

    /// Gives the element and its descendants other ids and words.
    pub(super) fn replace_names(
        &mut self,
        name: &mut impl FnMut(fn(&Names) -> &Vec<String>) -> String,
    ) {
        self.each(&mut |item| {
            if !item.id.is_empty() {
                item.id = with_package(&item.id, &name(|names| &names.ids));
            }
            for words in [&mut item.text, &mut item.desc, &mut item.hint] {
                if !words.is_empty() {
                    *words = name(|names| &names.labels);
                }
            }
        });
    }

    /// Removes all children, and the words (if `id`) or the id (if not).
    pub(super) fn keep_only(&mut self, id: bool) {
        self.children.clear();
        if id {
            for words in [&mut self.text, &mut self.desc, &mut self.hint] {
                words.clear();
            }
        } else {
            self.id.clear();
        }
    }

    /// Returns a text that is equal for all rows made from one template of a list: classes and ids.
    pub(super) fn template(&self) -> String {
        let mut all = String::new();
        self.clone().each(&mut |item| {
            all.push_str(&item.class);
            all.push_str(&item.id);
        });
        all
    }

    pub(super) fn holds(&self, key: u32) -> bool {
        self.key == key || self.children.iter().any(|child| child.holds(key))
    }
}

impl Tree {
    pub(super) fn from_screen(screen: &Screen) -> Self {
        let roots = screen.nodes().filter(|node| node.parent().is_none());
        Self {
            roots: roots.map(Item::from_node).collect(),
            next: screen.len() as u32,
        }
    }

    /// Returns the screen, and the key of each of its nodes in document order.
    pub(super) fn screen(&self) -> (Screen, Vec<u32>) {
        let mut out =
            String::from("<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\">");
        let mut keys = Vec::new();
        for root in &self.roots {
            root.write(&mut out, &mut keys);
        }
        out.push_str("</hierarchy>");
        let screen = Screen::parse(out.as_bytes(), &DisplayContext::default());
        (screen.expect("a dump that was just written"), keys)
    }

    pub(super) fn each(&mut self, mut change: impl FnMut(&mut Item)) {
        for root in &mut self.roots {
            root.each(&mut change);
        }
    }

    pub(super) fn change(&mut self, key: u32, change: impl FnOnce(&mut Item)) {
        let mut change = Some(change);
        self.each(|item| {
            if item.key == key
                && let Some(change) = change.take()
            {
                change(item);
            }
        });
    }

    pub(super) fn get(&mut self, key: u32) -> Option<Item> {
        let mut found = None;
        self.change(key, |item| found = Some(item.clone()));
        found
    }

    /// Calls `change` with the siblings of an element, itself included, and its place among them.
    pub(super) fn around(&mut self, key: u32, change: impl FnOnce(&mut Vec<Item>, usize)) {
        fn find(items: &mut Vec<Item>, key: u32) -> Option<(&mut Vec<Item>, usize)> {
            if let Some(place) = items.iter().position(|item| item.key == key) {
                return Some((items, place));
            }
            let inner = items.iter_mut().find(|item| item.holds(key))?;
            find(&mut inner.children, key)
        }
        if let Some((siblings, place)) = find(&mut self.roots, key) {
            change(siblings, place);
        }
    }

    /// Returns the row of a list that the element is or is in: one of three or more siblings with the same
    /// classes and ids.
    pub(super) fn row_of(&mut self, key: u32) -> Option<u32> {
        let mut found = None;
        self.each(|item| {
            for child in &item.children {
                let template = child.template();
                let alike = item.children.iter().filter(|it| it.template() == template);
                if child.holds(key) && alike.count() > 2 {
                    found = Some(child.key);
                }
            }
        });
        found
    }

    /// Returns true if a sibling is the same in everything.
    pub(super) fn has_twin(&mut self, key: u32) -> bool {
        let mut found = false;
        self.around(key, |items, place| {
            let facts = |item: &Item| {
                let words = [&item.text, &item.desc, &item.hint].map(String::clone);
                (item.template(), words)
            };
            let own = facts(&items[place]);
            found = items.iter().filter(|item| facts(item) == own).count() > 1;
        });
        found
    }

    pub(super) fn with_new_keys(&mut self, mut item: Item) -> Item {
        item.each(&mut |item| {
            item.key = self.next;
            self.next += 1;
        });
        item
    }
}

/// Returns the name as an id with the package of another id.
pub(super) fn with_package(like: &str, name: &str) -> String {
    match like.rsplit_once('/') {
        Some((package, _)) if !name.is_empty() => format!("{package}/{name}"),
        _ => name.to_owned(),
    }
}

/// Returns the index of the element with this key.
pub(super) fn place_of(keys: &[u32], key: u32) -> Option<NodeIndex> {
    let place = keys.iter().position(|it| *it == key)?;
    Some(NodeIndex(place as u32))
}
