//! Pictures to compare, drawn by code and the same on every machine: pairs to time, and cases to judge.

use ab_glyph::{Font, FontRef, ScaleFont, point};
use image::{Rgba, RgbaImage};

/// Two pictures, and whether a person sees a difference between them.
pub struct Case {
    pub name: &'static str,
    pub golden: RgbaImage,
    pub actual: RgbaImage,
    pub differs: bool,
}

/// Parameters of a drawn screen; the pictures of a case differ in them.
#[derive(Clone)]
struct Look {
    size: (u32, u32),
    /// Distance by which texts are moved to the right, in pixels.
    shift: f32,
    /// Exponent of the coverage of a text's pixels, to imitate another gamma.
    gamma: f32,
    background: u8,
    divider: Option<u8>,
    upright: Option<u8>,
    text: u8,
    first_line: &'static str,
    button: bool,
    caret: bool,
    knob: f32,
    down: u32,
}

/// Size of the cases to judge: a part of a screen, with letters as large as on a whole one.
const PART: (u32, u32) = (720, 960);
/// Size of the pairs to time.
pub const SCREEN: (u32, u32) = (1080, 2400);

const PLAIN: Look = Look {
    size: PART,
    shift: 0.0,
    gamma: 1.0,
    background: 255,
    divider: Some(224),
    upright: Some(224),
    text: 33,
    first_line: "Wi-Fi, mobile data, 0 devices.",
    button: true,
    caret: true,
    knob: 0.0,
    down: 0,
};

const BLUE: Rgba<u8> = Rgba([0, 110, 210, 255]);

const LINES: [&str; 8] = [
    "Notifications on the lock screen",
    "Dark theme, font size, brightness",
    "Illuminated: filling all the time",
    "Storage 64 % used - 23.4 GB free",
    "Battery 87 % - until about 23:15",
    "Location has been on for 3 apps",
    "Passwords and accounts",
    "Till it fits: TTTT EEEE HHHH",
];

fn grey(level: u8) -> Rgba<u8> {
    Rgba([level, level, level, 255])
}

fn fill(image: &mut RgbaImage, [left, top, right, bottom]: [u32; 4], colour: Rgba<u8>) {
    for y in top..bottom.min(image.height()) {
        for x in left..right.min(image.width()) {
            image.put_pixel(x, y, colour);
        }
    }
}

fn blend(image: &mut RgbaImage, x: i32, y: i32, colour: Rgba<u8>, cover: f32) {
    let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
        return;
    };
    if let Some(pixel) = image.get_pixel_mut_checked(x, y) {
        for (under, over) in pixel.0.iter_mut().zip(colour.0).take(3) {
            let mixed = f32::from(*under) + (f32::from(over) - f32::from(*under)) * cover;
            *under = mixed.round() as u8;
        }
    }
}

/// Draws a line of text. `at` is the left end of its base line.
fn write(image: &mut RgbaImage, look: &Look, at: (f32, f32), height: f32, text: &str) {
    let Ok(font) = FontRef::try_from_slice(notosans::REGULAR_TTF) else {
        return;
    };
    let scaled = font.as_scaled(height);
    let mut x = at.0 + look.shift;
    for letter in text.chars() {
        let id = scaled.glyph_id(letter);
        let glyph = id.with_scale_and_position(height, point(x, at.1));
        x += scaled.h_advance(id);
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, cover| {
                let (x, y) = (corner.x as i32 + dx as i32, corner.y as i32 + dy as i32);
                let cover = cover.clamp(0.0, 1.0).powf(look.gamma);
                blend(image, x, y, grey(look.text), cover);
            });
        }
    }
}

fn disc(image: &mut RgbaImage, (cx, cy): (f32, f32), radius: f32, colour: Rgba<u8>) {
    let reach = radius as i32 + 2;
    for y in -reach..=reach {
        for x in -reach..=reach {
            let (px, py) = (cx.floor() + x as f32, cy.floor() + y as f32);
            let distance = (px + 0.5 - cx).hypot(py + 0.5 - cy);
            let cover = (radius - distance + 0.5).clamp(0.0, 1.0);
            blend(image, px as i32, py as i32, colour, cover);
        }
    }
}

