//! Draws pictures as half blocks: two pixels a cell, as the colours of the character and its background.

use image::{Rgba, RgbaImage};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::Colours;

const UPPER: &str = "▀";

/// Draws `picture` at the corner of `area`, two pixels a cell, one above the other. The picture is cut at the right and
/// lower edge of the area and not scaled. Cells outside of it stay. Transparent pixels, and the lower half of an odd
/// last row, get the terminal's background.
pub fn draw(buffer: &mut Buffer, area: Rect, picture: &RgbaImage, colours: Colours) {
    let (width, height) = picture.dimensions();
    for row in 0..height.div_ceil(2).min(area.height.into()) {
        for column in 0..width.min(area.width.into()) {
            let above = colour(*picture.get_pixel(column, row * 2), colours);
            let below = picture
                .get_pixel_checked(column, row * 2 + 1)
                .map_or(Color::Reset, |pixel| colour(*pixel, colours));
            let place = (area.x + column as u16, area.y + row as u16);
            if let Some(cell) = buffer.cell_mut(place) {
                cell.set_symbol(UPPER)
                    .set_style(Style::new().fg(above).bg(below));
            }
        }
    }
}

/// Returns the colour that the terminal can show nearest to the pixel's. A pixel of less than half opacity gives the
/// terminal's background. Without colours, too, one of the 16 named colours is returned.
fn colour(Rgba([red, green, blue, alpha]): Rgba<u8>, colours: Colours) -> Color {
    if alpha < 128 {
        return Color::Reset;
    }
    match colours {
        Colours::True => Color::Rgb(red, green, blue),
        Colours::Indexed => Color::Indexed(indexed([red, green, blue])),
        Colours::Sixteen | Colours::None => named([red, green, blue]),
    }
}

/// Returns the number of the nearest colour of the 6×6×6 cube and the 24 greys, which all terminals with 256
/// colours share. The 16 basic colours, which people change, are never returned.
fn indexed(rgb: [u8; 3]) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |value: u8| {
        (0..6_u8)
            .min_by_key(|at| STEPS[usize::from(*at)].abs_diff(value))
            .unwrap_or(0)
    };
    let cube = rgb.map(step);
    let cube_colour = cube.map(|at| STEPS[usize::from(at)]);
    let mean = rgb.iter().map(|value| u32::from(*value)).sum::<u32>() / 3;
    let grey = (mean.saturating_sub(3) / 10).min(23) as u8;
    let grey_colour = [8 + grey * 10; 3];
    if distance(rgb, grey_colour) < distance(rgb, cube_colour) {
        232 + grey
    } else {
        16 + cube[0] * 36 + cube[1] * 6 + cube[2]
    }
}

/// Returns the nearest of the 16 named colours, of equally near ones the first.
fn named(rgb: [u8; 3]) -> Color {
    const NAMED: [(Color, [u8; 3]); 16] = [
        (Color::Black, [0, 0, 0]),
        (Color::Red, [205, 0, 0]),
        (Color::Green, [0, 205, 0]),
        (Color::Yellow, [205, 205, 0]),
        (Color::Blue, [0, 0, 238]),
        (Color::Magenta, [205, 0, 205]),
        (Color::Cyan, [0, 205, 205]),
        (Color::Gray, [229, 229, 229]),
        (Color::DarkGray, [127, 127, 127]),
        (Color::LightRed, [255, 0, 0]),
        (Color::LightGreen, [0, 255, 0]),
        (Color::LightYellow, [255, 255, 0]),
        (Color::LightBlue, [92, 92, 255]),
        (Color::LightMagenta, [255, 0, 255]),
        (Color::LightCyan, [0, 255, 255]),
        (Color::White, [255, 255, 255]),
    ];
    NAMED
        .into_iter()
        .min_by_key(|(_, colour)| distance(rgb, *colour))
        .map_or(Color::Reset, |(name, _)| name)
}

/// Returns the sum of the squared differences of the three channels.
fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    one.iter()
        .zip(other)
        .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(colours: Colours) -> Buffer {
        let mut picture = RgbaImage::from_pixel(2, 3, Rgba([255, 255, 255, 255]));
        picture.put_pixel(1, 0, Rgba([255, 0, 0, 255]));
        picture.put_pixel(0, 2, Rgba([0, 0, 0, 255]));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 3));
        draw(&mut buffer, Rect::new(1, 1, 2, 2), &picture, colours);
        buffer
    }

    #[test]
    fn every_cell_has_two_pixels() {
        let buffer = drawn(Colours::True);
        let cell = |x, y| {
            let cell = &buffer[(x, y)];
            (cell.symbol().to_owned(), cell.fg, cell.bg)
        };
        let white = Color::Rgb(255, 255, 255);
        assert_eq!(cell(2, 1), ("▀".into(), Color::Rgb(255, 0, 0), white));
        assert_eq!(cell(1, 2), ("▀".into(), Color::Rgb(0, 0, 0), Color::Reset));
        assert_eq!(cell(0, 1), (" ".into(), Color::Reset, Color::Reset));
    }

    #[test]
    fn fewer_colours_take_the_nearest() {
        assert_eq!(drawn(Colours::Indexed)[(2, 1)].fg, Color::Indexed(196));
        assert_eq!(drawn(Colours::Indexed)[(1, 1)].fg, Color::Indexed(231));
        assert_eq!(drawn(Colours::Sixteen)[(2, 1)].fg, Color::LightRed);
        assert_eq!(indexed([118, 118, 118]), 243);
        for value in 0..=255_u8 {
            assert!(indexed([value; 3]) >= 16);
        }
    }
}
