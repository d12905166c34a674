//! Scopes of an attempt: sub-flows and repetitions around the current step.

use std::time::Duration;

use serde_json::Value;

use super::evaluate::evaluate;
use runner_flow::{Argument, Scope, Spanned};
use runner_screen::Selector;
use runner_tools::{Failure, FailureKind};

/// Scope of the current flow, with the flows and repetitions around it.
pub(super) struct CallStack {
    pub(super) scope: Scope,
    /// Scopes of the flows that run the current sub-flow, outermost first.
    outer: Vec<Scope>,
    /// Folders of the `run:` steps that lead to the current step. A sub-flow's goldens are stored below them.
    callers: Vec<String>,
    /// Current round, from 1, of each `repeat` around the current step, outermost first.
    rounds: Vec<u32>,
}

/// Number of sub-flows and repetitions around a step, to return to with [`CallStack::unwind`].
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

    /// Moves the deadlines of expressions in all scopes later by this much.
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

    /// Enters a sub-flow with a scope of its own.
    pub(super) fn enter(&mut self, inner: Scope, folder: String) {
        self.outer.push(std::mem::replace(&mut self.scope, inner));
        self.callers.push(folder);
    }

    /// Leaves sub-flows and repetitions until `depth` is reached, and makes the scope of that depth current
    /// again. Names kept in the scopes that are left are lost. A limit that runs out inside a sub-flow does
    /// not leave it otherwise.
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
        evaluate(|| runner_flow::condition(expression, &self.scope)).await
    }

    pub(super) async fn selector(&self, argument: &Spanned<Argument>) -> Result<Selector, Failure> {
        let mut value = self.resolve(argument).await?;
        if runner_flow::has_expressions(&argument.value) {
            // Converts a number from an expression where a selector needs a text, as in a tool's arguments.
            value = runner_flow::check_selector(&value)
                .map_err(|error| Failure::new(FailureKind::Usage, error.to_string()))?;
        }
        serde_json::from_value(value)
            .map_err(|error| Failure::new(FailureKind::Usage, format!("selector: {error}")))
    }

    pub(super) async fn resolve(&self, argument: &Spanned<Argument>) -> Result<Value, Failure> {
        // Without expressions this takes no time, so it needs no blocking thread.
        if !runner_flow::has_expressions(&argument.value) {
            return runner_flow::resolve(argument, &self.scope)
                .map_err(|error| Failure::new(FailureKind::Usage, error.to_string()));
        }
        evaluate(|| runner_flow::resolve(argument, &self.scope)).await
    }
}
