//! Interpreter of scripts: lists, pipelines, compound commands, redirections.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::ast::{
    ChainOperator, Item, List, Node, Redirect, RedirectKind, SimpleCommand, Word, WordPart,
};
use super::commands::{self, Call, Outcome};
use super::parse::parse;
use super::streams::{Sink, Source, take_buffer};
use super::traps::SignalTraps;
use super::{builtins, pattern};
use crate::state::DeviceState;
use crate::storage::{Storage, StorageError};
use crate::virtual_files::NULL;
use crate::{Fault, WrongAnswer};

/// Commands and loop rounds of one script. Chosen: real scripts run some hundred; more would block the
/// device.
const MAX_STEPS: u32 = 100_000;
/// Deepest nesting of running commands: functions, substitutions, `eval`. Chosen: deeper recursion could
/// overflow the stack.
const MAX_DEPTH: u32 = 60;

/// Most background jobs. Chosen: each has a shell of its own, so more would fill the memory.
const MAX_JOBS: usize = 256;

/// A boxed future, since running a script is recursive.
type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Error of a redirection, in the words of Android's shell.
#[derive(Debug, thiserror::Error)]
enum RedirectError {
    #[error("can't open {target}: {source}")]
    Open {
        target: String,
        source: StorageError,
    },
    #[error("can't create {target}: {source}")]
    Create {
        target: String,
        source: StorageError,
    },
    #[error("{0}: bad file descriptor")]
    Descriptor(String),
}

#[derive(Debug, Clone)]
pub(super) struct Streams {
    pub(super) stdin: Source,
    pub(super) out: Sink,
    pub(super) err: Sink,
    /// `/dev/tty`: the output of the script itself, before any redirection.
    pub(super) terminal: Sink,
}

/// Control flow after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break(u32),
    Continue(u32),
    Return,
    Exit,
}

/// A running shell. A clone is a subshell.
#[derive(Debug, Clone)]
pub(super) struct Shell {
    pub(super) device: Arc<DeviceState>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) functions: BTreeMap<String, Node>,
    pub(super) arguments: Vec<String>,
    pub(super) cwd: String,
    pub(super) status: i32,
    /// `$!`.
    pub(super) last_job: Option<u32>,
    /// Background jobs of this shell, for `wait`: process id, and exit code once there is one.
    pub(super) jobs: Vec<(u32, watch::Receiver<Option<i32>>)>,
    /// `$$`, assigned at first use. A subshell has its parent's.
    pub(super) own_id: Arc<OnceLock<u32>>,
    /// Process id and interrupt of a background job, or of a script after `exec`.
    pub(super) job: Option<(u32, CancellationToken)>,
    pub(super) traps: SignalTraps,
    steps: Arc<AtomicU32>,
    pub(super) depth: u32,
}

impl Shell {
    /// Makes a shell in `/` with a phone's environment, without arguments, functions and jobs.
    pub(super) fn new(device: Arc<DeviceState>) -> Self {
        let variables = [
            ("ANDROID_DATA", "/data"),
            ("ANDROID_ROOT", "/system"),
            ("EXTERNAL_STORAGE", "/sdcard"),
            ("HOME", "/"),
            (
                "PATH",
                "/product/bin:/apex/com.android.runtime/bin:/system/bin:/vendor/bin",
            ),
            ("SHELL", "/bin/sh"),
            ("TMPDIR", "/data/local/tmp"),
            ("USER", "shell"),
        ];
        Self {
            device,
            variables: variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            functions: BTreeMap::new(),
            arguments: Vec::new(),
            cwd: "/".to_owned(),
            status: 0,
            last_job: None,
            jobs: Vec::new(),
            own_id: Arc::default(),
            job: None,
            traps: SignalTraps::default(),
            steps: Arc::default(),
            depth: 0,
        }
    }

    /// Runs a script text and sets the status. Returns true if the shell must end, by `exit`. A text that
    /// cannot be parsed is not run at all: it gives an error message and status 1.
    pub(super) async fn script(&mut self, text: &str, streams: &Streams) -> bool {
        match parse(text) {
            Ok(list) => self.list(&list, streams).await == Flow::Exit,
            Err(error) => {
                self.complain(&error.to_string(), streams).await;
                self.status = 1;
                false
            }
        }
    }

