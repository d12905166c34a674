//! Taps, long presses and swipes.

use std::sync::Arc;
use std::time::Duration;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::find::{FoundElement, USUAL};
use super::start::beside_windows;
use super::texts::at;
use runner_device::{Direction, Gesture, Input};
use runner_engine::Session;
use runner_flow::maestro::{Coordinate, RawSelector, RawText, Swipe, SwipeGesture, Tap};
use runner_screen::maestro::{MaestroSelector, Match};
use runner_screen::{Display, Node, Point, Rect, Screen};
use runner_tools::{Failure, Words};

/// Duration of `longPressOn`, from `AndroidDriver.longPress`.
const LONG_PRESS: Duration = Duration::from_secs(3);
/// Milliseconds between two taps: `DEFAULT_REPEAT_DELAY` of `Commands.kt`.
const TAP_DELAY_MS: u64 = 100;
/// Milliseconds up to which two taps are sent as a double tap. Chosen: Android takes two taps for a double
/// tap within 300 ms, and sending them singly takes time too.
const MAX_DOUBLE_TAP_MS: u64 = 200;
/// Chosen: keeps a mistyped `repeat` from tapping for hours.
const MAX_TAPS: u32 = 1_000;
/// Looks, one a second, to wait for a covered element: `waitUntilVisible` of `Maestro.kt` repeats 10 times.
const MAX_COVERED_LOOKS: u32 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Short,
    Double,
    Long,
}

/// Parses a point of an area (the display or an element): two whole numbers, in pixels from its upper left corner, or
/// in percent if one has a `%`. Percents must be 0 to 100; pixels may lie outside. Any other text is a failure of usage
/// at its place.
fn point_in(raw: &RawText, text: &str, area: Rect) -> Result<Point, FailedTry> {
    let wrong = |why: &str| {
        let message = format!("`{text}` {why}; write `50%,20%` or pixels: `100,200`");
        at(raw, Failure::usage(message))
    };
    let numbers: Option<Vec<i64>> = text
        .replace('%', "")
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    let Some(&[x, y]) = numbers.as_deref() else {
        return Err(wrong("is not a point"));
    };
    if !text.contains('%') {
        return Ok(Point {
            x: area.left.saturating_add(x.clamp(-100_000, 100_000) as i32),
            y: area.top.saturating_add(y.clamp(-100_000, 100_000) as i32),
        });
    }
    if !(0..=100).contains(&x) || !(0..=100).contains(&y) {
        return Err(wrong("is not between 0% and 100%"));
    }
    let part = |length: u32, percent: i64| (i64::from(length) * percent / 100) as i32;
    Ok(Point {
        x: area.left + part(area.width(), x),
        y: area.top + part(area.height(), y),
    })
}

/// Parses a point of an element. Pixels must lie inside its bounds, percents be 0 to 100; otherwise it is a failure of
/// usage. Returns it in the display's coordinates.
pub(super) fn point_of_element(
    raw: &RawText,
    text: &str,
    bounds: Rect,
) -> Result<Point, FailedTry> {
    let point = point_in(raw, text, bounds)?;
    if text.contains('%') || bounds.contains(point) {
        return Ok(point);
    }
    let (width, height) = (bounds.width(), bounds.height());
    let message = format!("`{text}` is not in the element, which is {width} × {height} pixels");
    Err(at(raw, Failure::usage(message)))
}

/// Returns the middle of the bounds, or of their part on the display if that point is outside. Bounds
/// entirely outside keep their middle.
fn middle(bounds: Rect, display: Display) -> Point {
    let middle = bounds.center();
    if display.bounds().contains(middle) {
        return middle;
    }
    let part = bounds.intersection(&display.bounds());
    part.map_or(middle, |part| part.center())
}

/// Returns the inputs of a command at a point: a long press of 3 s, or taps with pauses between, of 0.1 s by default.
/// Two taps at most 0.2 s apart are a double tap. A number of taps is 1 to 1000, and `repeat` wins over the two of a
/// double tap.
fn inputs(tap: &Tap, touch: Touch, point: Point) -> Vec<Input> {
    if touch == Touch::Long {
        return vec![Input::LongPress(point, LONG_PRESS)];
    }
    let usual = if touch == Touch::Double { 2 } else { 1 };
    let count = tap.repeat.unwrap_or(usual).clamp(1, MAX_TAPS);
    let delay = tap.delay.unwrap_or(TAP_DELAY_MS);
    if count == 2 && delay <= MAX_DOUBLE_TAP_MS {
        return vec![Input::DoubleTap(point)];
    }
    let mut inputs = vec![Input::Tap(point)];
    for _ in 1..count {
        inputs.push(Input::Pause(Duration::from_millis(delay)));
        inputs.push(Input::Tap(point));
    }
    inputs
}

