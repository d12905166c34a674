//! Translates tools, resources and prompts into entries of the protocol's lists.

use std::sync::Arc;

use rmcp::model::{
    JsonObject, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations,
};
use serde_json::json;

use super::schema;
use super::served_tools::ServedTool;
use runner_tools::Effect;

/// Describes a tool for `tools/list`, with its title, simplified schema and annotations. The description is its summary
/// and, on the next lines, its help. The title is made of the name without the prefix. Only a tool that returns a list
/// has an output schema.
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
        Arc::new(schema::simplified(&|generator| listed.schema(generator))),
    )
    .with_title(title)
    .with_annotations(annotations(listed.effect));
    if listed.lists() {
        tool.with_raw_output_schema(Arc::new(list()))
    } else {
        tool
    }
}

/// Returns the output schema of a list. A result is an object in most revisions of the protocol, so the list
/// is its `result`; many clients know the mark `x-fastmcp-wrap-result` and unwrap it.
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

/// Returns the annotations of a tool with this effect. Tools that read are read-only and of a closed world; those that
/// act are not destructive; those that set are besides idempotent and of a closed world; those that destroy are
/// destructive. Every agent reads all of them, so the others are left out. Tools that act keep the default of an open
/// world, as an app may reach anything.
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

/// Formats a name for people: `press_back` → `Press back`, `startScreenRecording` → `Start screen recording`. Every
/// capital and every `_` begins a word, and only the first word has a capital. Empty stays empty.
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

pub(super) fn resource(resource: &runner_tools::Resource) -> Resource {
    Resource::new(resource.uri.clone(), resource.name.clone())
        .with_description(resource.description.clone())
        .with_mime_type(resource.media_type)
}

pub(super) fn template(resource: &runner_tools::Resource) -> ResourceTemplate {
    ResourceTemplate::new(resource.uri.clone(), resource.name.clone())
        .with_description(resource.description.clone())
        .with_mime_type(resource.media_type)
}

/// Describes a prompt for `prompts/list`, with its arguments in their order.
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
