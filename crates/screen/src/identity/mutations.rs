//! Screens as a later version of the app may show them: seeded changes of which the truth is known.

use crate::{DisplayContext, Node, NodeIndex, Rect, Screen};

/// One kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    IdRenamed,
    IdDropped,
    LabelWord,
    LabelTranslated,
    LabelCase,
    IdAndLabel,
    AllRenamed,
    Wrapped,
    Moved,
    ContainerMoved,
    SiblingsAdded,
    TwinsAdded,
    RowsAdded,
    RowsRemoved,
    Gone,
    GoneLookAlikeStays,
}

impl Kind {
    pub(super) const ALL: [Self; 16] = [
        Self::IdRenamed,
        Self::IdDropped,
        Self::LabelWord,
        Self::LabelTranslated,
        Self::LabelCase,
        Self::IdAndLabel,
        Self::AllRenamed,
        Self::Wrapped,
        Self::Moved,
        Self::ContainerMoved,
        Self::SiblingsAdded,
        Self::TwinsAdded,
        Self::RowsAdded,
        Self::RowsRemoved,
        Self::Gone,
        Self::GoneLookAlikeStays,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::IdRenamed => "id renamed",
            Self::IdDropped => "id dropped",
            Self::LabelWord => "label: a word changed",
            Self::LabelTranslated => "label translated",
            Self::LabelCase => "label in another case",
            Self::IdAndLabel => "id and label renamed",
            Self::AllRenamed => "everything renamed",
            Self::Wrapped => "wrapped in a container",
            Self::Moved => "moved in its container",
            Self::ContainerMoved => "its container moved",
            Self::SiblingsAdded => "siblings added",
            Self::TwinsAdded => "twins added",
            Self::RowsAdded => "rows added",
            Self::RowsRemoved => "rows removed",
            Self::Gone => "gone",
            Self::GoneLookAlikeStays => "gone, a look-alike stays",
        }
    }

    pub(super) fn is_gone(self) -> bool {
        matches!(self, Self::Gone | Self::GoneLookAlikeStays)
    }
}

/// An element that can be changed.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// What it is known by, whatever changes.
    pub(super) key: u32,
    class: String,
    pub(super) id: String,
    pub(super) text: String,
    pub(super) desc: String,
    hint: String,
    package: String,
    bounds: Rect,
    /// `clickable="true"` and so on.
    flags: String,
    children: Vec<Item>,
}

/// A screen that can be changed.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    roots: Vec<Item>,
    next: u32,
}

/// Ids and labels that apps have, to rename with.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) ids: Vec<String>,
    pub(super) labels: Vec<String>,
}

impl Names {
    pub(super) fn add(&mut self, screen: &Screen) {
        for node in screen.nodes() {
            let (id, text) = (node.resource_name(), node.text());
            self.ids.extend((!id.is_empty()).then(|| id.to_owned()));
            let is_label = !text.is_empty() && text.len() < 40 && !node.flags().password;
            self.labels.extend(is_label.then(|| text.to_owned()));
        }
    }
}

impl Item {
    fn of(node: Node<'_>) -> Self {
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
            children: node.children().map(Self::of).collect(),
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

    fn each(&mut self, change: &mut impl FnMut(&mut Self)) {
        change(self);
        for child in &mut self.children {
            child.each(change);
        }
    }

    fn holds(&self, key: u32) -> bool {
        self.key == key || self.children.iter().any(|child| child.holds(key))
    }
}

impl Tree {
    pub(super) fn of(screen: &Screen) -> Self {
        let roots = screen.nodes().filter(|node| node.parent().is_none());
        Self {
            roots: roots.map(Item::of).collect(),
            next: screen.len() as u32,
        }
    }

    /// The screen, and what each of its nodes is known by.
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

    /// The siblings of an element, itself counted, and its place among them.
    fn around(&mut self, key: u32, change: impl FnOnce(&mut Vec<Item>, usize)) {
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

    /// The nearest container of the element that has other children of its class: a list's, with its place in it.
    fn row_of(&mut self, key: u32) -> Option<u32> {
        let mut found = None;
        self.each(|item| {
            for child in &item.children {
                let alike = item.children.iter().filter(|it| it.class == child.class);
                if child.holds(key) && alike.count() > 1 {
                    found = Some(child.key);
                }
            }
        });
        found
    }

    fn with_new_keys(&mut self, mut item: Item) -> Item {
        item.each(&mut |item| {
            item.key = self.next;
            self.next += 1;
        });
        item
    }
}

/// One seeded change.
pub(super) struct Mutator<'a> {
    pub(super) rng: fastrand::Rng,
    pub(super) names: &'a Names,
}

impl Mutator<'_> {
    /// Changes the earlier screen where the kind needs something to be there.
    pub(super) fn prepare(&mut self, kind: Kind, old: &mut Tree, key: u32) {
        if kind != Kind::GoneLookAlikeStays {
            return;
        }
        let Some(item) = old.get(key) else { return };
        let mut alike = old.with_new_keys(item);
        match self.rng.u8(..3) {
            0 => self.rename_id(&mut alike),
            1 => self.change_word(&mut alike),
            _ => {
                self.rename_id(&mut alike);
                self.change_word(&mut alike);
            }
        }
        let after = usize::from(self.rng.bool());
        old.around(key, |items, place| items.insert(place + after, alike));
    }

