//! Faults of real devices that the device can show on demand, one by one, always or a number of times.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runner_text::units::HumanDuration;

use super::likely_names::{self, Meaning};

/// A fault. It occurs at an occasion of its kind, such as a dump or a command, which uses up one of its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A dump gives up after this much real time: `ERROR: could not get idle state.`
    CouldNotGetIdle(Duration),
    /// A dump finds no window: `ERROR: null root node returned by UiTestAutomationBridge.`
    NullRoot,
    /// A dump is cut off in the middle.
    TruncatedDump,
    /// A dump reports success and writes nothing.
    MissingDump,
    /// A dump of all windows lacks the focused one.
    PartialDump,
    /// Another client holds the only `UiAutomation` slot.
    SlotTaken,
    /// The system kills a dump.
    ProcessKilled,
    /// The system kills a command: it does nothing and exits with 137. Builtins of the shell are not
    /// affected.
    CommandKilled,
    /// A command takes this much more real time.
    SlowCommand(Duration),
    /// A command never ends.
    HungCommand,
    /// A command's answer begins with a line of the phone's maker, on both streams.
    Noise,
    /// The connection ends at a command, after this many commands were answered.
    DroppedConnection(u32),
    /// The connection ends in the middle of a command's output.
    DroppedOutput,
    /// The device does not answer new connections.
    Offline,
    /// The device asks for a key and accepts none.
    Unauthorized,
    /// `screencap -p` prints something that is not a PNG.
    BadScreenshot,
    /// `screencap` prints half of its picture.
    TruncatedScreenshot,
    /// `screencap` prints a complete PNG that holds no picture.
    DamagedScreenshot,
    /// A dump never ends.
    HungDump,
    /// `screencap` never ends.
    HungScreenshot,
    /// An input command never ends.
    HungInput,
    /// An input command is refused with an error.
    RefusedInput,
    /// Files cannot be written any more.
    StorageFull,
    /// The app in front crashes at an input.
    DeadApp,
    /// An input command does nothing.
    LostInput,
    /// A second display exists.
    SeveralDisplays,
    /// The window in front is secure: `screencap` prints a black picture.
    SecureWindow,
    /// A lock screen with a PIN covers the apps.
    Locked,
    /// The `UiAutomator2` server is killed while it reads the screen.
    Uia2Killed,
    /// The `UiAutomator2` server's connection ends in the middle of the screen's source.
    Uia2CutLook,
    /// The `UiAutomator2` server answers with 50 MB of source.
    Uia2HugeLook,
    /// The `UiAutomator2` server never answers a request for the screen.
    Uia2HungLook,
    /// Another client has opened a session on the `UiAutomator2` server.
    Uia2StaleSession,
    /// The `UiAutomator2` server does not start.
    Uia2NoStart,
}

/// All faults with their names for `--fault`.
const NAMES: &[(&str, Fault)] = &[
    ("could-not-get-idle", Fault::CouldNotGetIdle(Duration::ZERO)),
    ("null-root", Fault::NullRoot),
    ("truncated-dump", Fault::TruncatedDump),
    ("missing-dump", Fault::MissingDump),
    ("partial-dump", Fault::PartialDump),
    ("slot-taken", Fault::SlotTaken),
    ("process-killed", Fault::ProcessKilled),
    ("command-killed", Fault::CommandKilled),
    ("slow-command", Fault::SlowCommand(Duration::from_secs(3))),
    ("hung-command", Fault::HungCommand),
    ("noise", Fault::Noise),
    ("dropped-connection", Fault::DroppedConnection(0)),
    ("dropped-output", Fault::DroppedOutput),
    ("offline", Fault::Offline),
    ("unauthorized", Fault::Unauthorized),
    ("bad-screenshot", Fault::BadScreenshot),
    ("truncated-screenshot", Fault::TruncatedScreenshot),
    ("damaged-screenshot", Fault::DamagedScreenshot),
    ("hung-dump", Fault::HungDump),
    ("hung-screenshot", Fault::HungScreenshot),
    ("hung-input", Fault::HungInput),
    ("refused-input", Fault::RefusedInput),
    ("storage-full", Fault::StorageFull),
    ("dead-app", Fault::DeadApp),
    ("lost-input", Fault::LostInput),
    ("secure-window", Fault::SecureWindow),
    ("locked", Fault::Locked),
    ("several-displays", Fault::SeveralDisplays),
    ("uia2-killed", Fault::Uia2Killed),
    ("uia2-cut-look", Fault::Uia2CutLook),
    ("uia2-huge-look", Fault::Uia2HugeLook),
    ("uia2-hung-look", Fault::Uia2HungLook),
    ("uia2-stale-session", Fault::Uia2StaleSession),
    ("uia2-no-start", Fault::Uia2NoStart),
];

