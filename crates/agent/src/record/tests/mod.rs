//! Tests acts from calls of every catalogue, and flows from acts.

mod apps;
mod endings;
mod gestures;
mod merging;
mod properties;
mod replays;
mod translation;

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use super::{CallRecord, Recorder};
use runner_device::fake::node;
use runner_engine::Session;
use runner_screen::{Display, DisplayContext, Rect, Screen};
use runner_tools::{
    Call, Catalogue, Effect, Entry, Failure, Outcome, StepSyntax, Tool, registry::find,
};

macro_rules! stand_ins {
    ($($type:ident $name:literal $effect:ident,)*) => {
        $(
            struct $type;
            impl Tool for $type {
                const NAME: &'static str = $name;
                const SUMMARY: &'static str = "";
                const WRITING: StepSyntax = StepSyntax::Map;
                const EFFECT: Effect = Effect::$effect;
                type Args = Value;
                async fn call(_: &Session, _: Value, _: &Call) -> Result<Outcome, Failure> {
                    Ok(Outcome::text(""))
                }
            }
        )*
        fn stand_in(name: &str) -> Option<&'static Entry> {
            static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
            let entries = ENTRIES.get_or_init(|| vec![$(Entry::new::<$type>(Catalogue::Scenario)),*]);
            entries.iter().find(|entry| entry.name == name)
        }
    };
}

// Tools by name and effect only: what a recording needs of them is what they say of a call.
stand_ins! {
    ClickControl "mobile_agent.click_control" Acts,
    ControlTap "mobile_agent.tap" Acts,
    ControlSwipe "mobile_agent.swipe" Acts,
    ControlText "mobile_agent.type_text" Acts,
    ControlKey "mobile_agent.press_key" Acts,
    ControlLaunch "mobile_agent.launch_app" Acts,
    ControlWait "mobile_agent.wait" Reads,
    SemanticClick "semantic.click" Acts,
    SemanticToggle "semantic.toggle" Acts,
    SemanticFocus "semantic.focus" Acts,
    SemanticText "semantic.type_text" Acts,
    SemanticSelect "semantic.select" Acts,
    ScenarioStart "scenario.startTestingScenario" Acts,
    ScenarioTap "scenario.tap" Acts,
    ScenarioPlace "scenario.tapByCoordinates" Acts,
    ScenarioText "scenario.inputText" Acts,
    ScenarioUp "scenario.swipeUp" Acts,
    ScenarioScroll "scenario.scrollVertically" Acts,
    ScenarioAcross "scenario.scrollHorizontally" Acts,
    ScenarioSees "scenario.verifyElementVisible" Reads,
    ScenarioMisses "scenario.verifyElementNotVisible" Reads,
    ScenarioHide "scenario.hideKeyboard" Acts,
    ScenarioVideo "scenario.startScreenRecording" Acts,
    Stranger "other.poke" Acts,
}

fn entry(name: &str) -> &'static Entry {
    stand_in(name)
        .or_else(|| find(name))
        .unwrap_or_else(|| panic!("no tool {name}"))
}

const USER: Rect = Rect {
    left: 40,
    top: 400,
    right: 1040,
    bottom: 550,
};
const PASSWORD: Rect = Rect {
    left: 40,
    top: 600,
    right: 1040,
    bottom: 750,
};
const SIGN_IN: Rect = Rect {
    left: 40,
    top: 800,
    right: 1040,
    bottom: 920,
};
const ROW: Rect = Rect {
    left: 0,
    top: 1000,
    right: 1080,
    bottom: 1200,
};

fn screen(nodes: &str) -> Arc<Screen> {
    screen_of(("com.example", ".Main"), nodes)
}

