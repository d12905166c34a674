//! Places kitty's pictures by characters. Each cell is a private character whose colour is the picture's id
//! and whose diacritics are its row and column. tmux keeps and moves them like any text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

const PLACEHOLDER: char = '\u{10eeee}';

/// Diacritics for the numbers from 0, as the protocol lists them.
const NUMBERS: [u16; 100] = [
    0x305, 0x30d, 0x30e, 0x310, 0x312, 0x33d, 0x33e, 0x33f, 0x346, 0x34a, 0x34b, 0x34c, 0x350,
    0x351, 0x352, 0x357, 0x35b, 0x363, 0x364, 0x365, 0x366, 0x367, 0x368, 0x369, 0x36a, 0x36b,
    0x36c, 0x36d, 0x36e, 0x36f, 0x483, 0x484, 0x485, 0x486, 0x487, 0x592, 0x593, 0x594, 0x595,
    0x597, 0x598, 0x599, 0x59c, 0x59d, 0x59e, 0x59f, 0x5a0, 0x5a1, 0x5a8, 0x5a9, 0x5ab, 0x5ac,
    0x5af, 0x5c4, 0x610, 0x611, 0x612, 0x613, 0x614, 0x615, 0x616, 0x617, 0x657, 0x658, 0x659,
    0x65a, 0x65b, 0x65d, 0x65e, 0x6d6, 0x6d7, 0x6d8, 0x6d9, 0x6da, 0x6db, 0x6dc, 0x6df, 0x6e0,
    0x6e1, 0x6e2, 0x6e4, 0x6e7, 0x6e8, 0x6eb, 0x6ec, 0x730, 0x732, 0x733, 0x735, 0x736, 0x73a,
    0x73d, 0x73f, 0x740, 0x741, 0x743, 0x745, 0x747, 0x749, 0x74a,
];

/// Fills `area` with the placeholders of picture `id`, which is encoded as their colour, so only its lower three bytes
/// count. The picture must be sent separately. A column beyond the diacritics takes the number after its left
/// neighbour's, by the protocol. Rows of the area beyond the diacritics keep what they show; cells outside of the
/// buffer are skipped.
pub fn draw(buffer: &mut Buffer, area: Rect, id: u32) {
    let [_, red, green, blue] = id.to_be_bytes();
    let style = Style::new().fg(Color::Rgb(red, green, blue));
    for row in 0..area.height.min(NUMBERS.len() as u16) {
        for column in 0..area.width {
            let mut symbol = String::from(PLACEHOLDER);
            if let Some(column) = NUMBERS.get(usize::from(column)) {
                let marks = [NUMBERS[usize::from(row)], *column];
                symbol.extend(
                    marks
                        .into_iter()
                        .filter_map(|mark| char::from_u32(mark.into())),
                );
            }
            if let Some(cell) = buffer.cell_mut((area.x + column, area.y + row)) {
                cell.set_symbol(&symbol).set_style(style);
            }
        }
    }
}

/// Wraps `sequence` so that tmux passes it on to the terminal around it, if its option `allow-passthrough` is on,
/// which is not checked. Each ESC in it is doubled.
pub fn through_tmux(sequence: &[u8]) -> Vec<u8> {
    let mut wrapped = b"\x1bPtmux;".to_vec();
    for byte in sequence {
        // Doubled, as a single ESC would end tmux's own sequence.
        if *byte == 0x1b {
            wrapped.push(0x1b);
        }
        wrapped.push(*byte);
    }
    wrapped.extend(b"\x1b\\");
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_number_row_and_column() {
        let area = Rect::new(1, 0, 2, 2);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
        draw(&mut buffer, area, 0x0001_0203);
        let cell = &buffer[(2, 1)];
        assert_eq!(cell.symbol(), "\u{10eeee}\u{30d}\u{30d}");
        assert_eq!(cell.fg, Color::Rgb(1, 2, 3));
        assert_eq!(buffer[(0, 0)].symbol(), " ");
        assert_eq!(buffer[(3, 1)].symbol(), " ");
    }

    #[test]
    fn tmux_gets_every_escape_doubled() {
        assert_eq!(
            through_tmux(b"\x1b_Ga=d\x1b\\"),
            b"\x1bPtmux;\x1b\x1b_Ga=d\x1b\x1b\\\x1b\\"
        );
    }
}
