//! Simple commands: functions, builtins and the commands of the device.

use std::sync::Arc;

use super::{Flow, Shell, Streams};
use crate::shell::ast::{SimpleCommand, WordPart};
use crate::shell::builtins;
use crate::shell::commands::{self, Call, Outcome};
use crate::shell::streams::Sink;
use crate::state::DeviceState;
use crate::{Fault, WrongAnswer};

impl Shell {
    /// Runs a simple command: expands its words, then its assignments, then redirects. Assignments before a command
    /// end with it, together with all variables that it set. Without words they stay, and the status is 0 or that of
    /// a command in them. If an expansion, a redirection or an assignment fails, the command is left out, with
    /// status 1.
    pub(super) async fn simple(&mut self, simple: &SimpleCommand, streams: &Streams) -> Flow {
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
    pub(in super::super) async fn call(&mut self, words: Vec<String>, streams: &Streams) -> Flow {
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
    pub(in super::super) async fn call_no_function(
        &mut self,
        words: Vec<String>,
        streams: &Streams,
    ) -> Flow {
        if let Some(flow) = builtins::run(self, &words, streams).await {
            return flow;
        }
        self.status = self.command(words, streams).await;
        Flow::Next
    }

    /// Runs a command of the device: its function, whose output is printed once it returns, then the rest of a command
    /// that takes time. Returns its exit code: 127 for an unknown command, 134 if it panics, 1 if its output is not
    /// read or cannot be written. The function runs again with all input if it asks for it. Faults may end the command,
    /// delay it, spoil its output, or answer in its place.
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
        call.is_job = self.job.is_some();
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
    pub(in super::super) fn replace_shell(&mut self, name: &str) -> Option<EndJob> {
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
pub(in super::super) struct EndJob(Arc<DeviceState>, u32);

impl Drop for EndJob {
    fn drop(&mut self) {
        self.0.end_job(self.1);
    }
}
