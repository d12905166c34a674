//! Finds the selectors of a flow's steps: the place of each, and whether its step fails if it matches
//! nothing.
//!
//! It returns only selectors that are written out. One with `${…}` differs from run to run.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::ast::{Argument, Assert, Condition, Control, Flow, Spanned, Step, StepAction};
use super::check::literal;
use super::maestro::{self, MaestroCommand, RawSelector, RawText, SwipeGesture};
use super::vocabulary::{forms, standard};
use runner_screen::maestro::{Expression, MaestroSelector, Relation, Size, Trait};
use runner_screen::{NodeIndex, Screen, Selector};
use runner_text::diagnostic::Source;
use runner_tools::CountCondition;

/// Selector in a flow's text.
#[derive(Debug, Clone)]
pub struct SelectorUse {
    /// File of the step: the flow's, or a sub-flow's.
    pub source: Arc<Source>,
    /// Byte range of the step in the file.
    pub step: Range<usize>,
    /// The step as written, on one line.
    pub title: String,
    /// Byte range of the selector in the file.
    pub span: Range<usize>,
    pub selector: WrittenSelector,
    /// Effect of a selector that matches nothing.
    pub role: SelectorRole,
    /// Words and ids that are written out as one scalar: the property (`any` for a text alone), the value, and its
    /// byte range in the file.
    pub values: Vec<(&'static str, Spanned<String>)>,
}

/// Effect of a selector that matches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SelectorRole {
    Needed,
    /// No step fails: the selector is of an absence, a condition, or a step that may fail.
    Silent,
}

/// Selector in the language of its flow.
#[derive(Debug, Clone)]
pub enum WrittenSelector {
    Own(Box<Selector>),
    Maestro(Box<MaestroSelector>),
}

impl WrittenSelector {
    /// Returns the element that the selector refers to: the first match of a Maestro selector, the only match
    /// of ours. Returns `None` without a match, and for several matches of ours.
    pub fn selected(&self, screen: &Screen) -> Option<NodeIndex> {
        match (self, self.find(screen).as_slice()) {
            (_, [only]) => Some(*only),
            (Self::Maestro(_), [first, ..]) => Some(*first),
            _ => None,
        }
    }

    /// Returns all matching elements in the order of the selector's language, without toasts. The list is empty if
    /// none matches, and if a regular expression of Maestro takes too long. Does not wait.
    pub fn find(&self, screen: &Screen) -> Vec<NodeIndex> {
        match self {
            Self::Own(selector) => selector.find(screen),
            Self::Maestro(selector) => {
                let found = selector.find(screen).unwrap_or_default().into_iter();
                found
                    .filter_map(|found| match found {
                        runner_screen::maestro::Match::Node(node) => Some(node),
                        runner_screen::maestro::Match::Toast(_) => None,
                    })
                    .collect()
            }
        }
    }
}

impl WrittenSelector {
    /// Returns true if the selector, or one in it, refers to elements around or inside of others, which a list of rows
    /// cannot answer. Directions such as `below` do not count.
    pub fn asks_for_nesting(&self) -> bool {
        match self {
            Self::Own(selector) => names_nesting(&selector.to_value()),
            Self::Maestro(selector) => is_nested(selector),
        }
    }
}

/// Returns true if a selector as JSON has the key `inside` or `has` at any depth.
fn names_nesting(value: &Value) -> bool {
    match value {
        Value::Object(keys) => keys
            .iter()
            .any(|(key, value)| key == "inside" || key == "has" || names_nesting(value)),
        Value::Array(values) => values.iter().any(names_nesting),
        _ => false,
    }
}

/// Returns true if a Maestro selector, or one that it refers to, names elements around or inside.
fn is_nested(selector: &MaestroSelector) -> bool {
    selector.child_of.is_some()
        || selector.contains_descendants.is_some()
        || selector
            .relations
            .iter()
            .any(|(relation, other)| *relation == Relation::ContainsChild || is_nested(other))
}

/// Formats the selector so that equal selectors have equal texts: ours as JSON.
impl std::fmt::Display for WrittenSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Own(selector) => write!(f, "{}", selector.to_value()),
            Self::Maestro(selector) => write!(f, "{selector}"),
        }
    }
}

