//! Near misses by another name: the element's id, the package of its id, and its class.

use super::super::find::short_id;
use super::super::similarity::{Similarity, similarity};
use super::super::{Node, Screen, Selector};
use super::candidate::{Candidate, Purpose};

impl Selector {
    /// Adds elements with a similar id or class for which all other conditions but `index` hold. For an assertion the
    /// id must be misspelt, with the same digits, or differ in its package only. With other conditions any class
    /// counts.
    pub(super) fn other_names(
        &self,
        screen: &Screen,
        purpose: Purpose,
        candidates: &mut Vec<Candidate>,
    ) {
        if let Some(wanted) = &self.id {
            let mut rest = self.without_index();
            rest.id = None;
            for node in rest.pool(screen) {
                candidates.extend(id_of_other_package(wanted, node, purpose, &rest));
                let (wanted, actual) = (short_id(wanted), short_id(node.resource_id()));
                if let Some(like) = similarity(wanted, actual)
                    && (purpose == Purpose::Action || is_slip(&like, wanted, actual))
                {
                    let id = Some(actual.to_owned());
                    let edited = Self { id, ..rest.clone() };
                    let names = (wanted, actual);
                    candidates.push(Candidate::similar(&like, "id", names, node, edited));
                }
            }
        }
        if let Some(wanted) = &self.class {
            let mut rest = self.without_index();
            rest.class = None;
            let is_alone = rest.is_empty();
            for node in rest.pool(screen) {
                let actual = node.short_class();
                let like = similarity(wanted, actual);
                let score = like.as_ref().map(Similarity::score);
                // An element that all other conditions select is a near miss whatever its class.
                if let Some(score) = score.or((!is_alone).then_some(0.7)) {
                    let class = Some(actual.to_owned());
                    let edited = Self {
                        class,
                        ..rest.clone()
                    };
                    let why = format!("its class is {actual}");
                    candidates.push(Candidate::new(score, node, why, edited));
                }
            }
        }
    }
}

/// Returns true if `wanted` is a misspelt `actual`, also in another letter case: with the same digits, and no
/// part of it.
fn is_slip(like: &Similarity, wanted: &str, actual: &str) -> bool {
    let digits = |id: &str| -> String { id.chars().filter(char::is_ascii_digit).collect() };
    matches!(like, Similarity::Case | Similarity::Spelling(_)) && digits(wanted) == digits(actual)
}

/// Returns a candidate if only the package of the wanted id differs from that of the node's, or the node's has
/// none. An assertion asks for the whole id of the node.
fn id_of_other_package(
    wanted: &str,
    node: Node<'_>,
    purpose: Purpose,
    rest: &Selector,
) -> Option<Candidate> {
    let actual = node.resource_id();
    let name = short_id(actual);
    // An id without a package is of any.
    if !wanted.contains('/') || name.is_empty() || wanted == actual || short_id(wanted) != name {
        return None;
    }
    let why = match actual.split_once(":id/") {
        Some((package, _)) => format!("its id is of {package}"),
        None => format!("its id is {actual}"),
    };
    let id = match purpose {
        Purpose::Action => name,
        Purpose::Assertion => actual,
    };
    let edited = Selector {
        id: Some(id.to_owned()),
        ..rest.clone()
    };
    Some(Candidate::new(0.98, node, why, edited))
}
