//! States of apps: installed, running, in front; and which app is the home screen.

use super::check::has_path;
use crate::command::{QUICK, failed};
use crate::processes::{not_answered, process_ids};
use crate::questions::ask_texts;
use crate::windows::{self, Answers};
use crate::{Device, DeviceError, Script};

/// Package of the system's own permissions and dialogs.
const FRAMEWORK: &str = "android";

/// Returns true if the package is installed. A device's own server is asked by its list of apps. An empty answer
/// counts as "no" only if the same question finds the package `android`, which always exists; then the package is
/// asked for once more.
///
/// # Errors
/// Fails if the package manager does not answer, or exits with a code other than 0 and 1.
pub async fn is_installed(device: &dyn Device, package: &str) -> Result<bool, DeviceError> {
    if let Some(system) = device.system() {
        let apps = system.apps().await?;
        return Ok(apps.iter().any(|app| app.package == package));
    }
    let script = Script::command(["pm", "path", package]);
    let output = device.shell(&script, QUICK).await?;
    if has_path(&output.text()) {
        return Ok(true);
    }
    // For an unknown package `pm` prints nothing and exits with 1, in old releases with 0. All other output is no answer.
    match output.exit_code {
        Some(0 | 1) if package == FRAMEWORK => Ok(false),
        // An empty output counts only if `pm` finds the framework, which always exists.
        Some(0 | 1) if Box::pin(is_installed(device, FRAMEWORK)).await? => {
            let again = device.shell(&script, QUICK).await?;
            Ok(has_path(&again.text()))
        }
        Some(0 | 1) => Err(not_answered("pm path", output.message())),
        _ => Err(failed(&script, &output)),
    }
}

/// Returns package and activity (`.Main`) in front; `None` if no app's window is found. Reads the displays and windows
/// of `dumpsys window`, and the resumed activity; a device's own server is asked instead. A command that fails counts
/// as one that found nothing. Fails if the device does not answer within 15 s.
pub async fn foreground(device: &dyn Device) -> Result<Option<(String, String)>, DeviceError> {
    if let Some(system) = device.system() {
        return system.foreground().await;
    }
    let questions = [
        "dumpsys window displays 2>&1",
        "dumpsys window windows 2>&1 | grep -E 'mCurrentFocus|mFocusedApp'",
        windows::RESUMED_ACTIVITY,
    ];
    let [displays, windows, activities] =
        ask_texts(device, "dumpsys window", questions, QUICK).await?;
    Ok(windows::foreground(&Answers {
        displays: &displays,
        windows: &windows,
        activities: &activities,
        input_method: "",
    }))
}

/// Returns true if the app has a process, whether in front or not.
///
/// # Errors
/// Returns [`DeviceError::NotAnswered`] if the device does not list its processes.
pub async fn is_running(device: &dyn Device, package: &str) -> Result<bool, DeviceError> {
    if let Some(system) = device.system() {
        return system.is_running(package).await;
    }
    Ok(!process_ids(device, package, QUICK).await?.is_empty())
}

/// Returns the package of the home screen: the part before the slash in the last line of the answer. `None` if that
/// line has no slash. The exit code is not checked. Fails only if the device does not answer within 15 s.
pub async fn home(device: &dyn Device) -> Result<Option<String>, DeviceError> {
    let words = "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME";
    let script = Script::command(words.split(' '));
    let output = device.shell(&script, QUICK).await?;
    let text = output.text();
    let last = text.lines().map(str::trim).next_back().unwrap_or_default();
    Ok(last.split_once('/').map(|(package, _)| package.to_owned()))
}

#[cfg(test)]
mod tests {
    use runner_text::secret::from_outside;

    use super::*;
    use crate::ShellOutput;
    use crate::fake::Fake;
    use crate::processes::read_process_ids;

    #[test]
    fn process_ids_read_from_both_tools() {
        let Some(table) =
            runner_testing::recorded_text("commands/ps--appium-adb__process-commands_L95.txt")
        else {
            return;
        };
        assert_eq!(
            read_process_ids(&table, "com.android.phone"),
            Some(vec![929, 930])
        );
        assert_eq!(read_process_ids(&table, "com.android"), Some(Vec::new()));
        assert_eq!(read_process_ids("4711 4712\n", "x"), Some(vec![4711, 4712]));
        let head = "USER PID PPID NAME\n";
        for no_answer in ["", "\n", "Error: out of memory\n", head, &head.repeat(2)] {
            assert_eq!(read_process_ids(no_answer, "x"), None);
        }
        let table = format!("{head}{head}\nu0_a1 7 1 a.b\n");
        assert_eq!(read_process_ids(&table, "a.b"), Some(vec![7]));
        let warning = "WARNING: linker: libx.so has text relocations\n\n";
        for answer in ["7\n", "USER PID NAME\nu0_a1 7 a.b\n"] {
            let after_a_warning = format!("{warning}{answer}");
            assert_eq!(read_process_ids(&after_a_warning, "a.b"), Some(vec![7]));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_for_processes_that_is_repeated_still_only_reads() {
        let mut asked = 0;
        let phone = Fake::showing([""]).on_shell(move |_| {
            asked += 1;
            let said: &[u8] = if asked < 3 { b"busy\n" } else { b"7\n" };
            ShellOutput {
                stdout: said.to_vec(),
                exit_code: Some(0),
                ..ShellOutput::default()
            }
        });
        let ids = process_ids(phone.as_ref(), "a.b", QUICK).await.unwrap();
        assert_eq!(ids, [7]);
        assert_eq!(phone.counters().read().round_trips, 3);
        assert_eq!(phone.counters().changing(), 0);
    }

    /// Android 5 has no `pidof`, and its `ps` takes `-A` for the name of a process.
    #[tokio::test(start_paused = true)]
    async fn an_app_runs_also_where_ps_knows_no_option() {
        for (package, ids) in [("a.b", vec![7_u32]), ("a.c", vec![])] {
            let phone = Fake::showing([""]).on_shell(|script| {
                let head = "USER PID PPID NAME\n";
                let plain = script.contains("; ps;");
                let all = if plain { "u0_a1 7 1 a.b\n" } else { "" };
                ShellOutput {
                    stdout: format!("{head}{all}").into_bytes(),
                    exit_code: Some(0),
                    ..ShellOutput::default()
                }
            });
            let found = process_ids(phone.as_ref(), package, QUICK).await.unwrap();
            assert_eq!(found, ids, "{package}");
        }
    }

    #[test]
    fn every_process_of_every_recorded_table_is_found() {
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/ps--") {
                continue;
            }
            let text = from_outside(&bytes);
            let head = text.lines().find(|line| line.contains("PID")).unwrap();
            // A second parser: by the column's position in the heading, which the digits below it overlap.
            let end = head.find("PID").unwrap() + 3;
            let rows = text.lines().skip_while(|line| *line != head).skip(1);
            for row in rows
                .filter(|row| row.split_whitespace().count() > 5)
                .step_by(runner_testing::long(25, 1))
            {
                let process = row.split_whitespace().next_back().unwrap();
                let found = read_process_ids(&text, process).unwrap();
                assert!(!found.is_empty(), "{name}: {row}");
                let below = row
                    .get(..end)
                    .and_then(|left| left.split_whitespace().next_back()?.parse().ok());
                if let Some(id) =
                    below.filter(|_| row.get(end..).is_some_and(|rest| rest.starts_with(' ')))
                {
                    assert!(found.contains(&id), "{name}: {row}: {found:?}");
                }
            }
        }
    }
}
