//! A dialect: the tools of one catalogue under the names their clients know, and the agent tools beside them.

use std::sync::Arc;

use async_trait::async_trait;
use rmcp::model::{
    CallToolResult, GetPromptRequestParams, GetPromptResult, JsonObject, Prompt, PromptArgument,
    PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::listing::{self, Listed};
use super::{Toolbox, result};
use crate::agent::record::Taken;
use crate::agent::{self, AgentEntry, Desk};
use crate::tools::registry::entries;
use crate::tools::{
    self, Call, Catalogue, Entry, Failure, FailureKind, Outcome, Progress, Reading, semantic,
};

/// Which catalogue a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Dialect {
    /// The Android tools: `android_tap`, …
    #[default]
    Android,
    /// The mobile-agent tools: `tap`, `click_control`, …
    MobileAgent,
    /// The semantic-UI tools: `click`, `toggle`, …
    Semantic,
    /// The scenario tools: `tap`, `verifyElementVisible`, …
    Scenario,
}

impl Dialect {
    fn catalogue(self) -> Catalogue {
        match self {
            Self::Android => Catalogue::Android,
            Self::MobileAgent => Catalogue::MobileAgent,
            Self::Semantic => Catalogue::Semantic,
            Self::Scenario => Catalogue::Scenario,
        }
    }
}

/// What a server offers.
#[derive(Debug, Clone, Default)]
pub struct DialectOptions {
    /// Which catalogue.
    pub dialect: Dialect,
    /// Name of the device within the Android tools' names.
    pub slug: Option<String>,
    /// Whether the agent tools are left out.
    pub no_agent_tools: bool,
}

/// The tools of one dialect on one device.
#[derive(Debug)]
pub struct DialectToolbox {
    desk: Arc<Desk>,
    options: DialectOptions,
    tools: Vec<(String, &'static Entry)>,
    agent_tools: Vec<AgentEntry>,
}

impl DialectToolbox {
    /// The tools that `options` names, at this desk.
    pub fn new(desk: Arc<Desk>, options: DialectOptions) -> Self {
        let tools = entries()
            .iter()
            .filter(|entry| entry.catalogue == options.dialect.catalogue())
            .map(|entry| (name(entry, options.slug.as_deref()), entry))
            .collect();
        let agent_tools = if options.no_agent_tools {
            Vec::new()
        } else {
            agent::entries()
        };
        Self {
            desk,
            options,
            tools,
            agent_tools,
        }
    }

    fn around_call(&self, progress: &Progress) -> Call {
        Call {
            timeout: self.desk.config.step_timeout.value,
            app: None,
            root: self.desk.config.root.clone(),
            artifacts: self.desk.config.artifacts.value.clone(),
            allow_shell: self.desk.config.allow_shell.value,
            progress: progress.clone(),
        }
    }

    async fn call_entry(
        &self,
        entry: &'static Entry,
        args: Value,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let opened = self.desk.connection.opened().await?;
        let session = &opened.session;
        let before = self.desk.recorder.before(entry, session).await;
        let outcome = entry
            .call(session, args.clone(), &self.around_call(progress))
            .await;
        self.desk.recorder.note(&Taken {
            entry,
            args: &args,
            before,
            after: session.last_screen(),
            outcome: &outcome,
        });
        if let Err(failure) = &outcome
            && failure.kind == FailureKind::Infrastructure
        {
            self.desk.connection.forget(session).await;
        }
        outcome
    }

    fn all_resources(&self) -> Vec<tools::Resource> {
        let mut resources = Vec::new();
        if self.options.dialect == Dialect::Semantic {
            resources.extend(semantic::resources());
        }
        if !self.options.no_agent_tools {
            resources.extend(agent::resources(&self.desk));
        }
        resources
    }

