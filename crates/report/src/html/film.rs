//! Reads the frames of a video of JPEGs, as the virtual device writes it. No browser plays it, but a page can
//! show its frames.
//!
//! The file is not trusted: each number is checked before it is used.

use std::ops::Range;

/// Frames that are read; the rest is not shown. Chosen: more would make the page slow.
const MAX_FRAMES: usize = 2000;
/// Entries of a table in the video. Chosen: far more than the virtual device writes; it bounds the memory.
const MAX_ENTRIES: usize = 100_000;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Film {
    /// Start of each frame in milliseconds, with the range of its JPEG in the file.
    pub frames: Vec<(u64, Range<usize>)>,
    /// Duration in milliseconds.
    pub ms: u64,
}

/// Reads the frames of an MP4 of JPEGs, as the virtual device writes it: their times in milliseconds and their ranges
/// in `video`, and the duration. Only the first track and the first `MAX_FRAMES` frames count, also for the duration.
/// Returns `None` for another codec, a damaged file, a range outside of `video`, or a film without frames. Never
/// panics.
pub(super) fn read(video: &[u8]) -> Option<Film> {
    let track = find_box(find_box(video, b"moov")?, b"trak")?;
    let media = find_box(track, b"mdia")?;
    let per_second = u64::from(number(find_box(media, b"mdhd")?, 12)?);
    let table = find_box(find_box(media, b"minf")?, b"stbl")?;
    let sizes = numbers(find_box(table, b"stsz")?, 8)?;
    let offsets = numbers(find_box(table, b"stco")?, 4)?;
    let mut times = pairs(find_box(table, b"stts")?)?.into_iter();
    let (mut left, mut displayed) = (0, 0);
    let mut at = 0_u64;
    let mut frames = Vec::new();
    for (offset, size) in offsets.into_iter().zip(sizes).take(MAX_FRAMES) {
        while left == 0 {
            (left, displayed) = times.next()?;
        }
        left -= 1;
        let begin = usize::try_from(offset).ok()?;
        let range = begin..begin.checked_add(usize::try_from(size).ok()?)?;
        if !video.get(range.clone())?.starts_with(&[0xff, 0xd8]) {
            return None;
        }
        frames.push((at, range));
        let current = u64::from(displayed).checked_mul(1000)?;
        at = at.checked_add(current.checked_div(per_second)?)?;
    }
    (!frames.is_empty()).then_some(Film { frames, ms: at })
}

/// Returns the content of the first box of an MP4 with this name, without its header. Does not look into
/// boxes. `None` if there is none or a length is wrong.
fn find_box<'a>(mut boxes: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    loop {
        let length = usize::try_from(number(boxes, 0)?).ok()?;
        let found = boxes.get(4..8)?;
        let content = boxes.get(8..length)?;
        if found == name {
            return Some(content);
        }
        boxes = boxes.get(length..)?;
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// Reads a table of an MP4: the number at `at` is the count of the 32-bit numbers that follow, most significant byte
/// first. `None` if the table is cut off or has more than `MAX_ENTRIES`.
fn numbers(table: &[u8], at: usize) -> Option<Vec<u32>> {
    let count = usize::try_from(number(table, at)?).ok()?;
    if count > MAX_ENTRIES {
        return None;
    }
    (0..count)
        .map(|index| number(table, at + 4 + index * 4))
        .collect()
}

/// Reads pairs from the table `stts`: a number of frames, and how long each of them is shown, in units of the track.
/// The count is at byte 4. `None` if the table is cut off or has more than `MAX_ENTRIES` pairs.
fn pairs(table: &[u8]) -> Option<Vec<(u32, u32)>> {
    let count = usize::try_from(number(table, 4)?).ok()?;
    if count > MAX_ENTRIES {
        return None;
    }
    let pair = |index: usize| {
        Some((
            number(table, 8 + index * 8)?,
            number(table, 12 + index * 8)?,
        ))
    };
    (0..count).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn boxed(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = (content.len() as u32 + 8).to_be_bytes();
        [&length[..], name, content].concat()
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// Video of two frames of 4 and 5 bytes, shown for 400 and 600 ms.
    fn film() -> Vec<u8> {
        let data = boxed(b"mdat", &[0xff, 0xd8, 1, 2, 0xff, 0xd8, 3, 4, 5]);
        let table = [
            boxed(b"stts", &words(&[0, 2, 1, 400, 1, 600])),
            boxed(b"stsz", &words(&[0, 0, 2, 4, 5])),
            boxed(b"stco", &words(&[0, 2, 8, 12])),
        ];
        let media = [
            boxed(b"mdhd", &words(&[0, 0, 0, 1000, 1000])),
            boxed(b"minf", &boxed(b"stbl", &table.concat())),
        ];
        let track = boxed(b"trak", &boxed(b"mdia", &media.concat()));
        [data, boxed(b"moov", &track)].concat()
    }

    #[test]
    fn the_frames_of_a_film_come_with_their_times() {
        let film = film();
        let read = read(&film).unwrap();
        let frames = vec![(0, 8..12), (400, 12..17)];
        assert_eq!(read, Film { frames, ms: 1000 });
    }

    proptest! {
        #[test]
        fn a_damaged_film_is_none_or_some_but_no_panic(at in 0_usize..300, byte: u8, cut in 0_usize..300) {
            let mut film = film();
            let length = film.len();
            film[at % length] = byte;
            let _ = read(&film);
            let _ = read(&film[..cut % length]);
        }
    }
}
