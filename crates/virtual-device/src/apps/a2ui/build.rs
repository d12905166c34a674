//! Makes elements from components: the limits of a screen, and the values of properties. `content` has texts and
//! pictures, `container` what holds other components, `button` buttons, and `input` beside it inputs.

mod button;
mod container;
mod content;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::surface::{Surface, ViewState};
use super::value::{ByteBudget, Scope, as_text, is_true};
use crate::apps::ui::{Axis, Element, Target, Theme, Weight};

/// Greatest `weight`. Chosen: beyond it, rounding would leave the other children no pixel.
const MAX_WEIGHT: f64 = 1000.0;
/// Most components of a screen. Chosen: a few that contain each other twice would make more than any memory
/// holds.
const MAX_COMPONENTS: usize = 10_000;
/// Bytes of text that count as one component. Chosen: about the memory of a component.
const TEXT_BYTES_PER_COMPONENT: usize = 64;
/// Deepest nesting. Components deeper than this are taken for a cycle.
const MAX_DEPTH: usize = 48;

/// Returns the key of a component, which is the same in each layout: its id, or `ID@BASE` if it stands for an
/// item of a template, whose pointer is `base`.
pub(crate) fn key_of(id: &str, base: &str) -> String {
    if base.is_empty() {
        id.to_owned()
    } else {
        format!("{id}@{base}")
    }
}

/// Builds the elements of a surface.
pub(crate) struct Builder<'a> {
    pub package: &'a str,
    pub surface: &'a Surface,
    pub model: &'a Value,
    pub view: &'a ViewState,
    /// The caret is drawn off, since it blinks.
    pub hides_caret: bool,
    pub theme: &'a Theme,
    /// Log messages for what is unsupported or malformed.
    pub problems: &'a RefCell<BTreeSet<String>>,
    /// Components built so far; long texts count as several. Limited by `MAX_COMPONENTS`.
    pub built: Cell<usize>,
    /// Bytes that may still be used for values.
    pub work: ByteBudget,
}

/// A component being built: its properties, and the pointer at which its relative paths begin.
pub(super) struct ComponentScope<'a> {
    pub id: &'a str,
    pub fields: &'a Map<String, Value>,
    pub base: &'a str,
    pub depth: usize,
}

impl ComponentScope<'_> {
    pub fn key(&self) -> String {
        key_of(self.id, self.base)
    }
}

