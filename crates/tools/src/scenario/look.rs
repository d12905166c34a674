//! Looks of the scenario tools, and the nodes that they consider.

use std::sync::Arc;

use super::status::because;
use crate::Failure;
use runner_device::DeviceError;
use runner_engine::{EngineError, Session};
use runner_screen::{Node, Screen};

/// Takes a look. Its errors are those of [`look_failed`].
pub(super) async fn look(session: &Session) -> Result<Arc<Screen>, Failure> {
    session.look().await.map_err(look_failed)
}

/// Converts the error of a look to a failure with the reference's message. A dump that cannot be parsed is a failed
/// assertion, and a dialog that hides the screen keeps the engine's message. All else keeps its kind.
pub(super) fn look_failed(error: EngineError) -> Failure {
    match error {
        EngineError::Device(DeviceError::Dump(cause)) => {
            Failure::assertion("Failed to read UI hierarchy XML.")
                .with_details([format!("cause: {cause}")])
        }
        EngineError::DialogHides { .. } => error.into(),
        error => because("Failed to dump UI hierarchy", error),
    }
}

/// Returns the nodes that scenarios consider, window by window: the focused window first, the others in their
/// order. Windows of the keyboard, and those that lie within a system bar, are left out.
pub(super) fn nodes(screen: &Screen) -> impl Iterator<Item = Node<'_>> {
    let counts = |index: &usize| {
        screen.windows().get(*index).is_some_and(|window| {
            let bar = !window.bounds.is_empty()
                && screen.bars().iter().any(|bar| bar.encloses(&window.bounds));
            !bar && window.kind != "INPUT_METHOD"
        })
    };
    let mut windows: Vec<usize> = (0..screen.windows().len()).filter(counts).collect();
    // Stable: behind the window with the focus, the others keep their order.
    windows.sort_by_key(|index| screen.windows().get(*index).is_none_or(|w| !w.focused));
    windows
        .into_iter()
        .flat_map(|index| screen.window_nodes(index))
}
