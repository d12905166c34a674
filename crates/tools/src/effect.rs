//! What a tool does to the device.

/// What a tool does to the device: MCP clients ask a person before some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Reads,
    /// It changes what is shown or stored.
    Acts,
    /// The same call again changes nothing more.
    Sets,
    /// It may lose what cannot be had back: files, an app's data.
    Destroys,
}
