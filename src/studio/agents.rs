//! Agents beside the people at the page: over MCP they share the device and the recording. A person may take over.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Studio;
use super::answer::{self, Answer, Recorded, Shared};
use crate::agent::CallWatch;
use crate::tools::{Effect, Failure};

/// Steps that a page is told of: the newest.
const MOST_TOLD: usize = 50;

/// What a moment of an agent is told as.
const BY: &str = "agent: ";

/// The agents of a studio.
#[derive(Debug, Default)]
pub struct Agents {
    state: Mutex<AgentState>,
    studio: OnceLock<Weak<Studio>>,
}

#[derive(Debug, Default)]
struct AgentState {
    /// A person has the device for themselves.
    is_taken: bool,
    /// Calls that were made, and those that are under way.
    calls: u64,
    going: Vec<String>,
    /// The last tool that acted.
    last: Option<String>,
    /// The first act of the recording that no page put into the flow yet.
    open: Option<usize>,
}

impl Agents {
    fn state(&self) -> MutexGuard<'_, AgentState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn studio(&self) -> Option<Arc<Studio>> {
        self.studio.get()?.upgrade()
    }

    /// Whose agents they are.
    pub(super) fn belong_to(&self, studio: &Arc<Studio>) {
        // Once: a server has one studio.
        let _ = self.studio.set(Arc::downgrade(studio));
    }

    /// For the page.
    pub(super) fn told(&self, studio: &Studio) -> Value {
        let state = self.state();
        let open = state
            .open
            .map(|open| studio.workspace.recorder.steps(open).steps)
            .unwrap_or_default();
        let newest = open.len().saturating_sub(MOST_TOLD);
        json!({
            "taken": state.is_taken, "calls": state.calls, "going": state.going, "last": state.last,
            "open": open.len(), "steps": open[newest..],
        })
    }

    fn tell(&self, studio: &Studio) {
        let mut news = json!({ "kind": "agents", "agents": self.told(studio) });
        studio.scrub(&mut news);
        studio.feed.tell(&news);
    }

    /// A page puts the steps from this act on into the flow.
    pub(super) fn put(&self, studio: &Studio, from: usize) {
        let is_new = self.state().open.is_some_and(|open| open >= from);
        if is_new {
            self.state().open = None;
            self.tell(studio);
        }
    }
}

impl CallWatch for Agents {
    fn begins(&self, tool: &str, effect: Effect) -> Result<(), Failure> {
        if tool == "runner_record" {
            return Err(Failure::usage(
                "the studio records all that is done; a person puts the steps into the flow on its page. Read them with `runner_look` and `runner_lint_flow`, or go on",
            ));
        }
        let studio = self.studio();
        // It would take the device where the page's run pauses, and keep it.
        if tool == "runner_run_flow" && studio.as_ref().is_some_and(|it| it.run.is_going()) {
            return Err(Failure::usage(
                "a run of the studio's page is under way or paused; call again when it has ended",
            ));
        }
        let mut state = self.state();
        if state.is_taken && effect != Effect::Reads {
            return Err(Failure::usage(
                "a person took over the device in the studio; only tools that look work now. Wait until the person chooses `Give back`, then call again",
            ));
        }
        state.calls += 1;
        state.going.push(tool.to_owned());
        if effect != Effect::Reads
            && state.open.is_none()
            && let Some(studio) = &studio
        {
            state.open = Some(studio.workspace.recorder.pause());
        }
        drop(state);
        if let Some(studio) = studio {
            self.tell(&studio);
        }
        Ok(())
    }

    fn ended(&self, tool: &str, effect: Effect) {
        let mut state = self.state();
        if let Some(place) = state.going.iter().position(|going| going == tool) {
            state.going.remove(place);
        }
        if effect != Effect::Reads {
            state.last = Some(tool.to_owned());
        }
        let open = state.open;
        drop(state);
        let Some(studio) = self.studio() else { return };
        let steps = open.map(|open| studio.workspace.recorder.steps(open).steps);
        if effect != Effect::Reads && steps.is_some_and(|steps| !steps.is_empty()) {
            let frame = studio.frames().last_read().cloned();
            studio.note(format!("{BY}{tool}"), frame);
        }
        studio.acted.notify_one();
        self.tell(&studio);
    }
}

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/agents/take", post(take))
        .route("/agents/steps", post(steps))
}

/// Whether a person takes over, or gives back.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Take {
    taken: bool,
}

async fn take(State(studio): Shared, Json(asked): Json<Take>) -> Json<Value> {
    studio.agents.state().is_taken = asked.taken;
    studio.agents.tell(&studio);
    Json(json!({}))
}

/// The steps of agents that are not in the flow yet.
async fn steps(State(studio): Shared, Json(asked): Json<Recorded<Value>>) -> Answer {
    let open = studio.agents.state().open;
    let block = asked.block.or(open);
    let block = answer::block(&studio, block);
    Ok(Json(answer::recorded(&studio, block)))
}
