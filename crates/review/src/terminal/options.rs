//! Settings of the review in a terminal.

use super::editor::Editor;
use super::graphics::detect::{Environment, ImagesChoice};
use runner_base::context::Context;

/// Settings from the environment and the command line.
#[derive(Debug, Clone)]
pub struct Options {
    pub(super) images: ImagesChoice,
    pub(super) environment: Environment,
    pub(super) editor: Option<Editor>,
}

impl Options {
    /// Reads colours, terminal and editor from the environment variables; `images` is the person's choice. Nothing is
    /// asked or started, and nothing fails.
    pub fn from_context(context: &Context, images: ImagesChoice) -> Self {
        Self {
            images,
            environment: Environment::from_context(context),
            editor: Editor::from_environment(context),
        }
    }
}
