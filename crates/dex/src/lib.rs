#![doc = include_str!("../README.md")]
#![allow(
    clippy::disallowed_methods,
    reason = "jars and APKs that the app host has made ready in its own folder; tests write them"
)]

mod analyse;
mod apk;
mod class_table;
mod error;
mod hierarchy;
mod jar;
mod jvm;
mod limits;
mod mapping;
mod read;
mod report;
mod translate;
mod translation;

/// Version of the translation. Change it whenever the same dex file gives other classes: cached translations
/// have it in their key.
pub const VERSION: &str = "4";

pub use error::DexError;
pub use hierarchy::Hierarchy;
pub use mapping::{Mapping, OriginalFrame};
pub use report::{Report, TranslationFailure};
pub use translation::{Options, TranslatedClass, Translation, translate, translate_bytes};
