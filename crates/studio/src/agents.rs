//! Agents beside the people at the page: over MCP they share the device and the recording. A person may take over.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Studio;
use super::answer::{self, Answer, Recorded, Shared};
use super::messages::{Done, FeedMessage};
use runner_agent::CallWatch;
use runner_agent::record::Recorder;
use runner_tools::{Effect, Failure};

/// Maximum number of steps that a page receives: the newest.
const MAX_REPORTED: usize = 50;

/// Prefix of an agent's act in the history.
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
    is_taken_over: bool,
    /// Calls that were made, and those that are under way.
    calls: u64,
    active: Vec<OpenCall>,
    /// The last tool that acted.
    last: Option<String>,
    open: OpenActs,
}

/// The agents for the page.
#[derive(Debug, Serialize)]
pub(super) struct AgentsReport {
    #[serde(rename = "taken")]
    is_taken_over: bool,
    calls: u64,
    /// The tools that are at work.
    going: Vec<String>,
    last: Option<String>,
    /// How many steps no page has put into the flow, and the newest of them.
    open: usize,
    steps: Vec<String>,
}

/// A call that is under way.
#[derive(Debug)]
struct OpenCall {
    tool: String,
    /// Its first act in the recording; none of a call that only looks.
    from: Option<usize>,
}

/// The acts of agents that no page put into the flow yet: ranges of the recording, in order and apart.
#[derive(Debug, Default)]
struct OpenActs(Vec<Range<usize>>);

impl OpenActs {
    /// Where the range begins that goes on with a new act, if nobody else acted since.
    fn going_on(&self, recorded: usize) -> Option<usize> {
        let last = self.0.last()?;
        (last.end == recorded).then_some(last.start)
    }

    /// The acts from one on are agents'. What belonged together may have become fewer acts.
    fn add(&mut self, from: usize, end: usize) {
        let mut from = from;
        while let Some(last) = self.0.pop_if(|last| last.end >= from) {
            from = from.min(last.start);
        }
        if from < end {
            self.0.push(from..end);
        }
    }

    /// A page has all acts from this one on.
    fn cut(&mut self, from: usize) {
        self.0.retain(|acts| acts.start < from);
        if let Some(last) = self.0.last_mut() {
            last.end = last.end.min(from);
        }
    }
}

impl AgentState {
    /// A page puts all acts from this one on into the flow; so many are recorded. Whether an agent's are among them.
    fn put(&mut self, from: usize, recorded: usize) -> bool {
        let before = self.open.0.clone();
        for call in &mut self.active {
            if let Some(first) = &mut call.from {
                // What it does from now on is not in the flow.
                self.open.add(*first, from.min(recorded));
                *first = (*first).max(recorded);
            }
        }
        self.open.cut(from);
        self.open.0 != before
    }

    /// The agents' acts, which a page puts into the flow now.
    fn take_acts(&mut self) -> Vec<Range<usize>> {
        let acts = std::mem::take(&mut self.open.0);
        let end = acts.last().map_or(0, |acts| acts.end);
        for call in &mut self.active {
            call.from = call.from.map(|first| first.max(end));
        }
        acts
    }
}

/// Acts that are recorded.
fn recorded(recorder: &Recorder) -> usize {
    recorder.status().map_or(0, |standing| standing.acts)
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
    pub(super) fn report(&self, studio: &Studio) -> AgentsReport {
        let state = self.state();
        let mut steps = studio.workspace.recorder.steps_of(&state.open.0).steps;
        let open = steps.len();
        steps.drain(..open.saturating_sub(MAX_REPORTED));
        AgentsReport {
            is_taken_over: state.is_taken_over,
            calls: state.calls,
            going: state.active.iter().map(|call| call.tool.clone()).collect(),
            last: state.last.clone(),
            open,
            steps,
        }
    }

    fn notify(&self, studio: &Studio) {
        let agents = self.report(studio);
        studio.publish(FeedMessage::Agents { agents });
    }

    /// A page puts the steps from this act on into the flow.
    pub(super) fn put(&self, studio: &Studio, from: usize) {
        let is_new = self.state().put(from, recorded(&studio.workspace.recorder));
        if is_new {
            self.notify(studio);
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
        if tool == "runner_run_flow" && studio.as_ref().is_some_and(|it| it.run.is_active()) {
            return Err(Failure::usage(
                "a run of the studio's page is under way or paused; call again when it has ended",
            ));
        }
        let mut state = self.state();
        if state.is_taken_over && effect != Effect::Reads {
            return Err(Failure::usage(
                "a person took over the device in the studio; only tools that look work now. Wait until the person chooses `Give back`, then call again",
            ));
        }
        state.calls += 1;
        let from = studio
            .as_ref()
            .filter(|_| effect != Effect::Reads)
            .map(|studio| {
                let recorder = &studio.workspace.recorder;
                // What an agent does in a row may become one step; what a person did before does not.
                let going_on = state.open.going_on(recorded(recorder));
                going_on.unwrap_or_else(|| recorder.pause())
            });
        let tool = tool.to_owned();
        state.active.push(OpenCall { tool, from });
        drop(state);
        if let Some(studio) = studio {
            self.notify(&studio);
        }
        Ok(())
    }

    fn ended(&self, tool: &str, effect: Effect) {
        let mut state = self.state();
        let Some(studio) = self.studio() else { return };
        let place = state.active.iter().position(|call| call.tool == tool);
        let call = place.map(|place| state.active.remove(place));
        if let Some(from) = call.and_then(|call| call.from) {
            let end = recorded(&studio.workspace.recorder);
            state.open.add(from, end);
        }
        let is_act = effect != Effect::Reads;
        if is_act {
            state.last = Some(tool.to_owned());
        }
        let has_acts = !state.open.0.is_empty();
        drop(state);
        if is_act && has_acts {
            let frame = studio.frames().last_read().cloned();
            studio.note(format!("{BY}{tool}"), frame);
        }
        studio.acted.notify_one();
        self.notify(&studio);
    }
}

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/agents/take", post(take))
        .route("/agents/steps", post(steps))
        .route("/agents/token", post(token))
}

