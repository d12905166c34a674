//! Start of swipes that name no element: dialogs are answered before, and the finger begins where no other window
//! would take it.

use std::sync::Arc;

use super::super::step_result::FailedTry;
use super::Interpreter;
use super::find::USUAL;
use runner_device::Gesture;
use runner_screen::{Display, Point, Rect, Screen};
use runner_tools::{Failure, Words};

/// Other lines of an area on which a swipe may run, in percent of its side across the swipe. Chosen: the
/// nearest to the middle come first, and the edges are left to the system's gestures.
const OTHER_LINES: [u32; 4] = [30, 70, 15, 85];

impl Interpreter<'_, '_> {
    /// Waits until the screen rests, for at most ten looks, and answers dialogs by the project's rules. Returns the
    /// display with its present rotation, and the last look; no look if the screen cannot be read. A dialog that stays
    /// after three answers is a failure.
    pub(super) async fn display_to_swipe(
        &mut self,
    ) -> Result<(Display, Option<Arc<Screen>>), FailedTry> {
        self.wait_for_idle().await?;
        let session = self.context.session;
        session.begin_step(USUAL);
        let screen = session.look_past_dialogs().await.map_err(Failure::from)?;
        let display = session.display().await.map_err(Failure::from)?;
        Ok((display, screen))
    }
}

/// Returns a swipe on a line of `area` on which no window above the one in front takes its start: the given
/// one, or else another that is parallel to it and as long. A screen that does not tell of such windows leaves
/// the swipe as it is.
///
/// # Errors
///
/// If a window lies above the starts of all lines; names the one above the given start.
pub(super) fn beside_windows(
    swipe: Gesture,
    area: Rect,
    screen: Option<&Screen>,
) -> Result<Gesture, Failure> {
    let front = screen.and_then(|screen| screen.nodes().find(|node| node.window().focused));
    let Some(front) = front else {
        return Ok(swipe);
    };
    let Some(window) = front.window_above(swipe.from) else {
        return Ok(swipe);
    };
    let is_vertical = swipe.from.x == swipe.to.x;
    let share = |whole: u32, percent: u32| (u64::from(whole) * u64::from(percent) / 100) as i32;
    let moved = |percent: u32| {
        let onto = |point: Point| {
            if is_vertical {
                let x = area.left + share(area.width(), percent);
                Point { x, ..point }
            } else {
                let y = area.top + share(area.height(), percent);
                Point { y, ..point }
            }
        };
        Gesture {
            from: onto(swipe.from),
            to: onto(swipe.to),
            ..swipe
        }
    };
    let is_free = |swipe: &Gesture| {
        front.window().bounds.contains(swipe.from) && front.window_above(swipe.from).is_none()
    };
    let other = OTHER_LINES.into_iter().map(moved).find(is_free);
    other.ok_or_else(|| {
        Failure::assertion(Words::format(
            "the screen is covered by {} at ({}, {}), which would take the swipe",
            &[&window, &swipe.from.x, &swipe.from.y],
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use runner_screen::{DisplayContext, TouchableRegion, WindowLayer};

    const DISPLAY: Rect = Rect::new(0, 0, 400, 800);

    /// An app over the whole display, below a window that takes touches in `cover`.
    fn below(cover: Rect) -> Screen {
        let layer = |package: &str, frame, region| WindowLayer {
            title: format!("{package}.window"),
            package: package.to_owned(),
            kind: "APPLICATION".to_owned(),
            focused: package == "app",
            frame,
            region: Some(region),
        };
        let context = DisplayContext {
            display: Some(Display {
                width: 400,
                height: 800,
                density: 160,
                rotation: 0,
            }),
            layers: vec![
                layer("chat", DISPLAY, TouchableRegion::Parts(vec![cover])),
                layer("app", DISPLAY, TouchableRegion::Everywhere),
            ],
            ..DisplayContext::default()
        };
        let dump = r#"<hierarchy rotation="0"><node class="V" package="app" bounds="[0,0][400,800]"/></hierarchy>"#;
        Screen::parse(dump.as_bytes(), &context).expect("a dump")
    }

    fn swipe(from: (i32, i32), to: (i32, i32)) -> Gesture {
        let at = |(x, y)| Point { x, y };
        Gesture {
            from: at(from),
            to: at(to),
            duration: Duration::from_millis(400),
        }
    }

    #[test]
    fn a_swipe_begins_beside_what_lies_above_or_names_it() {
        let up = swipe((200, 400), (200, 80));
        let left = swipe((360, 400), (40, 400));
        for (cover, given, expected) in [
            // Nowhere near, in the middle, over one half, over the other, over the end only.
            (Rect::new(0, 700, 400, 800), up, Some(up)),
            (
                Rect::new(150, 350, 250, 450),
                up,
                Some(swipe((120, 400), (120, 80))),
            ),
            (
                Rect::new(0, 350, 250, 450),
                up,
                Some(swipe((280, 400), (280, 80))),
            ),
            (
                Rect::new(100, 350, 400, 450),
                up,
                Some(swipe((60, 400), (60, 80))),
            ),
            (Rect::new(0, 0, 400, 100), up, Some(up)),
            (
                Rect::new(300, 350, 400, 450),
                left,
                Some(swipe((360, 240), (40, 240))),
            ),
            (Rect::new(0, 300, 400, 800), up, None),
            (DISPLAY, left, None),
        ] {
            let begun = beside_windows(given, DISPLAY, Some(&below(cover)));
            match (begun, expected) {
                (Ok(begun), Some(expected)) => assert_eq!(begun, expected, "{cover}"),
                (Err(failure), None) => {
                    let message = failure.message.to_string();
                    assert!(message.contains("the window `chat.window`"), "{message}");
                }
                (begun, _) => panic!("{cover}: {begun:?}"),
            }
        }
        assert!(beside_windows(up, DISPLAY, None).is_ok());
    }
}
