//! `logcat` and `log`.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Datelike, NaiveDateTime, Utc};
use tokio_util::sync::CancellationToken;

use super::{Call, Outcome, RunningCommand};
use crate::Quirk;
use crate::log::{EntryHeader, LogLine, MAX_BYTES};
use crate::shell::run::Streams;
use crate::state::DeviceState;

/// Output format of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Brief,
    Threadtime,
    Time,
    Tag,
    Raw,
    Epoch,
    /// Binary log entries, of `-B`.
    Binary,
}

/// Filters and format of a `logcat` call.
#[derive(Debug, Clone)]
struct Query {
    format: Format,
    year: bool,
    pid: Option<u32>,
    /// Tags with their lowest priority; `*` stands for all other tags.
    filters: Vec<(String, usize)>,
    since: Option<DateTime<Utc>>,
    last: Option<usize>,
    regex: Option<regex::Regex>,
}

const PRIORITIES: &str = "VDIWEF";

/// Returns the rank of a priority, whatever its case, `S` above all. Returns `None` for another letter.
fn level(letter: char) -> Option<usize> {
    match letter.to_ascii_uppercase() {
        // Silent: above all.
        'S' => Some(PRIORITIES.len()),
        letter => PRIORITIES.find(letter),
    }
}

impl Query {
    /// Returns true if all conditions accept the entry. The last filter of its tag counts, else the last of `*`;
    /// without either it passes.
    fn wants(&self, line: &LogLine) -> bool {
        if self.pid.is_some_and(|pid| pid != line.pid)
            || self.since.is_some_and(|since| line.at < since)
        {
            return false;
        }
        if self
            .regex
            .as_ref()
            .is_some_and(|regex| !regex.is_match(&line.message))
        {
            return false;
        }
        let level = level(line.priority).unwrap_or(0);
        let of = |tag: &str| self.filters.iter().rev().find(|(known, _)| known == tag);
        match of(&line.tag).or_else(|| of("*")) {
            Some((_, least)) => level >= *least,
            None => true,
        }
    }

    /// Formats an entry with its line end; a binary one has its header.
    fn write(&self, line: &LogLine) -> Vec<u8> {
        let LogLine {
            priority,
            tag,
            message,
            pid,
            ..
        } = line;
        let pattern = if self.year {
            "%Y-%m-%d %H:%M:%S%.3f"
        } else {
            "%m-%d %H:%M:%S%.3f"
        };
        let at = line.at.format(pattern);
        let text = match self.format {
            Format::Binary => return line.entry(EntryHeader::Now),
            Format::Threadtime => {
                format!("{at} {pid:>5} {pid:>5} {priority} {tag:<8}: {message}\n")
            }
            Format::Time => format!("{at} {priority}/{tag:<8}({pid:>5}): {message}\n"),
            Format::Brief => format!("{priority}/{tag:<8}({pid:>5}): {message}\n"),
            Format::Tag => format!("{priority}/{tag:<8}: {message}\n"),
            Format::Raw => format!("{message}\n"),
            Format::Epoch => format!(
                "{:>10}.{:03} {pid:>5} {pid:>5} {priority} {tag:<8}: {message}\n",
                line.at.timestamp(),
                line.at.timestamp_subsec_millis()
            ),
        };
        text.into_bytes()
    }
}

/// A `logcat` that follows the log.
#[derive(Debug)]
pub(in super::super) struct LogFollower {
    query: Box<Query>,
    next: u64,
    remaining: usize,
}

impl LogFollower {
    /// Prints new entries that are wanted until the count is reached, or nobody reads them. Returns 0, or 130 if
    /// interrupted.
    pub(super) async fn run_to_end(
        mut self,
        device: &Arc<DeviceState>,
        interrupt: &CancellationToken,
        streams: &Streams,
    ) -> i32 {
        let mut changes = device.log_changes();
        let following = async {
            loop {
                // Before the log is read: a line that comes meanwhile is a change.
                changes.borrow_and_update();
                let mut bytes = Vec::new();
                {
                    // Not held while the peer is waited for.
                    let log = device.log();
                    for line in log.since(self.next) {
                        if self.remaining > 0 && self.query.wants(line) {
                            bytes.extend(self.query.write(line));
                            self.remaining -= 1;
                        }
                    }
                    self.next = log.next_number();
                }
                let acquired = streams.out.write(bytes).await.unwrap_or(false);
                if !acquired || self.remaining == 0 || changes.changed().await.is_err() {
                    return 0;
                }
            }
        };
        interrupt
            .run_until_cancelled(following)
            .await
            .unwrap_or(130)
    }
}

