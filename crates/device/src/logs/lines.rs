//! Lines of the device's log, by time, tag, level and app.

use std::time::Duration;

use super::timestamp::{Clock, LogTime};
use crate::command::{QUICK, failed, succeed};
use crate::message::{is_linker_warning, is_missing, shorten};
use crate::processes::process_ids;
use crate::sections::Sections;
use crate::{Device, DeviceError, Script, ServerSystem, ShellOutput};
use runner_text::secret::{OutsideText, from_outside};

/// Limit for reading the whole log. Chosen: some MB over a slow connection.
const LIMIT: Duration = Duration::from_secs(30);
/// Command that prints the device's clock, with its offset from UTC; [`LogTime::printed`] reads it.
const DATE: &str = "date '+%Y-%m-%dT%H:%M:%S.%N%z' 2>/dev/null";

/// Level of a line, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Verbose,
    Debug,
    Info,
    Warning,
    Error,
    Fatal,
}

impl Level {
    /// Parses the capital letter of a level; `A` is fatal too. `None` for all other letters.
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

    /// Returns the capital letter of the level; `F` for fatal.
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

/// Filter of log lines; the fields that are set must all match.
#[derive(Debug, Clone, Default)]
pub struct LogQuery {
    /// Time from which lines match, itself included.
    pub since: Option<LogTime>,
    /// Time up to which lines match, to its end: a whole second if it has no fraction.
    pub until: Option<LogTime>,
    /// Exact tag.
    pub tag: Option<String>,
    /// Lowest level.
    pub level: Option<Level>,
    /// Package whose processes' lines match: those that run, and those whose start is in the log.
    pub package: Option<String>,
    /// Further process id for `package`, of a process that has ended.
    pub ended: Option<u32>,
}

/// One line of `logcat -v threadtime`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// `MM-DD hh:mm:ss.mmm` by the device's clock.
    pub time: String,
    pub pid: u32,
    pub level: Level,
    pub tag: String,
    pub message: String,
    /// Line as it was printed.
    pub raw: String,
}

/// Reads the lines that match, oldest first. Fails as [`read_within`] does.
pub async fn read(device: &dyn Device, query: &LogQuery) -> Result<Vec<LogLine>, DeviceError> {
    read_within(device, query, &|usual| usual).await
}

/// Reads the lines like [`read`]; `bound` turns the default limit of each script into the one to use. An app's
/// processes are those that run, those of the query, and those whose start the log tells, which may have ended.
///
/// # Errors
/// Returns [`DeviceError::NoLog`] if the device has no log or prints another form, [`DeviceError::Command`] if
/// `logcat` was killed, and [`DeviceError::NotAnswered`] if it does not list the processes for a query with a
/// package.
pub async fn read_within(
    device: &dyn Device,
    query: &LogQuery,
    bound: &(dyn Fn(Duration) -> Duration + Sync),
) -> Result<Vec<LogLine>, DeviceError> {
    if let Some(system) = device.system() {
        return read_of_server(system, query, bound(LIMIT)).await;
    }
    let pids = match &query.package {
        Some(package) => {
            let limit = bound(QUICK);
            let mut pids = process_ids(device, package, limit).await?;
            pids.extend(query.ended);
            Some(pids)
        }
        None => None,
    };
    // An app's lines need those of the system about its processes, which are of level I.
    let level = match query.level {
        Some(level) if pids.is_some() => level.min(Level::Info),
        level => level.unwrap_or(Level::Verbose),
    };
    let level = level.letter();
    // The clock is asked in the same round trip: lines name no year, and a query may have its own offset.
    let sections = Sections::new()
        .ask(DATE)
        .ask(&format!("logcat -d -v threadtime '*:{level}'"));
    let script = sections.script("logcat");
    let mut output = device.shell(&script, bound(LIMIT)).await?;
    let (clock, log) = match sections.split(&output.stdout)[..] {
        [clock, log, ..] => (Clock::read(&from_outside(clock)), log.to_vec()),
        _ => (Clock::read(""), Vec::new()),
    };
    output.stdout = log;
    if output.exit_code.is_some_and(|code| code != 0) || has_no_log(&output) {
        let error = failed(&script, &output);
        // A killed command may succeed the next time.
        return Err(if error.is_infrastructure() {
            error
        } else {
            DeviceError::NoLog(shorten(&output.message()))
        });
    }
    let text = output.text();
    check_form(&text)?;
    let pids = query.package.as_ref().zip(pids).map(|(package, mut pids)| {
        pids.extend(started_processes(&text, package));
        pids
    });
    Ok(matching(&text, query, pids.as_deref(), &clock))
}

/// Refuses a log of which no line can be parsed, as an empty result would mislead. An empty log, and one of
/// headers only, passes.
///
/// # Errors
/// Returns [`DeviceError::NoLog`] with the first line.
fn check_form(text: &str) -> Result<(), DeviceError> {
    let is_content = |line: &&str| {
        let line = line.trim();
        let is_header = line.starts_with("--------- ") || is_linker_warning(line);
        !line.is_empty() && !is_header
    };
    let mut lines = text.lines().filter(is_content);
    match lines.next() {
        Some(first) if parse(first).is_none() && !lines.any(|line| parse(line).is_some()) => {
            let first = shorten(&OutsideText::new(first));
            Err(DeviceError::NoLog(format!(
                "`logcat -v threadtime` prints lines of another form, such as `{first}`"
            )))
        }
        _ => Ok(()),
    }
}

