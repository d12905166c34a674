//! Prints a run to the terminal. With one flow it prints each step, with many a line a flow and a progress
//! bar. Without a terminal it prints the same lines without colour and movement.

mod flows;
mod problems;
mod progress;
mod steps;
mod totals;

use std::collections::{HashMap, HashSet};
use std::io::Write;

use camino::Utf8PathBuf;
use console::Term;
use indicatif::ProgressDrawTarget;

use self::progress::Progress;
use self::steps::OpenSteps;
use super::places::Places;
use super::results::Results;
use super::text::{Paint, clean, count, dialog_line, indented, status_word};
use super::{ReportError, Subscriber, Summary};
use runner_device::DeviceInfo;
use runner_device::remote::RemoteSession;
use runner_event::{Event, EventKind, FlowId, FlowStatus, LogLevel};
use runner_text::harmless;
use runner_tools::FailureKind;

/// Abilities of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalStyle {
    pub color: bool,
    /// True if lines may be redrawn.
    pub live: bool,
    /// Width in columns.
    pub width: usize,
    /// How the run is repeated, as the last line advises it.
    pub repetition: Repetition,
}

/// How a person repeats the flows that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// With the keys of `--watch`.
    Keys,
    /// With `runner test --last-failed`.
    LastFailed,
    /// Only with the arguments of the run, such as paths outside of the project's flows.
    SameArguments,
}

impl TerminalStyle {
    /// Style of plain lines without colour, 80 columns wide.
    pub const PLAIN: Self = Self {
        color: false,
        live: false,
        width: 80,
        repetition: Repetition::LastFailed,
    };

    /// Returns the style that `term` supports. If no person watches the output, as in a pipe, it has neither colours
    /// nor redrawn lines. `no_color` turns off colours, `plain` (as in CI) turns off redrawn lines. Terminals that
    /// support no colours get none. The width is that of the terminal, or a default of the library in a pipe;
    /// the run is repeated with `--last-failed`.
    pub fn from_term(term: &Term, no_color: bool, plain: bool) -> Self {
        let attended = term.features().is_attended();
        Self {
            color: !no_color && attended && term.features().colors_supported(),
            live: attended && !plain,
            width: usize::from(term.size().1),
            repetition: Repetition::LastFailed,
        }
    }
}

/// Amount of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// Flows that failed or cannot be read, the seed of a shuffle, and the summary.
    Quiet,
    /// A line a flow; steps too if there is only one flow.
    #[default]
    Normal,
    /// Every step.
    Steps,
    /// Every step with its round trips and screen dumps.
    Verbose,
}

/// Subscriber that prints to the terminal.
pub struct Terminal {
    out: Box<dyn Write + Send>,
    style: TerminalStyle,
    verbosity: Verbosity,
    /// Absolute folder that paths are relative to. `None` means the project's root.
    base: Option<Utf8PathBuf>,
    paint: Paint,
    results: Results,
    summary: Summary,
    progress: Progress,
    open: OpenSteps,
    /// Last reported session of each remote device, by label.
    sessions: HashMap<String, RemoteSession>,
    shows_devices: bool,
    /// Labels of lost devices.
    lost: HashSet<String>,
    planned: usize,
}

impl Terminal {
    /// Creates the report, which writes to `out`; nothing is printed yet. Paths are shown relative to `base`, the
    /// current folder; `None` takes the run's root. Redrawn lines go to standard output, not to `out`, unless
    /// [`Self::drawn_on`] sets another target. There are none if the style or `Verbosity::Quiet` forbids them.
    pub fn new(
        out: Box<dyn Write + Send>,
        style: TerminalStyle,
        verbosity: Verbosity,
        base: Option<Utf8PathBuf>,
    ) -> Self {
        let target = if style.live && verbosity != Verbosity::Quiet {
            ProgressDrawTarget::stdout()
        } else {
            ProgressDrawTarget::hidden()
        };
        Self {
            out,
            style,
            verbosity,
            base,
            paint: Paint { color: style.color },
            results: Results::default(),
            summary: Summary::new(),
            progress: Progress::new(target, style.width),
            open: OpenSteps::default(),
            sessions: HashMap::new(),
            shows_devices: false,
            lost: HashSet::new(),
            planned: 0,
        }
    }

