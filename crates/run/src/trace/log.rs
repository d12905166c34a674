//! Records the app's log lines during an attempt, with the time of each.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::AbortHandle;

use super::files::FOLDER;
use crate::artifacts::ArtifactFolder;
use crate::reporter::Reporter;
use runner_device::logs::{self, FollowOptions, FollowedLine, Level, LogLine};
use runner_device::{Device, DeviceError};
use runner_event::{Artifact, ArtifactKind};

/// Chosen: newest lines that are kept in memory until the attempt ends.
const MAX_LINES: usize = 5000;

/// Follows the log from now on. A server's log is not polled, as each poll would fetch the whole log.
const NEW_LINES: FollowOptions<'_> = FollowOptions {
    last: 1,
    buffers: &[],
    filters: &[],
    poll: None,
};

/// Reader of the log. Dropping it stops reading.
pub(super) struct LogRecorder {
    reading: AbortHandle,
    lines: Arc<Mutex<Lines>>,
}

#[derive(Default)]
struct Lines {
    package: String,
    /// Process ids of the app, from the system's messages about their starts.
    pids: BTreeSet<u32>,
    lines: VecDeque<(u64, LogLine)>,
}

impl Drop for LogRecorder {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl LogRecorder {
    /// Starts to read from now on, in the background. Lines of the app's processes, running and later ones,
    /// will count. `began_ms` is the attempt's beginning in the run. A device without a log has no lines, and
    /// errors are ignored.
    pub(super) fn start(
        device: Arc<dyn Device>,
        package: &str,
        reporter: &Reporter,
        began_ms: u64,
    ) -> Self {
        let lines = Arc::new(Mutex::new(Lines {
            package: package.to_owned(),
            ..Lines::default()
        }));
        let (into, reporter) = (Arc::clone(&lines), reporter.clone());
        let reading = tokio::spawn(async move {
            // The log is an extra: what cannot be read is left out.
            let _: Result<(), DeviceError> = async {
                let package = lock(&into).package.clone();
                let limit = runner_engine::MIN_REQUEST_LIMIT;
                let pids = logs::processes(device.as_ref(), &package, limit).await;
                lock(&into).pids.extend(pids);
                let mut log = logs::follow(&device, NEW_LINES).await?;
                while let Some(line) = log.next().await? {
                    let at_ms = reporter.elapsed_ms().saturating_sub(began_ms);
                    lock(&into).add(at_ms, line);
                }
                Ok(())
            }
            .await;
        });
        Self {
            reading: reading.abort_handle(),
            lines,
        }
    }

    /// Stops reading, and writes the app's lines to `app.log` in the trace's folder, if there are any. `None` without
    /// lines, and if the file cannot be written.
    pub(super) fn keep(self, folder: &ArtifactFolder) -> Option<Artifact> {
        let text = lock(&self.lines).text();
        let name = format!("{FOLDER}/app.log");
        // A full disk was reported with the screens already.
        let stored = (!text.is_empty()).then(|| folder.write_text(ArtifactKind::Log, &name, &text));
        stored?.ok()
    }
}

fn lock(lines: &Mutex<Lines>) -> std::sync::MutexGuard<'_, Lines> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lines {
    /// Adds a line of the log with its time, of whichever process: [`Self::text`] picks those of the app. A
    /// line that says that the app's process started makes all lines of that process count. The oldest line
    /// goes once there are [`MAX_LINES`]. What is no log line is dropped.
    fn add(&mut self, at_ms: u64, line: FollowedLine) {
        let FollowedLine::Log(line) = line else {
            return;
        };
        self.pids.extend(logs::started(&line, &self.package));
        if self.lines.len() == MAX_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back((at_ms, line));
    }

    /// Returns the lines of the app, and errors of the system whose message contains its package, each after
    /// its milliseconds since the attempt's beginning and a tab.
    fn text(&self) -> String {
        let mut text = String::new();
        for (at_ms, line) in &self.lines {
            let is_own = self.pids.contains(&line.pid);
            let is_about = line.level >= Level::Error && line.message.contains(&self.package);
            if is_own || is_about {
                // Writing to a string does not fail.
                let _ = writeln!(text, "{at_ms}\t{}", line.raw);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_app_are_kept_with_their_times() {
        let mut lines = Lines {
            package: "com.example.a".to_owned(),
            pids: BTreeSet::from([7]),
            ..Lines::default()
        };
        for (at, line) in [
            (1, "--------- beginning of main"),
            (2, "04-24 18:34:14.408     7     7 I App     : one"),
            (3, "04-24 18:34:14.409     8     8 I Other   : two"),
            (
                4,
                "04-24 18:34:14.410     1     1 I ActivityManager: Start proc 9:com.example.a/u0a1 for x",
            ),
            (5, "04-24 18:34:14.411     9     9 W App     : three"),
            (
                6,
                "04-24 18:34:14.412     1     1 E Am      : ANR in com.example.a",
            ),
        ] {
            lines.add(at, FollowedLine::parse(line.to_owned()));
        }
        let text = lines.text();
        let at: Vec<&str> = text.lines().map(|line| &line[..1]).collect();
        assert_eq!(at, ["2", "5", "6"], "{text}");
    }
}
