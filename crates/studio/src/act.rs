//! Performs what a person does on the picture: each act is the call of one tool, and a step of the recording.

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

/// Characters that one act may type. Chosen: far more than people type at once; a device types slowly.
const MAX_TEXT_CHARS: usize = 2000;

/// Milliseconds of the longest press, also on other devices. Chosen: no app waits a minute for a finger.
pub(super) const MAX_PRESS_MS: u64 = 60_000;

/// Duration of the swipe that scrolls. Chosen: slow enough that an app takes it for a drag, not a fling.
const SCROLL_DURATION: Duration = Duration::from_millis(300);

/// Act on the device, as a page sends it.
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
    /// A finger that holds still before it moves.
    Drag {
        from: [i32; 2],
        to: [i32; 2],
        hold: u64,
        ms: u64,
    },
    /// Paths of two fingers: x, y and time in milliseconds of each point.
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
    /// Change of the device itself, such as a setting.
    Device {
        control: Control,
    },
}

/// Act with the picture that the person saw.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActRequest {
    #[serde(rename = "what")]
    pub(super) act: Act,
    /// Number of that picture.
    pub(super) seq: Option<u64>,
}

impl Act {
    /// Returns the tool, its arguments and a description for the history. Durations are clamped to what makes
    /// sense, but times of two fingers are not; all are in milliseconds. Places and names are not checked. A typed
    /// text is not in the description, as it may be secret.
    pub(super) fn call(&self) -> (&'static str, Value, String) {
        match self {
            Self::Tap { x, y } => ("tap", json!({ "x": x, "y": y }), format!("tap {x}, {y}")),
            Self::LongPress { x, y, ms } => {
                let ms = (*ms).clamp(1, MAX_PRESS_MS);
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
            // The text may be secret.
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

    /// Returns a swipe above the keyboard in place of a scroll, if a keyboard is shown: in the middle of the
    /// display, the swipe would fall on its keys. The swipe is in the upper half of the display. `None` for any
    /// other act, and if the screen shows no keyboard.
    fn above_keyboard(&self, screen: &Screen) -> Option<Self> {
        let Self::Scroll { direction } = self else {
            return None;
        };
        if !screen.keyboard_shown() {
            return None;
        }
        let mut area = screen.display().bounds();
        area.bottom = area.center().y;
        let Gesture { from, to, duration } = direction.gesture(area, 50, SCROLL_DURATION);
        Some(Self::Swipe {
            from: [from.x, from.y],
            to: [to.x, to.y],
            ms: duration.as_millis() as u64,
        })
    }

    /// Returns an error for a text that is empty or longer than `MAX_TEXT_CHARS`, and for a bad value of a control
    /// (see [`Control::check`]). All other acts pass.
    fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Type { text } if text.is_empty() || text.chars().count() > MAX_TEXT_CHARS => Err(
                Failure::usage(format!("type 1 to {MAX_TEXT_CHARS} characters at once")),
            ),
            Self::Device { control } => control.check(),
            _ => Ok(()),
        }
    }

    /// Returns the app that a setting is for, if the device can set it for a single app only. `None` for all other
    /// acts.
    pub(super) fn app(&self) -> Option<&str> {
        match self {
            Self::Device { control } => control.app(),
            _ => None,
        }
    }
}

/// Performs an act and records it, in the recording and in the history. Waits without a limit for acts before it and
/// for an agent's flow. A scroll becomes a swipe above a keyboard that is shown. The last comparison with a golden is
/// forgotten, and the next picture comes sooner, also if the device refuses. If the act succeeds and the person chose
/// to act on all devices, the others follow; their failures are reported to the pages, but are no error here.
///
/// # Errors
/// Returns the reason if the act is refused or fails, for example while a run has the device, if a run began while
/// the act waited, or if the picture is of the device shown before. Nothing is noted in the history then.
pub(super) async fn perform(studio: &Studio, request: &ActRequest) -> Result<(), Failure> {
    request.act.check()?;
    let runs = studio.run.begun();
    let has_run = || studio.run.is_busy() || studio.run.begun() != runs;
    let running = || Failure::usage("a run has the device; stop it, or wait until it ends");
    if has_run() {
        return Err(running());
    }
    let (name, args, what) = request.act.call();
    let entry = find(name).ok_or_else(|| Failure::usage(format!("there is no tool `{name}`")))?;
    // One act at a time, so that acts of two pages and their steps keep their order.
    let _turn = studio.acting.lock().await;
    let _beside = studio.workspace.connection.lock_shared().await;
    // Checked again: a run may have begun meanwhile, and the person saw the screen before it.
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
        // The rows of this picture are not read yet, and without them no step could name what was touched.
        None => studio.workspace.recorder.before(entry, session).await,
    };
    let scrolled = before
        .as_deref()
        .and_then(|observed| request.act.above_keyboard(observed));
    let (entry, args) = match scrolled.map(|swipe| swipe.call()) {
        Some((name, args, _)) => (find(name).unwrap_or(entry), args),
        None => (entry, args),
    };
    studio.goldens.invalidate();
    let around = call(studio, request.act.app());
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
        devices::follow(studio, &request.act, before.as_deref()).await;
    }
    if matches!(request.act, Act::Device { .. }) {
        studio.feed.publish(&FeedMessage::Settings);
    }
    Ok(())
}

impl Studio {
    /// Adds an act to the history, at the last step of the recording, with the picture before it, and
    /// publishes the steps. Secrets in the description are masked.
    pub(super) fn note(&self, what: String, before: Option<Arc<Frame>>) {
        // Pages receive it under a key whose values are not masked, but a link in it may hold a secret.
        let what = self.workspace.scrubber.scrub_outside(&what).into_owned();
        let steps = self.workspace.recorder.steps(0).steps.len();
        self.frames().note(what, steps.saturating_sub(1), before);
        self.notify_history();
    }
}

/// Builds the context of a person's call on `app`, or on the app in front without one. All else is that of the
/// workspace. It never allows a shell.
pub(super) fn call(studio: &Studio, app: Option<&str>) -> Call {
    Call {
        app: app.map(str::to_owned),
        allow_shell: false,
        ..studio.workspace.surroundings()
    }
}
