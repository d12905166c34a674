//! `scroll` and `scrollUntilVisible`.

use std::sync::Arc;
use std::time::Duration;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::find::{FoundElement, Search, first_match, not_found};
use super::start::beside_windows;
use super::texts::{at, finite_number};
use runner_device::{ClockTime, Direction, Gesture};
use runner_engine::{Course, Look, LookPolicy, Seek, SeekState, Turn, seek};
use runner_flow::maestro::{RawSelector, ScrollUntilVisible};
use runner_screen::maestro::{MaestroSelector, visible_share};
use runner_screen::selector::Purpose;
use runner_screen::{Display, Point, Rect, Screen};
use runner_text::units::RoundedDuration;
use runner_tools::Failure;

/// Duration of the swipe of `scroll`, from `AndroidDriver.scrollVertical`.
const SCROLL_DURATION: Duration = Duration::from_millis(400);
/// Time of `scrollUntilVisible` without `timeout`: `DEFAULT_TIMEOUT_IN_MILLIS` of `Commands.kt`.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(20);
/// Speed of `scrollUntilVisible` without `speed`, 0 to 100: `DEFAULT_SCROLL_DURATION` of `Commands.kt`.
const DEFAULT_SPEED: f64 = 40.0;
/// Time to look for the element before each swipe, from `Orchestra.kt`.
const LOOK_LIMIT: Duration = Duration::from_millis(500);
/// Visible share of an element from which on `centerElement` applies, from `Orchestra.kt`.
const MIN_CENTRED_SHARE: f64 = 0.1;
/// Swipes to centre an element that is visible already: at the end of a list nothing moves any more.
/// `Orchestra.kt` allows `maxRetryCenterCount` 4 and the first one.
const MAX_CENTRING_SWIPES: u32 = 5;

/// Returns a swipe from the middle of an area nearly to its edge in the finger's direction: 10 % before it.
fn from_middle(area: Rect, finger: Direction, duration: Duration) -> Gesture {
    let from = area.center();
    let share = |whole: u32, percent: u32| (whole * percent / 100) as i32;
    let x = |percent| area.left + share(area.width(), percent);
    let y = |percent| area.top + share(area.height(), percent);
    let to = match finger {
        Direction::Up => Point { y: y(10), ..from },
        Direction::Down => Point { y: y(90), ..from },
        Direction::Right => Point { x: x(90), ..from },
        Direction::Left => Point { x: x(10), ..from },
    };
    Gesture { from, to, duration }
}

/// Returns the duration of a swipe at a speed.
fn duration_of(speed: f64) -> Duration {
    let ms = 1000.0 * (100.0 - speed) / 100.0 + 1.0;
    Duration::from_millis(if ms < 0.0 { 40 } else { ms as u64 })
}

/// Returns true if an element that enters by this movement of the finger has nearly reached the display's
/// middle, or has passed it: it is at most 20 % of the display's length before it.
fn is_centred(bounds: Rect, finger: Direction, display: Display) -> bool {
    let middle = bounds.center();
    let (width, height) = (display.width as i32, display.height as i32);
    match finger {
        Direction::Right => middle.x > width / 2 - width / 5,
        Direction::Left => middle.x < width / 2 + width / 5,
        Direction::Up => middle.y < height / 2 + height / 5,
        Direction::Down => middle.y > height / 2 - height / 5,
    }
}

impl Interpreter<'_, '_> {
    /// Waits until the screen rests, for at most ten looks, answers dialogs, and swipes up once from the display's
    /// middle to 10 % before its edge. Uses another line if a window lies above the start, and fails if one covers all
    /// lines. Does not check that anything moved.
    pub(super) async fn scroll(&mut self) -> Result<StepResult, FailedTry> {
        let (display, screen) = self.display_to_swipe().await?;
        let area = display.bounds();
        let gesture = from_middle(area, Direction::Up, SCROLL_DURATION);
        let gesture = beside_windows(gesture, area, screen.as_deref())?;
        self.swipe_once(gesture, None).await?;
        Ok(StepResult::default())
    }

