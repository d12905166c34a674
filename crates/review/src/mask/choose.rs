//! Chooses the mask for a row: the simplest selector that finds this row only on both sides, else its
//! rectangle.

use std::fmt::Write as _;

use regex::RegexSet;

use super::row_scope::RowScope;
use runner_screen::{DisplayContext, NodeIndex, Rect, Screen, Selector};
use runner_snapshot::{Row, RowLine};
use runner_text::flow_text;

/// Reason why there is no mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ChooseError {
    #[error("there is no row {0} in what was seen")]
    NoRow(usize),
    #[error("this row is the head of a window; mask what is in it")]
    Window,
    #[error("this row is masked already")]
    Masked,
    #[error("the rows cannot be searched")]
    NotSearchable,
    #[error("nothing tells this row from others, and its place is not known")]
    NoPlace,
    #[error(
        "this snapshot takes one element (`of`), and where that lies on the display is not known; mask by a selector"
    )]
    OwnFrame,
    #[error("the area is empty")]
    EmptyArea,
}

/// Returns the mask for the actual row with this number, as YAML on one line: the simplest selector that finds only
/// this row, in the golden too if it is there, else the row's rectangle. Fails for an unknown row, a window, a row
/// that is masked already, rows that cannot be searched, and if neither form is possible.
pub(super) fn row_mask(
    lines: &[RowLine],
    number: usize,
    row_scope: &RowScope,
) -> Result<String, ChooseError> {
    let actual = |line: &RowLine| line.actual.as_ref().map(|(number, _)| *number);
    let line = lines.iter().find(|line| actual(line) == Some(number));
    let Some((line, (_, row))) = line.and_then(|line| Some((line, line.actual.as_ref()?))) else {
        return Err(ChooseError::NoRow(number));
    };
    if row.is_window() {
        return Err(ChooseError::Window);
    }
    if row.is_masked() {
        return Err(ChooseError::Masked);
    }
    let sides = ScreenPair::new(lines, row_scope).ok_or(ChooseError::NotSearchable)?;
    let golden = line.golden.as_ref().map(|(number, _)| *number);
    if let Some(selector) = sides.selector(number, golden) {
        return Ok(flow_text::literal(&selector.to_value()));
    }
    match row.bounds {
        Some(bounds) => area_mask(bounds, row_scope.own_frame),
        None => Err(ChooseError::NoPlace),
    }
}

/// Returns the mask for a rectangle of the display, in pixels, as YAML on one line, for example
/// `{ rect: [ 0, 0, 100, 50 ] }`. Fails for an empty rectangle. It is not compared with the display.
///
/// If `has_own_frame` is set, the snapshot takes one element, and its bounds are not those of the display. Then there
/// is no such mask, which is an error.
pub(super) fn area_mask(area: Rect, has_own_frame: bool) -> Result<String, ChooseError> {
    if has_own_frame {
        return Err(ChooseError::OwnFrame);
    }
    if area.is_empty() {
        return Err(ChooseError::EmptyArea);
    }
    Ok(format!(
        "{{ rect: [ {}, {}, {}, {} ] }}",
        area.left, area.top, area.right, area.bottom
    ))
}

/// Rows of both sides as screens that can be searched. Rows do not say which element is inside which.
struct ScreenPair {
    golden: SearchableScreen,
    actual: SearchableScreen,
}

struct SearchableScreen {
    screen: Screen,
    /// Numbers of the rows, in the order of the screen's nodes after its root.
    numbers: Vec<usize>,
    /// True if all rows of the display are here, so that they can be counted.
    is_whole: bool,
}

impl ScreenPair {
    /// Creates both screens from the rows of a difference; `None` if one of them cannot be searched, even if it is
    /// the golden.
    fn new(lines: &[RowLine], row_scope: &RowScope) -> Option<Self> {
        let golden = lines.iter().filter_map(|line| line.golden.as_ref());
        let actual = lines.iter().filter_map(|line| line.actual.as_ref());
        Some(Self {
            golden: SearchableScreen::new(golden, row_scope)?,
            actual: SearchableScreen::new(actual, row_scope)?,
        })
    }

