//! Sizes of a component in the row or the column around it.

use crate::apps::ui::{Align, Element, Length, Look, Shrink};

/// Least width of a child with a weight, in dp. It must not be 0: that would let the contents decide.
const MIN_WEIGHTED_WIDTH: f32 = 1.0;
/// Least width of a picture that shrinks beside others, in dp. Chosen: a thumbnail is still recognisable.
const MIN_PICTURE_WIDTH: f32 = 80.0;

/// Makes a child fit beside others: it shrinks if there is no room, unless it has a fixed width. A child with
/// a weight keeps a minimum width. A picture that would fill the width and has a fixed height becomes a
/// square and shrinks before others.
pub(super) fn fit_into_row(child: &mut Element) {
    let layout = &mut child.layout;
    if layout.grow > 0.0 {
        // A weight is a share of the row, whatever the contents.
        layout.min_width = layout.min_width.max(MIN_WEIGHTED_WIDTH);
    } else if let (Look::Picture { .. }, Length::Fill, Length::Dp(height)) =
        (&child.look, layout.width, layout.height)
    {
        layout.width = Length::Dp(height);
        layout.min_width = MIN_PICTURE_WIDTH;
        layout.shrink = Shrink::First;
    }
    if !matches!(layout.width, Length::Dp(_)) && layout.shrink == Shrink::Never {
        layout.shrink = Shrink::Evenly;
    }
}

pub(super) fn fit_into_column(child: &mut Element) {
    if child.layout.wide {
        child.layout.align_self = Some(Align::Stretch);
    }
}
