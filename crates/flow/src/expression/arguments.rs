//! Arguments of filters, tests and functions.

use std::collections::BTreeMap;

use minijinja::Value;
use minijinja::value::Kwargs;

use super::EvalError;
use super::compare;
use super::limits::MAX_ITEMS;

/// Maximum bytes of an argument that is a path into items, such as `bounds.left`. Chosen: minijinja's filters
/// walk it for each item.
const MAX_PATH_BYTES: usize = 200;

/// Arguments of a call. Of a filter the first value is the one before the `|`.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments {
    pub(super) values: Vec<Value>,
    pub(super) named: BTreeMap<String, Value>,
}

impl Arguments {
    /// Creates positional arguments, with the subject first if there is one, and no named ones.
    pub(super) fn new(values: Vec<Value>) -> Self {
        Self {
            values,
            named: BTreeMap::new(),
        }
    }

    /// Refuses more than [`MAX_ITEMS`] arguments, the subject and named ones included.
    pub(super) fn check(&self) -> Result<(), EvalError> {
        if self.values.len() + self.named.len() > MAX_ITEMS {
            return Err(EvalError::new("too many arguments"));
        }
        Ok(())
    }

    /// Returns the value that a filter is applied to.
    pub(super) fn subject(&self) -> Result<&Value, EvalError> {
        self.values
            .first()
            .ok_or_else(|| EvalError::new("a value is missing before `|`"))
    }

    /// Takes an argument by its position (1 is the first after the subject) or else by its name. `none`
    /// counts as missing. A named argument is removed even if the position wins.
    pub(super) fn take(&mut self, place: usize, name: &str) -> Option<Value> {
        let value = self.take_given(place, name);
        value.filter(|value| !value.is_none())
    }

    /// Takes an argument as [`Self::take`] does, but `none` is a value.
    pub(super) fn take_given(&mut self, place: usize, name: &str) -> Option<Value> {
        let named = self.named.remove(name);
        self.values.get(place).cloned().or(named)
    }

    /// Takes an argument that is required.
    pub(super) fn need(&mut self, place: usize, name: &str) -> Result<Value, EvalError> {
        self.take(place, name)
            .ok_or_else(|| EvalError::new(format!("the argument `{name}` is missing")))
    }

    /// Takes a whole number from 0 by position or name; `None` if it is missing or `none`. Any other value is
    /// an error.
    pub(super) fn number(&mut self, place: usize, name: &str) -> Result<Option<usize>, EvalError> {
        self.take(place, name)
            .map(|value| {
                value.as_usize().ok_or_else(|| {
                    EvalError::new(format!("`{name}` must be a whole number from 0"))
                })
            })
            .transpose()
    }

    /// Takes a boolean by position or name; false if it is missing or `none`. Any other value is an error.
    pub(super) fn flag(&mut self, place: usize, name: &str) -> Result<bool, EvalError> {
        self.take(place, name).map_or(Ok(false), |value| {
            compare::truth(&value)
                .map_err(|_| EvalError::new(format!("`{name}` must be true or false")))
        })
    }

    /// Takes a path into items, such as `bounds.left`; `None` if it is missing or `none`. A value that is no
    /// text, such as an index, is converted. More than 200 bytes are an error.
    pub(super) fn path(&mut self, place: usize, name: &str) -> Result<Option<String>, EvalError> {
        let Some(value) = self.take(place, name) else {
            return Ok(None);
        };
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        if text.len() > MAX_PATH_BYTES {
            return Err(EvalError::new(format!(
                "`{name}` is longer than {MAX_PATH_BYTES} characters"
            )));
        }
        Ok(Some(text))
    }

    /// Fails if there are more than `max` positional arguments, the subject included, or if a named one was
    /// not taken.
    pub(super) fn finish(&self, max: usize) -> Result<(), EvalError> {
        if self.values.len() > max {
            return Err(EvalError::new("too many arguments"));
        }
        match self.named.keys().next() {
            Some(name) if name.len() <= MAX_PATH_BYTES => {
                Err(EvalError::new(format!("there is no argument `{name}`")))
            }
            Some(_) => Err(EvalError::new("there is no such argument")),
            None => Ok(()),
        }
    }

    /// Converts the arguments to the form that minijinja's filters take: positional ones, the subject first,
    /// and named ones as the last if there are any.
    pub(super) fn for_minijinja(self) -> Vec<Value> {
        let mut values = self.values;
        if !self.named.is_empty() {
            values.push(self.named.into_iter().collect::<Kwargs>().into());
        }
        values
    }

    /// Returns true if a text among the arguments has more than [`MAX_PATH_BYTES`] bytes. The subject does not count.
    pub(super) fn has_long_path(&self) -> bool {
        let given = self.values.iter().skip(1).chain(self.named.values());
        given
            .filter_map(Value::as_str)
            .any(|text| text.len() > MAX_PATH_BYTES)
    }
}
