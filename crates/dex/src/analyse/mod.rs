//! Analysis of a method's code: its blocks, the types in its registers, and the variables that are live.
//!
//! Registers of dex have no type, and a number may be an integer, a floating-point number or null. So a
//! register is five variables here, one for each [`ValueKind`](crate::class_table::ValueKind). A constant writes several
//! of them; only those that are read later are kept.

mod context;
mod flow;
mod infer;
mod liveness;
mod operands;
mod state;

pub(crate) use context::{Context, Fact, Fuel};
pub(crate) use flow::Flow;
pub(crate) use infer::{Inference, constructed_class, infer, step};
pub(crate) use liveness::{Liveness, Variables, analyse_liveness, variable, written};
pub(crate) use operands::{Operand, callee, kind_of, operands};
pub(crate) use state::{Object, State};
