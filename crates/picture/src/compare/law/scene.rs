//! Draws a piece of a screen from its description: lines of text, a card, a line of one pixel.

use ab_glyph::{Font, FontRef, ScaleFont, point};
use image::{Rgba, RgbaImage};

pub(super) type Colour = [u8; 3];

pub(super) const WIDTH: u32 = 160;

/// Words of the scripts that the font has, as an app shows them.
pub(super) const SCRIPTS: [(&str, [&str; 4]); 5] = [
    (
        "Latin",
        [
            "Illuminated fills",
            "Storage 64 % used",
            "Passwords & login",
            "quick brown foxes",
        ],
    ),
    (
        "Vietnamese",
        [
            "Tiếng Việt đẹp lắm",
            "Mật khẩu của bạn",
            "Cài đặt ứng dụng",
            "Đường phố Huế",
        ],
    ),
    (
        "Greek",
        [
            "Ρυθμίσεις ήχου",
            "Κωδικός πρόσβασης",
            "Φωτεινότητα οθόνης",
            "Ελληνικά γράμματα",
        ],
    ),
    (
        "Cyrillic",
        [
            "Настройки звука",
            "Пароль и защита",
            "Яркость экрана",
            "Щедрый друг фильма",
        ],
    ),
    (
        "Numbers",
        [
            "23:15 – 87 %",
            "€ 1,029.50 ±3",
            "4 × 6 = ½ · 48",
            "#7 (10/29) @ 0°",
        ],
    ),
];

/// Description of a drawn picture. A pair of pictures is two of these.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub ground: Colour,
    /// A filled card behind the lower half.
    pub card: Option<Colour>,
    /// Colour of a line of one pixel; true if it runs across, false if it runs down.
    pub rule: Option<(Colour, bool)>,
    /// Colour of a disc and the x coordinate of its centre.
    pub disc: Option<(Colour, f32)>,
    pub text: Colour,
    pub lines: Vec<String>,
    /// Height of the letters in pixels.
    pub size: f32,
    pub is_bold: bool,
    /// Offset of the texts in pixels, to the right and down.
    pub shift: (f32, f32),
    /// Exponent that is applied to the coverage of a text's pixels.
    pub gamma: f32,
}

impl Scene {
    pub(super) fn height(&self) -> u32 {
        ((self.lines.len() as f32 * self.size * 1.3) as u32 + 12).max(32)
    }

    /// Draws the scene as an opaque picture, [`WIDTH`] pixels wide and [`Self::height`] pixels high.
    pub(super) fn draw(&self) -> RgbaImage {
        let height = self.height();
        let mut image = RgbaImage::from_pixel(WIDTH, height, opaque(self.ground));
        if let Some(card) = self.card {
            fill(&mut image, [8, height / 2, WIDTH - 8, height], card);
        }
        for (at, line) in self.lines.iter().enumerate() {
            let base = 4.0 + self.size * (at as f32 * 1.3 + 1.0);
            self.write(line, (6.0 + self.shift.0, base + self.shift.1), &mut image);
        }
        if let Some((colour, middle)) = self.disc {
            disc(&mut image, (middle, height as f32 / 2.0 + 0.3), colour);
        }
        match self.rule {
            Some((colour, true)) => fill(&mut image, [4, 2, WIDTH - 4, 3], colour),
            Some((colour, false)) => fill(&mut image, [3, 2, 4, height - 2], colour),
            None => {}
        }
        image
    }

    /// Draws a line of text whose baseline begins at this point. What reaches out of the picture is cut.
    fn write(&self, line: &str, (mut x, base): (f32, f32), image: &mut RgbaImage) {
        let bytes = if self.is_bold {
            notosans::BOLD_TTF
        } else {
            notosans::REGULAR_TTF
        };
        let font = FontRef::try_from_slice(bytes).unwrap();
        let scaled = font.as_scaled(self.size * 1.36);
        for letter in line.chars() {
            let id = scaled.glyph_id(letter);
            let glyph = id.with_scale_and_position(self.size * 1.36, point(x, base));
            x += scaled.h_advance(id);
            let Some(outline) = font.outline_glyph(glyph) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, cover| {
                let (x, y) = (corner.x as i32 + dx as i32, corner.y as i32 + dy as i32);
                let cover = cover.clamp(0.0, 1.0).powf(self.gamma);
                blend(image, (x, y), self.text, cover);
            });
        }
    }
}

/// Returns true if the font has a glyph for every letter of `text`.
pub(super) fn has_letters(text: &str) -> bool {
    let font = FontRef::try_from_slice(notosans::REGULAR_TTF).unwrap();
    text.chars().all(|letter| font.glyph_id(letter).0 != 0)
}

fn opaque([red, green, blue]: Colour) -> Rgba<u8> {
    Rgba([red, green, blue, 255])
}

/// Fills the rectangle, right and bottom excluded. Panics outside of the picture.
fn fill(image: &mut RgbaImage, [left, top, right, bottom]: [u32; 4], colour: Colour) {
    for y in top..bottom {
        for x in left..right {
            image.put_pixel(x, y, opaque(colour));
        }
    }
}

/// Draws a smooth disc around a point; its radius is three pixels less than `cy`.
fn disc(image: &mut RgbaImage, (cx, cy): (f32, f32), colour: Colour) {
    let radius = cy - 3.0;
    for y in 0..image.height() as i32 {
        for x in 0..WIDTH as i32 {
            let far = (x as f32 + 0.5 - cx).hypot(y as f32 + 0.5 - cy);
            blend(image, (x, y), colour, (radius - far + 0.5).clamp(0.0, 1.0));
        }
    }
}

/// Blends a colour over a pixel by `cover`, 0 to 1. A point outside of the picture changes nothing.
fn blend(image: &mut RgbaImage, (x, y): (i32, i32), colour: Colour, cover: f32) {
    let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
        return;
    };
    if let Some(pixel) = image.get_pixel_mut_checked(x, y) {
        for (under, over) in pixel.0.iter_mut().zip(colour) {
            let mixed = f32::from(*under) + (f32::from(over) - f32::from(*under)) * cover;
            *under = mixed.round() as u8;
        }
    }
}
