//! What `runner doctor --try` does on a device: what flows need, once each, with how long it took. What is changed is put
//! back: the app that was in front, the clipboard.

use std::time::{Duration, Instant};

use super::apps::{self, Launch};
use super::command::makers_switch;
use super::doctor::{CheckResult, advice};
use super::logs::{self, Level, LogQuery};
use super::record::Recording;
use super::{Device, DeviceError, LookOptions, PictureOptions, Script, clipboard, system};

/// How long one trial may take.
const LIMIT: Duration = Duration::from_secs(30);
/// How long the launcher may take to come, and the app to come back.
const COMES: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);
/// A second of video.
const RECORDED: Duration = Duration::from_secs(1);
/// What the clipboard holds for a moment. Not ASCII: some phones lose that.
const COPIED: &str = "runner äß東";

/// What a trial found, or what to do.
type Found = Result<String, DeviceError>;

/// Tries everything in turn. A trial that fails ends no other.
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

/// Runs a trial and notes how long it took. What the device does not support is not a problem.
pub async fn timed(title: &str, trial: impl Future<Output = Found>) -> CheckResult {
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

async fn look(device: &dyn Device) -> Found {
    let screen = device.look(LookOptions::within(LIMIT)).await?;
    Ok(format!(
        "{} nodes in {} windows",
        screen.len(),
        screen.windows().len().max(1)
    ))
}

async fn picture(device: &dyn Device) -> Found {
    let picture = device.picture(PictureOptions::within(LIMIT)).await?;
    let bytes = picture.png().len();
    Ok(format!("{} KiB", bytes.div_ceil(1024)))
}

async fn front(device: &dyn Device) -> Found {
    let front = apps::foreground(device).await?;
    Ok(front.map_or_else(
        || "none is named".to_owned(),
        |(package, activity)| format!("{package}/{activity}"),
    ))
}

async fn home_and_back(device: &dyn Device) -> Found {
    let before = apps::foreground(device).await?.map(|(package, _)| package);
    system::go_home(device).await?;
    let begun = Instant::now();
    let home = loop {
        let front = apps::foreground(device).await?.map(|(package, _)| package);
        let is_home = front.is_some() && front != before;
        if is_home || begun.elapsed() >= COMES {
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

async fn rotation(device: &dyn Device) -> Found {
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

async fn copy(device: &dyn Device) -> Found {
    let before = clipboard::get(device).await?;
    clipboard::set(device, COPIED).await?;
    let read = clipboard::get(device).await;
    clipboard::set(device, before.as_deref().unwrap_or_default()).await?;
    let read = read?.unwrap_or_default();
    Ok(if read == COPIED {
        "read and set; its text was put back".to_owned()
    } else {
        format!("set, but it then holds {read:?}; its text was put back")
    })
}

async fn log(device: &dyn Device) -> Found {
    let query = LogQuery {
        level: Some(Level::Error),
        ..LogQuery::default()
    };
    let lines = logs::read(device, &query).await?;
    Ok(format!("{} lines of errors", lines.len()))
}

async fn record(device: &dyn Device) -> Found {
    let mut recording = Recording::start(device).await?;
    tokio::time::sleep(RECORDED).await;
    let stopped = recording.stop(device, LIMIT).await;
    let video = match stopped {
        Ok(()) => recording.fetch(device).await,
        Err(error) => Err(error),
    };
    recording.discard(device).await?;
    Ok(format!("{} KiB", video?.len().div_ceil(1024)))
}

/// Asks for a permission of a package that is not there: Android looks at who asks first (AOSP, `enforceGrantRevoke…`).
async fn grant(device: &dyn Device) -> Found {
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
