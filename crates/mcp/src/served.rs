//! A tool as a dialect serves it. A dialect has one list of them, whatever the code of a tool is.

use std::time::Duration;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::DialectOptions;
use super::lean::{self, LeanTool};
use super::result::Origin;
use runner_agent::AgentEntry;
use runner_device::DeviceInfo;
use runner_tools::registry::entries;
use runner_tools::{Capability, Effect, Entry};

/// What the names of our own tools begin with.
const OWN_PREFIX: &str = "runner_";

/// One tool of a dialect.
#[derive(Debug)]
pub(super) struct ServedTool {
    /// Name over MCP.
    pub name: String,
    /// What the name begins with only so that it is not another server's.
    pub prefix: String,
    /// One line of what it does.
    pub summary: &'static str,
    /// Further lines; may be empty.
    pub help: &'static str,
    /// What it does.
    pub effect: Effect,
    /// How it is called.
    pub code: ToolCode,
}

/// How a tool is called.
#[derive(Debug)]
pub(super) enum ToolCode {
    /// A tool of the registry, which is a step too.
    Registry(&'static Entry),
    /// A call that comes down to one of the registry.
    Lean(LeanTool),
    /// A tool on the project.
    Agent(AgentEntry),
}

impl ServedTool {
    /// The tools that a dialect serves, in the order in which they are listed.
    pub fn all(options: &DialectOptions) -> Vec<Self> {
        let own = of_catalogue(options)
            .filter(|_| !options.is_lean())
            .filter(|tool| options.part.holds(&tool.name));
        let lean = lean::tools()
            .into_iter()
            .filter(|_| options.is_lean())
            .map(|tool| Self {
                name: tool.name.to_owned(),
                prefix: OWN_PREFIX.to_owned(),
                summary: tool.summary,
                help: "",
                effect: tool.effect(),
                code: ToolCode::Lean(tool),
            });
        let agent = agent_tools().filter(|tool| options.has_agent_tool(&tool.name));
        own.chain(lean).chain(agent).collect()
    }

    /// Whether a call of this name is one of this tool.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name
            || matches!(&self.code, ToolCode::Registry(entry) if entry.aliases.contains(&name))
    }

    /// The JSON Schema of the arguments.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        match &self.code {
            ToolCode::Registry(entry) => entry.client_schema(generator),
            ToolCode::Lean(tool) => tool.schema(generator),
            ToolCode::Agent(entry) => entry.schema(generator),
        }
    }

    /// Whether its result is always a list.
    pub fn lists(&self) -> bool {
        matches!(&self.code, ToolCode::Registry(entry) if entry.lists)
    }

    /// What it needs of a device.
    pub fn needs(&self) -> Option<Capability> {
        match &self.code {
            ToolCode::Registry(entry) => entry.needs,
            ToolCode::Lean(_) | ToolCode::Agent(_) => None,
        }
    }

    /// Whether it works on this device; on an unknown one only what needs nothing of it does.
    pub fn is_available(&self, device: Option<&DeviceInfo>) -> bool {
        self.needs()
            .is_none_or(|need| device.is_some_and(|device| need.is_of(device)))
    }

    /// How long a call looks and waits at most, where that is known beforehand: a run takes as long as its flow.
    pub fn limit(&self, args: &Value, usual: Duration) -> Option<Duration> {
        let requested = args.get("timeout").and_then(Value::as_u64);
        match &self.code {
            ToolCode::Registry(_) => Some(requested.map_or(usual, Duration::from_millis)),
            ToolCode::Lean(_) => Some(requested.map_or(usual, Duration::from_secs)),
            ToolCode::Agent(_) => None,
        }
    }

    /// Whose words its result has.
    pub fn origin(&self) -> Origin {
        match &self.code {
            ToolCode::Registry(entry) => Origin::Dialect { lists: entry.lists },
            ToolCode::Lean(_) | ToolCode::Agent(_) => Origin::Agent,
        }
    }
}

/// The tools of the dialect's catalogue.
pub(super) fn of_catalogue(options: &DialectOptions) -> impl Iterator<Item = ServedTool> {
    let catalogue = options.dialect.catalogue();
    let own = entries()
        .iter()
        .filter(move |entry| entry.catalogue == catalogue);
    own.map(|entry| ServedTool {
        name: options.name(entry),
        prefix: options.prefix(),
        summary: entry.summary,
        help: entry.help,
        effect: entry.effect,
        code: ToolCode::Registry(entry),
    })
}

/// The tools on the project.
pub(super) fn agent_tools() -> impl Iterator<Item = ServedTool> {
    let entries = runner_agent::entries().into_iter();
    entries.map(|entry| ServedTool {
        name: entry.name.to_owned(),
        prefix: OWN_PREFIX.to_owned(),
        summary: entry.summary,
        help: entry.help,
        effect: entry.effect,
        code: ToolCode::Agent(entry),
    })
}
