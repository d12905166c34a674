//! Makes failures of the engine's errors: whose fault it is, what is known, and what the caller could do.

mod typed_part;

use typed_part::guess;

use super::{Advice, Failure, FailureKind, Fix, Words};
use runner_engine::{
    Direction, EngineError, Miss, MissingElement, RESTLESS_LOOK_LIMIT, SearchGaps,
};

/// Facts of a text whose field is empty.
const MAY_BE_TAKEN: &str = "the field is empty: the app may have taken the text, the field may refuse it, or no key arrived; it is not typed twice";

impl From<EngineError> for Failure {
    /// Converts to a failure with its kind, advice and fixes. Errors of the device keep the kind that they have alone.
    /// A screen that does not come to rest, or is not read in time, is a `Timeout`. Nearly all else is a failed
    /// assertion, also causes that are not listed here.
    fn from(error: EngineError) -> Self {
        let message = words(&error);
        match error {
            EngineError::Device(error) => error.into(),
            EngineError::NotFound(missing) => missing_element(message, *missing),
            EngineError::PartialScreen { why, .. } if why.is_infrastructure() => {
                Self::new(FailureKind::Infrastructure, message)
            }
            EngineError::Several { candidates, .. }
            | EngineError::StillThere { candidates, .. } => {
                Self::assertion(message).with_advice([Advice::Matches(candidates)])
            }
            EngineError::Disabled { element, .. } => Self::assertion(message)
                .with_details([format!("it is {element}")])
                .with_advice([Advice::Enable]),
            EngineError::Covered { element, .. } => Self::assertion(message)
                .with_details([format!("it is {element}")])
                .with_advice([Advice::Uncover]),
            EngineError::NotShown { scrolls, .. } => Self::assertion(message).with_details([
                format!("scrolls: {scrolls}"),
                "a side at the edge of a container may be cut; scroll that container with `in` and `direction`"
                    .to_owned(),
            ]),
            EngineError::NotMoved { scrolls, .. } => Self::assertion(message).with_details([
                format!("scrolls: {scrolls}; nothing moved, neither this way nor back"),
                "what it is in scrolls, so the device may not have taken the finger; without `center` each place counts"
                    .to_owned(),
            ]),
            EngineError::NotScrolledTo {
                unseen,
                misses,
                element,
                scrolls,
                ended,
                unsearched,
                direction,
            } => Self {
                fixes: fixes(&element, &misses),
                is_of_missing: true,
                ..Self::assertion(message)
            }
            .with_details([format!("scrolls: {scrolls}; {}", search_end(ended, &unsearched))])
            .with_advice(unsearched.back.map(search_back))
            .with_details(not_searched(direction, *unsearched))
            .with_details(unseen)
            .with_advice(near_misses(misses)),
            EngineError::NotTyped {
                expected,
                actual,
                before,
                may_be_taken,
                ..
            } => {
                let texts = expected.as_deref().zip(actual.as_deref());
                let guess = texts.and_then(|(expected, actual)| guess(expected, actual));
                Self {
                    expected,
                    actual,
                    ..Self::assertion(message)
                }
                .with_details(may_be_taken.then_some(MAY_BE_TAKEN))
                .with_details(guess)
                .with_advice(may_be_taken.then_some(Advice::TypeInTwo))
                .with_advice(before.map(|before| Advice::Empty { before }))
            }
            EngineError::NotEditable { instead, .. } | EngineError::NoFocus { instead } => {
                Self::assertion(message).with_advice(instead.map(Advice::Fields))
            }
            EngineError::NoCaret { .. } => {
                Self::new(FailureKind::Unsupported, message).with_advice([Advice::TypeWhole])
            }
            EngineError::NotRead { .. } => Self::new(FailureKind::Timeout, message)
                .with_advice([Advice::MoreTime(RESTLESS_LOOK_LIMIT)]),
            EngineError::NotIdle { .. } | EngineError::LookCutOff { .. } => {
                Self::new(FailureKind::Timeout, message)
            }
            _ => Self::assertion(message),
        }
    }
}

/// Returns the reason why a search by scrolling ended: the finger would touch something else, else nothing moves any
/// more (`ended`), else the limit of scrolls.
fn search_end(ended: bool, unsearched: &SearchGaps) -> String {
    match &unsearched.taker {
        Some(taker) => format!("the finger would touch {taker}, so close or move that first"),
        None if ended => "nothing moves any more".to_owned(),
        None => "that is the limit".to_owned(),
    }
}

