//! Names of an attempt: the scopes of the sub-flows and repetitions around the current step, and those of
//! Maestro's commands.

use std::time::Duration;

use serde_json::Value;

use super::evaluate::{evaluate, name_error};
use super::maestro::MaestroState;
use runner_flow::{Argument, Limits, Scope, Spanned};
use runner_screen::{Display, Selector};
use runner_tools::{Failure, FailureKind};

/// Scope of the current flow, with the flows and repetitions around it.
pub(super) struct CallStack {
    scope: Scope,
    /// Scopes of the flows that run the current sub-flow, outermost first.
    outer: Vec<Scope>,
    /// Folders of the `run:` steps that lead to the current step. A sub-flow's goldens are stored below them.
    callers: Vec<String>,
    /// Current round, from 1, of each `repeat` around the current step, outermost first.
    rounds: Vec<u32>,
    /// State that the commands of a Maestro flow share.
    maestro: Option<Box<MaestroState>>,
}

/// Number of sub-flows and repetitions around a step, to return to with [`CallStack::unwind`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NestingDepth {
    scopes: usize,
    rounds: usize,
}

impl CallStack {
    /// Creates a stack with the flow's own scope, outside of all sub-flows and repetitions.
    pub(super) fn new(scope: Scope, maestro: Option<MaestroState>) -> Self {
        Self {
            scope,
            outer: Vec::new(),
            callers: Vec::new(),
            rounds: Vec::new(),
            maestro: maestro.map(Box::new),
        }
    }

    /// Scope of the current flow.
    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Stores a result under a name of the current flow, in place of an earlier one. A name that cannot be used, and
    /// too many values, are failures.
    pub(super) fn keep(&mut self, name: &str, value: Value) -> Result<(), Failure> {
        self.scope.keep(name, value).map_err(name_error)
    }

    /// Updates `device.width`, `device.height` and `device.density` of the current scope, as they change when the
    /// display turns or a command sets them. An unknown size stays, and so does an unknown density. Scopes around it
    /// keep theirs.
    pub(super) fn update_display(&mut self, display: Display) {
        if !display.bounds().is_empty() {
            self.scope.know_of_device("width", display.width.into());
            self.scope.know_of_device("height", display.height.into());
        }
        if display.density > 0 {
            self.scope.know_of_device("density", display.density.into());
        }
    }

    /// Updates `device.locale` of all scopes, after a step that set it.
    pub(super) fn update_locale(&mut self, tag: &str) {
        for scope in self.outer.iter_mut().chain([&mut self.scope]) {
            scope.know_of_device("locale", tag.into());
        }
    }

    pub(super) fn maestro(&self) -> Option<&MaestroState> {
        self.maestro.as_deref()
    }

    pub(super) fn maestro_or_insert(
        &mut self,
        make: impl FnOnce() -> MaestroState,
    ) -> &mut MaestroState {
        self.maestro.get_or_insert_with(|| Box::new(make()))
    }

    /// Sets the deadlines of expressions in the current scope and of Maestro's scripts, which run on the host, in
    /// place of earlier ones. Sub-flows that are entered later get them too; scopes around keep theirs.
    pub(super) fn limit(&mut self, limits: Limits) {
        if let Some(state) = &mut self.maestro {
            state.limit_scripts(limits.clone());
        }
        self.scope.limit(limits);
    }

    /// Moves the deadlines of expressions in all scopes, and of Maestro's scripts, later by this much. They
    /// count by the host's clock.
    pub(super) fn delay(&mut self, by: Duration) {
        self.scope.delay(by);
        for outer in &mut self.outer {
            outer.delay(by);
        }
        if let Some(state) = &mut self.maestro {
            state.delay_scripts(by);
        }
    }

    /// Returns the present nesting, for [`Self::unwind`].
    pub(super) fn depth(&self) -> NestingDepth {
        NestingDepth {
            scopes: self.outer.len(),
            rounds: self.rounds.len(),
        }
    }

    /// Enters a sub-flow: `inner` becomes the current scope, and goldens are stored below `folder`. Returns the depth
    /// before, for [`Self::leave`].
    pub(super) fn enter(&mut self, inner: Scope, folder: String) -> NestingDepth {
        let depth = self.depth();
        self.outer.push(std::mem::replace(&mut self.scope, inner));
        self.callers.push(folder);
        depth
    }

    /// Leaves all sub-flows and repetitions down to `depth`, and returns the scope that was current: that of the
    /// sub-flow, if all inside of it was left before.
    pub(super) fn leave(&mut self, depth: NestingDepth) -> Scope {
        let inner = std::mem::take(&mut self.scope);
        self.unwind(depth);
        inner
    }

    /// Leaves all sub-flows and repetitions, also Maestro's, and makes the flow's own scope current. A step that was
    /// cut off inside of them left their scopes open. Does nothing if there are none.
    pub(super) fn leave_all(&mut self) {
        self.unwind(NestingDepth::default());
        if let Some(state) = &mut self.maestro {
            state.unwind();
        }
    }

    /// Leaves sub-flows and repetitions until `depth` is reached, and makes the scope of that depth current again.
    /// Names kept in the scopes that are left are lost. A limit that runs out inside a sub-flow does not leave it
    /// otherwise. A depth that is reached already changes nothing; Maestro's own state stays.
    pub(super) fn unwind(&mut self, depth: NestingDepth) {
        while self.outer.len() > depth.scopes {
            if let Some(scope) = self.outer.pop() {
                self.scope = scope;
            }
            self.callers.pop();
        }
        self.rounds.truncate(depth.rounds);
    }

    /// Enters a round, from 1, of a repetition inside of those that are open. Each needs an [`Self::end_round`].
    pub(super) fn begin_round(&mut self, round: u32) {
        self.rounds.push(round);
    }

    pub(super) fn end_round(&mut self) {
        self.rounds.pop();
    }

    /// Returns the goldens' folders of the `run:` steps around the current step, outermost first; none in the flow
    /// itself.
    pub(super) fn callers(&self) -> impl Iterator<Item = &str> {
        self.callers.iter().map(String::as_str)
    }

    /// Returns the current rounds, from 1, of the repetitions around the current step, outermost first; none outside
    /// of them.
    pub(super) fn rounds(&self) -> &[u32] {
        &self.rounds
    }

    /// Evaluates a condition in the current scope, and blocks this thread meanwhile. Any result but a boolean is a
    /// failure of usage; see [`Self::resolve`] for others.
    pub(super) async fn condition(&self, expression: &Spanned<String>) -> Result<bool, Failure> {
        evaluate(|| runner_flow::condition(expression, &self.scope)).await
    }

    /// Evaluates a selector in the current scope. Numbers from expressions become texts where a selector needs them.
    /// A value that is no selector is a failure of usage. Looks at no screen.
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

    /// Evaluates an argument in the current scope, and blocks this thread if it has expressions. A failure is one of
    /// usage, unless the expression uses a value that the device did not report. An evaluation that was stopped, by
    /// its deadline or an interruption, never completes: the caller's limit ends it.
    pub(super) async fn resolve(&self, argument: &Spanned<Argument>) -> Result<Value, Failure> {
        // Without expressions this takes no time, so it needs no blocking thread.
        if !runner_flow::has_expressions(&argument.value) {
            return runner_flow::resolve(argument, &self.scope)
                .map_err(|error| Failure::new(FailureKind::Usage, error.to_string()));
        }
        evaluate(|| runner_flow::resolve(argument, &self.scope)).await
    }
}
