//! Runs `am start` and waits until the app is there.

use std::time::Duration;

use super::check::is_refused;
use super::state::{foreground, is_running};
use crate::command::{failed, no_effect};
use crate::logs::{self, Level, LogLine, LogQuery};
use crate::{Device, DeviceError, Script};
use runner_text::units::RoundedDuration;

/// Limit for an app to come to the front. Chosen: a first start on a loaded emulator takes tens of seconds.
pub(super) const LAUNCH_LIMIT: Duration = Duration::from_mins(1);

/// Time after which `am start` may be one that never returns. Chosen: longer than nearly all launches.
const USUAL_LAUNCH: Duration = Duration::from_secs(10);

/// Pause between two questions for the app in front. Chosen: each costs the device a `dumpsys`, and a launch
/// that takes so long is rare.
const FRONT_PAUSE: Duration = Duration::from_secs(3);

/// Opens a link by an intent `VIEW`, as if a person had tapped it. With a package only that app may take it;
/// without one the system chooses, and may show a question. Waits until the first frame is drawn. A device behind
/// a server leaves this to the server.
///
/// # Errors
/// Fails if no app takes the link, if nothing is drawn within a minute, or if the named app afterwards
/// neither is in front nor runs.
pub async fn open_link(
    device: &dyn Device,
    link: &str,
    package: Option<&str>,
) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.open_link(link, package).await;
    }
    let mut words = vec![
        "am",
        "start",
        "-W",
        "-a",
        "android.intent.action.VIEW",
        "-d",
        link,
    ];
    if let Some(package) = package {
        words.extend(["-p", package]);
    }
    start(device, &words, package, true).await
}

/// Runs an `am start -W`. On some phones it never returns although the app is there (appium/appium#12081), so
/// after 10 seconds the wait also ends with success once `package` was in front twice in a row.
///
/// # Errors
/// Fails if `am` refuses, if the app draws nothing within a minute, or, with `confirm` and a package, if
/// afterwards another app is in front and this one does not run. An activity of the package in the output of
/// `am` is proof enough. If the limit passes and the app has no process, the error is
/// [`DeviceError::Timeout`].
pub(super) async fn start(
    device: &dyn Device,
    words: &[&str],
    package: Option<&str>,
    confirm: bool,
) -> Result<(), DeviceError> {
    let script = Script::command(words);
    let output = tokio::select! {
        output = device.shell(&script, LAUNCH_LIMIT) => output,
        () = wait_for_front(device, package) => {
            tracing::info!(target: "adb", ?package, "`am start -W` does not return; the app is in front");
            return Ok(());
        }
    };
    let output = match output {
        // The system started nothing: an app that merely draws nothing would have a process.
        Err(error @ DeviceError::Timeout { .. }) if has_no_process(device, package).await => {
            return Err(error);
        }
        // The device answers, so it is the app that draws nothing.
        Err(DeviceError::Timeout { limit, .. }) => {
            return Err(DeviceError::Command {
                command: script.label().to_owned(),
                exit_code: None,
                output: format!("the app drew nothing within {}", RoundedDuration(limit)),
            });
        }
        output => output?,
    };
    if is_refused(&output) || output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(&script, &output));
    }
    let Some(package) =
        package.filter(|package| confirm && !starts_activity_of(&output.text(), package))
    else {
        return Ok(());
    };
    // `am` does not report that the app's activity started, so the app in front decides. Another one may be there for it: a
    // question of the system, a browser.
    match foreground(device).await? {
        Some((front, _)) if front != package && !is_running(device, package).await? => {
            let query = LogQuery {
                level: Some(Level::Info),
                ..LogQuery::default()
            };
            let log = logs::read(device, &query).await.unwrap_or_default();
            let end = match find_exit_code(&log, package) {
                Some(code) => format!("the app has ended itself with exit code {code}"),
                None => "the app does not run".to_owned(),
            };
            Err(no_effect(&script, format!("{end}; in front is {front}")))
        }
        _ => Ok(()),
    }
}

/// Returns the exit code with which the app's last process ended itself, from the system's log. Takes the
/// newest line that says that a process of the package died, then the newest line of `Zygote` that this
/// process exited cleanly. `None` if either is missing.
fn find_exit_code<'l>(log: &'l [LogLine], package: &str) -> Option<&'l str> {
    let died = format!("Process {package} (pid ");
    let pid = log.iter().rev().find_map(|line| {
        let (pid, rest) = line.message.strip_prefix(&died)?.split_once(')')?;
        rest.contains("died").then_some(pid)
    })?;
    let exited = format!("Process {pid} exited cleanly (");
    let mut said = log.iter().rev().filter(|line| line.tag == "Zygote");
    said.find_map(|line| line.message.strip_prefix(&exited)?.strip_suffix(')'))
}

