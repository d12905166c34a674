//! Facts of a step on which masks of its rows depend.

/// Rows of a step, as far as masks depend on them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RowScope {
    /// True if the step takes one element: then bounds are not those of the display.
    pub own_frame: bool,
    /// Texts that replace the device's own ones in the rows, which no selector would find.
    pub aliases: Vec<String>,
}
