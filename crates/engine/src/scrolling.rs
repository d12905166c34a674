//! The search loop of everything that scrolls towards something: scrolls, looks, turns at an end of the
//! content, and gives up.
//!
//! It knows neither screens nor gestures; implementations of [`Seek`] scroll and report what a look shows.

use runner_device::Direction;

/// State of the sought thing on a look.
#[derive(Debug)]
pub enum SeekState<T> {
    /// In its place.
    Reached(T),
    /// Present, but further scrolls may bring it nearer.
    Near(T),
    Missing,
}

/// A look after the content was scrolled.
#[derive(Debug)]
pub struct Look<T> {
    pub sight: SeekState<T>,
    /// True if it differs from the look before, so that the content goes on in this direction.
    pub moved: bool,
}

/// Direction and limit of a search.
#[derive(Debug, Clone, Copy)]
pub struct Course {
    /// Direction of the first scrolls, as the side that comes into view.
    pub direction: Direction,
    pub turn: Turn,
    /// Maximum number of scrolls, not counting the way back after [`Turn::After`].
    pub max: u32,
}

/// Condition for reversing the direction, which happens at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Never,
    AtEnd,
    /// After this number of scrolls, or at an end of the content. For searches that cannot tell the right
    /// direction.
    After(u32),
}

#[derive(Debug)]
pub struct SeekOutcome<T> {
    pub found: Option<T>,
    /// Number of scrolls, each followed by a look.
    pub scrolls: u32,
    /// Direction of the last scroll, or of the next one if the search turned and ended.
    pub direction: Direction,
    /// True if the direction was reversed.
    pub turned: bool,
    /// True if the last scroll moved nothing, and the search did not turn for that.
    pub ended: bool,
}

/// Seeks something that scrolling brings onto the screen.
pub trait Seek: Send {
    type Found: Send;
    type Error;

    /// Scrolls once and looks. `None` if the content cannot be scrolled, or time is up.
    fn scroll(
        &mut self,
        direction: Direction,
    ) -> impl Future<Output = Result<Option<Look<Self::Found>>, Self::Error>> + Send;
}

