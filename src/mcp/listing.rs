//! How a tool is listed: name, title, description, schema and hints.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::tools::Effect;

/// What is listed of a tool, whatever kind of entry it comes from.
pub(super) struct Listed<'a> {
    /// Name over MCP.
    pub name: String,
    /// One line of what it does.
    pub summary: &'a str,
    /// Further lines; may be empty.
    pub help: &'a str,
    /// What it does.
    pub effect: Effect,
    /// The arguments.
    pub schema: &'a dyn Fn(&mut SchemaGenerator) -> Schema,
}

/// The tool as clients see it.
pub(super) fn tool(listed: &Listed<'_>) -> Tool {
    let description = if listed.help.is_empty() {
        listed.summary.to_owned()
    } else {
        format!("{}\n{}", listed.summary, listed.help)
    };
    let title = title(&listed.name);
    Tool::new(
        listed.name.clone(),
        description,
        Arc::new(input_schema(listed.schema)),
    )
    .with_title(title.clone())
    .with_annotations(annotations(listed.effect).with_title_of(title))
}

trait WithTitle {
    fn with_title_of(self, title: String) -> Self;
}

impl WithTitle for ToolAnnotations {
    fn with_title_of(mut self, title: String) -> Self {
        self.title = Some(title);
        self
    }
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Reads => annotations.read_only(true).idempotent(true),
        Effect::Acts => annotations.read_only(false).destructive(false),
        Effect::Sets => annotations
            .read_only(false)
            .destructive(false)
            .idempotent(true),
        Effect::Destroys => annotations.read_only(false).destructive(true),
    }
}

/// The schema with its definitions inside, as clients read it best.
fn input_schema(schema: &dyn Fn(&mut SchemaGenerator) -> Schema) -> JsonObject {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    match schema(&mut generator).to_value() {
        Value::Object(map) => map,
        _ => json!({ "type": "object" })
            .as_object()
            .cloned()
            .unwrap_or_default(),
    }
}

/// `android_press_back` → `Press back`, `startScreenRecording` → `Start screen recording`.
fn title(name: &str) -> String {
    let mut title = String::new();
    for character in name.chars() {
        match character {
            '_' => title.push(' '),
            upper if upper.is_uppercase() => {
                title.push(' ');
                title.extend(upper.to_lowercase());
            }
            other => title.push(other),
        }
    }
    let mut characters = title.trim().chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
