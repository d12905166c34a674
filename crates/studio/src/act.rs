//! What a person does on the picture: one tool's call each, and a step of the recording.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Studio;
use super::device::Control;
use super::devices;
use super::frames::Frame;
use super::messages::FeedMessage;
use runner_agent::DeviceCall;
use runner_device::Gesture;
use runner_engine::Direction;
use runner_screen::Screen;
use runner_tools::registry::find;
use runner_tools::{Call, Failure};

/// Characters of one text.
const LONGEST_TEXT: usize = 2000;

/// How long a finger takes to scroll.
const SCROLL: Duration = Duration::from_millis(300);

/// Something to do.
#[derive(Debug, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Act {
    Tap {
        x: i32,
        y: i32,
    },
    LongPress {
        x: i32,
        y: i32,
        ms: u64,
    },
    Swipe {
        from: [i32; 2],
        to: [i32; 2],
        ms: u64,
    },
    /// A finger that holds before it moves.
    Drag {
        from: [i32; 2],
        to: [i32; 2],
        hold: u64,
        ms: u64,
    },
    /// The ways of two fingers, each place with its time in milliseconds.
    TwoFingers {
        paths: [Vec<[i32; 3]>; 2],
    },
    Scroll {
        direction: Direction,
    },
    Type {
        text: String,
    },
    Press {
        key: String,
        times: u32,
    },
    Back,
    Home,
    Recents,
    Launch {
        app: String,
    },
    /// Something of the device itself.
    Device {
        control: Control,
    },
}

/// A wish of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActRequest {
    /// What.
    pub(super) what: Act,
    /// The picture that the person saw.
    pub(super) seq: Option<u64>,
}

impl Act {
    /// The tool that does it, with its arguments, and what it is for a person.
    pub(super) fn call(&self) -> (&'static str, Value, String) {
        match self {
            Self::Tap { x, y } => ("tap", json!({ "x": x, "y": y }), format!("tap {x}, {y}")),
            Self::LongPress { x, y, ms } => {
                let ms = (*ms).clamp(1, 60_000);
                let args = json!({ "x": x, "y": y, "duration": ms });
                ("long_press", args, format!("hold {x}, {y} for {ms} ms"))
            }
            Self::Swipe { from, to, ms } => {
                let ms = (*ms).clamp(50, 5000);
                let args = json!({ "x1": from[0], "y1": from[1], "x2": to[0], "y2": to[1], "duration": ms });
                let [x1, y1] = from;
                let [x2, y2] = to;
                ("swipe", args, format!("swipe {x1}, {y1} to {x2}, {y2}"))
            }
            Self::Drag { from, to, hold, ms } => {
                let (hold, ms) = ((*hold).clamp(1, 10_000), (*ms).clamp(50, 5000));
                let [x1, y1] = from;
                let [x2, y2] = to;
                let args = json!({
                    "from": { "x": x1, "y": y1 },
                    "to": { "x": x2, "y": y2 },
                    "hold": format!("{hold}ms"),
                    "duration": format!("{ms}ms"),
                });
                ("drag", args, format!("drag {x1}, {y1} to {x2}, {y2}"))
            }
            Self::TwoFingers { paths } => {
                let path = |path: &Vec<[i32; 3]>| -> Value {
                    let points = path.iter();
                    points
                        .map(|[x, y, time]| json!({ "x": x, "y": y, "time": time }))
                        .collect()
                };
                let paths: Value = paths.iter().map(path).collect();
                (
                    "custom_gesture",
                    json!({ "paths": paths }),
                    "two fingers".to_owned(),
                )
            }
            Self::Scroll { direction } => {
                let direction = direction.word();
                let args = json!({ "direction": direction });
                ("scroll", args, format!("scroll {direction}"))
            }
            // What is typed may be secret.
            Self::Type { text } => ("type", json!({ "text": text }), "type".to_owned()),
            Self::Press { key, times } => {
                let args = json!({ "key": key, "times": times });
                ("press", args, format!("press {key}"))
            }
            Self::Back => ("back", json!({}), "back".to_owned()),
            Self::Home => ("home", json!({}), "home".to_owned()),
            Self::Recents => ("press_recents", json!({}), "recents".to_owned()),
            Self::Launch { app } => (
                "open_app",
                json!({ "package_id": app }),
                format!("launch {app}"),
            ),
            Self::Device { control } => control.call(),
        }
    }

