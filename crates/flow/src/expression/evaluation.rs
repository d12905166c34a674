//! State of an evaluation, and the names that it knows.

use std::collections::HashMap;

use minijinja::{State, Value};

use super::generator::Generator;
use super::limits::Budget;

/// Lookup of names.
pub(crate) trait Lookup {
    /// Returns the value at a path such as `["total", "bounds", "left"]`; `None` if there is none.
    fn value(&self, path: &[&str]) -> Option<Value>;

    /// Returns the source of random data; `None` outside of a run.
    fn generator(&self) -> Option<&Generator> {
        None
    }
}

pub(super) struct Evaluation<'a> {
    pub(super) known: &'a dyn Lookup,
    pub(super) meter: &'a Budget,
    pub(super) state: State<'static, 'static>,
    /// Nesting of filters that apply filters, such as `map`.
    pub(super) filter_depth: usize,
    /// Cache of looked up names: a result of a step may be large, and is copied once however often it is
    /// named.
    pub(super) cache: HashMap<String, Option<Value>>,
}
