//! Command that waits, in the device's shell.

use std::time::Duration;

pub(super) fn sleep(time: Duration) -> String {
    format!("sleep {:.3}", time.as_secs_f64())
}