/// Returns the element as it is once the screen rests, else the first that the selector matches by then.
/// `None` if neither is there, or if the target is a toast.
fn settled_node<'s>(
    session: &Session,
    found: &FoundElement,
    wanted: &MaestroSelector,
    settled: &'s Screen,
) -> Option<Node<'s>> {
    let Match::Node(node) = found.target else {
        return None;
    };
    let again = session.find_again(&found.screen, node, settled);
    let again = again.or_else(|| match wanted.find(settled).ok()?.first()? {
        Match::Node(node) => Some(*node),
        Match::Toast(_) => None,
    });
    Some(settled.node(again?))
}

/// Refuses a touch that another window would take, with an assertion that names the window. Within a window
/// Maestro touches the middle, whatever is there.
fn check_windows(node: Node<'_>, point: Point) -> Result<(), Failure> {
    node.window_above(point).map_or(Ok(()), |window| {
        let element = runner_engine::describe(node);
        Err(Failure::assertion(Words::format(
            "{} is covered by {}, which would take the touch",
            &[&element, &window],
        )))
    })
}

/// Returns true if the last element in document order at the point has these bounds, or none is there.
/// Elements of the same bounds count as the same one.
fn is_on_top(screen: &Screen, bounds: Rect, point: Point) -> bool {
    let above = screen
        .nodes()
        .filter(|node| node.bounds().contains(point))
        .last();
    above.is_none_or(|node| node.bounds() == bounds)
}

impl Interpreter<'_, '_> {
    /// Touches an element, a point in it, or a point of the display, once the screen rests or after ten looks. Before a
    /// point of the display the project's rules answer dialogs. An element below another window, a toast, and a command
    /// without element and point fail; what covers an element in its own window does not count. Then waits, or taps
    /// again, only if the command's options say so.
    pub(super) async fn tap(
        &mut self,
        tap: &Tap,
        touch: Touch,
        optional: bool,
    ) -> Result<StepResult, FailedTry> {
        let wait = tap
            .wait_to_settle
            .map(|ms| Duration::from_millis(ms.into()));
        let text = match &tap.point {
            Some(raw) => Some((raw, self.words(raw).await?)),
            None => None,
        };
        let session = self.context.session;
        let (before, bounds, point) = match (&tap.selector, text) {
            (Some(selector), text) => {
                let (found, wanted, settled) = self.find_settled(selector, optional, wait).await?;
                let node = settled_node(session, &found, &wanted, &settled);
                let bounds = node.map_or(found.place()?, Node::bounds);
                let point = match text {
                    Some((raw, text)) => point_of_element(raw, &text, bounds)?,
                    None => middle(bounds, settled.display()),
                };
                if let Some(node) = node {
                    check_windows(node, point)?;
                }
                (Some(settled), Some(bounds), point)
            }
            (None, Some((raw, text))) => {
                let before = self.wait_for_idle().await?;
                session.begin_step(USUAL);
                let settled = session.answer_dialogs().await.map_err(Failure::from)?;
                let before = settled.or(before);
                let display = session.display().await.map_err(Failure::from)?;
                (before, None, point_in(raw, &text, display.bounds())?)
            }
            (None, None) => return Err(Failure::usage("there is nothing to tap on").into()),
        };
        let inputs = inputs(tap, touch, point);
        session.input(&inputs).await.map_err(Failure::from)?;
        self.state().touched = (touch == Touch::Short).then_some(point);
        if tap.retry_if_no_change || tap.wait_until_visible || wait.is_some() {
            self.after_tap(tap, &inputs, before, bounds, point).await?;
        }
        Ok(StepResult {
            bounds,
            ..StepResult::default()
        })
    }

    /// Finds an element to touch, and waits until the screen rests, for `wait` or else ten looks. If a dialog hides the
    /// element by then, answers it by the project's rules and finds the element again; one that stays is a failure.
    /// Returns the element, its selector and the last look.
    async fn find_settled(
        &mut self,
        selector: &RawSelector,
        optional: bool,
        wait: Option<Duration>,
    ) -> Result<(FoundElement, MaestroSelector, Arc<Screen>), FailedTry> {
        let session = self.context.session;
        loop {
            let (found, wanted) = self.find_to_touch(selector, optional).await?;
            // Nothing is waited for if it is a toast.
            found.place()?;
            let settled = session
                .settle(Some(Arc::clone(&found.screen)), wait)
                .await
                .map_err(Failure::from)?;
            let node = settled_node(session, &found, &wanted, &settled).map(Node::index);
            let open = session.open_elements(&settled, node).await;
            if open.map_err(Failure::from)?.is_some() {
                return Ok((found, wanted, settled));
            }
        }
    }

