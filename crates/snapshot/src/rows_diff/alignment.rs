//! Aligns the rows of a golden with those of a screen.
//!
//! Rows that are unique on both sides are anchors (patience diff). Between anchors a weighted alignment pairs
//! similar rows. The cost is bounded: a range too large for that is paired in order.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::row::Row;

/// Largest table of the weighted alignment, in cells. Chosen: a thousand rows on each side fit; the
/// table takes time and memory for each cell.
const MAX_TABLE_CELLS: usize = 1_000_000;

/// Number of times that a range between anchors is searched for anchors again. Chosen: it bounds the time for
/// adverse tables.
const MAX_CUTS: u8 = 32;

pub(super) type Pair = (Option<usize>, Option<usize>);

/// Pairs the rows of both sides in order. Each row is in exactly one pair; one that the other side lacks is
/// alone. Indexes on each side rise, so rows that changed their order are not paired.
pub(in super::super) fn align(golden: &[Row], actual: &[Row]) -> Vec<Pair> {
    let old: Vec<Key> = golden.iter().map(Key::new).collect();
    let new: Vec<Key> = actual.iter().map(Key::new).collect();
    let mut pairs = Vec::with_capacity(old.len().max(new.len()));
    align_range(&old, &new, (0, 0), Level::Content, &mut pairs);
    pairs
}

/// Hashes of a row's cells, so that rows are compared without comparing texts.
#[derive(Clone, Copy)]
struct Key {
    content: u64,
    kind: u64,
    class: u64,
    text: u64,
    desc: u64,
    id: u64,
    is_window: bool,
}

impl Key {
    /// Prepares a row for the alignment. An empty text, description or id is 0 and is equal to nothing.
    fn new(row: &Row) -> Self {
        Self {
            content: content(row),
            kind: hash(&(
                &row.class,
                &row.res_id,
                // Rows without an id are of one kind if they have the same text.
                row.res_id.is_empty().then_some(&row.text),
            )),
            class: hash(&row.class),
            text: hash_text(&row.text),
            desc: hash_text(&row.desc),
            id: hash_text(&row.res_id),
            is_window: row.is_window(),
        }
    }
}

/// Hashes all cells that devices share, so neither bounds nor visibility, for this process only.
pub(super) fn content(row: &Row) -> u64 {
    hash(&(
        &row.class,
        &row.text,
        &row.desc,
        &row.res_id,
        &row.hint,
        &row.flags,
    ))
}

/// Hashes a value, for this process only.
fn hash(value: &impl Hash) -> u64 {
    // Only for this process: the next version of Rust may compute other hashes.
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hashes a text; the hash of an empty one is 0.
fn hash_text(text: &str) -> u64 {
    if text.is_empty() { 0 } else { hash(&text) | 1 }
}

/// Property in which two rows must be equal to be an anchor.
#[derive(Clone, Copy)]
enum Level {
    Content,
    /// Class and id, or class and text without an id. The number says how often the ranges between anchors may be
    /// searched again, since each search may find new anchors.
    Kind(u8),
}

impl Level {
    /// Returns the level for the ranges between the anchors of this level. After the content comes class and
    /// id, which more rows share, with [`MAX_CUTS`] searches; each further call takes one off, down to 0,
    /// where no anchors are searched.
    fn between(self) -> Self {
        match self {
            Self::Content => Self::Kind(MAX_CUTS),
            Self::Kind(cuts) => Self::Kind(cuts.saturating_sub(1)),
        }
    }
}

/// Aligns two ranges: equal rows at both ends, then the middle. The pairs are appended in the order of both sides,
/// with `offset` added to the indexes.
fn align_range(
    old: &[Key],
    new: &[Key],
    offset: (usize, usize),
    level: Level,
    pairs: &mut Vec<Pair>,
) {
    let same = |(a, b): &(&Key, &Key)| a.content == b.content;
    // Most of a screen is equal from both ends, which needs no search.
    let prefix = old.iter().zip(new).take_while(same).count();
    let suffix = old[prefix..]
        .iter()
        .rev()
        .zip(new[prefix..].iter().rev())
        .take_while(same)
        .count();
    let (base_old, base_new) = offset;
    pairs.extend((0..prefix).map(|at| (Some(base_old + at), Some(base_new + at))));
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    let middle = (base_old + prefix, base_new + prefix);
    align_middle(
        &old[prefix..old_end],
        &new[prefix..new_end],
        middle,
        level,
        pairs,
    );
    pairs.extend(
        (0..suffix).map(|at| (Some(base_old + old_end + at), Some(base_new + new_end + at))),
    );
}

/// Aligns two ranges without equal ends, around rows that are unique on both sides: first by content, then by class and
/// id (or text without an id), else by likeness. If one side is empty, the rows of the other stay alone. The pairs are
/// appended, with `offset` added to the indexes.
fn align_middle(
    old: &[Key],
    new: &[Key],
    offset: (usize, usize),
    level: Level,
    pairs: &mut Vec<Pair>,
) {
    if old.is_empty() || new.is_empty() {
        pairs.extend((0..old.len()).map(|at| (Some(offset.0 + at), None)));
        pairs.extend((0..new.len()).map(|at| (None, Some(offset.1 + at))));
        return;
    }
    let anchors = match level {
        Level::Content => anchors(old, new, |key| key.content),
        Level::Kind(0) => Vec::new(),
        Level::Kind(_) => anchors(old, new, |key| key.kind),
    };
    if anchors.is_empty() {
        return match level {
            Level::Content => align_middle(old, new, offset, level.between(), pairs),
            Level::Kind(_) => align_alike(old, new, offset, pairs),
        };
    }
    let (mut old_at, mut new_at) = (0, 0);
    for (old_next, new_next) in anchors {
        align_range(
            &old[old_at..old_next],
            &new[new_at..new_next],
            (offset.0 + old_at, offset.1 + new_at),
            level.between(),
            pairs,
        );
        pairs.push((Some(offset.0 + old_next), Some(offset.1 + new_next)));
        (old_at, new_at) = (old_next + 1, new_next + 1);
    }
    align_range(
        &old[old_at..],
        &new[new_at..],
        (offset.0 + old_at, offset.1 + new_at),
        level.between(),
        pairs,
    );
}

/// Returns the pairs of rows whose key is unique on both sides, as far as they keep their order (longest
/// increasing subsequence). Indexes count from the start of the slices.
fn anchors(old: &[Key], new: &[Key], key: fn(&Key) -> u64) -> Vec<(usize, usize)> {
    let mut observed: HashMap<u64, (u32, usize, u32, usize)> = HashMap::new();
    for (at, row) in old.iter().enumerate() {
        let entry = observed.entry(key(row)).or_default();
        (entry.0, entry.1) = (entry.0 + 1, at);
    }
    for (at, row) in new.iter().enumerate() {
        let entry = observed.entry(key(row)).or_default();
        (entry.2, entry.3) = (entry.2 + 1, at);
    }
    let mut candidates: Vec<(usize, usize)> = observed
        .into_values()
        .filter(|entry| entry.0 == 1 && entry.2 == 1)
        .map(|entry| (entry.1, entry.3))
        .collect();
    candidates.sort_unstable();
    longest_increasing(&candidates)
}

/// Returns the longest chain of pairs in which both sides rise. The pairs must be sorted by the first side.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let place = tails.partition_point(|&tail| pairs[tail].1 < pair.1);
        before.push(place.checked_sub(1).map(|place| tails[place]));
        if place == tails.len() {
            tails.push(at);
        } else {
            tails[place] = at;
        }
    }
    let mut chain = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(at) = next {
        chain.push(pairs[at]);
        next = before[at];
    }
    chain.reverse();
    chain
}

