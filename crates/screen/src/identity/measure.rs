//! How often the identity of an element is right, wrong or left open, by kind of change.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::mutations::{Kind, Mutator, Names, Tree, place_of};
use super::{Identity, find_again};
use crate::{DisplayContext, Node, NodeIndex, Screen, Selector};

/// What came of all cases of a kind.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    cases: usize,
    right: usize,
    wrong: usize,
    /// The selector matches nothing any more.
    broken: usize,
    patched: usize,
    patched_wrongly: usize,
    baseline_right: usize,
    baseline_wrong: usize,
}

impl Tally {
    fn wrong_share(&self) -> f64 {
        self.wrong as f64 / (self.right + self.wrong).max(1) as f64
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Tuning,
    HeldOut,
}

/// The screens of a half: of Android's framework, recorded dumps where they are at hand, and the demo's goldens.
fn screens(half: Half) -> Vec<(String, Screen)> {
    let framework = runner_testing::framework_screens().into_iter();
    let framework = framework.map(|it| (it.activity, it.dump.into_bytes()));
    let recorded = crate::corpus_tests::dumps().iter().cloned();
    let dumps = framework.chain(recorded).chain(super::goldens::dumps());
    let dumps = dumps.filter(|(name, _)| half_of(name) == half);
    let read = |(name, dump): (String, Vec<u8>)| {
        let screen = Screen::parse(&dump, &DisplayContext::default()).ok()?;
        Some((name, screen))
    };
    dumps.filter_map(read).collect()
}

/// All screens of one app or one activity are in one half.
fn half_of(name: &str) -> Half {
    let group = name.rsplit_once('/').map_or(name, |(folder, _)| folder);
    let group = group.trim_end_matches(|c: char| c.is_ascii_digit());
    let sum = group.bytes().fold(7_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    if sum % 2 == 0 {
        Half::Tuning
    } else {
        Half::HeldOut
    }
}

/// A change with its truth.
pub(super) struct Case {
    old: Screen,
    element: NodeIndex,
    selector: Selector,
    new: Screen,
    truth: Option<NodeIndex>,
}

fn case(screen: &Screen, kinds: &[Kind], names: &Names, seed: u64) -> Option<Case> {
    let mut mutator = Mutator {
        rng: fastrand::Rng::with_seed(seed),
        names,
    };
    let targets: Vec<Node<'_>> = screen.nodes().filter(|node| is_target(*node)).collect();
    let target = targets.get(mutator.rng.usize(..targets.len().max(1)))?;
    let key = target.index().0;
    let mut tree = Tree::of(screen);
    for kind in kinds {
        mutator.prepare(*kind, &mut tree, key);
    }
    let (old, keys) = tree.screen();
    let element = place_of(&keys, key)?;
    // A twin of it that stays while it is renamed, or goes, is it: nobody could tell.
    let has_twin = kinds.contains(&Kind::TwinsAdded);
    if has_twin && kinds.iter().any(|kind| kind.is_gone()) {
        return None;
    }
    let mut kinds = kinds.to_vec();
    // What is gone goes last: others may have been added beside it.
    kinds.sort_by_key(|kind| (kind.is_gone(), *kind == Kind::TwinsAdded));
    for kind in &kinds {
        if !mutator.apply(*kind, &mut tree, key) {
            return None;
        }
    }
    let (new, keys) = tree.screen();
    let truth = place_of(&keys, key);
    let selector = Selector::picking(&old, element);
    Some(Case {
        old,
        element,
        selector,
        new,
        truth,
    })
}

/// Whether a flow may name it.
fn is_target(node: Node<'_>) -> bool {
    let is_named =
        !node.resource_id().is_empty() || !node.text().is_empty() || !node.desc().is_empty();
    node.is_on_screen() && (is_named || node.flags().clickable)
}

impl Tally {
    fn count(&mut self, case: &Case) {
        let old = case.old.node(case.element);
        self.cases += 1;
        let answer = match find_again(old, &case.new) {
            Identity::Found(found) => Some(found.node),
            Identity::Unclear | Identity::Gone => None,
        };
        let is_right = answer.is_some() && answer == case.truth;
        self.right += usize::from(is_right);
        self.wrong += usize::from(answer.is_some() && !is_right);
        if case.selector.find(&case.new).is_empty() {
            self.broken += 1;
            let change =
                answer.and_then(|node| case.selector.property_change(old, case.new.node(node)));
            self.patched += usize::from(change.is_some() && is_right);
            self.patched_wrongly += usize::from(change.is_some() && !is_right);
        }
        let nearest = nearest_name(old, &case.new);
        let is_right = nearest.is_some() && nearest == case.truth;
        self.baseline_right += usize::from(is_right);
        self.baseline_wrong += usize::from(nearest.is_some() && !is_right);
    }

    fn row(&self, name: &str, out: &mut String) {
        let share = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
        let _ = writeln!(
            out,
            "| {name} | {} | {:.1} | {:.2} | {} | {:.1} | {} | {:.1} | {:.1} |",
            self.cases,
            share(self.right, self.cases),
            share(self.wrong, self.right + self.wrong),
            self.wrong,
            share(self.patched, self.broken),
            self.patched_wrongly,
            share(self.baseline_right, self.cases),
            share(
                self.baseline_wrong,
                self.baseline_right + self.baseline_wrong
            ),
        );
    }
}

/// The baseline: what has the nearest id or label by edit distance.
fn nearest_name(old: Node<'_>, new: &Screen) -> Option<NodeIndex> {
    let like = |one: &str, other: &str| {
        if one.is_empty() || other.is_empty() {
            return 0.0;
        }
        strsim::normalized_damerau_levenshtein(one, other)
    };
    let near = new.nodes().map(|node| {
        let id = like(old.resource_name(), node.resource_name());
        let words = like(old.text(), node.text()).max(like(old.desc(), node.desc()));
        (id.max(words), node.index())
    });
    let nearest = near.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    (nearest.0 >= 0.5).then_some(nearest.1)
}

/// Counts so many cases of each kind alone, and as many of it with each of the others in turn.
fn measure(half: Half, cases: usize) -> (BTreeMap<Kind, Tally>, BTreeMap<Kind, Tally>) {
    let screens = screens(half);
    let mut names = Names::default();
    for (_, screen) in &screens {
        names.add(screen);
    }
    let salt = if half == Half::Tuning { 0 } else { 1 << 40 };
    let (mut alone, mut pairs) = (BTreeMap::new(), BTreeMap::new());
    for (row, kind) in Kind::ALL.into_iter().enumerate() {
        for (tallies, is_pair) in [(&mut alone, false), (&mut pairs, true)] {
            let tally: &mut Tally = tallies.entry(kind).or_default();
            for attempt in 0..cases * 20 {
                if tally.cases == cases {
                    break;
                }
                let other = Kind::ALL[(row + 1 + attempt % 15) % 16];
                let kinds = [kind, other];
                let kinds = if is_pair { &kinds[..] } else { &kinds[..1] };
                let seed = salt + (row * 1_000_000 + attempt * 2) as u64 + u64::from(is_pair);
                let mut rng = fastrand::Rng::with_seed(seed ^ 0xabcd);
                let (_, screen) = &screens[rng.usize(..screens.len())];
                if let Some(case) = case(screen, kinds, &names, seed) {
                    tally.count(&case);
                }
            }
        }
    }
    (alone, pairs)
}

const HEAD: &str = "| change | cases | right % | wrong % of answered | wrong | broken: patched % | patched wrongly | nearest name: right % | wrong % |\n|---|---|---|---|---|---|---|---|---|\n";

fn table(half: Half, cases: usize) -> String {
    let (alone, pairs) = measure(half, cases);
    let mut out = String::new();
    for (title, tallies) in [("alone", alone), ("with another", pairs)] {
        let _ = write!(out, "\n{half:?}, {title}\n\n{HEAD}");
        for (kind, tally) in tallies {
            tally.row(kind.name(), &mut out);
        }
    }
    out
}

#[test]
#[ignore = "prints the table of docs/developers/identity.md; a minute"]
fn print_the_table() {
    let cases = std::env::var("CASES").ok().and_then(|it| it.parse().ok());
    let cases = cases.unwrap_or(313);
    let half = if std::env::var_os("TUNING").is_some() {
        Half::Tuning
    } else {
        Half::HeldOut
    };
    println!("{}", table(half, cases));
}
