//! Holds the values of names while a flow runs, and evaluates the expressions in arguments with them.

mod evaluate;
mod name;
pub(crate) mod resolve;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::Value;

use super::expression::{Budget, Generator, Limits, Lookup};
use super::secret_names::SecretNames;
use runner_text::secret::Scrubber;

pub(crate) use name::is_well_formed;
pub use name::{BUILT_IN_NAMES, NameError, check_name, plain_name};

/// Maximum bytes of all values of a scope as JSON. Chosen: room for many screens; more would let a loop fill
/// the memory.
const MAX_STORED_BYTES: usize = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InterpolationError {
    /// Range of the argument in its source.
    pub span: Range<usize>,
    /// Error and advice.
    pub message: String,
    /// True if the expression is not to blame: the flow's time was over, or the run was stopped.
    pub stopped: bool,
    /// True if the expression is not to blame: the device did not report a value that it uses.
    pub unanswered: bool,
}

/// Values of the names in expressions while a flow runs.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    env: IndexMap<String, Arc<str>>,
    results: IndexMap<String, Arc<Value>>,
    /// Bytes of all values, with those of the callers' scopes.
    stored_size: usize,
    limits: Limits,
    os: Arc<BTreeMap<String, String>>,
    device: Value,
    /// Properties of the device that it did not report, by their names below `device`, with the reasons.
    unanswered: BTreeMap<&'static str, String>,
    flow: Value,
    run: Value,
    generator: Option<Arc<Generator>>,
    secrets: SecretNames,
}

impl Scope {
    /// Creates a scope with the process environment (`os.NAME`) and the maps `device`, `flow` and `run`. It has no
    /// variables, results, secrets, limits or source of random data; each has a method that sets it.
    pub fn new(os: Arc<BTreeMap<String, String>>, device: Value, flow: Value, run: Value) -> Self {
        Self {
            os,
            device,
            flow,
            run,
            ..Self::default()
        }
    }

    /// Masks the values of these names in `scrubber`: present ones here and in the process environment, and later
    /// ones. Replaces the names that were set before; what is masked already stays so.
    #[must_use]
    pub fn with_secrets<'a>(
        mut self,
        names: impl IntoIterator<Item = &'a String>,
        scrubber: Scrubber,
    ) -> Self {
        self.secrets = SecretNames::new(scrubber);
        self.add_secrets(names);
        self
    }

    /// Adds names whose values are secrets, and masks in the scrubber the values that they have now as variable, in
    /// the process environment and as result. Values that they get later are masked too. Names without a value are
    /// allowed; names that were added before stay secret.
    pub fn add_secrets<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        self.secrets.add(names.into_iter().cloned());
        for name in self.secrets.iter() {
            let env = self.env.get(name).map(AsRef::as_ref);
            let os = self.os.get(name).map(String::as_str);
            for value in env.into_iter().chain(os) {
                self.secrets.hide(name, value);
            }
            if let Some(value) = self.results.get(name) {
                self.secrets.hide_value(name, value);
            }
        }
    }

    /// Sets a variable, and replaces an earlier value; a result of the same name is removed, because it would hide
    /// the variable. A secret's value is masked from now on. The value is stored as it is: `${…}` is not evaluated.
    ///
    /// # Errors
    /// A name that is not allowed, or more than `MAX_STORED_BYTES` of values in all. The scope is as before then.
    pub fn set_env(
        &mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<(), NameError> {
        let (name, value) = (name.into(), value.into());
        check_name(&name)?;
        let result = self.results.get(&name).map_or(0, |before| size(before));
        let before = self.env.get(&name).map_or(0, |before| before.len());
        self.count(&name, before + result, value.len())?;
        // A result hides the variable of the same name.
        self.results.shift_remove(&name);
        self.secrets.hide(&name, &value);
        self.env.insert(name, value.into());
        Ok(())
    }

    /// Keeps a result under a name (`as`), or a value of `set`, in place of an earlier result. It hides a
    /// variable of the same name. A secret's value is masked from now on.
    ///
    /// # Errors
    /// A name that is not allowed, or more than `MAX_STORED_BYTES` of values in all. The scope is as before then.
    pub fn keep(&mut self, name: impl Into<String>, value: Value) -> Result<(), NameError> {
        let name = name.into();
        check_name(&name)?;
        let before = self.results.get(&name).map_or(0, |before| size(before));
        self.count(&name, before, size(&value))?;
        self.secrets.hide_value(&name, &value);
        self.results.insert(name, Arc::new(value));
        Ok(())
    }

    /// Counts a value of `after` bytes in place of one of `before`. Fails above [`MAX_STORED_BYTES`] with `name` in
    /// the error, and then counts nothing.
    fn count(&mut self, name: &str, before: usize, after: usize) -> Result<(), NameError> {
        let stored = self
            .stored_size
            .saturating_sub(before)
            .saturating_add(after);
        if stored > MAX_STORED_BYTES {
            return Err(NameError::TooMuch(name.to_owned()));
        }
        self.stored_size = stored;
        Ok(())
    }

    /// Sets the properties that the device did not report, by their names below `device`, with the reasons, in place
    /// of earlier ones. An expression that uses one is an error with the reason, alone, in a text and as a condition.
    #[must_use]
    pub fn without_answers(mut self, unanswered: BTreeMap<&'static str, String>) -> Self {
        self.unanswered = unanswered;
        self
    }

    /// Sets a property of the device, or replaces it. Does nothing if `device` is no map. A reason why it was not
    /// reported stays, and expressions with it still fail.
    pub fn know_of_device(&mut self, name: &str, value: Value) {
        if let Some(device) = self.device.as_object_mut() {
            device.insert(name.to_owned(), value);
        }
    }

    /// Sets the source of random data. Without one its functions are errors.
    #[must_use]
    pub fn with_generator(mut self, generator: Generator) -> Self {
        self.generator = Some(Arc::new(generator));
        self
    }

    /// Returns the run's seed if random data was made in this scope or in one that shares its source, such as that of
    /// a sub-flow or of its caller; else `None`.
    pub fn used_seed(&self) -> Option<u32> {
        self.generator.as_ref()?.used_seed()
    }

    /// Sets deadline and cancellation of later evaluations, in place of earlier ones.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Moves the deadline of evaluations later. Without a deadline there is still none.
    pub fn delay(&mut self, by: Duration) {
        self.limits.delay(by);
    }

    /// Creates a full budget for arguments that are evaluated together, with the present deadline and cancellation.
    pub fn meter(&self) -> Budget {
        Budget::new(self.limits.clone())
    }

    /// Returns the value of a variable of `env`, not of the process environment; `None` if it is not set. A
    /// result of the same name does not count.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(AsRef::as_ref)
    }

    /// Returns all variables of `env` with their values, in the order in which they were first set; also those of the
    /// callers.
    pub fn env_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_ref()))
    }

    /// Returns the result kept under a name (`as` or `set`); `None` if there is none. A variable does not count.
    pub fn result(&self, name: &str) -> Option<&Value> {
        self.results.get(name).map(AsRef::as_ref)
    }

    /// Returns the results of this scope, not of the callers', in the order in which their names were first kept.
    pub fn results(&self) -> impl Iterator<Item = (&str, &Value)> {
        let all = self.results.iter();
        all.map(|(name, value)| (name.as_str(), value.as_ref()))
    }

    /// Returns the scope for a sub-flow: the same variables, secrets, limits and surroundings, without the caller's
    /// results. Their bytes still count for `MAX_STORED_BYTES`. Variables that are set in it do not reach the caller;
    /// secrets are masked for both.
    #[must_use]
    pub fn for_sub_flow(&self) -> Self {
        Self {
            results: IndexMap::new(),
            ..self.clone()
        }
    }

    /// Returns the value of a path's first part: `device`, `flow`, `run`, or else a result. Variables and
    /// `os` are not searched.
    fn root(&self, name: &str) -> Option<&Value> {
        match name {
            "device" => Some(&self.device),
            "flow" => Some(&self.flow),
            "run" => Some(&self.run),
            _ => self.result(name),
        }
    }
}

