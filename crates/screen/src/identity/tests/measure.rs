//! Measures how often the identity of an element is right, wrong or left open, by kind of change.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::mutations::{Kind, Mutator, Names};
use super::tree::{Tree, place_of};
use crate::identity::{Identity, find_again};
use crate::{DisplayContext, Node, NodeIndex, Screen, Selector};

/// Counts of the results for one kind of change.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    cases: usize,
    right: usize,
    wrong: usize,
    /// Cases in which the selector matches nothing any more.
    broken: usize,
    patched: usize,
    patched_wrongly: usize,
    baseline_right: usize,
    baseline_wrong: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Tuning,
    HeldOut,
}

/// Returns the screens of one half: those of Android's framework, the goldens of the demo, and recorded dumps
/// if they are there.
pub(super) fn screens(half: Half) -> Vec<(String, Screen)> {
    let recorded = crate::corpus_tests::dumps().iter().cloned();
    let mut screens = own_screens(half);
    screens.extend(read(half, recorded));
    screens
}

/// Returns the screens of one half that are part of the project.
fn own_screens(half: Half) -> Vec<(String, Screen)> {
    let framework = runner_testing::framework_screens().into_iter();
    let framework = framework.map(|it| (it.activity, it.dump.into_bytes()));
    read(half, framework.chain(super::goldens::dumps())).collect()
}

fn read(
    half: Half,
    dumps: impl Iterator<Item = (String, Vec<u8>)>,
) -> impl Iterator<Item = (String, Screen)> {
    let dumps = dumps.filter(move |(name, _)| half_of(name) == half);
    dumps.filter_map(|(name, dump)| {
        let screen = Screen::parse(&dump, &DisplayContext::default()).ok()?;
        Some((name, screen))
    })
}

/// Assigns a screen to a half by its name. All screens of one app or activity are in the same half.
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

/// Change of a screen with the element that is the right answer.
pub(super) struct Case {
    old: Screen,
    element: NodeIndex,
    selector: Selector,
    new: Screen,
    truth: Option<NodeIndex>,
}

fn case(screen: &Screen, kinds: &[Kind], names: &Names, seed: u64) -> Option<Case> {
    let mut taken = Names::default();
    taken.add(screen);
    let mut mutator = Mutator {
        rng: fastrand::Rng::with_seed(seed),
        names,
        taken,
    };
    let targets: Vec<Node<'_>> = screen.nodes().filter(|node| is_target(*node)).collect();
    let target = targets.get(mutator.rng.usize(..targets.len().max(1)))?;
    let key = target.index().0;
    let mut tree = Tree::from_screen(screen);
    for kind in kinds {
        mutator.prepare(*kind, &mut tree, key);
    }
    let (old, keys) = tree.screen();
    let element = place_of(&keys, key)?;
    // A twin of it that stays while it is renamed, or goes, is it: nobody could tell.
    let has_twin = kinds.contains(&Kind::TwinsAdded);
    if has_twin && (kinds.iter().any(|kind| kind.is_gone()) || tree.has_twin(key)) {
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

/// Returns true if a flow may name the node: it has words, it can be operated, or it is a leaf with an id.
pub(super) fn is_target(node: Node<'_>) -> bool {
    let flags = node.flags();
    let says = !node.text().is_empty() || !node.desc().is_empty();
    let does = flags.clickable || flags.checkable || flags.scrollable || node.is_editable();
    let is_part = !node.resource_id().is_empty() && node.child_count() == 0;
    node.is_on_screen() && (says || does || is_part)
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
            "| {name} | {} | {:.1} | {} | {:.1} | {:.1} | {} | {:.1} | {:.1} |",
            self.cases,
            share(self.right, self.cases),
            self.wrong,
            share(self.wrong, self.right + self.wrong),
            share(self.patched, self.broken),
            self.patched_wrongly,
            share(self.baseline_right, self.cases),
            share(self.baseline_wrong, self.cases),
        );
    }
}

/// Baseline to compare with: returns the element with the nearest id or label by edit distance.
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

/// Runs `cases` cases of each kind alone, and as many of it with each of the other kinds in turn.
fn measure(
    screens: &[(String, Screen)],
    half: Half,
    cases: usize,
) -> (BTreeMap<Kind, Tally>, BTreeMap<Kind, Tally>) {
    let mut names = Names::default();
    for (_, screen) in screens {
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

const HEAD: &str = "| change | cases | right % | wrong | wrong % of answered | broken, patched % | patched wrongly | nearest name right % | wrong % of cases |
|---|---|---|---|---|---|---|---|---|
";

fn table(half: Half, cases: usize) -> String {
    let screens = screens(half);
    let (alone, pairs) = measure(&screens, half, cases);
    let mut out = format!("{half:?}: {} screens\n", screens.len());
    for (title, tallies) in [("alone", alone), ("with another", pairs)] {
        let _ = write!(out, "\nEach {title}:\n\n{HEAD}");
        for (kind, tally) in tallies {
            tally.row(kind.name(), &mut out);
        }
    }
    out
}

#[test]
fn few_answers_are_wrong_and_most_of_the_easy_ones_are_given() {
    let (alone, pairs) = measure(&own_screens(Half::Tuning), Half::Tuning, 20);
    let sum =
        |of: fn(&Tally) -> usize| -> usize { alone.values().chain(pairs.values()).map(of).sum() };
    assert!(sum(|it| it.cases) >= 600, "{}", sum(|it| it.cases));
    assert_eq!(sum(|it| it.wrong), 0);
    for (kind, least) in [
        (Kind::IdRenamed, 12),
        (Kind::IdDropped, 10),
        (Kind::LabelWord, 8),
        (Kind::LabelCase, 16),
        (Kind::Wrapped, 16),
        (Kind::Moved, 17),
        (Kind::ContainerMoved, 17),
        (Kind::SiblingsAdded, 17),
        (Kind::RowsAdded, 15),
        (Kind::RowsRemoved, 15),
    ] {
        assert!(alone[&kind].right >= least, "{kind:?}: {:?}", alone[&kind]);
    }
}

/// Prints the tables. `HALF=tuning` takes the half on which the thresholds were chosen. `CASES` is the number
/// of cases of each kind; the default is 10,000 in all.
#[test]
#[ignore = "prints the tables of docs/developers/identity.md"]
fn print_the_tables() {
    let cases = std::env::var("CASES").ok().and_then(|it| it.parse().ok());
    let is_tuning = std::env::var("HALF").is_ok_and(|half| half == "tuning");
    let half = if is_tuning {
        Half::Tuning
    } else {
        Half::HeldOut
    };
    println!("{}", table(half, cases.unwrap_or(313)));
    println!("{}", super::planted_renames::table(half, 10));
}