/// Runs `logcat`: prints the entries so far, then follows the log unless `-d`, `-t`, `-f` or a pipe ends it. The
/// buffer is ignored, and so are a malformed `--pid`, count and pattern. `-c` clears without printing. Other
/// malformed values and unknown options give 1.
#[expect(
    clippy::too_many_lines,
    reason = "one arm an option, read top to bottom"
)]
pub(super) fn logcat(call: &mut Call) -> Outcome {
    if call.device.quirks.has(Quirk::NoLog) {
        return call.fail(1, "logcat read failure: unexpected EOF!");
    }
    if call.device.realistic {
        // What the app does by now is logged before the log is read.
        call.spend(Duration::ZERO);
    }
    let mut query = Query {
        format: Format::Threadtime,
        year: false,
        pid: None,
        filters: Vec::new(),
        since: None,
        last: None,
        regex: None,
    };
    let (mut stop, mut clear, mut max, mut path) = (false, false, usize::MAX, None);
    let mut binary = false;
    let mut words = call.owned_args().into_iter();
    while let Some(word) = words.next() {
        let mut value = |flag: &str| -> Option<String> {
            let rest = word.strip_prefix(flag)?;
            let rest = rest.strip_prefix('=').unwrap_or(rest);
            if rest.is_empty() {
                words.next()
            } else {
                Some(rest.to_owned())
            }
        };
        match word.as_str() {
            "-d" => stop = true,
            "-c" | "--clear" => clear = true,
            "-s" => query.filters.push(("*".to_owned(), PRIORITIES.len())),
            "-B" | "--binary" => binary = true,
            "-D" | "-L" | "--wrap" => {}
            "-g" => {
                let consumed = call.device.log().bytes().div_ceil(1024);
                call.say(format!(
                    "main: ring buffer is {} KiB ({consumed} KiB consumed), max entry is 5120 B, max payload is 4068 B",
                    MAX_BYTES / 1024
                ));
                return Outcome::Exit(0);
            }
            _ if word.starts_with("--pid") => {
                query.pid = value("--pid").and_then(|text| text.parse().ok());
            }
            _ if word.starts_with("--regex") || word.starts_with("-e") => {
                let text = value(if word.starts_with("-e") {
                    "-e"
                } else {
                    "--regex"
                })
                .unwrap_or_default();
                query.regex = regex::Regex::new(&text).ok();
            }
            _ if word.starts_with("-b") => drop(value("-b")),
            _ if word.starts_with("-v") => {
                let name = value("-v").unwrap_or_default();
                if !set_format(&mut query, &name) {
                    return call.fail(1, format!("logcat: Invalid parameter \"{name}\" to -v"));
                }
            }
            _ if word.starts_with("-m") => {
                max = value("-m")
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(usize::MAX);
            }
            _ if word.starts_with("-f") => path = value("-f"),
            _ if word.starts_with("-t") || word.starts_with("-T") => {
                let flag = if word.starts_with("-t") { "-t" } else { "-T" };
                stop |= flag == "-t";
                let text = value(flag).unwrap_or_default();
                match since(&text, call.device.now()) {
                    Some(LogStart::Count(count)) => query.last = Some(count),
                    Some(LogStart::Time(time)) => query.since = Some(time),
                    None => {
                        return call
                            .fail(1, format!("logcat: {flag} \"{text}\" not in time format"));
                    }
                }
            }
            _ if word.starts_with('-') => {
                return call.fail(1, format!("logcat: unrecognized option '{word}'"));
            }
            _ => {
                for filter in word.split_whitespace() {
                    let (tag, letter) = filter.split_once(':').unwrap_or((filter, "V"));
                    let Some(level) = letter
                        .chars()
                        .next()
                        .and_then(|c| if c == '*' { Some(0) } else { level(c) })
                    else {
                        return call
                            .fail(1, format!("logcat: Invalid filter expression '{filter}'"));
                    };
                    query.filters.push((tag.to_owned(), level));
                }
            }
        }
    }
    if clear {
        call.device.log().clear();
        return Outcome::Exit(0);
    }
    if binary {
        query.format = Format::Binary;
    }
    let (bytes, next, left) = present(call, &query, max);
    if let Some(path) = path {
        return match call.write(&path, &bytes) {
            Ok(()) => Outcome::Exit(0),
            Err(error) => call.fail(1, format!("logcat: couldn't open output file: {error}")),
        };
    }
    call.out.extend(bytes);
    // In a pipe the lines that are there are all that is read: stages run one after the other.
    if stop || !call.follows || left == 0 {
        return Outcome::Exit(0);
    }
    Outcome::Running(RunningCommand::Log(LogFollower {
        query: Box::new(query),
        next,
        remaining: left,
    }))
}

