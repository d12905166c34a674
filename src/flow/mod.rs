//! The flow language: text in, checked flows out. The contract is the project's flow-language design.
//!
//! Owns the spanned tree, the parser, discovery, interpolation and the JSON Schema. Runs nothing.

mod ast;

pub use ast::{
    Argument, Assert, Condition, Control, Flow, Located, Modifiers, SnapshotStep, Step, StepAction,
    StepPath,
};
