//! Own reader of selectors, written only from docs/guide/flows.md, "Which element".

use regex::Regex;
use runner::screen::Rect;
use serde_json::{Value, json};

use super::screen::{DISPLAY, Node, Screen, State, Window};

/// Comparison of a text.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// Pattern for the whole value; `*` stands for any text.
    Whole(String),
    Contains(String),
    Regex(String),
    IgnoreCase(String),
}

/// Direction from an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Above,
    Below,
    LeftOf,
    RightOf,
}

/// A criterion.
#[derive(Debug, Clone)]
pub enum Rule {
    /// Pattern for `text`, `desc` or `hint`.
    Words(&'static str, Pattern),
    /// Text in Maestro's way: ignoring case, as text, description or hint.
    MaestrosWords(String),
    Id(String),
    Class(String),
    State(State, bool),
    Editable(bool),
    Inside(Box<Selector>),
    Has(Box<Selector>),
    Lies(Direction, Box<Selector>),
    Index(i64),
    Window(Value),
    AnyOf(Vec<Selector>),
}

/// A selector.
#[derive(Debug, Clone)]
pub enum Selector {
    /// A lone text, looked up in `text`, then in `desc`, then in `hint`.
    Alone(String),
    /// Criteria that must all hold.
    All(Vec<Rule>),
}

/// An element in its window, with its ancestors.
#[derive(Clone)]
struct Placed<'a> {
    node: &'a Node,
    window: &'a Window,
    parents: Vec<&'a Node>,
}

/// Numbers of elements that a selector finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Number of matching elements on the screen.
    pub on_screen: usize,
    /// Number of matching elements, on the screen or not.
    pub existing: usize,
    /// True if each anchor of each alternative exists.
    pub anchored: bool,
}

/// Returns true if the element has a size, lies at least partly on the display, and is not called invisible
/// by the device.
pub fn lies_on_display(node: &Node) -> bool {
    let Rect {
        left,
        top,
        right,
        bottom,
    } = node.bounds;
    let sized = left < right && top < bottom;
    let inside = left < DISPLAY.right && right > 0 && top < DISPLAY.bottom && bottom > 0;
    sized && inside && !node.invisible
}

impl Direction {
    fn key(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
            Self::LeftOf => "left_of",
            Self::RightOf => "right_of",
        }
    }

    /// Returns the distance to the anchor; `None` if the element does not lie in that direction.
    fn distance(self, node: &Node, anchor: &Node) -> Option<i32> {
        let (node, anchor) = (node.bounds, anchor.bounds);
        let distance = match self {
            Self::Above => anchor.top - node.bottom,
            Self::Below => node.top - anchor.bottom,
            Self::LeftOf => anchor.left - node.right,
            Self::RightOf => node.left - anchor.right,
        };
        (distance >= 0).then_some(distance)
    }
}

impl Pattern {
    fn yaml(&self) -> Value {
        match self {
            Self::Whole(text) => json!(text),
            Self::Contains(text) => json!({ "contains": text }),
            Self::Regex(text) => json!({ "regex": text }),
            Self::IgnoreCase(text) => json!({ "ignore_case": text }),
        }
    }

    fn matches(&self, value: &str) -> bool {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        match self {
            Self::Whole(text) => {
                let text = words(text);
                let parts: Vec<String> = text.split('*').map(regex::escape).collect();
                let pattern = format!("(?s)^{}$", parts.join(".*"));
                Regex::new(&pattern)
                    .expect("a pattern")
                    .is_match(&words(value))
            }
            Self::Contains(text) => {
                let spaces = Regex::new(r"\s+").expect("a pattern");
                let single = |text: &str| spaces.replace_all(text, " ").into_owned();
                single(value).contains(&single(text))
            }
            Self::Regex(text) => {
                let regex = Regex::new(text).expect("a pattern");
                regex.is_match(value) || regex.is_match(&words(value))
            }
            Self::IgnoreCase(text) => words(value).to_lowercase() == words(text).to_lowercase(),
        }
    }
}

impl Rule {
    fn entry(&self) -> (&'static str, Value) {
        match self {
            Self::Words(key, pattern) => (key, pattern.yaml()),
            Self::MaestrosWords(text) => ("text", json!(text)),
            Self::Id(id) => ("id", json!(id)),
            Self::Class(class) => ("class", json!(class)),
            Self::State(state, value) => (state.name(), json!(value)),
            Self::Editable(value) => ("editable", json!(value)),
            Self::Inside(anchor) => ("inside", anchor.yaml()),
            Self::Has(held) => ("has", held.yaml()),
            Self::Lies(direction, anchor) => (direction.key(), anchor.yaml()),
            Self::Index(index) => ("index", json!(index)),
            Self::Window(window) => ("window", window.clone()),
            Self::AnyOf(list) => ("any_of", list.iter().map(Selector::yaml).collect()),
        }
    }

