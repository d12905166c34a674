//! The few device tools of `--tools lean`: everyday steps under names and with arguments that cost an agent little to read.
//!
//! Each only says which tool of the registry does the work, and with which arguments. So it is recorded as that one is.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::engine::{Direction, short_ids};
use crate::tools::registry::find;
use crate::tools::{Entry, Failure};

/// One lean tool.
pub(super) struct LeanTool {
    pub name: &'static str,
    pub summary: &'static str,
    pub entry: &'static Entry,
    schema: fn(&mut SchemaGenerator) -> Schema,
    work: fn(Value) -> Result<Work, Failure>,
}

impl std::fmt::Debug for LeanTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeanTool")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl LeanTool {
    /// The JSON Schema of the arguments.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// What a call comes down to.
    ///
    /// # Errors
    /// Arguments that do not fit.
    pub fn work(&self, args: Value) -> Result<Work, Failure> {
        (self.work)(args)
    }
}

/// A call of a tool of the registry.
#[derive(Debug)]
pub(super) struct Work {
    pub entry: &'static Entry,
    pub args: Value,
    /// How long it looks, where the call says so.
    pub limit: Option<Duration>,
}

impl Work {
    fn new(step: &str, args: Value) -> Result<Self, Failure> {
        let missing = || Failure::unsupported(format!("there is no tool `{step}`; this is a bug"));
        Ok(Self {
            entry: find(step).ok_or_else(missing)?,
            args,
            limit: None,
        })
    }
}

/// What makes a lean tool.
trait Lean {
    const NAME: &'static str;
    const SUMMARY: &'static str;
    /// The step that it is.
    const STEP: &'static str;
    type Args: DeserializeOwned + JsonSchema;

    fn work(args: Self::Args) -> Result<Work, Failure>;
}

/// All of them; none where a step is not in the registry.
pub(super) fn tools() -> Vec<LeanTool> {
    [
        tool::<Click>(),
        tool::<Type>(),
        tool::<Press>(),
        tool::<Swipe>(),
        tool::<ScrollTo>(),
        tool::<Launch>(),
        tool::<WaitFor>(),
        tool::<Screenshot>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn tool<T: Lean>() -> Option<LeanTool> {
    Some(LeanTool {
        name: T::NAME,
        summary: T::SUMMARY,
        entry: find(T::STEP)?,
        schema: |generator| generator.subschema_for::<T::Args>(),
        work: |args| {
            let args = serde_json::from_value(args)
                .map_err(|error| Failure::usage(format!("`{}`: {error}", T::NAME)))?;
            T::work(args)
        },
    })
}

/// How a lean tool names an element.
enum Element {
    /// By the id of a look.
    Seen(String),
    /// By a selector.
    Selected(Value),
}

impl Element {
    fn read(
        on: Option<String>,
        id: Option<String>,
        index: Option<i64>,
    ) -> Result<Option<Self>, Failure> {
        if let Some(seen) = on.as_ref().filter(|on| short_ids::number(on).is_some()) {
            if id.is_some() || index.is_some() {
                let message = format!("`{seen}` names one element; leave `id` and `index` out");
                return Err(Failure::usage(message));
            }
            return Ok(Some(Self::Seen(seen.clone())));
        }
        let selector = match (on, id, index) {
            (None, None, None) => return Ok(None),
            (Some(words), None, None) => words.into(),
            (words, id, index) => {
                let parts = [
                    ("text", words.map(Value::from)),
                    ("id", id.map(Value::from)),
                    ("index", index.map(Value::from)),
                ];
                let parts = parts
                    .into_iter()
                    .filter_map(|(key, value)| Some((key.to_owned(), value?)));
                Value::Object(parts.collect())
            }
        };
        Ok(Some(Self::Selected(selector)))
    }
}

fn no_element(tool: &str) -> Failure {
    Failure::usage(format!(
        "`{tool}`: say which element: `on` with its id from runner_look or its words, or `id` with its resource id"
    ))
}

/// Arguments of `runner_click`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClickArgs {
    /// The element: @e12, or its words as shown (text, description or hint); `*` stands for any part.
    on: Option<String>,
    /// Or its resource id: `sign_in`.
    id: Option<String>,
    /// Which of several, from 0.
    index: Option<i64>,
}

struct Click;

impl Lean for Click {
    const NAME: &'static str = "runner_click";
    const SUMMARY: &'static str = "Waits for an element and touches it.";
    const STEP: &'static str = "click";
    type Args = ClickArgs;

    fn work(ClickArgs { on, id, index }: ClickArgs) -> Result<Work, Failure> {
        match Element::read(on, id, index)?.ok_or_else(|| no_element(Self::NAME))? {
            Element::Seen(id) => Work::new("click_element", json!({ "element_id": id })),
            Element::Selected(on) => Work::new(Self::STEP, json!({ "on": on })),
        }
    }
}

/// Arguments of `runner_type`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TypeArgs {
    /// What to type, at the end of what is there.
    text: String,
    /// The field, as for `runner_click`; without it the one with the focus.
    on: Option<String>,
    /// Or its resource id.
    id: Option<String>,
    /// Which of several, from 0.
    index: Option<i64>,
    /// Empty the field first.
    #[serde(default)]
    clear: bool,
}

