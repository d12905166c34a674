//! JavaScript of Maestro's flows: `${…}` in texts, `evalScript` and `runScript`.
//!
//! [`MaestroScope`] is all that the execution of a flow needs: names, sub-flows, texts, conditions, scripts. Plain texts,
//! `${NAME}`, `${NAME || 'default'}` and comparisons with a text are read here; whatever else a script says starts the
//! engine (`QuickJS`), once an attempt, on a thread of its own with 64 MB of memory. Each script is strict, in a function of its
//! own. Scripts have no files and no `require`. That is no sandbox for hostile scripts: `http` reaches the hosts that
//! `runner.yaml` names.
//!
//! Without the feature `maestro` whatever needs the engine is an error.

#[cfg(feature = "maestro")]
mod bindings;
#[cfg(feature = "maestro")]
mod engine;
mod error;
mod expression;
#[cfg(feature = "maestro")]
mod faker;
#[cfg(feature = "maestro")]
mod runtime;
mod scope;
mod text;
#[cfg(not(feature = "maestro"))]
#[allow(dead_code, reason = "nothing runs scripts")]
mod without;

#[cfg(not(feature = "maestro"))]
use without as engine;

pub use error::{ScriptError, ScriptFault, ScriptPlace};
#[cfg(feature = "maestro")]
pub use faker::{FakeData, FakeError, FakeValue};
pub use scope::{MaestroScope, ScriptOptions};
pub use text::is_true;

#[cfg(test)]
#[cfg(feature = "maestro")]
mod tests;
