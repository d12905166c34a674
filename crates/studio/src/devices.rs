//! Shows several devices: one live, the others in small pictures while a page wants them. Acts may go to all
//! devices; there they touch the same element, not the same place.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::act::{self, Act, MAX_PRESS_MS};
use super::answer::{self, Answer, SharedStudio};
use super::messages::{DeviceState, EmptyAnswer, FeedMessage, to_value};
use super::{Studio, StudioError};
use runner_agent::record;
use runner_pages::Problem;
use runner_run::DeviceLine;
use runner_screen::annotate::{shrink_to, to_jpeg};
use runner_screen::{Point, Screen};
use runner_tools::registry::find;
use runner_tools::{Failure, Verdict, Words, blocking};

/// Pixels of the longer side of a small picture. Chosen: texts can almost be read, and several pictures fit
/// the page.
const MAX_SIDE_PIXELS: u32 = 480;

/// Interval of a device's small pictures. Chosen: taking pictures slows the devices down.
const PICTURE_INTERVAL: Duration = Duration::from_secs(1);

/// Time for one picture. Chosen: the device may have to be opened first.
const PICTURE_TIMEOUT: Duration = Duration::from_secs(20);

/// Time for an act on another device beyond the step's own timeout. Chosen: the device may have to be opened
/// first.
const EXTRA_TIMEOUT: Duration = Duration::from_secs(20);

/// Devices that are shown. Chosen: more do not fit a page.
const MAX_DEVICES: usize = 32;

#[derive(Debug, Default)]
pub(super) struct Devices {
    is_all: AtomicBool,
    /// Last small picture of each device, by its index.
    small: Mutex<Vec<Option<SmallPicture>>>,
    /// Locks that allow one picture of a device at a time.
    taking: [tokio::sync::Mutex<()>; MAX_DEVICES],
    /// Results of the last act on the other devices.
    last: Mutex<Vec<OtherResult>>,
}

#[derive(Debug, Clone)]
struct SmallPicture {
    number: u64,
    captured_at: Instant,
    bytes: Bytes,
}

impl Devices {
    /// Returns true if acts go to all devices.
    pub(super) fn is_all(&self) -> bool {
        self.is_all.load(Ordering::Acquire)
    }

