//! Tests the judgement of small differences with pairs of generated pictures. Anti-aliasing, a shift by part
//! of a pixel and noise must pass; a changed colour, letter or place must fail. Each pair is drawn from a
//! description that says which of the two it is.

mod scene;

use image::RgbaImage;

use super::{Comparison, compare};
use crate::PixelMask;
use scene::{Colour, SCRIPTS, Scene};

/// Pairs of each kind. Chosen: enough to show a rule that fails for one pair in twenty.
const PAIRS: u64 = 60;

/// Change that is made to the second picture of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    ShiftedAcross,
    ShiftedDown,
    Gamma,
    Disc,
    Fine,
    Blocks,
    Level,
    TextNear,
    TextFar,
    TextHue,
    GroundNear,
    CardNear,
    Letter,
    Moved,
    Rule,
    RuleColour,
    TextNearAndNoise,
    GroundNearAndNoise,
}

/// Each kind with its name in messages, true if it is a change that must be reported, and the number of pairs
/// that are known to be judged wrong.
const KINDS: [(Kind, &str, bool, usize); 18] = [
    (Kind::ShiftedAcross, "text up to 0.25 px aside", false, 11),
    (Kind::ShiftedDown, "text up to 0.25 px down", false, 8),
    (Kind::Gamma, "text in gamma 0.85 to 1.2", false, 0),
    (Kind::Disc, "a disc up to 0.25 px aside", false, 5),
    (Kind::Fine, "noise of up to 3 levels", false, 0),
    (Kind::Blocks, "noise in blocks of up to 3 levels", false, 0),
    (Kind::Level, "all colours 1 or 2 levels aside", false, 0),
    (Kind::TextNear, "text's colour by 6 to 30 levels", true, 0),
    (Kind::TextFar, "text's colour by 30 to 120 levels", true, 0),
    (
        Kind::TextHue,
        "text's colour in one channel by 10 to 40 levels",
        true,
        0,
    ),
    (
        Kind::GroundNear,
        "ground's colour by 5 to 20 levels",
        true,
        0,
    ),
    (Kind::CardNear, "a card's colour by 5 to 20 levels", true, 0),
    (Kind::Letter, "a letter", true, 0),
    (Kind::Moved, "text moved by 1 or 2 px", true, 0),
    (Kind::Rule, "a line of one pixel came or went", true, 0),
    (
        Kind::RuleColour,
        "a line of one pixel by 8 to 60 levels",
        true,
        0,
    ),
    (
        Kind::TextNearAndNoise,
        "text's colour by 12 to 30 levels, and noise of 2",
        true,
        0,
    ),
    (
        Kind::GroundNearAndNoise,
        "ground's colour by 6 to 20 levels, and noise of 2",
        true,
        0,
    ),
];

/// Pseudo-random number generator (`SplitMix64`); the same seed gives the same pictures.
struct Random(u64);

impl Random {
    /// Returns the next number; all 64 bits are random.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Returns a number from `low` to `high`, both included.
    fn integer(&mut self, low: i32, high: i32) -> i32 {
        low + (self.next() % (high - low + 1) as u64) as i32
    }

    fn part(&mut self, low: f32, high: f32) -> f32 {
        low + (self.next() >> 40) as f32 / (1_u32 << 24) as f32 * (high - low)
    }

    fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.next() as usize % among.len()]
    }

    fn sign(&mut self) -> i32 {
        self.integer(0, 1) * 2 - 1
    }

    fn colour(&mut self, low: i32, high: i32) -> Colour {
        [0; 3].map(|_| self.integer(low, high) as u8)
    }
}

/// Moves all channels of a colour by `by` levels, up or down at random unless only one way stays within 0 to
/// 255.
fn offset(colour: Colour, by: i32, random: &mut Random) -> Colour {
    let sign = random.sign();
    let fits = |sign: i32| {
        colour
            .iter()
            .all(|part| (0..=255).contains(&(i32::from(*part) + by * sign)))
    };
    let sign = if fits(sign) { sign } else { -sign };
    colour.map(|part| (i32::from(part) + by * sign).clamp(0, 255) as u8)
}

/// Moves one random channel of a colour by `by` levels, up if there is room.
fn in_one_channel(mut colour: Colour, by: i32, random: &mut Random) -> Colour {
    let part = &mut colour[random.integer(0, 2) as usize];
    let sign = if i32::from(*part) + by > 255 { -1 } else { 1 };
    *part = (i32::from(*part) + by * sign) as u8;
    colour
}

