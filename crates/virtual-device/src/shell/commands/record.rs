//! `screenrecord`: a video that ends when it is interrupted.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Call, Outcome, RunningCommand};
use crate::screen_recording::ScreenRecording;
use crate::state::DeviceState;

/// Longest recording: the default of Android's `screenrecord`, and the limit of older ones.
const MAX_RECORDING: Duration = Duration::from_mins(3);

/// `screenrecord [--time-limit SECONDS] FILE`: makes the file empty and starts to record, for 180 s unless a limit is
/// given. The last path counts; size, rate and unknown options are ignored. A limit outside of 1 to 180 and a missing
/// path give 2, a file that cannot be made 1. A recording that has begun ends with the exit code of
/// [`Recording::run_to_end`].
pub(super) fn screenrecord(call: &mut Call) -> Outcome {
    let mut limit = MAX_RECORDING;
    let mut path = None;
    let mut words = call.owned_args().into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--time-limit" => {
                let seconds = words.next().and_then(|text| text.parse::<u64>().ok());
                match seconds.filter(|seconds| (1..=180).contains(seconds)) {
                    Some(seconds) => limit = Duration::from_secs(seconds),
                    None => return call.fail(2, "Time limit must be between 1 and 180 seconds"),
                }
            }
            "--size" | "--bit-rate" | "--display-id" | "--codec-name" => drop(words.next()),
            "--version" => {
                call.say("1.3");
                return Outcome::Exit(0);
            }
            _ if word.starts_with('-') => {}
            _ => path = Some(word),
        }
    }
    let Some(path) = path else {
        return call.fail(2, "Must specify output file (see --help).");
    };
    let path = call.path(&path);
    call.device.take_storage_fault();
    // The file is there from the start, and is not a video until the end.
    if let Err(error) = call.device.storage.write(&path, b"") {
        return call.fail(1, format!("Unable to open '{path}': {error}"));
    }
    let film = call.device.begin_recording();
    Outcome::Running(RunningCommand::Record(Recording {
        unfinished: Some(ActiveRecording { path, film }),
        device: Arc::clone(&call.device),
        limit,
    }))
}

/// A running recording. Its file is finished however it ends.
#[derive(Debug)]
pub(in super::super) struct Recording {
    unfinished: Option<ActiveRecording>,
    device: Arc<DeviceState>,
    limit: Duration,
}

#[derive(Debug)]
struct ActiveRecording {
    path: String,
    film: Arc<ScreenRecording>,
}

impl ActiveRecording {
    /// Ends the recording and writes its video, unless the file was removed meanwhile. Without a frame the file stays
    /// empty. A failure is only logged on the device.
    fn finish(&self, device: &DeviceState) {
        let film = device.end_recording(&self.film);
        // A file that was removed meanwhile is not made again: on a phone the tool writes to the unlinked file.
        if device.storage.stat(&self.path).is_ok()
            && let Some(bytes) = film
            && let Err(error) = device.storage.write(&self.path, &bytes)
        {
            device.log_line(
                'E',
                "ScreenRecord",
                &format!("could not write {}: {error}", self.path),
                0,
            );
        }
    }
}

impl Recording {
    /// Records until the limit in real time, or until it is interrupted, and writes the file. Returns 0 in both
    /// cases, also if the file cannot be written.
    pub(super) async fn run_to_end(mut self, interrupt: &CancellationToken) -> i32 {
        // A recording lasts until it is interrupted, so its time is real even if the device's is virtual.
        interrupt
            .run_until_cancelled(tokio::time::sleep(self.limit))
            .await;
        if let Some(unfinished) = self.unfinished.take() {
            let device = Arc::clone(&self.device);
            let _ = tokio::task::spawn_blocking(move || unfinished.finish(&device)).await;
        }
        0
    }
}

impl Drop for Recording {
    /// Finishes the file in the background if the peer hangs up, as screenrecord does. Outside a runtime the file is
    /// lost. After [`Self::run_to_end`] it does nothing.
    fn drop(&mut self) {
        let Some(unfinished) = self.unfinished.take() else {
            return;
        };
        let device = Arc::clone(&self.device);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn_blocking(move || unfinished.finish(&device));
        }
    }
}
