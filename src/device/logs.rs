//! The device's log: lines by time, tag, level and app.

use std::time::Duration;

use super::command::{failed, is_missing};
use super::{Device, DeviceError, Script};

/// Time to read the whole log.
const LIMIT: Duration = Duration::from_secs(30);

/// How serious a line is, from the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `V`
    Verbose,
    /// `D`
    Debug,
    /// `I`
    Info,
    /// `W`
    Warning,
    /// `E`
    Error,
    /// `F`
    Fatal,
}

impl Level {
    /// From its letter, in capitals.
    pub fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'V' => Self::Verbose,
            'D' => Self::Debug,
            'I' => Self::Info,
            'W' => Self::Warning,
            'E' => Self::Error,
            'F' | 'A' => Self::Fatal,
            _ => return None,
        })
    }

    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::Verbose => 'V',
            Self::Debug => 'D',
            Self::Info => 'I',
            Self::Warning => 'W',
            Self::Error => 'E',
            Self::Fatal => 'F',
        }
    }
}

/// Which lines are wanted.
#[derive(Debug, Clone, Default)]
pub struct LogQuery {
    /// Only from this time on: the device's clock, `MM-DD hh:mm:ss[.mmm]`, also with a year before it and `T` between.
    pub since: Option<String>,
    /// Only up to this time.
    pub until: Option<String>,
    /// Only with just this tag.
    pub tag: Option<String>,
    /// Only at least this serious.
    pub level: Option<Level>,
    /// Only of this app's processes; an app that does not run has no lines.
    pub package: Option<String>,
}

/// One line of `logcat -v threadtime`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// `MM-DD hh:mm:ss.mmm` by the device's clock.
    pub time: String,
    /// Process.
    pub pid: u32,
    /// Level.
    pub level: Level,
    /// Tag.
    pub tag: String,
    /// Message.
    pub message: String,
    /// The line as it was printed.
    pub raw: String,
}

/// The lines that match, oldest first.
pub async fn read(device: &dyn Device, query: &LogQuery) -> Result<Vec<LogLine>, DeviceError> {
    let pids = match &query.package {
        Some(package) => {
            let pids = super::apps::process_ids(device, package).await?;
            if pids.is_empty() {
                return Ok(Vec::new());
            }
            Some(pids)
        }
        None => None,
    };
    let level = query.level.unwrap_or(Level::Verbose).letter();
    let script = Script::raw(format!("logcat -d -v threadtime '*:{level}'"), "logcat");
    let output = device.shell(&script, LIMIT).await?;
    if output.exit_code.is_some_and(|code| code != 0) || is_missing(&output.message()) {
        return Err(failed(&script, &output));
    }
    let since = query.since.as_deref().map(comparable);
    let until = query.until.as_deref().map(comparable);
    Ok(output
        .text()
        .lines()
        .filter_map(parse)
        .filter(|line| {
            since
                .as_ref()
                .is_none_or(|since| line.time.as_str() >= since.as_str())
        })
        .filter(|line| {
            // A time without its fraction means the whole second.
            until.as_ref().is_none_or(|until| {
                line.time.as_str() <= until.as_str() || line.time.starts_with(until.as_str())
            })
        })
        .filter(|line| query.tag.as_ref().is_none_or(|tag| *tag == line.tag))
        .filter(|line| query.level.is_none_or(|level| line.level >= level))
        .filter(|line| pids.as_ref().is_none_or(|pids| pids.contains(&line.pid)))
        .collect())
}

/// The device's clock now, as [`LogQuery::since`] takes it.
pub async fn now(device: &dyn Device) -> Result<String, DeviceError> {
    let script = Script::raw("date '+%m-%d %H:%M:%S'", "date");
    let text = super::command::succeed(device, &script, super::command::QUICK).await?;
    Ok(text.trim().to_owned())
}

/// Forgets all lines.
pub async fn clear(device: &dyn Device) -> Result<(), DeviceError> {
    let script = Script::command(["logcat", "-c"]);
    super::command::succeed(device, &script, LIMIT)
        .await
        .map(drop)
}

/// A person's time in the form of the log's.
fn comparable(time: &str) -> String {
    let time = time.trim().replace('T', " ");
    let time = time.trim_end_matches('Z');
    let has_year = time.len() > 5
        && time.as_bytes().get(4) == Some(&b'-')
        && time.bytes().take(4).all(|byte| byte.is_ascii_digit());
    let time = if has_year { &time[5..] } else { time };
    time.to_owned()
}

/// Reads `04-24 18:34:14.408  6168  6196 I Tag: message`. Headers and torn lines are no lines.
pub fn parse(raw: &str) -> Option<LogLine> {
    let raw = raw.trim_end_matches('\r');
    let (time, rest) = raw.split_at_checked(18)?;
    let shape = time.bytes().zip("00-00 00:00:00.000".bytes());
    if !shape.into_iter().all(|(byte, like)| match like {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    }) {
        return None;
    }
    let (pid, rest) = word(rest)?;
    let (_tid, rest) = word(rest)?;
    let (level, rest) = word(rest)?;
    let mut letters = level.chars();
    let level = Level::from_letter(letters.next()?).filter(|_| letters.next().is_none())?;
    // A tag may hold a colon; the message begins after the first one that a space or the end follows.
    let rest = rest.trim_start();
    let (tag, message) = rest
        .split_once(": ")
        .or_else(|| rest.strip_suffix(':').map(|tag| (tag, "")))?;
    Some(LogLine {
        time: time.to_owned(),
        pid: pid.parse().ok()?,
        level,
        tag: tag.trim_end().to_owned(),
        message: message.to_owned(),
        raw: raw.to_owned(),
    })
}

fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(' ')?;
    Some(text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(name: &str) -> Option<String> {
        crate::testing::recorded_text(&format!("commands/{name}"))
    }

    #[test]
    fn a_line_reads() {
        let line = parse("04-24 18:34:14.408  6168  6196 I ExecuTorchEngine: Model: x").unwrap();
        assert_eq!((line.pid, line.level), (6168, Level::Info));
        assert_eq!(
            (line.tag.as_str(), line.message.as_str()),
            ("ExecuTorchEngine", "Model: x")
        );
        assert_eq!(line.time, "04-24 18:34:14.408");
        for noise in [
            "--------- beginning of main",
            "",
            "04-24 18:34",
            "äöüäöüäöüäöüäöüäöü",
        ] {
            assert_eq!(parse(noise), None, "{noise}");
        }
        assert_eq!(
            parse("04-24 18:34:14.408  1  2 E Tag     :").unwrap().tag,
            "Tag"
        );
    }

    #[test]
    fn nearly_every_recorded_line_reads() {
        for name in [
            "logcat_threadtime--Nora__diag_log.txt",
            "logcat_threadtime--Nora__full_logcat.txt",
        ] {
            let Some(text) = corpus(name) else {
                return;
            };
            let total = text
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with("---"))
                .count();
            let read = text.lines().filter_map(parse).count();
            assert!(
                total > 50 && read * 100 >= total * 98,
                "{name}: {read} of {total}"
            );
        }
    }

    #[test]
    fn times_of_people_become_times_of_the_log() {
        for time in [
            "2026-04-24T18:34:14.408Z",
            "2026-04-24 18:34:14.408",
            "04-24 18:34:14.408",
        ] {
            assert_eq!(comparable(time), "04-24 18:34:14.408");
        }
    }
}