    /// Waits until the screen rests after a tap, and taps again at most once: if all rows stayed the same and the tap's
    /// options ask for it. With `retry_if_no_change` that is at once. With `wait_until_visible` and a covered element
    /// it is after it was uncovered, or after 10 s at the latest. Without a look before the tap, never.
    async fn after_tap(
        &mut self,
        tap: &Tap,
        inputs: &[Input],
        before: Option<Arc<Screen>>,
        bounds: Option<Rect>,
        point: Point,
    ) -> Result<(), FailedTry> {
        let wait = tap
            .wait_to_settle
            .map(|ms| Duration::from_millis(ms.into()));
        let session = self.context.session;
        session.begin_step(USUAL);
        let after = session.settle(None, wait).await.map_err(Failure::from)?;
        let is_same = before.is_some_and(|before| Session::shows_the_same(&before, &after));
        if !is_same {
            return Ok(());
        }
        if tap.retry_if_no_change {
            session.input(inputs).await.map_err(Failure::from)?;
            return Ok(());
        }
        let Some(bounds) = bounds.filter(|_| tap.wait_until_visible) else {
            return Ok(());
        };
        if is_on_top(&after, bounds, point) {
            return Ok(());
        }
        for _ in 0..MAX_COVERED_LOOKS {
            session
                .pause(Duration::from_secs(1))
                .await
                .map_err(Failure::from)?;
            let screen = session.look().await.map_err(Failure::from)?;
            if is_on_top(&screen, bounds, point) {
                break;
            }
        }
        session.input(inputs).await.map_err(Failure::from)?;
        Ok(())
    }

    /// Swipes over the display, between two points, or from an element towards an edge, once the screen rests or after
    /// ten looks. The first two answer dialogs before. An element that another window covers is a failure. A swipe in a
    /// direction runs on another line if a window lies above its start; one between points stays as it is. Does not
    /// check that anything moved.
    pub(super) async fn swipe(
        &mut self,
        swipe: &Swipe,
        optional: bool,
    ) -> Result<StepResult, FailedTry> {
        let (display, screen) = match &swipe.gesture {
            SwipeGesture::Element { .. } => (self.display_at_rest().await?, None),
            SwipeGesture::Direction(_) | SwipeGesture::Points { .. } => {
                self.display_to_swipe().await?
            }
        };
        let duration = Duration::from_millis(swipe.duration);
        let mut bounds = None;
        let (from, to) = match &swipe.gesture {
            SwipeGesture::Direction(direction) => over_display(*direction, display),
            SwipeGesture::Points { start, end } => {
                let place = |point: &runner_flow::maestro::Point| Point {
                    x: coordinate(point.x, display.width),
                    y: coordinate(point.y, display.height),
                };
                (place(start), place(end))
            }
            SwipeGesture::Element {
                from,
                point,
                direction,
            } => {
                let text = match point {
                    Some(raw) => Some((raw, self.words(raw).await?)),
                    None => None,
                };
                let found = self.find(from, optional).await?;
                let place = found.place()?;
                bounds = Some(place);
                let start = match text {
                    Some((raw, text)) => point_of_element(raw, &text, place)?,
                    None => middle(place, display),
                };
                if let Match::Node(node) = found.target {
                    check_windows(found.screen.node(node), start)?;
                }
                (start, to_edge(start, *direction, display))
            }
        };
        let mut gesture = Gesture { from, to, duration };
        // Points are touched as they are named, as by a tap: a swipe from the edge opens what lies above.
        if matches!(swipe.gesture, SwipeGesture::Direction(_)) {
            gesture = beside_windows(gesture, display.bounds(), screen.as_deref())?;
        }
        self.swipe_once(gesture, swipe.wait_to_settle).await?;
        Ok(StepResult {
            bounds,
            ..StepResult::default()
        })
    }

    /// Returns the display as the last look shows it, once the screen rests or after ten looks. A screen that cannot be
    /// read is not waited for.
    pub(super) async fn display_at_rest(&mut self) -> Result<Display, FailedTry> {
        self.wait_for_idle().await?;
        let display = self.context.session.display().await;
        Ok(display.map_err(Failure::from)?)
    }