/// Returns a screen with this package and activity in front.
fn screen_of((package, activity): (&str, &str), nodes: &str) -> Arc<Screen> {
    let dump = format!(
        r#"<?xml version="1.0"?><hierarchy rotation="0">{}</hierarchy>"#,
        node("FrameLayout", "", [0, 0, 1080, 2400], nodes)
    );
    let surroundings = DisplayContext {
        display: Some(Display {
            width: 1080,
            height: 2400,
            density: 420,
            rotation: 0,
        }),
        foreground: Some((package.to_owned(), activity.to_owned())),
        ..DisplayContext::default()
    };
    Arc::new(Screen::parse(dump.as_bytes(), &surroundings).unwrap())
}

fn at(bounds: Rect) -> [i32; 4] {
    [bounds.left, bounds.top, bounds.right, bounds.bottom]
}

/// Returns a screen with a form, a row of a list, a slider and a clock.
fn form() -> Arc<Screen> {
    let text = |text: &str| format!(r#"text="{text}""#);
    let row = |top: i32, title: &str| {
        let title = node("TextView", &text(title), [40, top + 20, 600, top + 100], "");
        let date = node(
            "TextView",
            &text("Mon 1"),
            [800, top + 20, 1000, top + 100],
            "",
        );
        let attributes =
            r#"resource-id="com.example:id/row" clickable="true" long-clickable="true""#;
        node(
            "LinearLayout",
            attributes,
            [0, top, 1080, top + 200],
            &(title + &date),
        )
    };
    screen(
        &[
            node("TextView", &text("12:30"), [0, 0, 100, 60], ""),
            node(
                "EditText",
                r#"resource-id="com.example:id/user" hint="Name" clickable="true""#,
                at(USER),
                "",
            ),
            node(
                "EditText",
                r#"resource-id="com.example:id/password" password="true" clickable="true""#,
                at(PASSWORD),
                "",
            ),
            node(
                "Button",
                r#"text="Sign in" clickable="true""#,
                at(SIGN_IN),
                "",
            ),
            row(1000, "Groceries"),
            row(1200, "Travel"),
            node(
                "SeekBar",
                r#"content-desc="Volume" clickable="true""#,
                [0, 1500, 1080, 1600],
                "",
            ),
        ]
        .concat(),
    )
}

/// Recorder that a test feeds with calls.
struct Notebook {
    recorder: Recorder,
    screen: Arc<Screen>,
}

impl Notebook {
    fn new() -> Self {
        let recorder = Recorder::default();
        assert!(recorder.start(None, None));
        Self {
            recorder,
            screen: form(),
        }
    }

    fn shows(&mut self, screen: Arc<Screen>) -> &mut Self {
        self.screen = screen;
        self
    }

    fn says(&mut self, tool: &str, args: Value, outcome: Outcome) -> &mut Self {
        self.recorder.note(&CallRecord {
            entry: entry(tool),
            args: &args,
            limit: None,
            before: Some(Arc::clone(&self.screen)),
            after: Some(Arc::clone(&self.screen)),
            outcome: &Ok(outcome),
        });
        self
    }

    fn does(&mut self, tool: &str, args: Value) -> &mut Self {
        self.says(tool, args, Outcome::text(""))
    }

    fn acts_at(&mut self, tool: &str, args: Value, bounds: Rect) -> &mut Self {
        self.says(tool, args, Outcome::text("").at(bounds))
    }

    fn types(&mut self, field: Rect, text: &str) -> &mut Self {
        let args = json!({ "element_id": "node_1", "text": text });
        self.acts_at("type_append_text", args, field)
    }

    fn flow(&self) -> String {
        self.recorder.flow(None, false, None).unwrap().text
    }

    /// Returns the steps, without the first one that a recording without a launch begins with.
    fn steps(&self) -> Vec<String> {
        let flow = self.flow();
        let steps = flow.split_once("steps:\n").map_or("", |(_, steps)| steps);
        steps
            .lines()
            .map(|line| line.trim_start().trim_start_matches("- ").to_owned())
            .filter(|line| line != "launch: { stop: false }" && !line.starts_with("# Added: "))
            .collect()
    }
}
