//! Evaluates the expressions in arguments.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use minijinja::machinery::ast::Expr;
use minijinja::value::ValueKind;
use serde_json::Value;

use super::ast::{Argument, Spanned};
use super::expression::{
    self, Budget, ExpressionError, FUNCTIONS, Generator, Limits, Lookup, Size, TemplatePart,
};
use super::secret_names::{SecretNames, SecretReads};

use runner_text::secret::{MASK, Scrubber};

/// Names with a built-in meaning in every expression.
pub const BUILT_IN_NAMES: [&str; 4] = ["os", "device", "flow", "run"];

/// Maximum bytes of a value that a message shows. Chosen: a longer one makes the message unreadable.
const MAX_DISPLAY_LENGTH: usize = 500;
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

/// Reason why a name cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Name that does not match `[A-Za-z_][A-Za-z0-9_]*`.
    #[error("`{0}` cannot be a name; use letters, digits and `_`, and do not begin with a digit")]
    Malformed(String),
    /// Built-in name, or a word of the expression language.
    #[error("`{0}` already means something in expressions; choose another name")]
    BuiltIn(String),
    /// The values of the flow would take too much memory.
    #[error("`{0}` cannot be kept: the values of this flow take more than 64 MB")]
    TooMuch(String),
}

/// Reason why a dotted path has no value.
#[derive(Debug, thiserror::Error)]
enum PathError {
    #[error("the environment variable `{0}` is not set; `os.{0}` needs it")]
    NoVariable(String),
    #[error(
        "`{0}` is not defined: no env value has this name and no step before kept a result under it"
    )]
    Undefined(String),
    #[error("`{of}` is empty, so it has no `{part}`")]
    Empty { of: String, part: String },
    #[error("`{of}` has no `{part}`; it has {}", .has.join(", "))]
    NoPart {
        of: String,
        part: String,
        has: Vec<String>,
    },
}

/// Returns true if expressions can read the name: ASCII letters, digits and `_`, and no digit first. An empty
/// name is false.
pub(crate) fn is_well_formed(name: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    name.chars().all(is_part) && name.starts_with(|first: char| !first.is_ascii_digit())
}

/// Trims a name and the signs of a value around it (`${…}`, `@`, `%`), and replaces each `-`, blank and `.` by `_`. A
/// digit at the beginning gets a `_` before it. Returns `None` if [`check_name`] still refuses the result.
pub fn plain_name(name: &str) -> Option<String> {
    let bare = name.trim().trim_matches(['$', '{', '}', '@', '%', ' ']);
    let mut plain = bare.replace(['-', ' ', '.'], "_");
    if plain.starts_with(|c: char| c.is_ascii_digit()) {
        plain.insert(0, '_');
    }
    check_name(&plain).is_ok().then_some(plain)
}