/// Scrolls until the thing is in its place, nothing moves any more, a scroll gives `None`, or `max` scrolls were made.
/// `first` is its state before. At most one turn is made, as `course` says: at the end of the content or after some
/// scrolls, which then do not count towards `max`. A thing that the last look shows near its place is returned as
/// found; one that it does not show is `None`.
///
/// # Errors
///
/// Errors of the scrolls.
pub async fn seek<S: Seek>(
    seeker: &mut S,
    first: SeekState<S::Found>,
    course: Course,
) -> Result<SeekOutcome<S::Found>, S::Error> {
    let mut sought = SeekOutcome {
        found: None,
        scrolls: 0,
        direction: course.direction,
        turned: false,
        ended: false,
    };
    let mut max = course.max;
    let mut look = Look {
        sight: first,
        moved: true,
    };
    loop {
        sought.found = match look.sight {
            SeekState::Reached(found) => {
                sought.found = Some(found);
                return Ok(sought);
            }
            SeekState::Near(found) => Some(found),
            SeekState::Missing => None,
        };
        let turns = course.turn != Turn::Never && !sought.turned;
        if !look.moved && (sought.found.is_some() || !turns) {
            sought.ended = true;
            return Ok(sought);
        }
        if turns && (!look.moved || course.turn == Turn::After(sought.scrolls)) {
            sought.turned = true;
            sought.direction = sought.direction.opposite();
            if look.moved {
                max += sought.scrolls;
            }
        }
        if sought.scrolls == max {
            return Ok(sought);
        }
        look = match seeker.scroll(sought.direction).await? {
            Some(look) => look,
            None => return Ok(sought),
        };
        sought.scrolls += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of twenty numbers of which three are visible. Each scroll moves it by two.
    struct Numbers {
        first: i32,
        sought: i32,
    }

    impl Numbers {
        fn sight(&self) -> SeekState<i32> {
            match self.sought - self.first {
                place @ 0..3 => SeekState::Reached(place),
                _ => SeekState::Missing,
            }
        }
    }

    impl Seek for Numbers {
        type Found = i32;
        type Error = ();

        async fn scroll(&mut self, direction: Direction) -> Result<Option<Look<i32>>, ()> {
            let way = if direction == Direction::Up { -2 } else { 2 };
            let before = self.first;
            self.first = (before + way).clamp(0, 17);
            Ok(Some(Look {
                sight: self.sight(),
                moved: self.first != before,
            }))
        }
    }

    fn down(turn: Turn, max: u32) -> Course {
        Course {
            direction: Direction::Down,
            turn,
            max,
        }
    }

    async fn sought(first: i32, sought: i32, course: Course) -> SeekOutcome<i32> {
        let mut numbers = Numbers { first, sought };
        let first = numbers.sight();
        seek(&mut numbers, first, course).await.expect("it looks")
    }

    #[tokio::test]
    async fn it_ends_where_it_is_found_where_nothing_moves_and_at_the_limit() {
        let there = sought(5, 6, down(Turn::Never, 10)).await;
        assert_eq!((there.found, there.scrolls), (Some(1), 0));
        let below = sought(5, 10, down(Turn::Never, 10)).await;
        assert_eq!((below.found, below.scrolls), (Some(1), 2));
        let nowhere = sought(13, 99, down(Turn::Never, 10)).await;
        assert_eq!((nowhere.found, nowhere.scrolls), (None, 3));
        assert!(nowhere.ended && !nowhere.turned);
        let far = sought(0, 15, down(Turn::Never, 3)).await;
        assert_eq!((far.found, far.scrolls, far.ended), (None, 3, false));
    }

    #[tokio::test]
    async fn it_turns_once_and_goes_over_what_it_has_seen() {
        let above = sought(13, 4, down(Turn::AtEnd, 30)).await;
        assert_eq!((above.found, above.scrolls), (Some(1), 10));
        assert!(above.turned && !above.ended);
        let nowhere = sought(13, 99, down(Turn::AtEnd, 30)).await;
        assert_eq!((nowhere.found, nowhere.turned), (None, true));
        assert!(nowhere.ended && nowhere.direction == Direction::Up);
    }

    #[tokio::test]
    async fn it_tries_both_ways_and_does_not_count_the_way_back() {
        for (number, scrolls) in [
            (13, Some(2)),
            (4, Some(6)),
            (2, Some(7)),
            (1, None),
            (16, None),
        ] {
            let both = sought(8, number, down(Turn::After(2), 5)).await;
            assert_eq!(both.found.map(|_| both.scrolls), scrolls, "{number}");
        }
        let at_the_end = sought(17, 9, down(Turn::After(2), 5)).await;
        assert_eq!((at_the_end.found, at_the_end.scrolls), (Some(0), 5));
    }

    /// A thing that comes nearer with each scroll, as long as the content moves. Holds whether each scroll
    /// moves it.
    struct ApproachingElement(Vec<bool>);

    impl Seek for ApproachingElement {
        type Found = usize;
        type Error = ();

        async fn scroll(&mut self, _: Direction) -> Result<Option<Look<usize>>, ()> {
            let moved = self.0.pop();
            Ok(moved.map(|moved| Look {
                sight: SeekState::Near(self.0.len()),
                moved,
            }))
        }
    }

    #[tokio::test]
    async fn what_is_near_is_found_where_it_comes_no_nearer() {
        for (looks, found, scrolls) in [(vec![true, false, true], 1, 2), (vec![true], 0, 1)] {
            let mut nearing = ApproachingElement(looks);
            let sought = seek(&mut nearing, SeekState::Near(9), down(Turn::AtEnd, 9)).await;
            let sought = sought.expect("it looks");
            assert_eq!((sought.found, sought.scrolls), (Some(found), scrolls));
        }
    }
}
