//! Small table of tools, so that these tests do not depend on the catalogue.

use std::borrow::Cow;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::vocabulary::Vocabulary;
use runner_engine::Session;
use runner_text::units::HumanDuration;
use runner_tools::{Call, Catalogue, Entry, Failure, Outcome, StepSyntax, Tool};

/// Schema of a selector, reduced to what these tests need.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Pick(#[expect(dead_code, reason = "only its schema is used")] serde_json::Value);

impl JsonSchema for Pick {
    fn schema_name() -> Cow<'static, str> {
        "Selector".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let anchor = generator.subschema_for::<Self>().to_value();
        let form = |key: &str| {
            serde_json::json!({
                "type": "object",
                "properties": { key: { "type": "string", "minLength": 1 } },
                "required": [key],
                "additionalProperties": false,
            })
        };
        let mut regex = form("regex");
        regex["properties"]["regex"]["format"] = "regex".into();
        json_schema!({
            "anyOf": [
                { "type": "string", "minLength": 1 },
                {
                    "type": "object",
                    "properties": {
                        "text": { "anyOf": [{ "type": "string" }, form("contains"), regex] },
                        "id": { "type": "string", "minLength": 1 },
                        "enabled": {
                            "anyOf": [{ "type": "boolean" }, { "type": "string", "pattern": r"^\$\{.*\}$" }],
                        },
                        "inside": anchor,
                        "index": { "type": "integer" },
                        "window": { "type": ["integer", "string"] },
                    },
                    "additionalProperties": false,
                    "minProperties": 1,
                }
            ]
        })
    }
}

macro_rules! tool {
    ($type:ident, $args:ident, $name:literal, $writing:expr, $bare:literal) => {
        #[derive(Debug)]
        struct $type;

        impl Tool for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = "A tool of the tests.";
            const WRITING: StepSyntax = $writing;
            const VALUE_OPTIONAL: bool = $bare;
            type Args = $args;

            async fn call(_: &Session, _: $args, _: &Call) -> Result<Outcome, Failure> {
                Ok(Outcome::text("called"))
            }
        }
    };
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their schemas are used")]
struct ClickArgs {
    /// The element.
    on: Pick,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their schemas are used")]
struct LongClickArgs {
    /// The element.
    on: Pick,
    /// How long.
    duration: Option<HumanDuration>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their schemas are used")]
struct TypeArgs {
    /// The field.
    into: Option<Pick>,
    /// What to type.
    text: String,
    /// No output shows the text.
    secret: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their schemas are used")]
struct LaunchArgs {
    /// The package; the flow's by default.
    app: Option<String>,
    /// Empty its data first.
    clear: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their schemas are used")]
struct SwipeArgs {
    /// From the left.
    #[schemars(range(min = 0))]
    x1: f64,
    /// From the top.
    #[schemars(range(min = 0))]
    y1: f64,
    /// Milliseconds.
    #[schemars(range(min = 1, max = 60000))]
    duration: Option<i64>,
    direction: Option<Direction>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Direction {
    Up,
    Down,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoArgs {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their schemas are used")]
struct ShellArgs {
    /// Words of the command.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
}

/// Options of a snapshot.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their schemas are used")]
struct SnapshotOptions {
    /// Largest cluster in pixels.
    #[schemars(range(min = 0))]
    tolerance: Option<i64>,
}

tool!(Click, ClickArgs, "click", StepSyntax::Element, false);
tool!(
    LongClick,
    LongClickArgs,
    "long_click",
    StepSyntax::Element,
    false
);
tool!(Find, ClickArgs, "find", StepSyntax::Element, false);
tool!(
    Visible,
    ClickArgs,
    "assert visible",
    StepSyntax::Element,
    false
);
tool!(Type, TypeArgs, "type", StepSyntax::Sequence("text"), false);
tool!(
    Launch,
    LaunchArgs,
    "launch",
    StepSyntax::Scalar("app"),
    true
);
tool!(Swipe, SwipeArgs, "swipe", StepSyntax::Map, false);
tool!(Back, NoArgs, "back", StepSyntax::Map, true);
tool!(Idle, NoArgs, "wait_for_idle", StepSyntax::Map, true);
tool!(Shell, ShellArgs, "shell", StepSyntax::Scalar("argv"), false);

/// Returns the vocabulary of these tools.
pub(crate) fn vocabulary() -> &'static Vocabulary {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    static VOCABULARY: OnceLock<Vocabulary> = OnceLock::new();
    let entries = ENTRIES.get_or_init(|| {
        let everyday = Catalogue::Everyday;
        vec![
            Entry::new::<Launch>(everyday),
            Entry::new::<Find>(everyday),
            Entry::new::<Click>(everyday),
            Entry::new::<LongClick>(everyday),
            Entry::new::<Type>(everyday),
            Entry::new::<Back>(everyday),
            Entry::new::<Idle>(everyday),
            Entry::new::<Visible>(everyday),
            Entry::new::<Shell>(everyday),
            Entry::new::<Swipe>(Catalogue::Android),
        ]
    });
    VOCABULARY.get_or_init(|| {
        Vocabulary::new(entries, |generator| {
            (
                generator.subschema_for::<Pick>().to_value(),
                generator.subschema_for::<SnapshotOptions>().to_value(),
            )
        })
    })
}
