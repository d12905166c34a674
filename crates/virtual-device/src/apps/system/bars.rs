//! Status bar, navigation bar, notification shade and quick settings.

use crate::Switch;
use crate::apps::ui::{Align, Axis, Colour, Element, Justify, Length, Theme, TouchAction, Weight};

fn id(name: &str) -> String {
    format!("com.android.systemui:id/{name}")
}

/// Builds the status bar in one colour: clock, location and battery. The clock always shows 12:00 and the others
/// never change, so that pictures are equal.
pub(crate) fn status_bar(ink: Colour) -> Element {
    let clock = Element::text("12:00", 13.0, Weight::Bold, ink)
        .id(id("clock"))
        .desc("12:00");
    let space = Element::default().grow(1.0);
    let mut wifi = Element::drawn_icon("locationOn", 14.0, ink);
    wifi.node.class = "android.widget.ImageView".into();
    wifi.node.enabled = true;
    let wifi = wifi.id(id("location")).desc("Location active");
    let mut level = Element::default()
        .size(Length::Dp(20.0), Length::Dp(10.0))
        .fill(ink, 2.5);
    level.node.class = "android.widget.ImageView".into();
    level.node.enabled = true;
    let battery = level.id(id("battery")).desc("Battery charged.");
    Element::view(
        "android.widget.FrameLayout",
        Axis::Horizontal,
        vec![clock, space, wifi, battery],
    )
    .id(id("status_bar"))
    .pad(16.0, 0.0)
    .gap(6.0)
    .align(Justify::Start, Align::Center)
}

/// Builds the navigation bar with its three buttons: back, home and recent apps. A tap presses the key of the same
/// meaning.
pub(crate) fn navigation_bar(ink: Colour) -> Element {
    let button = |name: &str, desc: &str, icon: Element, key: &str| {
        Element::view("android.widget.ImageView", Axis::Vertical, vec![icon])
            .id(id(name))
            .desc(desc)
            .size(Length::Dp(80.0), Length::Fill)
            .align(Justify::Center, Align::Center)
            .tap(TouchAction::SystemKey(key.into()))
    };
    let round = |size: f32, radius: f32| {
        let mut mark = Element::default().size(Length::Dp(size), Length::Dp(size));
        mark.look = crate::apps::ui::Look::Box {
            fill: None,
            border: Some((ink, 2.0)),
            radius,
        };
        mark
    };
    let back = Element::drawn_icon("arrowBack", 20.0, ink);
    Element::view(
        "android.widget.FrameLayout",
        Axis::Horizontal,
        vec![
            button("back", "Back", back, "BACK"),
            button("home", "Home", round(16.0, 8.0), "HOME"),
            button("recent_apps", "Overview", round(15.0, 3.0), "APP_SWITCH"),
        ],
    )
    .id(id("navigation_bar_frame"))
    .align(Justify::Around, Align::Stretch)
}

/// Builds the notification shade, which always says `No notifications`. A tap below its panel closes it.
pub(crate) fn shade(theme: &Theme) -> Element {
    let text = Element::text("No notifications", 15.0, Weight::Regular, theme.faint)
        .id(id("no_notifications"))
        .centred();
    let panel = panel(theme, vec![text.pad(0.0, 24.0)]);
    covering(vec![panel])
}

/// Builds the unfolded quick settings, two tiles a row. `on` has each switch, its label, and true if it is
/// on.
pub(crate) fn quick_settings(theme: &Theme, on: &[(Switch, &str, bool)]) -> Element {
    let mut rows = Vec::new();
    for pair in on.chunks(2) {
        let tiles = pair
            .iter()
            .map(|(switch, label, on)| tile(theme, *switch, label, *on))
            .collect();
        rows.push(Element::group(Axis::Horizontal, tiles).gap(8.0));
    }
    covering(vec![panel(theme, rows)])
}

/// Builds the tile of a switch, with its state as text. A tap turns it.
fn tile(theme: &Theme, switch: Switch, label: &str, on: bool) -> Element {
    let ink = if on { theme.on_primary } else { theme.text };
    let name = Element::drawn_text(label, 14.0, Weight::Bold, ink);
    let state = Element::drawn_text(if on { "On" } else { "Off" }, 12.0, Weight::Regular, ink);
    let mut tile = Element::view("android.widget.Switch", Axis::Vertical, vec![name, state])
        .pad(16.0, 12.0)
        .fill(if on { theme.primary } else { theme.chip }, 22.0)
        .desc(label)
        .grow(1.0)
        .tap(TouchAction::Quick(switch));
    tile.node.text = if on { "On" } else { "Off" }.into();
    tile.node.checkable = true;
    tile.node.checked = on;
    tile
}

/// Builds the panel of the shade, which takes touches that miss its contents.
fn panel(theme: &Theme, children: Vec<Element>) -> Element {
    let mut panel = Element::view("android.widget.FrameLayout", Axis::Vertical, children)
        .id(id("notification_panel"))
        .pad(16.0, 20.0)
        .gap(12.0)
        .fill(theme.surface, 20.0);
    // A touch on the panel is none on the shade behind it, which would close.
    panel.on_tap = Some(TouchAction::Nothing);
    panel
}

/// Builds the darkened screen behind a panel. A tap on it closes the shade.
fn covering(children: Vec<Element>) -> Element {
    Element::view("android.widget.FrameLayout", Axis::Vertical, children)
        .id(id("notification_shade"))
        .pad(0.0, 28.0)
        .fill(Colour::rgb(0).with_alpha(150), 0.0)
        .tap(TouchAction::Collapse)
}
