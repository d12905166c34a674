//! State that the scripts of one flow share with its sub-flows and hooks.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use indexmap::IndexMap;

use super::engine::{Engine, Job, Script};
use super::error::{ScriptError, ScriptFault};
use super::expression::{Names, evaluate_simple};
use super::options::ScriptOptions;
use super::text::{MAX_TEXT_BYTES, Piece, is_true, pieces, unescape};
use runner_flow::Limits;

/// Number of log lines that are kept until [`MaestroScope::take_log`]. Chosen: ten scripts with full logs.
const MAX_LOG_LINES: usize = 10_000;

/// Variables, texts and scripts of a started flow, shared with its sub-flows and hooks. So they also share
/// `output`.
#[derive(Debug)]
pub struct MaestroScope {
    env: Arc<IndexMap<String, String>>,
    /// Variables of the callers of the current sub-flow, outermost first.
    outer: Vec<Arc<IndexMap<String, String>>>,
    copied_text: Option<String>,
    /// True if `copied_text` changed since the engine last got it.
    is_copy_new: bool,
    options: ScriptOptions,
    limits: Limits,
    engine: Option<Engine>,
    log: Vec<String>,
}

impl MaestroScope {
    /// Creates a scope with these variables, of which the last one of a name counts. Does not start the engine;
    /// scripts have no deadline but [`ScriptOptions::time`].
    pub fn new(env: impl IntoIterator<Item = (String, String)>, options: ScriptOptions) -> Self {
        Self {
            env: Arc::new(env.into_iter().collect()),
            outer: Vec::new(),
            copied_text: None,
            is_copy_new: false,
            options,
            limits: Limits::default(),
            engine: None,
            log: Vec::new(),
        }
    }

    /// Sets the deadline and cancellation of further scripts: those of their step, or of the run. Without a
    /// deadline a script may take [`ScriptOptions::time`].
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Moves the deadline later, if there is one.
    pub fn delay(&mut self, by: Duration) {
        self.limits.delay(by);
    }

