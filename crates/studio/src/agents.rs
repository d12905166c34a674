//! Lets agents use the studio's device over MCP, with the same recording as people. A person may take the
//! device over.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Studio;
use super::answer::{self, Answer, RecordedRequest, SharedStudio};
use super::messages::{EmptyAnswer, FeedMessage};
use runner_agent::CallWatch;
use runner_agent::record::Recorder;
use runner_tools::{Effect, Failure};

/// Newest steps of agents that a page receives. Chosen: more than a person reads before putting them into the
/// flow.
const MAX_STEPS: usize = 50;

/// Prefix of an agent's act in the history.
const AGENT_PREFIX: &str = "agent: ";

/// Agents of a studio, as one object for all connections.
#[derive(Debug, Default)]
pub struct Agents {
    state: Mutex<AgentState>,
    studio: OnceLock<Weak<Studio>>,
}

#[derive(Debug, Default)]
struct AgentState {
    /// True while a person has taken the device over.
    is_taken_over: bool,
    /// Number of calls so far, including the running ones.
    calls: u64,
    active: Vec<OpenCall>,
    /// Last tool that acted.
    last: Option<String>,
    open: OpenActs,
}

/// State of the agents for the page.
#[derive(Debug, Serialize)]
pub(super) struct AgentsReport {
    #[serde(rename = "taken")]
    is_taken_over: bool,
    calls: u64,
    /// Names of the running tools.
    going: Vec<String>,
    last: Option<String>,
    /// Number of steps that no page has put into the flow, and the newest of them.
    open: usize,
    steps: Vec<String>,
}

#[derive(Debug)]
struct OpenCall {
    tool: String,
    /// Index of its first act in the recording. `None` for a call that only reads.
    from: Option<usize>,
}

/// Acts of agents that no page put into the flow yet, as sorted ranges of the recording that do not touch.
#[derive(Debug, Default)]
struct OpenActs(Vec<Range<usize>>);

impl OpenActs {
    /// Returns the start of the last range if it ends with the last recorded act, so that a new act continues
    /// it.
    fn continued_from(&self, recorded: usize) -> Option<usize> {
        let last = self.0.last()?;
        (last.end == recorded).then_some(last.start)
    }

    /// Adds the acts from `from` to `end`, without `end`, as the last range. Ranges that touch or overlap it or
    /// begin after `from` are joined with it, and what they have from `end` on is removed: the recorder may have
    /// merged acts into fewer. If nothing is left, nothing is added.
    fn add(&mut self, from: usize, end: usize) {
        let mut from = from;
        while let Some(last) = self.0.pop_if(|last| last.end >= from) {
            from = from.min(last.start);
        }
        if from < end {
            self.0.push(from..end);
        }
    }

    /// Removes all acts from index `from` on; a range that reaches over it is cut.
    fn cut(&mut self, from: usize) {
        self.0.retain(|acts| acts.start < from);
        if let Some(last) = self.0.last_mut() {
            last.end = last.end.min(from);
        }
    }
}

impl AgentState {
    /// Notes that a page puts all acts from index `from` on into the flow. `recorded` is the number of acts so far.
    /// Acts before `from` of calls that still run stay open, and acts that these calls do later will be open again.
    /// Returns true if the open acts changed.
    fn put(&mut self, from: usize, recorded: usize) -> bool {
        let before = self.open.0.clone();
        for call in &mut self.active {
            if let Some(first) = &mut call.from {
                // What it does from now on is not in the flow yet.
                self.open.add(*first, from.min(recorded));
                *first = (*first).max(recorded);
            }
        }
        self.open.cut(from);
        self.open.0 != before
    }

    /// Takes all acts of agents that are in no flow yet, in the order of the recording. Empty if there are none.
    /// Calls that still run count from after them.
    fn take_acts(&mut self) -> Vec<Range<usize>> {
        let acts = std::mem::take(&mut self.open.0);
        let end = acts.last().map_or(0, |acts| acts.end);
        for call in &mut self.active {
            call.from = call.from.map(|first| first.max(end));
        }
        acts
    }
}

/// Returns the number of acts in the running recording; 0 without one.
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

    /// Sets the studio that the agents work in, held weakly. Only the first call counts.
    pub(super) fn set_studio(&self, studio: &Arc<Studio>) {
        // Set once: a server has one studio.
        let _ = self.studio.set(Arc::downgrade(studio));
    }

    /// Returns the state for the page, with at most the newest [`MAX_STEPS`] open steps and the number of all.
    /// Steps are in the order of the recording. Secrets are not masked here.
    pub(super) fn report(&self, studio: &Studio) -> AgentsReport {
        let state = self.state();
        let mut steps = studio.workspace.recorder.steps_of(&state.open.0).steps;
        let open = steps.len();
        steps.drain(..open.saturating_sub(MAX_STEPS));
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

    /// Notes that a page puts the steps from this act on into the flow, and tells the pages if open acts of agents
    /// changed.
    pub(super) fn put(&self, studio: &Studio, from: usize) {
        let is_new = self.state().put(from, recorded(&studio.workspace.recorder));
        if is_new {
            self.notify(studio);
        }
    }
}

