//! Parses decisions about another run's proposals, from a file or from one line that fits into a comment.
//! Nothing in them is trusted: the archive and the project must confirm it.

use std::collections::BTreeMap;

use serde::Deserialize;

use runner_snapshot::{Digest, GoldenKey, Sides};

/// Version of the format.
const FORMAT: u32 = 1;
/// Prefix of the line in a comment.
pub const COMMAND: &str = "/runner decide ";
/// Bytes of the longest decisions. Chosen: hundreds of thousands of snapshots fit.
const MAX_DECISIONS_BYTES: usize = 32 * 1024 * 1024;
/// Bytes of the longest name of a run or a commit. Chosen: CI systems' names and hashes fit.
const MAX_NAME_BYTES: usize = 200;

/// Decisions about one run's proposals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    /// Name of the run in the CI system, for people.
    pub run: Option<String>,
    /// Commit that the run tested, for people and for jobs.
    pub commit: Option<String>,
    /// Digest of all that the run proposed.
    pub archive: Digest,
    pub snapshots: BTreeMap<GoldenKey, SnapshotDecision>,
}

/// Decision about one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotDecision {
    pub choice: Choice,
    /// Digests of both sides that the person has seen. A line in a comment leaves them out, as the archive's
    /// digest covers them.
    pub seen: Option<Sides>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// Proposal becomes the golden.
    Accept,
    /// Golden stays.
    Reject,
}

/// Reason why a text is not parsed as decisions.
#[derive(Debug, thiserror::Error)]
pub enum DecisionsError {
    /// Neither a file nor a line.
    #[error(
        "there are no decisions in it: give the file that the page of the review made, or its line, which begins with `{COMMAND}`"
    )]
    Nothing,
    /// Several lines.
    #[error("it has {0} lines that begin with `{COMMAND}`; give one")]
    Several(usize),
    /// Invalid JSON, or other keys.
    #[error("the decisions do not read: {0}; make them again on the page of the review")]
    Json(#[from] serde_json::Error),
    /// Unknown version of the format.
    #[error(
        "the decisions have the format {0}, and this program reads {FORMAT}; use the `runner` that made the page"
    )]
    Format(u32),
    /// Invalid key.
    #[error("{given:?} is not a snapshot's key: {why}")]
    Key { given: String, why: String },
    /// Two decisions about one snapshot.
    #[error("{0} is decided about twice; make the decisions again on the page of the review")]
    Twice(GoldenKey),
    #[error("the decisions are longer than {0} bytes")]
    TooLong(usize),
}

/// JSON of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "runner-decisions")]
    format: u32,
    run: Option<String>,
    commit: Option<String>,
    archive: Digest,
    decisions: Vec<FileEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    snapshot: String,
    golden: Option<Digest>,
    actual: Digest,
    decision: Choice,
}

/// JSON of the line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    run: Option<String>,
    commit: Option<String>,
    archive: Digest,
    #[serde(default)]
    accept: Vec<String>,
    #[serde(default)]
    reject: Vec<String>,
}

impl Decisions {
    /// Parses decisions: a file, which begins with `{`, or the only line with the command in a text. Other text of a
    /// comment is ignored. Only the form is checked, not whether there is such a proposal; no decision at all is
    /// valid.
    ///
    /// # Errors
    /// Returns an error if the text is no file and does not have exactly one such line, if a decision is invalid, or
    /// if the text or a name is too long. No decision is used then.
    pub fn read(text: &str) -> Result<Self, DecisionsError> {
        if text.len() > MAX_DECISIONS_BYTES {
            return Err(DecisionsError::TooLong(MAX_DECISIONS_BYTES));
        }
        let read = if text.trim_start().starts_with('{') {
            Self::from_file(serde_json::from_str(text)?)?
        } else {
            Self::from_line(serde_json::from_str(command(text)?)?)?
        };
        for name in [&read.run, &read.commit].into_iter().flatten() {
            if name.len() > MAX_NAME_BYTES {
                return Err(DecisionsError::TooLong(MAX_NAME_BYTES));
            }
        }
        Ok(read)
    }

    /// Converts a decisions file. Fails for another format, a key that cannot be parsed, or one that occurs twice,
    /// even with the same decision.
    fn from_file(file: File) -> Result<Self, DecisionsError> {
        if file.format != FORMAT {
            return Err(DecisionsError::Format(file.format));
        }
        let entries = file.decisions.into_iter().map(|entry| {
            let seen = Some(Sides {
                golden: entry.golden,
                actual: entry.actual,
            });
            let decision = SnapshotDecision {
                choice: entry.decision,
                seen,
            };
            (entry.snapshot, decision)
        });
        Ok(Self {
            run: file.run,
            commit: file.commit,
            archive: file.archive,
            snapshots: by_key(entries)?,
        })
    }

