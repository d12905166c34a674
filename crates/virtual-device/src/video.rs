//! Writer of a small valid MP4: Motion JPEG with a duration for each frame.

use std::time::Duration;

/// One picture of a video.
pub(crate) struct Frame<'a> {
    /// The picture in JPEG.
    pub(crate) jpeg: &'a [u8],
    pub(crate) duration: Duration,
}

/// Returns frames of one size as an MP4 video of JPEG pictures, or `None` if a side is over 65,535 pixels.
/// Durations are kept in milliseconds. Without a frame the video has none.
pub(crate) fn motion_jpeg((width, height): (u32, u32), frames: &[Frame<'_>]) -> Option<Vec<u8>> {
    let (width, height) = (u16::try_from(width).ok()?, u16::try_from(height).ok()?);
    let header = boxed(b"ftyp", &[b"isom\0\0\x02\0isomiso2mp41"]);
    let mut at = header.len() as u32 + 8;
    let mut samples = SampleTable::default();
    for frame in frames {
        samples.offsets.push(at);
        samples.sizes.push(frame.jpeg.len() as u32);
        samples.times.push(frame.duration.as_millis() as u32);
        at += frame.jpeg.len() as u32;
    }
    let pictures: Vec<&[u8]> = frames.iter().map(|frame| frame.jpeg).collect();
    let data = boxed(b"mdat", &pictures);
    Some([header, data, movie(width, height, &samples)].concat())
}

/// Offsets of the frames, and their durations in milliseconds.
#[derive(Default)]
struct SampleTable {
    offsets: Vec<u32>,
    sizes: Vec<u32>,
    times: Vec<u32>,
}

/// Returns a box of MP4: length with the head, four letters, content.
fn boxed(name: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let mut bytes = (content.len() as u32 + 8).to_be_bytes().to_vec();
    bytes.extend(name);
    bytes.extend(content);
    bytes
}

/// Returns values as big-endian words.
fn words(values: &[u32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_be_bytes())
        .collect()
}

/// Unit matrix of a movie and its track.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/// Returns the `moov` box: one video track with one sample a chunk, durations in milliseconds.
fn movie(width: u16, height: u16, samples: &SampleTable) -> Vec<u8> {
    let count = samples.sizes.len() as u32;
    let duration = samples.times.iter().sum();
    let times: Vec<u32> = samples.times.iter().flat_map(|time| [1, *time]).collect();
    let mut head = words(&[0, 0, 0, 1000, duration, 0x1_0000, 0x0100_0000, 0, 0]);
    head.extend(words(&MATRIX));
    head.extend(words(&[0, 0, 0, 0, 0, 0, 2]));
    let mut track = words(&[3, 0, 0, 1, 0, duration, 0, 0, 0, 0]);
    track.extend(words(&MATRIX));
    track.extend(words(&[u32::from(width) << 16, u32::from(height) << 16]));
    // 0x55c4 is the language `und`.
    let media = words(&[0, 0, 0, 1000, duration, 0x55c4_0000]);
    let handler = [
        words(&[0, 0]),
        b"vide".to_vec(),
        words(&[0, 0, 0]),
        b"VideoHandler\0".to_vec(),
    ]
    .concat();
    let reference = [words(&[0, 1]), boxed(b"url ", &[&words(&[1])])].concat();
    let table = boxed(
        b"stbl",
        &[
            &boxed(b"stsd", &[&words(&[0, 1]), &sample_entry(width, height)]),
            &boxed(b"stts", &[&words(&[0, count]), &words(&times)]),
            &boxed(b"stsc", &[&words(&[0, 1, 1, 1, 1])]),
            &boxed(b"stsz", &[&words(&[0, 0, count]), &words(&samples.sizes)]),
            &boxed(b"stco", &[&words(&[0, count]), &words(&samples.offsets)]),
        ],
    );
    let information = boxed(
        b"minf",
        &[
            &boxed(b"vmhd", &[&words(&[1, 0, 0])]),
            &boxed(b"dinf", &[&boxed(b"dref", &[&reference])]),
            &table,
        ],
    );
    let media = boxed(
        b"mdia",
        &[
            &boxed(b"mdhd", &[&media]),
            &boxed(b"hdlr", &[&handler]),
            &information,
        ],
    );
    let track = boxed(b"trak", &[&boxed(b"tkhd", &[&track]), &media]);
    boxed(b"moov", &[&boxed(b"mvhd", &[&head]), &track])
}

/// Returns the sample entry `mp4v` with the object type of JPEG, 0x6c.
fn sample_entry(width: u16, height: u16) -> Vec<u8> {
    let mut entry = vec![0, 0, 0, 0, 0, 0, 0, 1];
    entry.extend([0; 16]);
    entry.extend(width.to_be_bytes());
    entry.extend(height.to_be_bytes());
    entry.extend(words(&[0x0048_0000, 0x0048_0000, 0]));
    entry.extend([0, 1]);
    entry.extend([0; 32]);
    entry.extend([0, 24, 0xff, 0xff]);
    let decoder = [vec![0x04, 13, 0x6c, 0x11, 0, 0, 0], words(&[0, 0])].concat();
    let layer = [0x06, 1, 2];
    let length = (3 + decoder.len() + layer.len()) as u8;
    let description = [
        vec![0, 0, 0, 0, 0x03, length, 0, 1, 0],
        decoder,
        layer.to_vec(),
    ]
    .concat();
    boxed(b"mp4v", &[&entry, &boxed(b"esds", &[&description])])
}
