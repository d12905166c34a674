//! Reads all reports of a run, and finds where they disagree with each other and with the exit code.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

use crate::common::Ran;

/// Number of results by status.
pub type Tally = BTreeMap<String, u64>;

/// Content of a JUnit file.
#[derive(Debug, Default)]
pub struct Junit {
    /// Sums of the attributes of all suites, by name.
    pub suites: Tally,
    /// Attributes of the root element, by name.
    pub whole: Tally,
    /// Number of elements of each kind, and of cases as `tests`.
    pub elements: Tally,
    /// Path of each case's flow, and the name of the element with its result.
    pub cases: Vec<(String, String)>,
}

const COUNTED: [&str; 4] = ["tests", "failures", "errors", "skipped"];

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.try_get_attribute(name).ok()??;
    String::from_utf8(found.value.into_owned()).ok()
}

impl Junit {
    fn read(text: &str) -> Result<Self, quick_xml::Error> {
        let mut junit = Self::default();
        let mut reader = quick_xml::Reader::from_str(text);
        loop {
            match reader.read_event()? {
                Event::Eof => return Ok(junit),
                Event::Start(element) | Event::Empty(element) => junit.count(&element),
                _ => {}
            }
        }
    }

    fn count(&mut self, element: &BytesStart<'_>) {
        let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
        let counts = match name.as_str() {
            "testsuites" => &mut self.whole,
            "testsuite" => &mut self.suites,
            "testcase" => {
                *self.elements.entry("tests".to_owned()).or_default() += 1;
                let flow = attribute(element, "file").unwrap_or_default();
                self.cases.push((flow, "passed".to_owned()));
                return;
            }
            "failure" | "error" | "skipped" => {
                let counted = if name == "skipped" {
                    name.clone()
                } else {
                    format!("{name}s")
                };
                *self.elements.entry(counted).or_default() += 1;
                if let Some((_, end)) = self.cases.last_mut() {
                    *end = name;
                }
                return;
            }
            _ => return,
        };
        for counted in COUNTED {
            let number = attribute(element, counted).and_then(|number| number.parse().ok());
            if let Some(number) = number {
                let number: u64 = number;
                *counts.entry(counted.to_owned()).or_default() += number;
            }
        }
    }
}

/// Reports that a run left in a folder.
pub struct Reports {
    pub code: i32,
    pub printed: String,
    pub events: Vec<Value>,
    junit: Option<Result<Junit, quick_xml::Error>>,
    html: Option<Value>,
    history: Vec<Value>,
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Returns what identifies a result beside its flow: the case, the repetition, the device.
fn identity(id: &Value) -> String {
    let case = id["case"].as_str().unwrap_or_default();
    let device = id["device"].as_str().unwrap_or_default();
    format!("{case} {} {device}", id["repeat"].as_u64().unwrap_or(1))
}

/// Returns the summary in the index of an HTML report.
fn summary(index: &str) -> Option<Value> {
    let (_, data) = index.split_once("id=\"summary\">")?;
    serde_json::from_str(data.split_once("</script>")?.0).ok()
}

impl Reports {
    /// Reads `events.ndjson`, `junit.xml` and `html` of the folder, and the newest file of a history's
    /// folder.
    pub fn read(ran: &Ran, folder: &Path, history: &Path) -> Self {
        let text = |path: &Path| std::fs::read_to_string(path).ok();
        let files = std::fs::read_dir(history).into_iter().flatten().flatten();
        let newest = files.map(|file| file.path()).max();
        Self {
            code: ran.code,
            printed: format!("{}{}", ran.stdout, ran.stderr),
            events: lines(&text(&folder.join("events.ndjson")).unwrap_or_default()),
            junit: text(&folder.join("junit.xml")).map(|text| Junit::read(&text)),
            html: text(&folder.join("html/index.html"))
                .map(|index| summary(&index).unwrap_or_default()),
            history: lines(&newest.and_then(|path| text(&path)).unwrap_or_default()),
        }
    }

    pub fn junit(&self) -> Option<&Junit> {
        self.junit.as_ref()?.as_ref().ok()
    }

    /// Returns all results: the flow's path, the result's further identity, the status.
    pub fn ends(&self) -> Vec<(String, String, String)> {
        let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let ends = self.events.iter().filter_map(|event| {
            if event["event"] == "unreadable" {
                let flow = name(&event["flow"]);
                return Some((flow, String::new(), "unreadable".to_owned()));
            }
            if event["event"] != "flow_finished" || event["last"] != true {
                return None;
            }
            let id = &event["id"];
            Some((name(&id["flow"]), identity(id), name(&event["status"])))
        });
        ends.collect()
    }

    /// Counts the results by status, in the words of totals.
    fn tally(&self) -> Tally {
        let mut tally = Tally::new();
        for (_, _, status) in self.ends() {
            let counted = match status.as_str() {
                "error" | "unreadable" => "errors".to_owned(),
                _ => status,
            };
            *tally.entry(counted).or_default() += 1;
        }
        tally
    }

    /// Returns a line for each disagreement of the reports.
    pub fn disagreements(&self) -> Vec<String> {
        let finish = self.events.iter().find(|event| event["event"] == "finish");
        let Some(finish) = finish else {
            // A run that does nothing has no stream.
            let is_cut = !self.events.is_empty();
            return is_cut
                .then(|| "the stream has no end".to_owned())
                .into_iter()
                .collect();
        };
        let tally = self.tally();
        let because = finish["because"].as_array().map_or(0, Vec::len);
        let because = u64::try_from(because).unwrap_or(u64::MAX);
        let all = [
            self.in_the_stream(finish, &tally, because),
            self.in_junit(&tally, because),
            self.in_html(&tally),
            self.in_history(),
        ];
        all.concat()
    }