    /// Scrolls in one direction until enough of the element is visible, and returns its bounds. It looks before the
    /// first swipe. Fails with near misses once `timeout` is up, by default 20 s; there is no other limit on swipes,
    /// and the end of a list does not stop it.
    pub(super) async fn scroll_until_visible(
        &mut self,
        scroll: &ScrollUntilVisible,
    ) -> Result<StepResult, FailedTry> {
        let selector = self.selector(&scroll.element).await?;
        let limit = self
            .time(scroll.timeout.as_ref())
            .await?
            .unwrap_or(DEFAULT_TIMEOUT);
        let speed = match &scroll.speed {
            Some(raw) => {
                let text = self.words(raw).await?;
                finite_number(&text).ok_or_else(|| {
                    let why = format!("the speed `{text}` is not a number from 0 to 100");
                    at(raw, Failure::usage(why))
                })?
            }
            None => DEFAULT_SPEED,
        };
        let display = self.display_at_rest().await?;
        let area = match &scroll.within {
            Some(within) => self.scrolled_area(within).await?,
            None => display.bounds(),
        };
        let mut seeker = VisibleSeek {
            selector,
            limit,
            duration: duration_of(speed),
            area,
            display,
            began: self.context.session.clock().now(),
            centring: 0,
            last: None,
            interpreter: self,
            scroll,
        };
        let first = seeker.look().await?;
        let course = Course {
            direction: scroll.direction,
            turn: Turn::Never,
            max: u32::MAX,
        };
        if let Some(bounds) = seek(&mut seeker, first, course).await?.found {
            return Ok(StepResult {
                bounds: Some(bounds),
                ..StepResult::default()
            });
        }
        let VisibleSeek { selector, last, .. } = seeker;
        let failure = not_found(&selector, last.as_deref(), Purpose::Action);
        let left_out = match scroll.direction {
            Direction::Up => Some("only what is above was searched; write `direction: DOWN`"),
            Direction::Left => {
                Some("only what is on the left was searched; write `direction: RIGHT`")
            }
            Direction::Down | Direction::Right => None,
        };
        Err(failure
            .with_details(left_out)
            .with_message(format!(
                "{selector} was not found by scrolling for {}; raise `timeout`, or lower `speed` or `visibilityPercentage`",
                RoundedDuration(limit)
            ))
            .into())
    }

    /// Returns the bounds of the first element that `in` names. Waits for it as for any element; a failure with near
    /// misses if it does not come, and for a toast.
    async fn scrolled_area(&mut self, within: &RawSelector) -> Result<Rect, FailedTry> {
        let selector = self.selector(within).await?;
        let limit = self.lookup_time(within.optional);
        match self.search(&selector, limit, LookPolicy::LastToo).await? {
            Search::Found(found) => Ok(found.place()?),
            Search::Missing { screen } => {
                Err(not_found(&selector, screen.as_deref(), Purpose::Action).into())
            }
        }
    }
}

/// Search for an element by scrolling until the time is up. Like Maestro it goes on where nothing moves any
/// more.
struct VisibleSeek<'s, 'r, 'a> {
    interpreter: &'s mut Interpreter<'r, 'a>,
    scroll: &'s ScrollUntilVisible,
    selector: MaestroSelector,
    limit: Duration,
    duration: Duration,
    /// Area to swipe in: that of `in`, else the display.
    area: Rect,
    display: Display,
    began: ClockTime,
    /// Number of checks for the middle so far. After five of them the visible share decides.
    centring: u32,
    /// The last look at which the element was not in its place.
    last: Option<Arc<Screen>>,
}

