//! A part of a plan, for one of several machines: every machine finds the same parts by itself, without talking.
//!
//! What is shared out is a case, with all its turns and on all devices of its machine; or a whole sequence of Maestro's.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

use super::{Plan, PlannedCase};
use runner_event::{CaseId, Shard};
use runner_flow::CaseName;
use runner_history::Durations;

/// Most parts.
const MOST: u32 = 1000;

/// Which part of how many: `2/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardNumber {
    index: u32,
    total: u32,
}

/// Not a part of anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// Not two numbers.
    #[error("invalid shard `{0}`; expected K/N, such as 2/4, or auto")]
    Malformed(String),
    /// No parts, or too many.
    #[error("there are {total} parts; there must be 1 to {MOST}")]
    Total {
        /// How many were asked for.
        total: u64,
    },
    /// None of them.
    #[error("there is no part {index} of {total}: parts are counted from 1 to {total}")]
    Index {
        /// Which was asked for.
        index: u64,
        /// Of how many.
        total: u32,
    },
}

impl ShardNumber {
    /// Part `index`, from 1, of `total`.
    ///
    /// # Errors
    /// There is no such part.
    pub fn new(index: u64, total: u64) -> Result<Self, ShardError> {
        let parts = u32::try_from(total).ok();
        let Some(parts) = parts.filter(|parts| (1..=MOST).contains(parts)) else {
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

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let malformed = || ShardError::Malformed(text.to_owned());
        let (index, total) = text.split_once('/').ok_or_else(malformed)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| malformed());
        Self::new(number(index)?, number(total)?)
    }
}

impl Plan {
    /// Leaves one part. With durations the parts take about as long as each other, else they have as many cases.
    pub fn keep_shard(&mut self, number: ShardNumber, durations: Option<&Durations>) {
        let pieces = self.units(self.cases.iter().map(unit), |id| &id.flow);
        let parts = parts(&pieces, number.total, durations);
        let mut text = format!("{}\n", number.total);
        for (id, part) in &parts {
            // Debug quotes: no name can look like two.
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

/// What is shared out: a case with all its turns.
fn unit(case: &PlannedCase) -> CaseId {
    CaseId {
        repeat: None,
        ..case.id()
    }
}

/// The part of each case: the longest piece first, each to the part that has least so far. A piece is what is run in one go:
/// a case with all its turns, or a sequence. The order of the plan says nothing.
fn parts(
    pieces: &[Vec<CaseId>],
    total: u32,
    durations: Option<&Durations>,
) -> BTreeMap<CaseId, u32> {
    let typical = durations.and_then(Durations::typical);
    let took = |id: &CaseId| {
        let case = id.case.as_ref().map(CaseName::as_str);
        let known = durations.and_then(|durations| durations.get(id.flow.as_str(), case));
        // Where nothing is known all are the same.
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