    /// Converts a line of decisions, in which no versions that were seen stand. Fails for a key that cannot be parsed
    /// or occurs twice, in one list or in both. Missing lists are empty.
    fn from_line(line: Line) -> Result<Self, DecisionsError> {
        let of = |choice| move |key| (key, SnapshotDecision { choice, seen: None });
        let accepted = line.accept.into_iter().map(of(Choice::Accept));
        let rejected = line.reject.into_iter().map(of(Choice::Reject));
        Ok(Self {
            run: line.run,
            commit: line.commit,
            archive: line.archive,
            snapshots: by_key(accepted.chain(rejected))?,
        })
    }
}

/// Collects the decisions by key. Fails at the first key that cannot be parsed or occurs twice. Empty without
/// entries.
fn by_key(
    entries: impl Iterator<Item = (String, SnapshotDecision)>,
) -> Result<BTreeMap<GoldenKey, SnapshotDecision>, DecisionsError> {
    let mut snapshots = BTreeMap::new();
    for (given, decision) in entries {
        let key = given
            .parse::<GoldenKey>()
            .map_err(|error| DecisionsError::Key {
                given,
                why: error.to_string(),
            })?;
        if snapshots.insert(key.clone(), decision).is_some() {
            return Err(DecisionsError::Twice(key));
        }
    }
    Ok(snapshots)
}

/// Returns the text after the command in the only line that begins with it, which is not parsed yet. Spaces and
/// backticks around the line are ignored. Fails if no line or more than one has the command.
fn command(text: &str) -> Result<&str, DecisionsError> {
    let lines = text.lines().filter_map(|line| {
        line.trim_matches(|c: char| c == '`' || c.is_whitespace())
            .strip_prefix(COMMAND.trim_end())
            .filter(|rest| rest.starts_with([' ', '{']))
    });
    let found: Vec<&str> = lines.collect();
    match found[..] {
        [] => Err(DecisionsError::Nothing),
        [line] => Ok(line),
        _ => Err(DecisionsError::Several(found.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    fn key(text: &str) -> GoldenKey {
        text.parse().unwrap()
    }

    #[test]
    fn a_file_and_a_line_say_the_same() {
        let file = format!(
            r#"{{"runner-decisions":1,"run":"7","commit":"abc","archive":"{DIGEST}","decisions":[
                {{"snapshot":"a/home~lab","golden":null,"actual":"{DIGEST}","decision":"accept"}},
                {{"snapshot":"a/b@tablet~lab","golden":"{DIGEST}","actual":"{DIGEST}","decision":"reject"}}]}}"#
        );
        let line = format!(
            "Looks right to me.\r\n\r\n`/runner decide {{\"run\":\"7\",\"commit\":\"abc\",\"archive\":\"{DIGEST}\",\"accept\":[\"a/home~lab\"],\"reject\":[\"a/b@tablet~lab\"]}}`\r\nThanks"
        );
        let mut file = Decisions::read(&file).unwrap();
        let new = &file.snapshots[&key("a/home~lab")];
        assert_eq!(new.choice, Choice::Accept);
        assert!(new.seen.as_ref().unwrap().golden.is_none());
        for decision in file.snapshots.values_mut() {
            decision.seen = None;
        }
        assert_eq!(Decisions::read(&line).unwrap(), file);
    }

    #[test]
    fn what_is_no_decision_is_refused_with_the_reason() {
        let line = |rest: &str| format!("/runner decide {{\"archive\":\"{DIGEST}\"{rest}}}");
        for (text, why) in [
            (String::new(), "no decisions"),
            ("please accept it all".into(), "no decisions"),
            ("/runner decided {}".into(), "no decisions"),
            (format!("{}\n{}", line(""), line("")), "2 lines"),
            ("/runner decide {\"accept\":[]}".into(), "archive"),
            ("/runner decide $(touch hurt)".into(), "do not read"),
            (line(",\"hook\":\"rm\""), "hook"),
            (
                line(",\"accept\":[\"../../etc/passwd\"]"),
                "not a snapshot's key",
            ),
            (
                line(",\"accept\":[\"/etc/passwd\"]"),
                "not a snapshot's key",
            ),
            (line(",\"accept\":[\"a/home\",\"a/home\"]"), "twice"),
            (
                line(",\"accept\":[\"a/home\"],\"reject\":[\"a/home\"]"),
                "twice",
            ),
            (line(&format!(",\"run\":\"{}\"", "x".repeat(300))), "longer"),
            (
                format!("{{\"runner-decisions\":9,\"archive\":\"{DIGEST}\",\"decisions\":[]}}"),
                "format 9",
            ),
            (
                "{\"runner-decisions\":1,\"archive\":\"x\",\"decisions\":[]}".into(),
                "digest",
            ),
        ] {
            let error = Decisions::read(&text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