impl VisibleSeek<'_, '_, '_> {
    /// Looks for the element for 0.5 s, and checks one that it finds as [`Self::check_visible`] does. A screen without
    /// it is kept for the failure.
    async fn look(&mut self) -> Result<SeekState<Rect>, FailedTry> {
        let search = self
            .interpreter
            .search(&self.selector, LOOK_LIMIT, LookPolicy::RestedToo);
        let found = match search.await? {
            Search::Found(found) => found,
            Search::Missing { screen } => {
                self.last = screen.or(self.last.take());
                return Ok(SeekState::Missing);
            }
        };
        self.check_visible(&found)
    }

    /// Checks the first match on the screen after a swipe as [`Self::check_visible`] does. Without a match it answers a
    /// dialog by the project's rules and looks again, at most three times; one that stays then is a failure. The last look
    /// without a match is kept for the failure.
    async fn judge(&mut self, mut screen: Arc<Screen>) -> Result<SeekState<Rect>, FailedTry> {
        let session = self.interpreter.context.session;
        loop {
            if let Some(target) = first_match(session, &self.selector, &screen)? {
                return self.check_visible(&FoundElement { screen, target });
            }
            let open = session.open_elements(&screen, None).await;
            if open.map_err(Failure::from)?.is_some() {
                self.last = Some(screen);
                return Ok(SeekState::Missing);
            }
            screen = session.settle(None, None).await.map_err(Failure::from)?;
        }
    }

    /// Checks that enough of the element is on the display: the share in percent that the command asks for.
    /// With `centerElement`, an element of which more than 10 % is visible must be near the middle instead,
    /// for the first five checks. Never returns a near element: it is reached or missing.
    fn check_visible(&mut self, found: &FoundElement) -> Result<SeekState<Rect>, FailedTry> {
        let bounds = found.place()?;
        let share = visible_share(bounds, self.display.bounds());
        let is_there = if self.scroll.center
            && share > MIN_CENTRED_SHARE
            && self.centring < MAX_CENTRING_SWIPES
        {
            self.centring += 1;
            is_centred(bounds, self.scroll.direction.opposite(), self.display)
        } else {
            share.is_nan() || share >= f64::from(self.scroll.visibility) / 100.0
        };
        if is_there {
            return Ok(SeekState::Reached(bounds));
        }
        self.last = Some(Arc::clone(&found.screen));
        Ok(SeekState::Missing)
    }
}

impl Seek for VisibleSeek<'_, '_, '_> {
    type Found = Rect;
    type Error = FailedTry;

    /// Swipes once in the middle of the area, waits for rest and judges the screen. `None` if the time is up; the
    /// swipe is sent before. Every swipe counts as one that moved.
    async fn scroll(&mut self, to: Direction) -> Result<Option<Look<Rect>>, FailedTry> {
        let gesture = from_middle(self.area, to.opposite(), self.duration);
        let gesture = beside_windows(gesture, self.area, self.last.as_deref())?;
        let wait = self.scroll.wait_to_settle;
        let settled = self.interpreter.swipe_once(gesture, wait).await?;
        let session = self.interpreter.context.session;
        if session.clock().since(self.began) >= self.limit {
            return Ok(None);
        }
        let screen = match settled {
            Some(screen) => screen,
            None => session.settle(None, None).await.map_err(Failure::from)?,
        };
        let sight = self.judge(screen).await?;
        Ok(Some(Look { sight, moved: true }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_the_speed_the_shorter_the_swipe() {
        let ms = |speed| duration_of(speed).as_millis();
        assert_eq!([ms(0.0), ms(40.0), ms(100.0)], [1001, 601, 1]);
        assert_eq!(ms(200.0), 40);
    }

    #[test]
    fn what_comes_in_is_centred_near_the_middle() {
        let display = Display {
            width: 1000,
            height: 1000,
            density: 0,
            rotation: 0,
        };
        let at = |y: i32| Rect::new(0, y, 100, y + 100);
        assert!(!is_centred(at(850), Direction::Up, display));
        assert!(is_centred(at(600), Direction::Up, display));
        assert!(!is_centred(at(0), Direction::Down, display));
        assert!(is_centred(at(300), Direction::Down, display));
    }
}
