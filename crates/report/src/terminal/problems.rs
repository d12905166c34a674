//! What went wrong in a run, said once at its end: what goldens have in common first, then each other failure.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::Terminal;
use crate::failure::{error_word, shell_word};
use crate::problem::{Case, Problem, Review};
use crate::records::{Attempt, Phase};
use crate::text::{clean, count, position};
use runner_base::exit_code::ExitCode;
use runner_event::FlowStatus;
use runner_text::harmless;

/// Maximum number of problems that are shown.
const MOST: usize = 10;

/// Lines that explain a problem. With what it is, where and its files, a problem takes ten lines.
const DETAILS: usize = 6;

/// Flows and snapshots that are named in one line.
const NAMES: usize = 4;

impl Terminal {
    /// The problems of a run, each as few lines as say what failed and why; the flaky flows are told elsewhere.
    pub(super) fn problem_lines(&self, problems: &[Problem]) -> Vec<String> {
        let began = |case: &Case| self.attempt(case).is_some_and(|attempt| attempt.began);
        if self.verbose() && self.is_single() && problems.iter().all(|one| began(&one.cases[0])) {
            // All of it stands just above.
            return Vec::new();
        }
        // What does not read was told when it was found.
        let is_told_here =
            |one: &&Problem| one.status != FlowStatus::Flaky && one.cases[0].key.is_some();
        let failed = problems.iter().filter(is_told_here);
        let (of_goldens, others): (Vec<&Problem>, Vec<&Problem>) =
            failed.partition(|problem| problem.review.is_some());
        let mut blocks = self.golden_lines(&of_goldens);
        let room = MOST.saturating_sub(blocks.len());
        blocks.extend(others.iter().take(room).map(|problem| self.block(problem)));
        if let Some(more) = others.len().checked_sub(room).filter(|more| *more > 0) {
            let rest = others[room..].iter().map(|problem| problem.title.as_str());
            let mut block = vec![format!("and {}:", count(more as u64, "more problem"))];
            block.extend(names(rest).map(|name| format!("  {name}")));
            blocks.push(block);
        }
        let mut lines = Vec::new();
        for block in blocks {
            // A problem of several lines stands apart.
            if block.len() > 1 && lines.last().is_some_and(|line: &String| !line.is_empty()) {
                lines.push(String::new());
            }
            let is_apart = block.len() > 1;
            lines.extend(block);
            if is_apart {
                lines.push(String::new());
            }
        }
        if lines.last().is_some_and(|line| !line.is_empty()) {
            lines.push(String::new());
        }
        if lines.len() > 1 && self.is_single() {
            lines.insert(0, String::new());
        }
        lines
    }

    /// Snapshots that are not as their goldens: a line for each reason, the most frequent first.
    fn golden_lines(&self, problems: &[&Problem]) -> Vec<Vec<String>> {
        let (new, mut changed): (Vec<&Problem>, Vec<&Problem>) =
            problems.iter().partition(|problem| problem.is_new());
        changed.sort_by_key(|problem| std::cmp::Reverse(problem.cases.len()));
        let more = changed.len().saturating_sub(MOST - 1);
        let mut blocks: Vec<Vec<String>> = changed
            .into_iter()
            .take(MOST - 1)
            .filter_map(|problem| Some(self.changed(problem, problem.review.as_ref()?)))
            .collect();
        if more > 0 {
            blocks.push(vec![format!(
                "and goldens changed for {}",
                count(more as u64, "more reason")
            )]);
        }
        let keys = new.iter().filter_map(|problem| problem.review.as_ref());
        let keys: Vec<&str> = keys
            .flat_map(|review| review.keys.iter().map(String::as_str))
            .collect();
        if !keys.is_empty() {
            let head = format!("{} without a golden", count(keys.len() as u64, "snapshot"));
            let named = keys
                .iter()
                .map(|key| self.results.names.name_of_text(key))
                .collect::<BTreeSet<_>>();
            let named = names(named.iter().map(String::as_str));
            let named = named.collect::<Vec<_>>().join(", ");
            let mut block = vec![format!("{}: {named}", self.paint.bold(head))];
            if let ([_], [problem]) = (keys.as_slice(), new.as_slice()) {
                block.extend(self.place(&problem.cases[0]));
            }
            let notes: BTreeSet<&str> = new
                .iter()
                .flat_map(|problem| problem.details.iter().map(String::as_str))
                // That there is none yet is said above.
                .filter(|line| {
                    !keys
                        .iter()
                        .any(|key| line.contains(&self.results.names.name_of_text(key)))
                })
                .collect();
            block.extend(details(notes));
            blocks.push(block);
        }
        blocks
    }

