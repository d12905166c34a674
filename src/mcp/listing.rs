//! How tools, resources and prompts are listed.

use std::sync::Arc;

use rmcp::model::{Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations};
use schemars::{Schema, SchemaGenerator};

use super::schema;
use crate::agent;
use crate::tools::{self, Effect};

/// What is listed of a tool, whatever kind of entry it comes from.
pub(super) struct Listed<'a> {
    /// Name over MCP.
    pub name: &'a str,
    /// What the name begins with only so that it is not another server's.
    pub prefix: &'a str,
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
    let title = title(
        listed
            .name
            .strip_prefix(listed.prefix)
            .unwrap_or(listed.name),
    );
    Tool::new(
        listed.name.to_owned(),
        description,
        Arc::new(schema::of_arguments(listed.schema)),
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

/// `press_back` → `Press back`, `startScreenRecording` → `Start screen recording`.
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

/// A resource as clients see it.
pub(super) fn resource(resource: &tools::Resource) -> Resource {
    Resource::new(resource.uri.clone(), resource.name.clone())
        .with_description(resource.description.clone())
        .with_mime_type(resource.media_type)
}

/// A pattern of resources as clients see it.
pub(super) fn template(resource: &tools::Resource) -> ResourceTemplate {
    ResourceTemplate::new(resource.uri.clone(), resource.name.clone())
        .with_description(resource.description.clone())
        .with_mime_type(resource.media_type)
}

/// A prompt as clients see it.
pub(super) fn prompt(prompt: &agent::Prompt) -> Prompt {
    let arguments = prompt
        .arguments
        .iter()
        .map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.required)
        })
        .collect();
    Prompt::new(prompt.name, Some(prompt.description), Some(arguments))
}