impl CallWatch for Agents {
    /// Notes the beginning of a tool call and tells the pages. Refuses `runner_record` always, `runner_run_flow` while
    /// a run of the page is active or paused, and, while a person has taken over, each tool that does more than read. A
    /// refused call is not counted, and pages are not told. A call that does more than read begins a new step of the
    /// recording, unless it follows other acts of agents.
    fn begins(&self, tool: &str, effect: Effect) -> Result<(), Failure> {
        if tool == "runner_record" {
            return Err(Failure::usage(
                "the studio records all that is done; a person puts the steps into the flow on its page. Read them with `runner_look` and `runner_lint_flow`, or go on",
            ));
        }
        let studio = self.studio();
        // The run would take the device during a pause of the page's run, and keep it.
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
                // Successive acts of agents may become one step, but not together with a person's.
                let continued_from = state.open.continued_from(recorded(recorder));
                continued_from.unwrap_or_else(|| recorder.pause())
            });
        let tool = tool.to_owned();
        state.active.push(OpenCall { tool, from });
        drop(state);
        if let Some(studio) = studio {
            self.notify(&studio);
        }
        Ok(())
    }

    /// Notes the end of a tool call; of several open calls of the tool, the first one. A call that does more than
    /// read is added to the history while steps of agents, even of earlier calls, are in no flow yet. Always tells
    /// the pages, also about a tool without an open call.
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
            studio.note(format!("{AGENT_PREFIX}{tool}"), frame);
        }
        studio.acted.notify_one();
        self.notify(&studio);
    }
}

/// Returns the routes to take the device over or give it back, to take agents' steps, and to read the token.
pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/agents/take", post(take))
        .route("/agents/steps", post(steps))
        .route("/agents/token", post(token))
}

/// Request of a person to take the device over, or to give it back.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TakeOverRequest {
    #[serde(rename = "taken")]
    is_taken_over: bool,
}

async fn take(
    State(studio): SharedStudio,
    Json(requested): Json<TakeOverRequest>,
) -> Json<EmptyAnswer> {
    studio.agents.state().is_taken_over = requested.is_taken_over;
    studio.agents.notify(&studio);
    Json(EmptyAnswer {})
}

/// Token that an agent's client needs in addition to the address.
#[derive(Serialize)]
struct TokenAnswer {
    token: String,
}

/// Returns the token, for a page that is about to copy it.
async fn token(State(studio): SharedStudio, Json(_): Json<Value>) -> Json<TokenAnswer> {
    let token = studio.token.clone();
    Json(TokenAnswer { token })
}

/// Returns the steps of agents that are not in the flow yet, and no others. They count as put into the flow from
/// now on, which all pages are told. Empty if there are none; never an error. `block` in the answer is the start of
/// later steps.
async fn steps(State(studio): SharedStudio, Json(_): Json<RecordedRequest<Value>>) -> Answer {
    let block = answer::block(&studio, None);
    let acts = studio.agents.state().take_acts();
    studio.agents.notify(&studio);
    let steps = studio.workspace.recorder.steps_of(&acts);
    Ok(Json(answer::steps_json(&studio, block, &steps)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start and end of a range.
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
        assert_eq!(open.continued_from(0), None);
        open.add(0, 2);
        assert_eq!(open.continued_from(2), Some(0));
        open.add(0, 3);
        // A person acted in between.
        assert_eq!(open.continued_from(4), None);
        open.add(4, 7);
        assert_eq!(pairs(&open.0), [(0, 3), (4, 7)]);
        // Scrolls were merged into one step.
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
        // The call began at 2; a page took all from 3 on.
        let mut began = state(&[], &[2]);
        assert!(began.put(3, 4));
        assert_eq!(pairs(&began.open.0), [(2, 3)]);
        assert_eq!(began.active[0].from, Some(4));
        assert_eq!(pairs(&began.take_acts()), [(2, 3)]);
        assert_eq!(began.active[0].from, Some(4));
        // A call that continues acts which a page took begins behind them.
        let mut goes_on = state(&[(0, 3)], &[0]);
        assert_eq!(pairs(&goes_on.take_acts()), [(0, 3)]);
        assert_eq!(goes_on.active[0].from, Some(3));
    }
}