    /// `11 snapshots in 5 flows: colour #3F6DB5 → #B53F3F`; of one snapshot with its place, and what else changed.
    fn changed(&self, problem: &Problem, review: &Review) -> Vec<String> {
        let flows: BTreeSet<&str> = problem.cases.iter().map(|case| &*case.flow).collect();
        let title = harmless::line(&problem.title);
        let only = review.keys.first().filter(|_| review.keys.len() == 1);
        if let (Some(key), [case]) = (only, problem.cases.as_slice()) {
            // Without a cause the message names it.
            let head = match &review.cause {
                Some(_) => self.paint.red(format!(
                    "snapshot {}:",
                    self.results.names.name_of_text(key)
                )),
                None => self.paint.red("error:"),
            };
            let mut block = vec![format!("{head} {}", self.paint.bold(title))];
            block.extend(self.place(case));
            // The first says no more than that it differs.
            let rest = problem
                .details
                .iter()
                .skip(usize::from(review.cause.is_some()));
            block.extend(details(rest.map(String::as_str)));
            return block;
        }
        let place = match flows.first() {
            Some(flow) if flows.len() == 1 => {
                let flow = self.places().source(Utf8Path::new(flow));
                let keys: BTreeSet<String> = review
                    .keys
                    .iter()
                    .map(|key| self.results.names.name_of_text(key))
                    .collect();
                let named: Vec<String> = names(keys.iter().map(String::as_str)).collect();
                format!("{flow} ({})", named.join(", "))
            }
            _ => count(flows.len() as u64, "flow"),
        };
        let head = format!(
            "{} in {place}:",
            count(review.keys.len() as u64, "snapshot")
        );
        vec![format!(
            "{} {}",
            self.paint.red(head),
            self.paint.bold(title)
        )]
    }

    /// What failed, where, why, and its files.
    fn block(&self, problem: &Problem) -> Vec<String> {
        let first = &problem.cases[0];
        let title = self.paint.bold(harmless::line(&problem.title));
        let word = error_word(self.phase(first));
        let flows = problem.cases.len();
        // None of them has begun.
        let number = (first.at.is_none() && flows > 1)
            .then(|| format!("{} could not be run: ", count(flows as u64, "flow")));
        let number = number.unwrap_or_default();
        let mut block = vec![format!("{} {number}{title}", self.paint.red(word))];
        block.extend(self.place(first));
        block.extend(details(problem.details.iter().map(String::as_str)));
        block.extend(self.files(first));
        // A flow that failed before its first step has no place of its own.
        let others = &problem.cases[usize::from(first.at.is_some())..];
        if !others.is_empty() {
            let flows = others.iter().map(|case| self.case_label(case));
            let flows: BTreeSet<String> = flows.collect();
            let named = names(flows.iter().map(String::as_str)).collect::<Vec<_>>();
            let word = if first.at.is_some() { "also in" } else { "in" };
            block.push(format!("  {word} {}", named.join(", ")));
        }
        block
    }

    /// Where it failed and after how long, and the line of the flow.
    fn place(&self, case: &Case) -> Vec<String> {
        let Some(at) = &case.at else {
            return Vec::new();
        };
        let waited = case.waited.map(|waited| format!("  after {waited}"));
        let device = case.device.as_deref().filter(|_| self.shows_devices);
        let device = device.map(|device| format!(" [{}]", harmless::line(device)));
        let mut lines = vec![format!(
            "  {} {}{}{}",
            self.paint.dim("-->"),
            position(at, &self.places()),
            device.unwrap_or_default(),
            waited.unwrap_or_default(),
        )];
        let text = clean(at.text.trim());
        if !text.is_empty() {
            lines.push(format!(
                "  {} {text}",
                self.paint.dim(format!("{} |", at.line))
            ));
        }
        lines
    }

