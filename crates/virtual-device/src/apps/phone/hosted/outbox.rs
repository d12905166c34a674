//! What the phone wants of hosts, until the device takes it.

use std::time::Duration;

use crate::hosted::{HostRequest, HostedApp};

/// What the phone wants of the host of an app.
#[derive(Debug, Clone, PartialEq)]
pub enum HostCall {
    /// A new process.
    Begin(HostedApp),
    /// An answer.
    Ask {
        /// The app.
        package: String,
        /// What is asked.
        request: HostRequest,
        /// The phone's time. The host's clock is brought there first.
        at: Duration,
    },
    /// The end of its process.
    End {
        /// The app.
        package: String,
        /// Its data goes too.
        clears: bool,
    },
}

/// Calls in their order.
#[derive(Default)]
pub(in crate::apps::phone) struct Outbox {
    calls: Vec<HostCall>,
}

impl Outbox {
    pub fn push(&mut self, call: HostCall) {
        self.calls.push(call);
    }

    pub fn ask(&mut self, package: &str, request: HostRequest, at: Duration) {
        self.calls.push(HostCall::Ask {
            package: package.to_owned(),
            request,
            at,
        });
    }

    /// Lets the time of an app's host pass. Times that follow each other are one.
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

    /// Whether more is wanted than that time passes.
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

    /// Drops what is still wanted of an app whose process has ended.
    pub fn forget(&mut self, gone: &str) {
        self.calls
            .retain(|call| !matches!(call, HostCall::Ask { package, .. } if package == gone));
    }
}
