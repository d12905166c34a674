//! How tools, resources and prompts are listed.

use std::sync::Arc;

use rmcp::model::{
    JsonObject, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations,
};
use serde_json::json;

use super::schema;
use super::served::ServedTool;
use runner_tools::Effect;

/// The tool as clients see it.
pub(super) fn tool(listed: &ServedTool) -> Tool {
    let description = if listed.help.is_empty() {
        listed.summary.to_owned()
    } else {
        format!("{}\n{}", listed.summary, listed.help)
    };
    let title = title(
        listed
            .name
            .strip_prefix(&listed.prefix)
            .unwrap_or(&listed.name),
    );
    let tool = Tool::new(
        listed.name.clone(),
        description,
        Arc::new(schema::of_arguments(&|generator| listed.schema(generator))),
    )
    .with_title(title)
    .with_annotations(annotations(listed.effect));
    if listed.lists() {
        tool.with_raw_output_schema(Arc::new(list()))
    } else {
        tool
    }
}

/// The schema of a result that is a list. A result is an object in most revisions of the protocol; many clients know
/// this mark and unwrap it.
fn list() -> JsonObject {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert(
        "properties".to_owned(),
        json!({ "result": { "type": "array" } }),
    );
    schema.insert("required".to_owned(), json!(["result"]));
    schema.insert("x-fastmcp-wrap-result".to_owned(), json!(true));
    schema
}

/// What a tool does, in few words, for every agent reads all of them: what a client assumes of itself is left out. That is
/// that a tool acts, and that it may reach the whole world, as an app may. What reads or sets stays on the device.
fn annotations(effect: Effect) -> ToolAnnotations {
    let annotations = ToolAnnotations::new();
    match effect {
        Effect::Reads => annotations.read_only(true).open_world(false),
        Effect::Acts => annotations.destructive(false),
        Effect::Sets => annotations
            .destructive(false)
            .idempotent(true)
            .open_world(false),
        Effect::Destroys => annotations.destructive(true),
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
pub(super) fn resource(resource: &runner_tools::Resource) -> Resource {
    Resource::new(resource.uri.clone(), resource.name.clone())
        .with_description(resource.description.clone())
        .with_mime_type(resource.media_type)
}

/// A pattern of resources as clients see it.
pub(super) fn template(resource: &runner_tools::Resource) -> ResourceTemplate {
    ResourceTemplate::new(resource.uri.clone(), resource.name.clone())
        .with_description(resource.description.clone())
        .with_mime_type(resource.media_type)
}

/// A prompt as clients see it.
pub(super) fn prompt(prompt: &runner_agent::Prompt) -> Prompt {
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
