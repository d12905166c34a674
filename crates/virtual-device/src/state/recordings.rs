//! Recordings of the screen, which get a frame after each command.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::{DeviceState, lock};
use crate::screen_recording::ScreenRecording;

impl DeviceState {
    /// Starts a recording and takes the current screen as its first frame. It ends when the last holder drops it.
    pub(crate) fn begin_recording(&self) -> Arc<ScreenRecording> {
        let film = Arc::new(ScreenRecording::default());
        lock(&self.recordings).push(Arc::downgrade(&film));
        self.record_changes();
        film
    }

    /// Ends a recording with the current screen, and returns its video, or `None` without a frame.
    pub(crate) fn end_recording(&self, film: &Arc<ScreenRecording>) -> Option<Vec<u8>> {
        self.record_changes();
        lock(&self.recordings).retain(|other| !std::ptr::eq(other.as_ptr(), Arc::as_ptr(film)));
        film.finish(self.recording_time())
    }

    /// Adds the current screen to the running recordings. Without any, nothing is drawn.
    pub(super) fn record_changes(&self) {
        let recordings: Vec<Arc<ScreenRecording>> = {
            let mut recordings = lock(&self.recordings);
            // A command whose peer has hung up is dropped, and its recording with it.
            recordings.retain(|film| film.strong_count() > 0);
            recordings.iter().filter_map(Weak::upgrade).collect()
        };
        if recordings.is_empty() {
            lock(&self.recorded_frame).take();
            return;
        }
        self.draw_hosts();
        let picture = self.phone().draw();
        // Drawn once for all commands that change nothing.
        *lock(&self.recorded_frame) = Some(Arc::clone(&picture));
        let at = self.recording_time();
        for film in recordings {
            film.take(&picture, at);
        }
    }

    /// Returns real time since the start, also on a device with virtual time, so that the client of a
    /// recording knows which frame shows its act.
    fn recording_time(&self) -> Duration {
        self.started.elapsed()
    }
}
