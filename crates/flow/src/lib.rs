//! The flow language: parses text into checked flows. `docs/guide/flows.md` is its contract.
//!
//! Owns the syntax tree, the parser, discovery, interpolation and the JSON Schema. Runs nothing.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod arguments;
mod assertion_words;
mod ast;
mod cases;
mod check;
mod check_advice;
mod choice_advice;
mod condition_words;
mod control;
mod discover;
pub mod document;
mod missing_apps;
mod missing_file;
mod step_warnings;

mod error_hints;
mod expression;
mod final_value;
mod foreign;
mod foreign_class;
mod foreign_css;
mod foreign_pattern;
mod foreign_templates;
mod foreign_text;
mod foreign_words;
mod foreign_xpath;
mod goldens;
mod header_advice;
mod interpolate;
mod key_owner;
mod key_words;
mod keys;
pub mod language;
pub mod maestro;
mod map_advice;
mod map_parts;
mod names;
mod needs;
mod quarantine;
mod reader;
mod run_advice;
mod scalar;
mod schema;
mod secret_names;
mod selectors;
mod step_finding;
mod step_forms;
mod step_pairs;
mod step_path;
mod step_slips;
mod step_words;
mod steps;
mod tags;
mod time_advice;
pub mod title;
mod value_advice;
mod vocabulary;
mod written_parts;

pub use runner_text::yaml;
use runner_text::{source_file as files, suggest as report};

pub use ast::{
    Argument, Assert, Condition, Control, Dialect, ElementCondition, Flow, Modifiers, SnapshotStep,
    Spanned, Step, StepAction,
};
pub use cases::{Case, CaseName, Combination, Matrix, MatrixError, Row};
pub use check::{STAR_HELP, STAR_IN_ID};
pub use discover::is_flow;
pub use discover::{
    DiscoverError, Discovery, MissingPath, NoFlow, PathPattern, PatternError, discover,
    discover_with, find_maestro_root, find_misnamed, find_root,
};
#[cfg(feature = "maestro")]
pub use expression::uuid;
pub use expression::{Budget, Generator, Limits};
pub use final_value::{ValueError, check_selector, check_value};
pub use goldens::{GoldenUse, folder_of_run, goldens};
pub use interpolate::resolve::{
    condition, explain, has_expressions, resolve, resolve_text, resolve_within,
};
pub use interpolate::{
    BUILT_IN_NAMES, InterpolationError, NameError, Scope, check_name, plain_name,
};
pub use keys::{CONTROL, MAX_RETRIES, MODIFIERS};
pub use keys::{duration, limit};
pub use needs::{DeviceMeasures, Needs};
pub use quarantine::Quarantine;
pub use reader::{ReadOptions, SurroundingSteps, read_flow, read_surrounding, read_text};
pub use schema::{schema, schema_with_tools};
pub use secret_names::{
    bare_name, declared_name, mentions as mentions_name, reads as reads_name, texts as secret_texts,
};
pub use selectors::{SelectorRole, SelectorUse, WrittenSelector, selectors, step_selectors};
pub use step_path::{PathSegment, StepList, StepPath};
pub use tags::{TagExpression, TagExpressionError};
pub use written_parts::written_parts;

#[cfg(test)]
mod tests;
