//! Builds what stands around the content of an app's window: its title bar, and the view that scrolls.

use super::measures::STATUS;
use crate::apps::a2ui::Builder;
use crate::apps::ui::{Align, Axis, Element, Justify, Length, Shrink, Theme, TouchAction, Weight};

/// Builds the surface's root in a scrolling view. It does not scroll if the root or one of its children
/// scrolls, or a child has a weight: then the screen's height is filled.
pub(super) fn content(builder: &Builder<'_>) -> Element {
    let mut root = builder.component(builder.surface.root(), "", 0);
    let fills = root.layout.scroll.is_some()
        || root
            .children
            .iter()
            .any(|child| child.layout.grow > 0.0 || child.layout.scroll.is_some());
    if fills {
        root.layout.grow = 1.0;
        let mut holder = Element::group(Axis::Vertical, vec![root]).grow(1.0);
        holder.layout.padding = [16.0, 12.0, 16.0, 0.0];
        return holder;
    }
    root.layout.shrink = Shrink::Never;
    let mut scroll = Element::view("android.widget.ScrollView", Axis::Vertical, vec![root])
        .pad(16.0, 12.0)
        .grow(1.0);
    scroll.key = "content".into();
    scroll.node.focusable = true;
    scroll.layout.scroll = Some(Axis::Vertical);
    scroll
}

/// Builds an app's window: title bar, content, room for the system's bars. Without a `title` there is no
/// title bar. `up` adds a back button there. `bottom` is the height to leave free, in dp.
pub(super) fn frame(
    package: &str,
    theme: &Theme,
    title: Option<&str>,
    up: bool,
    content: Element,
    bottom: f32,
) -> Element {
    let mut parts = Vec::new();
    if let Some(title) = title {
        parts.push(toolbar(package, theme, title, up));
    }
    parts.push(
        Element::view("android.widget.FrameLayout", Axis::Vertical, vec![content])
            .id("android:id/content")
            .grow(1.0),
    );
    let mut body = Element::view("android.widget.LinearLayout", Axis::Vertical, parts);
    body.layout.grow = 1.0;
    let mut root = Element::view("android.widget.FrameLayout", Axis::Vertical, vec![body])
        .fill(theme.background, 0.0);
    root.layout.padding = [0.0, STATUS, 0.0, bottom];
    root
}

/// Builds the title bar, with a button that goes up if `up`.
fn toolbar(package: &str, theme: &Theme, title: &str, up: bool) -> Element {
    let mut parts = Vec::new();
    if up {
        let glyph = Element::drawn_icon("arrowBack", 24.0, theme.text);
        parts.push(
            Element::view("android.widget.ImageButton", Axis::Vertical, vec![glyph])
                .desc("Navigate up")
                .size(Length::Dp(48.0), Length::Dp(48.0))
                .align(Justify::Center, Align::Center)
                .tap(TouchAction::SystemKey("UP".into())),
        );
    }
    parts.push(Element::text(title, 20.0, Weight::Bold, theme.text).lines(1));
    let mut bar = Element::view("android.view.ViewGroup", Axis::Horizontal, parts)
        .id(format!("{package}:id/toolbar"))
        .gap(8.0)
        .align(Justify::Start, Align::Center);
    bar.layout.padding = [if up { 4.0 } else { 16.0 }, 0.0, 16.0, 0.0];
    bar.layout.min_height = 56.0;
    bar.layout.shrink = Shrink::Never;
    bar
}
