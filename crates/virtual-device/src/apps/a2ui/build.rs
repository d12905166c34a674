//! Makes elements from components: texts, pictures and containers. Inputs are in `input`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::fit::{fit_into_column, fit_into_row};
use super::markdown::strip_markdown;
use super::surface::{Surface, ViewState};
use super::value::{ByteBudget, Scope, as_text, is_true};
use crate::apps::ui::{
    Align, Axis, Colour, Element, Justify, Length, Look, Shrink, Target, Theme, TouchAction,
    Weight, is_known_icon, spoken_icon,
};

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

    /// Builds a text without its Markdown marks. Without a `variant`, a single line with a heading of any level is
    /// shown as `h4`, and all else as body text.
    fn text(&self, part: &ComponentScope<'_>) -> Element {
        let (text, heading) = strip_markdown(&self.prop_text(part, "text"));
        let variant = choice(part, "variant", if heading { "h4" } else { "body" });
        let (size, weight, colour) = text_style(variant, self.theme);
        Element::text(text, size, weight, colour).id(self.resource(part.id))
    }

    /// Builds a made-up picture, the same for the same `url`, in a size by `variant`. Nothing is loaded, and `fit` is
    /// ignored. `description` is its content description.
    fn image(&self, part: &ComponentScope<'_>) -> Element {
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
    fn icon(&self, part: &ComponentScope<'_>, colour: Colour) -> Element {
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

    /// Builds the children of a container, from a list of ids or a template over the items at a path. The items may be
    /// a list or the fields of an object; another value gives no children. Entries that are no text are skipped, and
    /// all after the limit of a screen. A template without `componentId` or `path` gives one element with a message.
    pub(super) fn children(&self, part: &ComponentScope<'_>) -> Vec<Element> {
        match part.fields.get("children") {
            Some(Value::Array(ids)) => ids
                .iter()
                .filter_map(Value::as_str)
                .take_while(|_| !self.is_full())
                .map(|id| self.component(id, part.base, part.depth + 1))
                .collect(),
            Some(Value::Object(template)) => {
                let text = |key: &str| template.get(key).and_then(Value::as_str);
                let (Some(id), Some(path)) = (text("componentId"), text("path")) else {
                    return vec![self.problem(format!(
                        "the template of `{}` needs `componentId` and `path`",
                        part.id
                    ))];
                };
                let pointer = super::absolute(part.base, path);
                let keys: Vec<String> = match super::get(self.model, &pointer) {
                    Some(Value::Array(items)) => (0..items.len()).map(|i| i.to_string()).collect(),
                    Some(Value::Object(fields)) => fields.keys().cloned().collect(),
                    _ => Vec::new(),
                };
                keys.iter()
                    .take_while(|_| !self.is_full())
                    .map(|key| self.component(id, &format!("{pointer}/{key}"), part.depth + 1))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Builds a row or a column. With `justify: stretch` all children grow. A row whose children are spread or moved
    /// takes the whole width.
    fn line(&self, part: &ComponentScope<'_>, axis: Axis) -> Element {
        let mut element = Element::view("android.widget.LinearLayout", axis, self.children(part))
            .id(self.resource(part.id))
            .gap(8.0);
        element.layout.justify = justify(choice(part, "justify", "start"));
        element.layout.align = align(choice(part, "align", "stretch"));
        if choice(part, "justify", "start") == "stretch" {
            for child in &mut element.children {
                child.layout.grow = child.layout.grow.max(1.0);
            }
        }
        match axis {
            Axis::Horizontal => {
                element.children.iter_mut().for_each(fit_into_row);
                // Children can be spread only if the container is larger than they are.
                element.layout.wide = element.layout.justify != Justify::Start;
            }
            Axis::Vertical => element.children.iter_mut().for_each(fit_into_column),
        }
        element
    }

    /// Builds a list that scrolls. A tap on a row acts a moment later, as on Android.
    fn list(&self, part: &ComponentScope<'_>) -> Element {
        let axis = if choice(part, "direction", "vertical") == "horizontal" {
            Axis::Horizontal
        } else {
            Axis::Vertical
        };
        let mut children = self.children(part);
        for child in &mut children {
            child.layout.shrink = Shrink::Never;
            child.clicks_late = child.on_tap.is_some();
            if axis == Axis::Vertical {
                fit_into_column(child);
            }
        }
        let mut element =
            Element::view("androidx.recyclerview.widget.RecyclerView", axis, children)
                .id(self.resource(part.id))
                .gap(8.0);
        element.key = part.key();
        element.node.focusable = true;
        element.layout.scroll = Some(axis);
        element.layout.align = align(choice(part, "align", "stretch"));
        element
    }

    /// Lays all children but the first over it, each at its `place`. A Stack is as large as its first child, unless it
    /// is the root or has a `weight`; then the first child fills it.
    fn stack(&self, part: &ComponentScope<'_>) -> Element {
        let mut children = self.children(part);
        let is_sized = part.id == self.surface.root() || part.fields.contains_key("weight");
        for (number, child) in children.iter_mut().enumerate() {
            if number > 0 {
                child.layout.over = Some(place_of(self.child_place(part, number)));
                continue;
            }
            // A row of one: the child is as wide as the Stack, the Stack as high as the child.
            child.layout.grow = child.layout.grow.max(1.0);
            fit_into_row(child);
            child.layout.over = is_sized.then(|| place_of("fill"));
        }
        let class = "android.widget.FrameLayout";
        Element::view(class, Axis::Horizontal, children).id(self.resource(part.id))
    }

    /// Returns the `place` of a container's child, counted from 0. All children of a template have the same.
    /// The default is `topStart`.
    fn child_place(&self, part: &ComponentScope<'_>, number: usize) -> &str {
        let child = match part.fields.get("children") {
            Some(Value::Array(ids)) => ids.get(number),
            Some(Value::Object(template)) => template.get("componentId"),
            _ => None,
        };
        let fields = child
            .and_then(Value::as_str)
            .and_then(|id| self.surface.components.get(id));
        let place = fields.and_then(|fields| fields.get("place"));
        place.and_then(Value::as_str).unwrap_or("topStart")
    }

    /// Builds a framed box around `child`; without one, around a message.
    fn card(&self, part: &ComponentScope<'_>) -> Element {
        let children = self.only_child(part, "child");
        let mut element = Element::view("android.widget.FrameLayout", Axis::Vertical, children)
            .id(self.resource(part.id))
            .pad(16.0, 14.0);
        element.look = Look::Box {
            fill: Some(self.theme.surface),
            border: Some((self.theme.line, 1.0)),
            radius: 12.0,
        };
        element
    }

    /// Builds the component that a property names, or an element with a message if it names none.
    fn only_child(&self, part: &ComponentScope<'_>, name: &str) -> Vec<Element> {
        match part.fields.get(name).and_then(Value::as_str) {
            Some(id) => vec![self.component(id, part.base, part.depth + 1)],
            None => vec![self.problem(format!("`{}` has no `{name}`", part.id))],
        }
    }

    /// Builds a line, 1 dp thick, stretched across its container. It is horizontal unless `axis` is `vertical`.
    fn divider(&self, part: &ComponentScope<'_>) -> Element {
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

    /// Builds the heads of all tabs and the chosen one's page. The first is chosen until a person chooses. If the
    /// chosen tab is gone or has no `child`, no page is shown.
    fn tabs(&self, part: &ComponentScope<'_>) -> Element {
        let key = part.key();
        let empty = Vec::new();
        let tabs = part
            .fields
            .get("tabs")
            .and_then(Value::as_array)
            .unwrap_or(&empty);
        let chosen = self.view.tabs.get(&key).copied().unwrap_or(0);
        let mut heads = Vec::new();
        let mut page = Vec::new();
        for (index, tab) in tabs.iter().enumerate() {
            self.count(1);
            if self.is_full() {
                break;
            }
            let title = tab
                .get("title")
                .map_or_else(String::new, |title| as_text(&self.value(title, part.base)));
            heads.push(self.tab_head(&title, &key, index, index == chosen));
            if index == chosen
                && let Some(child) = tab.get("child").and_then(Value::as_str)
            {
                page.push(self.component(child, part.base, part.depth + 1));
            }
        }
        let bar = Element::view("android.widget.TabWidget", Axis::Horizontal, heads)
            .id(self.resource(part.id));
        let page = Element::view("android.widget.FrameLayout", Axis::Vertical, page)
            .id("android:id/tabcontent");
        Element::view("android.widget.TabHost", Axis::Vertical, vec![bar, page]).gap(12.0)
    }

    /// Builds a tab's head. A tap chooses it.
    fn tab_head(&self, title: &str, key: &str, index: usize, chosen: bool) -> Element {
        let theme = self.theme;
        let ink = if chosen { theme.primary } else { theme.faint };
        let label = Element::text(title, 15.0, Weight::Bold, ink)
            .centred()
            .lines(1);
        let mut label = label.id("android:id/title");
        label.node.selected = chosen;
        label.layout.height = Length::Dp(42.0);
        let mut mark = Element::default().size(Length::Fill, Length::Dp(3.0));
        mark = mark.fill(if chosen { theme.primary } else { theme.line }, 1.5);
        mark.layout.shrink = Shrink::Never;
        let mut head = Element::view(
            "android.widget.LinearLayout",
            Axis::Vertical,
            vec![label, mark],
        )
        .grow(1.0)
        .tap(TouchAction::Tab {
            key: key.to_owned(),
            index,
        });
        head.node.selected = chosen;
        head
    }

    /// Builds the `trigger`, whose tap does the action of its button and then opens `content`. Any other effect of a
    /// tap is replaced. Without `trigger` or `content` it is an element with a message.
    fn modal(&self, part: &ComponentScope<'_>) -> Element {
        let (Some(trigger), Some(content)) = (
            part.fields.get("trigger").and_then(Value::as_str),
            part.fields.get("content").and_then(Value::as_str),
        ) else {
            return self.problem(format!("`{}` needs `trigger` and `content`", part.id));
        };
        let mut element = self.component(trigger, part.base, part.depth + 1);
        let action = match element.on_tap.take() {
            Some(TouchAction::Act { action, .. }) => Some(action),
            _ => None,
        };
        element.tap(TouchAction::OpenModal {
            content: content.to_owned(),
            base: part.base.to_owned(),
            action,
        })
    }

    /// Builds a button around a text, an icon or any other component. A failed check disables it: the dump says
    /// `clickable` and not `enabled`, and a tap does nothing. A `Text` or `Icon` inside has no node of its own: its
    /// text or description is the button's. The `action` is resolved at the tap.
    fn button(&self, part: &ComponentScope<'_>) -> Element {
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

/// Returns the distances of a Stack's child from the left, top, right and bottom edge in dp. `None` leaves an edge
/// free. An unknown name counts as `topStart`.
fn place_of(name: &str) -> [Option<f32>; 4] {
    let (edge, free) = (Some(0.0), None);
    match name {
        "fill" => [edge; 4],
        "top" => [edge, edge, edge, free],
        "bottom" => [edge, free, edge, edge],
        "topEnd" => [free, edge, edge, free],
        "bottomStart" => [edge, free, free, edge],
        "bottomEnd" => [free, free, edge, edge],
        _ => [edge, edge, free, free],
    }
}

/// Returns the distribution of a name. `stretch` and unknown names are the start.
pub(super) fn justify(name: &str) -> Justify {
    match name {
        "center" => Justify::Center,
        "end" => Justify::End,
        "spaceBetween" => Justify::Between,
        "spaceAround" => Justify::Around,
        "spaceEvenly" => Justify::Evenly,
        _ => Justify::Start,
    }
}

/// Returns the alignment of a name; an unknown name stretches.
pub(super) fn align(name: &str) -> Align {
    match name {
        "start" => Align::Start,
        "center" => Align::Center,
        "end" => Align::End,
        _ => Align::Stretch,
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
