//! Which rows of two versions are surely the same.
//!
//! A row is known by its class and id where no other row of any version has them, else by all that it says. Of all the ways
//! to pair as many rows as can be, only the pairs that every one of them has are certain: of two rows that are alike nobody
//! knows which one went.

use std::collections::HashMap;

use super::super::row::Row;

/// Largest table of an alignment, in cells.
const TABLE_LIMIT: usize = 4_000_000;

/// What a row is known by; equal for rows that are the same.
pub(super) type Identity = u32;

/// What rows of several versions are known by.
pub(super) struct Identities<'a> {
    /// How often class and id are in the version that has them most often.
    counts: HashMap<(&'a str, &'a str), usize>,
    known: HashMap<[&'a str; 6], Identity>,
}

impl<'a> Identities<'a> {
    pub(super) fn of(versions: [&'a [Row]; 3]) -> Self {
        let mut most: HashMap<(&str, &str), usize> = HashMap::new();
        for rows in versions {
            let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
            for row in rows {
                *counts.entry((&row.class, &row.res_id)).or_default() += 1;
            }
            for (id, count) in counts {
                let known = most.entry(id).or_default();
                *known = count.max(*known);
            }
        }
        Self {
            counts: most,
            known: HashMap::new(),
        }
    }

    /// Whether class and id alone say which row it is.
    pub(super) fn has_own_id(&self, row: &Row) -> bool {
        !row.res_id.is_empty()
            && !row.is_window()
            && self
                .counts
                .get(&(row.class.as_str(), row.res_id.as_str()))
                .is_none_or(|count| *count < 2)
    }

    pub(super) fn of_rows(&mut self, rows: &'a [Row]) -> Vec<Identity> {
        rows.iter()
            .map(|row| {
                let key = if self.has_own_id(row) {
                    // No row has an empty class and such a text.
                    [
                        row.class.as_str(),
                        "",
                        "",
                        row.res_id.as_str(),
                        "",
                        "own id",
                    ]
                } else {
                    [
                        &row.class,
                        &row.text,
                        &row.desc,
                        &row.res_id,
                        &row.hint,
                        &row.flags,
                    ]
                    .map(String::as_str)
                };
                let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
                *self.known.entry(key).or_insert(next)
            })
            .collect()
    }
}

/// Where each row of `base` is in `side`; `None` for one that is not there, or not surely. Nothing where both are too long.
pub(super) fn certain(base: &[Identity], side: &[Identity]) -> Option<Vec<Option<usize>>> {
    let width = side.len() + 1;
    if base.len().saturating_mul(side.len()) > TABLE_LIMIT {
        return None;
    }
    // most[i][j]: so many rows can be paired from i and j on.
    let mut most = vec![0_u32; (base.len() + 1) * width];
    for i in (0..base.len()).rev() {
        for j in (0..side.len()).rev() {
            most[i * width + j] = if base[i] == side[j] {
                1 + most[(i + 1) * width + j + 1]
            } else {
                most[(i + 1) * width + j].max(most[i * width + j + 1])
            };
        }
    }
    // The ways to pair lie between the one that leaves rows of the base first and the one that leaves rows of the side
    // first: what these two share, all share.
    let walk = |base_first: bool| {
        let mut pairs = vec![None; base.len()];
        let (mut i, mut j) = (0, 0);
        while i < base.len() && j < side.len() {
            let here = most[i * width + j];
            let (down, right) = (most[(i + 1) * width + j], most[i * width + j + 1]);
            if base_first && down == here {
                i += 1;
            } else if !base_first && right == here {
                j += 1;
            } else if base[i] == side[j] {
                pairs[i] = Some(j);
                (i, j) = (i + 1, j + 1);
            } else if down == here {
                i += 1;
            } else {
                j += 1;
            }
        }
        pairs
    };
    let (one, other) = (walk(true), walk(false));
    let both = one.into_iter().zip(other);
    Some(
        both.map(|(one, other)| one.filter(|_| one == other))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pairs_that_every_alignment_has_are_certain() {
        for (base, side, pairs) in [
            (
                &[1, 2, 3][..],
                &[1, 2, 3][..],
                vec![Some(0), Some(1), Some(2)],
            ),
            (&[1, 2, 3], &[1, 9, 3], vec![Some(0), None, Some(2)]),
            // One of two that are alike went.
            (&[1, 1, 2], &[1, 2], vec![None, None, Some(1)]),
            (&[1, 2, 1], &[2, 1], vec![None, Some(0), Some(1)]),
            // One of two changed places with the other.
            (&[1, 2, 3], &[2, 1, 3], vec![None, None, Some(2)]),
            (
                &[1, 2, 3, 4],
                &[4, 1, 2, 3],
                vec![Some(1), Some(2), Some(3), None],
            ),
            (&[], &[1], vec![]),
        ] {
            assert_eq!(certain(base, side).unwrap(), pairs, "{base:?} {side:?}");
        }
        assert_eq!(certain(&[1; 3000], &[1; 3000]), None);
    }
}
