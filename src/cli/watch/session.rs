//! Loop of a watching session: waits for saves and keys, and runs flows.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use regex::Regex;
use tokio_util::sync::CancellationToken;

use super::failures::Failures;
use super::keys::{HELP, Keys, Request};
use crate::cli::error::CliError;
use crate::cli::flow_choice::pattern;
use crate::cli::output;
use crate::cli::recording_lint;
use crate::cli::test::{self, TestArguments};
use crate::config::Config;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::interrupt;
use crate::run::watch::{AffectedFlows, Index, WatchedFiles};
use crate::run::{self, Choice, Connection, Plan};

/// Pause without a change before a run begins. Chosen: editors write, remove and rename a file within
/// milliseconds when they save.
const SETTLE: Duration = Duration::from_millis(20);
/// Limit for waiting on files that change all the time; then a run begins all the same. Chosen: a build that
/// writes for longer would delay the run noticeably.
const MAX_SETTLE: Duration = Duration::from_secs(1);
/// Time between searches of the whole project for new files. Chosen: soon enough for a person, and rare
/// enough to cost little.
const REFRESH: Duration = Duration::from_millis(500);
/// Names of saved files in a message; the rest is counted. Chosen: one line.
const MAX_NAMES: usize = 3;

#[derive(Debug, Clone)]
enum Work {
    All,
    /// Absolute paths of flows.
    Flows(BTreeSet<Utf8PathBuf>),
    /// Flows that failed when they last ran in this session.
    Failed,
    Matching(Regex),
}

enum NextAct {
    Run(Work),
    Review,
    End(ExitCode),
}

pub(super) struct Session<'a> {
    arguments: &'a TestArguments,
    choice: Choice,
    context: &'a Context,
    keys: Option<Keys>,
    files: WatchedFiles,
    index: Index,
    refreshed: Instant,
    /// Requests of keys that were pressed during a run, or behind another one.
    queued: Vec<Request>,
    /// Changes seen during a run, for the next one.
    affected: AffectedFlows,
    connection: Option<Connection>,
    /// Flows that failed when they last ran in this session, by their paths below the project's root.
    failed: BTreeSet<Utf8PathBuf>,
    cancel: CancellationToken,
}

impl<'a> Session<'a> {
    /// Creates the session before its first look at the files. Reads nothing and opens no device.
    pub fn new(
        arguments: &'a TestArguments,
        choice: Choice,
        context: &'a Context,
        keys: Option<Keys>,
    ) -> Self {
        Self {
            arguments,
            choice,
            context,
            keys,
            files: WatchedFiles::default(),
            index: Index::default(),
            refreshed: Instant::now(),
            queued: Vec::new(),
            affected: AffectedFlows::default(),
            connection: None,
            failed: BTreeSet::new(),
            cancel: CancellationToken::new(),
        }
    }

    /// Runs all flows, then those concerned by saved files, until somebody ends the session. Runs only on the first
    /// device, which stays open. Returns an error only at the start, if the settings cannot be read or an
    /// interrupted accept cannot be completed; later errors are printed, and the session goes on. Failed flows do
    /// not change the exit code: `q` gives success, Ctrl-C that of an interrupt.
    pub async fn run(mut self) -> Result<ExitCode, CliError> {
        listen(self.cancel.clone());
        // A file that cannot be read at the start is reported as one that cannot be read later.
        let mut config = Config::resolve(self.context, &self.arguments.overrides())?;
        config.recovered_store()?;
        self.index.refresh(&config, self.env_file().as_deref());
        self.follow();
        if let [first, _, ..] = config.devices.value.as_slice() {
            output::note(&format!(
                "watching runs on the first device: {}",
                first.name
            ));
        }
        let mut next = NextAct::Run(Work::All);
        loop {
            match next {
                NextAct::End(code) => return Ok(code),
                NextAct::Review => self.review(),
                NextAct::Run(work) => {
                    if let Some(end) = Box::pin(self.run_once(&config, work)).await {
                        return Ok(end);
                    }
                }
            }
            self.print_waiting();
            next = self.wait(&mut config).await;
        }
    }