struct Type;

impl Lean for Type {
    const NAME: &'static str = "runner_type";
    const SUMMARY: &'static str =
        "Types into a field and reads it back; fails where not all arrived.";
    const STEP: &'static str = "type";
    type Args = TypeArgs;

    fn work(args: TypeArgs) -> Result<Work, Failure> {
        let (text, clear) = (args.text, args.clear);
        match Element::read(args.on, args.id, args.index)? {
            Some(Element::Seen(id)) => {
                let args = json!({ "element_id": id, "text": text, "replace": clear });
                Work::new("semantic.type_text", args)
            }
            Some(Element::Selected(into)) => Work::new(
                Self::STEP,
                json!({ "into": into, "text": text, "clear": clear }),
            ),
            None => Work::new(Self::STEP, json!({ "text": text, "clear": clear })),
        }
    }
}

/// Arguments of `runner_press`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PressArgs {
    /// BACK, HOME, ENTER, TAB, DEL, … (Android's names); several together joined by `+`.
    key: String,
    /// How often.
    times: Option<u32>,
}

struct Press;

impl Lean for Press {
    const NAME: &'static str = "runner_press";
    const SUMMARY: &'static str = "Presses a key.";
    const STEP: &'static str = "press";
    type Args = PressArgs;

    fn work(args: PressArgs) -> Result<Work, Failure> {
        Work::new(
            Self::STEP,
            json!({ "key": args.key, "times": args.times.unwrap_or(1) }),
        )
    }
}

/// Arguments of `runner_swipe`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SwipeArgs {
    /// Start.
    x1: f64,
    /// Start.
    y1: f64,
    /// End.
    x2: f64,
    /// End.
    y2: f64,
    /// Milliseconds.
    duration: Option<f64>,
}

struct Swipe;

impl Lean for Swipe {
    const NAME: &'static str = "runner_swipe";
    const SUMMARY: &'static str =
        "Swipes from x1, y1 to x2, y2, in pixels (runner_look with `bounds` shows them).";
    const STEP: &'static str = "swipe";
    type Args = SwipeArgs;

    fn work(args: SwipeArgs) -> Result<Work, Failure> {
        let mut map = Map::new();
        for (name, value) in [
            ("x1", args.x1),
            ("y1", args.y1),
            ("x2", args.x2),
            ("y2", args.y2),
        ] {
            map.insert(name.to_owned(), value.into());
        }
        if let Some(duration) = args.duration {
            map.insert("duration".to_owned(), duration.into());
        }
        Work::new(Self::STEP, map.into())
    }
}

/// Arguments of `runner_scroll_to`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScrollToArgs {
    /// The element, as for `runner_click`.
    on: Option<String>,
    /// Or its resource id.
    id: Option<String>,
    /// Which of several, from 0.
    index: Option<i64>,
    /// What to reveal: `down` is what is below.
    #[serde(default)]
    direction: Direction,
}

struct ScrollTo;

impl Lean for ScrollTo {
    const NAME: &'static str = "runner_scroll_to";
    const SUMMARY: &'static str = "Scrolls until an element is on the screen.";
    const STEP: &'static str = "scroll_to";
    type Args = ScrollToArgs;

    fn work(args: ScrollToArgs) -> Result<Work, Failure> {
        let element = Element::read(args.on, args.id, args.index)?;
        match element.ok_or_else(|| no_element(Self::NAME))? {
            Element::Seen(id) => Work::new("scroll_to_element", json!({ "element_id": id })),
            Element::Selected(on) => {
                let direction = args.direction;
                Work::new(Self::STEP, json!({ "on": on, "direction": direction }))
            }
        }
    }
}

/// Arguments of `runner_launch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LaunchArgs {
    /// Its package.
    app: String,
    /// Forget its data first.
    #[serde(default)]
    clear: bool,
    /// End it first.
    #[serde(default = "yes")]
    stop: bool,
}

fn yes() -> bool {
    true
}

struct Launch;

impl Lean for Launch {
    const NAME: &'static str = "runner_launch";
    const SUMMARY: &'static str = "Starts an app anew.";
    const STEP: &'static str = "launch";
    type Args = LaunchArgs;

    fn work(LaunchArgs { app, clear, stop }: LaunchArgs) -> Result<Work, Failure> {
        Work::new(
            Self::STEP,
            json!({ "app": app, "clear": clear, "stop": stop }),
        )
    }
}

/// Arguments of `runner_wait_for`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WaitForArgs {
    /// Its words, as for `runner_click`.
    on: Option<String>,
    /// Or its resource id.
    id: Option<String>,
    /// Wait until it is gone instead.
    #[serde(default)]
    gone: bool,
    /// Seconds.
    #[schemars(range(min = 1, max = 60))]
    timeout: Option<u64>,
}

