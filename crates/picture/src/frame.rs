//! Reuses the memory of decoded and drawn screens. Allocating ten megabytes for each picture costs more than
//! most of what is done with it.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use image::RgbaImage;

/// Buffers of dropped frames, which the next frames use.
static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Number of unused buffers that are kept. Two devices that draw and two comparisons that decode use this
/// many at once on two processors.
const MAX_SPARE_BUFFERS: usize = 8;

/// Largest buffer that is kept, in bytes. No phone's screen needs 64 MiB; larger buffers go back to the
/// system.
const MAX_SPARE_BYTES: usize = 64 << 20;

/// Pixels of a screen. Dropping a frame keeps its memory for the next one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Frame(RgbaImage);

impl Frame {
    /// Returns a buffer with room for at least `length` bytes: the one of the frame that was dropped last, if it fits,
    /// or an earlier one, else a new one. Its length and contents may be left over from that frame: clear or overwrite
    /// them.
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
    /// Copies the picture into spare memory, if there is some of the size.
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
    /// Keeps the memory for a later frame, up to `MAX_SPARE_BUFFERS` of at most `MAX_SPARE_BYTES` each; the oldest
    /// gives way.
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.0).into_raw();
        if memory.capacity() == 0 || memory.capacity() > MAX_SPARE_BYTES {
            return;
        }
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() == MAX_SPARE_BUFFERS {
            // The oldest buffer is dropped, so that buffers for screens of another size do not stay.
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
        assert!(SPARE.lock().unwrap().len() <= MAX_SPARE_BUFFERS);
    }
}
