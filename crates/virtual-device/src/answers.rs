//! Counts of the device's commands, and commands that answer wrongly, for tests of programs that use them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Output of `cmd` if a service does not answer.
const FAILED: &str = "cmd: Failure calling service: Broken pipe (32)\n";

/// Defect of a command's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongAnswer {
    /// Prints an error and exits with 20; the command does not run.
    Failed,
    /// Prints nothing and exits with 0; the command does not run.
    Empty,
    /// Answers after this much more real time.
    Late(Duration),
    /// Prints its answer twice.
    Doubled,
    /// Prints half of its answer and exits with 0.
    Cut,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongCommand {
    /// All words of the command, in the form of [`VirtualDevice::commands`](crate::VirtualDevice::commands).
    pub words: String,
    pub answer: WrongAnswer,
    /// Number of wrong answers, after which the command answers correctly; 0 counts as 1. `None` means all.
    pub times: Option<u32>,
}

/// Counts of the commands that were run, and the commands that answer wrongly.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    run: Mutex<BTreeMap<String, u64>>,
    wrong: Mutex<Vec<WrongCommand>>,
}

impl Answers {
    /// Counts a run of a command. Returns the first defect set for exactly these words (as `name` joins them), or
    /// `None`. Each call uses up one time of a limited defect, which is removed after its last.
    pub(crate) fn begin(&self, words: &[String]) -> Option<WrongAnswer> {
        let words = name(words);
        let mut wrong = lock(&self.wrong);
        let at = wrong.iter().position(|command| command.words == words);
        *lock(&self.run).entry(words).or_default() += 1;
        let command = wrong.get_mut(at?)?;
        let answer = command.answer;
        if let Some(times) = &mut command.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                wrong.remove(at?);
            }
        }
        Some(answer)
    }

    /// Returns the number of runs of each command, by its words as `name` joins them. Runs with a wrong answer count
    /// too.
    pub(crate) fn all(&self) -> BTreeMap<String, u64> {
        lock(&self.run).clone()
    }

    /// Makes a command answer wrongly from now on, for as many runs as it says. Of several defects for the same words,
    /// the first one counts until it is used up.
    pub(crate) fn spoil(&self, command: WrongCommand) {
        lock(&self.wrong).push(command);
    }

    /// Makes all commands answer correctly again; the counts stay.
    pub(crate) fn heal(&self) {
        lock(&self.wrong).clear();
    }
}

impl WrongAnswer {
    /// Returns the text on standard error and the exit code for a command that must not run: 20 if it fails,
    /// 0 if its answer is empty. Returns `None` if the command runs; its answer may still be spoilt.
    pub(crate) fn replacement_output(self) -> Option<(&'static str, i32)> {
        match self {
            Self::Failed => Some((FAILED, 20)),
            Self::Empty => Some(("", 0)),
            _ => None,
        }
    }

    /// Applies the defect to the printed answer: doubles it, or cuts it to the first half. The other defects
    /// leave it as it is.
    pub(crate) fn spoil(self, printed: &mut Vec<u8>) {
        match self {
            Self::Doubled => printed.extend_from_within(..),
            Self::Cut => printed.truncate(printed.len() / 2),
            Self::Failed | Self::Empty | Self::Late(_) => {}
        }
    }
}

/// Joins a command's words. File names that this program makes up differ from run to run, so each word is cut
/// behind its first `/runner-`. A cut word ends in `/runner-…`.
fn name(words: &[String]) -> String {
    let plain = words.iter().map(|word| match word.find("/runner-") {
        Some(at) => format!("{}/runner-…", &word[..at]),
        None => word.clone(),
    });
    plain.collect::<Vec<_>>().join(" ")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
