//! Arguments with their expressions evaluated: what a step finally gets.

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
use super::secret_names::{SecretNames, SecretsRead};

use runner_text::secret::{MASK, Scrubber};

/// Names that mean something of their own in every expression.
pub const BUILT_IN_NAMES: [&str; 4] = ["os", "device", "flow", "run"];

/// Longest value that a message shows, in bytes.
const MAX_DISPLAY_LENGTH: usize = 500;
/// Most that the values of a scope may take together, in bytes of their JSON.
const MAX_STORED_BYTES: usize = 64 << 20;

/// An expression that could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InterpolationError {
    /// Where the argument stands in its source.
    pub span: Range<usize>,
    /// What went wrong, and what to do.
    pub message: String,
    /// Nothing is wrong with it: the flow's time was up, or the run is to end.
    pub stopped: bool,
    /// Nothing is wrong with it: the device did not answer what it uses.
    pub unanswered: bool,
}

/// A name that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not `[A-Za-z_][A-Za-z0-9_]*`.
    #[error("`{0}` cannot be a name; use letters, digits and `_`, and do not begin with a digit")]
    Malformed(String),
    /// A built-in name or a word of the expression language.
    #[error("`{0}` already means something in expressions; choose another name")]
    BuiltIn(String),
    /// The values of a flow take too much memory.
    #[error("`{0}` cannot be kept: the values of this flow take more than 64 MB")]
    TooMuch(String),
}

/// Why there is nothing at a dotted path.
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

/// Returns true if an expression can read the name: letters, digits and `_` of ASCII, no digit first.
pub(crate) fn is_well_formed(name: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    name.chars().all(is_part) && name.starts_with(|first: char| !first.is_ascii_digit())
}

/// Returns a name that cannot be one with `_` in the place of what may not be in it.
pub(crate) fn plain_name(name: &str) -> Option<String> {
    let plain = name.trim().replace(['-', ' ', '.'], "_");
    check_name(&plain).is_ok().then_some(plain)
}

/// Whether `name` may be given to an env value or a kept result.
pub fn check_name(name: &str) -> Result<(), NameError> {
    if !is_well_formed(name) {
        return Err(NameError::Malformed(name.to_owned()));
    }
    // `namespace` and `debug` are minijinja's: they mean nothing here, and must not seem to.
    if BUILT_IN_NAMES.contains(&name)
        || expression::is_reserved(name)
        || FUNCTIONS.contains(&name)
        || ["namespace", "debug"].contains(&name)
    {
        return Err(NameError::BuiltIn(name.to_owned()));
    }
    Ok(())
}

/// What the names in expressions stand for while a flow runs.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    env: IndexMap<String, Arc<str>>,
    results: IndexMap<String, Arc<Value>>,
    /// What they take, with those of the flows around this one.
    stored_size: usize,
    limits: Limits,
    os: Arc<BTreeMap<String, String>>,
    device: Value,
    /// What the device did not answer, by its name below `device`, with why.
    unanswered: BTreeMap<&'static str, String>,
    flow: Value,
    run: Value,
    generator: Option<Arc<Generator>>,
    secrets: SecretNames,
}

impl Scope {
    /// A scope with the process environment (`os.NAME`) and what is known of device, flow and run, each a map.
    pub fn new(os: Arc<BTreeMap<String, String>>, device: Value, flow: Value, run: Value) -> Self {
        Self {
            os,
            device,
            flow,
            run,
            ..Self::default()
        }
    }

    /// Masks each value that these names have, here and in the process environment, and that they get from now on.
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

    /// Masks the values of further names too.
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

