//! The table of all tools: each is named here once.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::arguments::{Arguments, ClientArguments};
use super::schemas::{MakeSchema, inline_schema};
use super::{
    Call, Capability, Effect, Failure, ForClients, Outcome, StepSyntax, StepValue, Tool, android,
    everyday, mobile_agent, scenario, semantic,
};
use runner_engine::Session;

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Catalogue {
    /// The everyday steps of the flow language.
    Everyday,
    /// Catalogue A: the Android tools (`android_…` over MCP, without prefix as steps).
    Android,
    /// Catalogue B: the mobile-agent tools (`mobile_agent.…` as steps).
    MobileAgent,
    /// Catalogue C: the semantic-UI tools (`semantic.…` as steps).
    Semantic,
    /// Catalogue D: the scenario tools (`scenario.…` as steps).
    Scenario,
}

/// The future of a call.
pub type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Outcome, Failure>> + Send + 'a>>;

/// One line of the table.
#[derive(Clone)]
pub struct Entry {
    /// Name as a step.
    pub name: &'static str,
    /// Where it comes from.
    pub catalogue: Catalogue,
    /// One line of what it does.
    pub summary: &'static str,
    /// An item of a flow's `steps:` with it; may be empty.
    pub example: &'static str,
    /// What `as` keeps. Documented for everyday steps only: the others keep what they answer over MCP.
    pub keeps: StepValue,
    /// Whether it acts on an app: that of its argument `app`, else the flow's.
    pub needs_app: bool,
    /// How it is written.
    pub writing: StepSyntax,
    /// Whether it may stand as a bare word.
    pub value_optional: bool,
    /// What it does to the device.
    pub effect: Effect,
    /// Further lines for agents: what the result means, what to do next. May be empty.
    pub help: &'static str,
    /// Further names over MCP that reach it and are not listed.
    pub aliases: &'static [&'static str],
    /// Whether its result is always a list.
    pub lists: bool,
    /// What it needs of a device.
    pub needs: Option<Capability>,
    for_clients: ForClients,
    schema: MakeSchema,
    check_first: fn(&Arguments) -> Result<(), Failure>,
    check: fn(&Arguments) -> Result<(), Failure>,
    call: for<'a> fn(&'a Session, Arguments, &'a Call) -> CallFuture<'a>,
    answer: fn(Failure) -> Result<Outcome, Failure>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Entry {
    /// The entry of a tool.
    pub const fn of<T: Tool>(catalogue: Catalogue) -> Self {
        Self {
            name: T::NAME,
            catalogue,
            summary: T::SUMMARY,
            example: T::EXAMPLE,
            keeps: T::KEEPS,
            needs_app: T::NEEDS_APP,
            writing: T::WRITING,
            value_optional: T::VALUE_OPTIONAL,
            effect: T::EFFECT,
            help: T::HELP,
            aliases: T::ALIASES,
            lists: T::LISTS,
            needs: T::NEEDS,
            for_clients: T::FOR_CLIENTS,
            schema: |generator| generator.subschema_for::<T::Args>(),
            check_first: T::check,
            check: |args| read::<T>(args).map(drop),
            call: |session, args, call| Box::pin(call_tool::<T>(session, args, call)),
            answer: Err,
        }
    }

    /// Of a catalogue whose tools answer where others fail: turns a failure into that answer.
    pub(crate) const fn answering(
        mut self,
        answer: fn(Failure) -> Result<Outcome, Failure>,
    ) -> Self {
        self.answer = answer;
        self
    }

    /// The JSON Schema of the arguments; definitions go into `generator`.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// As [`Self::schema`] for a client: with what it must give and the defaults that it gets. For a generator that
    /// writes schemas in line.
    pub fn client_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = self.schema(generator);
        let ForClients {
            required,
            defaults,
            choices,
        } = self.for_clients;
        for name in required {
            let list = schema.ensure_object().entry("required");
            if let Some(list) = list
                .or_insert_with(|| Value::Array(Vec::new()))
                .as_array_mut()
            {
                list.push((*name).into());
            }
        }
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            if let Some((_, value)) = defaults.iter().find(|(named, _)| named == name) {
                property["default"] = (*value).into();
            }
            if let Some((_, words)) = choices.iter().find(|(named, _)| named == name) {
                property["enum"] = words.iter().copied().collect();
            }
        }
        schema
    }

    /// The arguments of a flow, or of this program.
    ///
    /// # Errors
    /// They are no object.
    pub fn arguments(&self, args: Value) -> Result<Arguments, Failure> {
        Arguments::new(self.name, self.catalogue.into(), args)
    }

    /// The arguments of a client.
    ///
    /// # Errors
    /// They are no object.
    pub fn client_arguments(&self, args: Value) -> Result<ClientArguments, Failure> {
        let schema = inline_schema(self.schema);
        Arguments::of_client(self.name, self.catalogue.into(), &schema, args)
    }

    /// The arguments of a client, with the defaults that it gets.
    ///
    /// # Errors
    /// The failure that a call would begin with, and an argument that a client must give.
    pub fn with_client_defaults(&self, mut args: Arguments) -> Result<Arguments, Failure> {
        let ForClients {
            required, defaults, ..
        } = self.for_clients;
        if required.is_empty() && defaults.is_empty() {
            return Ok(args);
        }
        (self.check_first)(&args)?;
        for name in required {
            args.required(name)?;
        }
        for (name, value) in defaults {
            if args.get(name).is_none() {
                args.insert(name, (*value).into());
            }
        }
        Ok(args)
    }

    /// Checks arguments as a call would, beyond what the schema says, without calling anything.
    ///
    /// # Errors
    /// The failure that the call would begin with.
    pub fn check(&self, args: &Arguments) -> Result<(), Failure> {
        (self.check)(args)
    }

    /// Calls the tool with arguments that the schema allows.
    pub fn call<'a>(
        &self,
        session: &'a Session,
        args: Arguments,
        call: &'a Call,
    ) -> CallFuture<'a> {
        let calling = (self.call)(session, args, call);
        let answer = self.answer;
        Box::pin(async move { calling.await.or_else(answer) })
    }

    /// What a call comes to that `failure` ended, or kept from being made.
    ///
    /// # Errors
    /// The failure, where the catalogue has no answer for it.
    pub fn ended_by(&self, failure: Failure) -> Result<Outcome, Failure> {
        (self.answer)(failure)
    }
}

async fn call_tool<T: Tool>(
    session: &Session,
    args: Arguments,
    call: &Call,
) -> Result<Outcome, Failure> {
    T::call(session, read::<T>(&args)?, call).await
}

fn read<T: Tool>(args: &Arguments) -> Result<T::Args, Failure> {
    T::check(args)?;
    args.read()
}

/// All entries, in the order of the docs. A new tool is one line in its catalogue's list.
pub fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        [
            everyday::entries(),
            android::entries(),
            mobile_agent::entries(),
            semantic::entries(),
            scenario::entries(),
        ]
        .concat()
    })
}

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().iter().find(|entry| entry.name == name)
}