    /// Returns the value of a variable of the flow. `None` if it is not set; variables of scripts do not
    /// count.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// Returns all variables with their values, without those that scripts define.
    pub fn env_values(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.env.iter();
        all.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Sets a variable until the current sub-flow ends.
    pub fn set_env(&mut self, name: impl Into<String>, value: impl Into<String>) {
        Arc::make_mut(&mut self.env).insert(name.into(), value.into());
    }

    /// Begins a sub-flow. The sub-flow sees the variables of its caller; those that it sets end with it. `output` of
    /// scripts stays.
    pub fn push(&mut self) {
        self.outer.push(Arc::clone(&self.env));
    }

    /// Ends a sub-flow, so that the variables of its caller are those of before. Does nothing outside of one.
    pub fn pop(&mut self) {
        if let Some(env) = self.outer.pop() {
            self.env = env;
        }
    }

    /// Returns `maestro.copiedText`, which `copyTextFrom` and `setClipboard` set.
    pub fn copied_text(&self) -> Option<&str> {
        self.copied_text.as_deref()
    }

    /// Sets `maestro.copiedText`. A running engine gets it with its next script.
    pub fn set_copied_text(&mut self, text: impl Into<String>) {
        self.copied_text = Some(text.into());
        self.is_copy_new = true;
    }

    /// Returns true if a script has sent a request since the last call, also if it was refused or failed.
    pub fn take_sent(&self) -> bool {
        self.options.sent.swap(false, Ordering::Relaxed)
    }

    /// Returns true if a script has started the engine.
    pub fn has_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// Takes the lines that scripts have logged since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    /// Replaces each `${…}` in a text by its result, from left to right, and `\${…}` by `${…}`, also in results. An
    /// undefined name becomes `undefined`, and an empty `${}` nothing. A text without `${` is returned as it is.
    ///
    /// Returns an error at the first script that fails, or if the text grows longer than 1 MiB. Effects of scripts
    /// before it stay.
    pub async fn text(&mut self, raw: &str) -> Result<String, ScriptError> {
        if !raw.contains("${") {
            return Ok(raw.to_owned());
        }
        let mut text = String::new();
        for piece in pieces(raw) {
            match piece {
                Piece::Plain(plain) => text.push_str(plain),
                Piece::Script(script) => text.push_str(&self.value(script, true).await?),
            }
            if text.len() > MAX_TEXT_BYTES {
                return Err(ScriptError::new(
                    ScriptFault::TooLarge,
                    "the text is longer than 1 MB, the most that `${…}` may make",
                ));
            }
        }
        Ok(unescape(text))
    }

    /// Evaluates a condition: `true:` of `when`, or `assertTrue`. Its scripts are replaced by their results,
    /// and then [`is_true`] decides about the text.
    pub async fn is_true(&mut self, raw: &str) -> Result<bool, ScriptError> {
        Ok(is_true(&self.text(raw).await?))
    }

    /// Runs `evalScript`: evaluates each `${…}` of a text in order, until one fails. The text around them and the
    /// results are ignored. Without a script nothing happens. Results need not be texts.
    pub async fn evaluate(&mut self, raw: &str) -> Result<(), ScriptError> {
        for piece in pieces(raw) {
            if let Piece::Script(script) = piece {
                self.value(script, false).await?;
            }
        }
        Ok(())
    }

    /// Runs `runScript`: a file's text, with additional variables that only it sees, and that hide others of the
    /// same name. Globals that a script defines other than in `output` end with it too. Errors call it `file`.
    pub async fn run_script(
        &mut self,
        file: &str,
        source: &str,
        env: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), ScriptError> {
        let mut own = Arc::clone(&self.env);
        for (name, value) in env {
            Arc::make_mut(&mut own).insert(name, value);
        }
        let script = Script::File {
            name: file.to_owned(),
            source: source.to_owned(),
        };
        self.run(script, own).await.map(drop)
    }

    /// Evaluates one script: simple ones here, all others in the engine. A blank one gives an empty text.
    /// `wants_result` says if the engine converts the result; without it the text may be empty.
    async fn value(&mut self, script: &str, wants_result: bool) -> Result<String, ScriptError> {
        if script.trim().is_empty() {
            return Ok(String::new());
        }
        if let Some(value) = evaluate_simple(script, self) {
            return Ok(value);
        }
        let script = Script::Expression {
            source: script.to_owned(),
            wants_result,
        };
        self.run(script, Arc::clone(&self.env)).await
    }

    /// Runs a script in the engine, which is started first if need be. The lines that the script logged are kept, also
    /// if it fails, at most `MAX_LOG_LINES` until they are taken; later ones are dropped.
    async fn run(
        &mut self,
        script: Script,
        env: Arc<IndexMap<String, String>>,
    ) -> Result<String, ScriptError> {
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => none.insert(Engine::start(&self.options)?),
        };
        let copied_text = self.copied_text.clone().filter(|_| self.is_copy_new);
        let before = engine.given();
        let job = Job {
            script,
            env,
            copied_text,
        };
        let (result, log) = engine.run(job, &self.limits, self.options.time).await;
        // A script that was refused took no text along.
        self.is_copy_new &= engine.given() == before;
        for line in &log {
            tracing::info!(target: "script", line, "a script says");
        }
        self.log.extend(log);
        self.log.truncate(MAX_LOG_LINES);
        result
    }
}

impl Names for MaestroScope {
    fn value(&self, name: &str) -> Option<&str> {
        self.env(name)
    }

    /// Returns `maestro.platform`, and `maestro.copiedText` if one was set. `None` for all others, and for all once
    /// the engine runs, as a script may have changed them.
    fn maestro_value(&self, name: &str) -> Option<&str> {
        match name {
            // A script may have changed them in the engine.
            _ if self.has_engine() => None,
            "copiedText" => self.copied_text(),
            "platform" => Some(&self.options.platform),
            _ => None,
        }
    }
}
