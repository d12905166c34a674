//! Components that hold no other: texts, pictures, icons and lines.

use serde_json::Value;

use super::super::markdown::strip_markdown;
use super::{Builder, ComponentScope, choice};
use crate::apps::ui::{
    Align, Axis, Colour, Element, Length, Look, Shrink, Theme, Weight, is_known_icon, spoken_icon,
};

impl Builder<'_> {
    /// Builds a text without its Markdown marks. Without a `variant`, a single line with a heading of any level is
    /// shown as `h4`, and all else as body text.
    pub(super) fn text(&self, part: &ComponentScope<'_>) -> Element {
        let (text, heading) = strip_markdown(&self.prop_text(part, "text"));
        let variant = choice(part, "variant", if heading { "h4" } else { "body" });
        let (size, weight, colour) = text_style(variant, self.theme);
        Element::text(text, size, weight, colour).id(self.resource(part.id))
    }

    /// Builds a made-up picture, the same for the same `url`, in a size by `variant`. Nothing is loaded, and `fit` is
    /// ignored. `description` is its content description.
    pub(super) fn image(&self, part: &ComponentScope<'_>) -> Element {
        let url = self.prop_text(part, "url");
        let variant = choice(part, "variant", "mediumFeature");
        let (width, height) = match variant {
            "icon" => (Length::Dp(24.0), 24.0),
            "avatar" => (Length::Dp(40.0), 40.0),
            "smallFeature" => (Length::Dp(64.0), 64.0),
            "largeFeature" => (Length::Fill, 220.0),
            "header" => (Length::Fill, 180.0),
            _ => (Length::Fill, 140.0),
        };
        let mut element = Element::view("android.widget.ImageView", Axis::Vertical, Vec::new())
            .id(self.resource(part.id))
            .desc(self.prop_text(part, "description"))
            .size(width, Length::Dp(height));
        element.layout.shrink = Shrink::Never;
        element.look = Look::Picture {
            seed: xxhash_rust::xxh3::xxh3_64(url.as_bytes()),
        };
        element
    }

    /// Builds an icon of the catalogue or of an SVG path. An unknown name is logged and drawn as a crossed-out frame.
    /// The name gives the content description; a path has none.
    pub(super) fn icon(&self, part: &ComponentScope<'_>, colour: Colour) -> Element {
        if let Some(Value::Object(fields)) = part.fields.get("name")
            && let Some(Value::String(data)) = fields.get("svgPath")
        {
            let mut element = Element::drawn_icon("", 24.0, colour);
            element.look = Look::Path {
                data: data.clone(),
                colour,
            };
            element.node.class = "android.widget.ImageView".into();
            element.node.enabled = true;
            return element.id(self.resource(part.id));
        }
        let name = self.prop_text(part, "name");
        if !is_known_icon(&name) {
            self.problems.borrow_mut().insert(format!(
                "there is no icon `{name}` (component `{}`)",
                part.id
            ));
        }
        let mut element = Element::drawn_icon(&name, 24.0, colour);
        element.node.class = "android.widget.ImageView".into();
        element.node.enabled = true;
        element.id(self.resource(part.id)).desc(spoken_icon(&name))
    }

    /// Builds a line, 1 dp thick, stretched across its container. It is horizontal unless `axis` is `vertical`.
    pub(super) fn divider(&self, part: &ComponentScope<'_>) -> Element {
        let (width, height) = if choice(part, "axis", "horizontal") == "vertical" {
            (Length::Dp(1.0), Length::Wrap)
        } else {
            (Length::Wrap, Length::Dp(1.0))
        };
        let mut element = Element::view("android.view.View", Axis::Vertical, Vec::new())
            .id(self.resource(part.id))
            .size(width, height)
            .fill(self.theme.line, 0.0);
        element.layout.shrink = Shrink::Never;
        element.layout.align_self = Some(Align::Stretch);
        element
    }
}

/// Returns size in dp, weight and colour of a text's variant; an unknown variant is body text.
fn text_style(variant: &str, theme: &Theme) -> (f32, Weight, Colour) {
    match variant {
        "h1" => (30.0, Weight::Bold, theme.text),
        "h2" => (24.0, Weight::Bold, theme.text),
        "h3" => (20.0, Weight::Bold, theme.text),
        "h4" => (17.0, Weight::Bold, theme.text),
        "h5" => (15.0, Weight::Bold, theme.text),
        "caption" => (13.0, Weight::Regular, theme.faint),
        _ => (15.0, Weight::Regular, theme.text),
    }
}
