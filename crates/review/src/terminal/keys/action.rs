//! The actions that keys and the mouse ask for.

use crate::{FlowPlace, MaskTarget};
use runner_snapshot::GoldenKey;

/// Action to execute outside of the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Accept(Vec<GoldenKey>),
    Reject(Vec<GoldenKey>),
    Undo,
    Mask(GoldenKey, MaskTarget),
    Edit(FlowPlace),
    Redraw,
    /// Suspend the program, as the shell's Ctrl-Z does.
    Suspend,
    Leave,
}