    /// Creates the report for a terminal, on which it also redraws lines, at most ten times a second. It redraws none
    /// if the style or `Verbosity::Quiet` forbids it. Nothing is printed yet.
    pub fn on_term(
        term: &Term,
        style: TerminalStyle,
        verbosity: Verbosity,
        base: Option<Utf8PathBuf>,
    ) -> Self {
        let terminal = Self::new(Box::new(term.clone()), style, verbosity, base);
        if terminal.progress.is_hidden() {
            return terminal;
        }
        terminal.drawn_on(ProgressDrawTarget::term(term.clone(), 10))
    }

    /// Sets the target of redrawn lines, whatever the style says.
    #[must_use]
    pub fn drawn_on(mut self, target: ProgressDrawTarget) -> Self {
        self.progress = Progress::new(target, self.style.width);
        self
    }

    /// Sets the folders in which artifacts of a saved stream are searched.
    #[must_use]
    pub fn looking_in(mut self, folders: Vec<Utf8PathBuf>) -> Self {
        self.results.folders = folders;
        self
    }

    fn is_single(&self) -> bool {
        self.planned == 1 && self.verbosity != Verbosity::Quiet
    }

    fn verbose(&self) -> bool {
        matches!(self.verbosity, Verbosity::Steps | Verbosity::Verbose)
    }

    fn shows_costs(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    fn quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    /// Prints lines above the redrawn ones, in one write, each with a line end, and flushes. After
    /// [`harmless::take_commands_out`], text on which CI systems would act is made harmless. Prints nothing for no
    /// lines.
    fn print(&mut self, lines: &[String]) -> Result<(), ReportError> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = lines.join("\n");
        text.push('\n');
        let out = &mut self.out;
        self.progress.suspend(|| {
            // CI systems act on lines that look like their commands, and an app may print any line.
            out.write_all(harmless::no_commands(&text).as_bytes())?;
            out.flush()
        })?;
        Ok(())
    }

    fn places(&self) -> Places {
        Places::new(&self.results, self.base.as_deref())
    }

    /// Returns the flow's path relative to the base, with what distinguishes its case, and with its device in
    /// brackets if the plan has several and the flow has one.
    fn flow_label(&self, id: &FlowId) -> String {
        let path = self.places().source(&id.flow);
        let path = id.case_id().display_name(&path);
        if self.shows_devices && !id.device.is_empty() {
            format!("{path} [{}]", harmless::line(&id.device))
        } else {
            path
        }
    }

    /// Notes the number of flows and devices, and starts the progress line. Prints both, except for a single flow,
    /// for none, and in quiet mode.
    fn plan(&mut self, flows: &[FlowId], shared: &[String]) -> Result<(), ReportError> {
        self.planned = flows.len();
        let mut devices: Vec<&str> = flows.iter().map(|id| id.device.as_str()).collect();
        devices.extend(shared.iter().map(String::as_str));
        devices.retain(|device| !device.is_empty());
        devices.sort_unstable();
        devices.dedup();
        self.shows_devices = devices.len() > 1;
        self.progress.plan(flows.len());
        if self.planned < 2 || self.quiet() {
            return Ok(());
        }
        let line = match devices.as_slice() {
            [one] => format!(
                "{} on {}",
                count(flows.len() as u64, "flow"),
                harmless::line(one)
            ),
            many => format!(
                "{} {} {} devices",
                count(flows.len() as u64, "flow"),
                if shared.is_empty() {
                    "on"
                } else {
                    "spread over"
                },
                many.len()
            ),
        };
        self.print(&[line])
    }

