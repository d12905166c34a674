//! Components that take input, and dates as text.

use std::collections::HashSet;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::Value;

use super::build::{Builder, ComponentScope, choice};
use super::value::{ValueError, as_text, is_true};
use crate::apps::ui::{
    Align, Axis, Element, Field, Justify, Length, Look, Shrink, Target, TouchAction, Weight,
};

/// Most choices that are shown as radio buttons. More open as a drop-down.
const MAX_RADIO_BUTTONS: usize = 3;
/// Bytes of chosen values that count as one component, for each choice of several. Chosen: a few values per
/// choice are free.
const VALUE_BYTES_PER_COMPONENT: usize = 512;

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

    /// Builds radio buttons, check boxes or chips. More than [`MAX_RADIO_BUTTONS`] options of which one is chosen
    /// become a drop-down, unless they are chips. A value that is no list chooses one option, and `null` none. Failed
    /// checks are not shown.
    pub(super) fn choice_picker(&self, part: &ComponentScope<'_>) -> Element {
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

/// Parses a date, a time, or both, in ISO 8601. A time zone is dropped, and the clock time stays as written.
/// A date alone is at midnight, a time alone on 1 January 2026. Returns `None` for any other text.
pub(super) fn parse_timestamp(text: &str) -> Option<NaiveDateTime> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.naive_local());
    }
    for format in ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"] {
        if let Ok(at) = NaiveDateTime::parse_from_str(text, format) {
            return Some(at);
        }
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return date.and_hms_opt(0, 0, 0);
    }
    ["%H:%M:%S", "%H:%M"].iter().find_map(|format| {
        let time = NaiveTime::parse_from_str(text, format).ok()?;
        // A time alone still needs some day.
        Some(NaiveDate::from_ymd_opt(2026, 1, 1)?.and_time(time))
    })
}

/// Formats a date by the common letters of a Unicode TR35 pattern, in English. Text in single quotes and unknown
/// letters are copied; two quotes in a row give one, also inside quotes. Fails if `value` is not a date.
pub(super) fn format_date(value: &str, pattern: &str) -> Result<Value, ValueError> {
    let Some(at) = parse_timestamp(value) else {
        return Err(ValueError::NotDate(value.to_owned()));
    };
    let mut out = String::new();
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\'' {
            if letters.next_if_eq(&'\'').is_some() {
                out.push('\'');
                continue;
            }
            while let Some(quoted) = letters.next() {
                if quoted == '\'' && letters.next_if_eq(&'\'').is_none() {
                    break;
                }
                out.push(quoted);
            }
            continue;
        }
        let mut count = 1;
        while letters.peek() == Some(&letter) {
            letters.next();
            count += 1;
        }
        let code = match (letter, count) {
            ('y', 2) => "%y",
            ('y', _) => "%Y",
            ('M', 1) => "%-m",
            ('M', 2) => "%m",
            ('M', 3) => "%b",
            ('M', _) => "%B",
            ('d', 1) => "%-d",
            ('d', _) => "%d",
            ('E', 1..=3) => "%a",
            ('E', _) => "%A",
            ('h', 1) => "%-I",
            ('h', _) => "%I",
            ('H', 1) => "%-H",
            ('H', _) => "%H",
            ('m', 1) => "%-M",
            ('m', _) => "%M",
            ('s', 1) => "%-S",
            ('s', _) => "%S",
            ('a', _) => "%p",
            (other, count) => {
                out.extend(std::iter::repeat_n(other, count));
                continue;
            }
        };
        out.push_str(&at.format(code).to_string());
    }
    Ok(Value::String(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_by_their_patterns() {
        for (pattern, written) in [
            ("MMM d, yyyy h:mm a", "Jan 6, 2026 2:05 PM"),
            ("yy-MM-dd HH:mm:ss", "26-01-06 14:05:09"),
            ("H:m:s", "14:5:9"),
            ("h 'o''clock'", "2 o'clock"),
            ("''yy", "'26"),
            ("EEEE 'the' d'", "Tuesday the 6"),
        ] {
            let got = format_date("2026-01-06T14:05:09Z", pattern);
            assert_eq!(got, Ok(Value::from(written)), "{pattern}");
        }
        assert!(format_date("soon", "yyyy").is_err());
    }
}
