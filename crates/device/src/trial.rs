//! Trials of `runner doctor --try`: each does once what flows do, and measures the time. Changes are undone:
//! the app in front, the clipboard.

use std::time::{Duration, Instant};

use super::apps::{self, Launch};
use super::doctor::{CheckResult, advice};
use super::logs::{self, Level, LogQuery};
use super::message::makers_switch;
use super::record::Recording;
use super::{Device, DeviceError, LookOptions, PictureOptions, Script, clipboard, system};

/// Limit of one trial. Chosen: the limit of a look on a slow device.
const LIMIT: Duration = Duration::from_secs(30);
/// Limit for the launcher to come to the front, and for the app to come back. Chosen: longer than a slow
/// phone's animation and a new start of the app.
const FRONT_LIMIT: Duration = Duration::from_secs(10);
/// Pause between two looks at the app in front. Chosen: short beside the question itself.
const PAUSE: Duration = Duration::from_millis(100);
/// Length of the recorded video. Chosen: the shortest that shows that recording works.
const VIDEO_TIME: Duration = Duration::from_secs(1);
/// Limit for the end of the video. Chosen: a third of [`LIMIT`], so that its file can be removed within that.
const VIDEO_END_LIMIT: Duration = Duration::from_secs(10);
/// Text for the clipboard. It is not ASCII, as some phones lose that.
const CLIPBOARD_TEXT: &str = "runner äß東";

/// Finding of a trial; the error says what to do.
type TrialResult = Result<String, DeviceError>;

/// Runs all trials in turn, and returns their results in this order: look, screenshot, app in front, HOME and back,
/// rotation, clipboard, log, video, permissions. A failed one does not end the others. The trials press HOME and
/// open the app again, replace the clipboard and put its text back, and record a video of a second, which they
/// delete.
pub async fn try_device(device: &dyn Device) -> Vec<CheckResult> {
    vec![
        timed("look", look(device)).await,
        timed("screenshot", picture(device)).await,
        timed("app in front", front(device)).await,
        timed("HOME and back", home_and_back(device)).await,
        timed("rotation", rotation(device)).await,
        timed("clipboard", copy(device)).await,
        timed("log", log(device)).await,
        timed("video of 1 s", record(device)).await,
        timed("grant permissions", grant(device)).await,
    ]
}

/// Runs a trial and measures its time. A feature that the device lacks counts as good, with advice; any other
/// error is bad. A trial that exceeds 30 seconds is dropped and is bad.
pub async fn timed(title: &str, trial: impl Future<Output = TrialResult>) -> CheckResult {
    let begun = Instant::now();
    let found = tokio::time::timeout(LIMIT, trial).await;
    let took = begun.elapsed();
    let result = match found {
        Ok(Ok(detail)) => CheckResult::good(title, detail),
        Ok(Err(DeviceError::Unsupported { missing, .. })) => {
            CheckResult::limited(title, "not on this device", missing)
        }
        Ok(Err(error)) => CheckResult::bad(title, error.to_string(), advice(&error)),
        Err(_) => CheckResult::bad(
            title,
            format!("no end after {LIMIT:?}"),
            "the device is very slow or hangs; restart it",
        ),
    };
    CheckResult {
        took_ms: u64::try_from(took.as_millis()).ok(),
        ..result
    }
}

/// Looks at the screen, and counts its nodes and windows. A look without a list of windows counts as one window.
async fn look(device: &dyn Device) -> TrialResult {
    let screen = device.look(LookOptions::within(LIMIT)).await?;
    Ok(format!(
        "{} nodes in {} windows",
        screen.len(),
        screen.windows().len().max(1)
    ))
}

async fn picture(device: &dyn Device) -> TrialResult {
    let picture = device.picture(PictureOptions::within(LIMIT)).await?;
    let bytes = picture.png().len();
    Ok(format!("{} KiB", bytes.div_ceil(1024)))
}

/// Asks which activity is in front. No activity in front is told, and no failure.
async fn front(device: &dyn Device) -> TrialResult {
    let front = apps::foreground(device).await?;
    Ok(front.map_or_else(
        || "none is named".to_owned(),
        |(package, activity)| format!("{package}/{activity}"),
    ))
}