    /// The swipe that scrolls where a keyboard is shown: one in the middle of the display would fall on its keys.
    fn above_keyboard(&self, screen: &Screen) -> Option<Self> {
        let Self::Scroll { direction } = self else {
            return None;
        };
        if !screen.keyboard_shown() {
            return None;
        }
        let mut area = screen.display().bounds();
        area.bottom = area.center().y;
        let Gesture { from, to, duration } = direction.gesture(area, 50, SCROLL);
        Some(Self::Swipe {
            from: [from.x, from.y],
            to: [to.x, to.y],
            ms: duration.as_millis() as u64,
        })
    }

    fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Type { text } if text.is_empty() || text.chars().count() > LONGEST_TEXT => Err(
                Failure::usage(format!("type 1 to {LONGEST_TEXT} characters at once")),
            ),
            Self::Device { control } => control.check(),
            _ => Ok(()),
        }
    }

    /// The app that it is about, where the device sets something of one app only.
    pub(super) fn app(&self) -> Option<&str> {
        match self {
            Self::Device { control } => control.app(),
            _ => None,
        }
    }
}

/// Does it.
///
/// # Errors
/// What kept it from being done; nothing is recorded then.
pub(super) async fn perform(studio: &Studio, request: &ActRequest) -> Result<(), Failure> {
    request.what.check()?;
    let runs = studio.run.begun();
    let has_run = || studio.run.is_busy() || studio.run.begun() != runs;
    let running = || Failure::usage("a run has the device; stop it, or wait until it ends");
    if has_run() {
        return Err(running());
    }
    let (name, args, what) = request.what.call();
    let entry = find(name).ok_or_else(|| Failure::usage(format!("there is no tool `{name}`")))?;
    // One after another: what the second page does comes after what the first did.
    let _turn = studio.acting.lock().await;
    let _beside = studio.workspace.connection.lock_shared().await;
    // The person saw the screen before the run that this waited for.
    if has_run() {
        return Err(running());
    }
    if request
        .seq
        .is_some_and(|seq| seq <= studio.frames().device_switch_seq())
    {
        let message =
            "this picture is of the device that was shown before; wait for one of this device";
        return Err(Failure::usage(message));
    }
    let opened = studio.workspace.connection.opened().await?;
    let session = &opened.session;
    studio.workspace.scrubber.begin_step();
    let frame = request.seq.and_then(|seq| studio.frames().find(seq));
    let known = frame.as_ref().and_then(|frame| frame.look());
    let before = match known {
        Some(look) => Some(Arc::clone(&look.screen)),
        // A click on a picture whose rows were not read yet: without them no step could name what was touched.
        None => studio.workspace.recorder.before(entry, session).await,
    };
    let scrolled = before
        .as_deref()
        .and_then(|observed| request.what.above_keyboard(observed));
    let (entry, args) = match scrolled.map(|swipe| swipe.call()) {
        Some((name, args, _)) => (find(name).unwrap_or(entry), args),
        None => (entry, args),
    };
    studio.goldens.invalidate();
    let around = call(studio, request.what.app());
    let answer = studio
        .workspace
        .call_device(
            session,
            DeviceCall::new(entry, args),
            around,
            before.clone(),
        )
        .await;
    if let Ok(outcome) = &answer.outcome
        && let Some(hidden) = &outcome.hidden
    {
        studio.workspace.scrubber.add_typed(hidden);
    }
    let frame = frame.or_else(|| studio.frames().last_read().cloned());
    studio.acted.notify_one();
    if let Err(failure) = answer.outcome {
        return Err(if answer.is_lost {
            failure.with_details(["the device was lost; it is looked for again"])
        } else {
            failure
        });
    }
    studio.note(what, frame);
    if studio.devices.is_all() {
        devices::follow(studio, &request.what, before.as_deref()).await;
    }
    if matches!(request.what, Act::Device { .. }) {
        studio.feed.publish(&FeedMessage::Settings);
    }
    Ok(())
}

impl Studio {
    /// Keeps what was done with its picture, and publishes the steps.
    pub(super) fn note(&self, what: String, before: Option<Arc<Frame>>) {
        let steps = self.workspace.recorder.steps(0).steps.len();
        self.frames().note(what, steps.saturating_sub(1), before);
        self.notify_history();
    }
}

/// What surrounds a person's call: never a shell.
pub(super) fn call(studio: &Studio, app: Option<&str>) -> Call {
    Call {
        app: app.map(str::to_owned),
        allow_shell: false,
        ..studio.workspace.surroundings()
    }
}
