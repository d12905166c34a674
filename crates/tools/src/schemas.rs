//! Schemas of arguments without references, each made once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// What makes the schema of a tool's arguments.
pub type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// The schema that `make` makes, with each definition written in its place. It is kept: calls ask for it again and again.
pub fn inline_schema(make: MakeSchema) -> Arc<Value> {
    static MADE: OnceLock<Mutex<HashMap<usize, Arc<Value>>>> = OnceLock::new();
    let made = MADE.get_or_init(Mutex::default);
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    let schema = made.entry(make as usize).or_insert_with(|| {
        let mut settings = SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        Arc::new(make(&mut settings.into_generator()).to_value())
    });
    Arc::clone(schema)
}
