//! Reader of dex files: their tables, classes, code, values and debug information.
//!
//! Every offset and every index is checked when it is read, so code that uses them need not check them again.

mod bytes;
mod class;
mod code;
mod debug;
mod decode;
mod instruction;
mod rows;
mod tables;
mod value;

pub(crate) use bytes::Name;
pub(crate) use class::{ClassData, EncodedField, EncodedMethod};
pub(crate) use code::CodeItem;
pub(crate) use debug::lines;
pub(crate) use decode::{Code, array_data, decode};
pub(crate) use instruction::{Args, ArrayKind, Binary, Compare, Instruction, InvokeKind, Unary};
pub(crate) use rows::{ClassDef, FieldId, MethodId};
pub(crate) use tables::Dex;
pub(crate) use value::{Annotation, ClassAnnotations, EncodedValue, Visibility};