/// Builds the advice to search in the direction `back`, as only the other side was searched.
fn search_back(back: Direction) -> Advice {
    let searched = match back {
        Direction::Down => "above",
        Direction::Up => "below",
        Direction::Left => "on the right",
        Direction::Right => "on the left",
    };
    Advice::Arguments {
        fact: format!("only what is {searched} was searched"),
        arguments: vec![("direction", back.word().into())],
    }
}

/// Returns one line for each container that a search by scrolling left out, with what to write to search it, and one if
/// what was named does not scroll. Nothing if it left out none.
fn not_searched(direction: &str, unsearched: SearchGaps) -> impl Iterator<Item = String> {
    let still = unsearched.still.map(|others| match others.as_slice() {
        [] => format!("what `in` names does not scroll {direction}, nor does anything else here"),
        [other, ..] => format!(
            "what `in` names does not scroll {direction}; {other} does: leave `in` out, or name that"
        ),
    });
    let way = unsearched.across_direction.word();
    let others = unsearched.others.into_iter().map(|other| {
        format!("{other} scrolls too and was not searched; `in` names the container to scroll")
    });
    let across = unsearched.across.into_iter().map(move |row| {
        format!(
            "{row} scrolls {way} and was not searched; write `direction: {way}`, and name it with `in`"
        )
    });
    still.into_iter().chain(others).chain(across)
}

fn near_misses(misses: Vec<Miss>) -> impl Iterator<Item = Advice> {
    let boxed = misses.into_iter().map(Box::new);
    boxed.map(Advice::NearMiss)
}

/// Builds the failed assertion for a selector that matches nothing: near misses with their fixes, elements that were
/// left out, what a partial look may lack, and where to scroll. The screen is described only if there is neither a near
/// miss nor an element left out.
fn missing_element(message: Words, missing: MissingElement) -> Failure {
    let MissingElement {
        selector,
        screen,
        unseen,
        partial,
        misses,
        closed,
        scroller,
        toasts,
        choices,
    } = missing;
    let is_near = !misses.is_empty() || !unseen.is_empty();
    let screen = screen.filter(|_| !is_near);
    let fixes = fixes(&selector.to_string(), &misses);
    let scroll = scroller.map(|scroller| Advice::Scroll {
        scroller,
        selector: Box::new(selector),
    });
    Failure {
        fixes,
        is_of_missing: true,
        ..Failure::assertion(message)
    }
    .with_details(unseen)
    .with_details(screen.map(|screen| describe_screen(&screen)))
    .with_details(partial.map(|why| format!("the look may lack it: {why}")))
    .with_advice(near_misses(misses))
    .with_advice((!closed.is_empty()).then_some(Advice::Open(closed)))
    .with_advice(toasts.map(Advice::Toasts))
    .with_advice(scroll)
    .with_advice(choices.map(Advice::Choices))
}

/// Converts an error's message. Words of the program may be shown to anyone; a selector, element or id in it
/// is marked as a value, which may be a secret. A message whose parts are not known counts as a value.
fn words(error: &EngineError) -> Words {
    let text = error.to_string();
    match error {
        EngineError::NotFound(missing) => Words::around(&missing.selector.to_string(), text),
        EngineError::Several { selector, .. }
        | EngineError::StillThere { selector, .. }
        | EngineError::Disabled { selector, .. }
        | EngineError::Covered { selector, .. } => Words::around(selector, text),
        EngineError::Hidden { element }
        | EngineError::NotEditable { element, .. }
        | EngineError::NoCaret { element }
        | EngineError::NotTyped { element, .. }
        | EngineError::NotScrolledTo { element, .. }
        | EngineError::NotShown { element, .. }
        | EngineError::NotMoved { element, .. }
        | EngineError::NoScrollable { element } => Words::around(element, text),
        EngineError::UnknownId { id } => Words::around(id, text),
        EngineError::NoFocus { .. }
        | EngineError::LookCutOff { .. }
        | EngineError::NotRead { .. }
        | EngineError::NotIdle { .. } => Words::around("", text),
        _ => text.into(),
    }
}

/// Describes the screen in one line: the app and activity in front, if known, and the number of elements.
fn describe_screen(screen: &runner_screen::Screen) -> String {
    match screen.foreground() {
        Some((package, activity)) => {
            format!(
                "in front is {package}/{activity}, {} elements",
                screen.len()
            )
        }
        None => format!("{} elements on the screen", screen.len()),
    }
}

/// Builds edits of the selector `was`, one for each nearest miss, in the same order.
fn fixes(was: &str, misses: &[Miss]) -> Vec<Fix> {
    let fix = |miss: &Miss| Fix::Selector {
        was: was.to_owned(),
        write: miss.name.selector.to_string(),
        miss: format!("{}: {}", miss.element, miss.why),
    };
    misses.iter().map(fix).collect()
}