/// Draws a list of settings: a heading, rows of two lines with a switch each, dividers, a button, a field
/// with a caret.
fn screen(look: &Look) -> RgbaImage {
    let (width, height) = look.size;
    let mut image = RgbaImage::from_pixel(width, height, grey(look.background));
    let right = width - 90;
    write(
        &mut image,
        look,
        (48.0, 100.0 + look.down as f32),
        84.0,
        "Settings",
    );
    let mut row = 0;
    let mut top = 150 + look.down;
    while top + 170 < height {
        let line = LINES[row % LINES.len()];
        let title = if row == 0 { look.first_line } else { line };
        write(&mut image, look, (48.0, top as f32 + 60.0), 48.0, title);
        write(
            &mut image,
            look,
            (48.0, top as f32 + 112.0),
            37.0,
            LINES[(row + 3) % LINES.len()],
        );
        if row % 3 == 0 {
            let knob = (right as f32 + 20.0 + look.knob, top as f32 + 75.0);
            disc(&mut image, knob, 24.0, BLUE);
        }
        if let (Some(level), true) = (look.divider, row > 0) {
            fill(&mut image, [0, top, width, top + 1], grey(level));
        }
        (row, top) = (row + 1, top + 150);
    }
    if let Some(level) = look.upright {
        fill(
            &mut image,
            [right - 40, 160, right - 39, height - 200],
            grey(level),
        );
    }
    let foot = height - 90;
    if look.button {
        fill(&mut image, [48, foot, 144, foot + 48], BLUE);
    }
    if look.caret {
        fill(&mut image, [300, foot, 303, foot + 48], grey(20));
    }
    image
}

fn with(change: impl FnOnce(&mut Look)) -> RgbaImage {
    let mut look = PLAIN;
    change(&mut look);
    screen(&look)
}

/// Returns the plain screen after a change of its pixels.
fn altered(change: impl FnOnce(&mut RgbaImage)) -> RgbaImage {
    let mut image = screen(&PLAIN);
    change(&mut image);
    image
}

