//! JavaScript of Maestro flows: `${…}` in texts, `evalScript` and `runScript`.
//!
//! [`MaestroScope`] offers all that running a flow needs: variables, sub-flows, texts, conditions, scripts.
//! Plain texts, `${NAME}`, `${NAME || 'default'}` and comparisons with a text are evaluated here. Any other
//! script starts the engine (`QuickJS`), once per attempt, on a thread of its own with 64 MB of memory. Each
//! script is strict, though it may assign to any name, and runs in a function of its own. Scripts have no files
//! and no `require`. This is not a sandbox for hostile scripts: `http` reaches the hosts that `runner.yaml` names.
//!
//! Without the feature `maestro` everything that needs the engine is an error.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

#[cfg(feature = "maestro")]
mod bindings;
#[cfg(feature = "maestro")]
mod call_check;
#[cfg(feature = "maestro")]
mod engine;
#[cfg(not(feature = "maestro"))]
#[allow(dead_code, reason = "fields of jobs are never read without an engine")]
mod engine_stub;
mod error;
mod expression;
#[cfg(feature = "maestro")]
mod faker;
#[cfg(feature = "maestro")]
mod job;
mod options;
#[cfg(feature = "maestro")]
mod runtime;
mod scope;
#[cfg(feature = "maestro")]
mod syntax;
mod text;
mod written_parts;

#[cfg(not(feature = "maestro"))]
use engine_stub as engine;

pub use error::{ScriptError, ScriptFault, ScriptPlace};
#[cfg(feature = "maestro")]
pub use faker::{FakeData, FakeError, FakeValue};
pub use options::ScriptOptions;
pub use scope::MaestroScope;
pub use text::{is_one_script, is_true};
pub use written_parts::written_parts;

use engine::Script;
use text::Piece;

/// Problems of a text or file, found without running it.
#[derive(Debug)]
pub struct ScriptCheck {
    /// Syntax errors, at most one for each script.
    pub errors: Vec<ScriptError>,
    /// Calls that will fail, each with its range in the text and an explanation.
    pub failing_calls: Vec<(std::ops::Range<usize>, String)>,
}

/// Collects scripts for a check: texts with `${…}`, and files. Runs nothing.
#[derive(Debug, Default)]
pub struct ScriptTexts {
    scripts: Vec<(usize, Script)>,
    count: usize,
}

impl ScriptTexts {
    /// Adds each `${…}` of a text as a script. The text gets the next place in the result of [`Self::checked`],
    /// also if it has no script.
    pub fn text(&mut self, text: &str) {
        for piece in text::pieces(text) {
            if let Piece::Script(source) = piece {
                let source = source.to_owned();
                let wants_result = false;
                self.scripts.push((
                    self.count,
                    Script::Expression {
                        source,
                        wants_result,
                    },
                ));
            }
        }
        self.count += 1;
    }

    /// Adds a script file, which gets the next place in the result of [`Self::checked`]. Errors call it `name`.
    pub fn file(&mut self, name: &str, source: &str) {
        let (name, source) = (name.to_owned(), source.to_owned());
        self.scripts
            .push((self.count, Script::File { name, source }));
        self.count += 1;
    }

    /// Checks all texts and files without running them, and returns one result for each, in the order in which
    /// they were added; that of a text without problems is empty. Calls of hosts that are not in `http_hosts`
    /// will fail. Finds nothing if built without the engine.
    #[cfg_attr(
        not(feature = "maestro"),
        expect(unused_variables, unused_mut, reason = "only the engine uses them")
    )]
    pub fn checked(self, http_hosts: &[String]) -> Vec<ScriptCheck> {
        let empty = || ScriptCheck {
            errors: Vec::new(),
            failing_calls: Vec::new(),
        };
        let mut checks: Vec<ScriptCheck> = (0..self.count).map(|_| empty()).collect();
        #[cfg(feature = "maestro")]
        {
            let (places, scripts): (Vec<usize>, Vec<Script>) = self.scripts.into_iter().unzip();
            for (number, error) in syntax::errors(&scripts) {
                checks[places[number]].errors.push(error);
            }
            for (place, script) in places.iter().zip(&scripts) {
                let (Script::Expression { source, .. } | Script::File { source, .. }) = script;
                checks[*place]
                    .failing_calls
                    .extend(call_check::find_failing_calls(source, http_hosts));
            }
        }
        checks
    }
}

#[cfg(test)]
#[cfg(feature = "maestro")]
mod tests;
