//! App folders: the manifest, its actions, and a loaded app.

mod check;
mod load;
mod manifest;
mod near;
mod step;

pub use check::{check, has_errors};
pub(crate) use load::App;
pub use load::AppError;
pub use manifest::schema;
pub use near::app_advice;
pub(crate) use step::{IfStep, Step};
