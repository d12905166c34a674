//! What a filter, test or function is given.

use std::collections::BTreeMap;

use minijinja::Value;
use minijinja::value::Kwargs;

use super::EvalError;
use super::compare;
use super::limits::ITEMS;

/// Longest text that says which parts of items a filter looks at.
const LONGEST_PATH: usize = 200;

/// Arguments, the value before the `|` first.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments {
    pub(super) values: Vec<Value>,
    pub(super) named: BTreeMap<String, Value>,
}

impl Arguments {
    pub(super) fn new(values: Vec<Value>) -> Self {
        Self {
            values,
            named: BTreeMap::new(),
        }
    }

    /// Refuses more of them than a value may have items.
    pub(super) fn check(&self) -> Result<(), EvalError> {
        if self.values.len() + self.named.len() > ITEMS {
            return Err(EvalError::new("too many arguments"));
        }
        Ok(())
    }

    /// The value a filter is applied to.
    pub(super) fn subject(&self) -> Result<&Value, EvalError> {
        self.values
            .first()
            .ok_or_else(|| EvalError::new("a value is missing before `|`"))
    }

    /// An argument by its place, the first after the value being 1, or else by its name.
    pub(super) fn take(&mut self, place: usize, name: &str) -> Option<Value> {
        let named = self.named.remove(name);
        let value = self.values.get(place).cloned().or(named);
        value.filter(|value| !value.is_none())
    }

    /// As [`Self::take`], for what cannot be left out.
    pub(super) fn need(&mut self, place: usize, name: &str) -> Result<Value, EvalError> {
        self.take(place, name)
            .ok_or_else(|| EvalError::new(format!("the argument `{name}` is missing")))
    }

    /// A whole number from 0.
    pub(super) fn number(&mut self, place: usize, name: &str) -> Result<Option<usize>, EvalError> {
        self.take(place, name)
            .map(|value| {
                value.as_usize().ok_or_else(|| {
                    EvalError::new(format!("`{name}` must be a whole number from 0"))
                })
            })
            .transpose()
    }

    /// True or false; false where it is left out.
    pub(super) fn flag(&mut self, place: usize, name: &str) -> Result<bool, EvalError> {
        self.take(place, name).map_or(Ok(false), |value| {
            compare::truth(&value)
                .map_err(|_| EvalError::new(format!("`{name}` must be true or false")))
        })
    }

    /// A path such as `bounds.left`, by which filters look into items.
    pub(super) fn path(&mut self, place: usize, name: &str) -> Result<Option<String>, EvalError> {
        let Some(value) = self.take(place, name) else {
            return Ok(None);
        };
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        if text.len() > LONGEST_PATH {
            return Err(EvalError::new(format!(
                "`{name}` is longer than {LONGEST_PATH} characters"
            )));
        }
        Ok(Some(text))
    }

    /// Refuses what was given beside what was taken: more than `most` by place, or unknown names.
    pub(super) fn finish(&self, most: usize) -> Result<(), EvalError> {
        if self.values.len() > most {
            return Err(EvalError::new("too many arguments"));
        }
        match self.named.keys().next() {
            Some(name) if name.len() <= LONGEST_PATH => {
                Err(EvalError::new(format!("there is no argument `{name}`")))
            }
            Some(_) => Err(EvalError::new("there is no such argument")),
            None => Ok(()),
        }
    }

    /// As minijinja's filters take them.
    pub(super) fn for_minijinja(self) -> Vec<Value> {
        let mut values = self.values;
        if !self.named.is_empty() {
            values.push(self.named.into_iter().collect::<Kwargs>().into());
        }
        values
    }

    /// Whether a text says more about parts of items than a filter may look at.
    pub(super) fn has_long_path(&self) -> bool {
        let given = self.values.iter().skip(1).chain(self.named.values());
        given
            .filter_map(Value::as_str)
            .any(|text| text.len() > LONGEST_PATH)
    }
}
