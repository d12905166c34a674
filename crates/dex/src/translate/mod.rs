//! Translation of dex classes to JVM class files.

mod annotations;
mod arrays;
mod attributes;
mod calls;
mod class;
mod code_attribute;
mod constants;
mod constructors;
mod emit;
mod flags;
mod frames;
mod handles;
mod locals;
mod method;
mod nesting;
mod operations;
mod values;

pub(crate) use class::{Class, ClassTranslation, translate_class};
pub(crate) use constructors::Constructors;
pub(crate) use nesting::Nesting;