/// Checks that `name` may be given to a variable or a result: it has the form of a name, and is no built-in name,
/// function or word of the language. Names that are taken by other values pass.
pub fn check_name(name: &str) -> Result<(), NameError> {
    if !is_well_formed(name) {
        return Err(NameError::Malformed(name.to_owned()));
    }
    // minijinja's `namespace` and `debug` have no meaning here, and must not seem to have one.
    if BUILT_IN_NAMES.contains(&name)
        || expression::is_reserved(name)
        || FUNCTIONS.contains(&name)
        || ["namespace", "debug"].contains(&name)
    {
        return Err(NameError::BuiltIn(name.to_owned()));
    }
    Ok(())
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

    /// Returns the reason why the device did not report a property that an expression uses; of several the first by
    /// name. Returns `None` if it uses none of them, and for an expression that cannot be parsed. `device` as a whole
    /// counts as a use of all. A use counts even where it would not be evaluated.
    fn unanswered(&self, expression: &str) -> Option<&String> {
        if self.unanswered.is_empty() {
            return None;
        }
        let tree = expression::parse(expression).ok()?;
        expression::names(&tree).iter().find_map(|name| {
            let mut parts = name.split('.');
            if parts.next() != Some("device") {
                return None;
            }
            match parts.next() {
                Some(part) => self.unanswered.get(part),
                // The whole map is used, as in `device['sdk']`.
                None => self.unanswered.values().next(),
            }
        })
    }

    /// Evaluates an expression like [`Self::evaluate`]; its errors are shown at `span`. The use of a property that
    /// the device did not report is an error with `unanswered`, and nothing is evaluated then.
    fn evaluate_at(
        &self,
        expression: &str,
        meter: &Budget,
        span: &Range<usize>,
    ) -> Result<minijinja::Value, InterpolationError> {
        if let Some(why) = self.unanswered(expression) {
            return Err(InterpolationError {
                span: span.clone(),
                message: format!("`{}`: {why}", expression.trim()),
                stopped: false,
                unanswered: true,
            });
        }
        self.evaluate(expression, meter).map_err(wrong_at(span))
    }

    /// Returns the secrets that may be part of an expression's result: whether it uses a secret name that has a
    /// value, and the known secrets in values of other names. Empty if no name is secret. Evaluates nothing.
    fn secrets_read(&self, tree: &Expr<'_>) -> SecretReads {
        let mut read = SecretReads::default();
        if self.secrets.iter().next().is_none() {
            return read;
        }
        for path in expression::sources(tree) {
            let parts: Vec<&str> = path.iter().map(String::as_str).collect();
            let value = self.value(&parts);
            let value = value.filter(|value| !value.is_undefined() && !value.is_none());
            let Some(value) = value.and_then(|value| serde_json::to_value(value).ok()) else {
                continue;
            };
            match parts.as_slice() {
                ["os", name, ..] | [name, ..] if self.secrets.has(name) => read.has_name = true,
                _ => self.secrets.collect_from(&value, &mut read),
            }
        }
        read
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

    /// Checks that a dotted path has a value, for a better error than the evaluation's own. A missing key of a map, a
    /// part of `null`, a variable that the environment does not have and an unknown first name are errors. Parts of a
    /// variable, a text, a number or a list are not checked. A result goes before a variable of its name.
    fn check_path(&self, path: &str) -> Result<(), PathError> {
        let mut parts = path.split('.');
        let root = parts.next().unwrap_or_default();
        if root == "os" {
            return match parts.next() {
                Some(name) if !self.os.contains_key(name) => {
                    Err(PathError::NoVariable(name.to_owned()))
                }
                _ => Ok(()),
            };
        }
        if !self.results.contains_key(root) && self.env.contains_key(root) {
            return Ok(());
        }
        let mut value = match root {
            "device" => &self.device,
            "flow" => &self.flow,
            "run" => &self.run,
            _ => self
                .result(root)
                .ok_or_else(|| PathError::Undefined(root.to_owned()))?,
        };
        let mut walked = root.to_owned();
        for part in parts {
            // A name after a dot may also be a method, so only a map can lack it.
            let Value::Object(map) = value else {
                return match value {
                    Value::Null => Err(PathError::Empty {
                        of: walked,
                        part: part.to_owned(),
                    }),
                    _ => Ok(()),
                };
            };
            value = map.get(part).ok_or_else(|| {
                let mut has: Vec<String> = map.keys().cloned().collect();
                has.sort_unstable();
                PathError::NoPart {
                    of: walked.clone(),
                    part: part.to_owned(),
                    has,
                }
            })?;
            walked.push('.');
            walked.push_str(part);
        }
        Ok(())
    }

    /// Evaluates an expression, and masks its result in the scrubber if it read a secret. An error then hides what
    /// may be values. An undefined result, a path without a value that is read in any case, and an exhausted `meter`
    /// are errors. Does not look for properties that the device did not report.
    fn evaluate(
        &self,
        expression: &str,
        meter: &Budget,
    ) -> Result<minijinja::Value, ExpressionError> {
        let wrong = |message| ExpressionError {
            range: 0..expression.len(),
            message,
            stopped: false,
        };
        let tree = expression::parse(expression)?;
        for name in expression::certain(&tree) {
            self.check_path(&name)
                .map_err(|error| wrong(error.to_string()))?;
        }
        let secrets = self.secrets_read(&tree);
        let value = expression::evaluate(&tree, self, meter).map_err(|wrong| {
            let mut wrong = wrong.within(expression);
            if secrets.is_some() {
                wrong.message = without_values(&wrong.message);
            }
            wrong
        })?;
        if value.is_undefined() {
            return Err(wrong(format!("`{}` has no value", expression.trim())));
        }
        if secrets.is_some()
            && let Ok(value) = serde_json::to_value(&value)
        {
            self.secrets.hide_computed(&value, &secrets);
        }
        Ok(value)
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

/// Returns a line for each name in an expression with its value, such as `total.text is '5'`, to explain why a
/// condition does not hold. The lines are sorted by name; of `total` and `total.text` only the longer is listed, and of
/// a value above `MAX_DISPLAY_LENGTH` bytes only its length.
/// Skips names without a value, and the environment, whose values may be undeclared secrets. An expression that
/// cannot be parsed has no lines. The caller masks secrets.
pub fn explain(expression: &str, scope: &Scope) -> Vec<String> {
    let Ok(tree) = expression::parse(expression) else {
        return Vec::new();
    };
    let meter = scope.meter();
    let names = expression::names(&tree);
    // If `total.text` is listed, `total` is not.
    let is_prefix = |name: &String| {
        names
            .iter()
            .any(|other| other.starts_with(&format!("{name}.")))
    };
    names
        .iter()
        .filter(|name| !is_prefix(name) && !expression::reads_environment(name))
        .filter_map(|name| {
            let value = scope.evaluate(name, &meter).ok()?;
            Some(format!("{name} is {}", display_value(&value)))
        })
        .collect()
}

/// Masks all between the first and the last single quote of a message, which may be values. A message without
/// two quotes is returned as it is.
fn without_values(message: &str) -> String {
    match (message.find('\''), message.rfind('\'')) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{MASK}{}", &message[..=start], &message[end..])
        }
        _ => message.to_owned(),
    }
}

/// Formats a value for a message: texts in single quotes, all else as JSON. Above `MAX_DISPLAY_LENGTH` bytes it gives
/// only kind and length, because a secret in a part of a long value would not be found. Masks nothing.
fn display_value(value: &minijinja::Value) -> String {
    let written = match value.as_str() {
        Some(text) => format!("'{text}'"),
        None => display(value),
    };
    if written.len() <= MAX_DISPLAY_LENGTH {
        return written;
    }
    match value.len() {
        Some(length) if value.as_str().is_some() => format!("a text of {length} characters"),
        Some(length) => format!("a value with {length} items"),
        None => "a long value".to_owned(),
    }
}

/// Returns a function that converts errors of expressions to errors at this place, with the same message. They are
/// never `unanswered`.
fn wrong_at(span: &Range<usize>) -> impl Fn(ExpressionError) -> InterpolationError {
    let span = span.clone();
    move |error| InterpolationError {
        span: span.clone(),
        message: error.message,
        stopped: error.stopped,
        unanswered: false,
    }
}

/// Evaluates the expressions of an argument. One whole `${…}` keeps its type; a text around expressions makes a text.
/// Lists and maps are evaluated at any depth, their keys are not. A literal is returned as it is. The first error
/// ends it. Has a budget of its own.
pub fn resolve(argument: &Spanned<Argument>, scope: &Scope) -> Result<Value, InterpolationError> {
    resolve_within(argument, scope, &scope.meter())
}

/// Returns true if an argument has an expression at any depth. Does not look for `${` in literal texts or in keys of
/// maps.
pub fn has_expressions(argument: &Argument) -> bool {
    match argument {
        Argument::Literal(_) => false,
        Argument::Expression(_) | Argument::Template(_) => true,
        Argument::List(items) => items.iter().any(|item| has_expressions(&item.value)),
        Argument::Map(entries) => entries.values().any(|value| has_expressions(&value.value)),
    }
}

/// Evaluates like [`resolve`], with a budget that is shared by several arguments. An exhausted budget is an error;
/// literals cost nothing.
pub fn resolve_within(
    argument: &Spanned<Argument>,
    scope: &Scope,
    meter: &Budget,
) -> Result<Value, InterpolationError> {
    let wrong = wrong_at(&argument.span);
    match &argument.value {
        Argument::Literal(value) => Ok(value.clone()),
        Argument::Expression(expression) => {
            let value = scope.evaluate_at(expression, meter, &argument.span)?;
            let count = Size::measure(&value).and_then(|size| meter.add(size));
            count.map_err(|error| wrong(error.within(expression)))?;
            serde_json::to_value(&value).map_err(|error| InterpolationError {
                span: argument.span.clone(),
                message: format!("`{expression}` evaluates to an unsupported value: {error}"),
                stopped: false,
                unanswered: false,
            })
        }
        Argument::Template(text) => template(text, scope, meter, &argument.span).map(Value::String),
        Argument::List(items) => items
            .iter()
            .map(|item| resolve_within(item, scope, meter))
            .collect::<Result<_, _>>()
            .map(Value::Array),
        Argument::Map(entries) => entries
            .iter()
            .map(|(key, value)| Ok((key.clone(), resolve_within(value, scope, meter)?)))
            .collect::<Result<_, _>>()
            .map(Value::Object),
    }
}

/// Evaluates to a text, as for variables: a text as it is, all else as JSON. An expression that comes to none is an
/// error. Otherwise like [`resolve_within`].
pub fn resolve_text(
    argument: &Spanned<Argument>,
    scope: &Scope,
    meter: &Budget,
) -> Result<String, InterpolationError> {
    Ok(
        match (resolve_within(argument, scope, meter)?, &argument.value) {
            (Value::String(text), _) => text,
            (Value::Null, Argument::Expression(expression)) => {
                return Err(no_text(expression, &argument.span));
            }
            (other, _) => other.to_string(),
        },
    )
}

/// Evaluates a condition, the text inside of `${…}`, with a budget of its own. Any result but a boolean is an error
/// that quotes the value and advises a comparison: also `true` as a text, 0 and null. An undefined name is an error
/// too.
pub fn condition(expression: &Spanned<String>, scope: &Scope) -> Result<bool, InterpolationError> {
    let value = scope.evaluate_at(&expression.value, &scope.meter(), &expression.span)?;
    if value.kind() == ValueKind::Bool {
        return Ok(value.is_true());
    }
    let message = format!(
        "`{}` comes to {}, which is neither true nor false; compare it, such as `{} == '…'`",
        expression.value.trim(),
        display_value(&value),
        expression.value.trim(),
    );
    Err(InterpolationError {
        span: expression.span.clone(),
        message,
        stopped: false,
        unanswered: false,
    })
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

/// Formats a value for a text: strings as they are, all else as JSON. minijinja's own form of a boolean is `True`,
/// which would not be read again; it is used only for values that JSON does not have.
fn display(value: &minijinja::Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string(value).unwrap_or_else(|_| value.to_string()),
    }
}

/// Builds the error of an expression that comes to none where a text is made of it.
fn no_text(expression: &str, span: &Range<usize>) -> InterpolationError {
    let expression = expression.trim();
    let is_path =
        |character: char| character.is_ascii_alphanumeric() || "_.[]'".contains(character);
    let subject = if expression.chars().all(is_path) {
        expression.to_owned()
    } else {
        format!("({expression})")
    };
    InterpolationError {
        span: span.clone(),
        message: format!(
            "`{expression}` is none, which is no text; write what stands for it: `{subject} | default('', true)`"
        ),
        stopped: false,
        unanswered: false,
    }
}

/// Replaces the expressions in a text by their values, in the form of [`display`]. The first error ends it: of a text
/// that cannot be split, of an expression, of one that comes to none, of a property that the device did not report, or
/// of the budget. Its place is `span`.
fn template(
    text: &str,
    scope: &Scope,
    meter: &Budget,
    span: &Range<usize>,
) -> Result<String, InterpolationError> {
    let wrong = wrong_at(span);
    let mut result = String::new();
    for piece in expression::pieces(text).map_err(&wrong)? {
        match piece {
            TemplatePart::Text(plain) => result.push_str(&plain),
            TemplatePart::Expression(range) => {
                let expression = &text[range];
                let value = scope.evaluate_at(expression, meter, span)?;
                if value.is_none() {
                    return Err(no_text(expression, span));
                }
                let written = display(&value);
                let size = Size {
                    bytes: written.len(),
                    items: 0,
                };
                let count = meter.add(size);
                count.map_err(|error| wrong(error.within(expression)))?;
                result.push_str(&written);
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests;