/// Returns the similarity of two rows from 0 to 100; 0 if they should not be paired. Equal content is 100, the same id
/// weighs more than the same words, and the class alone is 10. Different ids give 0, unless the class and the text or
/// description are equal. A window is never paired with another row.
fn likeness(a: &Key, b: &Key) -> u32 {
    if a.content == b.content {
        return 100;
    }
    if a.is_window != b.is_window {
        return 0;
    }
    let same = |a: u64, b: u64| a != 0 && a == b;
    let label = same(a.text, b.text) || same(a.desc, b.desc);
    let class = a.class == b.class;
    match (same(a.id, b.id), a.id != 0 && b.id != 0) {
        (true, _) => 50 + 20 * u32::from(class) + 15 * u32::from(label),
        // Different ids mean different elements, unless class and words are equal: then the id was renamed.
        (false, true) => 20 * u32::from(label && class),
        (false, false) if label => 30 + 20 * u32::from(class),
        (false, false) => 10 * u32::from(class),
    }
}

/// Aligns rows with the greatest sum of similarity (Needleman–Wunsch without gap cost), and appends the
/// pairs, with `offset` added to the indexes. Rows without anything in common stay alone. If the table would
/// have more than [`MAX_TABLE_CELLS`] cells, the rows are paired in order instead.
fn align_alike(old: &[Key], new: &[Key], offset: (usize, usize), pairs: &mut Vec<Pair>) {
    let width = new.len() + 1;
    if old.len().saturating_mul(new.len()) > MAX_TABLE_CELLS {
        return align_in_order(old, new, offset, pairs);
    }
    // best[i][j]: greatest sum for the rows from i and j on.
    let mut best = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skip = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let like = likeness(&old[i], &new[j]);
            // Gaps cost nothing, so rows without anything in common are not paired.
            let pair = if like == 0 {
                0
            } else {
                like + best[(i + 1) * width + j + 1]
            };
            best[i * width + j] = skip.max(pair);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let here = best[i * width + j];
        let like = likeness(&old[i], &new[j]);
        if like > 0 && here == like + best[(i + 1) * width + j + 1] {
            pairs.push((Some(offset.0 + i), Some(offset.1 + j)));
            (i, j) = (i + 1, j + 1);
        } else if here == best[(i + 1) * width + j] {
            pairs.push((Some(offset.0 + i), None));
            i += 1;
        } else {
            pairs.push((None, Some(offset.1 + j)));
            j += 1;
        }
    }
    pairs.extend((i..old.len()).map(|i| (Some(offset.0 + i), None)));
    pairs.extend((j..new.len()).map(|j| (None, Some(offset.1 + j))));
}

/// Pairs rows at the same place if they have anything in common; others stay alone. The pairs are appended, with
/// `offset` added to the indexes.
fn align_in_order(old: &[Key], new: &[Key], offset: (usize, usize), pairs: &mut Vec<Pair>) {
    for at in 0..old.len().max(new.len()) {
        let (before, after) = (old.get(at), new.get(at));
        let paired = before.zip(after).is_some_and(|(a, b)| likeness(a, b) > 0);
        let (before, after) = (before.map(|_| offset.0 + at), after.map(|_| offset.1 + at));
        if paired {
            pairs.push((before, after));
        } else {
            pairs.extend(before.map(|old| (Some(old), None)));
            pairs.extend(after.map(|new| (None, Some(new))));
        }
    }
}
