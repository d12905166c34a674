//! Calls registry tools on a workspace's device, for clients over MCP and for people at the studio, and
//! records each call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Workspace;
use super::record::CallRecord;
use runner_engine::{Session, short_ids};
use runner_screen::Screen;
use runner_tools::arguments::ClientArguments;
use runner_tools::registry::find;
use runner_tools::{Call, Caller, Entry, Failure, FailureKind, Outcome, Progress, Verdict, paths};

/// Call of a registry tool, before its arguments are checked.
#[derive(Debug)]
pub struct DeviceCall {
    pub entry: &'static Entry,
    /// Arguments as the client sent them.
    pub args: Value,
    /// Time that the tool waits for its element, if the call sets one.
    pub limit: Option<Duration>,
    /// Answer to a success, if the tool's own message does not fit.
    pub message: Option<String>,
}

#[derive(Debug)]
pub struct DeviceAnswer {
    pub outcome: Result<Outcome, Failure>,
    /// True if the device was lost during the call. The next call opens it again.
    pub is_lost: bool,
}

impl DeviceCall {
    /// Creates a call with the usual time limit and the tool's own message.
    pub fn new(entry: &'static Entry, args: Value) -> Self {
        Self {
            entry,
            args,
            limit: None,
            message: None,
        }
    }

    /// Creates a call of the tool of this name.
    ///
    /// # Errors
    /// There is no such tool.
    pub fn named(name: &str, args: Value) -> Result<Self, Failure> {
        let missing = || Failure::unsupported(format!("there is no tool `{name}`; this is a bug"));
        Ok(Self::new(find(name).ok_or_else(missing)?, args))
    }

    /// Creates a call from a step of the flow language, whose element may also be the id of a look, such as `@e12`.
    ///
    /// Steps take selectors only, and are called as they are. For an id it calls the tool that does the same and takes
    /// ids; there are such tools for `click`, `long_click`, `scroll_to` and `type`.
    ///
    /// # Errors
    /// The step has no such tool, or that tool lacks one of the arguments. Arguments that are `false` do not count.
    pub fn from_step(step: &str, args: Map<String, Value>) -> Result<Self, Failure> {
        let observed = ["on", "into"].into_iter().find_map(|key| {
            let id = args.get(key)?.as_str()?;
            short_ids::number(id).map(|_| (key, id.to_owned()))
        });
        match observed {
            Some((key, id)) => Self::on_element_id(step, key, &id, &args),
            None => Self::named(step, args.into()),
        }
    }

    /// Returns true if the step's element may be the id of a look; see [`Self::from_step`].
    pub fn takes_short_id(step: &str) -> bool {
        id_tool(step).is_some()
    }

    /// Builds the call for a step whose element is an id of a look. Steps without such a tool, and arguments that
    /// it does not take, are refused; false ones count as left out.
    fn on_element_id(
        step: &str,
        key: &str,
        id: &str,
        args: &Map<String, Value>,
    ) -> Result<Self, Failure> {
        let Some((tool, taken)) = id_tool(step) else {
            return Err(Failure::usage(format!(
                "`{step}` takes no id of a look; name the element by its words or its resource id instead of `{id}`"
            )));
        };
        let other = args.iter().find(|(name, value)| {
            *name != key && !taken.contains(&name.as_str()) && **value != false
        });
        if let Some((name, _)) = other {
            return Err(Failure::usage(format!(
                "`{name}` does not go together with the id `{id}`; leave it out, or name the element by its words or its resource id"
            )));
        }
        let mut call = Self::named(tool, json!({ "element_id": id }))?;
        if step == "type" {
            let text = args.get("text").and_then(Value::as_str).unwrap_or_default();
            // The message of the step `type`.
            call.message = Some(format!("Typed {} characters", text.chars().count()));
            call.args["text"] = text.into();
            call.args["replace"] = args.get("clear").is_some_and(|clear| *clear == true).into();
        }
        Ok(call)
    }
}

