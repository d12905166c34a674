//! Windows of other apps above the front one: a bubble that takes touches, and a tint that takes none.

use crate::apps::ui::{Align, Axis, Colour, Element, Justify, Length, Theme, TouchAction};

/// Sides of the bubble, and its distance from the edges, in dp.
const BUBBLE: f32 = 56.0;
const MARGIN: f32 = 16.0;
/// Alpha of the tint, of 255. Chosen: Android passes no touches through windows whose opacity is above 0.8
/// (`InputSettings.DEFAULT_MAXIMUM_OBSCURING_OPACITY_FOR_TOUCH`).
const TINT: u8 = 40;

/// Builds a round bubble in the lower right corner of the display. A tap only writes to the log. `bottom` is the
/// height of the bar below.
pub(crate) fn bubble(theme: &Theme, bottom: f32) -> Element {
    let icon = Element::drawn_icon("mail", 24.0, theme.on_primary);
    let mut bubble = Element::view("android.widget.ImageView", Axis::Vertical, vec![icon])
        .id("com.example.bubble:id/bubble")
        .desc("Chat")
        .size(Length::Dp(BUBBLE), Length::Dp(BUBBLE))
        .align(Justify::Center, Align::Center)
        .fill(theme.primary, BUBBLE / 2.0)
        .tap(TouchAction::Bubble);
    bubble.layout.over = Some([None, None, Some(MARGIN), Some(bottom + MARGIN)]);
    Element::view("android.widget.FrameLayout", Axis::Vertical, vec![bubble])
}

/// Builds a tint over the whole display, without a touch reaction.
pub(crate) fn veil() -> Element {
    let mut veil = Element::view("android.view.View", Axis::Vertical, Vec::new());
    veil = veil.fill(Colour::rgb(0x00_FF_A0_40).with_alpha(TINT), 0.0);
    veil
}