    /// Swipes once. With `wait` it then waits until the screen rests, at most that many milliseconds, and
    /// returns the last look, at rest or not. Without it returns `None` at once.
    pub(super) async fn swipe_once(
        &self,
        gesture: Gesture,
        wait: Option<u32>,
    ) -> Result<Option<Arc<Screen>>, FailedTry> {
        let session = self.context.session;
        session.begin_step(USUAL);
        session
            .input(&[Input::Swipe(gesture)])
            .await
            .map_err(Failure::from)?;
        let Some(ms) = wait else {
            return Ok(None);
        };
        let limit = Some(Duration::from_millis(ms.into()));
        let settled = session.settle(None, limit).await.map_err(Failure::from)?;
        Ok(Some(settled))
    }
}

/// Converts a coordinate to pixels; percents are of `length`, rounded down.
fn coordinate(coordinate: Coordinate, length: u32) -> i32 {
    match coordinate {
        Coordinate::Percent(percent) => percent_of(length, percent.into()),
        Coordinate::Pixels(pixels) => pixels,
    }
}

fn percent_of(length: u32, percent: u64) -> i32 {
    (u64::from(length) * percent / 100) as i32
}

/// Returns start and end of a swipe over the display in the finger's direction, along its middle: between 10
/// % and 90 %, upwards from the middle, and downwards from 20 %.
fn over_display(direction: Direction, display: Display) -> (Point, Point) {
    let at = |x, y| Point {
        x: percent_of(display.width, x),
        y: percent_of(display.height, y),
    };
    match direction {
        Direction::Up => (at(50, 50), at(50, 10)),
        Direction::Down => (at(50, 20), at(50, 90)),
        Direction::Right => (at(10, 50), at(90, 50)),
        Direction::Left => (at(90, 50), at(10, 50)),
    }
}

/// Returns the end of a swipe that begins at a point: on the same line, 10 % of the display before the edge
/// in the finger's direction.
pub(super) fn to_edge(from: Point, direction: Direction, display: Display) -> Point {
    let (near, far) = (10, 90);
    match direction {
        Direction::Up => Point {
            y: percent_of(display.height, near),
            ..from
        },
        Direction::Down => Point {
            y: percent_of(display.height, far),
            ..from
        },
        Direction::Right => Point {
            x: percent_of(display.width, far),
            ..from
        },
        Direction::Left => Point {
            x: percent_of(display.width, near),
            ..from
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> RawText {
        let source = runner_text::diagnostic::Source {
            path: "a.yaml".into(),
            text: text.to_owned(),
        };
        RawText {
            text: text.to_owned(),
            source: Arc::new(source),
            span: 0..text.len(),
        }
    }

    #[test]
    fn points_are_percent_or_pixels() {
        let area = Rect::new(100, 200, 300, 600);
        let place = |text: &str| point_of_element(&raw(text), text, area);
        let at = |x, y| Point { x, y };
        assert_eq!(place("50%,50%").unwrap(), at(200, 400));
        assert_eq!(place("50%, 90%").unwrap(), at(200, 560));
        assert_eq!(place("25, 40").unwrap(), at(125, 240));
        for wrong in [
            "101%,0%", "-1%,0%", "200,0", "-1,0", "a,b", "5", "1,2,3", "",
        ] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn taps_repeat_with_a_pause() {
        let tap = |repeat, delay| Tap {
            selector: None,
            point: None,
            retry_if_no_change: false,
            wait_until_visible: false,
            repeat,
            delay,
            wait_to_settle: None,
        };
        let point = Point { x: 1, y: 2 };
        let count = |tap: Tap, touch| inputs(&tap, touch, point).len();
        assert_eq!(count(tap(None, None), Touch::Short), 1);
        assert_eq!(count(tap(Some(3), Some(500)), Touch::Short), 5);
        assert_eq!(
            inputs(&tap(None, None), Touch::Double, point),
            [Input::DoubleTap(point)]
        );
        assert_eq!(count(tap(None, Some(500)), Touch::Double), 3);
        assert_eq!(
            inputs(&tap(Some(3), None), Touch::Long, point),
            [Input::LongPress(point, LONG_PRESS)]
        );
    }

    #[test]
    fn swipes_go_where_maestro_swipes() {
        let display = Display {
            width: 1000,
            height: 2000,
            density: 0,
            rotation: 0,
        };
        let at = |x, y| Point { x, y };
        let cases = [
            (Direction::Up, at(500, 1000), at(500, 200)),
            (Direction::Down, at(500, 400), at(500, 1800)),
            (Direction::Left, at(900, 1000), at(100, 1000)),
            (Direction::Right, at(100, 1000), at(900, 1000)),
        ];
        for (direction, from, to) in cases {
            assert_eq!(
                over_display(direction, display),
                (from, to),
                "{direction:?}"
            );
        }
        assert_eq!(to_edge(at(3, 4), Direction::Up, display), at(3, 200));
        assert_eq!(to_edge(at(3, 4), Direction::Right, display), at(900, 4));
    }
}