/// Goes to the home screen, and launches the app again that was in front. Any other app that comes to the front
/// within ten seconds counts as the launcher. If none was in front before or none comes, that is told, and no
/// failure.
async fn home_and_back(device: &dyn Device) -> TrialResult {
    let before = apps::foreground(device).await?.map(|(package, _)| package);
    system::go_home(device).await?;
    let begun = Instant::now();
    let home = loop {
        let front = apps::foreground(device).await?.map(|(package, _)| package);
        let is_home = front.is_some() && front != before;
        if is_home || begun.elapsed() >= FRONT_LIMIT {
            break front.filter(|_| is_home);
        }
        tokio::time::sleep(PAUSE).await;
    };
    let (Some(before), Some(home)) = (before, home) else {
        return Ok("the launcher was in front, or is now; open an app and try again".to_owned());
    };
    let launch = Launch {
        package: &before,
        activity: None,
        clear: false,
        stop: false,
        extras: None,
        all_permissions: false,
        permissions: None,
        unconfirmed: false,
    };
    apps::launch(device, &launch).await?;
    Ok(format!("{home}, then {before} again"))
}

/// Asks for the display's rotation and size. An unknown display is told, and no failure.
async fn rotation(device: &dyn Device) -> TrialResult {
    let Some(display) = system::display(device).await? else {
        return Ok("none is named".to_owned());
    };
    Ok(format!(
        "{}°, {}×{}",
        u32::from(display.rotation) * 90,
        display.width,
        display.height
    ))
}

/// Sets the clipboard, reads it back, and puts its former text back. Another text is told, and no failure. A
/// clipboard that held none is empty afterwards.
async fn copy(device: &dyn Device) -> TrialResult {
    let before = clipboard::get(device).await?;
    clipboard::set(device, CLIPBOARD_TEXT).await?;
    let read = clipboard::get(device).await;
    clipboard::set(device, before.as_deref().unwrap_or_default()).await?;
    let read = read?.unwrap_or_default();
    Ok(if read == CLIPBOARD_TEXT {
        "read and set; its text was put back".to_owned()
    } else {
        format!("set, but it then holds {read:?}; its text was put back")
    })
}

/// Counts the lines of the log at level error or higher.
async fn log(device: &dyn Device) -> TrialResult {
    let query = LogQuery {
        level: Some(Level::Error),
        ..LogQuery::default()
    };
    let lines = logs::read(device, &query).await?;
    Ok(format!("{} lines of errors", lines.len()))
}

/// Records the screen for a moment and reads the video. Its file is removed from the device, also if the recording
/// does not end in time.
async fn record(device: &dyn Device) -> TrialResult {
    let mut recording = Recording::start(device).await?;
    tokio::time::sleep(VIDEO_TIME).await;
    let stopped = recording.stop(device, VIDEO_END_LIMIT).await;
    let video = match stopped {
        Ok(()) => recording.fetch(device).await,
        Err(error) => Err(error),
    };
    recording.discard(device).await?;
    Ok(format!("{} KiB", video?.len().div_ceil(1024)))
}

/// Tries whether the shell may grant permissions: only a refusal by the phone's maker is an error. Asks for a
/// permission of a package that does not exist, so nothing changes: Android first checks who asks (AOSP,
/// `enforceGrantRevoke…`).
async fn grant(device: &dyn Device) -> TrialResult {
    let script = Script::command([
        "pm",
        "grant",
        "runner.not.there",
        "android.permission.CAMERA",
    ]);
    let output = device.shell(&script, LIMIT).await?;
    let message = output.message();
    match makers_switch(&message) {
        Some(_) => Err(super::command::failed(&script, &output)),
        None => Ok("the shell may".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[tokio::test(start_paused = true)]
    async fn a_recording_that_does_not_end_leaves_no_file() {
        let fake = Fake::showing([""]);
        fake.with(|state| {
            state.streams.push_back(vec!["4711".to_owned()]);
            state.streams_stay_open = true;
        });
        let found = timed("video", record(fake.as_ref())).await;
        assert!(!found.ok, "{}", found.detail);
        let last = fake.with(|state| state.scripts.last().cloned()).unwrap();
        assert!(last.starts_with("rm -f /sdcard/runner-"), "{last}");
    }

    #[tokio::test]
    async fn a_trial_says_what_it_found_and_how_long_it_took() {
        let good = timed("x", async { Ok("found".to_owned()) }).await;
        assert!(good.ok && good.advice.is_none() && good.took_ms.is_some());
        let missing = DeviceError::Unsupported {
            what: "x".to_owned(),
            missing: "get it".to_owned(),
        };
        let limited = timed("x", async { Err(missing) }).await;
        assert!(limited.ok && limited.advice.as_deref() == Some("get it"));
        let lost = DeviceError::NoPicture("black".to_owned());
        assert!(!timed("x", async { Err(lost) }).await.ok);
    }
}