    fn holds(&self, placed: &Placed<'_>, all: &[Placed<'_>]) -> bool {
        let node = placed.node;
        let is_part = |whole: &str, wanted: &str, separator: char| {
            whole == wanted || whole.rsplit(separator).next() == Some(wanted)
        };
        match self {
            Self::Words(key, pattern) => words(node, key).iter().any(|word| pattern.matches(word)),
            Self::MaestrosWords(text) => ["text", "desc", "hint"]
                .iter()
                .flat_map(|key| words(node, key))
                .any(|word| word.to_lowercase() == text.to_lowercase()),
            Self::Id(id) => !node.id.is_empty() && is_part(&node.resource_id(), id, '/'),
            Self::Class(class) => is_part(&node.whole_class(), class, '.'),
            Self::State(state, value) => node.states.contains(state) == *value,
            Self::Editable(value) => (node.class == "EditText") == *value,
            Self::Inside(anchor) => {
                let anchors = anchor.existing(all);
                let holds = |parent: &&Node| anchors.iter().any(|a| std::ptr::eq(a.node, *parent));
                placed.parents.iter().any(holds)
            }
            Self::Has(held) => {
                let held = held.existing(all);
                let inside = |other: &Placed<'_>| {
                    let mut parents = other.parents.iter();
                    parents.any(|parent| std::ptr::eq(*parent, node))
                };
                held.iter().any(inside)
            }
            Self::Lies(..) => self.distance(placed, all).is_some(),
            Self::Window(wanted) => {
                let Window {
                    id,
                    kind,
                    title,
                    package,
                    ..
                } = placed.window;
                match wanted {
                    Value::Number(number) => number.as_i64() == Some(i64::from(*id)),
                    Value::String(text) => [*kind, *title, *package].contains(&text.as_str()),
                    _ => false,
                }
            }
            Self::Index(_) | Self::AnyOf(_) => true,
        }
    }

    fn distance(&self, placed: &Placed<'_>, all: &[Placed<'_>]) -> Option<i32> {
        let Self::Lies(direction, anchor) = self else {
            return None;
        };
        let anchors = anchor.existing(all);
        let distances = anchors.iter().filter_map(|anchor| {
            let other = !std::ptr::eq(anchor.node, placed.node);
            other
                .then(|| direction.distance(placed.node, anchor.node))
                .flatten()
        });
        distances.min()
    }

    fn is_anchored(&self, all: &[Placed<'_>]) -> bool {
        match self {
            Self::Inside(anchor) | Self::Lies(_, anchor) => {
                anchor.is_anchored(all) && !anchor.existing(all).is_empty()
            }
            Self::Window(_) => all.iter().any(|placed| self.holds(placed, all)),
            Self::AnyOf(list) => list.iter().all(|each| each.is_anchored(all)),
            Self::Has(held) => held.is_anchored(all),
            _ => true,
        }
    }
}

/// Returns the values of a column. An empty field's hint is its text, too.
fn words<'a>(node: &'a Node, key: &str) -> Vec<&'a str> {
    match key {
        "desc" => vec![&node.desc],
        "hint" => vec![&node.hint],
        _ if !node.hint.is_empty() && (node.text.is_empty() || node.text == node.hint) => {
            vec![&node.hint, ""]
        }
        _ => vec![&node.text],
    }
}

impl Selector {
    pub fn text(text: &str) -> Self {
        Self::All(vec![Rule::Words("text", Pattern::Whole(text.to_owned()))])
    }

    pub fn id(id: &str) -> Self {
        Self::All(vec![Rule::Id(id.to_owned())])
    }

    /// Returns the selector with one more criterion; `None` if its form allows no other.
    pub fn with(&self, rule: Rule) -> Option<Self> {
        let Self::All(rules) = self else {
            return None;
        };
        let key = rule.entry().0;
        let taken = |other: &Rule| matches!(other, Rule::AnyOf(_)) || other.entry().0 == key;
        if rules.iter().any(taken) {
            return None;
        }
        Some(Self::All(rules.iter().cloned().chain([rule]).collect()))
    }

    /// Returns the selector as Maestro reads it.
    pub fn maestros(&self) -> Self {
        let rules = match self {
            Self::Alone(text) => return Self::All(vec![Rule::MaestrosWords(text.clone())]),
            Self::All(rules) => rules,
        };
        let read = |rule: &Rule| match rule {
            Rule::Words(_, Pattern::Whole(text)) => Rule::MaestrosWords(text.clone()),
            Rule::Inside(anchor) => Rule::Inside(Box::new(anchor.maestros())),
            Rule::Has(held) => Rule::Has(Box::new(held.maestros())),
            Rule::Lies(direction, anchor) => Rule::Lies(*direction, Box::new(anchor.maestros())),
            other => other.clone(),
        };
        Self::All(rules.iter().map(read).collect())
    }

