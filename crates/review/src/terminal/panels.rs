//! Places the pictures of a case on the screen, and chooses the part of each that is shown.

use image::RgbaImage;
use ratatui::layout::Rect as Area;

use super::fit;
use super::layout::columns;
use super::state::{Focus, Mode, PictureSide, State};
use crate::Case;
use runner_screen::Rect;

/// Columns of the narrowest picture. Chosen: narrower ones show nothing of use; then one picture is shown
/// instead of several.
const MIN_PICTURE_COLUMNS: u16 = 12;

/// Picture and its place on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    pub side: PictureSide,
    /// Line above the picture.
    pub caption: Area,
    /// Cells that the picture may cover.
    pub cells: Area,
    /// Part of the picture that is shown, in its pixels.
    pub part: Rect,
    /// Size of that part on the screen, in pixels of the terminal.
    pub size: (u32, u32),
    /// Change to draw an outline around, in pixels of the picture.
    pub outline: Option<Rect>,
}

/// Returns the pictures on the screen now, with their places, from left to right. Side by side these are all that the
/// case has; if they do not fit, and in the other modes, only the chosen one. Empty if no case is shown, pictures have
/// less than three lines or are off, or the case lacks the chosen one.
pub fn panels(state: &State) -> Vec<Panel> {
    let (Some(case), Some(areas)) = (state.case(), state.areas()) else {
        return Vec::new();
    };
    let area = areas.pictures;
    if area.height < 3 || !state.has_pictures() {
        return Vec::new();
    }
    let sides = match state.mode {
        Mode::Side => {
            let sides = state.sides();
            let fits = (area.width / (MIN_PICTURE_COLUMNS + 1)).max(1);
            if sides.len() > usize::from(fits) {
                vec![state.side]
            } else {
                sides
            }
        }
        Mode::Large | Mode::Text => vec![state.side],
    };
    columns(area, sides.len() as u16)
        .into_iter()
        .zip(sides)
        .filter_map(|(area, side)| panel(state, case, side, area))
        .collect()
}

/// Creates the panel of a side at `area`, whose first line is the caption. The panel shows the surroundings of the
/// focused change, else the whole picture, at one scale for all sides. `None` without such a picture, without room, or
/// if the part to show lies outside of it.
fn panel(state: &State, case: &Case, side: PictureSide, area: Area) -> Option<Panel> {
    let picture = picture(case, side)?;
    let whole = largest(case);
    let cells = Area::new(
        area.x,
        area.y + 1,
        area.width,
        area.height.saturating_sub(1),
    );
    let cell = state.display.cell_pixels();
    let room = (
        u32::from(cells.width) * cell.0,
        u32::from(cells.height) * cell.1,
    );
    let change = change(case, state.focus);
    let frame = change.map_or(Rect::new(0, 0, whole.0 as i32, whole.1 as i32), |change| {
        fit::part_around(change, whole, room)
    });
    // All pictures have one scale, so that different sizes are visible.
    let own = Rect::new(0, 0, picture.width() as i32, picture.height() as i32);
    let part = frame.intersection(&own)?;
    let all = fit::size((frame.width(), frame.height()), room);
    let share = |part: u32, frame: u32, all: u32| {
        (u64::from(part) * u64::from(all) / u64::from(frame.max(1))).max(1) as u32
    };
    let size = (
        share(part.width(), frame.width(), all.0),
        share(part.height(), frame.height(), all.1),
    );
    if cells.is_empty() {
        return None;
    }
    Some(Panel {
        side,
        caption: Area::new(area.x, area.y, area.width, 1),
        cells,
        part,
        size,
        // The picture of the differences has its own frames.
        outline: change.filter(|_| side != PictureSide::Difference),
    })
}

/// Returns the golden, actual or difference picture of a case, or `None` if it lacks it.
pub fn picture(case: &Case, side: PictureSide) -> Option<&RgbaImage> {
    let frame = match side {
        PictureSide::Golden => case.diff.golden.as_deref(),
        PictureSide::Actual => case.diff.proposed.as_deref(),
        PictureSide::Difference => case.diff.difference.as_ref(),
    };
    frame.map(|frame| &**frame)
}

/// Returns the bounds of the change or row that has the focus, in pixels of the picture; `None` for the whole
/// picture, for a row without bounds, and for a change or row that the case does not have. Of a row the actual side
/// counts, else the golden.
pub fn change(case: &Case, focus: Focus) -> Option<Rect> {
    match focus {
        Focus::FullPicture => None,
        Focus::Place(at) => case.diff.places.get(at).map(|place| place.bounds),
        Focus::Row(at) => {
            let line = case.diff.lines.get(at)?;
            let row = line.actual.as_ref().or(line.golden.as_ref())?;
            row.1.bounds.filter(|bounds| !bounds.is_empty())
        }
    }
}

/// Returns the pixel of the case's picture under the centre of a cell, as x and y, in whichever picture the cell is.
/// `None` beside the pictures.
pub fn pixel_at(state: &State, column: u16, row: u16) -> Option<(i32, i32)> {
    let panel = panels(state)
        .into_iter()
        .find(|panel| super::layout::holds(panel.cells, column, row))?;
    let cell = state.display.cell_pixels();
    let place = |cells: u16, cell: u32, length: u32, size: u32| {
        let at = u64::from(cells) * u64::from(cell) + u64::from(cell) / 2;
        (at < u64::from(size)).then(|| (at * u64::from(length) / u64::from(size.max(1))) as i32)
    };
    let x = place(
        column - panel.cells.x,
        cell.0,
        panel.part.width(),
        panel.size.0,
    )?;
    let y = place(
        row - panel.cells.y,
        cell.1,
        panel.part.height(),
        panel.size.1,
    )?;
    Some((panel.part.left + x, panel.part.top + y))
}

/// Returns the largest width and the largest height of golden and actual, each for itself; 1 by 1 without both.
fn largest(case: &Case) -> (u32, u32) {
    [PictureSide::Golden, PictureSide::Actual]
        .into_iter()
        .filter_map(|side| picture(case, side))
        .fold((1, 1), |(width, height), picture| {
            (width.max(picture.width()), height.max(picture.height()))
        })
}
