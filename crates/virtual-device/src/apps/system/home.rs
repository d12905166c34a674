//! The launcher and the list of open apps.

use crate::apps::ui::{
    Align, Axis, Colour, Element, Justify, Length, Shrink, Theme, TouchAction, Weight,
};

pub(crate) struct HomeApp {
    pub package: String,
    pub label: String,
    pub icon: String,
    pub colour: Option<Colour>,
}

fn id(name: &str) -> String {
    format!("com.android.launcher:id/{name}")
}

/// Builds the launcher with the icons of `apps` in the order given. `top` and `bottom` are the heights of the bars
/// in dp.
pub(crate) fn launcher(theme: &Theme, apps: &[HomeApp], top: f32, bottom: f32) -> Element {
    let icons = apps.iter().map(|app| icon(theme, app)).collect();
    let mut grid = Element::view("android.view.ViewGroup", Axis::Horizontal, icons)
        .id(id("workspace"))
        .gap(12.0);
    grid.layout.wrap = true;
    grid.layout.align = Align::Start;
    let mut root = Element::view("android.widget.FrameLayout", Axis::Vertical, vec![grid])
        .id(id("launcher"))
        .fill(wallpaper(theme), 0.0);
    root.layout.padding = [20.0, top + 40.0, 20.0, bottom];
    root
}

/// Returns the colour behind the icons of the launcher and the cards of open apps.
fn wallpaper(theme: &Theme) -> Colour {
    if theme.dark {
        Colour::rgb(0x00_14_20_33)
    } else {
        Colour::rgb(0x00_2F_4F_7F)
    }
}

/// Builds an app's icon with its label, as one node. A tap starts the app, or brings it to the front.
fn icon(theme: &Theme, app: &HomeApp) -> Element {
    let white = Colour::rgb(0x00_FF_FF_FF);
    let glyph = Element::drawn_icon(&app.icon, 30.0, white);
    let mut tile = Element::group(Axis::Vertical, vec![glyph])
        .size(Length::Dp(58.0), Length::Dp(58.0))
        .fill(app.colour.unwrap_or(theme.primary), 18.0)
        .align(Justify::Center, Align::Center);
    tile.layout.shrink = Shrink::Never;
    tile.layout.align_self = Some(Align::Center);
    let label = Element::drawn_text(&app.label, 13.0, Weight::Regular, white)
        .lines(1)
        .centred();
    let mut icon = Element::view("android.widget.TextView", Axis::Vertical, vec![tile, label])
        .size(Length::Dp(80.0), Length::Wrap)
        .gap(6.0)
        .desc(&app.label)
        .tap(TouchAction::Launch(app.package.clone()));
    icon.node.text.clone_from(&app.label);
    icon.node.long_clickable = true;
    icon
}

/// Builds the cards of the open apps in the order given, or a text if there is none. A tap on a card brings the app to
/// the front. `top` and `bottom` are the heights of the bars in dp.
pub(crate) fn recents(theme: &Theme, apps: &[HomeApp], top: f32, bottom: f32) -> Element {
    let white = Colour::rgb(0x00_FF_FF_FF);
    let mut children: Vec<Element> = apps
        .iter()
        .map(|app| {
            let glyph = Element::drawn_icon(&app.icon, 26.0, app.colour.unwrap_or(theme.primary));
            let label = Element::text(&app.label, 17.0, Weight::Bold, theme.text);
            Element::view(
                "android.widget.FrameLayout",
                Axis::Horizontal,
                vec![glyph, label],
            )
            .id(id("snapshot"))
            .desc(&app.label)
            .pad(20.0, 36.0)
            .gap(14.0)
            .align(Justify::Start, Align::Center)
            .fill(theme.surface, 20.0)
            .tap(TouchAction::Launch(app.package.clone()))
        })
        .collect();
    if children.is_empty() {
        let empty = Element::text("No recent items", 16.0, Weight::Regular, white);
        children.push(empty.id(id("empty")).centred());
    }
    let mut root = Element::view("android.widget.FrameLayout", Axis::Vertical, children)
        .id(id("overview_panel"))
        .gap(16.0)
        .fill(wallpaper(theme), 0.0);
    root.layout.padding = [32.0, top + 40.0, 32.0, bottom];
    root
}
