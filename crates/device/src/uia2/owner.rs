//! Whose session a server has: each of ours carries the machine and the process that began it.

use serde_json::Value;

/// The capability that names the owner.
pub(super) const CAPABILITY: &str = "runner:owner";

/// A process on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    host: String,
    pid: u32,
}

/// Whose a session is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holder {
    /// A run of this program that lives; or nobody can say whether it does.
    Runner(Owner),
    /// This process, or one of this machine that is gone: the session may be ended.
    Nobody,
    /// Another client, such as Appium.
    Other,
}

impl Owner {
    /// This process.
    pub(super) fn this() -> Self {
        Self {
            host: host(),
            pid: std::process::id(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (host, pid) = text.rsplit_once('/')?;
        Some(Self {
            host: host.to_owned(),
            pid: pid.parse().ok()?,
        })
    }

    /// Whose the session with these capabilities is, to this owner.
    pub(super) fn judge(&self, capabilities: &Value) -> Holder {
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
    /// Who it is, in a sentence.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Runner(owner) => format!("runner on {} (process {})", owner.host, owner.pid),
            Self::Nobody => "nobody".to_owned(),
            Self::Other => "another client, such as Appium,".to_owned(),
        }
    }
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    "this-machine".to_owned()
}

#[cfg(unix)]
fn is_alive(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    else {
        return false;
    };
    // One of another person is alive too: it may only not be signalled.
    !matches!(
        rustix::process::test_kill_process(pid),
        Err(rustix::io::Errno::SRCH)
    )
}

/// Nobody can say, so it counts as alive.
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
        let this = Owner::this();
        let of = |owner: &str| this.judge(&json!({ CAPABILITY: owner }));
        assert_eq!(of(&this.to_string()), Holder::Nobody);
        // No process has the highest number.
        assert_eq!(of(&format!("{}/{}", this.host, i32::MAX)), Holder::Nobody);
        assert!(matches!(of("elsewhere/7"), Holder::Runner(_)));
        #[cfg(unix)]
        assert!(matches!(of(&format!("{}/1", this.host)), Holder::Runner(_)));
        assert_eq!(of("nonsense"), Holder::Other);
        assert_eq!(
            this.judge(&json!({ "platformName": "Android" })),
            Holder::Other
        );
    }
}