impl SelectorUse {
    /// Returns true if both selectors are of one language and are equal or name the same literal id. Then other
    /// parts, such as a text beside the id, may differ. Their places do not count.
    pub fn names_the_same(&self, other: &Self) -> bool {
        let is_of_one_language =
            std::mem::discriminant(&self.selector) == std::mem::discriminant(&other.selector);
        is_of_one_language
            && (self.selector.to_string() == other.selector.to_string()
                || self.id().is_some_and(|id| other.id() == Some(id)))
    }

    fn id(&self) -> Option<&str> {
        let id = self.values.iter().find(|(property, _)| *property == "id");
        id.map(|(_, id)| id.value.as_str())
    }
}

/// Returns the selectors of a step itself, those of its condition (`when`) first, not of steps inside it or of a
/// sub-flow. Selectors with expressions and those of snapshots are left out. Those of conditions, absences and
/// optional steps have the role `Silent`.
pub fn step_selectors(step: &Step) -> Vec<SelectorUse> {
    let mut uses = StepUses {
        step,
        role: if step.modifiers.optional {
            SelectorRole::Silent
        } else {
            SelectorRole::Needed
        },
        found: Vec::new(),
    };
    if let Some(condition) = &step.modifiers.when {
        uses.condition(condition);
    }
    match &step.action {
        StepAction::Call { entry, arguments } => uses.call(entry.name, arguments),
        StepAction::Assert(assert) => uses.assert(assert),
        StepAction::Control(control) => match &**control {
            Control::If { condition, .. }
            | Control::Repeat {
                condition: Some(condition),
                ..
            } => uses.condition(condition),
            _ => {}
        },
        StepAction::Maestro(command) => uses.command(command),
        StepAction::Snapshot(_) => {}
    }
    uses.found
}

/// Returns the selectors of a flow and its sub-flows, as [`step_selectors`] does, in the order of
/// [`Flow::step_lists`], each place once even if a sub-flow runs twice; the first counts. All lists of sub-flows count,
/// also `setup`, `on_failure` and `teardown` of one of ours, which `run` does not run.
pub fn selectors(flow: &Flow) -> Vec<SelectorUse> {
    let mut found = Vec::new();
    for steps in flow.step_lists() {
        add_selectors(steps, &mut found);
    }
    let mut seen = HashSet::new();
    found.retain(|one| seen.insert((one.source.path.clone(), one.span.start)));
    found
}

/// Adds the selectors of steps, of the steps inside and of sub-flows, at any depth and with duplicates.
fn add_selectors(steps: &[Step], found: &mut Vec<SelectorUse>) {
    for step in steps {
        found.extend(step_selectors(step));
        if let Some(flow) = step.action.sub_flow() {
            for steps in flow.step_lists() {
                add_selectors(steps, found);
            }
        }
        for steps in step.action.lists() {
            add_selectors(steps, found);
        }
    }
}

struct StepUses<'a> {
    step: &'a Step,
    role: SelectorRole,
    found: Vec<SelectorUse>,
}

