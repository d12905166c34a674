//! Exchange of the phone with the processes of real apps.

use std::time::Duration;

use camino::Utf8PathBuf;

use super::{DeviceState, lock};
use crate::app_host::HostOutcome;
use crate::{HostCall, HostDemand};

/// Property with the last fault of an app host, for tests of real apps.
const HOST_FAULT: &str = "runner.host.fault";

impl DeviceState {
    /// Returns the path of the first APK of a package that a person has named in the options, whose code runs.
    /// Returns `None` for all other packages.
    pub(crate) fn named_apk(&self, package: &str) -> Option<Utf8PathBuf> {
        let named = self.named_apks.iter();
        named
            .filter(|app| app.manifest.package == package)
            .map(|app| app.apk.clone())
            .next()
    }

    /// Stores a fault of an app host, which is not the app's fault, as the property [`HOST_FAULT`].
    pub(crate) fn report_host_fault(&self, fault: &str) {
        let mut system = self.system();
        system
            .properties
            .insert(HOST_FAULT.to_owned(), fault.to_owned());
    }

    /// Returns true if apps run in app hosts, so commands may have to wait for their processes.
    pub(crate) fn has_hosts(&self) -> bool {
        self.hosts.is_some()
    }

    /// Performs the phone's calls to app hosts and gives it the answers. Every command ends with it; a
    /// command that needs the answers earlier calls it too. It may block as long as an app takes to answer.
    /// Calls that can wait are skipped if the hosts are at work for another command.
    pub fn exchange(&self) {
        let Some(hosts) = &self.hosts else {
            return;
        };
        // A command that wants nothing does not wait for an app that is at work for another one.
        let demand = self.phone().wants_hosts();
        let free = match demand {
            HostDemand::Nothing => return,
            HostDemand::Upkeep => hosts.try_lock().ok(),
            HostDemand::Answers => Some(lock(hosts)),
        };
        let Some(mut hosts) = free else {
            return;
        };
        hosts.exchange(
            || self.take_host_calls(),
            |outcome| self.take_outcome(outcome),
        );
    }

    /// Takes the phone's calls to app hosts. A call that begins a host forgets the last [`HOST_FAULT`].
    fn take_host_calls(&self) -> Vec<HostCall> {
        let calls = self.phone().take_host_calls();
        if calls.iter().any(|call| matches!(call, HostCall::Begin(_))) {
            self.system().properties.remove(HOST_FAULT);
        }
        calls
    }

    /// Gives the phone a host's answer. Stores a fault that this shows, and advances the virtual clock by the time
    /// the host has moved, unless the device is realistic.
    fn take_outcome(&self, outcome: HostOutcome) {
        let HostOutcome {
            package,
            request,
            reply,
        } = outcome;
        let moved = self.phone().answer_host(&package, request.as_ref(), reply);
        let fault = self.phone().take_host_fault();
        if let Some(fault) = fault {
            self.report_host_fault(&fault);
        }
        if !moved.is_zero() && !self.realistic {
            lock(&self.clock).skipped += moved;
        }
    }

    /// Asks the app in front to come to rest within `limit`, which may advance the device's time, and waits for
    /// its answer. Returns false at once if no running host is in front; true says only that it was asked.
    pub(crate) fn rest(&self, limit: Duration) -> bool {
        self.exchange();
        let asked = self.phone().request_rest(limit);
        if asked {
            self.exchange();
        }
        asked
    }

    /// Requests the pictures that app hosts have not drawn yet, and waits for them. Without app hosts it does
    /// nothing.
    pub(crate) fn draw_hosts(&self) {
        if self.has_hosts() {
            self.exchange();
            self.phone().request_pictures();
            self.exchange();
        }
    }
}
