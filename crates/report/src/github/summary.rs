//! Writes the step's summary in Markdown: totals, what failed and why, and the next commands.

use super::annotation::label;
use crate::problem::{Problem, problems};
use crate::results::Results;
use crate::text::{count, duration, status_word};
use runner_device::DriverKind;
use runner_event::FlowStatus;
use runner_pages::embed;

/// Lines of details, and flows, listed per problem. Chosen: a row stays below a screen.
const MAX_DETAILS: usize = 10;

/// Characters of a line, after which it is cut. Chosen: messages are mostly shorter; a text of an app can be
/// any length.
const MAX_LINE_CHARS: usize = 300;

/// HTML report of one file that the job keeps as an artifact of its own.
#[derive(Debug, Clone)]
pub struct ReportLink {
    /// Name of the file, and of the artifact.
    pub name: String,
    /// Address of the list of the run's artifacts, if it is known.
    pub artifacts: Option<String>,
}

/// Builds the Markdown summary with at most `room` bytes: a heading, a table of the problems, and an end with the
/// next commands and, if given, the place of the report. Problems keep their order. From the first that does not fit,
/// all are left out, and a line counts them. Without problems there is no table. Returns an empty text if not even
/// heading and end fit.
pub(super) fn markdown(results: &Results, report: Option<&ReportLink>, room: usize) -> String {
    let found = problems(results);
    let mut text = head(results);
    let mut end = next(results, &found);
    end.extend(report.map(ReportLink::line));
    if !found.is_empty() {
        text.push_str("| | what | flows |\n|---|---|---|\n");
    }
    let mut left = found.len();
    for problem in &found {
        let row = row(problem);
        // 100 bytes for the line that counts the rest.
        if text.len() + row.len() + end.len() + 100 > room {
            break;
        }
        text.push_str(&row);
        left -= 1;
    }
    if left > 0 {
        text.push_str(&format!(
            "\n{} left out: the summary is full.\n",
            count(left as u64, "problem")
        ));
    }
    text.push_str(&end);
    // GitHub rejects a summary that is too large as a whole.
    if text.len() > room {
        return String::new();
    }
    text
}

/// Builds the heading, such as `### 3 flows in 4.2s: 1 failed, 2 passed`, then the failures of the run in bold, and
/// the list of devices with their apps. The totals are those of the `finish` event; without one the heading says that
/// nothing ran. Devices that never became ready are left out.
fn head(results: &Results) -> String {
    let totals = results.finish.map(|end| end.totals).unwrap_or_default();
    let parts = [
        (totals.failed, "failed"),
        (totals.quarantined, "failed in quarantine"),
        (totals.errors, "could not be run"),
        (totals.interrupted, "not run to the end"),
        (totals.flaky, "flaky"),
        (totals.skipped, "skipped"),
        (totals.passed, "passed"),
    ];
    let all: u32 = parts.iter().map(|(number, _)| number).sum();
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let mut text = format!(
        "### {} in {}: {}\n\n",
        count(u64::from(all), "flow"),
        duration(results.elapsed_ms),
        if parts.is_empty() {
            "nothing ran".to_owned()
        } else {
            parts.join(", ")
        }
    );
    let devices: Vec<String> = results
        .labels()
        .into_iter()
        .filter_map(|label| Some((label, results.devices.get(label)?)))
        .map(|(label, info)| {
            let mut line = format!(
                "{label}: {} {}, Android {}",
                info.manufacturer, info.model, info.release
            );
            // The default driver is not shown.
            if let Some(driver) = info.driver.filter(|driver| *driver != DriverKind::Stock) {
                line.push_str(&format!(", driver {driver}"));
            }
            for (app, version) in results.apps_on(label) {
                line.push_str(&format!(", {app}"));
                if let Some(version) = version {
                    line.push_str(&format!(" {version}"));
                }
            }
            escape(&line)
        })
        .collect();
    for failure in &results.because {
        text.push_str(&format!("**{}**\n\n", escape(&failure.message)));
    }
    if !devices.is_empty() {
        text.push_str(&devices.join("<br>"));
        text.push_str("\n\n");
    }
    text
}

impl ReportLink {
    /// Returns the line that says which artifact has the report, with a link if the address is known. The name is
    /// escaped, the address is not.
    fn line(&self) -> String {
        let among = match &self.artifacts {
            Some(address) => format!("[artifacts of this run]({address})"),
            None => "artifacts of this run".to_owned(),
        };
        format!(
            "\nThe report with pictures is {} among the {among}.\n",
            escape(&self.name)
        )
    }
}

/// Returns the table row of a problem, with its line end: status, title with details, and flows. Details and flows
/// are each cut by [`first_lines`].
fn row(problem: &Problem) -> String {
    let mut what = vec![format!("**{}**", escape(&problem.title))];
    what.extend(first_lines(
        problem.details.iter().flat_map(|detail| detail.lines()),
    ));
    let labels: Vec<String> = problem.cases.iter().map(label).collect();
    let flows = first_lines(labels.iter().map(String::as_str));
    format!(
        "| {} | {} | {} |\n",
        status_word(problem.status),
        what.join("<br>"),
        flows.join("<br>")
    )
}

/// Returns the first `MAX_DETAILS` lines, each escaped and cut to `MAX_LINE_CHARS`, and a line that counts the rest,
/// if any. Empty without lines.
fn first_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lines: Vec<&str> = lines.collect();
    let mut messages: Vec<String> = lines
        .iter()
        .take(MAX_DETAILS)
        .map(|line| escape(line))
        .collect();
    if lines.len() > MAX_DETAILS {
        messages.push(format!("… and {} more", lines.len() - MAX_DETAILS));
    }
    messages
}

/// Builds the commands to run next: a review if a snapshot needs a decision, and a repetition of the flows that
/// failed for another reason. Flaky flows are not repeated. The repetition names each flow once, sorted, at most
/// `MAX_DETAILS`, and leaves out paths with characters that a shell may act on. Without a `finish` event, a last line
/// says that the run was cut off. Empty if nothing of this applies.
fn next(results: &Results, found: &[Problem]) -> String {
    let mut text = String::new();
    if found.iter().any(|problem| problem.review.is_some()) {
        text.push_str(
            "\nScreens changed. Download the artifact of this run and look at them; what is accepted becomes the golden, \
             as it was rendered here:\n\n```sh\nrunner review --from ARTIFACT.zip\n```\n",
        );
    }
    let failed =
        |problem: &&Problem| problem.status != FlowStatus::Flaky && problem.review.is_none();
    let mut flows: Vec<&str> = found
        .iter()
        .filter(failed)
        .flat_map(|problem| &problem.cases)
        .map(|case| case.flow.as_str())
        .filter(|flow| {
            // People paste this line into a shell.
            flow.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b))
        })
        .collect();
    flows.sort_unstable();
    flows.dedup();
    flows.truncate(MAX_DETAILS);
    if !flows.is_empty() {
        text.push_str(&format!(
            "\nAgain, what failed:\n\n```sh\nrunner test {}\n```\n",
            flows.join(" ")
        ));
    }
    if results.finish.is_none() {
        text.push_str("\nThe run was cut off: what is missing here did not end.\n");
    }
    text
}

fn escape(text: &str) -> String {
    embed::markdown(text, MAX_LINE_CHARS)
}
