//! Shards: parts of a plan for several machines. Every machine computes the same parts without communication.
//!
//! The unit is a case with all its turns and on all devices of its machine, or a whole sequence of Maestro.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

use super::{Plan, PlannedCase};
use runner_event::{CaseId, Shard};
use runner_flow::CaseName;
use runner_history::Durations;

/// Chosen: far more machines than a CI service offers; a larger number is a mistake.
const MAX_PARTS: u32 = 1000;

/// Number of a part and of all parts: `2/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardNumber {
    index: u32,
    total: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// The text is not `K/N`.
    #[error("invalid shard `{0}`; expected K/N, such as 2/4, or auto")]
    Malformed(String),
    /// There are no parts, or too many.
    #[error("there are {total} parts; there must be 1 to {MAX_PARTS}")]
    Total {
        /// Requested number of parts.
        total: u64,
    },
    /// The part does not exist.
    #[error("there is no part {index} of {total}: parts are counted from 1 to {total}")]
    Index {
        /// Requested part: 0, or more than `total`, as parts are counted from 1.
        index: u64,
        /// Number of parts.
        total: u32,
    },
}

impl ShardNumber {
    /// Creates the number of part `index`, from 1, of `total`, which is 1 to 1000.
    ///
    /// # Errors
    /// There is no such part, or no such total.
    pub fn new(index: u64, total: u64) -> Result<Self, ShardError> {
        let parts = u32::try_from(total).ok();
        let Some(parts) = parts.filter(|parts| (1..=MAX_PARTS).contains(parts)) else {
            return Err(ShardError::Total { total });
        };
        let of_total = u32::try_from(index).ok();
        match of_total.filter(|index| (1..=parts).contains(index)) {
            Some(index) => Ok(Self {
                index,
                total: parts,
            }),
            None => Err(ShardError::Index {
                index,
                total: parts,
            }),
        }
    }
}

impl FromStr for ShardNumber {
    type Err = ShardError;

    /// Parses `INDEX/TOTAL`, such as `2/5`. Blanks are not allowed.
    fn from_str(text: &str) -> Result<Self, ShardError> {
        let malformed = || ShardError::Malformed(text.to_owned());
        let (index, total) = text.split_once('/').ok_or_else(malformed)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| malformed());
        Self::new(number(index)?, number(total)?)
    }
}

impl Plan {
    /// Keeps one part of the plan, in its order, and sets [`Plan::shard`] with a hash of the whole division, by which
    /// parts of different plans are told apart. A part may be empty. With durations the parts take about the same time,
    /// without them they have about as many cases each. Sequences stay together.
    pub fn keep_shard(&mut self, number: ShardNumber, durations: Option<&Durations>) {
        let pieces = self.units(self.cases.iter().map(unit), |id| &id.flow);
        let parts = parts(&pieces, number.total, durations);
        let mut text = format!("{}\n", number.total);
        for (id, part) in &parts {
            // The quotes of `Debug` keep two names from looking like one.
            text.push_str(&format!("{part} {:?} {:?}\n", id.flow.as_str(), id.case));
        }
        self.cases
            .retain(|case| parts.get(&unit(case)) == Some(&number.index));
        self.shard = Some(Shard {
            index: number.index,
            total: number.total,
            plan: format!("{:016x}", xxh3_64(text.as_bytes())),
        });
    }
}

/// Returns the identity of a case without its turn: all turns stay together.
fn unit(case: &PlannedCase) -> CaseId {
    CaseId {
        repeat: None,
        ..case.id()
    }
}

/// Assigns a part, from 1, to each case: the longest piece first, each to the part with the least time so
/// far. A piece runs on one machine: a case with all its turns, or a sequence. A case of unknown duration
/// counts as a typical one. The result does not depend on the plan's order.
fn parts(
    pieces: &[Vec<CaseId>],
    total: u32,
    durations: Option<&Durations>,
) -> BTreeMap<CaseId, u32> {
    let typical = durations.and_then(Durations::typical);
    let took = |id: &CaseId| {
        let case = id.case.as_ref().map(CaseName::as_str);
        let known = durations.and_then(|durations| durations.get(id.flow.as_str(), case));
        // Without durations all cases count the same.
        known
            .or(typical)
            .map_or(1, |took| took.as_millis() as u64)
            .max(1)
    };
    // By the piece's first case; the turns of a case are pieces of the plan, and one here.
    let mut joined: BTreeMap<&CaseId, (u64, BTreeSet<&CaseId>)> = BTreeMap::new();
    for piece in pieces {
        let Some(first) = piece.first() else {
            continue;
        };
        let (weight, cases) = joined.entry(first).or_default();
        *weight = piece.iter().map(took).fold(*weight, u64::saturating_add);
        cases.extend(piece);
    }
    let mut units: Vec<_> = joined
        .into_iter()
        .map(|(first, (weight, cases))| {
            let hash = xxh3_64(first.to_string().as_bytes());
            (Reverse(weight), hash, first, cases)
        })
        .collect();
    units.sort_unstable();
    let mut loads = vec![0_u64; total as usize];
    let mut parts = BTreeMap::new();
    for (Reverse(weight), _, _, cases) in units {
        let least = (0..loads.len()).min_by_key(|part| (loads[*part], *part));
        let part = least.unwrap_or_default();
        loads[part] = loads[part].saturating_add(weight);
        parts.extend(cases.into_iter().map(|id| (id.clone(), part as u32 + 1)));
    }
    parts
}

#[cfg(test)]
mod tests;