    fn env_file(&self) -> Option<Utf8PathBuf> {
        let file = self.arguments.overrides().env_file?;
        Some(self.context.working_folder.join(file))
    }

    fn follow(&mut self) {
        self.files.follow(self.index.files());
    }

    /// Prints how many flows are watched, and the keys if there are some, to standard error.
    fn print_waiting(&self) {
        let flows = match self.index.count() {
            1 => "1 flow".to_owned(),
            number => format!("{number} flows"),
        };
        let keys = self.keys.as_ref().map(|_| format!(" · {HELP}"));
        output::note(&format!("watching {flows}{}", keys.unwrap_or_default()));
    }

    /// Waits, without a limit, for a save, a key, or the end. Requests made during the last run come first, then keys,
    /// then saves, and saves are taken together once files are at rest. A request that cannot be met, such as `f`
    /// without failed flows, is told and dropped; those after the returned one are kept for the next call, except for
    /// equal ones. Ctrl-C gives the exit code of an interrupt, `q` success. Puts settings that were saved into
    /// `config`.
    async fn wait(&mut self, config: &mut Config) -> NextAct {
        loop {
            if self.cancel.is_cancelled() {
                return NextAct::End(ExitCode::Interrupted);
            }
            let mut requests = std::mem::take(&mut self.queued);
            requests.extend(self.requests());
            let mut requests = requests.into_iter();
            while let Some(request) = requests.next() {
                if let Some(act) = self.act_for(&request) {
                    // The same key again asks for nothing more.
                    self.queued = requests.filter(|other| *other != request).collect();
                    return act;
                }
            }
            self.collect_changes(config);
            if !self.affected.is_empty() {
                self.settle(config).await;
                let affected = std::mem::take(&mut self.affected);
                if let Some(work) = self.work_for(affected, config) {
                    return NextAct::Run(work);
                }
            }
            let pause = self.files.pause();
            let _ = tokio::time::timeout(pause, self.cancel.cancelled()).await;
        }
    }

    /// Returns the act that a key asks for. `None`, with a message, for `f` if no flow failed, and for a pattern that
    /// does not read.
    fn act_for(&self, request: &Request) -> Option<NextAct> {
        match request {
            Request::All => Some(NextAct::Run(Work::All)),
            Request::Quit => Some(NextAct::End(ExitCode::Passed)),
            Request::Review => Some(NextAct::Review),
            Request::Failed if self.failed.is_empty() => {
                output::note("no flow failed here");
                None
            }
            Request::Failed => Some(NextAct::Run(Work::Failed)),
            Request::Pattern(text) => match pattern("g", text) {
                Ok(pattern) => Some(NextAct::Run(Work::Matching(pattern))),
                Err(error) => {
                    output::error(&error.to_string());
                    None
                }
            },
        }
    }

    /// Returns what the keys asked for since the last call. Does not wait. Empty without keys; a terminal that is
    /// gone is not asked again.
    fn requests(&mut self) -> Vec<Request> {
        let Some(keys) = &mut self.keys else {
            return Vec::new();
        };
        keys.read().unwrap_or_else(|| {
            // The terminal is gone: without its keys, the signal ends this.
            self.keys = None;
            Vec::new()
        })
    }

    /// Adds changed files to `affected`. Returns true if there were any now, whatever `affected` had before.
    /// Watches files that became known. New files are searched at most once in [`REFRESH`].
    fn collect_changes(&mut self, config: &Config) -> bool {
        let changed = self.files.changed();
        let mut affected = self.index.affected_by(&changed, &config.root);
        if self.refreshed.elapsed() > REFRESH {
            affected.and(self.index.refresh(config, self.env_file().as_deref()));
            self.refreshed = Instant::now();
        }
        let any = !affected.is_empty();
        if any {
            self.follow();
        }
        self.affected.and(affected);
        any
    }

