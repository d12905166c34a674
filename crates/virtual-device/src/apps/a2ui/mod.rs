//! The public A2UI protocol, version 0.9.1, basic catalogue: messages, data model, values, components.
//! `versions` reads 0.8 and 0.10.
//!
//! Turns the contents of an app's files into [`super::ui::Element`]s. It runs no actions and knows no
//! windows.

mod build;
pub(crate) mod catalogue;
mod date;
mod date_dialog;
pub(crate) mod docs;
mod fit;
mod function;
mod input;
mod markdown;
mod message;
mod model;
mod surface;
mod value;
mod versions;

pub(crate) use build::Builder;
pub(crate) use date_dialog::{DateDialog, DatePage, DateStep, years};
pub(crate) use function::{calls as function_calls, pattern};
pub use message::MessageError;
pub(crate) use message::{Message, SURFACE_IN_FRONT, read_messages};
pub(crate) use model::{absolute, get, is_item, set};
pub(crate) use surface::{Edit, Focus, History, Menu, Revision, Surface, TypedLetter, ViewState};
pub(crate) use value::{ByteBudget, Scope, as_text, is_true};
pub(crate) use versions::read_any_version;