/// Words of people for faults.
pub(crate) const MEANINGS: &[Meaning] = &[
    ("dead-app", "crash app_crash crashed anr force_close"),
    ("process-killed", "kill oom out_of_memory low_memory"),
    ("slow-command", "slow latency delay lag"),
    ("hung-command", "hang freeze timeout stuck hung"),
    (
        "dropped-connection",
        "disconnect disconnected unplug unplugged usb network connection connection_lost",
    ),
    ("offline", "device_offline no_device"),
    ("unauthorized", "auth authorization rsa_key no_key"),
    ("storage-full", "disk_full full no_space storage"),
    ("locked", "lock lock_screen lockscreen pin screen_lock"),
    ("secure-window", "secure flag_secure black_screen drm"),
    ("could-not-get-idle", "idle animation animations busy"),
    ("null-root", "null root no_root empty_screen"),
    ("uia2-killed", "uia2 uiautomator2"),
];

impl Fault {
    /// Returns the name for `--fault`, without the value of the fault.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(_, fault)| fault.is_same_variant(self))
            .map_or("", |(name, _)| name)
    }

    /// Returns the names of all faults, in the order of help texts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// Returns the names of the faults that a word probably means; empty if nothing is near.
    fn likely(word: &str) -> Vec<&'static str> {
        likely_names::likely(word, MEANINGS, Self::names())
    }

    /// Returns true if both are the same variant, whatever their value.
    fn is_same_variant(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// A fault with its number of times and its begin, written `name`, `name:times`, `name=value`,
/// `name=value:times`, each with `@number` at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultSpec {
    pub fault: Fault,
    /// Number of times. `None` means always.
    pub times: Option<u32>,
    /// Number of the host's command at which it begins, counted from 1 since its injection; 0 means at once.
    pub from: u32,
}

impl FaultSpec {
    /// Returns a fault that occurs from now on, each time.
    pub fn always(fault: Fault) -> Self {
        Self {
            fault,
            times: None,
            from: 0,
        }
    }

    /// Returns a fault that occurs once, at the next occasion.
    pub fn once(fault: Fault) -> Self {
        Self {
            fault,
            times: Some(1),
            from: 0,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// No fault has this name.
    #[error("there is no fault `{0}`{meant}; faults are {known}", meant = likely_names::question(&Fault::likely(.0)), known = Fault::names().collect::<Vec<_>>().join(", "))]
    Unknown(String),
    /// The number of times is malformed.
    #[error("`{0}` is not how often a fault shows; write a number from 1, as in `null-root:2`")]
    Times(String),
    /// The number of the command is malformed.
    #[error("`{0}` is not a command's number; write a number from 1, as in `command-killed:1@12`")]
    From(String),
    /// The value is malformed, or the fault takes none.
    #[error(
        "the fault `{name}` does not take the value `{value}`; `slow-command` and `could-not-get-idle` take a duration, `dropped-connection` a number of commands"
    )]
    Value { name: String, value: String },
}

impl FromStr for FaultSpec {
    type Err = FaultError;

    /// Parses `name[=value][:times][@from]`, and ignores spaces around each part. Without `:times` the fault occurs
    /// always, without `@from` from now on; both must be above 0. Without a value, `slow-command` lasts 3 s, and the
    /// others take 0.
    fn from_str(text: &str) -> Result<Self, FaultError> {
        let (text, from) = match text.trim().split_once('@') {
            Some((rest, number)) => {
                let from = number.trim().parse().ok().filter(|from| *from > 0);
                let from = from.ok_or_else(|| FaultError::From(number.to_owned()))?;
                (rest, from)
            }
            None => (text.trim(), 0),
        };
        let (head, times) = match text.trim().split_once(':') {
            Some((head, times)) => {
                let count = times.trim().parse().ok().filter(|count| *count > 0);
                let count = count.ok_or_else(|| FaultError::Times(times.to_owned()))?;
                (head, Some(count))
            }
            None => (text.trim(), None),
        };
        let (name, value) = match head.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (head.trim(), None),
        };
        let fault = NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, fault)| *fault)
            .ok_or_else(|| FaultError::Unknown(name.to_owned()))?;
        let fault = match value {
            None => fault,
            Some(value) => with_value(fault, value).ok_or_else(|| FaultError::Value {
                name: name.to_owned(),
                value: value.to_owned(),
            })?,
        };
        Ok(Self { fault, times, from })
    }
}

