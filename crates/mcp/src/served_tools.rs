//! Unifies the three kinds of tools that a dialect serves: registry tools, lean tools and agent tools.

use std::time::Duration;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::DialectOptions;
use super::lean::{self, LeanTool};
use super::origin::Origin;
use runner_agent::AgentEntry;
use runner_device::DeviceInfo;
use runner_tools::registry::entries;
use runner_tools::{Capability, Effect, Entry};

/// Prefix of the lean tools' and the agent tools' names.
const OWN_PREFIX: &str = "runner_";

/// Tool as one dialect lists it, whatever code runs behind it.
#[derive(Debug)]
pub(super) struct ServedTool {
    /// Name over MCP, with the dialect's prefix.
    pub name: String,
    /// Part of the name that only tells this server's tools from those of others. Titles leave it out.
    pub prefix: String,
    /// First line of the description.
    pub summary: &'static str,
    /// Further lines of the description; may be empty.
    pub help: &'static str,
    pub effect: Effect,
    pub code: ToolCode,
}

/// Code behind a tool.
#[derive(Debug)]
pub(super) enum ToolCode {
    /// Tool of the registry, which flows know as a step.
    Registry(&'static Entry),
    /// Tool with few arguments that is translated into a call of a registry tool.
    Lean(LeanTool),
    /// Tool that works on the project: its flows, runs and snapshots.
    Agent(AgentEntry),
}

impl ServedTool {
    /// Returns the tools that a dialect serves, in the order of `tools/list`: those of its own that are in the subset,
    /// or the few lean ones in their place if the options ask for them; then the agent tools that the options allow.
    /// Tools that the device is not capable of are among them.
    pub fn all(options: &DialectOptions) -> Vec<Self> {
        let own = catalogue_tools(options)
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
        let agent = agent_tools()
            .filter(|tool| options.has_agent_tool(&tool.name))
            .filter(|tool| options.part.holds_effect(tool.effect));
        own.chain(lean).chain(agent).collect()
    }

    /// Returns true if `name` is the tool's name or one of its aliases.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name
            || matches!(&self.code, ToolCode::Registry(entry) if entry.aliases.contains(&name))
    }

    /// Returns the JSON Schema of the arguments.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        match &self.code {
            ToolCode::Registry(entry) => entry.client_schema(generator),
            ToolCode::Lean(tool) => tool.schema(generator),
            ToolCode::Agent(entry) => entry.schema(generator),
        }
    }

    /// Returns true if the result is always a list, which needs an output schema of its own.
    pub fn lists(&self) -> bool {
        matches!(&self.code, ToolCode::Registry(entry) if entry.lists)
    }

    /// Returns the capability that the device must have for this tool, if any.
    pub fn needs(&self) -> Option<Capability> {
        match &self.code {
            ToolCode::Registry(entry) => entry.needs,
            ToolCode::Lean(_) | ToolCode::Agent(_) => None,
        }
    }

    /// Returns true if the device has the capability that the tool needs. Without a device only tools that
    /// need none are available.
    pub fn is_available(&self, device: Option<&DeviceInfo>) -> bool {
        self.needs()
            .is_none_or(|need| device.is_some_and(|device| need.is_of(device)))
    }

    /// Returns the longest time that a call waits on the device: its `timeout` argument, else `usual`, also if the
    /// argument is no whole number. It is in milliseconds for a dialect's tools, in seconds for lean ones, and is not
    /// capped. `None` for agent tools: a run takes as long as its flow.
    pub fn limit(&self, args: &Value, usual: Duration) -> Option<Duration> {
        let requested = args.get("timeout").and_then(Value::as_u64);
        match &self.code {
            ToolCode::Registry(_) => Some(requested.map_or(usual, Duration::from_millis)),
            ToolCode::Lean(_) => Some(requested.map_or(usual, Duration::from_secs)),
            ToolCode::Agent(_) => None,
        }
    }

    /// Returns the kind of texts in the tool's results, which decides how they are masked and laid out. Lean tools
    /// count as agent tools.
    pub fn origin(&self) -> Origin {
        match &self.code {
            ToolCode::Registry(entry) => Origin::Dialect { lists: entry.lists },
            ToolCode::Lean(_) | ToolCode::Agent(_) => Origin::Agent,
        }
    }
}

/// Returns the registry tools of the dialect's catalogue, whatever subset the options ask for.
pub(super) fn catalogue_tools(options: &DialectOptions) -> impl Iterator<Item = ServedTool> {
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

/// Returns all tools that work on the project, in the order of their registry, whatever the options.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Dialect, ToolSubset};

    #[test]
    fn what_acts_is_served_at_the_second_address_only_and_each_tool_at_one() {
        for dialect in Dialect::ALL {
            let served = |part| {
                ServedTool::all(&DialectOptions {
                    dialect,
                    part,
                    ..DialectOptions::default()
                })
            };
            let names = |part| -> BTreeSet<String> {
                served(part).into_iter().map(|tool| tool.name).collect()
            };
            for tool in served(ToolSubset::Data) {
                assert_eq!(tool.effect, Effect::Reads, "{dialect:?}: {}", tool.name);
            }
            let (data, action) = (names(ToolSubset::Data), names(ToolSubset::Action));
            assert!(data.is_disjoint(&action), "{dialect:?}");
            let both: BTreeSet<String> = data.into_iter().chain(action).collect();
            assert_eq!(both, names(ToolSubset::All), "{dialect:?}");
        }
    }
}