    /// Sets an env value; a later one replaces an earlier one.
    pub fn set_env(
        &mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<(), NameError> {
        let (name, value) = (name.into(), value.into());
        check_name(&name)?;
        // A result hides the env value of the same name.
        if let Some(before) = self.results.shift_remove(&name) {
            self.stored_size -= size(&before);
        }
        let before = self.env.get(&name).map_or(0, |before| before.len());
        self.count(&name, before, value.len())?;
        self.secrets.hide(&name, &value);
        self.env.insert(name, value.into());
        Ok(())
    }

    /// Keeps a result under a name (`as`), or a value of `set`.
    pub fn keep(&mut self, name: impl Into<String>, value: Value) -> Result<(), NameError> {
        let name = name.into();
        check_name(&name)?;
        let before = self.results.get(&name).map_or(0, |before| size(before));
        self.count(&name, before, size(&value))?;
        self.secrets.hide_value(&name, &value);
        self.results.insert(name, Arc::new(value));
        Ok(())
    }

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

    /// What the device did not answer, by its name below `device`, with why: an expression that uses it is an error.
    #[must_use]
    pub fn without_answers(mut self, unanswered: BTreeMap<&'static str, String>) -> Self {
        self.unanswered = unanswered;
        self
    }

    /// Why what an expression uses of the device is not known.
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
                // All of it: `device['sdk']`.
                None => self.unanswered.values().next(),
            }
        })
    }

    /// The value of an expression at a place in a flow.
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

    /// Returns the secrets of which the result of an expression may hold a part: values of secret names, and what stands of
    /// secrets in values under other names.
    fn secrets_read(&self, tree: &Expr<'_>) -> SecretsRead {
        let mut read = SecretsRead::default();
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

    /// Changes what is known of the device.
    pub fn know_of_device(&mut self, name: &str, value: Value) {
        if let Some(device) = self.device.as_object_mut() {
            device.insert(name.to_owned(), value);
        }
    }

    /// Sets where random data comes from.
    #[must_use]
    pub fn with_generator(mut self, generator: Generator) -> Self {
        self.generator = Some(Arc::new(generator));
        self
    }

    /// The run's seed, where random data was made in this scope or in one around it.
    pub fn used_seed(&self) -> Option<u32> {
        self.generator.as_ref()?.used_seed()
    }

    /// Sets when evaluation in this scope has to stop.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Evaluation has to stop so much later.
    pub fn delay(&mut self, by: Duration) {
        self.limits.delay(by);
    }

    /// What arguments that belong together may take.
    pub fn meter(&self) -> Budget {
        Budget::new(self.limits.clone())
    }

    /// An env value.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(AsRef::as_ref)
    }

    /// All env values.
    pub fn env_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_ref()))
    }

    /// A kept result.
    pub fn result(&self, name: &str) -> Option<&Value> {
        self.results.get(name).map(AsRef::as_ref)
    }

    /// All kept results.
    pub fn results(&self) -> impl Iterator<Item = (&str, &Value)> {
        let all = self.results.iter();
        all.map(|(name, value)| (name.as_str(), value.as_ref()))
    }

    /// The scope in which a sub-flow begins: the same env and surroundings, none of the caller's results.
    #[must_use]
    pub fn for_sub_flow(&self) -> Self {
        Self {
            results: IndexMap::new(),
            ..self.clone()
        }
    }

    /// Checks the value at a dotted path, to report a missing one before the expression runs.
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
            // A name after a dot may also be a method; only maps can be missing one.
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

    /// What stands for the first part of a path, but for `os`.
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

/// What the names in an expression stand for, a line each: why it does not hold. Not those of the environment: what is in it
/// may be a secret that nobody has named yet.
pub fn explain(expression: &str, scope: &Scope) -> Vec<String> {
    let Ok(tree) = expression::parse(expression) else {
        return Vec::new();
    };
    let meter = scope.meter();
    let names = expression::names(&tree);
    // Of `total` and `total.text`, the part says enough.
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

/// Returns a message with a mask in place of the values that it quotes.
fn without_values(message: &str) -> String {
    match (message.find('\''), message.rfind('\'')) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{MASK}{}", &message[..=start], &message[end..])
        }
        _ => message.to_owned(),
    }
}

/// A value for a message. A long one is not cut: what is secret in it is known only whole.
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

fn wrong_at(span: &Range<usize>) -> impl Fn(ExpressionError) -> InterpolationError {
    let span = span.clone();
    move |error| InterpolationError {
        span: span.clone(),
        message: error.message,
        stopped: error.stopped,
        unanswered: false,
    }
}

/// An argument with its expressions evaluated. One whole `${…}` keeps its type, all else is text.
pub fn resolve(argument: &Spanned<Argument>, scope: &Scope) -> Result<Value, InterpolationError> {
    resolve_within(argument, scope, &scope.meter())
}

/// Whether there is anything to evaluate in an argument.
pub fn has_expressions(argument: &Argument) -> bool {
    match argument {
        Argument::Literal(_) => false,
        Argument::Expression(_) | Argument::Template(_) => true,
        Argument::List(items) => items.iter().any(|item| has_expressions(&item.value)),
        Argument::Map(entries) => entries.values().any(|value| has_expressions(&value.value)),
    }
}

/// As [`resolve`], for one of several that belong together.
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
            let count = Size::of(&value).and_then(|size| meter.add(size));
            count.map_err(|error| wrong(error.within(expression)))?;
            serde_json::to_value(&value).map_err(|error| InterpolationError {
                span: argument.span.clone(),
                message: format!("`{expression}` evaluates to an unsupported value: {error}"),
                stopped: false,
                unanswered: false,
            })
        }
        Argument::Template(text) => template(text, scope, meter)
            .map(Value::String)
            .map_err(&wrong),
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

/// As [`resolve_within`], but as text: what env values are.
pub fn resolve_text(
    argument: &Spanned<Argument>,
    scope: &Scope,
    meter: &Budget,
) -> Result<String, InterpolationError> {
    Ok(match resolve_within(argument, scope, meter)? {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

/// A condition's value: the expression must come to a boolean.
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

/// What a value takes, in bytes of its JSON, or nearly so.
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

/// As JSON writes it, so that a boolean is `true` wherever it is read again; text stays as it is.
fn display(value: &minijinja::Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string(value).unwrap_or_else(|_| value.to_string()),
    }
}

fn template(text: &str, scope: &Scope, meter: &Budget) -> Result<String, ExpressionError> {
    let mut result = String::new();
    for piece in expression::pieces(text)? {
        match piece {
            TemplatePart::Text(plain) => result.push_str(&plain),
            TemplatePart::Expression(range) => {
                let expression = &text[range];
                let written = display(&scope.evaluate(expression, meter)?);
                let size = Size {
                    bytes: written.len(),
                    items: 0,
                };
                meter.add(size).map_err(|wrong| wrong.within(expression))?;
                result.push_str(&written);
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests;