/// Reads the log of a server. The server reports no processes, so an app's are found in the lines with which the
/// system logs their starts; an app without such a line has none. The server's clock is asked only if the query has
/// a time. [`LogQuery::ended`] does not count.
async fn read_of_server(
    system: &dyn ServerSystem,
    query: &LogQuery,
    limit: Duration,
) -> Result<Vec<LogLine>, DeviceError> {
    let text = system.log(limit).await?;
    let clock = if query.since.is_some() || query.until.is_some() {
        Clock::read(&system.clock().await?)
    } else {
        Clock::read("")
    };
    let package = query.package.as_ref();
    let pids = package.map(|package| started_processes(&text, package));
    Ok(matching(&text, query, pids.as_deref(), &clock))
}

/// Returns the ids of an app's processes whose starts are in a log.
fn started_processes(log: &str, package: &str) -> Vec<u32> {
    let lines = log.lines().filter_map(parse);
    lines.filter_map(|line| started(&line, package)).collect()
}

/// Parses a line of `ActivityManager` about the start of a process of `package`, `Start proc
/// 4711:com.example/u0a101 for …` or `…:com.example:NAME/…`, into its id. `None` for other lines and apps.
pub fn started(line: &LogLine, package: &str) -> Option<u32> {
    let rest = line.message.strip_prefix("Start proc ")?;
    let (pid, rest) = rest.split_once(':')?;
    let is_meant = rest.strip_prefix(package)?.starts_with(['/', ':']);
    (line.tag == "ActivityManager" && is_meant).then(|| pid.parse().ok())?
}

/// Filters the lines of `text` that match all conditions of the query: time, exact tag, level or a higher one, and
/// process ids (`None`: all). Lines that cannot be parsed are left out. A query with a time also leaves out lines
/// whose time cannot be completed.
fn matching(text: &str, query: &LogQuery, pids: Option<&[u32]>, clock: &Clock) -> Vec<LogLine> {
    let since = query.since.map(|since| since.by(clock).0);
    let until = query.until.map(|until| until.by(clock).1);
    let is_meant = |line: &LogLine| {
        if since.is_none() && until.is_none() {
            return true;
        }
        clock.complete_time(&line.time).is_some_and(|at| {
            since.is_none_or(|since| at >= since) && until.is_none_or(|until| at < until)
        })
    };
    text.lines()
        .filter_map(parse)
        .filter(is_meant)
        .filter(|line| query.tag.as_ref().is_none_or(|tag| *tag == line.tag))
        .filter(|line| query.level.is_none_or(|level| line.level >= level))
        .filter(|line| pids.is_none_or(|pids| pids.contains(&line.pid)))
        .collect()
}

/// Returns true if the device has no log to read: standard error or the first line reports a missing command.
/// The words may also stand in a line of the log, which does not count.
fn has_no_log(output: &ShellOutput) -> bool {
    let text = output.text();
    let first = text.lines().next().unwrap_or_default();
    let is_line = parse(first).is_some();
    is_missing(&from_outside(&output.stderr)) || (!is_line && is_missing(first))
}

/// Returns the device's present time for [`LogQuery::since`]: its millisecond, or its second where it tells no more.
///
/// # Errors
/// Returns [`DeviceError::Command`] if the device prints no time.
pub async fn now(device: &dyn Device) -> Result<LogTime, DeviceError> {
    let text = match device.system() {
        Some(system) => system.clock().await?,
        None => {
            let script = Script::raw(DATE, "date");
            succeed(device, &script, QUICK).await?
        }
    };
    LogTime::printed(&text).ok_or_else(|| DeviceError::Command {
        command: "date".to_owned(),
        exit_code: Some(0),
        output: shorten(&OutsideText::new(&text)),
    })
}

/// Removes all lines from those buffers of the log that `logcat` reads by default.
pub async fn clear(device: &dyn Device) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.clear_log().await;
    }
    let script = Script::command(["logcat", "-c"]);
    succeed(device, &script, LIMIT).await.map(drop)
}

/// Parses `04-24 18:34:14.408  6168  6196 I Tag: message`; `None` for headers and incomplete lines. The tag
/// ends at the first colon before a space or at the line's end; `raw` is the line without its CR.
///
/// Assumes `-v threadtime` without a year, a zone or users, as this program asks for it (AOSP
/// `liblog/logprint.cpp`; recordings `logcat_threadtime--*` of API 18 to 34).
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
        runner_testing::recorded_text(&format!("commands/{name}"))
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
    fn u9_a_log_of_another_form_is_no_empty_log() {
        const LINE: &str = "04-24 18:34:14.408  6168  6196 I Tag: message\n";
        for good in ["", "--------- beginning of main\n", LINE] {
            check_form(good).unwrap();
            check_form(&format!(
                "--------- beginning of crash\ntorn line\n{LINE}{good}"
            ))
            .unwrap();
        }
        for other in [
            "I/Tag     ( 6168): message\n",
            "04-24 18:34:14.408 I/Tag     ( 6168): message\n",
            "2026-04-24 18:34:14.408 +0200  6168  6196 I Tag: message\n",
            "[ 04-24 18:34:14.408  6168: 6196 I/Tag ]\nmessage\n\n",
        ] {
            let log = format!("--------- beginning of main\n{other}{other}");
            let error = check_form(&log).unwrap_err();
            assert!(error.is_infrastructure(), "{error}");
            assert!(error.to_string().contains("another form"), "{error}");
        }
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

    /// Recognises lines by a second rule, their shape, whatever tag and message are.
    #[test]
    fn every_recorded_line_of_this_shape_reads() {
        let shape =
            regex::Regex::new(r"^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ [VDIWEF] [^:]+: ")
                .unwrap();
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/logcat_threadtime--") {
                continue;
            }
            for line in from_outside(&bytes).lines() {
                assert!(
                    parse(line).is_some() || !shape.is_match(line),
                    "{name}: {line}"
                );
            }
        }
    }
}
