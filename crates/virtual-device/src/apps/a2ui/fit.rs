//! How a component fits into the row or the column that it stands in.

use crate::apps::ui::{Align, Element, Length, Look, Shrink};

/// Least width of what has a weight in a row, in dp: nearly none, but unlike a width that the contents decide.
const SHARE: f32 = 1.0;
/// Least width of a picture that gives way to its neighbours, in dp.
const NARROWEST_PICTURE: f32 = 80.0;

/// Makes a child fit beside others: it shrinks where there is no room, unless its width is a size of its own.
pub(super) fn fit_into_row(child: &mut Element) {
    let layout = &mut child.layout;
    if layout.grow > 0.0 {
        // A weight is a share of the row, whatever is inside.
        layout.min_width = layout.min_width.max(SHARE);
    } else if let (Look::Picture { .. }, Length::Fill, Length::Dp(height)) =
        (&child.look, layout.width, layout.height)
    {
        layout.width = Length::Dp(height);
        layout.min_width = NARROWEST_PICTURE;
        layout.shrink = Shrink::First;
    }
    if !matches!(layout.width, Length::Dp(_)) && layout.shrink == Shrink::Never {
        layout.shrink = Shrink::Evenly;
    }
}

/// Stretches a child that uses the width of a column.
pub(super) fn fit_into_column(child: &mut Element) {
    if child.layout.wide {
        child.layout.align_self = Some(Align::Stretch);
    }
}
