//! Taps, swipes and scrolls.

use super::super::yaml::{Node, NodeKind};
use super::options::Options;
use super::reader::Reader;
use super::tree::{Coordinate, Point, RawText, ScrollUntilVisible, Swipe, SwipeGesture, Tap};
use runner_device::Direction;
use runner_text::diagnostic::Code;

/// Default duration of a swipe in milliseconds: `DEFAULT_DURATION_IN_MILLIS` of Maestro's `YamlSwipe.kt`.
const SWIPE_DURATION: u64 = 400;
/// Maximum wait for the screen to settle, in milliseconds: `MAX_TIMEOUT_WAIT_TO_SETTLE_MS` of Maestro's
/// `Commands.kt`.
const MAX_SETTLE_MS: u32 = 30_000;
/// Description of a valid time, for errors.
const MILLISECONDS: &str = "a whole number of milliseconds";

impl Reader<'_> {
    /// Reads the options of `tapOn` and `longPressOn`. Without `point` it needs a selector; with `point` the selector
    /// may be missing. A `repeat` below 1 counts as 1, `waitToSettleTimeoutMs` is at most `MAX_SETTLE_MS`, and an
    /// invalid option counts as missing after its report. Returns `None` only if the selector is invalid or missing.
    pub(super) fn tap(&mut self, options: &Options<'_>) -> Option<Tap> {
        let point = self.point_text(options);
        let selector = if options.get("point").is_some() {
            let selector = self.selector_of(options)?;
            (!selector.says_nothing()).then_some(selector)
        } else {
            Some(self.parse_selector(options)?)
        };
        Some(Tap {
            selector,
            point,
            retry_if_no_change: self.option_bool(options, "retryTapIfNoChange", false),
            wait_until_visible: self.option_bool(options, "waitUntilVisible", false),
            repeat: self
                .option_number::<i32>(options, "repeat", "a whole number")
                .map(|count| u32::try_from(count).unwrap_or(1).max(1)),
            delay: self.option_number(options, "delay", MILLISECONDS),
            wait_to_settle: self.settle(options),
        })
    }

    /// Reads the options of `doubleTapOn` like [`Self::tap`], also its `delay` between the two taps. A `repeat` is left
    /// out of the result, with a warning.
    pub(super) fn double_tap(&mut self, options: &Options<'_>) -> Option<Tap> {
        let tap = self.tap(options)?;
        if let Some(key) = options.key("repeat") {
            self.ignored(key, "`doubleTapOn` taps twice");
        }
        Some(Tap {
            repeat: None,
            ..tap
        })
    }

    /// Reads `waitToSettleTimeoutMs`, at most [`MAX_SETTLE_MS`]; `None` if it is missing. A wrong value is reported
    /// and returns `None`.
    fn settle(&mut self, options: &Options<'_>) -> Option<u32> {
        let settle: u32 = self.option_number(options, "waitToSettleTimeoutMs", MILLISECONDS)?;
        Some(settle.min(MAX_SETTLE_MS))
    }

    /// Reads the option `point`, of an element or of the screen, and keeps it as written; `None` if it is missing. A
    /// wrong point is reported and returns `None`; one with `${…}` is checked in the run.
    fn point_text(&mut self, options: &Options<'_>) -> Option<RawText> {
        let node = options.get("point")?;
        if let Some(place) = place_in(node) {
            self.not_in_text(node, "point", &place);
            return None;
        }
        let text = self.text(node)?;
        if !text.has_script() {
            self.point(node, "point")?;
        }
        Some(text)
    }

    /// Parses the value of the option `name` as a literal point: `50%, 20%` or `100, 200`. Reports a wrong one, also
    /// one with `${…}`, and returns `None`.
    fn point(&mut self, node: &Node, name: &str) -> Option<Point> {
        if let Some(place) = place_in(node) {
            self.not_in_text(node, name, &place);
            return None;
        }
        let text = node.scalar().map(|scalar| scalar.text.as_str());
        let point = text.and_then(Point::parse);
        if point.is_none() {
            self.not_a(
                node,
                name,
                "a point: `50%,20%` of the screen, or `100,200` in pixels",
            );
        }
        point
    }

    /// Reports as an error that the option `name` has its place in a map or a list. `place` is the text to write.
    fn not_in_text(&mut self, node: &Node, name: &str, place: &str) {
        let message = format!("`{name}` is one text, not {}", node.what());
        let help = format!("write `{name}: \"{place}\"`");
        self.fail(node, Code::WrongType, message, Some(help));
    }

    /// Reads the options of `swipe`. Returns `None` if the gesture is invalid, after a report. The duration is
    /// `SWIPE_DURATION` if it is missing, and after the report of a wrong one.
    pub(super) fn swipe(&mut self, options: &Options<'_>) -> Option<Swipe> {
        let duration = self.option_number(options, "duration", MILLISECONDS);
        Some(Swipe {
            gesture: self.swipe_gesture(options)?,
            duration: duration.unwrap_or(SWIPE_DURATION),
            wait_to_settle: self.settle(options),
        })
    }

    /// Reads `direction`, perhaps with the element `from`, or else `start` and `end`. Both together, neither, only
    /// one of the two points, a point in percent beside one in pixels, and a wrong value are reported and return
    /// `None`. `from` beside two points is ignored here.
    fn swipe_gesture(&mut self, options: &Options<'_>) -> Option<SwipeGesture> {
        let (start, end) = (options.get("start"), options.get("end"));
        let direction = options.get("direction");
        match (start, end, direction) {
            (None, None, Some(node)) => {
                let direction = self.direction(node)?;
                match options.get("from") {
                    None => Some(SwipeGesture::Direction(direction)),
                    Some(from) => {
                        let point = match &from.kind {
                            NodeKind::Map(entries) => {
                                self.point_text(&Options::from_map(from, entries))
                            }
                            _ => None,
                        };
                        let from = self.selector_that_may_tap(from, "from", true)?;
                        Some(SwipeGesture::Element {
                            from,
                            point,
                            direction,
                        })
                    }
                }
            }
            (Some(start), Some(end), None) => {
                let (first, last) = (self.point(start, "start")?, self.point(end, "end")?);
                if first.is_percent() != last.is_percent() {
                    let message = "`start` and `end` are both in percent, or both in pixels";
                    self.fail(end, Code::Argument, message, None);
                    return None;
                }
                Some(SwipeGesture::Points {
                    start: first,
                    end: last,
                })
            }
            (_, _, Some(node)) => {
                let message = "`direction` does not go together with `start` and `end`";
                self.fail(node, Code::Argument, message, None);
                None
            }
            _ => {
                let message = "`swipe` takes `direction`, or `start` and `end`";
                self.fail(options.node, Code::MissingKey, message, None);
                None
            }
        }
    }

    /// Reads a literal direction in any case; anything else, also `${…}`, is reported and returns `None`.
    fn direction(&mut self, node: &Node) -> Option<Direction> {
        let word = node.scalar().map(|scalar| scalar.text.to_lowercase());
        let direction = word.and_then(|word| Direction::named(&word));
        if direction.is_none() {
            let message = "there is no such direction".to_owned();
            self.unknown_value(node, message, ["UP", "DOWN", "LEFT", "RIGHT"]);
        }
        direction
    }

    /// Reads the options of `scrollUntilVisible`. Returns `None` without a valid `element` or with a wrong direction,
    /// after a report. By default it goes down until 100 % are visible; other percentages are clamped to 0 to 100.
    /// Any other wrong option counts as missing after its report.
    pub(super) fn scroll_until_visible(
        &mut self,
        options: &Options<'_>,
    ) -> Option<ScrollUntilVisible> {
        let Some(element) = options.get("element") else {
            self.missing(options, "element");
            return None;
        };
        let element = self.selector(element, "element")?;
        let direction = match options.get("direction") {
            Some(node) => self.direction(node)?,
            None => Direction::Down,
        };
        let visibility: Option<i32> =
            self.option_number(options, "visibilityPercentage", "a whole number");
        let visibility = visibility.unwrap_or(100).clamp(0, 100);
        let within = options.get("in");
        Some(ScrollUntilVisible {
            element,
            within: within.and_then(|node| self.selector(node, "in")),
            direction,
            timeout: self.number_text(options, "timeout"),
            speed: self.number_text(options, "speed"),
            visibility: u8::try_from(visibility).unwrap_or(100),
            center: self.option_bool(options, "centerElement", false),
            wait_to_settle: self.settle(options),
        })
    }
}

