//! The table of all tools: each is named here once.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::{
    Call, Capability, Effect, Failure, FailureKind, Outcome, Tool, Writing, android, everyday,
    mobile_agent, scenario, semantic,
};
use crate::engine::Session;

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
    /// How it is written.
    pub writing: Writing,
    /// Whether it may stand as a bare word.
    pub bare: bool,
    /// What it does to the device.
    pub effect: Effect,
    /// Further lines for agents: what the result means, what to do next. May be empty.
    pub help: &'static str,
    /// Further names over MCP that reach it and are not listed.
    pub aliases: &'static [&'static str],
    /// What it needs of a device.
    pub needs: Option<Capability>,
    schema: fn(&mut SchemaGenerator) -> Schema,
    check: fn(Value) -> Result<(), Failure>,
    call: for<'a> fn(&'a Session, Value, &'a Call) -> CallFuture<'a>,
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
    pub(crate) const fn of<T: Tool>(catalogue: Catalogue) -> Self {
        Self {
            name: T::NAME,
            catalogue,
            summary: T::SUMMARY,
            writing: T::WRITING,
            bare: T::BARE,
            effect: T::EFFECT,
            help: T::HELP,
            aliases: T::ALIASES,
            needs: T::NEEDS,
            schema: |generator| generator.subschema_for::<T::Args>(),
            check: |args| read_arguments::<T>(args).map(drop),
            call: |session, args, call| Box::pin(call_tool::<T>(session, args, call)),
            answer: Err,
        }
    }

    /// Of a catalogue whose tools answer where others fail: what a failure is told as.
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

    /// Checks arguments as a call would, beyond what the schema says, without calling anything.
    ///
    /// # Errors
    /// The failure that the call would begin with.
    pub fn check(&self, args: Value) -> Result<(), Failure> {
        (self.check)(args)
    }

    /// Calls the tool with arguments that the schema allows.
    pub fn call<'a>(&self, session: &'a Session, args: Value, call: &'a Call) -> CallFuture<'a> {
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
    args: Value,
    call: &Call,
) -> Result<Outcome, Failure> {
    T::call(session, read_arguments::<T>(args)?, call).await
}

fn read_arguments<T: Tool>(args: Value) -> Result<T::Args, Failure> {
    // A bare word has no arguments at all.
    let mut args = if args.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        args
    };
    whole_numbers(&mut args);
    T::check(&args)?;
    serde_json::from_value(args)
        .map_err(|error| Failure::new(FailureKind::Usage, format!("`{}`: {error}", T::NAME)))
}

/// Writes 3.0 as 3, so that a whole number stays one however an expression came to it.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number
                .as_f64()
                .filter(|wide| number.is_f64() && wide.fract() == 0.0 && wide.abs() < 9.0e15);
            if let Some(wide) = whole {
                *value = (wide as i64).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(map) => map.values_mut().for_each(whole_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
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
