//! The lease of a worker on its device, so that no other run uses it.

use std::time::Duration;

use tokio::time::Instant;

use super::worker::Worker;
use crate::lease::{Lease, LeaseError, Leases};
use crate::runner::pool::Availability;
use runner_text::units::HumanDuration;

/// Interval of checks whether a leased device is free. Chosen: each is one attempt to lock a file.
const LEASE_PAUSE: Duration = Duration::from_millis(250);

impl Worker {
    /// Takes the lease on the device, which a virtual and a WebDriver device do not need, and waits for one that
    /// another run holds, at most as long as `device_wait` says. `None` if it was not released, there is no work for
    /// the device, or the run stops. If leases cannot be written, it warns and goes on without.
    pub(super) async fn lease(&self) -> Option<Lease> {
        let run = &self.run;
        let server = run.settings.config.adb_server();
        let leases = Leases::new(&run.settings.config.lease_folder, &server, "runner test");
        let wait = run.settings.config.device_wait.value;
        let end = Instant::now() + wait;
        let mut is_told = false;
        loop {
            let holder = match leases.take(&self.target) {
                Ok(lease) => return Some(lease),
                Err(LeaseError::Io { folder, source }) => {
                    let why = format!(
                        "no lease on '{}', so another run may use it too: {folder}: {source}",
                        self.target.label
                    );
                    run.emitter.warn(None, why);
                    return Some(Lease::none());
                }
                Err(held) => held.to_string(),
            };
            let in_use = format!("device '{}' is in use: {holder}", self.target.label);
            if Instant::now() >= end {
                let waited = HumanDuration(wait);
                let why = format!(
                    "{in_use}; it was waited for {waited}. Wait until that is done, name another device, or raise --device-wait"
                );
                self.pool.set(self.at, Availability::Out { why }, None);
                return None;
            }
            if !is_told {
                is_told = true;
                self.pool.set(self.at, Availability::InUse, None);
                let limit = HumanDuration(wait);
                run.emitter
                    .info(None, format!("{in_use}; it is waited for, {limit} at most"));
                self.open_pool();
            }
            if run.stops() || !self.pool.has_left(self.at) {
                self.pool
                    .set(self.at, Availability::Out { why: in_use }, None);
                return None;
            }
            let pause = tokio::time::sleep(LEASE_PAUSE);
            run.cancel.run_until_cancelled(pause).await?;
        }
    }
}