    fn small(&self, place: usize) -> Option<SmallPicture> {
        lock(&self.small).get(place).cloned().flatten()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// State of the devices for the page.
#[derive(Debug, Serialize)]
pub(super) struct DevicesReport {
    names: Vec<String>,
    chosen: usize,
    all: bool,
    last: Vec<OtherResult>,
    /// Number of the last picture of the previously shown device.
    elsewhere: u64,
}

/// Result of an act on another device.
#[derive(Debug, Clone, Serialize)]
struct OtherResult {
    place: usize,
    device: String,
    error: Option<Words>,
}

/// Builds the state for the page, with at most [`MAX_DEVICES`] names. Asks no device.
pub(super) fn report(studio: &Studio) -> DevicesReport {
    let connection = &studio.workspace.connection;
    let names: Vec<String> = connection
        .lines()
        .iter()
        .take(MAX_DEVICES)
        .map(|line| line.name())
        .collect();
    DevicesReport {
        names,
        chosen: connection.chosen(),
        all: studio.devices.is_all(),
        last: lock(&studio.devices.last).clone(),
        elsewhere: studio.frames().device_switch_seq(),
    }
}

fn notify(studio: &Studio) {
    let devices = report(studio);
    studio.publish(FeedMessage::Devices { devices });
}

/// Returns the routes to choose a device, to act on all, and to take and read small pictures.
pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/devices/choose", post(choose))
        .route("/devices/all", post(all))
        .route("/devices/look", post(look))
        .route("/devices/{place}/{number}", get(picture))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceRequest {
    place: usize,
}

/// Switches to another device, by its place in the list, and tells the pages. The shown device itself is chosen
/// anew. Refuses during a run. Recent pictures and the log are forgotten, and the recording pauses; the new device
/// is opened later. Waits until an act in progress has ended; an error after [`PICTURE_TIMEOUT`], and for a place
/// that is not listed.
async fn choose(
    State(studio): SharedStudio,
    Json(requested): Json<DeviceRequest>,
) -> Answer<EmptyAnswer> {
    let refused = |error| answer::to_problem(&studio, error);
    if studio.run.is_active() {
        return Err(refused(StudioError::Running));
    }
    let connection = &studio.workspace.connection;
    let choosing = async {
        // Not between an act and its step.
        let _turn = studio.acting.lock().await;
        connection.choose(requested.place).await
    };
    let chosen = timeout(PICTURE_TIMEOUT, choosing).await.map_err(|_| {
        let message = "the device is in use; wait until what is done there ends, and choose again";
        refused(Failure::usage(message).into())
    })?;
    if !chosen {
        return Err(refused(no_device().into()));
    }
    studio.workspace.recorder.pause();
    studio.frames().forget_recent();
    studio.log.clear();
    let name = connection.lines()[requested.place].name();
    let message = format!("Looking for {name}");
    studio.device(Some(to_value(DeviceState::Waiting { message })));
    notify(&studio);
    studio.feed.publish(&FeedMessage::Settings);
    studio.acted.notify_one();
    Ok(Json(EmptyAnswer {}))
}

fn no_device() -> Failure {
    Failure::usage("there is no such device; choose one that is listed")
}

/// True if acts are to go to all devices.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllRequest {
    on: bool,
}

/// Makes acts go to all devices, or to the shown one only, forgets the results of the last act, and tells the
/// pages. Never an error.
async fn all(State(studio): SharedStudio, Json(requested): Json<AllRequest>) -> Json<EmptyAnswer> {
    studio.devices.is_all.store(requested.on, Ordering::Release);
    lock(&studio.devices.last).clear();
    notify(&studio);
    Json(EmptyAnswer {})
}

/// Number of the newest small picture.
#[derive(Serialize)]
struct SmallNumber {
    number: u64,
}

/// Returns the number of a device's newest small picture, also of the shown one. The device is opened if need be.
/// Takes a new one if the last is older than [`PICTURE_INTERVAL`]; pages that ask at the same time share it. An
/// error for a place that is not listed, and if no picture comes within [`PICTURE_TIMEOUT`].
async fn look(
    State(studio): SharedStudio,
    Json(requested): Json<DeviceRequest>,
) -> Answer<SmallNumber> {
    let refused = |failure: Failure| answer::to_problem(&studio, failure.into());
    let line = studio.workspace.connection.lines().get(requested.place);
    let turn = studio.devices.taking.get(requested.place);
    let (line, turn) = line.zip(turn).ok_or_else(|| refused(no_device()))?;
    let is_new = |small: &SmallPicture| small.captured_at.elapsed() < PICTURE_INTERVAL;
    let known = studio.devices.small(requested.place);
    if let Some(small) = known.filter(is_new) {
        let number = small.number;
        return Ok(Json(SmallNumber { number }));
    }
    let taking = async {
        let _turn = turn.lock().await;
        // Another page may have asked meanwhile.
        if let Some(small) = studio.devices.small(requested.place).filter(is_new) {
            return Ok(small.number);
        }
        take(&studio, line, requested.place).await
    };
    let number = match timeout(PICTURE_TIMEOUT, taking).await {
        Ok(number) => number.map_err(refused)?,
        Err(_) => return Err(refused(Failure::device("no picture came in time"))),
    };
    Ok(Json(SmallNumber { number }))
}

/// Takes a picture of the line's device and keeps it small for the page. Opens the device if need be. The picture's
/// number begins at 1 and grows only if the bytes are others than before. A device that is lost is closed; the
/// picture before it stays.
async fn take(studio: &Studio, line: &Arc<DeviceLine>, place: usize) -> Result<u64, Failure> {
    let opened = line.opened().await?;
    let picture = match opened.session.picture_within(PICTURE_TIMEOUT, 1).await {
        Ok(picture) => picture,
        Err(error) => {
            let connection = &studio.workspace.connection;
            connection.forget_if_lost(&opened.session).await;
            return Err(error.into());
        }
    };
    let bytes = blocking(move || {
        let pixels = picture.pixels()?;
        let small = shrink_to(&pixels, MAX_SIDE_PIXELS);
        to_jpeg(&small).map_err(|error| Failure::device(format!("no picture: {error}")))
    });
    let bytes = Bytes::from(bytes.await??);
    let mut all = lock(&studio.devices.small);
    if all.len() <= place {
        all.resize(place + 1, None);
    }
    let before = all[place].as_ref();
    let number = match before {
        Some(before) if before.bytes == bytes => before.number,
        Some(before) => before.number + 1,
        None => 1,
    };
    all[place] = Some(SmallPicture {
        number,
        captured_at: Instant::now(),
        bytes,
    });
    Ok(number)
}

/// Returns the newest small picture of the device at a place, whatever number the address has. Answers 404 if none
/// was taken.
async fn picture(
    State(studio): SharedStudio,
    Path((place, _)): Path<(usize, u64)>,
) -> Result<Response, Problem> {
    let small = studio.devices.small(place);
    let small = small.ok_or_else(|| answer::to_problem(&studio, StudioError::NoFrame))?;
    let kind = [(header::CONTENT_TYPE, "image/jpeg")];
    Ok((kind, small.bytes).into_response())
}

/// Performs on all other devices at once what was done on the shown one, and waits for all, each at most the step
/// timeout and [`EXTRA_TIMEOUT`]. At most [`MAX_DEVICES`] follow, and a failure on one does not stop the others. Stores
/// the results in place of the last ones and tells the pages, but records nothing. `before` is the shown device's
/// screen before the act.
pub(super) async fn follow(studio: &Studio, act: &Act, before: Option<&Screen>) {
    let connection = &studio.workspace.connection;
    let chosen = connection.chosen();
    let other_place = equivalent_call(act, before);
    let limit = studio.workspace.config.step_timeout.value + EXTRA_TIMEOUT;
    let mut work = JoinSet::new();
    let others = connection.lines().iter().enumerate();
    for (place, line) in others
        .filter(|(place, _)| *place != chosen)
        .take(MAX_DEVICES)
    {
        let (line, elsewhere) = (Arc::clone(line), other_place.clone());
        let call = act::call(studio, act.app());
        work.spawn(async move {
            let done = async {
                let (name, args) = elsewhere?;
                let entry = find(name).ok_or_else(no_device)?;
                let _beside = line.lock_shared().await;
                let opened = line.opened().await?;
                let outcome = entry
                    .call(&opened.session, entry.arguments(args)?, &call)
                    .await;
                match outcome?.verdict {
                    Verdict::Passed => Ok(()),
                    Verdict::Failed(failure) => Err(failure),
                }
            };
            let done = timeout(limit, done).await;
            let slow = || Err(Failure::device("it took too long; the others went on"));
            (place, line.name(), done.unwrap_or_else(|_| slow()))
        });
    }
    let mut reported = Vec::new();
    while let Some(done) = work.join_next().await {
        let Ok((place, name, result)) = done else {
            continue;
        };
        let error = result.err().map(|failure| failure.message);
        reported.push(OtherResult {
            place,
            device: name,
            error,
        });
    }
    reported.sort_by_key(|result| result.place);
    *lock(&studio.devices.last) = reported;
    notify(studio);
}

/// Returns the tool and arguments for another device, where the same element may be at another place. A touch becomes
/// one of the element, a swipe a scroll against the finger's main direction; a drag or a gesture of fingers becomes one
/// on elements where a recording would write it so; other acts stay as they are. Returns an error for a touched element
/// without a selector.
fn equivalent_call(act: &Act, before: Option<&Screen>) -> Result<(&'static str, Value), Failure> {
    let element = |x: i32, y: i32, long| {
        let selector = before.and_then(|screen| record::touched(screen, Point { x, y }, long));
        selector
            .map(|selector| selector.to_value())
            .ok_or_else(|| Failure::usage("what was touched has no name; touch it there yourself"))
    };
    Ok(match act {
        Act::Tap { x, y } => ("click", json!({ "on": element(*x, *y, false)? })),
        Act::LongPress { x, y, ms } => {
            // As long as on the shown device.
            let duration = format!("{}ms", (*ms).clamp(1, MAX_PRESS_MS));
            (
                "long_click",
                json!({ "on": element(*x, *y, true)?, "duration": duration }),
            )
        }
        Act::Swipe { from, to, .. } => {
            let across = i64::from(to[0]) - i64::from(from[0]);
            let down = i64::from(to[1]) - i64::from(from[1]);
            let direction = match (across.abs() > down.abs(), across > 0, down > 0) {
                (true, true, _) => "left",
                (true, false, _) => "right",
                (false, _, true) => "up",
                (false, _, false) => "down",
            };
            ("scroll", json!({ "direction": direction }))
        }
        other => {
            let (name, args, _) = other.call();
            let on_elements = before.and_then(|screen| record::gesture(screen, name, &args));
            on_elements.unwrap_or((name, args))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elsewhere_it_is_the_element_that_counts() {
        let tap = Act::Tap { x: 1, y: 1 };
        assert!(
            equivalent_call(&tap, None)
                .unwrap_err()
                .message
                .contains("has no name")
        );
        let swipe = |from, to| {
            equivalent_call(&Act::Swipe { from, to, ms: 100 }, None)
                .unwrap()
                .1
        };
        assert_eq!(swipe([500, 900], [500, 100])["direction"], "down");
        assert_eq!(swipe([100, 500], [900, 520])["direction"], "left");
        assert_eq!(swipe([i32::MAX, 0], [i32::MIN, 0])["direction"], "right");
        assert_eq!(equivalent_call(&Act::Home, None).unwrap().0, "home");
    }
}
