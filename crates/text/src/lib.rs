//! Text from outside and for people: YAML with places, diagnostics, quoting, secrets, durations.
//!
//! The lowest floor of the project: it knows no flow, no device and no screen.

pub mod diagnostic;
pub mod flow_text;
pub mod harmless;
pub mod secret;
pub mod source_file;
pub mod suggest;
pub mod units;
pub mod yaml;