impl Builder<'_> {
    /// Builds the element of a component and those in it, with `weight`, `elevation` and accessibility label for each
    /// type. `base` is the pointer of the template's item, or empty. A missing or unknown component, one that is nested
    /// too deeply, and one beyond the limit of a screen becomes an element with a message, which is logged.
    pub fn component(&self, id: &str, base: &str, depth: usize) -> Element {
        if depth > MAX_DEPTH {
            return self.problem(format!("component `{id}` holds itself"));
        }
        // Its reactions store the path of its item, whose length counts.
        self.count(1 + base.len() / TEXT_BYTES_PER_COMPONENT);
        if self.is_full() {
            return self.problem(format!(
                "a screen shows {MAX_COMPONENTS} components at most, fewer with long texts"
            ));
        }
        let Some(fields) = self.surface.components.get(id) else {
            return self.problem(format!("there is no component `{id}`"));
        };
        let part = ComponentScope {
            id,
            fields,
            base,
            depth,
        };
        let kind = fields.get("component").and_then(Value::as_str);
        let mut element = match kind.unwrap_or_default() {
            "Text" => self.text(&part),
            "Image" => self.image(&part),
            "Icon" => self.icon(&part, self.theme.text),
            "Row" => self.line(&part, Axis::Horizontal),
            "Column" => self.line(&part, Axis::Vertical),
            "List" => self.list(&part),
            "Stack" => self.stack(&part),
            "Card" => self.card(&part),
            "Tabs" => self.tabs(&part),
            "Modal" => self.modal(&part),
            "Divider" => self.divider(&part),
            "Button" => self.button(&part),
            "TextField" => self.text_field(&part),
            "CheckBox" => self.check_box(&part),
            "ChoicePicker" => self.choice_picker(&part),
            "Slider" => self.slider(&part),
            "DateTimeInput" => self.date_time(&part),
            other => self.problem(format!(
                "the component `{other}` (`{id}`) is not supported yet"
            )),
        };
        if let Some(weight) = fields.get("weight").and_then(Value::as_f64) {
            element.layout.grow = weight.clamp(0.0, MAX_WEIGHT) as f32;
        }
        if let Some(elevation) = fields.get("elevation") {
            let elevation = self.value(elevation, base).as_f64().unwrap_or_default();
            element.layout.elevation = elevation as f32;
        }
        if let Some(label) = fields.get("accessibility").and_then(|a| a.get("label")) {
            let label = as_text(&self.value(label, base));
            let node = named(&mut element);
            node.desc = label;
        }
        element
    }

    pub(super) fn is_full(&self) -> bool {
        self.built.get() > MAX_COMPONENTS
    }

    /// Logs a problem, and returns an element that shows it in place of the component.
    pub(super) fn problem(&self, message: String) -> Element {
        let element = Element::text(
            format!("! {message}"),
            13.0,
            Weight::Regular,
            self.theme.error,
        );
        self.problems.borrow_mut().insert(message);
        element
    }

    /// Resolves a value for a component. A value that fails is logged, and becomes a text with the problem. Once
    /// the screen has too many components it is `null`.
    pub(super) fn value(&self, value: &Value, base: &str) -> Value {
        if self.is_full() {
            return Value::Null;
        }
        let value = Scope::new(self.model, base, &self.work)
            .resolve(value)
            .unwrap_or_else(|problem| {
                let display = format!("! {problem}");
                self.problems.borrow_mut().insert(problem.to_string());
                Value::String(display)
            });
        if let Value::String(text) = &value {
            self.count(text.len() / TEXT_BYTES_PER_COMPONENT);
        }
        value
    }

    /// Adds to the number of components built.
    pub(super) fn count(&self, more: usize) {
        self.built.set(self.built.get().saturating_add(more));
    }

    pub(super) fn prop(&self, part: &ComponentScope<'_>, name: &str) -> Value {
        part.fields
            .get(name)
            .map_or(Value::Null, |value| self.value(value, part.base))
    }

    pub(super) fn prop_text(&self, part: &ComponentScope<'_>, name: &str) -> String {
        let text = as_text(&self.prop(part, name));
        self.count(text.len() / TEXT_BYTES_PER_COMPONENT);
        text
    }

    /// Returns the place that stores an input's value, and the value it has now. If `value` is `{path}`, that
    /// is the app's data, `null` if there is none at the path. Otherwise it is local to the screen, and
    /// begins with the literal of the component.
    pub(super) fn bound(&self, part: &ComponentScope<'_>) -> (Target, Value) {
        match part.fields.get("value") {
            Some(Value::Object(fields)) if fields.get("path").is_some_and(Value::is_string) => {
                let path = fields.get("path").and_then(Value::as_str).unwrap_or("/");
                let pointer = super::absolute(part.base, path);
                let value = super::get(self.model, &pointer).cloned();
                (Target::Data(pointer), value.unwrap_or(Value::Null))
            }
            literal => {
                let key = part.key();
                let value = self.view.locals.get(&key).cloned().unwrap_or_else(|| {
                    literal.map_or(Value::Null, |value| self.value(value, part.base))
                });
                (Target::Local(key), value)
            }
        }
    }

    /// Returns the message of the first check whose condition is not true; an empty text if that check has none. Checks
    /// without a condition are skipped. Returns `None` if none fails or there are no checks.
    pub(super) fn failed_check(&self, part: &ComponentScope<'_>) -> Option<String> {
        let checks = part.fields.get("checks")?.as_array()?;
        checks.iter().find_map(|check| {
            let holds = is_true(&self.value(check.get("condition")?, part.base));
            (!holds).then(|| {
                check.get("message").map_or_else(String::new, |message| {
                    as_text(&self.value(message, part.base))
                })
            })
        })
    }

    pub(super) fn resource(&self, id: &str) -> String {
        format!("{}:id/{id}", self.package)
    }

    /// Builds the component that a property names, or an element with a message if it names none.
    fn only_child(&self, part: &ComponentScope<'_>, name: &str) -> Vec<Element> {
        match part.fields.get(name).and_then(Value::as_str) {
            Some(id) => vec![self.component(id, part.base, part.depth + 1)],
            None => vec![self.problem(format!("`{}` has no `{name}`", part.id))],
        }
    }
}

/// Returns a property that is one of a few words, or the default if it is missing or no text. An unknown word
/// is returned too.
pub(super) fn choice<'b>(part: &ComponentScope<'b>, name: &str, default: &'b str) -> &'b str {
    part.fields
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or(default)
}

/// Returns the node that carries a component's class: its own, or the first one below that has a class.
fn named(element: &mut Element) -> &mut crate::NodeDump {
    if element.node.class.is_empty() && !element.children.is_empty() {
        return named(&mut element.children[0]);
    }
    &mut element.node
}
