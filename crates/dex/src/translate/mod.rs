//! Makes class files of the JVM of the classes of dex files.

mod annotations;
mod arrays;
mod attributes;
mod calls;
mod class;
mod constants;
mod constructors;
mod emit;
mod flags;
mod frames;
mod locals;
mod method;
mod nesting;
mod operations;
mod values;

pub(crate) use class::{Class, Translated, translate_class};
pub(crate) use constructors::Constructors;
pub(crate) use nesting::Nesting;
