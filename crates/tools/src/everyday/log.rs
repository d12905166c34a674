//! Step `assert log`.

mod near_line;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

use near_line::NearLines;

use crate::arguments::Arguments;
use crate::{Call, Failure, FrontEffect, Outcome, StepSyntax, StepValue, Tool, Words};
use runner_device::DeviceError;
use runner_device::logs::{self, Level, LogLine, LogQuery};
use runner_engine::Session;

/// Pause between two reads of the log. Chosen: a read takes a phone about as long.
const BETWEEN_READS: Duration = Duration::from_millis(300);

/// Arguments of `assert log`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertLogArgs {
    /// Text that the message of a line contains.
    #[serde(default)]
    pub contains: Option<String>,
    /// Regular expression that matches in the message of a line.
    #[serde(default)]
    pub regex: Option<String>,
    /// Only lines with just this tag.
    #[serde(default)]
    pub tag: Option<String>,
    /// Only lines at least this serious: V, D, I, W, E, F.
    #[serde(default)]
    #[schemars(extend("enum" = ["V", "D", "I", "W", "E", "F"]))]
    pub level: Option<String>,
    /// Only lines of this app; by default the flow's app.
    #[serde(default)]
    pub app: Option<String>,
    /// Lines of every process.
    #[serde(default)]
    pub any_app: bool,
}

#[derive(Debug)]
pub struct AssertLog;

impl Tool for AssertLog {
    const NAME: &'static str = "assert log";
    const EXAMPLE: &'static str = "- assert log: signed in";
    const KEEPS: StepValue = StepValue::new(&[
        ("time", "when, in the device's words"),
        ("level", "`V`, `D`, `I`, `W`, `E` or `F`"),
        ("tag", "its tag"),
        ("text", "its message"),
    ]);
    const SUMMARY: &'static str = "Waits until the app has logged a line since the test began.";
    const WRITING: StepSyntax = StepSyntax::Scalar("contains");
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = AssertLogArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        pattern(&args.read()?).map(drop)
    }

    /// Reads the log since the attempt began, again and again, until a line matches, and returns the first such line.
    /// Only lines of `app`, else of the flow's app, count; with `any_app`, or if neither is named, all do. If time is
    /// up, the failed assertion shows the last 5 lines read.
    async fn call(session: &Session, args: AssertLogArgs, call: &Call) -> Result<Outcome, Failure> {
        let pattern = pattern(&args)?;
        let level = match args.level.as_deref() {
            None => None,
            Some(text) => Some(level(text).ok_or_else(|| {
                Failure::usage(Words::format(
                    "level must be one of: V, D, I, W, E, F. Got: '{}'",
                    &[&text],
                ))
            })?),
        };
        let names_app = args.app.is_some();
        let package = match (args.app, args.any_app) {
            (Some(_), true) => {
                return Err(Failure::usage("`any_app` goes without `app`"));
            }
            (_, true) => None,
            (app, false) => app.or_else(|| call.app.clone()),
        };
        let query = LogQuery {
            since: session.began().await,
            until: None,
            tag: args.tag,
            level,
            package,
            ended: None,
        };
        let began = session.clock().now();
        let mut paused = Duration::ZERO;
        let mut before: Option<Vec<LogLine>> = None;
        loop {
            let bound = |usual| session.bound(usual);
            let reading = logs::read_within(session.device(), &query, &bound);
            let (lines, cut_off) = match (reading.await, before.take()) {
                (Ok(lines), _) => (lines, false),
                // Earlier reads succeeded, so this one was only cut off by the limit.
                (Err(DeviceError::Timeout { .. }), Some(lines)) => (lines, true),
                (Err(error), _) => return Err(error.into()),
            };
            if let Some(line) = lines.iter().find(|line| pattern.is_match(&line.message)) {
                let value = json!({
                    "time": line.time,
                    "level": line.level.letter().to_string(),
                    "tag": line.tag,
                    "text": line.message,
                });
                return Ok(Outcome::value(line.raw.clone(), value));
            }
            // An immediate log is complete for now, but the app may log later. A device whose time stands still
            // has its pauses counted.
            let waited = session.clock().since(began).max(paused);
            let left = call.timeout.saturating_sub(waited);
            if cut_off || left.is_zero() {
                let last = lines.iter().rev().take(5).rev();
                let near = NearLines {
                    query: &query,
                    text: args.contains.as_deref(),
                    pattern: &pattern,
                    names_app,
                };
                let near = near.advise(session, &lines).await;
                // As it was asked for: the pattern of a plain text is escaped.
                let asked = args.contains.as_ref().or(args.regex.as_ref());
                return Err(Failure::assertion(Words::format(
                    "no log line matches {}",
                    &[&asked.map_or("", String::as_str)],
                ))
                .with_details([format!("lines read: {}", lines.len())])
                .with_details(last.map(|line| format!("logged: {}", line.raw)))
                .with_advice(near));
            }
            before = Some(lines);
            let pause = BETWEEN_READS.min(left);
            session.pause(pause).await?;
            paused += pause;
        }
    }
}

/// Returns the pattern of `contains`, escaped, or of `regex`. Neither, both, an empty text and a wrong expression are
/// failures of usage.
fn pattern(args: &AssertLogArgs) -> Result<regex::Regex, Failure> {
    let text = match (&args.contains, &args.regex) {
        (Some(text), None) => regex::escape(text),
        (None, Some(pattern)) => pattern.clone(),
        _ => {
            return Err(Failure::usage(
                "`assert log` takes either `contains` or `regex`",
            ));
        }
    };
    if text.is_empty() {
        return Err(Failure::usage(
            "`assert log` needs a text that is not empty: every line contains the empty one",
        ));
    }
    regex::Regex::new(&text).map_err(|error| {
        // The error's first lines draw the pattern; the last one describes the mistake.
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        Failure::usage(Words::format(
            "`regex`: {}",
            &[&last.trim_start_matches("error: ")],
        ))
    })
}

/// Parses a level from its one capital letter: V, D, I, W, E or F. `None` for all else, also for `S`.
pub(crate) fn level(text: &str) -> Option<Level> {
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter @ ('V' | 'D' | 'I' | 'W' | 'E' | 'F')), None) => Level::from_letter(letter),
        _ => None,
    }
}