    /// Returns the first selector that finds only this row on the actual screen, and only its counterpart on the
    /// golden if there is one. Selectors made of the actual row come first, then those of the golden's. `None` if
    /// none does.
    fn selector(&self, actual: usize, golden: Option<usize>) -> Option<Selector> {
        let mut candidates = self.actual.candidates(actual);
        // The golden's words can find the row only if they did not change.
        if let Some(golden) = golden {
            candidates.extend(self.golden.candidates(golden));
        }
        candidates.into_iter().find(|selector| {
            self.actual.finds_only(selector, actual)
                && golden.is_none_or(|golden| self.golden.finds_only(selector, golden))
        })
    }
}

impl SearchableScreen {
    /// Rebuilds a screen from the rows, so that selectors search them as in a run. Rows of windows and cells with an
    /// alias are left out. Rows do not say which is inside which, so all are at one level. `None` if an alias or the
    /// screen cannot be parsed.
    fn new<'a>(rows: impl Iterator<Item = &'a (usize, Row)>, row_scope: &RowScope) -> Option<Self> {
        let aliases = row_scope.aliases.iter().map(|alias| pattern(alias));
        let aliases = RegexSet::new(aliases).ok()?;
        // The rows become a screen again, so that selectors search them as in a run.
        let mut dump =
            String::from("<hierarchy rotation=\"0\"><node class=\"\" bounds=\"[0,0][1,1]\">");
        let mut numbers = Vec::new();
        for (number, row) in rows.filter(|(_, row)| !row.is_window()) {
            numbers.push(*number);
            write_row(&mut dump, row, &aliases);
        }
        dump.push_str("</node></hierarchy>");
        let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).ok()?;
        Some(Self {
            screen,
            numbers,
            is_whole: !row_scope.own_frame,
        })
    }

    fn node(&self, number: usize) -> Option<NodeIndex> {
        let at = self.numbers.iter().position(|own| *own == number)?;
        let index = self.screen.nodes().nth(at + 1)?.index();
        Some(index)
    }

    /// Returns selectors for a row, the simplest first: by id, those that the element itself gives, then by
    /// id with an index. They may match other elements too. Empty if no node belongs to the row.
    fn candidates(&self, number: usize) -> Vec<Selector> {
        let Some(index) = self.node(number) else {
            return Vec::new();
        };
        let id = self.screen.node(index).resource_id();
        let short = id.split_once('/').map_or(id, |(_, name)| name);
        let by_id = (!short.is_empty()).then(|| Selector::from_id(short));
        let mut candidates: Vec<Selector> = by_id.iter().cloned().collect();
        candidates.extend(Selector::by_itself(&self.screen, index));
        // Rows of a list share their id, so the index among them is added.
        if let Some(by_id) = by_id.filter(|_| self.is_whole) {
            let place = by_id
                .find_anywhere(&self.screen)
                .iter()
                .position(|one| *one == index);
            candidates.extend(place.map(|place| by_id.at(place)));
        }
        candidates
    }

    fn finds_only(&self, selector: &Selector, number: usize) -> bool {
        let found = selector.find_anywhere(&self.screen);
        self.node(number).is_some_and(|node| found == [node])
    }
}

/// Returns the regular expression that finds an alias anywhere in a cell. `{n}` in the alias is any number;
/// all else is taken as it is.
fn pattern(alias: &str) -> String {
    let parts: Vec<String> = alias.split("{n}").map(regex::escape).collect();
    parts.join(r"\d+")
}