    /// Changes the screen; false where the kind does not fit the element.
    pub(super) fn apply(&mut self, kind: Kind, new: &mut Tree, key: u32) -> bool {
        let Some(item) = new.get(key) else {
            return false;
        };
        let has_label = !item.text.is_empty() || !item.desc.is_empty();
        let has_id = !item.id.is_empty();
        match kind {
            Kind::IdRenamed if has_id => new.change(key, |item| self.rename_id(item)),
            Kind::IdDropped if has_id => {
                if self.rng.bool() {
                    new.each(|item| item.id.clear());
                } else {
                    new.change(key, |item| item.id.clear());
                }
            }
            Kind::LabelWord if has_label => new.change(key, |item| self.change_word(item)),
            Kind::LabelTranslated if has_label => new.change(key, |item| self.translate(item)),
            Kind::LabelCase if has_label => new.change(key, in_other_case),
            Kind::IdAndLabel if has_label && has_id => new.change(key, |item| {
                self.rename_id(item);
                if self.rng.bool() {
                    self.translate(item);
                } else {
                    self.change_word(item);
                }
            }),
            Kind::AllRenamed => new.each(|item| {
                self.rename_id(item);
                self.translate(item);
            }),
            Kind::Wrapped => self.wrap(new, key),
            Kind::Moved => new.around(key, |items, place| {
                let item = items.remove(place);
                items.insert(self.rng.usize(..=items.len()), item);
            }),
            Kind::ContainerMoved => self.move_container(new, key),
            Kind::SiblingsAdded => self.add_siblings(new, key),
            Kind::TwinsAdded => {
                let twin = new.with_new_keys(item);
                let after = usize::from(self.rng.bool());
                new.around(key, |items, place| items.insert(place + after, twin));
            }
            Kind::RowsAdded | Kind::RowsRemoved => return self.change_rows(kind, new, key),
            Kind::Gone | Kind::GoneLookAlikeStays => new.around(key, |items, place| {
                items.remove(place);
            }),
            _ => return false,
        }
        true
    }

    fn wrap(&mut self, new: &mut Tree, key: u32) {
        let outer = new.next;
        new.next += 1;
        let id = self.rng.bool().then(|| self.any_id()).unwrap_or_default();
        new.around(key, |items, place| {
            let item = items.remove(place);
            let wrapper = Item {
                key: outer,
                class: "android.widget.FrameLayout".to_owned(),
                id: with_package(&item.id, &id),
                text: String::new(),
                desc: String::new(),
                hint: String::new(),
                package: item.package.clone(),
                bounds: item.bounds,
                flags: " enabled=\"true\"".to_owned(),
                children: vec![item],
            };
            items.insert(place, wrapper);
        });
    }

    fn move_container(&mut self, new: &mut Tree, key: u32) {
        let mut parents = Vec::new();
        new.each(|item| {
            if item.key != key && item.holds(key) {
                parents.push(item.key);
            }
        });
        parents.reverse();
        // The nearest that has somewhere to go.
        for parent in parents {
            let mut moved = false;
            new.around(parent, |items, place| {
                if items.len() > 1 {
                    let item = items.remove(place);
                    items.insert(self.rng.usize(..=items.len()), item);
                    moved = true;
                }
            });
            if moved {
                return;
            }
        }
    }

    fn add_siblings(&mut self, new: &mut Tree, key: u32) {
        for _ in 0..self.rng.usize(1..=3) {
            let Some(mut item) = new.get(key) else { return };
            if self.rng.bool() {
                item.class = "android.widget.TextView".to_owned();
                item.children.clear();
            }
            item.each(&mut |item| {
                if !item.id.is_empty() {
                    item.id = with_package(&item.id.clone(), &self.any_id());
                }
                for words in [&mut item.text, &mut item.desc, &mut item.hint] {
                    if !words.is_empty() {
                        *words = self.any_label();
                    }
                }
            });
            let item = new.with_new_keys(item);
            let after = usize::from(self.rng.bool());
            new.around(key, |items, place| items.insert(place + after, item));
        }
    }

