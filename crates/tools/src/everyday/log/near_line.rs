//! Lines of the log that an `assert log` narrowly missed, each with the arguments that it would have matched.
//!
//! They are searched after the failure only, so that a step that passes asks for nothing more.

use std::time::Duration;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::Advice;
use runner_device::logs::{self, LogLine, LogQuery};
use runner_engine::Session;

/// Limit for all further reads of the log. Chosen: below the grace that a step has to end by itself once its
/// time is up, as its message would be lost otherwise.
const LIMIT: Duration = Duration::from_millis(800);

/// Limit for advised lines. Chosen: the newest ones are about this step, and more say nothing new.
const MAX_LINES: usize = 2;

/// Failed search for a line.
pub(super) struct NearLines<'a> {
    pub(super) query: &'a LogQuery,
    /// Text that was searched for; `None` for a regular expression.
    pub(super) text: Option<&'a str>,
    pub(super) pattern: &'a Regex,
    /// True if the step names an app, which goes without `any_app`.
    pub(super) names_app: bool,
}

/// Process of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Process {
    /// One of those whose lines the step reads.
    Asked,
    Other,
}

impl NearLines<'_> {
    /// Returns advice for the newest lines, at most two, that have another tag, a lower level, the text in
    /// another letter case, or come from another process. `lines` are those that were read in vain. Asks the
    /// device for further lines only if these have none; an error or a silent device is no advice.
    pub(super) async fn advise(&self, session: &Session, lines: &[LogLine]) -> Vec<Advice> {
        let known = self.among(lines, Process::Asked);
        if !known.is_empty() {
            return known;
        }
        let asking = self.ask(session, lines);
        let asked = session.clock().timeout(LIMIT, asking).await;
        asked.unwrap_or_default()
    }

    /// Asks for the app's lines of any tag and level, if the step names one, then, without a near line there, for those
    /// of all processes.
    async fn ask(&self, session: &Session, lines: &[LogLine]) -> Vec<Advice> {
        let query = self.query;
        let mut own = Vec::new();
        if query.tag.is_some() || query.level.is_some() {
            let any = LogQuery {
                tag: None,
                level: None,
                ..query.clone()
            };
            own = read(session, &any).await;
            let near = self.among(&own, Process::Asked);
            if !near.is_empty() || query.package.is_none() {
                return near;
            }
        }
        if query.package.is_none() {
            return Vec::new();
        }
        let all = LogQuery {
            package: None,
            ..query.clone()
        };
        let mut others = read(session, &all).await;
        // The app may have logged more by now.
        others.retain(|line| !own.iter().chain(lines).any(|it| it.pid == line.pid));
        self.among(&others, Process::Other)
    }

    /// Returns advice for the newest lines with the text, at most [`MAX_LINES`].
    fn among(&self, lines: &[LogLine], process: Process) -> Vec<Advice> {
        let newest = lines.iter().rev();
        let near = newest.filter_map(|line| self.advice(line, process));
        near.take(MAX_LINES).collect()
    }

    /// Returns the advice for one line: the arguments `contains` or `regex`, `tag`, `level` and `any_app` with which
    /// the step would match it. `None` if the line lacks the text in any letter case, or nothing is to be changed.
    fn advice(&self, line: &LogLine, process: Process) -> Option<Advice> {
        let mut arguments: Vec<(&'static str, Value)> = Vec::new();
        let mut why = Vec::new();
        if !self.pattern.is_match(&line.message) {
            arguments.push(self.in_other_case(line)?);
            why.push("its text differs only in case".to_owned());
        }
        let wanted_tag = self.query.tag.as_ref();
        if wanted_tag.is_some_and(|tag| *tag != line.tag) {
            arguments.push(("tag", line.tag.as_str().into()));
            why.push(format!("its tag is {}", line.tag));
        }
        if self.query.level.is_some_and(|level| line.level < level) {
            let level = line.level.letter().to_string();
            why.push(format!("its level is {level}"));
            arguments.push(("level", level.into()));
        }
        if process == Process::Other {
            arguments.push(("any_app", true.into()));
            why.push(if self.names_app {
                "another process logged it, so leave out `app`".to_owned()
            } else {
                "another process logged it".to_owned()
            });
        }
        (!arguments.is_empty()).then(|| Advice::Arguments {
            fact: format!("near miss: {}: {}", line.raw, why.join(", ")),
            arguments,
        })
    }

    /// Returns the argument for the text as the line has it, if it differs in letter case only.
    fn in_other_case(&self, line: &LogLine) -> Option<(&'static str, Value)> {
        let mut any_case = RegexBuilder::new(self.pattern.as_str());
        let found = any_case.case_insensitive(true).build().ok()?;
        let found = found.find(&line.message)?.as_str();
        Some(match self.text {
            Some(_) => ("contains", found.into()),
            None => ("regex", format!("(?i){}", self.pattern.as_str()).into()),
        })
    }
}

/// Reads lines of the log. Empty if that fails: the step has failed already.
async fn read(session: &Session, query: &LogQuery) -> Vec<LogLine> {
    let bound = |usual: Duration| usual.min(LIMIT);
    let lines = logs::read_within(session.device(), query, &bound).await;
    lines.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FlowReader;
    use runner_device::logs::Level;

    /// Returns what the author of a flow is told of one line.
    fn told(query: &LogQuery, text: Option<&str>, pattern: &str, line: &str) -> Vec<String> {
        let near = NearLines {
            query,
            text,
            pattern: &Regex::new(pattern).unwrap(),
            names_app: false,
        };
        let line = logs::parse(line).unwrap();
        let advice = near.among(&[line], Process::Asked).into_iter();
        advice
            .flat_map(|advice| advice.lines(&FlowReader))
            .collect()
    }

    #[test]
    fn a_line_that_was_missed_is_told_with_what_to_write() {
        let line = "04-24 18:34:14.408  6168  6196 W Notes: wrong password";
        let tag = |tag: &str| LogQuery {
            tag: Some(tag.to_owned()),
            ..LogQuery::default()
        };
        let level = |level| LogQuery {
            level: Some(level),
            ..LogQuery::default()
        };
        let both = LogQuery {
            level: Some(Level::Error),
            ..tag("notes")
        };
        for (query, text, pattern, expected) in [
            (
                tag("notes"),
                None,
                "wrong",
                "its tag is Notes; write tag: Notes",
            ),
            (
                level(Level::Error),
                None,
                "wrong",
                "its level is W; write level: W",
            ),
            (
                both,
                None,
                "wrong",
                "its tag is Notes, its level is W; write tag: Notes, level: W",
            ),
            (
                LogQuery::default(),
                Some("Wrong Password"),
                "Wrong Password",
                "its text differs only in case; write contains: wrong password",
            ),
            (
                LogQuery::default(),
                None,
                "^Wrong",
                "its text differs only in case; write regex: \"(?i)^Wrong\"",
            ),
        ] {
            assert_eq!(
                told(&query, text, pattern, line),
                [format!("near miss: {line}: {expected}")]
            );
        }
        // Nothing is said of a line that lacks the text, or matches.
        for (query, pattern) in [
            (tag("notes"), "right"),
            (tag("Notes"), "wrong"),
            (level(Level::Warning), "wrong"),
            (level(Level::Info), "wrong"),
        ] {
            assert_eq!(told(&query, None, pattern, line), [""; 0]);
        }
    }
}
