//! One call of a tool of the registry on a workspace's device: by a client over MCP or by a person at a page.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Workspace;
use super::record::CallRecord;
use runner_engine::{Session, short_ids};
use runner_screen::Screen;
use runner_tools::arguments::ClientArguments;
use runner_tools::registry::find;
use runner_tools::{Call, Caller, Entry, Failure, FailureKind, Outcome, Progress, Verdict};

/// A call of a tool of the registry.
#[derive(Debug)]
pub struct DeviceCall {
    /// The tool.
    pub entry: &'static Entry,
    /// Its arguments, as the client sent them.
    pub args: Value,
    /// How long it looks, where the call says so.
    pub limit: Option<Duration>,
    /// The answer to a success, where the tool's own words do not fit.
    pub message: Option<String>,
}

/// What a call came to.
#[derive(Debug)]
pub struct DeviceAnswer {
    /// The tool's answer.
    pub outcome: Result<Outcome, Failure>,
    /// The device was lost during the call; the next call looks for it again.
    pub is_lost: bool,
}

impl DeviceCall {
    /// A call as it was asked for.
    pub fn new(entry: &'static Entry, args: Value) -> Self {
        Self {
            entry,
            args,
            limit: None,
            message: None,
        }
    }

    /// A call of the tool of this name.
    ///
    /// # Errors
    /// There is no such tool.
    pub fn named(name: &str, args: Value) -> Result<Self, Failure> {
        let missing = || Failure::unsupported(format!("there is no tool `{name}`; this is a bug"));
        Ok(Self::new(find(name).ok_or_else(missing)?, args))
    }

    /// A call of a step of the flow language, whose element may also be the id of a look, such as `@e12`. Steps take
    /// selectors only, so the tool that takes ids does the work then.
    ///
    /// # Errors
    /// The step takes no id, or none with its other arguments.
    pub fn of_step(step: &str, args: Map<String, Value>) -> Result<Self, Failure> {
        let observed = ["on", "into"].into_iter().find_map(|key| {
            let id = args.get(key)?.as_str()?;
            short_ids::number(id).map(|_| (key, id.to_owned()))
        });
        match observed {
            Some((key, id)) => Self::on_observed(step, key, &id, &args),
            None => Self::named(step, args.into()),
        }
    }

    fn on_observed(
        step: &str,
        key: &str,
        id: &str,
        args: &Map<String, Value>,
    ) -> Result<Self, Failure> {
        let (tool, taken): (_, &[&str]) = match step {
            "click" => ("click_element", &[]),
            "long_click" => ("long_click_element", &[]),
            "scroll_to" => ("scroll_to_element", &[]),
            "type" => ("semantic.type_text", &["text", "clear"]),
            _ => {
                return Err(Failure::usage(format!(
                    "`{step}` takes no id of a look; name the element by its words or its resource id instead of `{id}`"
                )));
            }
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
            // As the step reports it.
            call.message = Some(format!("Typed {} characters", text.chars().count()));
            call.args["text"] = text.into();
            call.args["replace"] = args.get("clear").is_some_and(|clear| *clear == true).into();
        }
        Ok(call)
    }
}

impl Workspace {
    /// What surrounds a call in this project, for nobody in particular.
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

    /// Makes a call and records it. The caller holds the connection's shared lock to the end of the call.
    ///
    /// `before` is the screen that the caller saw; without it, the recorder looks where it has to.
    pub async fn call_device(
        &self,
        session: &Arc<Session>,
        call: DeviceCall,
        around: Call,
        before: Option<Arc<Screen>>,
    ) -> DeviceAnswer {
        let entry = call.entry;
        // Before they are recorded: a flow holds numbers, not texts of numbers.
        let ClientArguments {
            arguments: args,
            note,
        } = match entry.client_arguments(call.args) {
            Ok(args) => args,
            Err(failure) => return DeviceAnswer::refused(entry.ended_by(failure)),
        };
        let recorded = Value::from(args.clone());
        let before = match before {
            Some(screen) => Some(screen),
            None => self.recorder.before(entry, session).await,
        };
        let mut outcome = match entry.with_client_defaults(args) {
            Ok(args) => {
                let timeout = call.limit.unwrap_or(around.timeout);
                let around = Call { timeout, ..around };
                entry.call(session, args, &around).await
            }
            Err(failure) => entry.ended_by(failure),
        };
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
        let may_be_lost =
            failure_of(&outcome).is_some_and(|failure| failure.kind == FailureKind::Infrastructure);
        let is_lost = may_be_lost && self.connection.forget_if_lost(session).await;
        DeviceAnswer { outcome, is_lost }
    }
}

impl DeviceAnswer {
    /// Of a call that was not made.
    fn refused(outcome: Result<Outcome, Failure>) -> Self {
        Self {
            outcome,
            is_lost: false,
        }
    }
}

/// Why a call failed, as an error or as a clear answer.
fn failure_of(outcome: &Result<Outcome, Failure>) -> Option<&Failure> {
    match outcome {
        Err(failure) => Some(failure),
        Ok(outcome) => match &outcome.verdict {
            Verdict::Failed(failure) => Some(failure),
            Verdict::Passed => None,
        },
    }
}
