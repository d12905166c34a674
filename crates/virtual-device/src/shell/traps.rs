//! `trap`: actions of a script for its end from outside.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

use super::run::{Shell, Streams};
use super::streams::{Sink, Source};
use crate::state::DeviceState;

/// Actions by the signal's name, and the running commands that a hang-up waits for.
///
/// All shells of one script share them. A subshell's trap holds until it is removed, as if the whole script
/// had set it.
#[derive(Debug, Clone, Default)]
pub(super) struct SignalTraps {
    actions: Arc<Mutex<BTreeMap<&'static str, String>>>,
    commands: TaskTracker,
}

impl SignalTraps {
    /// `trap [ACTION|-] SIGNAL…`: sets the action of these signals, or with `-` removes it. Unknown signals
    /// are ignored, and so is `trap` without arguments.
    pub(super) fn set(&self, args: &[String]) {
        let Some((action, signals)) = args.split_first() else {
            return;
        };
        for signal in signals.iter().filter_map(|signal| name(signal)) {
            if action == "-" {
                self.actions().remove(signal);
            } else {
                self.actions().insert(signal, action.clone());
            }
        }
    }

    /// Removes and returns the action of a signal, since it runs once.
    fn take(&self, signal: &str) -> Option<String> {
        self.actions().remove(signal)
    }

    /// Returns a token to hold while a command runs. A shell handles a signal once its command has ended.
    pub(super) fn command(&self) -> TaskTrackerToken {
        self.commands.token()
    }

    fn actions(&self) -> MutexGuard<'_, BTreeMap<&'static str, String>> {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a signal's name without `SIG`, also from its number: `EXIT`, `HUP`, `INT`, `PIPE` or `TERM`. Returns
/// `None` for all others, which no client traps: a copy of its action is stored for each, so arbitrary names could
/// fill the memory.
fn name(signal: &str) -> Option<&'static str> {
    Some(match signal.strip_prefix("SIG").unwrap_or(signal) {
        "0" | "EXIT" => "EXIT",
        "1" | "HUP" => "HUP",
        "2" | "INT" => "INT",
        "13" | "PIPE" => "PIPE",
        "15" | "TERM" => "TERM",
        _ => return None,
    })
}

/// A running script. If it is dropped before its end, its peer has hung up, and the script's trap is run.
pub(super) struct ScriptGuard {
    device: Arc<DeviceState>,
    traps: Option<SignalTraps>,
}

impl ScriptGuard {
    /// Guards a script with the traps of `shell`, also those that are set later.
    pub(super) fn new(shell: &Shell) -> Self {
        Self {
            device: Arc::clone(&shell.device),
            traps: Some(shell.traps.clone()),
        }
    }

    /// Marks the script as ended by itself, and runs its `EXIT` trap. That changes the exit code only by `exit`.
    /// The `HUP` trap will not run any more.
    pub(super) async fn ended(mut self, shell: &mut Shell, streams: &Streams) {
        let Some(traps) = self.traps.take() else {
            return;
        };
        if let Some(action) = traps.take("EXIT") {
            // A trap changes the exit code only through `exit`.
            let status = shell.status;
            if !shell.script(&action, streams).await {
                shell.status = status;
            }
        }
    }
}

impl Drop for ScriptGuard {
    /// Runs the `HUP` trap if the script was dropped before its end, in a new shell without output, once its running
    /// commands have ended. Without a runtime nothing runs.
    fn drop(&mut self) {
        let Some(traps) = self.traps.take() else {
            return;
        };
        let Some(action) = traps.take("HUP") else {
            return;
        };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let device = Arc::clone(&self.device);
        let stop = device.stop.clone();
        let work = async move {
            traps.commands.close();
            traps.commands.wait().await;
            let streams = Streams {
                stdin: Source::bytes(Vec::new()),
                out: Sink::Null,
                err: Sink::Null,
                terminal: Sink::Null,
            };
            Shell::new(device).script(&action, &streams).await;
        };
        runtime.spawn(async move { stop.run_until_cancelled(work).await });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_keeps_no_actions_for_names_that_are_no_signals() {
        let traps = SignalTraps::default();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        traps.set(&words("act EXIT 1 SIGINT 13 TERM A B C SIGNONE 99"));
        let stored: Vec<&str> = traps.actions().keys().copied().collect();
        assert_eq!(stored, ["EXIT", "HUP", "INT", "PIPE", "TERM"]);
        traps.set(&words("- SIGHUP 0"));
        assert_eq!(traps.actions().len(), 3);
    }
}