/// Returns a random scene: dark text on a light ground or light text on a dark one, with strong or weak
/// contrast.
fn scene(random: &mut Random) -> Scene {
    let (_, words) = random.pick(&SCRIPTS);
    let is_dark = random.integer(0, 3) == 0;
    let (ground, text) = match (random.integer(0, 2), is_dark) {
        (0, false) => (
            [255; 3],
            *random.pick(&[[0x61; 3], [0x21; 3], [0xC8, 0, 0], [0; 3], [0x9E; 3]]),
        ),
        (0, true) => (
            [0x12; 3],
            *random.pick(&[[255; 3], [0xB0; 3], [0x8A, 0xB4, 0xF8]]),
        ),
        (_, false) => (random.colour(215, 255), random.colour(0, 130)),
        (_, true) => (random.colour(0, 50), random.colour(130, 255)),
    };
    let lines = random.integer(1, 3);
    Scene {
        ground,
        card: (random.integer(0, 3) == 0).then(|| offset(ground, random.integer(6, 30), random)),
        rule: None,
        disc: None,
        text,
        lines: (0..lines)
            .map(|_| (*random.pick(words)).to_owned())
            .collect(),
        size: random.part(10.0, 40.0),
        is_bold: random.integer(0, 2) == 0,
        shift: (random.part(0.0, 1.0), 0.0),
        gamma: 1.0,
    }
}

/// Returns the scene with one of the first three letters of its first line replaced by another letter of the
/// same script.
fn with_other_letter(scene: &Scene, random: &mut Random) -> Scene {
    let mut changed = scene.clone();
    let mut letters: Vec<char> = scene.lines[0].chars().collect();
    let at = random.next() as usize % letters.len().min(3);
    let others: Vec<char> = SCRIPTS
        .iter()
        .find(|(_, words)| words.contains(&scene.lines[0].as_str()))
        .map(|(_, words)| {
            words
                .concat()
                .chars()
                .filter(|letter| *letter != ' ' && *letter != letters[at])
                .collect()
        })
        .unwrap();
    letters[at] = *random.pick(&others);
    changed.lines[0] = letters.into_iter().collect();
    changed
}

/// Returns the picture with noise of at most `most` levels in each channel; alpha stays. With `in_blocks` half of
/// the noise is the same in each block of 8 × 8 pixels.
fn with_noise(mut image: RgbaImage, most: i32, in_blocks: bool, random: &mut Random) -> RgbaImage {
    let seed = random.next();
    let noise = |x: u32, y: u32, channel: usize, most: i32| {
        let place = u64::from(x) << 32 | u64::from(y) << 2 | channel as u64;
        Random(seed ^ place).integer(-most, most)
    };
    for (x, y, pixel) in image.enumerate_pixels_mut() {
        for channel in 0..3 {
            let by = if in_blocks {
                noise(x / 8 + 9000, y / 8, channel, most / 2)
                    + noise(x, y, channel, most - most / 2)
            } else {
                noise(x, y, channel, most)
            };
            pixel.0[channel] = (i32::from(pixel.0[channel]) + by).clamp(0, 255) as u8;
        }
    }
    image
}

