//! Numbers of recorded screens. They contain the position of the screen in the run, so that no table of them
//! is needed. They are exact in JavaScript's numbers.

/// First number, and the ranges of the parts. Numbers of live pictures are smaller. Chosen: the product stays
/// below 2^53, the limit of exact integers in JavaScript.
const FIRST_NUMBER: u64 = 1 << 50;
const MAX_RUNS: u64 = 1 << 10;
const MAX_FLOWS: u64 = 1 << 20;
const MAX_ATTEMPTS: u64 = 1 << 5;
const MAX_FRAMES: u64 = 1 << 11;

/// Position of a recorded screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LookNumber {
    pub(crate) run: u64,
    /// Indices, each from 0.
    pub(crate) flow: usize,
    pub(crate) attempt: usize,
    pub(crate) frame: usize,
}

impl LookNumber {
    /// Returns the number of the screen, which no live picture has. Runs that are a multiple of [`MAX_RUNS`]
    /// apart share numbers. `None` if another index is out of range.
    pub(super) fn seq(self) -> Option<u64> {
        let (flow, attempt, frame) = (self.flow as u64, self.attempt as u64, self.frame as u64);
        let fits = flow < MAX_FLOWS && attempt < MAX_ATTEMPTS && frame < MAX_FRAMES;
        let place = (((self.run % MAX_RUNS) * MAX_FLOWS + flow) * MAX_ATTEMPTS + attempt)
            * MAX_FRAMES
            + frame;
        fits.then_some(FIRST_NUMBER + place)
    }

    /// Returns the position that a number contains, with the run's number modulo [`MAX_RUNS`]. Whether there is
    /// such a screen is not checked. `None` for numbers of live pictures and those that are too high.
    pub(super) fn from_seq(seq: u64) -> Option<Self> {
        let place = seq.checked_sub(FIRST_NUMBER)?;
        let number = Self {
            frame: (place % MAX_FRAMES) as usize,
            attempt: (place / MAX_FRAMES % MAX_ATTEMPTS) as usize,
            flow: (place / MAX_FRAMES / MAX_ATTEMPTS % MAX_FLOWS) as usize,
            run: place / MAX_FRAMES / MAX_ATTEMPTS / MAX_FLOWS,
        };
        (number.run < MAX_RUNS).then_some(number)
    }

    pub(super) fn is_of(self, run: u64) -> bool {
        self.run == run % MAX_RUNS
    }
}

/// Returns true if a number is of a recorded screen.
pub(crate) fn is_recorded(seq: u64) -> bool {
    seq >= FIRST_NUMBER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_look_and_back_and_whole_in_a_script() {
        let most = LookNumber {
            run: MAX_RUNS - 1,
            flow: MAX_FLOWS as usize - 1,
            attempt: MAX_ATTEMPTS as usize - 1,
            frame: MAX_FRAMES as usize - 1,
        };
        let least = LookNumber {
            run: 0,
            flow: 0,
            attempt: 0,
            frame: 0,
        };
        for number in [least, most] {
            let seq = number.seq().unwrap();
            assert!(seq < 1 << 53 && is_recorded(seq));
            assert_eq!(LookNumber::from_seq(seq), Some(number));
        }
        let far = LookNumber {
            frame: MAX_FRAMES as usize,
            ..least
        };
        assert_eq!((far.seq(), LookNumber::from_seq(77)), (None, None));
    }
}
