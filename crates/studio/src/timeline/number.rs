//! The numbers of recorded looks. They say which look of which run is meant, so that nothing is kept of those that nobody
//! asks for; a number is whole in a script's arithmetic too.

/// Numbers of live pictures are smaller.
const FIRST: u64 = 1 << 50;
const RUNS: u64 = 1 << 10;
const FLOWS: u64 = 1 << 20;
const ATTEMPTS: u64 = 1 << 5;
const FRAMES: u64 = 1 << 11;

/// Which look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LookNumber {
    pub(crate) run: u64,
    /// Places, each from 0.
    pub(crate) flow: usize,
    pub(crate) attempt: usize,
    pub(crate) frame: usize,
}

impl LookNumber {
    /// As a picture's number; none of a look that is too far behind.
    pub(super) fn seq(self) -> Option<u64> {
        let (flow, attempt, frame) = (self.flow as u64, self.attempt as u64, self.frame as u64);
        let fits = flow < FLOWS && attempt < ATTEMPTS && frame < FRAMES;
        let place = (((self.run % RUNS) * FLOWS + flow) * ATTEMPTS + attempt) * FRAMES + frame;
        fits.then_some(FIRST + place)
    }

    /// The look that a picture's number means; none where it is of no recorded look.
    pub(super) fn of(seq: u64) -> Option<Self> {
        let place = seq.checked_sub(FIRST)?;
        let number = Self {
            frame: (place % FRAMES) as usize,
            attempt: (place / FRAMES % ATTEMPTS) as usize,
            flow: (place / FRAMES / ATTEMPTS % FLOWS) as usize,
            run: place / FRAMES / ATTEMPTS / FLOWS,
        };
        (number.run < RUNS).then_some(number)
    }

    pub(super) fn is_of(self, run: u64) -> bool {
        self.run == run % RUNS
    }
}

/// Whether a number is of a recorded look.
pub(crate) fn is_recorded(seq: u64) -> bool {
    seq >= FIRST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_look_and_back_and_whole_in_a_script() {
        let most = LookNumber {
            run: RUNS - 1,
            flow: FLOWS as usize - 1,
            attempt: ATTEMPTS as usize - 1,
            frame: FRAMES as usize - 1,
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
            assert_eq!(LookNumber::of(seq), Some(number));
        }
        let far = LookNumber {
            frame: FRAMES as usize,
            ..least
        };
        assert_eq!((far.seq(), LookNumber::of(77)), (None, None));
    }
}
