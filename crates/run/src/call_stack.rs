//! Names, sub-flows and repetitions: where in the flow's nesting an attempt is.

use std::time::Duration;

use serde_json::Value;

use super::evaluate::evaluated;
use runner_flow::{Argument, Scope, Spanned};
use runner_screen::Selector;
use runner_tools::{Failure, FailureKind};

/// The names of the current flow, and the flows and repetitions around it.
pub(super) struct CallStack {
    pub(super) scope: Scope,
    /// Scopes of the flows that run the current sub-flow, outermost first.
    outer: Vec<Scope>,
    /// Folders of the `run:` steps that lead to the current step; they file a sub-flow's goldens.
    callers: Vec<String>,
    /// Rounds of the `repeat` steps around the current step, from 1.
    rounds: Vec<u32>,
}

/// How deep in sub-flows and repetitions an attempt is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NestingDepth {
    scopes: usize,
    rounds: usize,
}

impl CallStack {
    pub(super) fn new(scope: Scope) -> Self {
        Self {
            scope,
            outer: Vec::new(),
            callers: Vec::new(),
            rounds: Vec::new(),
        }
    }

    /// What the scopes evaluate has to stop so much later.
    pub(super) fn delay(&mut self, by: Duration) {
        self.scope.delay(by);
        for outer in &mut self.outer {
            outer.delay(by);
        }
    }

    pub(super) fn depth(&self) -> NestingDepth {
        NestingDepth {
            scopes: self.outer.len(),
            rounds: self.rounds.len(),
        }
    }

    /// Into a sub-flow with names of its own.
    pub(super) fn enter(&mut self, inner: Scope, folder: String) {
        self.outer.push(std::mem::replace(&mut self.scope, inner));
        self.callers.push(folder);
    }

    /// Back to the names of an outer flow. A limit that ran out inside a sub-flow leaves it no other way to end.
    pub(super) fn unwind(&mut self, depth: NestingDepth) {
        while self.outer.len() > depth.scopes {
            if let Some(scope) = self.outer.pop() {
                self.scope = scope;
            }
            self.callers.pop();
        }
        self.rounds.truncate(depth.rounds);
    }

    pub(super) fn begin_round(&mut self, round: u32) {
        self.rounds.push(round);
    }

    pub(super) fn end_round(&mut self) {
        self.rounds.pop();
    }

    pub(super) fn callers(&self) -> impl Iterator<Item = &str> {
        self.callers.iter().map(String::as_str)
    }

    pub(super) fn rounds(&self) -> &[u32] {
        &self.rounds
    }

    pub(super) async fn condition(&self, expression: &Spanned<String>) -> Result<bool, Failure> {
        evaluated(|| runner_flow::condition(expression, &self.scope)).await
    }

    pub(super) async fn selector(&self, argument: &Spanned<Argument>) -> Result<Selector, Failure> {
        let mut value = self.resolve(argument).await?;
        if runner_flow::has_expressions(&argument.value) {
            // A number that an expression came to is text where text is wanted, as in a tool's arguments.
            value = runner_flow::check_selector(&value)
                .map_err(|error| Failure::new(FailureKind::Usage, error.to_string()))?;
        }
        serde_json::from_value(value)
            .map_err(|error| Failure::new(FailureKind::Usage, format!("selector: {error}")))
    }

    pub(super) async fn resolve(&self, argument: &Spanned<Argument>) -> Result<Value, Failure> {
        // Nothing here takes time, so the thread need not be given away.
        if !runner_flow::has_expressions(&argument.value) {
            return runner_flow::resolve(argument, &self.scope)
                .map_err(|error| Failure::new(FailureKind::Usage, error.to_string()));
        }
        evaluated(|| runner_flow::resolve(argument, &self.scope)).await
    }
}
