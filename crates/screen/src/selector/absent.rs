//! The judgement that nothing matches a selector, and why there is none.

use super::find::Sight;
use super::{NodeIndex, Relation, Screen, Selector};
use crate::{Absent, PartialScreen, SearchResult, Unseen, WholeScreen};

/// An element or a window that a selector goes by and that is not there. That nothing matches then says nothing about
/// what is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingAnchor {
    /// The anchor as it is written: `inside: { id: list }`.
    pub anchor: String,
    /// The alternative of `any_of` that goes by it, as it is written.
    pub alternative: Option<String>,
}

impl std::fmt::Display for MissingAnchor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`", self.anchor)?;
        match &self.alternative {
            Some(alternative) => write!(f, " of the alternative {alternative}"),
            None => Ok(()),
        }
    }
}

/// Why it cannot be said that nothing matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAbsent<T = NodeIndex> {
    /// These match.
    Present(Vec<T>),
    /// An anchor is not there.
    MissingAnchor(MissingAnchor),
    /// The look is not whole.
    Partial(PartialScreen),
}

impl Selector {
    /// What matches and is not on the screen, each with why not.
    pub fn unseen(&self, screen: &Screen) -> Vec<(NodeIndex, Unseen)> {
        // Without `index`, which counts what is on the screen.
        let found = self.find_all(screen, Sight::Anywhere).into_iter();
        found
            .filter_map(|index| Some((index, screen.node(index).unseen()?)))
            .collect()
    }

    /// Judges that nothing matches, with every anchor of every alternative found.
    ///
    /// # Errors
    /// [`NotAbsent`] where something matches or an anchor is missing.
    pub fn absent(&self, whole: WholeScreen<'_>) -> Result<Absent, NotAbsent> {
        let found = self.find(whole.screen());
        let Some(absent) = whole.absent(&found) else {
            return Err(NotAbsent::Present(found));
        };
        self.check_anchors(whole)
            .map_err(NotAbsent::MissingAnchor)?;
        Ok(absent)
    }

    /// As [`Selector::absent`], of a look that may not be whole.
    ///
    /// # Errors
    /// [`NotAbsent`]; what matches on a look that is not whole counts all the same.
    pub fn absent_on(&self, screen: &Screen) -> Result<Absent, NotAbsent> {
        match screen.as_whole() {
            Ok(whole) => self.absent(whole),
            Err(why) => {
                let found = self.find(screen);
                Err(if found.is_empty() {
                    NotAbsent::Partial(why)
                } else {
                    NotAbsent::Present(found)
                })
            }
        }
    }

    /// Checks that every anchor is there.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check_anchors(&self, whole: WholeScreen<'_>) -> Result<(), MissingAnchor> {
        self.missing_anchor(whole.screen()).map_or(Ok(()), Err)
    }

    /// Returns whether anything matches, for a condition: a missing anchor means that nothing does.
    ///
    /// # Errors
    /// [`PartialScreen`] where nothing matches on a look that is not whole.
    pub fn search(&self, screen: &Screen) -> Result<SearchResult, PartialScreen> {
        let found = self.find(screen);
        if !found.is_empty() {
            return Ok(SearchResult::Found);
        }
        let absent = screen.as_whole()?.absent(&found);
        Ok(absent.map_or(SearchResult::Found, SearchResult::Absent))
    }

    /// The first anchor that is not there.
    ///
    /// Every anchor counts, also those of each alternative of `any_of`, and those of what `has` or another anchor is
    /// written with: a misspelt one would leave nothing to match. What `has` names is no anchor itself: it says what
    /// the element is like. Nor is a window that is all that is looked for.
    pub(super) fn missing_anchor(&self, screen: &Screen) -> Option<MissingAnchor> {
        for alternative in &self.any_of {
            if let Some(mut missing) = alternative.missing_anchor(screen) {
                missing
                    .alternative
                    .get_or_insert_with(|| alternative.to_string());
                return Some(missing);
            }
        }
        let missing = |anchor| MissingAnchor {
            anchor,
            alternative: None,
        };
        for (relation, anchor) in &self.relations {
            if let Some(inner) = anchor.missing_anchor(screen) {
                return Some(inner);
            }
            if *relation != Relation::Has && anchor.find_anywhere(screen).is_empty() {
                return Some(missing(format!("{}: {anchor}", relation.name())));
            }
        }
        let window = self.window.as_ref()?;
        let alone = Self {
            window: Some(window.clone()),
            index: self.index,
            ..Self::default()
        };
        let is_there = screen.windows().iter().any(|one| window.is_of(one));
        if is_there || *self == alone {
            return None;
        }
        let written = Self {
            index: None,
            ..alone
        }
        .to_string();
        Some(missing(written.trim_matches(['{', ' ', '}']).to_owned()))
    }
}
