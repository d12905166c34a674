//! Loops and choices by patterns.

use super::{Flow, Shell, Streams};
use crate::shell::ast::{List, Word};
use crate::shell::pattern;

impl Shell {
    /// Runs a loop until the condition fails, or with `negated` succeeds. The status is that of the last round, 0
    /// without one. Each round counts as a step.
    pub(super) async fn while_loop(
        &mut self,
        condition: &List,
        body: &List,
        negated: bool,
        streams: &Streams,
    ) -> Flow {
        let mut status = 0;
        loop {
            if !self.step(streams).await {
                return Flow::Exit;
            }
            // A loop of builtins alone still lets others run.
            tokio::task::yield_now().await;
            let flow = self.list(condition, streams).await;
            if flow != Flow::Next {
                // The condition is in the loop too.
                match after_round(flow) {
                    LoopControl::Again => continue,
                    LoopControl::Leave(flow) => return flow,
                }
            }
            if (self.status == 0) == negated {
                self.status = status;
                return Flow::Next;
            }
            match after_round(self.list(body, streams).await) {
                LoopControl::Again => status = self.status,
                LoopControl::Leave(flow) => return flow,
            }
        }
    }

    /// Runs the body for each value. The status is the last round's, 0 without values. The variable keeps its last
    /// value. Each round counts as a step.
    pub(super) async fn for_loop(
        &mut self,
        name: &str,
        values: Vec<String>,
        body: &List,
        streams: &Streams,
    ) -> Flow {
        self.status = 0;
        for value in values {
            if !self.step(streams).await {
                return Flow::Exit;
            }
            if !self.assign(name, value, streams).await {
                return Flow::Next;
            }
            match after_round(self.list(body, streams).await) {
                LoopControl::Again => {}
                LoopControl::Leave(flow) => return flow,
            }
        }
        Flow::Next
    }

    /// Runs the first arm with a pattern that matches. The status is 0 if none does. A word or pattern that cannot be
    /// expanded leaves the rest out, with status 1.
    pub(super) async fn case(
        &mut self,
        word: &Word,
        arms: &[(Vec<Word>, List)],
        streams: &Streams,
    ) -> Flow {
        let Ok(text) = self.one_text(word, streams).await else {
            return Flow::Next;
        };
        let text: Vec<char> = text.chars().collect();
        for (patterns, body) in arms {
            for wanted in patterns {
                let Ok(pieces) = self.pattern(wanted, streams).await else {
                    return Flow::Next;
                };
                if pattern::matches(&pieces, &text) {
                    self.status = 0;
                    return self.list(body, streams).await;
                }
            }
        }
        self.status = 0;
        Flow::Next
    }
}

enum LoopControl {
    Again,
    Leave(Flow),
}

/// Tells a loop to go on or to leave after a round. `break` and `continue` of more levels leave it with one level
/// less. `return` and `exit` leave all loops.
fn after_round(flow: Flow) -> LoopControl {
    match flow {
        Flow::Next | Flow::Continue(1) => LoopControl::Again,
        Flow::Break(1) => LoopControl::Leave(Flow::Next),
        Flow::Break(levels) => LoopControl::Leave(Flow::Break(levels - 1)),
        Flow::Continue(levels) => LoopControl::Leave(Flow::Continue(levels - 1)),
        Flow::Return | Flow::Exit => LoopControl::Leave(flow),
    }
}
