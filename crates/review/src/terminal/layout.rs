//! Divides the screen by its size alone. Drawing and the mouse use the same rectangles.

use ratatui::layout::{Position, Rect};

/// Columns and lines of the smallest screen. Chosen: on a smaller one nothing useful fits.
const MIN_SIZE: (u16, u16) = (30, 8);
/// Columns from which on the queue is beside the case, not above it. Chosen: the case keeps at least 49 columns.
const MIN_SPLIT_COLUMNS: u16 = 72;

/// Parts of the screen. They do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    /// Title and progress: one line.
    pub title: Rect,
    pub queue: Rect,
    /// Kind and key of the case: one or two lines.
    pub head: Rect,
    /// Pictures; empty if the text has all the room.
    pub pictures: Rect,
    /// Difference of the rows.
    pub rows: Rect,
    /// Last message: one line.
    pub message: Rect,
    /// Keys: one line.
    pub keys: Rect,
}

/// Division of the room beside the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitRatio {
    /// Pictures above, rows below.
    Both,
    /// Rows only.
    Rows,
    /// A picture as large as possible, few rows.
    Picture,
}

/// Divides a screen of this size in columns and rows; `None` if it is smaller than `MIN_SIZE`. The queue is at the
/// left from `MIN_SPLIT_COLUMNS` on, else above the case. `share` says how much room rows get beside the pictures, at
/// least one line; with `SplitRatio::Rows` the pictures get none. The parts do not overlap.
pub fn areas((width, height): (u16, u16), share: SplitRatio) -> Option<Areas> {
    if width < MIN_SIZE.0 || height < MIN_SIZE.1 {
        return None;
    }
    let title = Rect::new(0, 0, width, 1);
    let message = Rect::new(0, height - 2, width, 1);
    let keys = Rect::new(0, height - 1, width, 1);
    let body = Rect::new(0, 1, width, height - 3);
    let (queue, case) = if width >= MIN_SPLIT_COLUMNS {
        let queue = (width / 4).clamp(22, 44);
        let rest = Rect::new(queue + 1, body.y, width - queue - 1, body.height);
        (Rect::new(0, body.y, queue, body.height), rest)
    } else {
        let queue = (body.height / 4).clamp(1, 8);
        let rest = Rect::new(0, body.y + queue, width, body.height - queue);
        (Rect::new(0, body.y, width, queue), rest)
    };
    let head_lines = if case.height >= 12 { 2 } else { 1 };
    let head = Rect::new(case.x, case.y, case.width, head_lines);
    let room = case.height - head_lines;
    let rows = match share {
        SplitRatio::Rows => room,
        SplitRatio::Both => (room / 3).clamp(1, 14),
        SplitRatio::Picture => (room / 6).clamp(1, 6),
    };
    let pictures = Rect::new(case.x, head.bottom(), case.width, room - rows);
    Some(Areas {
        title,
        queue,
        head,
        pictures,
        rows: Rect::new(case.x, pictures.bottom(), case.width, rows),
        message,
        keys,
    })
}

/// Returns true if a cell lies in `area`.
pub fn holds(area: Rect, column: u16, row: u16) -> bool {
    area.contains(Position::new(column, row))
}

/// Divides `area` into `count` columns of equal width and full height for pictures, one cell apart, from left to
/// right. Cells that are left over stay free at the right. A `count` of 0 gives one column; in too little room
/// columns have no width.
pub fn columns(area: Rect, count: u16) -> Vec<Rect> {
    let count = count.max(1);
    let each = (area.width.saturating_sub(count - 1)) / count;
    (0..count)
        .map(|at| Rect::new(area.x + at * (each + 1), area.y, each, area.height))
        .collect()
}

/// Returns a rectangle of at most the wanted size in the middle of the screen.
pub fn centered((width, height): (u16, u16), wanted: (u16, u16)) -> Rect {
    let size = (wanted.0.min(width), wanted.1.min(height));
    Rect::new((width - size.0) / 2, (height - size.1) / 2, size.0, size.1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_stay_on_the_screen_and_apart(width in 0_u16..300, height in 0_u16..120, share in 0..3) {
            let share = [SplitRatio::Both, SplitRatio::Rows, SplitRatio::Picture][share as usize];
            let Some(areas) = areas((width, height), share) else {
                prop_assert!(width < MIN_SIZE.0 || height < MIN_SIZE.1);
                return Ok(());
            };
            let screen = Rect::new(0, 0, width, height);
            let parts = [areas.title, areas.queue, areas.head, areas.pictures, areas.rows, areas.message, areas.keys];
            for (at, part) in parts.iter().enumerate() {
                prop_assert_eq!(part.intersection(screen), *part);
                for other in &parts[at + 1..] {
                    prop_assert!(part.intersection(*other).is_empty(), "{:?} {:?}", part, other);
                }
            }
            prop_assert!(areas.rows.height > 0);
        }
    }
}
