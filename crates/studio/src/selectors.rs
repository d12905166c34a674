//! Finds selectors for a picked element, and the elements of a written selector.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::frames::Look;
use super::view::{ScreenCounts, count_screens};
use super::{Studio, StudioError};
use runner_agent::record::Assertion;
use runner_screen::selector::{NearMiss, Purpose};
use runner_screen::{NodeIndex, Screen, Selector};

/// Screens of earlier acts on which a selector is tried. Chosen: shows whether it is unique, without delay.
const MAX_SCREENS: usize = 40;

/// Bytes of a selector that a person writes. Chosen: far more than a selector has.
const MAX_SELECTOR_BYTES: usize = 4000;

/// Elements returned for a selector. Chosen: more marks would cover the picture.
const MAX_MATCHES: usize = 200;

/// Near misses returned for a selector. Chosen: as many as a person compares.
const MAX_MISSES: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pick {
    seq: u64,
    node: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trial {
    seq: u64,
    selector: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AssertionRequest {
    seq: u64,
    node: Option<u32>,
    /// Selector as the person chose or wrote it. `None` for a snapshot of the whole screen.
    selector: Option<String>,
    kind: AssertionKind,
    /// Name of a snapshot.
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AssertionKind {
    Visible,
    Gone,
    Text,
    State,
    Wait,
    Snapshot,
}

#[derive(Serialize)]
pub(super) struct PickAnswer {
    seq: u64,
    node: u32,
    selectors: Vec<RankedAnswer>,
}

#[derive(Serialize)]
struct RankedAnswer {
    selector: String,
    matches: usize,
    doubts: Vec<&'static str>,
    recorded: ScreenCounts,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum TrialAnswer {
    /// The selector does not parse, for this reason.
    Wrong { wrong: String },
    Found {
        seq: u64,
        selector: String,
        count: usize,
        nodes: Vec<u32>,
        misses: Vec<MissAnswer>,
        recorded: ScreenCounts,
    },
}

/// Element that nearly matches.
#[derive(Serialize)]
pub(super) struct MissAnswer {
    node: u32,
    why: String,
    write: String,
}

/// Returns at most 12 selectors of an element, the best first, each with the number of its matches and on how many
/// recorded screens it selects one or several. An error if the picture is not kept, its rows are not read, or it has no
/// such element.
pub(super) fn pick(studio: &Studio, pick: &Pick) -> Result<PickAnswer, StudioError> {
    let (frame, recorded) = (
        studio.frame(pick.seq)?,
        studio.frames().screens(MAX_SCREENS),
    );
    let look = frame.known()?;
    let node = node(&look.screen, pick.node)?;
    let selectors = Selector::ranked(&look.screen, node)
        .into_iter()
        .map(|ranked| RankedAnswer {
            selector: ranked.selector.to_string(),
            matches: ranked.matches,
            doubts: ranked.doubts.iter().map(|doubt| doubt.words()).collect(),
            recorded: on_recorded(&ranked.selector, &recorded),
        })
        .collect();
    Ok(PickAnswer {
        seq: pick.seq,
        node: pick.node,
        selectors,
    })
}

/// Returns the elements that a selector selects on a picture, at most [`MAX_MATCHES`] of them; if none, those that
/// it nearly selects. The answer has the number of all matches, and at most [`MAX_MISSES`] near ones. A selector
/// that cannot be parsed is an answer with the reason, no error. An error if the picture is not kept or its rows
/// are not read.
pub(super) fn attempt(studio: &Studio, trial: &Trial) -> Result<TrialAnswer, StudioError> {
    let (frame, recorded) = (
        studio.frame(trial.seq)?,
        studio.frames().screens(MAX_SCREENS),
    );
    let Look { screen, .. } = frame.known()?;
    let selector = match parse(&trial.selector) {
        Ok(selector) => selector,
        // Not an error: the person may still be typing.
        Err(wrong) => {
            let wrong = wrong.to_string();
            return Ok(TrialAnswer::Wrong { wrong });
        }
    };
    let found = selector.find(screen);
    let misses = if found.is_empty() {
        selector.near_misses(screen, MAX_MISSES, Purpose::Action)
    } else {
        Vec::new()
    };
    let answer = |miss: NearMiss| MissAnswer {
        node: miss.node.0,
        why: miss.why,
        write: miss.selector.to_string(),
    };
    Ok(TrialAnswer::Found {
        seq: trial.seq,
        selector: selector.to_string(),
        count: found.len(),
        nodes: found.iter().take(MAX_MATCHES).map(|node| node.0).collect(),
        misses: misses.into_iter().map(answer).collect(),
        recorded: on_recorded(&selector, &recorded),
    })
}

/// Adds an assertion to the recording and the history. It is not checked. The picture `seq` becomes the one before
/// and after it. A snapshot is of the selector's element, or of the whole screen without one. Returns an error if
/// the kind needs a selector, an element or a name and the request has none, if a selector does not parse, or if
/// the picture's rows are not known.
pub(super) fn assert(studio: &Studio, request: &AssertionRequest) -> Result<(), StudioError> {
    let frame = studio.frame(request.seq)?;
    let screen = &frame.known()?.screen;
    let selector = request.selector.as_deref().map(parse).transpose()?;
    let needed = || selector.clone().ok_or(StudioError::NoElement);
    let (what, assertion) = match request.kind {
        AssertionKind::Visible => ("assert visible", Assertion::Visible(needed()?)),
        AssertionKind::Gone => ("assert not visible", Assertion::Gone(needed()?)),
        AssertionKind::Wait => ("wait", Assertion::Wait(needed()?)),
        AssertionKind::Text => {
            let node = node(screen, request.node.ok_or(StudioError::NoElement)?)?;
            ("assert text", assert_text(screen, node, needed()?)?)
        }
        AssertionKind::State => {
            let node = node(screen, request.node.ok_or(StudioError::NoElement)?)?;
            ("assert state", assert_state(screen, node, needed()?))
        }
        AssertionKind::Snapshot => {
            let name = request
                .name
                .as_deref()
                .unwrap_or_default()
                .trim()
                .to_owned();
            if name.is_empty() {
                return Err(StudioError::NoName);
            }
            ("snapshot", Assertion::Snapshot { name, of: selector })
        }
    };
    studio.workspace.recorder.assert(assertion, Some(screen));
    studio.note(what.to_owned(), Some(Arc::clone(&frame)));
    studio.frames().settle(&frame);
    Ok(())
}

/// Builds an assertion of the element's text. The element needs a selector that does not use its text: the chosen
/// one, else the best other that selects only this element. The text is the displayed one, as it is now. Returns
/// [`StudioError::OnlyWords`] if there is no such selector or the element has no text.
fn assert_text(
    screen: &Screen,
    node: NodeIndex,
    chosen: Selector,
) -> Result<Assertion, StudioError> {
    let names_itself = |selector: &Selector| {
        let (locating, expected) = selector.split_expectations();
        expected.is_empty() && {
            let value = locating.to_value();
            value.as_object().is_some_and(|map| {
                let keys = [
                    "id", "class", "inside", "has", "below", "above", "left_of", "right_of",
                ];
                keys.iter().any(|key| map.contains_key(*key))
            })
        }
    };
    let ranked = Selector::ranked(screen, node);
    let mut others = ranked.into_iter().filter(|ranked| ranked.matches == 1);
    let on = if names_itself(&chosen) {
        Some(chosen)
    } else {
        others
            .find(|ranked| names_itself(&ranked.selector))
            .map(|ranked| ranked.selector)
    };
    let text = screen.node(node).display_text();
    let on = on
        .filter(|_| !text.is_empty())
        .ok_or(StudioError::OnlyWords)?;
    Ok(Assertion::State(on, vec![("text", json!(text))]))
}

/// Builds an assertion of the present state that says most, and of one state only: checked or not for what can be
/// checked, else selected if it is selected, else enabled or not.
fn assert_state(screen: &Screen, node: NodeIndex, on: Selector) -> Assertion {
    let flags = screen.node(node).flags();
    let state = if flags.checkable {
        ("checked", json!(flags.checked))
    } else if flags.selected {
        ("selected", json!(true))
    } else {
        ("enabled", json!(flags.enabled))
    };
    Assertion::State(on, vec![state])
}

/// Returns the element with this number, counted from 0 in the order of the screen, or an error if the screen has
/// none.
fn node(screen: &Screen, number: u32) -> Result<NodeIndex, StudioError> {
    let is_there = (number as usize) < screen.len();
    is_there
        .then_some(NodeIndex(number))
        .ok_or(StudioError::NoElement)
}

/// Parses a selector as flows write it: YAML, at most [`MAX_SELECTOR_BYTES`]. A plain text is a selector by text.
/// Blanks around it are ignored. Returns [`StudioError::Selector`] with the reason for a longer text, for no YAML,
/// and for YAML that is no selector.
fn parse(text: &str) -> Result<Selector, StudioError> {
    if text.len() > MAX_SELECTOR_BYTES {
        return Err(StudioError::Selector(format!(
            "it is longer than {MAX_SELECTOR_BYTES} bytes"
        )));
    }
    let value: Value = serde_yaml::from_str(text.trim()).map_err(|_| {
        StudioError::Selector(
            "it is not YAML; put a text with special characters into quotes".to_owned(),
        )
    })?;
    Selector::from_value(&value).map_err(|error| StudioError::Selector(error.to_string()))
}

/// Counts all screens, those on which the selector finds one element, and those with several.
fn on_recorded(selector: &Selector, screens: &[Arc<Screen>]) -> ScreenCounts {
    count_screens(
        |screen| selector.find(screen).len(),
        screens.iter().map(|screen| &**screen),
    )
}
