//! Tests with renames that real projects made, applied to other screens.
//!
//! `renames.tsv` holds edits of flows of Maestro: one `id` or `text` changed in an otherwise equal step. Some
//! of them point at another element afterwards, which cannot be seen in the edit. So each is also applied as
//! if it did.

use std::fmt::Write as _;

use super::measure::{Half, is_target, screens};
use super::mutations::{Names, fresh};
use super::tree::{Item, Tree, place_of};
use crate::identity::{Identity, find_again};
use crate::{Node, Screen, Selector};

/// Edit of a flow.
struct Rename {
    is_id: bool,
    from: &'static str,
    to: &'static str,
}

fn renames() -> Vec<Rename> {
    let lines = include_str!("renames.tsv").lines().skip(1);
    let read = |line: &'static str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [_, _, _, property, from, to] = cells[..] else {
            panic!("not six cells: {line}");
        };
        let is_id = property == "id";
        Rename { is_id, from, to }
    };
    lines.map(read).collect()
}

/// Interpretation of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The element got another name.
    Renamed,
    /// The element got another name, and its other names are removed.
    RenamedAlone,
    /// The element is gone, and one with the new name stands in its place.
    Replaced,
}

impl Reading {
    fn name(self) -> &'static str {
        match self {
            Self::Renamed => "a rename",
            Self::RenamedAlone => "a rename of the only name",
            Self::Replaced => "another element in its place",
        }
    }
}

#[derive(Debug, Default)]
struct Counts {
    cases: usize,
    right: usize,
    wrong: usize,
    patched: usize,
}

impl Rename {
    fn write(&self, item: &mut Item, name: &str) {
        if self.is_id {
            let package = item
                .id
                .rsplit_once('/')
                .map_or("com.example:id", |(it, _)| it);
            item.id = format!("{package}/{name}");
        } else {
            let both = item.text == item.desc;
            if both || item.text.is_empty() {
                name.clone_into(&mut item.desc);
            }
            if both || !item.text.is_empty() {
                name.clone_into(&mut item.text);
            }
        }
    }

    fn fits(&self, node: Node<'_>) -> bool {
        let has_it = if self.is_id {
            !node.resource_id().is_empty()
        } else {
            let is_typed = node.is_editable() || node.flags().password;
            let says = !node.text().is_empty() || !node.desc().is_empty();
            says && !is_typed
        };
        has_it && is_target(node)
    }

    fn plant(
        &self,
        screen: &Screen,
        names: &Names,
        reading: Reading,
        seed: u64,
        counts: &mut Counts,
    ) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let fitting: Vec<Node<'_>> = screen.nodes().filter(|node| self.fits(*node)).collect();
        let Some(target) = rng.choice(fitting) else {
            return;
        };
        let key = target.index().0;
        let mut tree = Tree::from_screen(screen);
        tree.change(key, |item| {
            self.write(item, self.from);
            if reading == Reading::RenamedAlone {
                item.keep_only(self.is_id);
            }
        });
        let (old, keys) = tree.screen();
        let element = place_of(&keys, key).expect("it was changed");
        let selector = if self.is_id {
            Selector::from_id(self.from)
        } else {
            Selector::from_words(self.from)
        };
        if selector.find(&old) != [element] {
            return;
        }
        tree.change(key, |item| {
            if reading == Reading::Replaced {
                let mut taken = Names::default();
                taken.add(screen);
                item.replace_names(&mut |of| fresh(&mut rng, of(names), of(&taken)));
            }
            self.write(item, self.to);
        });
        let (new, keys) = tree.screen();
        let truth = place_of(&keys, key).filter(|_| reading != Reading::Replaced);
        counts.cases += 1;
        if let Identity::Found(found) = find_again(old.node(element), &new) {
            let is_right = Some(found.node) == truth;
            counts.right += usize::from(is_right);
            counts.wrong += usize::from(!is_right);
            let change = selector.property_change(old.node(element), new.node(found.node));
            counts.patched += usize::from(change.is_some());
        }
    }
}

/// Returns the table of results, each rename applied to `screens_each` screens.
pub(super) fn table(half: Half, screens_each: usize) -> String {
    let screens = screens(half);
    let mut names = Names::default();
    for (_, screen) in &screens {
        names.add(screen);
    }
    let mut out = String::from(
        "| planted | property | cases | right % | wrong | patched % |\n|---|---|---|---|---|---|\n",
    );
    for reading in [Reading::Renamed, Reading::RenamedAlone, Reading::Replaced] {
        for is_id in [true, false] {
            let mut counts = Counts::default();
            for (row, rename) in renames()
                .iter()
                .enumerate()
                .filter(|(_, it)| it.is_id == is_id)
            {
                for turn in 0..screens_each {
                    let seed = (row * 1000 + turn) as u64;
                    let place = fastrand::Rng::with_seed(!seed).usize(..screens.len());
                    rename.plant(&screens[place].1, &names, reading, seed, &mut counts);
                }
            }
            let share = |count: usize| 100.0 * count as f64 / counts.cases.max(1) as f64;
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.1} | {} | {:.1} |",
                reading.name(),
                if is_id { "id" } else { "text" },
                counts.cases,
                share(counts.right),
                counts.wrong,
                share(counts.patched),
            );
        }
    }
    out
}
