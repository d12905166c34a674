//! JavaScript of Maestro's flows: `${…}` in texts, `evalScript` and `runScript`.
//!
//! [`MaestroScope`] is all that the execution of a flow needs: names, sub-flows, texts, conditions, scripts. Plain texts,
//! `${NAME}`, `${NAME || 'default'}` and comparisons with a text are read here; whatever else a script says starts the
//! engine (`QuickJS`), once an attempt, on a thread of its own with 64 MB of memory. Each script is strict, in a function of its
//! own. Scripts have no files and no `require`. That is not a sandbox for hostile scripts: `http` reaches the hosts that
//! `runner.yaml` names.
//!
//! Without the feature `maestro` whatever needs the engine is an error.

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
mod doubts;
#[cfg(feature = "maestro")]
mod engine;
mod error;
mod expression;
#[cfg(feature = "maestro")]
mod faker;
#[cfg(feature = "maestro")]
mod runtime;
mod scope;
#[cfg(feature = "maestro")]
mod syntax;
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
pub use text::{is_one_script, is_true};

use engine::Script;
use text::Piece;

/// What a script says that nobody has run.
#[derive(Debug)]
pub struct ScriptCheck {
    /// It is not JavaScript.
    pub errors: Vec<ScriptError>,
    /// What it asks for and will not get; where that stands in a file's text.
    pub doubts: Vec<(std::ops::Range<usize>, String)>,
}

/// Looks at scripts, in the order in which they are given: a text's `${…}`, or a file. Nothing runs.
#[derive(Debug, Default)]
pub struct ScriptTexts {
    scripts: Vec<(usize, Script)>,
    count: usize,
}

impl ScriptTexts {
    /// Adds a text that may hold `${…}`.
    pub fn text(&mut self, text: &str) {
        for piece in text::pieces(text) {
            if let Piece::Script(source) = piece {
                let source = source.to_owned();
                let is_wanted = false;
                self.scripts
                    .push((self.count, Script::Expression { source, is_wanted }));
            }
        }
        self.count += 1;
    }

    /// Adds a file.
    pub fn file(&mut self, name: &str, source: &str) {
        let (name, source) = (name.to_owned(), source.to_owned());
        self.scripts
            .push((self.count, Script::File { name, source }));
        self.count += 1;
    }

    /// What is wrong with each. A program without the engine finds nothing.
    #[cfg_attr(not(feature = "maestro"), expect(unused_variables, unused_mut))]
    pub fn checked(self, http_hosts: &[String]) -> Vec<ScriptCheck> {
        let empty = || ScriptCheck {
            errors: Vec::new(),
            doubts: Vec::new(),
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
                    .doubts
                    .extend(doubts::doubts(source, http_hosts));
            }
        }
        checks
    }
}

#[cfg(test)]
#[cfg(feature = "maestro")]
mod tests;
