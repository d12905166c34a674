//! A dialect: the tools of one catalogue under the names their clients know, and the agent tools beside them.

use std::sync::Arc;
use std::time::Duration;

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
use crate::device::DeviceInfo;
use crate::tools::registry::entries;
use crate::tools::{
    self, Call, Catalogue, Entry, Failure, FailureKind, Outcome, Progress, Reading, Verdict,
    semantic,
};

/// How long a list of tools waits for the device it depends on.
const OPEN_LIMIT: Duration = Duration::from_secs(5);

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
        let opened = match self.desk.connection.opened().await {
            Ok(opened) => opened,
            Err(error) => return entry.ended_by(error.into()),
        };
        let session = &opened.session;
        let before = session.last_screen();
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
        if failure_of(&outcome).is_some_and(|failure| failure.kind == FailureKind::Infrastructure) {
            self.desk.connection.forget(session).await;
        }
        outcome
    }

    /// What a call of the tool with this name comes to; `None` where there is no such tool.
    pub(super) async fn outcome(
        &self,
        name: &str,
        args: Value,
        progress: &Progress,
    ) -> Option<Result<Outcome, Failure>> {
        let is_it = |own: &str, entry: &Entry| own == name || entry.aliases.contains(&name);
        if let Some((_, entry)) = self.tools.iter().find(|(own, entry)| is_it(own, entry)) {
            return Some(self.call_entry(entry, args, progress).await);
        }
        let entry = self.agent_tools.iter().find(|entry| entry.name == name)?;
        Some(entry.call(&self.desk, args, progress).await)
    }

    /// The device, opened only where a tool depends on what it can do; nothing where that fails or takes long.
    async fn device_where_it_matters(&self) -> Option<DeviceInfo> {
        if self.tools.iter().all(|(_, entry)| entry.needs.is_none()) {
            return None;
        }
        let opened = tokio::time::timeout(OPEN_LIMIT, self.desk.connection.opened()).await;
        Some(opened.ok()?.ok()?.session.device().info().clone())
    }

    pub(super) fn all_resources(&self) -> Vec<tools::Resource> {
        let mut resources = Vec::new();
        if self.options.dialect == Dialect::Semantic {
            resources.extend(semantic::resources());
        }
        if !self.options.no_agent_tools {
            resources.extend(agent::resources(&self.desk));
        }
        resources
    }

    pub(super) async fn contents(&self, uri: &str) -> Reading {
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

/// What went wrong, told as an error or as an answer.
fn failure_of(outcome: &Result<Outcome, Failure>) -> Option<&Failure> {
    match outcome {
        Err(failure)
        | Ok(Outcome {
            verdict: Verdict::Failed(failure),
            ..
        }) => Some(failure),
        Ok(_) => None,
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

    async fn tools(&self) -> Vec<Tool> {
        let device = self.device_where_it_matters().await;
        let available = |entry: &Entry| {
            entry
                .needs
                .is_none_or(|need| device.as_ref().is_some_and(|device| need.is_of(device)))
        };
        let listed = self.tools.iter().filter(|(_, entry)| available(entry));
        let own = listed.map(|(name, entry)| {
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
        let args = Value::Object(arguments);
        match self.outcome(name, args, &Progress::default()).await {
            Some(Ok(outcome)) => Ok(result::of_outcome(outcome)),
            Some(Err(failure)) => Ok(result::of_failure(failure)),
            None => Err(ErrorData::invalid_params(
                format!("no tool `{name}`; tools/list names them"),
                None,
            )),
        }
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
