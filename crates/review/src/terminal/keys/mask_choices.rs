//! The masks that are offered for a change.

use crate::MaskTarget;
use crate::terminal::panels;
use crate::terminal::state::{Focus, State};
use runner_screen::Rect;
use runner_snapshot::MASK_LIMIT_PERCENT;

/// Returns the elements that a mask may cover, with their names: those at the centre of the focused change, the focused
/// row first and then the smallest first, and last the focused rectangle itself. Windows and rows that are masked
/// already are left out; if no row is left, the focused row is offered all the same, unless it is a window. Elements
/// too large for a mask are never offered. Empty if the case is not shown yet or the whole picture has the focus.
pub(super) fn mask_choices(state: &State) -> Vec<(String, MaskTarget)> {
    let Some(case) = state.case() else {
        return Vec::new();
    };
    let actual = |at: usize| case.diff.lines.get(at)?.actual.as_ref();
    let chosen_row = match state.focus {
        Focus::Row(at) => actual(at),
        Focus::Place(_) | Focus::FullPicture => None,
    };
    let change = panels::change(case, state.focus);
    let mut under: Vec<_> = case
        .diff
        .lines
        .iter()
        .filter_map(|line| line.actual.as_ref())
        .filter(|(_, row)| !row.is_window() && !row.is_masked())
        .filter(|(_, row)| {
            let center = change.map(|change| change.center());
            row.bounds
                .zip(center)
                .is_some_and(|(bounds, center)| bounds.contains(center))
        })
        .collect();
    under.sort_by_key(|(number, row)| {
        let is_chosen = chosen_row.is_some_and(|(chosen, _)| chosen == number);
        let area = row.bounds.map_or(u64::MAX, |bounds| bounds.area());
        (!is_chosen, area, std::cmp::Reverse(*number))
    });
    if under.is_empty() {
        under.extend(chosen_row.filter(|(_, row)| !row.is_window()));
    }
    // Masks that the next run would refuse are left out.
    let covered = case.diff.covered();
    let fits = |area: &Rect| covered.percent_with(*area) <= MASK_LIMIT_PERCENT;
    let rows = under
        .into_iter()
        .filter(|(_, row)| row.bounds.as_ref().is_none_or(fits))
        .map(|(number, row)| (row.name(*number), MaskTarget::Row(*number)));
    let area = change.filter(fits);
    let area = area.map(|change| (format!("the rectangle {change}"), MaskTarget::Area(change)));
    rows.chain(area).collect()
}
