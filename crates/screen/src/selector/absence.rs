//! Decides whether nothing matches a selector, and says why that cannot be decided.

use super::find::SearchScope;
use super::{NodeIndex, Relation, Screen, Selector};
use crate::{AbsenceProof, OffScreenReason, PartialScreen, SearchResult, WholeScreen};

/// Element or window that a selector refers to and that does not exist. The absence of matches then says
/// nothing about the element itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingAnchor {
    /// Anchor as written: `inside: { id: list }`.
    pub anchor: String,
    /// Alternative of `any_of` that refers to it, as written.
    pub alternative: Option<String>,
}

impl std::fmt::Display for MissingAnchor {
    /// Writes the anchor in backquotes, and the alternative that refers to it if there is one.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`", self.anchor)?;
        match &self.alternative {
            Some(alternative) => write!(f, " of the alternative {alternative}"),
            None => Ok(()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AbsenceError<T = NodeIndex> {
    /// Elements that match.
    Present(Vec<T>),
    MissingAnchor(MissingAnchor),
    /// The look is not whole.
    Partial(PartialScreen),
}

impl Selector {
    /// Returns all matches that are not on the screen, each with the reason. `index` is ignored, since it counts
    /// elements on the screen. Returns none if all matches are on the screen.
    pub fn find_off_screen(&self, screen: &Screen) -> Vec<(NodeIndex, OffScreenReason)> {
        // Without `index`, which counts what is on the screen.
        let found = self.find_all(screen, SearchScope::Anywhere).into_iter();
        found
            .filter_map(|index| Some((index, screen.node(index).off_screen_reason()?)))
            .collect()
    }

    /// Proves that nothing matches on a screen that is known to be whole. Every anchor (the element that a relation
    /// names) of every alternative must be found, on the screen or off it, or nothing is proven.
    ///
    /// # Errors
    /// [`AbsenceError::Present`] with the matches, or [`AbsenceError::MissingAnchor`].
    pub fn prove_absence(&self, whole: WholeScreen<'_>) -> Result<AbsenceProof, AbsenceError> {
        let found = self.find(whole.screen());
        let Some(absent) = whole.prove_absence(&found) else {
            return Err(AbsenceError::Present(found));
        };
        self.check_anchors(whole)
            .map_err(AbsenceError::MissingAnchor)?;
        Ok(absent)
    }

    /// Proves that nothing matches on a look that may not be whole, as [`Self::prove_absence`] does.
    ///
    /// # Errors
    /// [`AbsenceError`]. Matches count even if the look is not whole. Without matches such a look is
    /// [`AbsenceError::Partial`].
    pub fn prove_absence_on(&self, screen: &Screen) -> Result<AbsenceProof, AbsenceError> {
        match screen.as_whole() {
            Ok(whole) => self.prove_absence(whole),
            Err(why) => {
                let found = self.find(screen);
                Err(if found.is_empty() {
                    AbsenceError::Partial(why)
                } else {
                    AbsenceError::Present(found)
                })
            }
        }
    }

    /// Checks that every anchor (the element that a relation names) exists, on the screen or off it.
    ///
    /// # Errors
    /// The first missing anchor.
    pub fn check_anchors(&self, whole: WholeScreen<'_>) -> Result<(), MissingAnchor> {
        self.missing_anchor(whole.screen()).map_or(Ok(()), Err)
    }

    /// Searches for a match, for a condition: a missing anchor means that nothing matches. A match counts
    /// also on a look that is not whole.
    ///
    /// # Errors
    /// [`PartialScreen`] where nothing matches on a look that is not whole.
    pub fn search(&self, screen: &Screen) -> Result<SearchResult, PartialScreen> {
        let found = self.find(screen);
        if !found.is_empty() {
            return Ok(SearchResult::Found);
        }
        let absent = screen.as_whole()?.prove_absence(&found);
        Ok(absent.map_or(SearchResult::Found, SearchResult::Absent))
    }

    /// Returns the first anchor, the element that a relation names, that is neither on the screen nor off it; `None` if
    /// all are found.
    ///
    /// Every anchor counts, also in each alternative of `any_of`, and those within `has` or another anchor, because
    /// a misspelt one would leave nothing to match. The selector of `has` itself is no anchor: it describes the
    /// element. A `window` that names no window counts as one, but not if it is the whole selector, `index` aside.
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
