//! Queue of calls to app hosts, until the device takes them.

use std::time::Duration;

use crate::app_host::{HostRequest, HostedApp};

#[derive(Debug, Clone, PartialEq)]
pub enum HostCall {
    /// Starts a process.
    Begin(HostedApp),
    /// Sends a request.
    Ask {
        package: String,
        request: HostRequest,
        /// The phone's time, to which the host's clock is brought up first; it is never set back.
        at: Duration,
    },
    /// Ends the process.
    End {
        package: String,
        /// The app's data is removed too.
        clears: bool,
    },
}

/// Calls in the order in which they were queued.
#[derive(Default)]
pub(in crate::apps::phone) struct Outbox {
    calls: Vec<HostCall>,
}

impl Outbox {
    pub fn push(&mut self, call: HostCall) {
        self.calls.push(call);
    }

    /// Queues a request behind all others. `at` is the phone's time, to which the host's clock is brought up first.
    pub fn ask(&mut self, package: &str, request: HostRequest, at: Duration) {
        self.calls.push(HostCall::Ask {
            package: package.to_owned(),
            request,
            at,
        });
    }

    /// Queues an advance of the clock of an app's host to a time. If the last queued call is such an advance
    /// of this app, only its time changes.
    pub fn advance(&mut self, package: &str, to: Duration) {
        if let Some(HostCall::Ask {
            package: last,
            request: HostRequest::Advance { .. },
            at,
        }) = self.calls.last_mut()
            && last == package
        {
            *at = to;
            return;
        }
        self.ask(package, HostRequest::Advance { ms: 0 }, to);
    }

    /// Returns true if any queued call does more than advance a clock. An empty queue gives false.
    pub fn wants_answers(&self) -> bool {
        let is_time = |call: &HostCall| {
            matches!(
                call,
                HostCall::Ask {
                    request: HostRequest::Advance { .. },
                    ..
                }
            )
        };
        !self.calls.iter().all(is_time)
    }

    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    pub fn take(&mut self) -> Vec<HostCall> {
        std::mem::take(&mut self.calls)
    }

    /// Drops the queued requests to an app whose process has ended. Its starts and ends stay.
    pub fn drop_requests(&mut self, gone: &str) {
        self.calls
            .retain(|call| !matches!(call, HostCall::Ask { package, .. } if package == gone));
    }
}