struct WaitFor;

impl Lean for WaitFor {
    const NAME: &'static str = "runner_wait_for";
    const SUMMARY: &'static str = "Waits until an element is there, or is gone.";
    const STEP: &'static str = "wait_for";
    type Args = WaitForArgs;

    fn work(args: WaitForArgs) -> Result<Work, Failure> {
        let limit = args.timeout.map(Duration::from_secs);
        if limit.is_some_and(|limit| limit.is_zero() || limit > Duration::from_mins(1)) {
            return Err(Failure::usage("`timeout` is 1 to 60 seconds"));
        }
        let element = Element::read(args.on, args.id, None)?;
        match element.ok_or_else(|| no_element(Self::NAME))? {
            Element::Seen(id) => Err(Failure::usage(format!(
                "`{id}` was on a screen already; wait for words or an `id`, or call runner_changes"
            ))),
            Element::Selected(on) => Ok(Work {
                limit,
                ..Work::new(Self::STEP, json!({ "on": on, "gone": args.gone }))?
            }),
        }
    }
}

/// Arguments of `runner_screenshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScreenshotArgs {
    /// The file's name.
    name: Option<String>,
}

struct Screenshot;

impl Lean for Screenshot {
    const NAME: &'static str = "runner_screenshot";
    const SUMMARY: &'static str = "Keeps a screenshot as a file and gives its path; to see one, runner_look with `screenshot`.";
    const STEP: &'static str = "screenshot";
    type Args = ScreenshotArgs;

    fn work(args: ScreenshotArgs) -> Result<Work, Failure> {
        Work::new(Self::STEP, json!({ "name": args.name }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(tool: &str, args: Value) -> Result<(&'static str, Value), String> {
        let tool = tools().into_iter().find(|own| own.name == tool).unwrap();
        match tool.work(args) {
            Ok(work) => Ok((work.entry.name, work.args)),
            Err(failure) => Err(failure.message),
        }
    }

    // U17
    #[test]
    fn an_element_is_named_by_its_id_its_words_or_its_resource_id() {
        assert_eq!(tools().len(), 8);
        for (args, step, wanted) in [
            (
                json!({ "on": "@e12" }),
                "click_element",
                json!({ "element_id": "@e12" }),
            ),
            (
                json!({ "on": "Sign in" }),
                "click",
                json!({ "on": "Sign in" }),
            ),
            (
                json!({ "id": "sign_in" }),
                "click",
                json!({ "on": { "id": "sign_in" } }),
            ),
            (
                json!({ "on": "Delete", "index": 2 }),
                "click",
                json!({ "on": { "text": "Delete", "index": 2 } }),
            ),
        ] {
            assert_eq!(work("runner_click", args), Ok((step, wanted)));
        }
        assert!(
            work("runner_click", json!({}))
                .unwrap_err()
                .contains("runner_look")
        );
        let both = work("runner_click", json!({ "on": "@e1", "index": 1 }));
        assert!(both.unwrap_err().contains("names one element"));
        assert_eq!(
            work(
                "runner_type",
                json!({ "text": "a", "on": "@e3", "clear": true })
            ),
            Ok((
                "semantic.type_text",
                json!({ "element_id": "@e3", "text": "a", "replace": true })
            ))
        );
        assert_eq!(
            work("runner_type", json!({ "text": "a" })),
            Ok(("type", json!({ "text": "a", "clear": false })))
        );
        assert!(work("runner_wait_for", json!({ "on": "@e1" })).is_err());
        assert!(work("runner_wait_for", json!({ "on": "a", "timeout": 0 })).is_err());
    }

    #[test]
    fn the_steps_take_what_they_are_given() {
        for (tool, args) in [
            ("runner_click", json!({ "on": "a" })),
            ("runner_click", json!({ "on": "@e1" })),
            ("runner_type", json!({ "text": "a", "id": "b", "index": 1 })),
            ("runner_type", json!({ "text": "a", "on": "@e1" })),
            ("runner_press", json!({ "key": "ENTER" })),
            (
                "runner_swipe",
                json!({ "x1": 1, "y1": 2, "x2": 3.5, "y2": 4, "duration": 100 }),
            ),
            ("runner_scroll_to", json!({ "on": "a", "direction": "up" })),
            ("runner_scroll_to", json!({ "on": "@e1" })),
            ("runner_launch", json!({ "app": "com.example" })),
            (
                "runner_wait_for",
                json!({ "on": "a", "gone": true, "timeout": 3 }),
            ),
            ("runner_screenshot", json!({})),
            ("runner_screenshot", json!({ "name": "a" })),
        ] {
            let (step, args) = work(tool, args).unwrap();
            let checked = find(step).unwrap().check(args.clone());
            assert_eq!(checked, Ok(()), "{tool}: {step} {args}");
        }
    }
}