/// Appends a row as a node of an XML dump, always enabled and with its bounds. A row without bounds has an empty
/// rectangle. A cell with an alias of a redaction stays empty, as the device never had that text.
fn write_row(dump: &mut String, row: &Row, aliases: &RegexSet) {
    dump.push_str("<node enabled=\"true\"");
    for (name, value) in [
        ("class", &row.class),
        ("text", &row.text),
        ("content-desc", &row.desc),
        ("resource-id", &row.res_id),
        ("hint", &row.hint),
    ] {
        // A selector by an alias would find nothing on the device.
        let value = if aliases.is_match(value) { "" } else { value };
        let value = quick_xml::escape::escape(value);
        let _ = write!(dump, " {name}=\"{value}\"");
    }
    let is_password = row.flags.split(',').any(|flag| flag == "pwd");
    let Rect {
        left,
        top,
        right,
        bottom,
    } = row.bounds.unwrap_or_default();
    let _ = write!(
        dump,
        " password=\"{is_password}\" bounds=\"[{left},{top}][{right},{bottom}]\" />"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_snapshot::row_lines;

    fn row(class: &str, text: &str, id: &str, top: i32) -> Row {
        Row {
            class: class.to_owned(),
            text: text.to_owned(),
            res_id: id.to_owned(),
            on: Some(true),
            bounds: Some(Rect::new(0, top, 100, top + 40)),
            ..Row::default()
        }
    }

    fn screen(clock: &str, third: &str) -> Vec<Row> {
        vec![
            Row::window("APPLICATION", "com.example"),
            row("TextView", clock, "com.example:id/clock", 0),
            row("Button", "Pay \"now\" & <here>", "", 40),
            row("TextView", "Milk", "com.example:id/note", 80),
            row("TextView", third, "com.example:id/note", 120),
            row("View", "", "", 160),
            row("View", "", "", 200),
        ]
    }

    #[test]
    fn the_simplest_that_finds_it_alone() {
        let lines = row_lines(&screen("9:41", "Bread"), &screen("9:42", "Butter"));
        for (number, mask) in [
            (2, Ok("{ id: clock }")),
            (3, Ok("\"Pay \\\"now\\\" & <here>\"")),
            (4, Ok("Milk")),
            // Its words changed, its place in the list did not.
            (5, Ok("{ id: note, index: 1 }")),
            (6, Ok("{ rect: [ 0, 160, 100, 200 ] }")),
            (1, Err(ChooseError::Window)),
            (8, Err(ChooseError::NoRow(8))),
            (0, Err(ChooseError::NoRow(0))),
        ] {
            let found = row_mask(&lines, number, &RowScope::default());
            assert_eq!(found.as_deref(), mask.as_ref().copied(), "{number}");
        }
        assert_eq!(
            row_mask(&lines, 6, &one_element()),
            Err(ChooseError::OwnFrame)
        );
    }

    fn one_element() -> RowScope {
        RowScope {
            own_frame: true,
            ..RowScope::default()
        }
    }

    #[test]
    fn what_a_redaction_put_there_is_no_name() {
        let row_scope = RowScope {
            aliases: vec!["[time]".to_owned(), "order_{n}".to_owned()],
            ..RowScope::default()
        };
        let rows = |button: &str| {
            vec![
                row("TextView", "Saved at [time]", "", 0),
                row("TextView", "Bought as order_12", "", 40),
                row("TextView", "order_x", "", 80),
                row("Button", button, "", 120),
            ]
        };
        let lines = row_lines(&rows("Pay"), &rows("Buy"));
        for (number, mask) in [
            (1, "{ rect: [ 0, 0, 100, 40 ] }"),
            (2, "{ rect: [ 0, 40, 100, 80 ] }"),
            (3, "order_x"),
        ] {
            let found = row_mask(&lines, number, &row_scope);
            assert_eq!(found.as_deref(), Ok(mask), "{number}");
        }
    }

    #[test]
    fn inside_one_element_nothing_is_counted() {
        let lines = row_lines(&screen("9:41", "Bread"), &screen("9:42", "Butter"));
        let of = |number| row_mask(&lines, number, &one_element());
        assert_eq!(of(4).as_deref(), Ok("Milk"));
        // Others of this id may lie outside of what was taken, and before it.
        assert_eq!(of(5), Err(ChooseError::OwnFrame));
    }

    #[test]
    fn a_masked_row_and_an_empty_area_are_refused() {
        let mut rows = screen("9:41", "Bread");
        rows[1].mask();
        let lines = row_lines(&rows, &rows);
        assert_eq!(
            row_mask(&lines, 2, &RowScope::default()),
            Err(ChooseError::Masked)
        );
        assert!(area_mask(Rect::new(4, 4, 4, 9), false).is_err());
        assert!(area_mask(Rect::new(4, 4, 5, 9), true).is_err());
    }
}