impl StepUses<'_> {
    /// Adds the selectors among a tool's arguments. They are silent for `assert not visible` and a literal `gone:
    /// true`. Adds nothing for arguments that are no map or for an unknown tool.
    fn call(&mut self, tool: &str, arguments: &Spanned<Argument>) {
        let Argument::Map(entries) = &arguments.value else {
            return;
        };
        let Some(tool_schema) = standard().tool(tool) else {
            return;
        };
        let properties = &standard().resolve(&tool_schema.schema)["properties"];
        let is_gone = entries.get("gone").and_then(|gone| literal(&gone.value));
        if tool == "assert not visible" || is_gone == Some(Value::Bool(true)) {
            self.role = SelectorRole::Silent;
        }
        for (name, argument) in entries {
            if takes_selector(&properties[name.as_str()]) {
                self.add_own(argument, |selector| selector);
            }
        }
    }

    /// Adds the selector of an assertion, without what it expects of the element. It is silent for a literal `count`
    /// that no element at all meets, such as `0` and `<3`. An expression has none.
    fn assert(&mut self, assert: &Assert) {
        match assert {
            Assert::Element(selector) => {
                self.add_own(selector, |selector| selector.split_expectations().0);
            }
            Assert::Count { selector, count } => {
                let count =
                    literal(&count.value).and_then(|count| CountCondition::try_from(count).ok());
                if count.is_some_and(|count| count.holds(0)) {
                    self.role = SelectorRole::Silent;
                }
                self.add_own(selector, |selector| selector);
            }
            Assert::That(_) => {}
        }
    }

    /// Adds the selector of a condition as silent; an expression has none.
    fn condition(&mut self, condition: &Condition) {
        if let Condition::Visible(what) | Condition::NotVisible(what) = condition {
            let role = std::mem::replace(&mut self.role, SelectorRole::Silent);
            self.add_own(&what.selector, |selector| selector);
            self.role = role;
        }
    }

    /// Adds a selector of our language in the present role, with its literal texts and their places. Does nothing for
    /// one with expressions or that is invalid. `locating` removes the parts that an assertion expects of the
    /// element.
    fn add_own(&mut self, written: &Spanned<Argument>, locating: impl Fn(Selector) -> Selector) {
        let selector = literal(&written.value).and_then(|value| Selector::from_value(&value).ok());
        let Some(selector) = selector.map(locating) else {
            return;
        };
        let value = selector.to_value();
        let spanned = |value: &Value, span: &Range<usize>| {
            let value = value.as_str()?.to_owned();
            let span = span.clone();
            Some(Spanned { value, span })
        };
        let mut values = Vec::new();
        match &written.value {
            Argument::Literal(words) => {
                values.extend(spanned(words, &written.span).map(|words| ("any", words)));
            }
            Argument::Map(entries) => {
                for property in ["id", "text", "desc", "hint"] {
                    if value.get(property).is_some()
                        && let Some(written) = entries.get(property)
                        && let Argument::Literal(words) = &written.value
                    {
                        values.extend(spanned(words, &written.span).map(|words| (property, words)));
                    }
                }
            }
            _ => {}
        }
        self.found.push(SelectorUse {
            source: Arc::clone(&self.step.source),
            step: self.step.span.clone(),
            title: self.step.title.clone(),
            span: written.span.clone(),
            selector: WrittenSelector::Own(Box::new(selector)),
            role: self.role,
            values,
        });
    }

    /// Adds the selectors of a command, not of those inside it. Those of conditions and of what is to be gone are
    /// silent.
    fn command(&mut self, command: &MaestroCommand) {
        use MaestroCommand as Command;
        match command {
            Command::TapOn(tap) | Command::DoubleTapOn(tap) | Command::LongPressOn(tap) => {
                self.maestro(tap.selector.as_ref(), true);
            }
            Command::AssertVisible(selector) | Command::CopyTextFrom(selector) => {
                self.maestro(Some(selector), true);
            }
            Command::AssertNotVisible(selector) => self.maestro(Some(selector), false),
            Command::ExtendedWaitUntil {
                visible,
                not_visible,
                ..
            } => {
                self.maestro(visible.as_ref(), true);
                self.maestro(not_visible.as_ref(), false);
            }
            Command::ScrollUntilVisible(scroll) => {
                self.maestro(Some(&scroll.element), true);
                self.maestro(scroll.within.as_ref(), true);
            }
            Command::Swipe(swipe) => {
                if let SwipeGesture::Element { from, .. } = &swipe.gesture {
                    self.maestro(Some(from), true);
                }
            }
            Command::AssertScreenshot { crop_on, .. } | Command::TakeScreenshot { crop_on, .. } => {
                self.maestro(crop_on.as_ref(), true);
            }
            Command::RunFlow { when, .. } | Command::RunScript { when, .. } => {
                self.maestro_condition(when.as_ref());
            }
            Command::Repeat { condition, .. } => self.maestro_condition(condition.as_ref()),
            _ => {}
        }
    }

    /// Adds the selectors of a condition as silent; without a condition nothing.
    fn maestro_condition(&mut self, condition: Option<&maestro::Condition>) {
        let condition = condition.map(|one| [&one.visible, &one.not_visible]);
        for selector in condition.into_iter().flatten() {
            self.maestro(selector.as_ref(), false);
        }
    }

    /// Adds a Maestro selector, with its id and text as written. Does nothing for none, and for one with scripts or
    /// that is invalid. Its role is `Needed` only if `is_needed` is true and neither the step nor the selector is
    /// optional.
    fn maestro(&mut self, raw: Option<&RawSelector>, is_needed: bool) {
        let Some((raw, selector)) = raw.and_then(|raw| Some((raw, literal_selector(raw)?))) else {
            return;
        };
        let text = |text: &RawText| Spanned {
            value: text.text.clone(),
            span: text.span.clone(),
        };
        let named = [("id", &raw.id), ("text", &raw.text)];
        let values = named
            .into_iter()
            .filter_map(|(property, value)| Some((property, text(value.as_ref()?))));
        let is_needed = is_needed && !raw.optional && self.role == SelectorRole::Needed;
        self.found.push(SelectorUse {
            source: Arc::clone(&raw.source),
            step: self.step.span.clone(),
            title: self.step.title.clone(),
            span: raw.span.clone(),
            selector: WrittenSelector::Maestro(Box::new(selector)),
            role: if is_needed {
                SelectorRole::Needed
            } else {
                SelectorRole::Silent
            },
            values: values.collect(),
        });
    }
}