/// Draws two pictures that differ by this kind of difference, the golden first.
fn pair(kind: Kind, random: &mut Random) -> [RgbaImage; 2] {
    let mut golden = scene(random);
    let mut actual = golden.clone();
    let part = |random: &mut Random| random.part(0.05, 0.25) * random.sign() as f32;
    let mut noise = None;
    match kind {
        Kind::ShiftedAcross => actual.shift.0 += part(random),
        Kind::ShiftedDown => {
            golden.shift.1 = random.part(0.0, 1.0);
            actual.shift.1 = golden.shift.1 + part(random);
        }
        Kind::Disc => {
            let (x, colour) = (random.part(60.0, 90.0), golden.text);
            golden.disc = Some((colour, x));
            actual.disc = Some((colour, x + part(random)));
        }
        Kind::Gamma => actual.gamma = *random.pick(&[0.85, 0.9, 0.95, 1.05, 1.1, 1.2]),
        Kind::Fine => noise = Some((random.integer(1, 3), false)),
        Kind::Blocks => noise = Some((random.integer(2, 3), true)),
        Kind::Level => {
            let by = random.integer(1, 2) * random.sign();
            let mut image = golden.draw();
            for pixel in image.pixels_mut() {
                pixel.0[..3]
                    .iter_mut()
                    .for_each(|part| *part = (i32::from(*part) + by).clamp(0, 255) as u8);
            }
            return [golden.draw(), image];
        }
        Kind::TextNear => actual.text = offset(golden.text, random.integer(6, 30), random),
        Kind::TextFar => actual.text = offset(golden.text, random.integer(30, 120), random),
        Kind::TextHue => actual.text = in_one_channel(golden.text, random.integer(10, 40), random),
        Kind::GroundNear => actual.ground = offset(golden.ground, random.integer(5, 20), random),
        Kind::CardNear => {
            let card = offset(golden.ground, random.integer(6, 60), random);
            golden.card = Some(card);
            actual.card = Some(offset(card, random.integer(5, 20), random));
        }
        Kind::Letter => actual = with_other_letter(&golden, random),
        Kind::Moved => match random.integer(0, 1) {
            0 => actual.shift.0 += random.integer(1, 2) as f32,
            _ => actual.shift.1 += random.integer(1, 2) as f32,
        },
        Kind::Rule => {
            golden.rule = Some((
                offset(golden.ground, random.integer(8, 100), random),
                random.integer(0, 1) == 0,
            ));
        }
        Kind::RuleColour => {
            let (colour, across) = (
                offset(golden.ground, random.integer(20, 100), random),
                random.integer(0, 1) == 0,
            );
            golden.rule = Some((colour, across));
            actual.rule = Some((offset(colour, random.integer(8, 60), random), across));
        }
        Kind::TextNearAndNoise => {
            actual.text = offset(golden.text, random.integer(12, 30), random);
            noise = Some((2, false));
        }
        Kind::GroundNearAndNoise => {
            actual.ground = offset(golden.ground, random.integer(6, 20), random);
            noise = Some((2, false));
        }
    }
    let mut drawn = actual.draw();
    if let Some((most, in_blocks)) = noise {
        drawn = with_noise(drawn, most, in_blocks, random);
    }
    [golden.draw(), drawn]
}

/// Compares two pictures without a mask.
fn judged(golden: &RgbaImage, actual: &RgbaImage) -> Comparison {
    compare(
        golden,
        actual,
        &PixelMask::new(golden.width(), golden.height(), &[]),
    )
}

/// Judges [`PAIRS`] generated pairs of each kind, in both orders. Fails for a kind of which more pairs are judged wrong
/// than are known to be.
#[test]
fn smoothing_and_noise_pass_and_what_changed_fails() {
    for (name, words) in SCRIPTS {
        assert!(
            words.iter().all(|word| scene::has_letters(word)),
            "the font has {name}"
        );
    }
    let mut lawless = Vec::new();
    for (kind, name, has_changed, known) in KINDS {
        let is_wrong = |seed: &u64| {
            let [golden, actual] = pair(kind, &mut Random(seed * 1000 + kind as u64));
            let found = [judged(&golden, &actual), judged(&actual, &golden)];
            found.map(|found| found.changed > 0) != [has_changed; 2]
        };
        let wrong: Vec<u64> = (0..PAIRS).filter(is_wrong).collect();
        println!("{:3} of {PAIRS} wrong: {name}", wrong.len());
        if wrong.len() > known {
            lawless.push(format!(
                "{name}: {known} are known to be wrong, now the pairs {wrong:?}"
            ));
        }
    }
    assert_eq!(lawless, [""; 0]);
}

/// Draws small texts in a slightly other colour, or on another ground. Each pair must differ: an earlier version did
/// not compare the colours of small texts.
#[test]
fn colours_that_once_passed_differ() {
    const WHITE: Colour = [255; 3];
    let shown = |size: f32, ground: Colour, text: Colour| Scene {
        ground,
        card: None,
        rule: None,
        disc: None,
        text,
        lines: vec!["Storage 64 % used".to_owned(); 3],
        size,
        is_bold: false,
        shift: (0.0, 0.0),
        gamma: 1.0,
    };
    for size in [14.0, 20.0, 28.0] {
        for (before, after) in [
            ((WHITE, [0x61; 3]), (WHITE, [0x75; 3])),
            ((WHITE, [0xC8, 0, 0]), (WHITE, [0xE6, 0, 0])),
            ((WHITE, [0x21; 3]), ([0xFA; 3], [0x21; 3])),
        ] {
            let [golden, actual] =
                [before, after].map(|(ground, text)| shown(size, ground, text).draw());
            for (one, other) in [(&golden, &actual), (&actual, &golden)] {
                assert!(
                    judged(one, other).changed > 0,
                    "{size} px: {before:?} {after:?}"
                );
            }
        }
    }
}
