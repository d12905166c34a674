//! Interpreter of scripts: lists, pipelines, compound commands.

mod call;
mod loops;
mod redirect;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::ast::{ChainOperator, List, ListItem, Node, Word, WordPart};
use super::parse::parse;
use super::streams::{Sink, Source, take_buffer};
use super::traps::SignalTraps;
use crate::state::DeviceState;

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

    /// Runs a script text and sets the status. Returns true if the shell must end, by `exit` or at a limit of
    /// [`Self::node`]. A text that cannot be parsed is not run at all: it gives an error message and status 1.
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

    /// Runs commands one after the other, until one leaves the list. A failure does not. An empty list keeps the
    /// status. A background job starts and is not waited for; if the whole device has [`MAX_JOBS`], it gives a message
    /// and status 1 instead.
    pub(super) fn list<'a>(
        &'a mut self,
        list: &'a List,
        streams: &'a Streams,
    ) -> BoxFuture<'a, Flow> {
        Box::pin(async move {
            for item in list {
                if item.background {
                    if self.device.jobs().len() < MAX_JOBS {
                        self.background(item, streams).await;
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

    /// Starts a command in a copy of this shell, without input, and goes on with status 0. Its id is `$!`. It writes
    /// to the script's streams, and ends with the device at the latest. In virtual time it goes as far as it can
    /// without waiting before the shell goes on, so that the host's threads do not decide what comes first.
    async fn background(&mut self, item: &ListItem, streams: &Streams) {
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
        let mut job: BoxFuture<'static, ()> = Box::pin(async move {
            stop.run_until_cancelled(shell.node(&node, &streams)).await;
            device.end_job(id);
            // This fails if no shell waits for the job any more.
            let _ = ended.send(Some(shell.status));
        });
        if !self.device.realistic {
            let begun = std::future::poll_fn(|context| Poll::Ready(job.as_mut().poll(context)));
            if begun.await.is_ready() {
                return;
            }
        }
        tokio::spawn(job);
    }

    /// Runs a command of any kind, which counts as a step. Ends the script with a message after [`MAX_STEPS`],
    /// with the status 124, or below [`MAX_DEPTH`], with 1.
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
    /// that fail leave the command out, but not those after it. A function's definition and an `if` that takes no
    /// branch give 0.
    async fn any_node(&mut self, node: &Node, streams: &Streams) -> Flow {
        match node {
            Node::Simple(simple) => self.simple(simple, streams).await,
            Node::Pipeline(stages) => self.pipeline(stages, streams).await,
            Node::Not(inner) => {
                let flow = self.node(inner, streams).await;
                // `! exit 3` ends with 3: the shell is left before the status is turned round.
                if flow == Flow::Next {
                    self.status = i32::from(self.status == 0);
                }
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

    /// Runs the stages of a pipeline one after the other, each in a subshell and with the complete output of the one
    /// before. The status is that of the last stage. Changes and `exit` in a stage stay in it. The first stage reads
    /// the shell's input.
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

    /// Runs a list in a subshell and returns its output, for `$(…)`, without NUL and line ends at its end. The status
    /// is the list's. Invalid UTF-8 is replaced.
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
