//! Choices: radio buttons, check boxes, chips or a drop-down.

use std::collections::HashSet;

use serde_json::Value;

use super::super::build::{Builder, ComponentScope, choice};
use super::super::value::as_text;
use crate::apps::ui::{Align, Axis, Element, Justify, Look, Shrink, Target, TouchAction, Weight};

/// Most choices that are shown as radio buttons. More open as a drop-down.
const MAX_RADIO_BUTTONS: usize = 3;
/// Bytes of chosen values that count as one component, for each choice of several. Chosen: a few values per
/// choice are free.
const VALUE_BYTES_PER_COMPONENT: usize = 512;

impl Builder<'_> {
    /// Builds radio buttons, check boxes or chips. More than [`MAX_RADIO_BUTTONS`] options of which one is chosen
    /// become a drop-down, unless they are chips. A value that is no list chooses one option, and `null` none. Failed
    /// checks are not shown.
    pub(in super::super) fn choice_picker(&self, part: &ComponentScope<'_>) -> Element {
        let (target, value) = self.bound(part);
        let chosen: Vec<String> = match &value {
            Value::Array(items) => items.iter().map(as_text).collect(),
            Value::Null => Vec::new(),
            one => vec![as_text(one)],
        };
        let options = self.options(part);
        let several = choice(part, "variant", "mutuallyExclusive") == "multipleSelection";
        let chips = choice(part, "displayStyle", "checkbox") == "chips";
        let picker = if chips || several || options.len() <= MAX_RADIO_BUTTONS {
            self.open_choices(part, &target, &options, &chosen, several, chips)
        } else {
            self.spinner(part, target, options, chosen)
        };
        let mut children = self.label(part);
        children.push(picker);
        Element::group(Axis::Vertical, children).gap(4.0)
    }

    /// Returns label and value of each option, until the screen has too many components. A missing label or value is
    /// empty.
    fn options(&self, part: &ComponentScope<'_>) -> Vec<(String, String)> {
        let empty = Vec::new();
        let list = part.fields.get("options").and_then(Value::as_array);
        list.unwrap_or(&empty)
            .iter()
            .inspect(|_| self.count(1))
            .take_while(|_| !self.is_full())
            .map(|option| {
                let text = |key: &str| {
                    option
                        .get(key)
                        .map_or_else(String::new, |value| as_text(&self.value(value, part.base)))
                };
                (text("label"), text("value"))
            })
            .collect()
    }

    /// Builds all options one by one. With `several`, a tap adds an option to the chosen ones or removes it; else a tap
    /// chooses the option in place of the others.
    fn open_choices(
        &self,
        part: &ComponentScope<'_>,
        target: &Target,
        options: &[(String, String)],
        chosen: &[String],
        several: bool,
        chips: bool,
    ) -> Element {
        let class = if several {
            "android.widget.CheckBox"
        } else {
            "android.widget.RadioButton"
        };
        // A set: of both there may be thousands.
        let all: HashSet<&String> = chosen.iter().collect();
        // Choosing one of several keeps the others.
        let bytes = chosen.iter().map(String::len).sum::<usize>() + chosen.len();
        let stored = if several {
            bytes / VALUE_BYTES_PER_COMPONENT
        } else {
            0
        };
        let children = options
            .iter()
            .inspect(|_| self.count(stored))
            .take_while(|_| !self.is_full())
            .map(|(label, value)| {
                let on = all.contains(value);
                let mut next: Vec<String> = if several { chosen.to_vec() } else { Vec::new() };
                if several && on {
                    next.retain(|retained| retained != value);
                } else {
                    next.push(value.clone());
                }
                let element = if chips {
                    self.chip(class, label, on)
                } else {
                    self.compound(class, label, on, !several)
                };
                element.tap(TouchAction::Set {
                    target: target.clone(),
                    value: Value::from(next),
                })
            })
            .collect();
        let class = if several {
            "android.widget.LinearLayout"
        } else {
            "android.widget.RadioGroup"
        };
        let axis = if chips {
            Axis::Horizontal
        } else {
            Axis::Vertical
        };
        let mut group = Element::view(class, axis, children).id(self.resource(part.id));
        group.layout.wrap = chips;
        group.layout.gap = if chips { 8.0 } else { 0.0 };
        group
    }

    fn chip(&self, class: &str, label: &str, on: bool) -> Element {
        let theme = self.theme;
        let ink = if on { theme.on_primary } else { theme.text };
        let text = Element::drawn_text(label, 14.0, Weight::Regular, ink).centred();
        let mut chip = Element::view(class, Axis::Vertical, vec![text])
            .pad(14.0, 7.0)
            .align(Justify::Center, Align::Stretch)
            .fill(if on { theme.primary } else { theme.chip }, 18.0);
        chip.layout.min_height = 36.0;
        chip.layout.shrink = Shrink::Never;
        label.clone_into(&mut chip.node.text);
        chip.node.checkable = true;
        chip.node.checked = on;
        chip
    }

    /// Builds a field that opens a drop-down. It shows the labels of the chosen options in their order, with `, `
    /// between them.
    fn spinner(
        &self,
        part: &ComponentScope<'_>,
        target: Target,
        options: Vec<(String, String)>,
        chosen: Vec<String>,
    ) -> Element {
        let theme = self.theme;
        let all: HashSet<&String> = chosen.iter().collect();
        let display = options
            .iter()
            .filter(|(_, value)| all.contains(value))
            .map(|(label, _)| label.clone())
            .collect::<Vec<_>>()
            .join(", ");
        let text = Element::text(display, 16.0, Weight::Regular, theme.text)
            .id("android:id/text1")
            .grow(1.0)
            .lines(1);
        let arrow = Element::drawn_icon("dropDown", 24.0, theme.faint);
        let mut spinner = Element::view(
            "android.widget.Spinner",
            Axis::Horizontal,
            vec![text, arrow],
        )
        .id(self.resource(part.id))
        .pad(14.0, 12.0)
        .align(Justify::Start, Align::Center)
        .tap(TouchAction::OpenMenu {
            key: part.key(),
            target,
            options,
            chosen,
        });
        spinner.look = Look::Box {
            fill: Some(theme.surface),
            border: Some((theme.line, 1.0)),
            radius: 8.0,
        };
        spinner.layout.shrink = Shrink::Never;
        // A spinner is a list of one row that is seen.
        spinner.node.scrollable = true;
        spinner.node.long_clickable = true;
        spinner
    }
}