    fn attempt(&self, case: &Case) -> Option<&Attempt> {
        let record = self.results.flows.get(case.key.as_ref()?)?;
        Some(record.outcome()?.0)
    }

    fn phase(&self, case: &Case) -> Option<Phase> {
        Some(self.attempt(case)?.failed_step()?.phase())
    }

    fn files(&self, case: &Case) -> Option<String> {
        let attempt = self.attempt(case)?;
        let files = attempt.files_to_look_at();
        let place = self.places().artifact(files.first()?);
        let folder = Utf8Path::new(&place).parent()?;
        Some(format!(
            "  {} {folder}",
            self.paint
                .dim(format!("{} in", count(files.len() as u64, "file")))
        ))
    }

    /// Names another flow of the problem, and its place: `flows/a.yaml:7`, `flows/_login.yaml:3 in flows/b.yaml`.
    fn case_label(&self, case: &Case) -> String {
        let flow = self.places().source(Utf8Path::new(&case.flow));
        let path = match &case.at {
            Some(at) if at.file.as_str() == case.flow => format!("{flow}:{}", at.line),
            Some(at) => format!("{}:{} in {flow}", self.places().source(&at.file), at.line),
            None => flow,
        };
        let distinction = case.case.iter().map(String::as_str);
        let device = case.device.as_deref().filter(|_| self.shows_devices);
        let parts = distinction.chain(device);
        parts.fold(path, |label, part| {
            format!("{label} [{}]", harmless::line(part))
        })
    }

    /// The one thing to do next.
    pub(super) fn next_line(&self, problems: &[Problem]) -> Option<String> {
        let reviews = || {
            problems
                .iter()
                .filter_map(|problem| problem.review.as_ref())
        };
        let mut keys = reviews()
            .filter(|review| review.is_pending)
            .flat_map(|review| &review.keys);
        let next = match (keys.next(), keys.next()) {
            (Some(_), _) if self.style.watched => format!("{} reviews", self.paint.bold("u")),
            (None, _) if self.style.watched && !self.summary.not_passed().is_empty() => {
                format!("{} runs what failed again", self.paint.bold("f"))
            }
            (Some(key), None) => {
                let key = shell_word(&harmless::line(key));
                let accept = self.paint.bold(format!("runner accept {key}"));
                format!("{}, or {accept}", self.paint.bold("runner review"))
            }
            (Some(_), Some(_)) => self.paint.bold("runner review"),
            _ if reviews().next().is_some() => format!(
                "run it with {}, then {}",
                self.paint.bold("--update pending"),
                self.paint.bold("runner review")
            ),
            // What is known of a saved run stands here already, and it may be of another machine.
            _ if self.verbose() || !self.results.folders.is_empty() => return None,
            _ if self.summary.not_passed().is_empty() => return None,
            _ if self.summary.exit_code(false) == ExitCode::NoDevice => format!(
                "{} says what is the matter with the device",
                self.paint.bold("runner doctor")
            ),
            _ => format!(
                "{} tells more",
                self.paint.bold("runner test --last-failed -v")
            ),
        };
        Some(format!("  next: {next}"))
    }
}

/// The first lines, and how many more there are.
fn details<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let lines: Vec<String> = lines
        .into_iter()
        .flat_map(|line| clean(line).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let more = match lines.len() {
        // The last place counts the rest.
        all if all > DETAILS => all - (DETAILS - 1),
        _ => 0,
    };
    let mut shown: Vec<String> = lines[..lines.len() - more]
        .iter()
        .map(|line| format!("  {line}"))
        .collect();
    if more > 0 {
        shown.push(format!("  … and {} (-v)", count(more as u64, "more line")));
    }
    shown
}

/// The first few, and how many more there are.
fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = String> {
    let all: Vec<String> = all
        .into_iter()
        .map(|name| harmless::line(name).into_owned())
        .collect();
    let more = all.len().saturating_sub(NAMES);
    let rest = (more > 0).then(|| format!("{more} more"));
    all.into_iter().take(NAMES).chain(rest)
}