    /// Returns the selector as JSON, which is YAML.
    pub fn yaml(&self) -> Value {
        match self {
            Self::Alone(text) => json!(text),
            Self::All(rules) => {
                let entries = rules.iter().map(Rule::entry);
                Value::Object(
                    entries
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }
        }
    }

    /// Returns a map of the selector's keys and those of a step.
    pub fn yaml_with(&self, more: Value) -> Value {
        let mut map = match self.yaml() {
            Value::Object(map) => map,
            text => serde_json::Map::from_iter([("on".to_owned(), text)]),
        };
        map.extend(more.as_object().cloned().unwrap_or_default());
        Value::Object(map)
    }

    /// Returns the numbers of elements that the selector finds on a screen.
    pub fn find(&self, screen: &Screen) -> Found {
        let all = placed(screen);
        let on_screen = self.matches(&all, lies_on_display).len();
        Found {
            on_screen,
            existing: self.existing(&all).len(),
            anchored: self.is_anchored(&all),
        }
    }

    /// Returns true if another selector gives the element's place.
    pub fn has_anchor(&self) -> bool {
        let Self::All(rules) = self else {
            return false;
        };
        rules
            .iter()
            .any(|rule| matches!(rule, Rule::Inside(_) | Rule::Lies(..)))
    }

    fn existing<'a>(&self, all: &[Placed<'a>]) -> Vec<Placed<'a>> {
        self.matches(all, |_| true)
    }

    fn matches<'a>(&self, all: &[Placed<'a>], counts: fn(&Node) -> bool) -> Vec<Placed<'a>> {
        let rules = match self {
            Self::Alone(text) => {
                let pattern = Pattern::Whole(text.clone());
                let columns = ["text", "desc", "hint"].map(|key| {
                    let of_column = |placed: &&Placed<'a>| {
                        // A hint is a hint here, also while its field is empty.
                        let words = words(placed.node, key).into_iter().next_back();
                        counts(placed.node) && words.is_some_and(|words| pattern.matches(words))
                    };
                    all.iter().filter(of_column).cloned().collect::<Vec<_>>()
                });
                let found = columns.into_iter().find(|column| !column.is_empty());
                return found.unwrap_or_default();
            }
            Self::All(rules) => rules,
        };
        let alternatives = rules.iter().find_map(|rule| match rule {
            Rule::AnyOf(list) => Some(list),
            _ => None,
        });
        let mut found: Vec<Placed<'a>> = if let Some(list) = alternatives {
            let mut found = list.iter().map(|each| each.matches(all, counts));
            found.find(|each| !each.is_empty()).unwrap_or_default()
        } else {
            let holds = |placed: &&Placed<'a>| {
                counts(placed.node) && rules.iter().all(|rule| rule.holds(placed, all))
            };
            all.iter().filter(holds).cloned().collect()
        };
        for rule in rules {
            if let Rule::Lies(..) = rule {
                found.sort_by_key(|placed| rule.distance(placed, all));
            }
        }
        for rule in rules {
            if let Rule::Index(index) = rule {
                let count = found.len() as i64;
                let place = if *index < 0 { count + index } else { *index };
                let chosen = usize::try_from(place)
                    .ok()
                    .and_then(|i| found.get(i).cloned());
                found = chosen.into_iter().collect();
            }
        }
        found
    }

    fn is_anchored(&self, all: &[Placed<'_>]) -> bool {
        match self {
            Self::Alone(_) => true,
            Self::All(rules) => rules.iter().all(|rule| rule.is_anchored(all)),
        }
    }
}

/// Returns every element of the dump, in the device's order.
fn placed(screen: &Screen) -> Vec<Placed<'_>> {
    fn add<'a>(all: &mut Vec<Placed<'a>>, placed: Placed<'a>) {
        let Placed {
            node,
            window,
            parents,
        } = placed.clone();
        all.push(placed);
        for child in &node.children {
            let parents = parents.iter().copied().chain([node]).collect();
            add(
                all,
                Placed {
                    node: child,
                    window,
                    parents,
                },
            );
        }
    }
    let mut all = Vec::new();
    for window in &screen.dumped {
        if let Some(node) = &window.root {
            let parents = Vec::new();
            add(
                &mut all,
                Placed {
                    node,
                    window,
                    parents,
                },
            );
        }
    }
    all
}