/// Returns the fault with a value: a duration, or the number of commands before a dropped connection. Returns `None` if
/// the value cannot be parsed, or the fault takes none.
fn with_value(fault: Fault, value: &str) -> Option<Fault> {
    let duration = || value.parse().ok().map(|HumanDuration(duration)| duration);
    match fault {
        Fault::SlowCommand(_) => duration().map(Fault::SlowCommand),
        Fault::CouldNotGetIdle(_) => duration().map(Fault::CouldNotGetIdle),
        Fault::DroppedConnection(_) => Some(Fault::DroppedConnection(value.parse().ok()?)),
        _ => None,
    }
}

/// The faults that are injected now.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    active: Mutex<Vec<FaultSpec>>,
    commands: AtomicU64,
}

impl Faults {
    /// Returns these faults, with no command counted yet.
    pub(crate) fn new(faults: &[FaultSpec]) -> Self {
        Self {
            active: Mutex::new(faults.to_vec()),
            commands: AtomicU64::new(0),
        }
    }

    pub(crate) fn inject(&self, spec: FaultSpec) {
        self.lock().push(spec);
    }

    /// Removes all faults, also those that wait for a later command.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    /// Counts a command of the host, and one less to wait for in each fault that begins after a number of
    /// commands.
    pub(crate) fn begin_command(&self) {
        self.commands.fetch_add(1, Ordering::Relaxed);
        for spec in self.lock().iter_mut() {
            spec.from = spec.from.saturating_sub(1);
        }
    }

    /// Returns the number of commands that hosts have sent since the device started.
    pub(crate) fn commands(&self) -> u64 {
        self.commands.load(Ordering::Relaxed)
    }

    /// Returns the first fault of the same variant that occurs now, with its value, and uses up one of its times. A
    /// fault that occurs only later does not count. A [`Fault::DroppedConnection`] above 0 counts down by one instead,
    /// and is not returned.
    pub(crate) fn take(&self, fault: Fault) -> Option<Fault> {
        let mut active = self.lock();
        let at = active
            .iter()
            .position(|spec| spec.from == 0 && spec.fault.is_same_variant(fault))?;
        let spec = active.get_mut(at)?;
        let displayed = spec.fault;
        if let Fault::DroppedConnection(left @ 1..) = &mut spec.fault {
            *left -= 1;
            return None;
        }
        if let Some(times) = &mut spec.times {
            *times -= 1;
            if *times == 0 {
                active.remove(at);
            }
        }
        Some(displayed)
    }

    /// Returns true if the fault occurs now, as [`Faults::take`] does, and so uses up one of its times.
    pub(crate) fn shows(&self, fault: Fault) -> bool {
        self.take(fault).is_some()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<FaultSpec>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for &(name, fault) in NAMES {
            assert_eq!(name.parse(), Ok(FaultSpec::always(fault)));
            assert_eq!(fault.name(), name);
        }
    }

    #[test]
    fn values_and_times_are_read() {
        for (text, fault, times) in [
            ("null-root:2", Fault::NullRoot, Some(2)),
            (
                "slow-command=250ms:1",
                Fault::SlowCommand(Duration::from_millis(250)),
                Some(1),
            ),
            (
                "could-not-get-idle=11s",
                Fault::CouldNotGetIdle(Duration::from_secs(11)),
                None,
            ),
            ("dropped-connection=4", Fault::DroppedConnection(4), None),
        ] {
            let from = 0;
            assert_eq!(text.parse(), Ok(FaultSpec { fault, times, from }));
            let later = format!("{text}@7").parse::<FaultSpec>().unwrap();
            assert_eq!((later.fault, later.times, later.from), (fault, times, 7));
        }
        for wrong in [
            "",
            "nul-root",
            "null-root:0",
            "null-root:x",
            "null-root=3",
            "slow-command=soon",
            "null-root@0",
            "null-root@x",
        ] {
            assert!(wrong.parse::<FaultSpec>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn counted_faults_end() {
        let faults = Faults::new(&[FaultSpec {
            fault: Fault::NullRoot,
            times: Some(2),
            from: 0,
        }]);
        let observed: Vec<bool> = (0..4).map(|_| faults.shows(Fault::NullRoot)).collect();
        assert_eq!(observed, [true, true, false, false]);
    }

    #[test]
    fn a_fault_begins_at_its_command() {
        let faults = Faults::new(&["null-root:1@3".parse().unwrap()]);
        let observed: Vec<bool> = (0..4)
            .map(|_| {
                faults.begin_command();
                faults.shows(Fault::NullRoot)
            })
            .collect();
        assert_eq!(observed, [false, false, true, false]);
    }

    #[test]
    fn a_connection_drops_after_its_commands() {
        let faults = Faults::new(&[FaultSpec::once(Fault::DroppedConnection(2))]);
        let observed: Vec<bool> = (0..4)
            .map(|_| faults.shows(Fault::DroppedConnection(0)))
            .collect();
        assert_eq!(observed, [false, false, true, false]);
    }
}
