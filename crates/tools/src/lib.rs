//! All steps and tools that act on a device, each one type in one file.
//!
//! A catalogue's `entries()` lists its tools. The flow parser, the JSON Schema, the docs and every MCP
//! dialect read them from the [`registry`]. To add a tool: write a type that implements [`Tool`] in a file of
//! its own, and add one line in `entries()`.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod advice;
pub mod android;
mod app_failure;
pub mod arguments;
mod blocking;
mod caller;
mod capability;
mod catalogue;
mod code;
mod docs;
mod effect;
mod element;
mod engine_failure;
mod entry;
pub mod everyday;
mod failure;
mod front_effect;
pub mod mobile_agent;
mod other_form;
mod outcome;
pub mod package;
pub mod paths;
mod progress;
pub mod registry;
mod rehearsal;
mod resource;
pub mod scenario;
mod schemas;
mod selector_patch;
pub mod semantic;
mod step_syntax;
mod step_value;
mod tool;
mod touch_start;
mod ungrantable;
mod wait_time;
mod words;

#[cfg(test)]
mod tests;

pub use advice::{Advice, CallOption, FlowReader, JsonReader, NextStep, Reader};
pub use app_failure::{NamedApp, app_failure, launch_failure, link_failure, missing_app};
pub use blocking::blocking;
pub use caller::Caller;
pub use capability::Capability;
pub use catalogue::Catalogue;
pub use code::ErrorCode;
pub use docs::{docs, tool_docs};
pub use effect::Effect;
pub use entry::{CallFuture, Entry};
pub use everyday::{CountCondition, LANGUAGES, check_language, expect_count, expect_element};
pub use failure::{Crash, Failure, FailureKind, Fix};
pub use front_effect::FrontEffect;
pub use other_form::file_in_other_form;
pub use outcome::{AnswerText, Outcome, Verdict, advise};
pub use progress::Progress;
pub use rehearsal::Rehearsal;
pub use resource::{Body, Contents, Reading, Resource};
pub use schemas::{MakeSchema, inline_schema};
pub use selector_patch::SelectorPatch;
pub use step_syntax::StepSyntax;
pub use step_value::{ELEMENT as KEPT_ELEMENT, StepValue};
pub use tool::{Call, ClientDifferences, Tool};
pub use wait_time::WaitTime;
pub use words::{WordValue, Words};