impl Lookup for Scope {
    /// Returns the value of a path; `None` for an unknown name, a missing part and an empty path. Built-in names come
    /// before results, and these before variables; parts of variables, texts and lists do not exist. `os` alone is a
    /// map.
    fn value(&self, path: &[&str]) -> Option<minijinja::Value> {
        let (&root, parts) = path.split_first()?;
        let text = |text: &str| minijinja::Value::from(text);
        match (root, parts, self.root(root)) {
            ("os", [], _) => Some(minijinja::Value::from_pairs(
                self.os
                    .iter()
                    .map(|(name, value)| (name.as_str(), text(value))),
            )),
            ("os", [name], _) => self.os.get(*name).map(|value| text(value)),
            ("os", ..) => None,
            (_, parts, Some(value)) => parts
                .iter()
                .try_fold(value, |value, part| value.as_object()?.get(*part))
                .map(from_json),
            (_, [], None) => self.env.get(root).map(|value| text(value)),
            (_, _, None) => None,
        }
    }

    fn generator(&self) -> Option<&Generator> {
        self.generator.as_deref()
    }
}

/// Estimates the bytes of a value as JSON. Escapes are not counted, and a number, boolean or null counts 8.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + 2,
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| key.len() + size(value) + 4;
            entries.iter().map(entry).sum::<usize>() + 2
        }
        _ => 8,
    }
}

/// Converts a value for minijinja, at any depth. Whole numbers stay whole, and null becomes none, not undefined.
/// Never fails.
pub(super) fn from_json(value: &Value) -> minijinja::Value {
    match value {
        Value::Null => minijinja::Value::from(()),
        Value::Bool(value) => minijinja::Value::from(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => minijinja::Value::from(number),
            (_, Some(number), _) => minijinja::Value::from(number),
            (.., number) => minijinja::Value::from(number.unwrap_or_default()),
        },
        Value::String(text) => minijinja::Value::from(text.as_str()),
        Value::Array(items) => items.iter().map(from_json).collect(),
        Value::Object(entries) => minijinja::Value::from_pairs(
            entries
                .iter()
                .map(|(key, value)| (key.as_str(), from_json(value))),
        ),
    }
}

#[cfg(test)]
mod tests;
