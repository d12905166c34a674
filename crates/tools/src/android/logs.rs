//! Tool for the device's log (A7).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::arguments::invalid;
use super::errors;
use crate::arguments::{Arguments, Complaint};
use crate::everyday::level;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::logs::{self, LogLine, LogQuery, LogTime};
use runner_engine::{EngineError, Session};

/// Arguments of `get_device_logs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceLogsArgs {
    /// Number of most recent log lines to return (1-1000)
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1000))]
    pub last_lines: usize,
    /// ISO 8601 timestamp to filter logs from (e.g., 2024-01-15T10:30:00)
    pub since: Option<String>,
    /// ISO 8601 timestamp to filter logs until (used with since)
    pub until: Option<String>,
    /// Filter by log tag (exact match, e.g., MCP:ServerService)
    pub tag: Option<String>,
    /// Minimum log level to include
    #[serde(default = "debug")]
    #[schemars(extend("enum" = ["V", "D", "I", "W", "E", "F"]))]
    pub level: String,
    /// Filter logs by package name
    pub package_name: Option<String>,
}

fn hundred() -> usize {
    100
}

fn debug() -> String {
    "D".to_owned()
}

#[derive(Debug)]
pub struct GetDeviceLogs;

impl Tool for GetDeviceLogs {
    const NAME: &'static str = "get_device_logs";
    const SUMMARY: &'static str =
        "Retrieves device logcat logs filtered by time range, tag, level, or package name.";
    const HELP: &'static str = "`truncated`: older lines were left out.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = DeviceLogsArgs;

    /// Refuses less than 1 and more than 1000 lines, and invalid times and levels. Other arguments of a wrong type are
    /// refused too.
    fn check(args: &Arguments) -> Result<(), Failure> {
        args.between("last_lines", 1, 1000)?;
        for name in ["since", "until"] {
            timestamp(name, args.text(name)?)?;
        }
        for name in ["tag", "package_name"] {
            args.text(name)?;
        }
        match args.text("level")? {
            Some(text) if level(text).is_none() => {
                let levels = ["V", "D", "I", "W", "E", "F"];
                Err(args.complaint("level", &Complaint::NotOneOf(&levels, text)))
            }
            _ => Ok(()),
        }
    }

    /// Returns JSON with the newest matching lines, at most `last_lines`, oldest first, their number, and whether
    /// earlier ones were left out. No line is no failure.
    async fn call(session: &Session, args: DeviceLogsArgs, _: &Call) -> Result<Outcome, Failure> {
        let query = LogQuery {
            since: timestamp("since", args.since.as_deref())?,
            until: timestamp("until", args.until.as_deref())?,
            tag: args.tag,
            level: level(&args.level),
            package: args.package_name,
            ended: None,
        };
        let lines = logs::read(session.device(), &query)
            .await
            .map_err(|error| errors::system("Logcat command", EngineError::from(error)))?;
        let newest = lines.len().saturating_sub(args.last_lines);
        let stored: Vec<String> = lines[newest..].iter().map(display_line).collect();
        let value = json!({
            "logs": stored.join("\n"),
            "line_count": stored.len(),
            "truncated": newest > 0,
        });
        Ok(Outcome::json(value))
    }
}

/// Parses a time of the device's log; `None` if none is given. Any other text is a failure of usage with the argument's
/// name.
fn timestamp(name: &str, text: Option<&str>) -> Result<Option<LogTime>, Failure> {
    let Some(text) = text else {
        return Ok(None);
    };
    let time = LogTime::parse(text).ok_or_else(|| {
        invalid(Words::format(
            "Parameter '{}' must be an ISO 8601 timestamp such as 2024-01-15T10:30:00, got: '{}'",
            &[&name, &text],
        ))
    })?;
    Ok(Some(time))
}

/// Formats a line as `TIME LEVEL/TAG: MESSAGE`, with the level as a letter.
fn display_line(line: &LogLine) -> String {
    format!(
        "{} {}/{}: {}",
        line.time,
        line.level.letter(),
        line.tag,
        line.message
    )
}
