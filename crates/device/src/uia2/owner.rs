//! Owners of a server's session: each session of this program carries the computer and the process that began
//! it.

use serde_json::Value;

/// Capability that names the owner.
pub(super) const CAPABILITY: &str = "runner:owner";

/// Process on a computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    host: String,
    pid: u32,
}

/// Holder of a session, as seen by this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holder {
    /// Another run of this program that is alive, or may be.
    Runner(Owner),
    /// Nobody else: this process began the session, or one of this computer that has ended. The session may
    /// be ended.
    Nobody,
    /// Another client, such as Appium.
    Other,
}

impl Owner {
    /// Returns this process.
    pub(super) fn current() -> Self {
        Self {
            host: host(),
            pid: std::process::id(),
        }
    }

    /// Parses `HOST/PID`. The host may hold slashes. `None` without a slash or a number behind the last.
    fn parse(text: &str) -> Option<Self> {
        let (host, pid) = text.rsplit_once('/')?;
        Some(Self {
            host: host.to_owned(),
            pid: pid.parse().ok()?,
        })
    }

    /// Returns the holder of the session with these capabilities. Without the runner's capability it is
    /// [`Holder::Other`]. It is [`Holder::Nobody`] if the named process is this one, or ran on this computer
    /// and has ended; a process of another computer counts as alive.
    pub(super) fn find_holder(&self, capabilities: &Value) -> Holder {
        let named = capabilities.get(CAPABILITY).and_then(Value::as_str);
        let Some(owner) = named.and_then(Self::parse) else {
            return Holder::Other;
        };
        let is_over = owner.host == self.host && (owner.pid == self.pid || !is_alive(owner.pid));
        if is_over {
            Holder::Nobody
        } else {
            Holder::Runner(owner)
        }
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.host, self.pid)
    }
}

impl Holder {
    /// Describes the holder for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Runner(owner) => format!("runner on {} (process {})", owner.host, owner.pid),
            Self::Nobody => "nobody".to_owned(),
            Self::Other => "another client, such as Appium,".to_owned(),
        }
    }
}

/// Returns the name of this computer in its network.
#[cfg(unix)]
fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// Returns the same name on each computer, as this system cannot be asked.
#[cfg(not(unix))]
fn host() -> String {
    "this-machine".to_owned()
}

/// Returns true if a process of this id runs on this computer, whosever it is.
#[cfg(unix)]
fn is_alive(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    else {
        return false;
    };
    // Another user's process is alive too, although it may not be signalled.
    !matches!(
        rustix::process::test_kill_process(pid),
        Err(rustix::io::Errno::SRCH)
    )
}

/// Counts every process as alive, as this system cannot be asked.
#[cfg(not(unix))]
fn is_alive(_pid: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_is_ours_anothers_or_left_behind() {
        let this = Owner::current();
        let of = |owner: &str| this.find_holder(&json!({ CAPABILITY: owner }));
        assert_eq!(of(&this.to_string()), Holder::Nobody);
        // No process has the highest possible id.
        assert_eq!(of(&format!("{}/{}", this.host, i32::MAX)), Holder::Nobody);
        assert!(matches!(of("elsewhere/7"), Holder::Runner(_)));
        #[cfg(unix)]
        assert!(matches!(of(&format!("{}/1", this.host)), Holder::Runner(_)));
        assert_eq!(of("nonsense"), Holder::Other);
        assert_eq!(
            this.find_holder(&json!({ "platformName": "Android" })),
            Holder::Other
        );
    }
}