    fn in_the_stream(&self, finish: &Value, tally: &Tally, because: u64) -> Vec<String> {
        let mut told = Vec::new();
        if finish["exit_code"] != self.code {
            told.push(differs(
                "exit code of the stream",
                &finish["exit_code"],
                &self.code,
            ));
        }
        for status in STATUSES {
            let total = finish["totals"][status].as_u64().unwrap_or(0);
            if total != count(tally, status) {
                told.push(differs(&format!("total `{status}`"), &total, &tally));
            }
        }
        let bad = count(tally, "failed") + count(tally, "errors") + because;
        if (bad > 0) != (self.code > 0) {
            told.push(differs("exit code", &self.code, &(tally, because)));
        }
        told
    }

    fn in_junit(&self, tally: &Tally, because: u64) -> Vec<String> {
        let junit = match &self.junit {
            None => return Vec::new(),
            Some(Err(error)) => return vec![format!("JUnit: {error}")],
            Some(Ok(junit)) => junit,
        };
        let mut told = Vec::new();
        for counted in COUNTED {
            for counts in [&junit.suites, &junit.whole] {
                // A file for Jenkins has fewer counts.
                let Some(said) = counts.get(counted) else {
                    continue;
                };
                if *said != count(&junit.elements, counted) {
                    let what = format!("JUnit `{counted}`");
                    told.push(differs(&what, said, &junit.elements));
                }
            }
        }
        let [failures, errors, skipped] =
            ["failures", "errors", "skipped"].map(|counted| count(&junit.elements, counted));
        // Whether what was not run is an error or skipped is left to JUnit.
        let others = ["errors", "skipped", "quarantined", "interrupted"];
        let others: u64 = others.map(|status| count(tally, status)).iter().sum();
        if failures != count(tally, "failed") + because
            || errors < count(tally, "errors")
            || errors + skipped != others
        {
            told.push(differs("JUnit", &junit.elements, &(tally, because)));
        }
        if (failures + errors > 0) != (self.code != 0) {
            told.push(differs(
                "JUnit beside the exit code",
                &junit.elements,
                &self.code,
            ));
        }
        told
    }

    fn in_html(&self, tally: &Tally) -> Vec<String> {
        let Some(html) = &self.html else {
            return Vec::new();
        };
        let mut told = Vec::new();
        if html["exit_code"] != self.code {
            told.push(differs("exit code of HTML", &html["exit_code"], &self.code));
        }
        let mut shown = Tally::new();
        for flow in html["flows"].as_array().into_iter().flatten() {
            let status = match flow["status"].as_str().unwrap_or_default() {
                "error" => "errors",
                status => status,
            };
            *shown.entry(status.to_owned()).or_default() += 1;
        }
        let unreadable = html["unreadable"].as_array().map_or(0, Vec::len);
        if let Ok(unreadable @ 1..) = u64::try_from(unreadable) {
            *shown.entry("errors".to_owned()).or_default() += unreadable;
        }
        if shown != *tally {
            told.push(differs("HTML", &shown, tally));
        }
        told
    }

    /// Compares which flows passed with the history, which may lack flows that did not run and files that do
    /// not read.
    fn in_history(&self) -> Vec<String> {
        if self.history.is_empty() {
            return Vec::new();
        }
        let kept = self.history.iter().filter_map(|line| {
            let of = &line["flow"]["of"];
            let identity = identity(of);
            let outcome = line["flow"]["outcome"].as_str().unwrap_or_default();
            Some((
                of["flow"].as_str()?.to_owned(),
                identity,
                outcome.to_owned(),
            ))
        });
        let ends = self.ends();
        let unreadable: Vec<String> = (ends.iter())
            .filter(|(_, _, status)| status == "unreadable")
            .map(|(flow, ..)| flow.clone())
            .collect();
        let verdicts = |all: Vec<(String, String, String)>| {
            let mut verdicts: Vec<_> = all
                .into_iter()
                .filter(|(flow, _, status)| {
                    let is_left_out = ["interrupted", "skipped"].contains(&status.as_str())
                        || unreadable.contains(flow);
                    flow.starts_with("flows/") && !is_left_out
                })
                .map(|(flow, identity, status)| {
                    (
                        flow,
                        identity,
                        ["passed", "flaky"].contains(&status.as_str()),
                    )
                })
                .collect();
            verdicts.sort();
            verdicts
        };
        let (kept, ended) = (verdicts(kept.collect()), verdicts(ends.clone()));
        let differ = kept != ended;
        differ
            .then(|| differs("history", &kept, &ended))
            .into_iter()
            .collect()
    }
}

const STATUSES: [&str; 7] = [
    "passed",
    "flaky",
    "failed",
    "errors",
    "skipped",
    "interrupted",
    "quarantined",
];

fn count(tally: &Tally, status: &str) -> u64 {
    tally.get(status).copied().unwrap_or(0)
}

fn differs(what: &str, one: &dyn Debug, other: &dyn Debug) -> String {
    format!("{what}: {one:?}, not {other:?}")
}
