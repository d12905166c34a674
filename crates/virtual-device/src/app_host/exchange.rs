//! Exchange of calls and answers with app hosts, while the phone's lock is not held.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::{AppHost, AppHosts, HostFailure, HostReply, HostRequest};
use crate::HostCall;

/// Most rounds of answers that lead to further calls, before the rest waits for the next command. Chosen:
/// apps need a few; one that restarts itself forever would block the device.
const MAX_ROUNDS: usize = 50;

/// The hosts that run.
pub(crate) struct Hosts {
    source: Arc<dyn AppHosts>,
    running: BTreeMap<String, RunningHost>,
}

struct RunningHost {
    host: Box<dyn AppHost>,
    /// Difference of its clock to the device's, in milliseconds, once it has begun.
    offset: i64,
    /// Its clock, in milliseconds.
    now: u64,
}

/// Outcome of a call. `request` is `None` if a host could not be started or cleared.
pub(crate) struct HostOutcome {
    pub package: String,
    pub request: Option<HostRequest>,
    pub reply: Result<HostReply, HostFailure>,
}

impl Hosts {
    /// Returns an exchange in which no host runs. `source` starts them.
    pub fn new(source: Arc<dyn AppHosts>) -> Self {
        Self {
            source,
            running: BTreeMap::new(),
        }
    }

    /// Performs the phone's calls until there are none, [`MAX_ROUNDS`] rounds at most. Each round calls `take` once,
    /// and `give` for each outcome. Calls beyond that stay with the phone until the next exchange. The phone is not
    /// locked while a host works.
    pub fn exchange(&mut self, take: impl Fn() -> Vec<HostCall>, give: impl Fn(HostOutcome)) {
        for _ in 0..MAX_ROUNDS {
            let calls = take();
            if calls.is_empty() {
                return;
            }
            for call in calls {
                if let Some(outcome) = self.carry_out(call) {
                    give(outcome);
                }
            }
        }
    }

    /// Performs a call. A host that begins replaces a running one of its package. Returns the outcome of a request, or
    /// a failure to start or clear; `None` if nothing has to be told. A request to a package without a host is silently
    /// dropped. A host that broke or does not respond is ended.
    fn carry_out(&mut self, call: HostCall) -> Option<HostOutcome> {
        match call {
            HostCall::Begin(app) => {
                let package = app.manifest.package.clone();
                self.running.remove(&package);
                match self.source.start(&app) {
                    Ok(host) => {
                        let host = RunningHost {
                            host,
                            offset: 0,
                            now: 0,
                        };
                        self.running.insert(package, host);
                        None
                    }
                    Err(failure) => Some(HostOutcome {
                        package,
                        request: None,
                        reply: Err(failure),
                    }),
                }
            }
            HostCall::End { package, clears } => {
                self.running.remove(&package);
                if !clears {
                    return None;
                }
                let failure = self.source.clear(&package).err()?;
                Some(HostOutcome {
                    package,
                    request: None,
                    reply: Err(failure),
                })
            }
            HostCall::Ask {
                package,
                request,
                at,
            } => {
                let host = self.running.get_mut(&package)?;
                let reply = host.ask(&request, at);
                if matches!(
                    reply,
                    Err(HostFailure::Broken(_) | HostFailure::NotResponding { .. })
                ) {
                    self.running.remove(&package);
                }
                Some(HostOutcome {
                    package,
                    request: Some(request),
                    reply,
                })
            }
        }
    }
}

impl RunningHost {
    /// Brings the host's clock up to the device's time `at`, then sends the request. A clock that is ahead is not set
    /// back. For `Advance` nothing more is sent, and its `ms` is ignored; `Begin` fixes how both clocks relate. Returns
    /// the events of both calls, the earlier ones first; if the request fails, those of the advance are lost.
    fn ask(&mut self, request: &HostRequest, at: Duration) -> Result<HostReply, HostFailure> {
        let at = at.as_millis() as i64;
        let mut earlier = Vec::new();
        let begins = matches!(request, HostRequest::Begin { .. });
        let behind = at + self.offset - self.now as i64;
        // A look advances no time, but the app must catch up with the device's clock.
        if matches!(request, HostRequest::Advance { .. }) {
            let ms = behind.max(0) as u64;
            let reply = self.host.call(&HostRequest::Advance { ms })?;
            return Ok(self.joined(earlier, reply));
        }
        if !begins && behind > 0 {
            let advance = HostRequest::Advance { ms: behind as u64 };
            let reply = self.host.call(&advance)?;
            self.now = reply.state.now;
            earlier = reply.events;
        }
        let reply = self.host.call(request)?;
        if begins {
            self.offset = reply.state.now as i64 - at;
        }
        Ok(self.joined(earlier, reply))
    }

    /// Puts earlier events in front of a reply's own, and keeps the reply's clock.
    fn joined(&mut self, mut earlier: Vec<super::HostEvent>, mut reply: HostReply) -> HostReply {
        self.now = reply.state.now;
        earlier.append(&mut reply.events);
        reply.events = earlier;
        reply
    }
}