    /// Prints a line to standard error, with the shell's name before it.
    pub(super) async fn complain(&self, text: &str, streams: &Streams) {
        let line = format!("/system/bin/sh: {text}\n");
        let _ = streams.err.write(line.into_bytes()).await;
    }

    /// Counts a step. Returns false if the script, with all its subshells, has had [`MAX_STEPS`]. The status
    /// is 124 then, with one error message.
    async fn step(&mut self, streams: &Streams) -> bool {
        let acquired = self.steps.fetch_add(1, Ordering::Relaxed);
        // Said once: all shells of a script share the count.
        if acquired == MAX_STEPS {
            self.complain(
                "the virtual device ends a script after 100000 steps",
                streams,
            )
            .await;
        }
        if acquired >= MAX_STEPS {
            self.status = 124;
        }
        acquired < MAX_STEPS
    }

    /// Runs commands one after the other, until one leaves the list. A failure does not. A background job starts
    /// and is not waited for; beyond [`MAX_JOBS`] it gives a message and status 1.
    pub(super) fn list<'a>(
        &'a mut self,
        list: &'a List,
        streams: &'a Streams,
    ) -> BoxFuture<'a, Flow> {
        Box::pin(async move {
            for item in list {
                if item.background {
                    if self.device.jobs().len() < MAX_JOBS {
                        self.background(item, streams);
                    } else {
                        self.complain("can't fork: try again later", streams).await;
                        self.status = 1;
                    }
                    continue;
                }
                let flow = self.node(&item.node, streams).await;
                if flow != Flow::Next {
                    return flow;
                }
            }
            Flow::Next
        })
    }

    /// Starts a command in a copy of this shell, without input, and goes on with status 0. Its id is `$!`.
    fn background(&mut self, item: &Item, streams: &Streams) {
        let name = match &item.node {
            Node::Simple(simple) => simple.words.first().map(plain_text),
            _ => None,
        };
        let (id, interrupt) = self.device.begin_job(name.as_deref().unwrap_or("sh"));
        self.last_job = Some(id);
        self.status = 0;
        let (ended, exit_code) = watch::channel(None);
        // Ended jobs are kept for `wait`. A script that never waits must not collect them without end.
        if self.jobs.len() >= MAX_JOBS {
            self.jobs.retain(|(_, job)| job.borrow().is_none());
        }
        let mut shell = self.clone();
        shell.jobs.clear();
        self.jobs.push((id, exit_code));
        shell.job = Some((id, interrupt));
        let node = item.node.clone();
        let streams = Streams {
            // A background job gets no input, as in every shell: it would take the script's.
            stdin: Source::bytes(Vec::new()),
            ..streams.clone()
        };
        let device = Arc::clone(&self.device);
        let stop = device.stop.clone();
        tokio::spawn(async move {
            stop.run_until_cancelled(shell.node(&node, &streams)).await;
            device.end_job(id);
            // This fails if no shell waits for the job any more.
            let _ = ended.send(Some(shell.status));
        });
    }

    /// Runs a command of any kind, which counts as a step. Ends the script with a message after [`MAX_STEPS`] or
    /// below [`MAX_DEPTH`].
    pub(super) fn node<'a>(
        &'a mut self,
        node: &'a Node,
        streams: &'a Streams,
    ) -> BoxFuture<'a, Flow> {
        Box::pin(async move {
            if !self.step(streams).await {
                return Flow::Exit;
            }
            self.depth += 1;
            let flow = if self.depth > MAX_DEPTH {
                self.complain("the virtual device does not nest commands deeper", streams)
                    .await;
                self.status = 1;
                Flow::Exit
            } else {
                self.any_node(node, streams).await
            };
            self.depth -= 1;
            flow
        })
    }

    /// Runs a command by its kind. A subshell keeps its changes to itself, `exit` too. Expansions and redirections
    /// that fail leave the command out, but not those after it.
    async fn any_node(&mut self, node: &Node, streams: &Streams) -> Flow {
        match node {
            Node::Simple(simple) => self.simple(simple, streams).await,
            Node::Pipeline(stages) => self.pipeline(stages, streams).await,
            Node::Not(inner) => {
                let flow = self.node(inner, streams).await;
                self.status = i32::from(self.status == 0);
                flow
            }
            Node::AndOr { first, rest } => {
                let mut flow = self.node(first, streams).await;
                for (joint, next) in rest {
                    if flow != Flow::Next {
                        return flow;
                    }
                    if (self.status == 0) == (*joint == ChainOperator::And) {
                        flow = self.node(next, streams).await;
                    }
                }
                flow
            }
            Node::If {
                branches,
                otherwise,
            } => {
                for (condition, body) in branches {
                    let flow = self.list(condition, streams).await;
                    if flow != Flow::Next {
                        return flow;
                    }
                    if self.status == 0 {
                        return self.list(body, streams).await;
                    }
                }
                self.status = 0;
                self.list(otherwise, streams).await
            }
            Node::While {
                condition,
                body,
                negated,
            } => self.while_loop(condition, body, *negated, streams).await,
            Node::For { name, words, body } => {
                let values = match words {
                    Some(words) => match self.fields(words, streams).await {
                        Ok(values) => values,
                        Err(()) => return Flow::Next,
                    },
                    None => self.arguments.clone(),
                };
                self.for_loop(name, values, body, streams).await
            }
            Node::Case { word, arms } => self.case(word, arms, streams).await,
            Node::Subshell(list) => {
                let mut inner = self.clone();
                inner.list(list, streams).await;
                self.status = inner.status;
                Flow::Next
            }
            Node::Group(list) => self.list(list, streams).await,
            Node::Function { name, body } => {
                self.functions.insert(name.clone(), (**body).clone());
                self.status = 0;
                Flow::Next
            }
            Node::Redirected(inner, redirects) => match self.redirect(redirects, streams).await {
                Ok(streams) => self.node(inner, &streams).await,
                Err(()) => Flow::Next,
            },
        }
    }

    /// Runs a loop until the condition fails, or with `negated` succeeds. The status is that of the last round, 0
    /// without one. Each round counts as a step.
    async fn while_loop(
        &mut self,
        condition: &List,
        body: &List,
        negated: bool,
        streams: &Streams,
    ) -> Flow {
        let mut status = 0;
        loop {
            if !self.step(streams).await {
                return Flow::Exit;
            }
            // A loop of builtins alone still lets others run.
            tokio::task::yield_now().await;
            let flow = self.list(condition, streams).await;
            if flow != Flow::Next {
                return flow;
            }
            if (self.status == 0) == negated {
                self.status = status;
                return Flow::Next;
            }
            match after_round(self.list(body, streams).await) {
                LoopControl::Again => status = self.status,
                LoopControl::Leave(flow) => return flow,
            }
        }
    }

    /// Runs the body for each value. The status is the last round's, 0 without values. The variable keeps its last
    /// value. Each round counts as a step.
    async fn for_loop(
        &mut self,
        name: &str,
        values: Vec<String>,
        body: &List,
        streams: &Streams,
    ) -> Flow {
        self.status = 0;
        for value in values {
            if !self.step(streams).await {
                return Flow::Exit;
            }
            if !self.assign(name, value, streams).await {
                return Flow::Next;
            }
            match after_round(self.list(body, streams).await) {
                LoopControl::Again => {}
                LoopControl::Leave(flow) => return flow,
            }
        }
        Flow::Next
    }

    /// Runs the first arm with a pattern that matches. The status is 0 if none does.
    async fn case(&mut self, word: &Word, arms: &[(Vec<Word>, List)], streams: &Streams) -> Flow {
        let Ok(text) = self.one_text(word, streams).await else {
            return Flow::Next;
        };
        let text: Vec<char> = text.chars().collect();
        for (patterns, body) in arms {
            for wanted in patterns {
                let Ok(pieces) = self.pattern(wanted, streams).await else {
                    return Flow::Next;
                };
                if pattern::matches(&pieces, &text) {
                    self.status = 0;
                    return self.list(body, streams).await;
                }
            }
        }
        self.status = 0;
        Flow::Next
    }

    /// Runs the stages of a pipeline one after the other, each in a subshell and with the complete output of the
    /// one before. The status is that of the last stage. Changes and `exit` in a stage stay in it.
    async fn pipeline(&mut self, stages: &[Node], streams: &Streams) -> Flow {
        let mut stdin = streams.stdin.clone();
        for (index, stage) in stages.iter().enumerate() {
            let mut inner = self.clone();
            let last = index + 1 == stages.len();
            let (sink, buffer) = Sink::buffer();
            let stage_streams = Streams {
                stdin,
                out: if last { streams.out.clone() } else { sink },
                ..streams.clone()
            };
            inner.node(stage, &stage_streams).await;
            self.status = inner.status;
            stdin = Source::bytes(take_buffer(&buffer));
        }
        Flow::Next
    }

    /// Runs a list in a subshell and returns its output, for `$(…)`, without NUL and line ends at its end.
    /// The status is the list's.
    pub(super) async fn captured(&mut self, list: &List, streams: &Streams) -> String {
        let (out, buffer) = Sink::buffer();
        let mut inner = self.clone();
        let inner_streams = Streams {
            out,
            ..streams.clone()
        };
        inner.list(list, &inner_streams).await;
        self.status = inner.status;
        let bytes = take_buffer(&buffer);
        // A variable of a shell holds no NUL.
        let text = String::from_utf8_lossy(&bytes).replace('\0', "");
        text.trim_end_matches('\n').to_owned()
    }

    /// Returns the streams after redirections, from left to right. Files are opened or emptied even if a later one
    /// fails. Returns `Err` after an error message, with status 1.
    async fn redirect(&mut self, redirects: &[Redirect], streams: &Streams) -> Result<Streams, ()> {
        let mut streams = streams.clone();
        for redirect in redirects {
            let target = self.one_text(&redirect.target, &streams).await?;
            if let Err(error) = self.redirect_one(redirect, &target, &mut streams) {
                self.complain(&error.to_string(), &streams).await;
                self.status = 1;
                return Err(());
            }
        }
        Ok(streams)
    }

    /// Applies one redirection. Input from another descriptor is ignored, and so are descriptors above 2; their
    /// files are made even so.
    fn redirect_one(
        &self,
        redirect: &Redirect,
        target: &str,
        streams: &mut Streams,
    ) -> Result<(), RedirectError> {
        let sink = match redirect.kind {
            RedirectKind::Here => {
                streams.stdin = Source::bytes(target.as_bytes().to_vec());
                return Ok(());
            }
            RedirectKind::Read => {
                let path = Storage::absolute(&self.cwd, target);
                let bytes = self
                    .device
                    .read(&path)
                    .map_err(|source| RedirectError::Open {
                        target: target.to_owned(),
                        source,
                    })?;
                streams.stdin = Source::bytes(bytes);
                return Ok(());
            }
            RedirectKind::Duplicate => match (redirect.descriptor, target) {
                (0, _) => return Ok(()),
                (_, "1") => streams.out.clone(),
                (_, "2") => streams.err.clone(),
                (_, "-") => Sink::Null,
                _ => return Err(RedirectError::Descriptor(target.to_owned())),
            },
            RedirectKind::Write | RedirectKind::Append => {
                let append = redirect.kind == RedirectKind::Append;
                self.open_sink(target, append, streams)
                    .map_err(|source| RedirectError::Create {
                        target: target.to_owned(),
                        source,
                    })?
            }
        };
        match redirect.descriptor {
            1 => streams.out = sink,
            2 => streams.err = sink,
            _ => {}
        }
        Ok(())
    }

    /// Opens a file for output. `/dev/null`, the terminal and standard error are no files; `/dev/stdout` is the
    /// terminal too.
    fn open_sink(
        &self,
        target: &str,
        append: bool,
        streams: &Streams,
    ) -> Result<Sink, StorageError> {
        let path = Storage::absolute(&self.cwd, target);
        match path.as_str() {
            NULL => return Ok(Sink::Null),
            "/dev/tty" | "/dev/stdout" | "/proc/self/fd/1" => return Ok(streams.terminal.clone()),
            "/dev/stderr" | "/proc/self/fd/2" => return Ok(streams.err.clone()),
            _ => {}
        }
        // Another thread would cost more than the file.
        self.device.take_storage_fault();
        let file = self.device.storage.create(&path, append)?;
        Ok(Sink::File(
            Arc::new(std::sync::Mutex::new(file)),
            Arc::clone(&self.device),
        ))
    }

    /// Runs a simple command: expands its words, then its assignments, then redirects. Assignments before a
    /// command end with it, together with all variables that it set. Without words they stay, and the status is 0
    /// or that of a command in them.
    async fn simple(&mut self, simple: &SimpleCommand, streams: &Streams) -> Flow {
        let Ok(words) = self.fields(&simple.words, streams).await else {
            return Flow::Next;
        };
        let mut assignments = Vec::new();
        for (name, value) in &simple.assignments {
            let Ok(value) = self.one_text(value, streams).await else {
                return Flow::Next;
            };
            assignments.push((name.clone(), value));
        }
        let Ok(streams) = self.redirect(&simple.redirects, streams).await else {
            return Flow::Next;
        };
        if words.is_empty() {
            // `x=$(false)` has the status of the substitution.
            let values = simple.assignments.iter().map(|(_, value)| value);
            let runs = |part: &WordPart| matches!(part, WordPart::Command { .. });
            if !values.chain(&simple.words).flatten().any(runs) {
                self.status = 0;
            }
            for (name, value) in assignments {
                if !self.assign(&name, value, &streams).await {
                    break;
                }
            }
            return Flow::Next;
        }
        // Assignments before a command hold for that command.
        let saved = (!assignments.is_empty()).then(|| self.variables.clone());
        for (name, value) in assignments {
            if !self.assign(&name, value, &streams).await {
                return Flow::Next;
            }
        }
        let flow = self.call(words, &streams).await;
        if let Some(saved) = saved {
            self.variables = saved;
        }
        flow
    }

    /// Runs a command by its words and sets the status: a function, else a builtin, else a command of the
    /// device. Without words nothing happens. A function's `return` ends only the function.
    pub(super) async fn call(&mut self, words: Vec<String>, streams: &Streams) -> Flow {
        let Some(name) = words.first() else {
            return Flow::Next;
        };
        if let Some(body) = self.functions.get(name).cloned() {
            let arguments = words.into_iter().skip(1).collect();
            let saved = std::mem::replace(&mut self.arguments, arguments);
            let flow = self.node(&body, streams).await;
            self.arguments = saved;
            return if flow == Flow::Return {
                Flow::Next
            } else {
                flow
            };
        }
        self.call_no_function(words, streams).await
    }

    /// Runs a command as [`Self::call`] does, but never a function. Sets the status.
    pub(super) async fn call_no_function(&mut self, words: Vec<String>, streams: &Streams) -> Flow {
        if let Some(flow) = builtins::run(self, &words, streams).await {
            return flow;
        }
        self.status = self.command(words, streams).await;
        Flow::Next
    }

    /// Runs a command of the device, and prints its output as it comes. Returns its exit code: 127 for an unknown
    /// command, 134 if it panics, 1 if nobody reads its output. It runs again with all input if it asks for it.
    /// Faults may end it, delay it, spoil its output, or answer in its place.
    async fn command(&mut self, words: Vec<String>, streams: &Streams) -> i32 {
        let name = words.first().cloned().unwrap_or_default();
        let Some(run) = commands::find(&name) else {
            let text = format!("{name}: inaccessible or not found");
            self.complain(&text, streams).await;
            return 127;
        };
        self.device.serves(&name);
        if commands::may_be_killed(&name) && self.device.faults.shows(Fault::CommandKilled) {
            let _ = streams.err.write(b"Killed\n".to_vec()).await;
            return 137;
        }
        let wrong = self.device.answers.begin(&words);
        if let Some(WrongAnswer::Late(by)) = wrong {
            tokio::time::sleep(by).await;
        }
        if let Some((printed, code)) = wrong.and_then(WrongAnswer::replacement_output) {
            let _ = streams.err.write(printed.as_bytes().to_vec()).await;
            return code;
        }
        if let Some(text) = commands::deaf_settings::answer(&self.device, &words) {
            let _ = streams.out.write(text.as_bytes().to_vec()).await;
            return 0;
        }
        let time = commands::command_time(&words);
        // A sleep of nothing takes a tick of the clock.
        if self.device.realistic && !time.is_zero() {
            tokio::time::sleep(time).await;
        }
        let mut call = Call::new(Arc::clone(&self.device), words, self.cwd.clone());
        call.classpath = self.variables.get("CLASSPATH").cloned().unwrap_or_default();
        call.follows = matches!(streams.out, Sink::Peer { .. });
        loop {
            let may_wait = self.device.realistic || self.device.has_hosts();
            let at_once = !may_wait && commands::is_quick(&name);
            let working = self.traps.command();
            let work = move || {
                let outcome = run(&mut call);
                drop(working);
                call.device.collect_log();
                (call, outcome)
            };
            let ran = if at_once {
                // Another thread would cost more than the command.
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
            } else {
                tokio::task::spawn_blocking(work).await.ok()
            };
            let Some((ended, outcome)) = ran else {
                // A command that panics is a bug of this program; the device continues.
                let _ = streams
                    .err
                    .write(format!("{name}: Aborted\n").into_bytes())
                    .await;
                return 134;
            };
            call = ended;
            if let Some(wrong) = wrong {
                wrong.spoil(&mut call.out);
            }
            if !self.print(&mut call, streams).await {
                return 1;
            }
            match outcome {
                Outcome::Exit(code) => return code,
                // A command is a plain function and cannot wait: it is run once more, with all of its input.
                Outcome::NeedsStdin => call.stdin = Some(streams.stdin.read_all().await),
                Outcome::Running(on) => {
                    let (id, interrupt, own) = if let Some((id, interrupt)) = &self.job {
                        (*id, interrupt.clone(), false)
                    } else {
                        let (id, interrupt) = self.device.begin_job(&name);
                        (id, interrupt, true)
                    };
                    let _end = own.then(|| EndJob(Arc::clone(&self.device), id));
                    return on.run_to_end(&self.device, interrupt, streams).await;
                }
            }
        }
    }

    /// `exec`: makes the command take the shell's place, and its process id. Returns `None`, and does
    /// nothing, if the script has not read that id or the shell is a job already.
    pub(super) fn replace_shell(&mut self, name: &str) -> Option<EndJob> {
        let id = *self.own_id.get()?;
        if self.job.is_some() {
            return None;
        }
        self.job = Some((id, self.device.begin_job_as(id, name)));
        Some(EndJob(Arc::clone(&self.device), id))
    }

    /// Passes a command's output on, and clears it: terminal, standard output, then errors. All are tried. Returns
    /// false if nobody reads one of them or it cannot be written, for which there is a message.
    async fn print(&self, call: &mut Call, streams: &Streams) -> bool {
        let terminal = std::mem::take(&mut call.terminal);
        let out = std::mem::take(&mut call.out);
        let err = std::mem::take(&mut call.err);
        let mut acquired = true;
        for (sink, bytes) in [
            (&streams.terminal, terminal),
            (&streams.out, out),
            (&streams.err, err),
        ] {
            match sink.write(bytes).await {
                Ok(read) => acquired &= read,
                Err(error) => {
                    let name = call.args.first().map_or("sh", String::as_str);
                    let text = format!("{name}: write: {error}\n");
                    let _ = streams.err.write(text.into_bytes()).await;
                    acquired = false;
                }
            }
        }
        acquired
    }
}

/// Ends a job when dropped, however its command ended.
pub(super) struct EndJob(Arc<DeviceState>, u32);

impl Drop for EndJob {
    fn drop(&mut self) {
        self.0.end_job(self.1);
    }
}

enum LoopControl {
    Again,
    Leave(Flow),
}

/// Tells a loop to go on or to leave after a round. `break` and `continue` of more levels leave it with one level
/// less.
fn after_round(flow: Flow) -> LoopControl {
    match flow {
        Flow::Next | Flow::Continue(1) => LoopControl::Again,
        Flow::Break(1) => LoopControl::Leave(Flow::Next),
        Flow::Break(levels) => LoopControl::Leave(Flow::Break(levels - 1)),
        Flow::Continue(levels) => LoopControl::Leave(Flow::Continue(levels - 1)),
        Flow::Return | Flow::Exit => LoopControl::Leave(flow),
    }
}

/// Returns a word's own text, without what is expanded in it.
fn plain_text(word: &Word) -> String {
    word.iter()
        .map(|part| match part {
            WordPart::Text { text, .. } => text.as_str(),
            _ => "",
        })
        .collect()
}
