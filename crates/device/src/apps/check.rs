//! Checks of what commands on apps print: success or refusal.

use crate::command::failed;
use crate::{DeviceError, Script, ShellOutput};

/// Finds the first line with which `am start` reports that it started nothing, without the spaces around it:
/// `Error: …`, `Exception occurred while executing 'start':`, `Security exception: …`,
/// `java.lang.SecurityException: …`. `None` if there is no such line. The bare words elsewhere in a line do
/// not count, as they may stand in an app's names.
pub fn refusal(output: &str) -> Option<&str> {
    output.lines().map(str::trim).find(|line| is_refusal(line))
}

/// Returns true if standard error or output has a line of [`refusal`].
pub(super) fn is_refused(output: &ShellOutput) -> bool {
    output.message().has_line(|line| is_refusal(line.trim()))
}

/// Returns true if a line of `am`, without spaces around it, tells a failure: it begins with the word `Error`,
/// with `Exception occurred` or `Security exception`, or with an exception or error with its full class name.
/// Components of apps that are called like one do not count.
fn is_refusal(line: &str) -> bool {
    let first = line.split([':', ' ']).next().unwrap_or_default();
    let is_thrown = first.contains('.')
        && !first.contains('/')
        && (first.ends_with("Exception") || first.ends_with("Error"));
    is_thrown
        || first == "Error"
        || line.starts_with("Exception occurred")
        || line.starts_with("Security exception")
}

/// Returns true if the output of `pm path` has a path: a line that begins with `package:`. An exception may name a
/// package too.
pub(super) fn has_path(output: &str) -> bool {
    let mut lines = output.lines().map(str::trim);
    lines.any(|line| line.starts_with("package:"))
}

/// Fails with [`DeviceError::Command`] unless a line of the output is `Success`. The exit code does not count, as
/// older releases always exit with 0.
pub(super) fn check_success(script: &Script, output: &ShellOutput) -> Result<(), DeviceError> {
    // Older releases always exit with 0; this word is the same in all releases.
    if output.text().lines().any(|line| line.trim() == "Success") {
        Ok(())
    } else {
        Err(failed(script, output))
    }
}

/// Same as [`check_success`], for a command within a longer script. `said` is what the command printed: an error shows it
/// in place of the script's `output`. Exit code 0 is left out: it says of the script that it was not killed, and nothing
/// of the command.
pub(super) fn check_part(
    command: &Script,
    output: &ShellOutput,
    said: &str,
) -> Result<(), DeviceError> {
    let part = ShellOutput {
        stdout: said.trim().as_bytes().to_vec(),
        stderr: output.stderr.clone(),
        exit_code: output.exit_code.filter(|code| *code != 0),
    };
    check_success(command, &part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_refused_by_what_is_said_and_not_by_a_name() {
        for line in [
            "Error: Activity class {a.b/a.b.None} does not exist.",
            "Error type 3",
            "Exception occurred while executing 'start':",
            "Security exception: Permission Denial: starting Intent { }",
            "java.lang.SecurityException: Permission Denial: starting Intent { }",
            "android.util.AndroidException",
        ] {
            let output =
                format!("Starting: Intent {{ cmp=a.b/.None }}\n{line}\n\tat a.b.C(D.java:7)");
            assert_eq!(refusal(&output), Some(line));
        }
        for name in ["ExceptionListActivity", "Error", "java.lang.Exception"] {
            let output = format!(
                "Starting: Intent {{ cmp=a.b/.{name} }}\nWarning: Activity not started, its current task has been brought to the front\nStatus: ok\nLaunchState: WARM\nActivity: a.b/.{name}\nTotalTime: 41\nWaitTime: 43\nComplete\n"
            );
            assert_eq!(refusal(&output), None);
        }
    }

    #[test]
    fn a_package_without_a_path_is_none() {
        for (output, there) in [
            ("package:/data/app/a.b-1/base.apk\n", true),
            (
                "WARNING: linker: x.so\r\npackage:/data/app/a.b-1/base.apk\r\n",
                true,
            ),
            ("", false),
            (
                "java.lang.IllegalArgumentException: Unknown package: a.b\n",
                false,
            ),
        ] {
            assert_eq!(has_path(output), there, "{output}");
        }
    }

    #[test]
    fn an_error_of_a_part_shows_nothing_else_of_its_script() {
        let output = ShellOutput {
            stdout: b"before=7\nFailed\nafter=7\n".to_vec(),
            exit_code: Some(0),
            ..ShellOutput::default()
        };
        let command = Script::command(["pm", "clear", "a.b"]);
        let error = check_part(&command, &output, "Failed\n").unwrap_err();
        let error = error.to_string();
        assert!(error.ends_with("failed on the device: Failed"), "{error}");
        check_part(&command, &output, "Success\r\n").unwrap();
    }
}
