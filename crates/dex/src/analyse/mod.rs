//! What the code of a method does: its blocks, the types in its registers, and which of them are used later.
//!
//! Registers of dex have no type, and a number may be an integer, a floating-point number or null. So a register is five
//! variables here, one for each [`Kind`](crate::world::Kind). A constant writes several of them; which of them somebody reads
//! decides what is written.

mod context;
mod flow;
mod infer;
mod live;
mod operands;
mod state;

pub(crate) use context::{Context, Fact, Fuel};
pub(crate) use flow::Flow;
pub(crate) use infer::{Inferred, infer, made_kind, step};
pub(crate) use live::{Liveness, Variables, live, variable, written};
pub(crate) use operands::{Operand, callee, kind_of, operands};
pub(crate) use state::{Object, State};