    fn change_rows(&mut self, kind: Kind, new: &mut Tree, key: u32) -> bool {
        let Some(row) = new.row_of(key) else {
            return false;
        };
        let Some(mut copy) = new.get(row) else {
            return false;
        };
        copy.each(&mut |item| {
            for words in [&mut item.text, &mut item.desc] {
                if !words.is_empty() {
                    *words = self.any_label();
                }
            }
        });
        let copy = new.with_new_keys(copy);
        new.around(row, |items, _| {
            if kind == Kind::RowsAdded {
                items.insert(self.rng.usize(..=items.len()), copy);
                return;
            }
            let others: Vec<usize> = (0..items.len())
                .filter(|at| items[*at].key != row)
                .collect();
            if let Some(at) = self.rng.choice(others) {
                items.remove(at);
            }
        });
        true
    }

    fn any_id(&mut self) -> String {
        let ids = &self.names.ids;
        ids.get(self.rng.usize(..ids.len().max(1)))
            .cloned()
            .unwrap_or_default()
    }

    fn any_label(&mut self) -> String {
        let labels = &self.names.labels;
        let label = labels.get(self.rng.usize(..labels.len().max(1)));
        label.cloned().unwrap_or_default()
    }

    /// Gives an id as programmers rename them.
    fn rename_id(&mut self, item: &mut Item) {
        if item.id.is_empty() {
            return;
        }
        let name = item
            .id
            .rsplit_once('/')
            .map_or(&*item.id, |(_, name)| name)
            .to_owned();
        let other = self.any_id();
        let mut words: Vec<String> = runner_text::suggest::snake_case(&name)
            .split('_')
            .map(str::to_owned)
            .collect();
        let renamed = match self.rng.u8(..6) {
            0 => format!(
                "{name}_{}",
                self.rng
                    .choice(["v2", "button", "new", "view"])
                    .unwrap_or_default()
            ),
            1 => format!(
                "{}_{name}",
                self.rng
                    .choice(["btn", "main", "tv", "screen"])
                    .unwrap_or_default()
            ),
            2 => {
                let at = self.rng.usize(..words.len());
                other
                    .split('_')
                    .next()
                    .unwrap_or("x")
                    .clone_into(&mut words[at]);
                words.join("_")
            }
            3 if words.len() > 1 => {
                words.rotate_left(1);
                words.join("-")
            }
            4 if words.len() > 1 => {
                let later = words.split_off(1);
                later.iter().fold(words.concat(), |name, word| {
                    let mut letters = word.chars();
                    let first = letters.next().map(|c| c.to_ascii_uppercase());
                    name + &first.map(String::from).unwrap_or_default() + letters.as_str()
                })
            }
            _ => other,
        };
        item.id = with_package(&item.id, &renamed);
    }

    fn change_word(&mut self, item: &mut Item) {
        let other = self.any_label();
        let word = other.split_whitespace().next().unwrap_or("New").to_owned();
        for label in [&mut item.text, &mut item.desc] {
            let mut words: Vec<&str> = label.split_whitespace().collect();
            if words.is_empty() {
                continue;
            }
            let at = self.rng.usize(..words.len());
            match self.rng.u8(..3) {
                0 => words.insert(at, &word),
                1 if words.len() > 1 => {
                    words.remove(at);
                }
                _ => words[at] = &word,
            }
            *label = words.join(" ");
        }
    }

    /// Other words of about the same length.
    fn translate(&mut self, item: &mut Item) {
        let shift = self.rng.u8(3..23);
        for label in [&mut item.text, &mut item.desc, &mut item.hint] {
            let turned = label.chars().map(|c| match c {
                'a'..='z' => char::from((c as u8 - b'a' + shift) % 26 + b'a'),
                'A'..='Z' => char::from((c as u8 - b'A' + shift) % 26 + b'A'),
                other => other,
            });
            *label = turned.collect();
        }
    }
}

fn in_other_case(item: &mut Item) {
    for label in [&mut item.text, &mut item.desc] {
        let upper = label.to_uppercase();
        *label = if upper == *label {
            label.to_lowercase()
        } else {
            upper
        };
    }
}

/// The name as an id of the same package as another id.
fn with_package(like: &str, name: &str) -> String {
    match like.rsplit_once('/') {
        Some((package, _)) if !name.is_empty() => format!("{package}/{name}"),
        _ => name.to_owned(),
    }
}

/// The place of an element that is known by its key.
pub(super) fn place_of(keys: &[u32], key: u32) -> Option<NodeIndex> {
    let place = keys.iter().position(|it| *it == key)?;
    Some(NodeIndex(place as u32))
}