/// Returns true if the output of `am start -W` names an activity of the package as started.
fn starts_activity_of(output: &str, package: &str) -> bool {
    output.lines().any(|line| {
        let activity = line.trim().strip_prefix("Activity:").map(str::trim);
        activity
            .and_then(|it| it.split_once('/'))
            .is_some_and(|(owner, _)| owner == package)
    })
}

/// Returns true if the package certainly has no process. False without a package, and if the device does not
/// answer.
async fn has_no_process(device: &dyn Device, package: Option<&str>) -> bool {
    match package {
        Some(package) => is_running(device, package).await.is_ok_and(|runs| !runs),
        None => false,
    }
}

/// Returns once the package was in front in two looks in a row, 3 seconds apart. The first look is 13 seconds
/// after the call, as a usual launch takes up to 10. Errors of a look count as "not in front". Never returns
/// without a package, so the caller must bound it.
async fn wait_for_front(device: &dyn Device, package: Option<&str>) {
    let mut seen = 0;
    tokio::time::sleep(USUAL_LAUNCH).await;
    while seen < 2 {
        tokio::time::sleep(FRONT_PAUSE).await;
        let front = foreground(device).await.ok().flatten();
        let is_there = front.is_some_and(|(front, _)| Some(front.as_str()) == package);
        seen = if is_there { seen + 1 } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Launch, launch};
    use super::*;
    use crate::ShellOutput;
    use crate::fake::Fake;

    #[test]
    fn an_exit_of_the_apps_own_is_told_from_the_log() {
        let line = |tag: &str, message: &str| LogLine {
            time: String::new(),
            pid: 1,
            level: Level::Info,
            tag: tag.to_owned(),
            message: message.to_owned(),
            raw: String::new(),
        };
        let died = |pid| format!("Process com.example.shop (pid {pid}) has died: fg  TOP");
        let mut log = vec![
            line("Zygote", "Process 41 exited cleanly (7)"),
            line("Zygote", "Process 42 exited cleanly (0)"),
            line("ActivityManager", &died(41)),
        ];
        assert_eq!(find_exit_code(&log, "com.example.shop"), Some("7"));
        assert_eq!(find_exit_code(&log, "com.example"), None);
        // A crash after it.
        log.push(line("Zygote", "Process 43 exited due to signal 9 (Killed)"));
        log.push(line("ActivityManager", &died(43)));
        assert_eq!(find_exit_code(&log, "com.example.shop"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_that_never_returns_is_over_once_the_app_is_in_front() {
        for (front, is_there) in [("a.b/.Main", true), ("other/.Main", false)] {
            let fake = Fake::showing([""]).on_shell(move |script| {
                let text = match script {
                    script if script.contains("resolve-activity") => "a.b/.Main\n".to_owned(),
                    _ => format!("  mCurrentFocus=Window{{1 u0 {front}}}\n"),
                };
                ShellOutput {
                    stdout: text.into_bytes(),
                    exit_code: Some(0),
                    ..ShellOutput::default()
                }
            });
            fake.with(|state| state.hangs_at = Some("am start"));
            let wanted = Launch {
                package: "a.b",
                ..Launch::default()
            };
            let waited = tokio::time::timeout(USUAL_LAUNCH * 2, launch(fake.as_ref(), &wanted));
            assert_eq!(waited.await.is_ok_and(|result| result.is_ok()), is_there);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_that_begins_nothing_is_a_fault_of_the_device() {
        for (processes, is_fault) in [("", true), ("4711\n", false)] {
            let fake = Fake::showing([""]).on_shell(move |script| ShellOutput {
                stdout: match script {
                    script if script.contains("resolve-activity") => b"a.b/.Main\n".to_vec(),
                    script if script.contains("pidof") => processes.as_bytes().to_vec(),
                    _ => b"  mCurrentFocus=Window{1 u0 other/.Main}\n".to_vec(),
                },
                exit_code: Some(0),
                ..ShellOutput::default()
            });
            fake.with(|state| state.hangs_at = Some("am start"));
            let wanted = Launch {
                package: "a.b",
                ..Launch::default()
            };
            let error = launch(fake.as_ref(), &wanted).await.unwrap_err();
            assert_eq!(error.is_infrastructure(), is_fault, "{error}");
        }
    }
}
