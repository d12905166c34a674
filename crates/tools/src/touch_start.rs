//! Refuses touches that begin outside of the display: no app gets them, yet they would be told as done.

use crate::{Failure, Words};
use runner_device::Input;
use runner_engine::Session;
use runner_screen::{Display, Point};

/// Checks that each finger of an input goes down on the display, as the last look or else the beginning of the session
/// tells its size. A finger may leave the display on its way. Nothing is refused if the size is unknown.
///
/// # Errors
///
/// A failure of usage with the first point outside and the size of the display, which is asked anew before: it may have
/// turned.
pub(crate) async fn check_start(session: &Session, input: &Input) -> Result<(), Failure> {
    let observed = session.last_screen().map(|screen| screen.display());
    let first = session.device().info().display.needed().ok().copied();
    let Some(known) = observed.filter(has_size).or(first).filter(has_size) else {
        return Ok(());
    };
    if find_outside(input, known).is_none() {
        return Ok(());
    }
    let asked = session.display_now().await.ok().flatten();
    let display = asked.filter(has_size).unwrap_or(known);
    let Some(Point { x, y }) = find_outside(input, display) else {
        return Ok(());
    };
    let area = display.bounds();
    Err(Failure::usage(Words::format(
        "({}, {}) lies outside of the display, which has {}x{} pixels",
        &[&x, &y, &area.width(), &area.height()],
    )))
}

fn has_size(display: &Display) -> bool {
    !display.bounds().is_empty()
}

/// Returns the first point where a finger goes down outside of the display.
fn find_outside(input: &Input, display: Display) -> Option<Point> {
    let area = display.bounds();
    starts(input)
        .into_iter()
        .find(|point| !area.contains(*point))
}

/// Returns the points where fingers go down.
fn starts(input: &Input) -> Vec<Point> {
    match input {
        Input::Tap(point) | Input::DoubleTap(point) | Input::LongPress(point, _) => vec![*point],
        Input::Swipe(gesture) | Input::Drag(gesture) => vec![gesture.from],
        Input::Fingers { paths, .. } => {
            let firsts = paths.iter().filter_map(|path| path.points.first());
            firsts.map(|(point, _)| *point).collect()
        }
        Input::Pause(_) | Input::Key { .. } | Input::Combination(_) | Input::Text(_) => Vec::new(),
    }
}
