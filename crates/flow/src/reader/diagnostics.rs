//! Joins and sorts the diagnostics of several files.

use std::collections::HashMap;

use camino::Utf8PathBuf;

use crate::ast::Flow;
use runner_text::diagnostic::{Diagnostic, Severity};

/// Drops the flow if one of the diagnostics is an error, and sorts them by their offset, whichever file they are of.
pub(crate) fn finish(
    flow: Option<Flow>,
    mut diagnostics: Vec<Diagnostic>,
) -> (Option<Flow>, Vec<Diagnostic>) {
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    let bad = has_error(&diagnostics);
    (flow.filter(|_| !bad), diagnostics)
}

/// Returns true if one of the diagnostics is an error, and not a warning.
pub(crate) fn has_error(found: &[Diagnostic]) -> bool {
    found.iter().any(|it| it.severity == Severity::Error)
}

/// Adds diagnostics in their order, without those that are there already: a sub-flow is read once for each flow that
/// runs it. Place, code, message and help must be equal. Files of one path count as equal; to compare their texts,
/// for each pair of diagnostics, would take minutes.
pub(crate) fn add(all: &mut Vec<Diagnostic>, found: Vec<Diagnostic>) {
    let place = |it: &Diagnostic| (it.source.path.clone(), it.span.start);
    let is_same = |one: &Diagnostic, other: &Diagnostic| {
        (&one.span, one.code, &one.message, &one.help)
            == (&other.span, other.code, &other.message, &other.help)
    };
    let mut known: HashMap<(Utf8PathBuf, usize), Vec<usize>> = HashMap::new();
    for (index, diagnostic) in all.iter().enumerate() {
        known.entry(place(diagnostic)).or_default().push(index);
    }
    for diagnostic in found {
        let there = known.entry(place(&diagnostic)).or_default();
        if !there.iter().any(|index| is_same(&all[*index], &diagnostic)) {
            there.push(all.len());
            all.push(diagnostic);
        }
    }
}
