//! Components that hold others: rows, columns, lists, stacks, cards, tabs and dialogs.

use serde_json::Value;

use super::super::fit::{fit_into_column, fit_into_row};
use super::super::value::as_text;
use super::super::{absolute, get};
use super::{Builder, ComponentScope, choice};
use crate::apps::ui::{Align, Axis, Element, Justify, Length, Look, Shrink, TouchAction, Weight};

impl Builder<'_> {
    /// Builds a row or a column. With `justify: stretch` all children grow. A row whose children are spread or moved
    /// takes the whole width.
    pub(super) fn line(&self, part: &ComponentScope<'_>, axis: Axis) -> Element {
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
    pub(super) fn list(&self, part: &ComponentScope<'_>) -> Element {
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
    pub(super) fn stack(&self, part: &ComponentScope<'_>) -> Element {
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

    /// Builds the children of a container, from a list of ids or a template over the items at a path. The items may be
    /// a list or the fields of an object; another value gives no children. Entries that are no text are skipped, and
    /// all after the limit of a screen. A template without `componentId` or `path` gives one element with a message.
    fn children(&self, part: &ComponentScope<'_>) -> Vec<Element> {
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
                let pointer = absolute(part.base, path);
                let keys: Vec<String> = match get(self.model, &pointer) {
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

    /// Builds a framed box around `child`; without one, around a message.
    pub(super) fn card(&self, part: &ComponentScope<'_>) -> Element {
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

    /// Builds the heads of all tabs and the chosen one's page. The first is chosen until a person chooses. If the
    /// chosen tab is gone or has no `child`, no page is shown.
    pub(super) fn tabs(&self, part: &ComponentScope<'_>) -> Element {
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
    pub(super) fn modal(&self, part: &ComponentScope<'_>) -> Element {
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
fn justify(name: &str) -> Justify {
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
fn align(name: &str) -> Align {
    match name {
        "start" => Align::Start,
        "center" => Align::Center,
        "end" => Align::End,
        _ => Align::Stretch,
    }
}