    /// Waits until no file changed for [`SETTLE`], about [`MAX_SETTLE`] at most, or the session is cancelled.
    /// Changes meanwhile are added to `affected`.
    async fn settle(&mut self, config: &Config) {
        let began = Instant::now();
        loop {
            let _ = tokio::time::timeout(SETTLE, self.cancel.cancelled()).await;
            let is_still = !self.collect_changes(config);
            if is_still || began.elapsed() > MAX_SETTLE || self.cancel.is_cancelled() {
                return;
            }
        }
    }

    /// Returns the flows to run for saved files, and prints the names of these files and of those that are gone.
    /// Flows that are gone count no more as failed. If settings or an app were saved, returns all flows, reads the
    /// settings anew and closes the device. `None` if no flow is concerned, or the settings cannot be read, which
    /// is printed; `config` stays then.
    fn work_for(&mut self, affected: AffectedFlows, config: &mut Config) -> Option<Work> {
        for gone in &affected.gone {
            let displayed = gone.strip_prefix(&config.root).unwrap_or(gone);
            self.failed.remove(displayed);
            output::note(&format!("{displayed} is gone"));
        }
        if affected.everything {
            output::note("settings or an app were saved: all flows, on a device opened anew");
            // Its device was opened with the old settings or app.
            self.connection = None;
            match Config::resolve(self.context, &self.arguments.overrides()) {
                Ok(now) => {
                    *config = now;
                    self.index = Index::default();
                    self.index.refresh(config, self.env_file().as_deref());
                    self.follow();
                }
                Err(error) => {
                    output::error(&error.to_string());
                    return None;
                }
            }
            return Some(Work::All);
        }
        if affected.flows.is_empty() {
            return None;
        }
        let names = affected.saved.iter().take(MAX_NAMES);
        let names: Vec<&str> = names
            .map(|path| path.strip_prefix(&config.root).unwrap_or(path).as_str())
            .collect();
        let more = affected.saved.len() - names.len();
        let more = (more > 0).then(|| format!(" and {more} more"));
        output::note(&format!(
            "saved: {}{}",
            names.join(", "),
            more.unwrap_or_default()
        ));
        Some(Work::Flows(affected.flows))
    }

    /// Runs flows and prints errors. After a save of flows, first prints what recorded screens tell about the edit;
    /// that this fails is only a warning. Returns the exit code if somebody ended the session meanwhile, else
    /// `None`, also for failed flows and without flows to run.
    async fn run_once(&mut self, config: &Config, work: Work) -> Option<ExitCode> {
        let is_edit = matches!(work, Work::Flows(_));
        let plan = match self.plan(config, work) {
            Ok(Some(plan)) => plan,
            Ok(None) => return None,
            Err(error) => {
                output::error(&error.to_string());
                return None;
            }
        };
        if is_edit
            && let Err(error) =
                Box::pin(recording_lint::print_doubts(config, self.context, &plan)).await
        {
            output::note(&format!(
                "warning: recorded screens cannot be used: {error}"
            ));
        }
        match Box::pin(self.run_plan(config, plan)).await {
            Ok(end) => end,
            Err(error) => {
                output::error(&error.to_string());
                None
            }
        }
    }

    /// Returns the plan of the flows to run, by the choice and tags of the command line, or `None` if there are
    /// none. A typed pattern stands in place of `--grep`. Flows that do not read are in it. Files that are gone are
    /// left out. Returns an error if the flows cannot be found or nothing matches the choice.
    fn plan(&self, config: &Config, work: Work) -> Result<Option<Plan>, CliError> {
        let mut config = config.clone();
        if let Work::Flows(flows) = &work {
            config.paths = flows
                .iter()
                .filter(|path| path.is_file())
                .cloned()
                .collect();
            if config.paths.is_empty() {
                return Ok(None);
            }
        }
        let mut plan = Plan::read(&config, &self.arguments.filter())?;
        let mut choice = self.choice.clone();
        if let Work::Matching(pattern) = &work {
            choice.grep = Some(pattern.clone());
        }
        plan.choose(&choice)?;
        if let Work::Failed = work {
            plan.cases
                .retain(|case| self.failed.contains(&case.flow.source.path));
            plan.unreadable
                .retain(|(path, _)| self.failed.contains(path));
        }
        Ok((!plan.is_empty()).then_some(plan))
    }

