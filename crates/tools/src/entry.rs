//! Entry of a tool in the table of all tools.

use std::future::Future;
use std::pin::Pin;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::arguments::{Arguments, ClientArguments};
use super::schemas::{MakeSchema, inline_schema};
use super::{
    Call, Capability, Catalogue, ClientDifferences, Effect, Failure, FrontEffect, Outcome,
    Rehearsal, StepSyntax, StepValue, Tool,
};
use runner_engine::Session;

pub type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Outcome, Failure>> + Send + 'a>>;

/// A tool in the table: the constants and functions of its [`Tool`].
#[derive(Clone)]
pub struct Entry {
    /// Name as a step.
    pub name: &'static str,
    pub catalogue: Catalogue,
    /// Summary in one line.
    pub summary: &'static str,
    /// Example as an item of a flow's `steps:`; may be empty.
    pub example: &'static str,
    /// Values that `as` keeps. Documented for everyday steps only: others keep their answer over MCP.
    pub keeps: StepValue,
    /// True if it acts on an app: that of its argument `app`, else the flow's.
    pub needs_app: bool,
    /// Form in flows.
    pub writing: StepSyntax,
    /// True if the name alone is a step.
    pub value_optional: bool,
    pub effect: Effect,
    /// What screens alone tell of a call.
    pub rehearsal: Rehearsal,
    /// Further lines for agents: meaning of the result, next steps. May be empty.
    pub help: &'static str,
    /// Unlisted further names over MCP.
    pub aliases: &'static [&'static str],
    /// True if its result is always a list.
    pub lists: bool,
    /// Ability that the device must have.
    pub needs: Option<Capability>,
    for_clients: ClientDifferences,
    schema: MakeSchema,
    check_first: fn(&Arguments) -> Result<(), Failure>,
    check: fn(&Arguments) -> Result<(), Failure>,
    front_effect: fn(Result<Arguments, Failure>) -> FrontEffect,
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
    /// Builds the entry of a tool. Failures stay failures until `answering` sets a function for them.
    pub const fn new<T: Tool>(catalogue: Catalogue) -> Self {
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
            rehearsal: T::REHEARSAL,
            help: T::HELP,
            aliases: T::ALIASES,
            lists: T::LISTS,
            needs: T::NEEDS,
            for_clients: T::FOR_CLIENTS,
            schema: |generator| generator.subschema_for::<T::Args>(),
            check_first: T::check,
            check: |args| read::<T>(args).map(drop),
            front_effect: front_effect::<T>,
            call: |session, args, call| Box::pin(call_tool::<T>(session, args, call)),
            answer: Err,
        }
    }

    /// Sets the function that turns a failure into an answer, for catalogues whose tools answer where others
    /// fail.
    pub(crate) const fn answering(
        mut self,
        answer: fn(Failure) -> Result<Outcome, Failure>,
    ) -> Self {
        self.answer = answer;
        self
    }

    /// Returns the JSON Schema of the arguments; definitions go into `generator`.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// Returns the schema for clients: the tool's own, where arguments that clients must give are also
    /// required, and with the defaults and choices that hold for clients only. `generator` must inline
    /// subschemas.
    pub fn client_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = self.schema(generator);
        let ClientDifferences {
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

    /// Normalizes arguments of a flow or of this program.
    ///
    /// # Errors
    ///
    /// If they are not an object.
    pub fn arguments(&self, args: Value) -> Result<Arguments, Failure> {
        Arguments::new(self.name, self.catalogue.into(), args)
    }

    /// Normalizes arguments of a client by the tool's schema and the wording of its catalogue. They are not
    /// checked.
    ///
    /// # Errors
    ///
    /// If they are not an object.
    pub fn client_arguments(&self, args: Value) -> Result<ClientArguments, Failure> {
        let schema = inline_schema(self.schema);
        Arguments::from_client(self.name, self.catalogue.into(), &schema, args)
    }

    /// Adds the defaults for clients to a client's arguments, for those that are missing. Tools without own rules for
    /// clients are not checked here. Arguments that are given stay as they are.
    ///
    /// # Errors
    ///
    /// The failure of the tool's first check, or a missing argument that clients must give.
    pub fn with_client_defaults(&self, mut args: Arguments) -> Result<Arguments, Failure> {
        let ClientDifferences {
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

    /// Checks arguments as a call would, beyond the schema, without calling anything.
    ///
    /// # Errors
    ///
    /// The failure that the call would begin with.
    pub fn check(&self, args: &Arguments) -> Result<(), Failure> {
        (self.check)(args)
    }

    /// Returns the effect of a call on the app in front, once it has passed. Arguments that the tool does not take have
    /// the effect that it states without them; such a call fails.
    pub fn front_effect(&self, args: &Value) -> FrontEffect {
        (self.front_effect)(self.arguments(args.clone()))
    }

    /// Checks the arguments and calls the tool. Its catalogue may turn a failure, also that of a wrong argument, into
    /// an answer. Defaults for clients are not added.
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

    /// Converts the failure that ended or prevented a call to the catalogue's answer.
    ///
    /// # Errors
    ///
    /// The failure, if the catalogue has no answer for it.
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

fn front_effect<T: Tool>(args: Result<Arguments, Failure>) -> FrontEffect {
    let args = args.and_then(|args| args.read::<T::Args>());
    args.map_or(T::FRONT, |args| T::front_effect(&args))
}

fn read<T: Tool>(args: &Arguments) -> Result<T::Args, Failure> {
    T::check(args)?;
    args.read()
}
