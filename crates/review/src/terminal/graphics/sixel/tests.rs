use image::{Rgba, RgbaImage};
use proptest::prelude::*;

use super::*;

/// Decodes sixel as a terminal does, on a transparent background.
fn read(bytes: &[u8]) -> RgbaImage {
    let text = std::str::from_utf8(bytes).unwrap();
    let body = text.strip_prefix("\x1bP0;1;0q\"1;1;").unwrap();
    let body = body.strip_suffix("\x1b\\").unwrap();
    let head = body.find(['#', '-']).unwrap_or(body.len());
    let (width, height) = body[..head].split_once(';').unwrap();
    let (width, height) = (width.parse().unwrap(), height.parse().unwrap());
    let mut picture = RgbaImage::new(width, height);
    let mut colours = std::collections::BTreeMap::new();
    let (mut x, mut y, mut colour) = (0, 0, 0);
    let mut rest = body[head..].chars().peekable();
    let number = |rest: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        let mut digits = String::new();
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse::<u32>().unwrap()
    };
    while let Some(c) = rest.next() {
        let mut count = 1;
        let mut c = c;
        match c {
            '#' => {
                colour = number(&mut rest);
                if rest.next_if_eq(&';').is_some() {
                    assert_eq!(number(&mut rest), 2);
                    let mut rgb = [0; 3];
                    for value in &mut rgb {
                        assert_eq!(rest.next(), Some(';'));
                        *value = (number(&mut rest) * 255 / 100) as u8;
                    }
                    colours.insert(colour, rgb);
                }
                continue;
            }
            '$' => {
                x = 0;
                continue;
            }
            '-' => {
                x = 0;
                y += 6;
                continue;
            }
            '!' => {
                count = number(&mut rest);
                c = rest.next().unwrap();
            }
            _ => {}
        }
        let bits = u32::from(c) - u32::from('?');
        assert!(bits < 64, "{c:?}");
        for _ in 0..count {
            for line in (0..6).filter(|line| bits >> line & 1 == 1) {
                let [red, green, blue] = colours[&colour];
                picture.put_pixel(x, y + line, Rgba([red, green, blue, 255]));
            }
            x += 1;
        }
    }
    picture
}

fn near(one: Rgba<u8>, other: Rgba<u8>, by: u8) -> bool {
    one.0.iter().zip(other.0).all(|(a, b)| a.abs_diff(b) <= by)
}

#[test]
fn few_colours_come_back_as_they_were() {
    let picture = RgbaImage::from_fn(23, 17, |x, y| match (x / 5 + y / 3) % 4 {
        0 => Rgba([255, 0, 0, 255]),
        1 => Rgba([16, 32, 64, 255]),
        2 => Rgba([255, 255, 255, 255]),
        _ => Rgba([0, 0, 0, 0]),
    });
    let back = read(&show(&picture));
    for (given, displayed) in picture.pixels().zip(back.pixels()) {
        assert!(near(*given, *displayed, 2), "{given:?} {displayed:?}");
    }
}

#[test]
fn many_colours_come_back_nearly() {
    let picture = RgbaImage::from_fn(256, 64, |x, y| Rgba([x as u8, (y * 4) as u8, 90, 255]));
    let displayed = show(&picture);
    let back = read(&displayed);
    for (given, colour) in picture.pixels().zip(back.pixels()) {
        assert!(near(*given, *colour, 24), "{given:?} {colour:?}");
    }
    let text = String::from_utf8(displayed).unwrap();
    assert!(
        !text.contains("#256;"),
        "more colours than there are registers"
    );
}

#[test]
fn a_flat_screen_is_a_few_bytes() {
    let picture = RgbaImage::from_pixel(400, 600, Rgba([250, 250, 250, 255]));
    let length = show(&picture).len();
    assert!(length < 1200, "{length}");
}

proptest! {
    #[test]
    fn any_size_keeps_every_pixel_in_its_place(width in 1..40_u32, height in 1..40_u32, seed in 0..1000_u32) {
        let picture = RgbaImage::from_fn(width, height, |x, y| {
            let on = (x * 31 + y * 17 + seed) % 5 < 2;
            if on { Rgba([255, 255, 255, 255]) } else { Rgba([0, 0, 0, 255]) }
        });
        prop_assert_eq!(read(&show(&picture)), picture);
    }
}