/// Returns true if an argument of this schema may be a selector: the schema or one of its alternatives refers to that
/// of selectors. A list of selectors is none.
fn takes_selector(schema: &Value) -> bool {
    let reference = &standard().selector["$ref"];
    let all = schema["allOf"].as_array().into_iter().flatten();
    (!reference.is_null() && schema["$ref"] == *reference)
        || forms(schema).chain(all).any(takes_selector)
}

/// Parses a Maestro selector with those in it. Returns `None` if a part of it, also of an inner one, is a script, an
/// invalid regular expression or an invalid index. `optional` is not taken over.
fn literal_selector(raw: &RawSelector) -> Option<MaestroSelector> {
    let expression = |text: &Option<RawText>| match text {
        None => Some(None),
        Some(text) if text.has_script() => None,
        Some(text) => Expression::new(&text.text).ok().map(Some),
    };
    let index = match &raw.index {
        None => None,
        Some(index) => Some(index.text.trim().parse::<i64>().ok()?),
    };
    let mut relations = Vec::new();
    for (relation, other) in [
        (Relation::Below, &raw.below),
        (Relation::Above, &raw.above),
        (Relation::LeftOf, &raw.left_of),
        (Relation::RightOf, &raw.right_of),
        (Relation::ContainsChild, &raw.contains_child),
    ] {
        if let Some(other) = other {
            relations.push((relation, literal_selector(other)?));
        }
    }
    let descendants: Option<Vec<_>> = raw
        .contains_descendants
        .iter()
        .map(literal_selector)
        .collect();
    let descendants = descendants?;
    let child_of = match &raw.child_of {
        None => None,
        Some(parent) => Some(Box::new(literal_selector(parent)?)),
    };
    Some(MaestroSelector {
        text: expression(&raw.text)?,
        id: expression(&raw.id)?,
        size: (raw.width.is_some() || raw.height.is_some()).then(|| Size {
            width: raw.width.map(i64::from),
            height: raw.height.map(i64::from),
            tolerance: raw.tolerance.unwrap_or(0).into(),
        }),
        enabled: raw.enabled,
        checked: raw.checked,
        focused: raw.focused,
        selected: raw.selected,
        traits: raw
            .traits
            .iter()
            .map(|one| match one {
                maestro::Trait::Text => Trait::Text,
                maestro::Trait::Square => Trait::Square,
                maestro::Trait::LongText => Trait::LongText,
            })
            .collect(),
        relations,
        contains_descendants: (!descendants.is_empty()).then_some(descendants),
        child_of,
        index,
    })
}
