//! Devices of a run: resolves the names that a person gives, and opens the devices.

mod built_in;
mod open;
mod options;
mod resolve;
mod target;

pub use self::built_in::with_apks;
pub(crate) use self::open::open_for_flows;
pub use self::open::{OpenDevice, Opening, open};
pub use self::options::OpenOptions;
pub use self::resolve::{resolve, resolve_all};
pub(crate) use self::target::is_address;
#[cfg(test)]
pub(crate) use self::target::testing;
pub use self::target::{Address, Target};
