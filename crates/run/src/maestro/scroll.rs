//! `scroll` and `scrollUntilVisible`.

use std::time::{Duration, Instant};

use super::super::attempt::Attempt;
use super::super::step_result::{FailedTry, StepResult};
use super::find::{Search, not_found};
use super::texts::at;
use super::touch::to_edge;
use runner_device::{Direction, Gesture};
use runner_engine::{LookPolicy, WaitPolicy};
use runner_flow::maestro::ScrollUntilVisible;
use runner_screen::maestro::visible_share;
use runner_screen::selector::Purpose;
use runner_screen::{Display, Point, Rect};
use runner_text::units::RoundedDuration;
use runner_tools::Failure;

/// How long `scroll` swipes.
const SCROLL: Duration = Duration::from_millis(400);
/// How long `scrollUntilVisible` goes on.
const USUAL: Duration = Duration::from_secs(20);
/// Its speed, 0 to 100.
const SPEED: f64 = 40.0;
/// How long it looks before each swipe.
const LOOK: Duration = Duration::from_millis(500);
/// What is less on the screen is not centred.
const CENTRED: f64 = 0.1;
/// How often it swipes to centre what is there already: at the end of a list nothing moves any more.
const CENTRING: u32 = 5;

fn from_middle(display: Display, finger: Direction, duration: Duration) -> Gesture {
    let from = Point {
        x: display.width as i32 / 2,
        y: display.height as i32 / 2,
    };
    Gesture {
        from,
        to: to_edge(from, finger, display),
        duration,
    }
}

/// How long a swipe takes at a speed.
fn duration_of(speed: f64) -> Duration {
    let ms = 1000.0 * (100.0 - speed) / 100.0 + 1.0;
    Duration::from_millis(if ms < 0.0 { 40 } else { ms as u64 })
}

/// Whether an element that comes in by this finger's movement has reached the middle, or nearly.
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

impl Attempt<'_> {
    pub(super) async fn scroll(&mut self) -> Result<StepResult, FailedTry> {
        let display = self.display_at_rest().await?;
        self.finger(from_middle(display, Direction::Up, SCROLL), None)
            .await?;
        Ok(StepResult::default())
    }

    pub(super) async fn scroll_until_visible(
        &mut self,
        scroll: &ScrollUntilVisible,
    ) -> Result<StepResult, FailedTry> {
        let selector = self.selector(&scroll.element).await?;
        let limit = self.time(scroll.timeout.as_ref()).await?.unwrap_or(USUAL);
        let speed = match &scroll.speed {
            Some(raw) => {
                let text = self.words(raw).await?;
                let speed = text.trim().parse::<f64>().ok();
                speed.filter(|speed| speed.is_finite()).ok_or_else(|| {
                    let why = format!("the speed `{text}` is not a number from 0 to 100");
                    at(raw, Failure::usage(why))
                })?
            }
            None => SPEED,
        };
        let finger = scroll.direction.opposite();
        let duration = duration_of(speed);
        let display = self.display_at_rest().await?;
        let wanted = f64::from(scroll.visibility) / 100.0;
        // Virtual time passes by looks and swipes.
        let is_virtual = self.context.session.wait_policy() != WaitPolicy::REAL;
        let (began, mut spent) = (Instant::now(), Duration::ZERO);
        let mut centring = 0;
        let mut last = None;
        loop {
            match self.search(&selector, LOOK, LookPolicy::New).await? {
                Search::Found(found) => {
                    let bounds = found.place()?;
                    let share = visible_share(bounds, display.bounds());
                    let is_there = if scroll.center && share > CENTRED && centring < CENTRING {
                        centring += 1;
                        is_centred(bounds, finger, display)
                    } else {
                        share.is_nan() || share >= wanted
                    };
                    if is_there {
                        return Ok(StepResult {
                            bounds: Some(bounds),
                            ..StepResult::default()
                        });
                    }
                    last = Some(found.screen);
                }
                Search::Missing { screen } => last = screen.or(last),
            }
            self.finger(
                from_middle(display, finger, duration),
                scroll.wait_to_settle,
            )
            .await?;
            spent += LOOK + duration;
            let passed = if is_virtual { spent } else { began.elapsed() };
            if passed >= limit {
                break;
            }
            if scroll.wait_to_settle.is_none() {
                let session = self.context.session;
                session.settle(None, None).await.map_err(Failure::from)?;
            }
        }
        let failure = not_found(&selector, last.as_deref(), Purpose::Action);
        Err(failure
            .with_message(format!(
                "{selector} was not found by scrolling for {}; raise `timeout`, or lower `speed` or `visibilityPercentage`",
                RoundedDuration(limit)
            ))
            .into())
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