/// Formats the entries so far that the query wants, oldest first and `max` at most. If the query has a count, they
/// are taken from its last ones. Returns them with the number of the next entry and the count still wanted. A text
/// begins with the line that names the buffer, even without entries.
fn present(call: &Call, query: &Query, max: usize) -> (Vec<u8>, u64, usize) {
    let log = call.device.log();
    let wanted = log.since(0).rev().filter(|line| query.wants(line));
    // Only the lines that are printed are written: a run asks for the last one before each flow.
    let lines: Vec<&LogLine> = wanted.take(query.last.unwrap_or(usize::MAX)).collect();
    let printed: Vec<Vec<u8>> = lines
        .into_iter()
        .rev()
        .take(max)
        .map(|line| query.write(line))
        .collect();
    let left = max - printed.len();
    let mut bytes = printed.concat();
    if query.format != Format::Binary {
        bytes.splice(..0, *b"--------- beginning of main\n");
    }
    (bytes, log.next_number(), left)
}

/// Sets the format by names with commas or spaces; the last one counts. Modifiers but `year` are ignored. Returns
/// false at the first unknown name, after those before it.
fn set_format(query: &mut Query, names: &str) -> bool {
    for name in names.split([',', ' ']) {
        query.format = match name {
            "brief" => Format::Brief,
            "threadtime" => Format::Threadtime,
            "time" => Format::Time,
            "tag" => Format::Tag,
            "raw" => Format::Raw,
            "epoch" => Format::Epoch,
            "year" => {
                query.year = true;
                continue;
            }
            "UTC" | "utc" | "zone" | "printable" | "color" | "colour" | "usec" | "uid"
            | "descriptive" | "long" | "process" | "thread" => continue,
            _ => return false,
        };
    }
    true
}

enum LogStart {
    Count(usize),
    Time(DateTime<Utc>),
}

/// Parses a count, `MM-DD hh:mm:ss.mmm` of this year, `YYYY-MM-DD hh:mm:ss.mmm` or `SECONDS.mmm` since 1970,
/// in UTC. Returns `None` for any other text.
fn since(text: &str, now: DateTime<Utc>) -> Option<LogStart> {
    if let Ok(count) = text.parse() {
        return Some(LogStart::Count(count));
    }
    for text in [text.to_owned(), format!("{}-{text}", now.year())] {
        if let Ok(time) = NaiveDateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f") {
            return Some(LogStart::Time(time.and_utc()));
        }
    }
    let (seconds, fraction) = text.split_once('.')?;
    let nanos = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    DateTime::from_timestamp(seconds.parse().ok()?, nanos).map(LogStart::Time)
}

/// `log [-p PRIORITY] [-t TAG] MESSAGE…`: writes one entry, by default with priority `I` and tag `log`. An unknown
/// priority gives 1. Without a message the entry is empty.
pub(super) fn log(call: &mut Call) -> Outcome {
    let (mut priority, mut tag) = ('I', "log".to_owned());
    let mut message = Vec::new();
    let mut words = call.owned_args().into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-p" => {
                let letter = words.next().and_then(|word| word.chars().next());
                match letter
                    .map(|letter| letter.to_ascii_uppercase())
                    .filter(|letter| PRIORITIES.contains(*letter))
                {
                    Some(letter) => priority = letter,
                    None => return call.fail(1, "log: bad -p"),
                }
            }
            "-t" => tag = words.next().unwrap_or_default(),
            _ => message.push(word),
        }
    }
    call.device
        .log_line(priority, &tag, &message.join(" "), 4000);
    Outcome::Exit(0)
}