/// Returns the text of a place that stands in a map or a list: `50%,50%` for `{ x: 50, y: 50 }`. Two numbers up to 100 are
/// taken for percentages, as `{ x: 50, y: 50 }` hardly means the corner. Returns `None` for other nodes.
fn place_in(node: &Node) -> Option<String> {
    let part = |node: &Node| {
        let text = node.scalar()?.text.trim();
        let number: u32 = text.trim_end_matches('%').trim_end().parse().ok()?;
        Some((number, text.ends_with('%')))
    };
    let (x, y) = match &node.kind {
        NodeKind::Sequence(items) => match items.as_slice() {
            [x, y] => (part(x)?, part(y)?),
            _ => return None,
        },
        _ => (part(&node.entry("x")?.1)?, part(&node.entry("y")?.1)?),
    };
    let is_percent = x.1 || y.1 || x.0 <= 100 && y.0 <= 100;
    let sign = if is_percent { "%" } else { "" };
    Some(format!("{}{sign},{}{sign}", x.0, y.0))
}

impl Point {
    /// Parses a point such as `50%, 20%` or `100, 200`, with blanks around the numbers. One `%` makes both
    /// coordinates percent. Returns `None` for more than 100 %, fractions, and anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let is_percent = text.contains('%');
        let (x, y) = text.split_once(',')?;
        let coordinate = |part: &str| {
            if is_percent {
                let share: u8 = part.replace('%', "").trim().parse().ok()?;
                (share <= 100).then_some(Coordinate::Percent(share))
            } else {
                part.trim().parse().ok().map(Coordinate::Pixels)
            }
        };
        Some(Self {
            x: coordinate(x)?,
            y: coordinate(y)?,
        })
    }

    fn is_percent(&self) -> bool {
        matches!(self.x, Coordinate::Percent(_))
    }
}
