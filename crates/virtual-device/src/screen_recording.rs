//! Frames of `screenrecord`: one for each change of the screen, with its time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use image::RgbaImage;
use xxhash_rust::xxh3::xxh3_64;

use super::video::{self, Frame};

/// JPEG quality of the frames. Chosen: texts stay readable in small files.
const JPEG_QUALITY: u8 = 70;

/// Most frames of one recording; later changes are lost. Chosen: larger than real recordings, and small
/// enough for the memory.
const MAX_FRAMES: usize = 2000;
/// Duration of the last frame. Chosen: long enough to be seen.
const LAST_FRAME_TIME: Duration = Duration::from_millis(500);
/// Shortest duration of a frame: 30 frames a second.
const MIN_FRAME_TIME: Duration = Duration::from_millis(33);
/// Longest recording: the default of Android's `screenrecord`, and the limit of older ones.
const MAX_RECORDING: Duration = Duration::from_mins(3);

/// A running recording.
#[derive(Debug, Default)]
pub(crate) struct ScreenRecording {
    frames: Mutex<Frames>,
}

#[derive(Debug, Default)]
struct Frames {
    size: Option<(u32, u32)>,
    last: u64,
    frames: Vec<(Vec<u8>, Duration)>,
}

impl ScreenRecording {
    /// Adds the screen at a time. It is dropped if it is equal to the last one kept, has another size than the
    /// first one, there are [`MAX_FRAMES`] frames, or it cannot be encoded.
    pub(crate) fn take(&self, picture: &RgbaImage, at: Duration) {
        let mut acquired = self.lock();
        let print = xxh3_64(picture.as_raw());
        let size = *acquired.size.get_or_insert(picture.dimensions());
        // A video has one size, so frames after a rotation of the display are dropped.
        if acquired.frames.len() >= MAX_FRAMES
            || picture.dimensions() != size
            || (!acquired.frames.is_empty() && acquired.last == print)
        {
            return;
        }
        if let Ok(jpeg) = runner_picture::to_jpeg(picture, JPEG_QUALITY) {
            acquired.last = print;
            acquired.frames.push((jpeg, at));
        }
    }

    /// Returns the video of all frames as motion JPEG, for a recording that ends at `at`. The last frame lasts
    /// [`LAST_FRAME_TIME`] at least, every frame [`MIN_FRAME_TIME`], and all about [`MAX_RECORDING`] at most.
    /// Returns `None` without a frame. The frames are kept.
    pub(crate) fn finish(&self, at: Duration) -> Option<Vec<u8>> {
        let acquired = self.lock();
        let (width, height) = acquired.size?;
        let mut left = MAX_RECORDING;
        let ends = acquired.frames.iter().skip(1).map(|(_, at)| *at);
        let end = acquired
            .frames
            .last()?
            .1
            .saturating_add(LAST_FRAME_TIME)
            .max(at);
        let frames: Vec<Frame<'_>> = acquired
            .frames
            .iter()
            .zip(ends.chain([end]))
            .map(|((jpeg, from), to)| {
                // `clamp` panics if its minimum is above its maximum.
                let displayed = to
                    .saturating_sub(*from)
                    .clamp(MIN_FRAME_TIME, left.max(MIN_FRAME_TIME));
                left = left.saturating_sub(displayed);
                Frame {
                    jpeg,
                    duration: displayed,
                }
            })
            .collect();
        video::motion_jpeg((width, height), &frames)
    }

    fn lock(&self) -> MutexGuard<'_, Frames> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(shade: u8) -> RgbaImage {
        RgbaImage::from_pixel(32, 48, image::Rgba([shade, 90, 40, 255]))
    }

    /// Returns the content of the first box of a name.
    fn content<'a>(video: &'a [u8], name: &[u8]) -> &'a [u8] {
        let at = video.windows(4).position(|four| four == name).unwrap();
        let length = u32::from_be_bytes(video[at - 4..at].try_into().unwrap()) as usize;
        &video[at + 4..at - 4 + length]
    }

    fn numbers(bytes: &[u8]) -> Vec<u32> {
        bytes
            .chunks_exact(4)
            .map(|four| u32::from_be_bytes(four.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn a_frame_is_there_for_each_change_with_its_time() {
        let film = ScreenRecording::default();
        assert_eq!(film.finish(Duration::ZERO), None);
        let millis = Duration::from_millis;
        for (shade, at) in [(1, 0), (1, 100), (200, 400), (200, 500), (3, 1400)] {
            film.take(&picture(shade), millis(at));
        }
        film.take(&RgbaImage::new(48, 32), millis(1500));
        let video = film.finish(millis(2000)).unwrap();
        // Version, entries, then how many frames last how long.
        assert_eq!(
            numbers(content(&video, b"stts")),
            [0, 3, 1, 400, 1, 1000, 1, 600]
        );
        let sizes = numbers(content(&video, b"stsz"));
        assert_eq!(&sizes[..3], [0, 0, 3]);
        for (at, size) in numbers(content(&video, b"stco"))[2..]
            .iter()
            .zip(&sizes[3..])
        {
            let frame = &video[*at as usize..(*at + *size) as usize];
            assert!(frame.starts_with(&[0xff, 0xd8]) && frame.ends_with(&[0xff, 0xd9]));
        }
        // The boxes fill the file.
        let mut at = 0;
        while at < video.len() {
            at += u32::from_be_bytes(video[at..at + 4].try_into().unwrap()) as usize;
        }
        assert_eq!(at, video.len());
    }
}
