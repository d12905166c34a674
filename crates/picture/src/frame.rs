//! The pixels of a screen in memory that is used again: to take ten megabytes from the system for each picture costs more
//! than most of what is done with them.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use image::RgbaImage;

/// Memory that waits for the next picture.
static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Buffers that wait at most: two comparisons at the same time.
const MOST_SPARE: usize = 4;

/// Larger ones are given back to the system; no phone has such a screen.
const LARGEST_SPARE: usize = 64 << 20;

/// The pixels of a screen.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Frame(RgbaImage);

impl Frame {
    /// Memory for so many bytes of pixels. What is in it is of no account.
    pub fn memory(length: usize) -> Vec<u8> {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = spare.iter().rposition(|buffer| buffer.capacity() >= length);
        fits.map_or_else(
            || Vec::with_capacity(length),
            |fits| spare.swap_remove(fits),
        )
    }
}

impl From<RgbaImage> for Frame {
    fn from(picture: RgbaImage) -> Self {
        Self(picture)
    }
}

impl PartialEq<RgbaImage> for Frame {
    fn eq(&self, other: &RgbaImage) -> bool {
        self.0 == *other
    }
}

impl Clone for Frame {
    fn clone(&self) -> Self {
        let mut memory = Self::memory(self.as_raw().len());
        memory.clear();
        memory.extend_from_slice(self.as_raw());
        let copy = RgbaImage::from_raw(self.width(), self.height(), memory);
        Self(copy.unwrap_or_default())
    }
}

impl Deref for Frame {
    type Target = RgbaImage;

    fn deref(&self) -> &RgbaImage {
        &self.0
    }
}

impl DerefMut for Frame {
    fn deref_mut(&mut self) -> &mut RgbaImage {
        &mut self.0
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.0).into_raw();
        if memory.capacity() == 0 || memory.capacity() > LARGEST_SPARE {
            return;
        }
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() == MOST_SPARE {
            // The oldest goes: of screens of another size none would ever fit.
            spare.remove(0);
        }
        spare.push(memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_room_and_few_wait() {
        for side in [4, 8, 1, 8, 2, 8, 16] {
            let length = (side * side * 4) as usize;
            let mut memory = Frame::memory(length);
            assert!(memory.capacity() >= length);
            memory.resize(length, 7);
            memory.truncate(length);
            let frame = Frame::from(RgbaImage::from_raw(side, side, memory).unwrap());
            assert_eq!(frame.clone(), frame);
        }
        assert!(SPARE.lock().unwrap().len() <= MOST_SPARE);
    }
}
