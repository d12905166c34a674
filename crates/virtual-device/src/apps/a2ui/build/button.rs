//! Buttons.

use serde_json::Value;

use super::super::markdown::strip_markdown;
use super::{Builder, ComponentScope, choice};
use crate::apps::ui::{Axis, Element, Justify, Look, TouchAction, Weight};

impl Builder<'_> {
    /// Builds a button around a text, an icon or any other component. A failed check disables it: the dump says
    /// `clickable` and not `enabled`, and a tap does nothing. A `Text` or `Icon` inside has no node of its own: its
    /// text or description is the button's. The `action` is resolved at the tap.
    pub(super) fn button(&self, part: &ComponentScope<'_>) -> Element {
        let theme = self.theme;
        let enabled = self.failed_check(part).is_none();
        let variant = choice(part, "variant", "default");
        let (fill, ink) = match variant {
            "primary" => (Some(theme.primary), theme.on_primary),
            "borderless" => (None, theme.primary),
            _ => (Some(theme.chip), theme.primary),
        };
        let (fill, ink) = if enabled {
            (fill, ink)
        } else {
            (fill.map(|_| theme.chip), theme.faint.mix(theme.chip, 110))
        };
        let child = part.fields.get("child").and_then(Value::as_str);
        let inner = child.and_then(|id| Some((id, self.surface.components.get(id)?)));
        let kind = inner.and_then(|(_, fields)| fields.get("component")?.as_str());
        let mut element = match (inner, kind) {
            (Some((id, fields)), Some("Text")) => {
                let part = ComponentScope {
                    id,
                    fields,
                    ..*part
                };
                let (text, _) = strip_markdown(&self.prop_text(&part, "text"));
                let label = Element::drawn_text(text.clone(), 15.0, Weight::Bold, ink).centred();
                let mut button =
                    Element::view("android.widget.Button", Axis::Vertical, vec![label]);
                button.node.text = text;
                button.pad(20.0, 10.0)
            }
            (Some((id, fields)), Some("Icon")) => {
                let part = ComponentScope {
                    id,
                    fields,
                    ..*part
                };
                let icon = self.icon(&part, ink);
                let desc = icon.node.desc.clone();
                // Only drawn: in a dump, the button has its icon's description.
                let image = Element {
                    node: crate::NodeDump::default(),
                    ..icon
                };
                let mut button =
                    Element::view("android.widget.ImageButton", Axis::Vertical, vec![image])
                        .desc(desc);
                button.layout.min_width = 48.0;
                button.pad(12.0, 10.0)
            }
            _ => {
                let children = self.only_child(part, "child");
                Element::view("android.view.ViewGroup", Axis::Vertical, children).pad(16.0, 12.0)
            }
        };
        let radius = if kind == Some("Text") || kind == Some("Icon") {
            22.0
        } else {
            12.0
        };
        if kind != Some("Text") && kind != Some("Icon") && variant != "borderless" {
            element.look = Look::Box {
                fill: Some(theme.surface),
                border: Some((theme.line, 1.0)),
                radius,
            };
        } else if let Some(fill) = fill {
            element = element.fill(fill, radius);
        }
        element.layout.min_height = 44.0;
        element.layout.justify = Justify::Center;
        let action = part.fields.get("action").cloned().unwrap_or(Value::Null);
        let mut element = element.id(self.resource(part.id)).tap(TouchAction::Act {
            action,
            base: part.base.to_owned(),
        });
        element.key = part.key();
        element.node.long_clickable = false;
        element.node.enabled = enabled;
        if !enabled {
            // It stays `clickable`, so that what is behind it does not get the touch.
            element.on_tap = None;
        }
        element
    }
}
