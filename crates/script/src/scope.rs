//! What the scripts of one flow, its sub-flows and its hooks see.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indexmap::IndexMap;

use super::engine::{Engine, Job, Script};
use super::error::{ScriptError, ScriptFault};
use super::expression::{Names, simple};
use super::text::{Piece, is_true, pieces, unescape};
use runner_flow::Limits;

/// Longest text that scripts may make, in bytes.
pub(super) const LONGEST_TEXT: usize = 1 << 20;

/// Most lines that are kept of what scripts say, until they are asked for.
const MOST_LINES: usize = 10_000;

/// The longest that a script runs where nobody says how long.
const USUAL_TIME: Duration = Duration::from_mins(1);

/// What is fixed for an attempt.
#[derive(Debug, Clone)]
pub struct ScriptOptions {
    /// `maestro.platform`.
    pub platform: String,
    /// Hosts that `http` may reach: those of `http: { hosts: […] }` in `runner.yaml`.
    pub http_hosts: Arc<[String]>,
    /// Where `faker`'s data comes from: the same seed makes the same data.
    pub seed: u64,
    /// The longest that one script runs.
    pub time: Duration,
    /// Set as soon as a script sends a request.
    pub sent: Arc<AtomicBool>,
}

impl Default for ScriptOptions {
    fn default() -> Self {
        Self {
            platform: "android".to_owned(),
            http_hosts: Arc::new([]),
            seed: 0,
            time: USUAL_TIME,
            sent: Arc::default(),
        }
    }
}

/// The names, texts and scripts of a started flow. Its sub-flows and hooks share it, and so `output`.
#[derive(Debug)]
pub struct MaestroScope {
    env: Arc<IndexMap<String, String>>,
    /// The names of the flows around the one that runs.
    outer: Vec<Arc<IndexMap<String, String>>>,
    copied_text: Option<String>,
    /// The engine does not have it yet.
    is_copy_new: bool,
    options: ScriptOptions,
    limits: Limits,
    engine: Option<Engine>,
    log: Vec<String>,
}

impl MaestroScope {
    /// A scope with these names. It starts no engine.
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

    /// Sets when scripts have to stop: with the step that they belong to, or with the run. Without it one may take a minute.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Scripts have to stop so much later.
    pub fn delay(&mut self, by: Duration) {
        self.limits.delay(by);
    }

    /// The value of a name.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// All values of names that are not a script's own.
    pub fn env_values(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.env.iter();
        all.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Gives a name a value, until the sub-flow ends in which that is done.
    pub fn set_env(&mut self, name: impl Into<String>, value: impl Into<String>) {
        Arc::make_mut(&mut self.env).insert(name.into(), value.into());
    }

    /// Begins a sub-flow: it sees the names of its caller, and what it sets ends with it.
    pub fn push(&mut self) {
        self.outer.push(Arc::clone(&self.env));
    }

    /// Ends a sub-flow.
    pub fn pop(&mut self) {
        if let Some(env) = self.outer.pop() {
            self.env = env;
        }
    }

    /// What `copyTextFrom` and `setClipboard` set: `maestro.copiedText`.
    pub fn copied_text(&self) -> Option<&str> {
        self.copied_text.as_deref()
    }

    /// Sets `maestro.copiedText`.
    pub fn set_copied_text(&mut self, text: impl Into<String>) {
        self.copied_text = Some(text.into());
        self.is_copy_new = true;
    }

    /// Returns true if a script has sent a request since this was last asked.
    pub fn take_sent(&self) -> bool {
        self.options.sent.swap(false, Ordering::Relaxed)
    }

    /// Whether a script started the engine.
    pub fn has_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// What scripts wrote with `console.log` since this was last asked for, a line each.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    /// A text with each `${…}` replaced by what it comes to. An undefined name is `undefined`.
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
            if text.len() > LONGEST_TEXT {
                return Err(ScriptError::new(
                    ScriptFault::TooLarge,
                    "the text is longer than 1 MB, the most that `${…}` may make",
                ));
            }
        }
        Ok(unescape(text))
    }

    /// Whether a condition (`true:` of `when`, `assertTrue`) holds.
    pub async fn is_true(&mut self, raw: &str) -> Result<bool, ScriptError> {
        Ok(is_true(&self.text(raw).await?))
    }

    /// `evalScript`: evaluates each `${…}` of a text. What stands around them means nothing.
    pub async fn evaluate(&mut self, raw: &str) -> Result<(), ScriptError> {
        for piece in pieces(raw) {
            if let Piece::Script(script) = piece {
                self.value(script, false).await?;
            }
        }
        Ok(())
    }

    /// `runScript`: runs the text of a file, with names of its own. `file` is what errors call it.
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

    async fn value(&mut self, script: &str, is_wanted: bool) -> Result<String, ScriptError> {
        if script.trim().is_empty() {
            return Ok(String::new());
        }
        if let Some(value) = simple(script, self) {
            return Ok(value);
        }
        let script = Script::Expression {
            source: script.to_owned(),
            is_wanted,
        };
        self.run(script, Arc::clone(&self.env)).await
    }

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
        self.is_copy_new = false;
        let job = Job {
            script,
            env,
            copied_text,
        };
        let (result, log) = engine.run(job, &self.limits, self.options.time).await;
        for line in &log {
            tracing::info!(target: "script", line, "a script says");
        }
        self.log.extend(log);
        self.log.truncate(MOST_LINES);
        result
    }
}

impl Names for MaestroScope {
    fn value(&self, name: &str) -> Option<&str> {
        self.env(name)
    }

    fn of_maestro(&self, name: &str) -> Option<&str> {
        match name {
            // A script may have changed them.
            _ if self.has_engine() => None,
            "copiedText" => self.copied_text(),
            "platform" => Some(&self.options.platform),
            _ => None,
        }
    }
}