    /// Prints a device that is back after it was lost, except in quiet mode; any other device only from
    /// `Verbosity::Steps` on. A device that is back is no longer lost.
    fn device(&mut self, label: &str, info: &DeviceInfo) -> Result<(), ReportError> {
        if self.lost.remove(label) && !self.quiet() {
            let word = self.paint.green("BACK ");
            return self.print(&[format!("{word} {}", harmless::line(label))]);
        }
        if !self.verbose() {
            return Ok(());
        }
        let display = info.display.value().map_or_else(
            || "display unknown".to_owned(),
            |display| {
                let (width, height) = (display.width, display.height);
                format!("{width}x{height} at {} dpi", display.density)
            },
        );
        let line = format!(
            "device {}: {} {}, Android {} (API {}), {display}, {}{}",
            harmless::line(label),
            harmless::line(&info.manufacturer),
            harmless::line(&info.model.to_string()),
            harmless::line(&info.release.to_string()),
            info.sdk,
            harmless::line(&info.locale.to_string()),
            info.driver
                .map_or_else(String::new, |driver| format!(", driver {driver}")),
        );
        self.print(&[line])
    }

    /// Remembers that the device is lost, so that its return is printed, and prints so with the reason, except in
    /// quiet mode.
    fn device_lost(&mut self, label: &str, message: &str) -> Result<(), ReportError> {
        self.lost.insert(label.to_owned());
        if self.quiet() {
            return Ok(());
        }
        let word = self.paint.yellow("LOST ");
        let (label, message) = (harmless::line(label), harmless::line(message));
        self.print(&[format!("{word} {label}  {message}")])
    }

    /// Prints the session of a remote device once, however many flows use it; again only if it changed. Prints
    /// nothing below `Verbosity::Steps`, but remembers the session.
    fn session(&mut self, id: &FlowId, session: &RemoteSession) -> Result<(), ReportError> {
        let reported = self.sessions.insert(id.device.clone(), session.clone());
        if !self.verbose() || reported.as_ref() == Some(session) {
            return Ok(());
        }
        let parts = [
            Some(&session.id),
            session.dashboard.as_ref(),
            session.video.as_ref(),
        ];
        let parts: Vec<_> = parts
            .into_iter()
            .flatten()
            .map(|part| harmless::line(part))
            .collect();
        let line = format!(
            "session of {}: {}",
            harmless::line(&id.device),
            parts.join(", ")
        );
        self.print(&[line])
    }

    /// Begins the flow in the progress line. For a single flow, except in quiet mode, it also prints its name, with
    /// the attempt from the second on, and forgets the open steps.
    fn flow_started(&mut self, id: &FlowId, name: &str) -> Result<(), ReportError> {
        self.progress.begin(id);
        if !self.is_single() {
            return Ok(());
        }
        self.open = OpenSteps::default();
        let mut parts = vec![self.flow_label(id), self.paint.bold(harmless::line(name))];
        if id.attempt > 1 {
            parts.push(format!("(attempt {})", id.attempt));
        }
        self.print(&[parts.join("  ")])
    }

    /// Prints a message, in quiet mode nothing. A note of one flow of many is printed only from `Verbosity::Steps`
    /// on; a warning always. Further lines are indented.
    fn log(
        &mut self,
        id: Option<&FlowId>,
        level: LogLevel,
        message: &str,
    ) -> Result<(), ReportError> {
        let important = level != LogLevel::Info;
        let wanted = match self.verbosity {
            Verbosity::Quiet => false,
            Verbosity::Normal => important || self.is_single() || id.is_none(),
            Verbosity::Steps | Verbosity::Verbose => true,
        };
        if !wanted {
            return Ok(());
        }
        let label = match level {
            LogLevel::Info => self.paint.dim("note:"),
            LogLevel::Warning => self.paint.yellow("warning:"),
        };
        let message = clean(message).replace('\n', "\n        ");
        let line = match id.filter(|_| !self.is_single()) {
            Some(id) => format!("{label} {}: {message}", self.flow_label(id)),
            None if self.is_single() => format!("        {label} {message}"),
            None => format!("{label} {message}"),
        };
        self.print(&[line])
    }

    /// Prints the seed of a shuffled run, even in quiet mode. Prints nothing for a run in its own order.
    fn start(&mut self, shuffle: Option<u64>) -> Result<(), ReportError> {
        match shuffle {
            Some(seed) => {
                self.print(&[format!("shuffled: --shuffle={seed} gives this order again")])
            }
            None => Ok(()),
        }
    }

