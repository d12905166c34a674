//! Effect of a tool on the device.

/// Effect of a tool on the device. MCP clients ask a person before some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Reads only.
    Reads,
    /// Changes the screen or stored data.
    Acts,
    /// Changes state, but a repetition changes nothing more.
    Sets,
    /// May destroy files or an app's data.
    Destroys,
}
