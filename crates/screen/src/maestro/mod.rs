//! Selectors of Maestro's flows, which select elements by Maestro's rules.
//!
//! The rules are those of Maestro's own filters (mobile-dev-inc/Maestro at 487407f, `Filters.kt`,
//! `Orchestra.kt`, `ViewHierarchy.kt`). They differ from [`crate::selector`] in almost everything: words are
//! Java regular expressions that are matched with text, hint and description; of several matches the first is
//! taken; elements off the screen do not exist. `cases.yaml` holds cases of each rule.
//!
//! All texts are final: the creator of a [`MaestroSelector`] has replaced `${…}` by the values.

mod change;
mod expression;
mod find;
mod java;
mod java_pattern;
mod near_miss;
mod selector;
#[cfg(test)]
mod tests;
mod visibility;

pub use expression::{Expression, ExpressionError};
pub use find::Match;
pub use java_pattern::{JavaPattern, JavaPatternError};
pub use near_miss::NearMiss;
pub use selector::{MaestroSelector, Relation, Size, Trait};
pub use visibility::visible_share;