    /// Prints how an attempt ended, and moves the progress line. A flow that never began is printed only if it was
    /// skipped or fits no device. Does nothing for an unknown attempt or one without an end.
    fn flow_finished(&mut self, id: &FlowId) -> Result<(), ReportError> {
        let Some((flow, attempt)) = self.results.find(id) else {
            return Ok(());
        };
        let Some(end) = &attempt.end else {
            return Ok(());
        };
        // A flow that fits no device is shown with its name, though it never began.
        let is_told = attempt.began
            || end.status == FlowStatus::Skipped
            || end.failure.as_ref().map(|failure| failure.kind) == Some(FailureKind::Unfit);
        let name = flow.name.as_deref().filter(|_| is_told);
        let lines = self.flow_lines(id, name, attempt, end);
        self.progress.end(id, end.last, end.status);
        self.print(&lines)
    }

    /// Prints that a flow file cannot be read, and the whole message below, in every mode.
    fn unreadable(&mut self, flow: &camino::Utf8Path, message: &str) -> Result<(), ReportError> {
        let label = self.places().source(flow);
        let word = self
            .paint
            .status(FlowStatus::Error, status_word(FlowStatus::Error));
        let mut lines = vec![format!("{word} {label}  does not read"), String::new()];
        lines.extend(clean(message).lines().map(indented));
        lines.push(String::new());
        self.print(&lines)
    }
}

impl Subscriber for Terminal {
    /// Keeps each event and prints what the mode has for it. Steps are printed as they end only in a run of a single
    /// flow; of many flows they follow the flow's end, from `Verbosity::Steps` on. The `finish` event prints problems
    /// and totals. Output that cannot be written is an error.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.results.add(event);
        self.summary.add(event);
        match &event.kind {
            EventKind::Plan { flows, devices, .. } => self.plan(flows, devices),
            EventKind::Device { label, info } => self.device(label, info),
            EventKind::DeviceLost { label, message } => self.device_lost(label, message),
            EventKind::Unreadable { flow, message, .. } => self.unreadable(flow, message),
            EventKind::FlowStarted { id, name, .. } => self.flow_started(id, name),
            EventKind::Session { id, session } => self.session(id, session),
            EventKind::StepStarted {
                id, step, title, ..
            } => {
                self.progress.step(id, title);
                if !self.is_single() {
                    return Ok(());
                }
                let lines = self.open.begin(step, title, self.paint);
                self.print(&lines)
            }
            EventKind::StepFinished { id, step, .. } => {
                if !self.is_single() {
                    return Ok(());
                }
                let (verbose, costs) = (self.verbose(), self.shows_costs());
                let has_parts = self.open.end(step);
                let ended = self.results.find(id).and_then(|(_, attempt)| {
                    attempt.steps.iter().rfind(|record| record.step == *step)
                });
                let lines = match ended {
                    // A step printed before its inner steps is printed again only if it did not simply pass.
                    Some(ended) if verbose || !has_parts || !steps::passed(ended) => {
                        steps::line(ended, self.paint, costs)
                    }
                    _ => Vec::new(),
                };
                self.print(&lines)
            }
            EventKind::Dialog {
                id,
                at,
                when,
                answer,
                failure,
                ..
            } => {
                let (level, message) = dialog_line(at, when, answer, failure.as_deref());
                self.log(Some(id), level, &message)
            }
            EventKind::Log { id, level, message } => self.log(id.as_ref(), *level, message),
            EventKind::FlowFinished { id, .. } => self.flow_finished(id),
            EventKind::Finish { duration_ms, .. } => self.finish(*duration_ms),
            EventKind::Start { shuffle, .. } => self.start(*shuffle),
            EventKind::Source { .. }
            | EventKind::Snapshot { .. }
            | EventKind::Trace { .. }
            | EventKind::Video { .. }
            | EventKind::Stopping { .. }
            | EventKind::Unknown => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