    async fn contents(&self, uri: &str) -> Reading {
        if self.options.dialect == Dialect::Semantic {
            let opened = self.desk.connection.opened().await?;
            if let Some(contents) = semantic::read(&opened.session, uri).await? {
                return Ok(Some(contents));
            }
        }
        if self.options.no_agent_tools {
            return Ok(None);
        }
        agent::read(&self.desk, uri).await
    }
}

/// What a tool is called in its dialect.
fn name(entry: &Entry, slug: Option<&str>) -> String {
    match (entry.catalogue, slug) {
        (Catalogue::Android, Some(slug)) => format!("android_{slug}_{}", entry.name),
        (Catalogue::Android, None) => format!("android_{}", entry.name),
        _ => entry
            .name
            .rsplit_once('.')
            .map_or(entry.name, |(_, name)| name)
            .to_owned(),
    }
}

#[async_trait]
impl Toolbox for DialectToolbox {
    fn instructions(&self) -> String {
        format!(
            "Drives one Android device in the dialect {:?}.",
            self.options.dialect
        )
    }

    fn tools(&self) -> Vec<Tool> {
        let own = self.tools.iter().map(|(name, entry)| {
            listing::tool(&Listed {
                name: name.clone(),
                summary: entry.summary,
                help: entry.help,
                effect: entry.effect,
                schema: &|generator| entry.schema(generator),
            })
        });
        let agent = self.agent_tools.iter().map(|entry| {
            listing::tool(&Listed {
                name: entry.name.to_owned(),
                summary: entry.summary,
                help: entry.help,
                effect: entry.effect,
                schema: &|generator| entry.schema(generator),
            })
        });
        own.chain(agent).collect()
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let progress = Progress::default();
        let args = Value::Object(arguments);
        let outcome = if let Some((_, entry)) = self.tools.iter().find(|(own, _)| own == name) {
            self.call_entry(entry, args, &progress).await
        } else if let Some(entry) = self.agent_tools.iter().find(|entry| entry.name == name) {
            entry.call(&self.desk, args, &progress).await
        } else {
            return Err(ErrorData::invalid_params(
                format!("no tool `{name}`; tools/list names them"),
                None,
            ));
        };
        Ok(match outcome {
            Ok(outcome) => result::of_outcome(outcome),
            Err(failure) => result::of_failure(failure),
        })
    }

    fn resources(&self) -> Vec<Resource> {
        listed(self.all_resources(), false)
            .map(|resource| {
                Resource::new(resource.uri, resource.name)
                    .with_description(resource.description)
                    .with_mime_type(resource.media_type)
            })
            .collect()
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        listed(self.all_resources(), true)
            .map(|resource| {
                ResourceTemplate::new(resource.uri, resource.name)
                    .with_description(resource.description)
                    .with_mime_type(resource.media_type)
            })
            .collect()
    }

    async fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        match self.contents(uri).await {
            Ok(Some(contents)) => Ok(ReadResourceResult::new(vec![
                ResourceContents::text(contents.text, uri).with_mime_type(contents.media_type),
            ])),
            Ok(None) => Err(ErrorData::resource_not_found(
                format!("no resource `{uri}`; resources/list names them"),
                None,
            )),
            Err(failure) => Err(ErrorData::internal_error(failure.message, None)),
        }
    }

    fn prompts(&self) -> Vec<Prompt> {
        if self.options.no_agent_tools {
            return Vec::new();
        }
        agent::prompts()
            .iter()
            .map(|prompt| {
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
            })
            .collect()
    }

    async fn prompt(&self, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
        let arguments = request
            .arguments
            .unwrap_or_default()
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => (name, text),
                other => (name, other.to_string()),
            })
            .collect();
        match agent::fill(&request.name, &arguments) {
            Ok(Some(text)) => Ok(GetPromptResult::new(vec![PromptMessage::new_text(
                Role::User,
                text,
            )])),
            Ok(None) => Err(ErrorData::invalid_params(
                format!("no prompt `{}`; prompts/list names them", request.name),
                None,
            )),
            Err(failure) => Err(ErrorData::invalid_params(failure.message, None)),
        }
    }
}

fn listed(
    resources: Vec<tools::Resource>,
    template: bool,
) -> impl Iterator<Item = tools::Resource> {
    resources
        .into_iter()
        .filter(move |resource| resource.template == template)
}