/// Whether a person takes over, or gives back.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Take {
    #[serde(rename = "taken")]
    is_taken_over: bool,
}

async fn take(State(studio): Shared, Json(requested): Json<Take>) -> Json<Done> {
    studio.agents.state().is_taken_over = requested.is_taken_over;
    studio.agents.notify(&studio);
    Json(Done {})
}

/// What an agent's client needs beside the address.
#[derive(Serialize)]
struct TokenAnswer {
    token: String,
}

/// The token, for a page that is about to copy it.
async fn token(State(studio): Shared, Json(_): Json<Value>) -> Json<TokenAnswer> {
    let token = studio.token.clone();
    Json(TokenAnswer { token })
}

/// The steps of agents that are not in the flow yet, and only they: `block` is where what comes then begins.
async fn steps(State(studio): Shared, Json(_): Json<Recorded<Value>>) -> Answer {
    let block = answer::block(&studio, None);
    let acts = studio.agents.state().take_acts();
    studio.agents.notify(&studio);
    let steps = studio.workspace.recorder.steps_of(&acts);
    Ok(Json(answer::steps_json(&studio, block, &steps)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An act and the one behind the last.
    type Pair = (usize, usize);

    fn state(acts: &[Pair], going: &[usize]) -> AgentState {
        let call = |from: &usize| OpenCall {
            tool: "tap".to_owned(),
            from: Some(*from),
        };
        AgentState {
            open: OpenActs(acts.iter().map(|(from, end)| *from..*end).collect()),
            active: going.iter().map(call).collect(),
            ..AgentState::default()
        }
    }

    fn pairs(acts: &[Range<usize>]) -> Vec<Pair> {
        acts.iter().map(|acts| (acts.start, acts.end)).collect()
    }

    #[test]
    fn acts_in_a_row_are_one_range() {
        let mut open = OpenActs::default();
        assert_eq!(open.going_on(0), None);
        open.add(0, 2);
        assert_eq!(open.going_on(2), Some(0));
        open.add(0, 3);
        // A person acted in between.
        assert_eq!(open.going_on(4), None);
        open.add(4, 7);
        assert_eq!(pairs(&open.0), [(0, 3), (4, 7)]);
        // Scrolls became one step.
        open.add(4, 5);
        assert_eq!(pairs(&open.0), [(0, 3), (4, 5)]);
        open.add(5, 5);
        assert_eq!(pairs(&open.0), [(0, 3), (4, 5)]);
    }

    #[test]
    fn a_page_that_puts_its_own_leaves_those_before() {
        let first: &[Pair] = &[(0, 2)];
        for (acts, from, left) in [
            (first, 2, first),
            (&[(0, 2), (3, 5)], 2, first),
            (&[(3, 5)], 1, &[]),
            (&[(0, 4)], 2, first),
        ] {
            let mut state = state(acts, &[]);
            assert_eq!(state.put(from, 6), left != acts, "{acts:?}");
            assert_eq!(pairs(&state.open.0), left, "{acts:?}");
        }
    }

    #[test]
    fn a_call_under_way_keeps_what_no_page_took() {
        // It began at 2; a page took all from 3 on.
        let mut began = state(&[], &[2]);
        assert!(began.put(3, 4));
        assert_eq!(pairs(&began.open.0), [(2, 3)]);
        assert_eq!(began.active[0].from, Some(4));
        assert_eq!(pairs(&began.take_acts()), [(2, 3)]);
        assert_eq!(began.active[0].from, Some(4));
        // One that goes on with acts that a page took begins behind them.
        let mut goes_on = state(&[(0, 3)], &[0]);
        assert_eq!(pairs(&goes_on.take_acts()), [(0, 3)]);
        assert_eq!(goes_on.active[0].from, Some(3));
    }
}
