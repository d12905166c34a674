//! Formats the problems of a run at its end: changed goldens by cause first, then other failures.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::{Repetition, Terminal};
use crate::failure::error_word;
use crate::places::position;
use crate::problem::{Case, Problem, Review};
use crate::records::{Attempt, Phase};
use crate::text::{clean, count};
use runner_base::exit_code::ExitCode;
use runner_event::FlowStatus;
use runner_text::harmless;
use runner_text::shell::operands_to_copy;

/// Problems that are shown; the rest is counted. Chosen: about two screens of a terminal.
const MAX_PROBLEMS: usize = 10;

/// Lines of details for a problem. Chosen: with title, place and files, a problem then has ten lines.
const MAX_DETAILS: usize = 6;

/// Flows or snapshots named in a line. Chosen: more would wrap.
const MAX_NAMES: usize = 4;

impl Terminal {
    /// Returns the lines of all problems: changed and new goldens first, then the others, at most `MAX_PROBLEMS` in
    /// full. A last block counts the rest and names some. Flaky flows are listed below the totals and unreadable ones
    /// were printed before, so both are left out. Empty without others, or if a verbose report of a single flow
    /// printed all of it just above.
    pub(super) fn problem_lines(&self, problems: &[Problem]) -> Vec<String> {
        let began = |case: &Case| self.attempt(case).is_some_and(|attempt| attempt.began);
        if self.verbose() && self.is_single() && problems.iter().all(|one| began(&one.cases[0])) {
            // All of it was printed just above.
            return Vec::new();
        }
        // Unreadable flows were reported when they were found.
        let is_told_here =
            |one: &&Problem| one.status != FlowStatus::Flaky && one.cases[0].key.is_some();
        let failed = problems.iter().filter(is_told_here);
        let (of_goldens, others): (Vec<&Problem>, Vec<&Problem>) =
            failed.partition(|problem| problem.review.is_some());
        let mut blocks = self.golden_lines(&of_goldens);
        let room = MAX_PROBLEMS.saturating_sub(blocks.len());
        blocks.extend(others.iter().take(room).map(|problem| self.block(problem)));
        if let Some(more) = others.len().checked_sub(room).filter(|more| *more > 0) {
            let rest = others[room..].iter().map(|problem| problem.title.as_str());
            let mut block = vec![format!("and {}:", count(more as u64, "more problem"))];
            block.extend(names(rest).map(|name| format!("  {name}")));
            blocks.push(block);
        }
        let mut lines = Vec::new();
        for block in blocks {
            // A problem of several lines has empty lines around it.
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

    /// Formats changed goldens: a block for each cause, those with most flows first, at most `MAX_PROBLEMS - 1` of
    /// them. A line counts the other causes. Snapshots without a golden follow in one block, with `MAX_NAMES` names.
    /// Empty if `problems` is.
    fn golden_lines(&self, problems: &[&Problem]) -> Vec<Vec<String>> {
        let (new, mut changed): (Vec<&Problem>, Vec<&Problem>) =
            problems.iter().partition(|problem| problem.is_new());
        changed.sort_by_key(|problem| std::cmp::Reverse(problem.cases.len()));
        let more = changed.len().saturating_sub(MAX_PROBLEMS - 1);
        let mut blocks: Vec<Vec<String>> = changed
            .into_iter()
            .take(MAX_PROBLEMS - 1)
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
                // The head above says already that there is no golden.
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

    /// Formats a cause in one line, such as `11 snapshots in 5 flows: colour #3F6DB5 → #B53F3F`. If all are of one
    /// flow, names it and its snapshots instead. For a single snapshot of a single flow adds lines with its place and
    /// the other changes.
    fn changed(&self, problem: &Problem, review: &Review) -> Vec<String> {
        let flows: BTreeSet<&str> = problem.cases.iter().map(|case| &*case.flow).collect();
        let title = harmless::line(&problem.title);
        let only = review.keys.first().filter(|_| review.keys.len() == 1);
        if let (Some(key), [case]) = (only, problem.cases.as_slice()) {
            // Without a cause, the message contains the key.
            let head = match &review.cause {
                Some(_) => self.paint.red(format!(
                    "snapshot {}:",
                    self.results.names.name_of_text(key)
                )),
                None => self.paint.red("error:"),
            };
            let mut block = vec![format!("{head} {}", self.paint.bold(title))];
            block.extend(self.place(case));
            // The first detail only says that the snapshot differs.
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

    /// Formats a failure: title, place, details, files and the other flows. Place and files are those of the first
    /// flow. If that has no place, the flow failed before its first step, and all flows are listed. Of the others,
    /// `MAX_NAMES` are named and the rest counted.
    fn block(&self, problem: &Problem) -> Vec<String> {
        let first = &problem.cases[0];
        let title = self.paint.bold(harmless::line(&problem.title));
        let word = error_word(self.phase(first));
        let flows = problem.cases.len();
        // None of these flows has begun.
        let number = (first.at.is_none() && flows > 1)
            .then(|| format!("{} could not be run: ", count(flows as u64, "flow")));
        let number = number.unwrap_or_default();
        let mut block = vec![format!("{} {number}{title}", self.paint.red(word))];
        block.extend(self.place(first));
        block.extend(details(problem.details.iter().map(String::as_str)));
        block.extend(self.files(first));
        // A flow that failed before its first step has no place.
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

    /// Formats the place of a failure, with the device if there are several and the time waited, and below it the
    /// line of the flow, if its text is known. Empty if the place is unknown.
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

    /// Returns a line that counts the files of a case's last attempt, without proposals, and names the folder of the
    /// first; `None` without an end, for an unreadable flow, or without files.
    fn files(&self, case: &Case) -> Option<String> {
        let attempt = self.attempt(case)?;
        let files = attempt.visible_files();
        let place = self.places().artifact(files.first()?);
        let folder = Utf8Path::new(&place).parent()?;
        Some(format!(
            "  {} {folder}",
            self.paint
                .dim(format!("{} in", count(files.len() as u64, "file")))
        ))
    }

    /// Names a flow of a problem with its place, if it is known, for example `flows/a.yaml:7` or
    /// `flows/_login.yaml:3 in flows/b.yaml`. Its case, and its device if the run has several, follow in brackets.
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

    /// Returns the line with the next command: review or accept for pending changes, else a run that makes changes
    /// pending, else `runner lint` for files that do not read, `runner doctor` for a broken device, else a more verbose run. In watch mode it names the key
    /// that reviews, or, without pending changes, the one that runs again what failed. `None` if all flows passed and
    /// nothing waits, and, unless goldens changed, for a verbose report or a saved run.
    pub(super) fn next_line(&self, problems: &[Problem]) -> Option<String> {
        let reviews = || {
            problems
                .iter()
                .filter_map(|problem| problem.review.as_ref())
        };
        let mut keys = reviews()
            .filter(|review| review.is_pending)
            .flat_map(|review| &review.keys);
        let is_watched = self.style.repetition == Repetition::Keys;
        let next = match (keys.next(), keys.next()) {
            (Some(_), _) if is_watched => format!("{} reviews", self.paint.bold("u")),
            (None, _) if is_watched && !self.summary.not_passed().is_empty() => {
                format!("{} runs what failed again", self.paint.bold("f"))
            }
            (Some(key), None) => {
                let key = operands_to_copy([&*harmless::line(key)]);
                let accept = self.paint.bold(format!("runner accept {key}"));
                format!("{}, or {accept}", self.paint.bold("runner review"))
            }
            (Some(_), Some(_)) => self.paint.bold("runner review"),
            _ if reviews().next().is_some() => format!(
                "run it with {}, then {}",
                self.paint.bold("--update pending"),
                self.paint.bold("runner review")
            ),
            // A saved run has no more details, and may be of another machine.
            _ if self.verbose() || !self.results.folders.is_empty() => return None,
            _ if self.summary.not_passed().is_empty() => return None,
            _ if self.summary.exit_code(false) == ExitCode::NoDevice => {
                // A device with an app that does not read is not started, and nothing is the matter with it.
                if problems.iter().any(|it| it.title.contains(": error[")) {
                    let lint = self.paint.bold("runner lint");
                    format!("{lint} says what is wrong with the files")
                } else {
                    let doctor = self.paint.bold("runner doctor");
                    format!("{doctor} says what is the matter with the device")
                }
            }
            _ => format!("{} tells more", self.verbose_run()),
        };
        Some(format!("  next: {next}"))
    }

    /// Returns the command that runs again, with more details, what failed.
    fn verbose_run(&self) -> String {
        if self.style.repetition != Repetition::SameArguments {
            return self.paint.bold("runner test --last-failed -v");
        }
        let verbose = self.paint.bold("-v");
        // The two options exclude each other.
        if self.quiet() {
            format!("the same command with {verbose} in place of -q")
        } else {
            format!("the same command with {verbose}")
        }
    }
}

/// Returns at most `MAX_DETAILS` lines, indented by two columns; if there are more, the last one counts the rest.
/// Texts of several lines are split. Control characters become visible. Empty without lines.
fn details<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let lines: Vec<String> = lines
        .into_iter()
        .flat_map(|line| clean(line).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let more = match lines.len() {
        // The last line counts the rest.
        all if all > MAX_DETAILS => all - (MAX_DETAILS - 1),
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

/// Returns the first `MAX_NAMES` names, made harmless, and one that counts the rest, such as `3 more`, if there are
/// more. Empty without names.
fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = String> {
    let all: Vec<String> = all
        .into_iter()
        .map(|name| harmless::line(name).into_owned())
        .collect();
    let more = all.len().saturating_sub(MAX_NAMES);
    let rest = (more > 0).then(|| format!("{more} more"));
    all.into_iter().take(MAX_NAMES).chain(rest)
}
