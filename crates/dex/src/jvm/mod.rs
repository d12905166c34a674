//! Writer of JVM class files.

mod assembler;
mod class_file;
mod frame;
mod opcode;
mod pool;

pub(crate) use assembler::{AssembledCode, Assembler, order};
pub(crate) use class_file::{Attribute, ClassFile, Member};
pub(crate) use frame::{Frame, Label, VerificationType};
pub(crate) use opcode::op;
pub(crate) use pool::ConstantPool;
