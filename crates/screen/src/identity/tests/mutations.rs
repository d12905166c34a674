//! Seeded changes that show a screen as a later version of the app might, with the right answer known.

use super::tree::{Item, Tree, with_package};
use crate::Screen;

/// Kind of change.
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

/// Ids and labels that apps have, used for renaming.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) ids: Vec<String>,
    pub(super) labels: Vec<String>,
}

impl Names {
    pub(super) fn add(&mut self, screen: &Screen) {
        for node in screen.nodes() {
            let id = node.resource_name();
            self.ids.extend((!id.is_empty()).then(|| id.to_owned()));
            for label in [node.text(), node.desc()] {
                let is_label = !label.is_empty() && label.len() < 40 && !node.flags().password;
                self.labels.extend(is_label.then(|| label.to_owned()));
            }
        }
    }
}

/// Generator of one seeded change.
pub(super) struct Mutator<'a> {
    pub(super) rng: fastrand::Rng,
    pub(super) names: &'a Names,
    /// Names that the screen has already.
    pub(super) taken: Names,
}

impl Mutator<'_> {
    /// Adds to the earlier screen what the kind of change needs there.
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

    /// Changes the screen; returns false if the kind does not fit the element.
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
            // Of those that are the same in all, nobody could tell which moved.
            Kind::Moved if new.has_twin(key) => return false,
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
        let id = if self.rng.bool() {
            self.any_id()
        } else {
            String::new()
        };
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
            item.replace_names(&mut |of| self.fresh(of));
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

    /// Returns an id that the screen does not have.
    fn any_id(&mut self) -> String {
        self.fresh(|names| &names.ids)
    }

    /// Returns a label that the screen does not have.
    fn any_label(&mut self) -> String {
        self.fresh(|names| &names.labels)
    }

    fn fresh(&mut self, of: impl Fn(&Names) -> &Vec<String>) -> String {
        fresh(&mut self.rng, of(self.names), of(&self.taken))
    }

    /// Renames an id as programmers do.
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

    /// Replaces the words by others of about the same length.
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

/// Returns a name that is not taken.
pub(super) fn fresh(rng: &mut fastrand::Rng, all: &[String], taken: &[String]) -> String {
    let mut drawn = (0..50).filter_map(|_| rng.choice(all));
    let found = drawn.find(|name| !taken.contains(name)).cloned();
    found.unwrap_or_else(|| format!("x{}", rng.u32(..)))
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