/// Returns a number from 0 to 1 that looks random but depends on the place only.
fn noise(x: u32, y: u32) -> f32 {
    let mut bits = u64::from(x) << 32 | u64::from(y);
    bits = (bits ^ (bits >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (bits >> 40) as f32 / (1_u32 << 24) as f32
}

fn add(pixel: &mut Rgba<u8>, by: [f32; 3]) {
    for (channel, by) in pixel.0.iter_mut().zip(by) {
        *channel = (f32::from(*channel) + by).round().clamp(0.0, 255.0) as u8;
    }
}

/// Returns the cases: differences that a person sees, and some that nobody sees.
#[expect(clippy::too_many_lines, reason = "a list, each case read by itself")]
pub fn cases() -> Vec<Case> {
    let golden = screen(&PLAIN);
    let case = |name, actual, differs| Case {
        name,
        golden: golden.clone(),
        actual,
        differs,
    };
    vec![
        case("nothing changed", golden.clone(), false),
        case(
            "text 0.1 px to the right",
            with(|look| look.shift = 0.1),
            false,
        ),
        case(
            "text 0.25 px to the right",
            with(|look| look.shift = 0.25),
            false,
        ),
        case(
            "text in lighter gamma",
            with(|look| look.gamma = 1.2),
            false,
        ),
        case(
            "text in darker gamma",
            with(|look| look.gamma = 0.85),
            false,
        ),
        case(
            "round edges 0.2 px aside",
            with(|look| look.knob = 0.2),
            false,
        ),
        case(
            "all colours 1/255 darker",
            altered(|image| image.pixels_mut().for_each(|pixel| add(pixel, [-1.0; 3]))),
            false,
        ),
        case(
            "compression noise, 3/255 at most",
            altered(|image| {
                for (x, y, pixel) in image.enumerate_pixels_mut() {
                    let block = noise(x / 8, y / 8 + 9000) * 3.0 - 1.5;
                    let fine = |seed| noise(x + seed, y) * 3.0 - 1.5;
                    add(
                        pixel,
                        [block + fine(1), block + fine(20_000), block + fine(40_000)],
                    );
                }
            }),
            false,
        ),
        case(
            "one pixel",
            altered(|image| image.put_pixel(400, 30, grey(60))),
            true,
        ),
        case(
            "dividers of one pixel gone",
            with(|look| look.divider = None),
            true,
        ),
        case(
            "an upright line of one pixel gone",
            with(|look| look.upright = None),
            true,
        ),
        case(
            "dividers #E0E0E0 now #DADADA",
            with(|look| look.divider = Some(218)),
            true,
        ),
        case(
            "dividers #E0E0E0 now #F5F5F5",
            with(|look| look.divider = Some(245)),
            true,
        ),
        case(
            "background #FFFFFF now #F9F9F9",
            with(|look| look.background = 249),
            true,
        ),
        case(
            "text #212121 now #424242",
            with(|look| look.text = 66),
            true,
        ),
        case(
            "a small button gone",
            with(|look| look.button = false),
            true,
        ),
        case(
            "an outline of one pixel around the small button",
            altered(|image| {
                let (foot, light) = (PART.1 - 90, Rgba([120, 180, 235, 255]));
                for edge in [[48, foot, 144, foot + 1], [48, foot + 47, 144, foot + 48]] {
                    fill(image, edge, light);
                }
            }),
            true,
        ),
        case(
            "another hue as bright as before",
            altered(|image| {
                for pixel in image.pixels_mut().filter(|pixel| **pixel == BLUE) {
                    *pixel = Rgba([200, 40, 48, 255]);
                }
            }),
            true,
        ),
        case("the caret blinked", with(|look| look.caret = false), true),
        case(
            "a full stop gone",
            with(|look| look.first_line = "Wi-Fi, mobile data, 0 devices"),
            true,
        ),
        case(
            "a digit 0 now a letter O",
            with(|look| look.first_line = "Wi-Fi, mobile data, O devices."),
            true,
        ),
        case("all moved down by 1 px", with(|look| look.down = 1), true),
        case("a switch moved by 1 px", with(|look| look.knob = 1.0), true),
        case("text moved by 1 px", with(|look| look.shift = 1.0), true),
    ]
}

/// A pair of pictures to time.
pub struct Pair {
    pub name: &'static str,
    pub golden: RgbaImage,
    pub actual: RgbaImage,
}

/// Draws a photograph: soft shapes, round things with sharp edges, and grain.
fn photograph() -> RgbaImage {
    let soft = |x: f32, y: f32, wave: f32| {
        ((x / wave).sin() + (y / (wave * 1.3)).cos() + ((x + y) / (wave * 2.1)).sin()) / 6.0 + 0.5
    };
    RgbaImage::from_fn(SCREEN.0, SCREEN.1, |x, y| {
        let (fx, fy) = (x as f32, y as f32);
        let light = f32::midpoint(soft(fx, fy, 170.0), soft(fy, fx, 61.0));
        let grain = (noise(x, y) - 0.5) * 10.0;
        let (row, column) = (y / 240, (x + y / 240 * 90) / 216);
        let (dx, dy) = ((x + y / 240 * 90) % 216, y % 240);
        let reach = 40.0 + 60.0 * noise(column, row + 77_000);
        let inside = (dx as f32 - 108.0).hypot(dy as f32 - 120.0) < reach;
        let shade = if inside {
            120.0 * noise(column + 5000, row) - 60.0
        } else {
            0.0
        };
        let mut pixel = Rgba([0, 0, 0, 255]);
        add(
            &mut pixel,
            [
                40.0 + 150.0 * light + grain + shade,
                60.0 + 120.0 * soft(fx, fy, 230.0) + grain + shade,
                90.0 + 100.0 * (1.0 - light) + grain,
            ],
        );
        pixel
    })
}

/// Returns the pairs of one kind of picture: flat as a screen, or photographic.
pub fn pairs(photographic: bool) -> Vec<Pair> {
    let golden = if photographic {
        photograph()
    } else {
        screen(&Look {
            size: SCREEN,
            ..PLAIN
        })
    };
    let pair = |name, actual| Pair {
        name,
        golden: golden.clone(),
        actual,
    };
    let changed = |change: &dyn Fn(u32, u32, Rgba<u8>) -> Rgba<u8>| {
        RgbaImage::from_fn(SCREEN.0, SCREEN.1, |x, y| {
            change(x, y, *golden.get_pixel(x, y))
        })
    };
    let inverted = |pixel: Rgba<u8>| {
        let [red, green, blue, alpha] = pixel.0;
        Rgba([255 - red, 255 - green, 255 - blue, alpha])
    };
    vec![
        pair("equal bytes", golden.clone()),
        pair("equal pixels, other bytes", golden.clone()),
        pair(
            "one pixel",
            changed(&|x, y, old| {
                if (x, y) == (640, 1200) {
                    inverted(old)
                } else {
                    old
                }
            }),
        ),
        // 162 × 160 pixels.
        pair(
            "1 %",
            changed(&|x, y, old| {
                let inside = (400..562).contains(&x) && (1000..1160).contains(&y);
                if inside { inverted(old) } else { old }
            }),
        ),
        pair(
            "shifted by 8 px",
            changed(&|x, y, _| *golden.get_pixel(x, y.saturating_sub(8))),
        ),
        pair("all changed", changed(&|_, _, old| inverted(old))),
    ]
}