/// Returns the tool that does the same as a step with the id of an element, and the step's arguments that go
/// together with the id.
fn id_tool(step: &str) -> Option<(&'static str, &'static [&'static str])> {
    let (tool, taken): (_, &[&str]) = match step {
        "click" => ("click_element", &[]),
        "long_click" => ("long_click_element", &[]),
        "scroll_to" => ("scroll_to_element", &[]),
        "type" => ("semantic.type_text", &["text", "clear"]),
        _ => return None,
    };
    Some((tool, taken))
}

impl Workspace {
    /// Returns the context of calls in this project: the usual time limit of a step, its folders and
    /// permissions. It has no app, no progress and an anonymous caller.
    pub fn surroundings(&self) -> Call {
        Call {
            timeout: self.config.step_timeout.value,
            app: None,
            root: self.config.root.clone(),
            artifacts: self.config.artifacts.value.clone(),
            allow_shell: self.config.allow_shell.value,
            http_hosts: Arc::clone(&self.config.http_hosts.value),
            progress: Progress::default(),
            caller: Caller::default(),
        }
    }

    /// Makes a call and records it; arguments that are no object are refused without a record. The caller must hold the
    /// connection's shared lock until it returns.
    ///
    /// `before` is the screen that the caller saw; without it the recorder takes a look if it needs one.
    /// `context.timeout` holds unless the call has its own limit. What fields hold of a typed secret is masked from
    /// then on. A file among the artifacts that a secret names is removed, and the call fails. After a failure of the
    /// infrastructure, the answer says if the device is lost, and the session is then forgotten.
    pub async fn call_device(
        &self,
        session: &Arc<Session>,
        call: DeviceCall,
        context: Call,
        before: Option<Arc<Screen>>,
    ) -> DeviceAnswer {
        let entry = call.entry;
        // Converted before they are recorded: a flow holds `5`, not `"5"`.
        let ClientArguments {
            arguments: args,
            note,
        } = match entry.client_arguments(call.args) {
            Ok(args) => args,
            Err(failure) => return DeviceAnswer::refused(entry.ended_by(failure)),
        };
        let recorded = Value::from(args.clone());
        // A command of `shell` may type its words.
        let words = recorded.get("argv").and_then(Value::as_array);
        let words = words.into_iter().flatten().chain(recorded.get("text"));
        for text in words.filter_map(Value::as_str) {
            self.remains.note(text, &self.scrubber);
        }
        let before = match before {
            Some(screen) => Some(screen),
            None => self.recorder.before(entry, session).await,
        };
        let mut outcome = match entry.with_client_defaults(args) {
            Ok(args) => {
                let timeout = call.limit.unwrap_or(context.timeout);
                let context = Call { timeout, ..context };
                entry.call(session, args, &context).await
            }
            Err(failure) => entry.ended_by(failure),
        };
        if let Err(refused) = self.refuse_secret_file(&outcome) {
            outcome = entry.ended_by(refused);
        }
        if let Ok(outcome) = &mut outcome {
            outcome.notes.extend(note);
        }
        if let (Some(message), Ok(outcome)) = (call.message, &mut outcome) {
            outcome.text = message.into();
        }
        self.recorder.note(&CallRecord {
            entry,
            args: &recorded,
            limit: call.limit,
            before,
            after: session.last_screen(),
            outcome: &outcome,
        });
        self.recorder.after(session).await;
        self.hide_remains(session);
        let may_be_lost =
            failure_of(&outcome).is_some_and(|failure| failure.kind == FailureKind::Infrastructure);
        let is_lost = may_be_lost && self.connection.forget_if_lost(session).await;
        DeviceAnswer { outcome, is_lost }
    }

    /// Removes the file that a call left among the artifacts if a secret names it, which is a failure of usage.
    fn refuse_secret_file(&self, outcome: &Result<Outcome, Failure>) -> Result<(), Failure> {
        let file = outcome.as_ref().ok().and_then(|it| it.file.as_deref());
        let Some(file) = file else {
            return Ok(());
        };
        let Ok(below) = file.strip_prefix(&self.config.artifacts.value) else {
            return Ok(());
        };
        let refused = paths::refuse_secret(below, &self.scrubber);
        if refused.is_err() {
            let _ = fs_err::remove_file(file);
        }
        refused
    }
}

impl DeviceAnswer {
    /// Returns the answer to a call that was not made.
    fn refused(outcome: Result<Outcome, Failure>) -> Self {
        Self {
            outcome,
            is_lost: false,
        }
    }
}

/// Returns the failure of a call, whether it is an error or a negative verdict.
fn failure_of(outcome: &Result<Outcome, Failure>) -> Option<&Failure> {
    match outcome {
        Err(failure) => Some(failure),
        Ok(outcome) => match &outcome.verdict {
            Verdict::Failed(failure) => Some(failure),
            Verdict::Passed => None,
        },
    }
}