    /// Runs the plan on the first device, opened if need be, and prints its reports. A plan without cases only
    /// reports what does not read, without a device. Changes and keys are collected meanwhile. Returns the exit
    /// code if the watch is to end: quit or interrupted. Failed flows are noted and are no error; a device that
    /// does not open is one.
    async fn run_plan(
        &mut self,
        config: &Config,
        plan: Plan,
    ) -> Result<Option<ExitCode>, CliError> {
        let failures = Failures::default();
        let reports = test::reports(self.arguments, config, &plan, self.context)?;
        let reports = reports.with(failures.clone());
        let reports = reports.spawn()?;
        let sink = reports.sender();
        let options = self.arguments.options(&self.choice);
        let cancel = self.cancel.child_token();
        let mut one = config.clone();
        one.devices.value.truncate(1);
        let mut quit = None;
        if plan.cases.is_empty() {
            // No flow can be read; reporting that needs no device.
            run::run(one, self.context, plan, options, sink, cancel).await;
        } else {
            let connection = self
                .connection
                .get_or_insert_with(|| Connection::new(&one, "runner test --watch"));
            let opened = match cancel.run_until_cancelled(connection.opened()).await {
                Some(opened) => opened?,
                None => return Ok(Some(ExitCode::Interrupted)),
            };
            let context = self.context;
            let running = run::run_on(&opened, one, context, plan, options, sink, cancel.clone());
            tokio::pin!(running);
            loop {
                let pause = self.files.pause();
                tokio::select! {
                    _ = &mut running => break,
                    () = tokio::time::sleep(pause) => {
                        self.collect_changes(config);
                        let requests = self.requests();
                        self.queued.extend(requests);
                        if self.queued.contains(&Request::Quit) {
                            quit = Some(ExitCode::Passed);
                            cancel.cancel();
                        }
                    }
                }
            }
            if let Some(connection) = &self.connection {
                connection.forget_if_lost(&opened.session).await;
            }
        }
        for error in reports.finish() {
            output::error(&error.to_string());
        }
        failures.keep_in(&mut self.failed);
        if self.cancel.is_cancelled() {
            return Ok(Some(ExitCode::Interrupted));
        }
        Ok(quit)
    }

    /// Reviews in the terminal what is pending, without this session's keys meanwhile. Errors are printed; a panic
    /// goes on.
    #[cfg(feature = "review")]
    fn review(&mut self) {
        let context = self.context;
        // The review has a runtime of its own.
        let review = || {
            std::thread::scope(|scope| {
                scope
                    .spawn(|| crate::cli::review::after_run(context))
                    .join()
            })
        };
        let reviewed = tokio::task::block_in_place(|| match &mut self.keys {
            Some(keys) => keys.lend(review),
            None => review(),
        });
        match reviewed {
            Ok(Ok(())) => {}
            Ok(Err(error)) => output::error(&error.to_string()),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    #[cfg(not(feature = "review"))]
    fn review(&mut self) {
        output::note("this program was built without the review");
    }
}

/// Cancels the session at the first request to stop. The second ends the process at once. Returns at once. If
/// requests cannot be listened for, does nothing, and Ctrl-C ends the process as usual.
fn listen(cancel: CancellationToken) {
    // Listens before the first output.
    let Ok(mut requests) = interrupt::Requests::new() else {
        return;
    };
    tokio::spawn(async move {
        if requests.next().await.is_ok() {
            cancel.cancel();
            output::note("\nending; once more to stop at once");
        }
        if requests.next().await.is_ok() {
            test::exit_now();
        }
    });
}
