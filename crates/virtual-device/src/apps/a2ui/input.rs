//! Components that take input. `choice_picker` has the one for choices.

mod choice_picker;

use serde_json::Value;

use super::build::{Builder, ComponentScope, choice};
use super::date::format_date;
use super::value::{as_text, is_true};
use crate::apps::ui::{
    Align, Axis, Element, Field, Justify, Length, Look, Shrink, TouchAction, Weight,
};

impl Builder<'_> {
    /// Builds a text field with its label inside: in place of the text while that is empty and without focus, else
    /// above it. A failed check or pattern is shown only once a person has edited the field; a malformed pattern fails
    /// nothing and is noted as a problem. A password is shown as dots, in a dump too, except for a moment the letter
    /// that was typed last.
    pub(super) fn text_field(&self, part: &ComponentScope<'_>) -> Element {
        let theme = self.theme;
        let key = part.key();
        let (target, value) = self.bound(part);
        let text = as_text(&value);
        let label = self.prop_text(part, "label");
        let variant = choice(part, "variant", "shortText");
        let (secret, long) = (variant == "obscured", variant == "longText");
        let caret = self
            .view
            .focus
            .as_ref()
            .filter(|focus| focus.key == key)
            .map(|focus| focus.caret);
        let wrong = self
            .failed_check(part)
            .or_else(|| self.failed_pattern(part, &text))
            .filter(|_| self.view.edited.contains(&key));
        let display = if secret {
            self.dots(&key, &text)
        } else {
            text.clone()
        };

        let mut inside = Vec::new();
        let accent = match (&wrong, caret) {
            (Some(_), _) => theme.error,
            (None, Some(_)) => theme.primary,
            (None, None) => theme.faint,
        };
        if text.is_empty() && caret.is_none() {
            inside.push(Element::drawn_text(&label, 16.0, Weight::Regular, theme.faint).lines(1));
        } else {
            if !label.is_empty() {
                inside.push(Element::drawn_text(&label, 12.0, Weight::Regular, accent).lines(1));
            }
            let mut line = Element::drawn_text(display.clone(), 16.0, Weight::Regular, theme.text);
            if let Look::Text(look) = &mut line.look {
                look.caret = caret.filter(|_| !self.hides_caret);
                look.max_lines = (!long).then_some(1);
            }
            inside.push(line);
        }
        let mut field = Element::view("android.widget.EditText", Axis::Vertical, inside)
            .id(self.resource(part.id))
            .pad(14.0, 7.0)
            .tap(TouchAction::Focus);
        field.key = key;
        field.layout.min_height = if long { 120.0 } else { 58.0 };
        field.layout.justify = if long {
            Justify::Start
        } else {
            Justify::Center
        };
        field.layout.shrink = Shrink::Never;
        field.look = Look::Box {
            fill: Some(theme.surface),
            border: Some(match (&wrong, caret) {
                (Some(_), _) => (theme.error, 2.0),
                (None, Some(_)) => (theme.primary, 2.0),
                (None, None) => (theme.line, 1.0),
            }),
            radius: 8.0,
        };
        // For a password the dots, as on phones.
        field.node.text = display;
        field.node.hint = label;
        field.node.password = secret;
        field.node.focused = caret.is_some();
        field.node.long_clickable = true;
        field.field = Some(Field {
            target,
            text,
            multiline: long,
            number: variant == "number",
            secret,
        });
        let mut element = self.with_message(field, wrong);
        element.layout.wide = true;
        element
    }

    /// Shows a password as dots, except the letter of this field that was typed last. If that letter is a line feed, it
    /// is shown as a space.
    fn dots(&self, key: &str, text: &str) -> String {
        let typed = self.view.typed_letter.as_ref();
        let shown = typed.filter(|typed| typed.key == key).map(|typed| typed.at);
        let letters = text.chars().enumerate();
        letters
            .map(|(at, letter)| match letter {
                _ if Some(at) != shown => '•',
                // A field of one line has a space in its place.
                '\n' => ' ',
                _ => letter,
            })
            .collect()
    }

    /// Returns a message if a text does not match the field's `validationRegexp`. A malformed pattern is logged,
    /// and fails nothing.
    fn failed_pattern(&self, part: &ComponentScope<'_>, text: &str) -> Option<String> {
        let pattern = part.fields.get("validationRegexp")?.as_str()?;
        match super::function::pattern(pattern, &self.work) {
            Ok(regex) if regex.is_match(text) => None,
            Ok(_) => Some("This is not a valid value".into()),
            Err(problem) => {
                self.problems.borrow_mut().insert(format!(
                    "the `validationRegexp` of `{}` cannot be read: `{pattern}`: {problem}",
                    part.id
                ));
                None
            }
        }
    }

    /// Wraps an input in a group, always, and puts the message of a failed check below it if there is one.
    fn with_message(&self, input: Element, message: Option<String>) -> Element {
        let mut children = vec![input];
        if let Some(message) = message {
            let mut text = Element::text(message, 12.0, Weight::Regular, self.theme.error);
            text.layout.margin = [14.0, 0.0, 0.0, 0.0];
            children.push(text.id(self.resource("textinput_error")));
        }
        let mut group = Element::group(Axis::Vertical, children).gap(3.0);
        group.layout.shrink = Shrink::Never;
        group
    }

    /// Builds a check box, whose tap stores the opposite of its value. A failed check is shown only once a person has
    /// tapped it.
    pub(super) fn check_box(&self, part: &ComponentScope<'_>) -> Element {
        let (target, value) = self.bound(part);
        let on = is_true(&value);
        let label = self.prop_text(part, "label");
        let message = self
            .failed_check(part)
            .filter(|_| self.view.edited.contains(&part.key()));
        let mut element = self
            .compound("android.widget.CheckBox", &label, on, false)
            .id(self.resource(part.id))
            .tap(TouchAction::Set {
                target,
                value: Value::Bool(!on),
            });
        element.key = part.key();
        self.with_message(element, message)
    }

    /// Builds a check box with its label, or with `round` a radio button. `class` is the class that a dump
    /// shows. The whole row is the checkable element, and its label is its text.
    fn compound(&self, class: &str, label: &str, on: bool, round: bool) -> Element {
        let theme = self.theme;
        let mut mark = Element::default().size(Length::Dp(24.0), Length::Dp(24.0));
        mark.layout.shrink = Shrink::Never;
        mark.look = Look::Check {
            on,
            round,
            colour: if on { theme.primary } else { theme.faint },
        };
        let text = Element::drawn_text(label, 15.0, Weight::Regular, theme.text);
        let mut element = Element::view(class, Axis::Horizontal, vec![mark, text])
            .gap(12.0)
            .pad(0.0, 8.0)
            .align(Justify::Start, Align::Center);
        element.layout.min_height = 44.0;
        element.layout.shrink = Shrink::Never;
        label.clone_into(&mut element.node.text);
        element.node.checkable = true;
        element.node.checked = on;
        element
    }

    /// Builds the label above an input, or nothing without one.
    fn label(&self, part: &ComponentScope<'_>) -> Vec<Element> {
        let label = self.prop_text(part, "label");
        if label.is_empty() {
            return Vec::new();
        }
        vec![
            Element::text(label, 13.0, Weight::Regular, self.theme.faint)
                .id(self.resource(&format!("{}_label", part.id))),
        ]
    }

    /// Builds a slider, and above it its label and value if it has a label. A value that is no number is the lower
    /// bound. Bounds are 0 and 100 unless given, and a value outside is shown limited to them, while the data stays.
    /// Failed checks are not shown.
    pub(super) fn slider(&self, part: &ComponentScope<'_>) -> Element {
        let theme = self.theme;
        let (target, value) = self.bound(part);
        let bound = |name: &str, default: f64| {
            part.fields
                .get(name)
                .and_then(Value::as_f64)
                .unwrap_or(default)
        };
        let (min, max) = (bound("min", 0.0), bound("max", 100.0));
        let now = value.as_f64().unwrap_or(min).clamp(min, max.max(min));
        let fraction = if max > min {
            (now - min) / (max - min)
        } else {
            0.0
        };
        let display = as_text(&Value::from(now));
        let mut bar = Element::view("android.widget.SeekBar", Axis::Vertical, Vec::new())
            .id(self.resource(part.id))
            .size(Length::Fill, Length::Dp(40.0))
            .tap(TouchAction::Slide { target, min, max });
        bar.node.range = Some(now);
        // Android's seek bar is dragged, and not called clickable.
        bar.node.clickable = false;
        bar.layout.shrink = Shrink::Never;
        bar.look = Look::Slider {
            fraction: fraction as f32,
            colour: theme.primary,
            rest: theme.line,
        };
        let mut head = self.label(part);
        if let Some(label) = head.first_mut() {
            label.layout.grow = 1.0;
        }
        if !head.is_empty() {
            head.push(Element::drawn_text(
                display,
                13.0,
                Weight::Bold,
                theme.primary,
            ));
        }
        let head = Element::group(Axis::Horizontal, head);
        let mut slider = Element::group(Axis::Vertical, vec![head, bar]);
        slider.layout.wide = true;
        slider.layout.min_width = 96.0;
        slider
    }

    /// Builds a field that opens a calendar, a clock or both. Without either flag it is a date. A value that is no date
    /// is shown as it is. Failed checks are not shown.
    pub(super) fn date_time(&self, part: &ComponentScope<'_>) -> Element {
        let theme = self.theme;
        let (target, value) = self.bound(part);
        let value = as_text(&value);
        let flag = |name: &str| is_true(&self.prop(part, name));
        let (date, time) = (flag("enableDate"), flag("enableTime"));
        let date = date || !time;
        let label = self.prop_text(part, "label");
        let format = match (date, time) {
            (true, true) => "MMM d, yyyy h:mm a",
            (true, false) => "MMM d, yyyy",
            _ => "h:mm a",
        };
        let display = if value.is_empty() {
            String::new()
        } else {
            format_date(&value, format).map_or_else(|_| value.clone(), |text| as_text(&text))
        };
        let mut lines = Vec::new();
        if display.is_empty() {
            lines.push(Element::drawn_text(
                &label,
                16.0,
                Weight::Regular,
                theme.faint,
            ));
        } else {
            if !label.is_empty() {
                lines.push(Element::drawn_text(
                    &label,
                    12.0,
                    Weight::Regular,
                    theme.faint,
                ));
            }
            lines.push(Element::drawn_text(
                &display,
                16.0,
                Weight::Regular,
                theme.text,
            ));
        }
        let words = Element::group(Axis::Vertical, lines).grow(1.0);
        let icon = Element::drawn_icon("calendarToday", 22.0, theme.faint);
        let mut element =
            Element::view("android.widget.Button", Axis::Horizontal, vec![words, icon])
                .id(self.resource(part.id))
                .pad(14.0, 7.0)
                .gap(8.0)
                .align(Justify::Start, Align::Center)
                .tap(TouchAction::OpenDate {
                    target,
                    value,
                    date,
                    time,
                });
        element.look = Look::Box {
            fill: Some(theme.surface),
            border: Some((theme.line, 1.0)),
            radius: 8.0,
        };
        element.layout.min_height = 58.0;
        element.layout.shrink = Shrink::Never;
        element.layout.wide = true;
        element.node.text = display;
        element.node.hint = label;
        element
    }
}
