//! The device's commands by their words, and one of them that answers wrongly: for tests of what a program makes of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Words that a device prints where a service does not answer.
const FAILED: &str = "cmd: Failure calling service: Broken pipe (32)\n";

/// How a command answers wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongAnswer {
    /// It does nothing, prints an error and exits with 20.
    Failed,
    /// It does nothing, prints nothing and exits with 0.
    Empty,
    /// It answers so much later, in real time.
    Late(Duration),
    /// It prints its answer twice.
    Doubled,
    /// It prints half of its answer and exits with 0.
    Cut,
}

/// A command that answers wrongly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongCommand {
    /// Its words, as [`VirtualDevice::commands`](crate::VirtualDevice::commands) has them.
    pub words: String,
    /// What is wrong.
    pub answer: WrongAnswer,
    /// How often; `None` is always.
    pub times: Option<u32>,
}

/// The commands that were run, and those that answer wrongly.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    run: Mutex<BTreeMap<String, u64>>,
    wrong: Mutex<Vec<WrongCommand>>,
}

impl Answers {
    /// A command is run: notes it, and returns what is wrong with its answer.
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

    /// How often each command was run.
    pub(crate) fn all(&self) -> BTreeMap<String, u64> {
        lock(&self.run).clone()
    }

    /// A command answers wrongly from now on.
    pub(crate) fn spoil(&self, command: WrongCommand) {
        lock(&self.wrong).push(command);
    }

    /// All commands answer rightly from now on.
    pub(crate) fn heal(&self) {
        lock(&self.wrong).clear();
    }
}

impl WrongAnswer {
    /// What it prints on standard error instead of running, and its exit code.
    pub(crate) fn instead(self) -> Option<(&'static str, i32)> {
        match self {
            Self::Failed => Some((FAILED, 20)),
            Self::Empty => Some(("", 0)),
            _ => None,
        }
    }

    /// Changes what was printed.
    pub(crate) fn spoil(self, printed: &mut Vec<u8>) {
        match self {
            Self::Doubled => printed.extend_from_within(..),
            Self::Cut => printed.truncate(printed.len() / 2),
            Self::Failed | Self::Empty | Self::Late(_) => {}
        }
    }
}

/// A command's words without what differs from run to run: names of files that this program makes up.
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
