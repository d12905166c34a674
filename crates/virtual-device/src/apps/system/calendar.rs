//! The calendar of the date dialog, with the nodes, ids and sizes of Android 15's `DatePickerDialog`.

use chrono::{Datelike, Days, NaiveDate};

use super::buttons::cancel_and_ok;
use crate::apps::a2ui::{DateDialog, DatePage, DateStep, years};
use crate::apps::ui::{Align, Axis, Element, Justify, Length, Shrink, Theme, TouchAction, Weight};

/// Sizes in dp, from `recorded/date_picker.tsv`.
const WIDTH: f32 = 288.0;
const MONTH_HEIGHT: f32 = 338.0;
/// Height of the dialog without the month.
const REST_HEIGHT: f32 = 187.0;
const WIDE_HEADER: f32 = 168.0;
const WIDE_WIDTH: f32 = 358.0;
const WIDE_MONTH_HEIGHT: f32 = 208.0;
const WIDE_HEIGHT: f32 = 256.0;
/// Room around the dialog in its window.
const INSET: f32 = 16.0;
const RADIUS: f32 = 28.0;
const YEAR_HEIGHT: f32 = 48.0;
const CHOSEN_YEAR_HEIGHT: f32 = 59.0;
/// Distance of the chosen year from the top of the list.
const ABOVE_CHOSEN_YEAR: f32 = 81.0;

const YEARS: &str = "date_picker_year_picker";
const WEEKDAYS: [&str; 7] = ["S", "M", "T", "W", "T", "F", "S"];

/// Returns the key of the list of years, and its scroll offset in dp when it opens, which is negative for the first
/// years.
pub(crate) fn years_offset(dialog: &DateDialog) -> (&'static str, f32) {
    let above = dialog.day.year() - years().start();
    (YEARS, above as f32 * YEAR_HEIGHT - ABOVE_CHOSEN_YEAR)
}

/// Room for a dialog, in dp.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Width of the window.
    pub width: f32,
    /// Height of the window, without the system's bars.
    pub height: f32,
    /// Heights of the bars above and below.
    pub bars: [f32; 2],
    /// Factor of the font size.
    pub font_scale: f32,
}

/// Builds the dialog in the middle of its room. In a room wider than high, the header is beside the month. In
/// a low room the month shrinks to half its height at most.
pub(super) fn calendar(theme: &Theme, dialog: &DateDialog, room: Room) -> Element {
    let header = header(theme, dialog, room.font_scale);
    let picker = if room.width > room.height {
        wide_picker(theme, dialog, header)
    } else {
        // The words of the buttons grow.
        let rest = REST_HEIGHT + 20.0 * (room.font_scale - 1.0).max(0.0);
        let height = (room.height - rest).clamp(MONTH_HEIGHT / 2.0, MONTH_HEIGHT);
        tall_picker(theme, dialog, header, height)
    };
    // As Android nests them. Nothing is behind but the colour of the head.
    let content = frame(vec![picker])
        .id("android:id/content")
        .fill(theme.primary, RADIUS);
    let mut window = frame(vec![frame(vec![content])]).pad(INSET, INSET);
    window.on_tap = Some(TouchAction::Nothing);
    window
}

/// Builds the picker with its header above the month and buttons below, as in a high room. `height` is the
/// month's, in dp.
fn tall_picker(theme: &Theme, dialog: &DateDialog, header: Element, height: f32) -> Element {
    let page = page(theme, dialog, (WIDTH, height));
    let mut scroll = Element::view("android.widget.ScrollView", Axis::Vertical, vec![page])
        .fill(theme.surface, 0.0);
    scroll.node.focusable = true;
    let picker = date_picker(column(vec![header, scroll]));
    let panel = button_panel(theme, 54.0);
    // Only the lower corners are round.
    let foot = Element::group(Axis::Vertical, vec![strip(theme, (WIDTH, RADIUS)), panel])
        .fill(theme.surface, RADIUS);
    column(vec![custom_panel(picker), foot]).id("android:id/parentPanel")
}

/// Builds the picker with its header beside the month, as in a wide room.
fn wide_picker(theme: &Theme, dialog: &DateDialog, mut header: Element) -> Element {
    header.layout.width = Length::Dp(WIDE_HEADER);
    let page = page(theme, dialog, (WIDE_WIDTH, WIDE_MONTH_HEIGHT));
    let mut panel = button_panel(theme, 48.0);
    panel.layout.margin = [0.0, WIDE_HEIGHT - WIDE_MONTH_HEIGHT - 56.0, 0.0, 0.0];
    // Only the right corners are round.
    let body =
        column(vec![strip(theme, (RADIUS, WIDE_HEIGHT)), page, panel]).fill(theme.surface, RADIUS);
    let mut row = column(vec![header, body]);
    row.layout.axis = Axis::Horizontal;
    column(vec![custom_panel(date_picker(row))]).id("android:id/parentPanel")
}

fn frame(children: Vec<Element>) -> Element {
    Element::view("android.widget.FrameLayout", Axis::Vertical, children)
}

fn column(children: Vec<Element>) -> Element {
    Element::view("android.widget.LinearLayout", Axis::Vertical, children)
}

fn date_picker(content: Element) -> Element {
    Element::view("android.widget.DatePicker", Axis::Vertical, vec![content])
        .id("android:id/datePicker")
}

fn custom_panel(picker: Element) -> Element {
    let custom = frame(vec![picker]).id("android:id/custom");
    frame(vec![custom]).id("android:id/customPanel")
}

/// Builds a box that takes no room and is only drawn. It fills rounded corners.
fn strip(theme: &Theme, (width, height): (f32, f32)) -> Element {
    let mut strip = Element::group(Axis::Vertical, Vec::new())
        .size(Length::Dp(width), Length::Dp(height))
        .fill(theme.surface, 0.0);
    strip.layout.margin = [0.0, 0.0, 0.0, -height];
    strip.layout.shrink = Shrink::Never;
    strip
}

/// Builds the header with the chosen year and day, which open their pages. The one whose page is hidden is
/// faint. Its font does not grow on Android, so `font_scale` is taken out again.
fn header(theme: &Theme, dialog: &DateDialog, font_scale: f32) -> Element {
    let has_years = dialog.page == DatePage::Years;
    let faint = theme.on_primary.mix(theme.primary, 76);
    let ink = |is_shown| if is_shown { theme.on_primary } else { faint };
    let year = dialog.day.year().to_string();
    let mut year = Element::text(year, 16.0 / font_scale, Weight::Bold, ink(has_years))
        .id("android:id/date_picker_header_year")
        .pad(8.0, 6.6)
        .lines(1)
        .tap(TouchAction::Date(DateStep::Page(DatePage::Years)));
    year.layout.margin = [16.0, 8.0, 0.0, 0.0];
    let day = dialog.day.format("%a, %b %-d").to_string();
    let mut day = Element::text(day, 34.0 / font_scale, Weight::Bold, ink(!has_years))
        .id("android:id/date_picker_header_date")
        .tap(TouchAction::Date(DateStep::Page(DatePage::Month)));
    day.layout.margin = [24.0, -10.8, 24.0, 15.2];
    let words = column(vec![year, day]).align(Justify::Start, Align::Start);
    column(vec![words]).id("android:id/date_picker_header")
}

/// Builds the row of Cancel and OK, at least `height` dp high. It has its own view that could scroll.
fn button_panel(theme: &Theme, height: f32) -> Element {
    let buttons = cancel_and_ok(theme).map(|mut button| {
        button.layout.min_width = 64.0;
        button.layout.min_height = height;
        button.layout.justify = Justify::Center;
        button
    });
    let mut row = column(buttons.into())
        .pad(12.0, 4.0)
        .align(Justify::End, Align::Center);
    row.layout.axis = Axis::Horizontal;
    let mut panel = Element::view("android.widget.ScrollView", Axis::Vertical, vec![row])
        .id("android:id/buttonPanel");
    panel.node.focusable = true;
    panel
}

/// Builds the years if their page is shown, else the month. `size` is width and height in dp.
fn page(theme: &Theme, dialog: &DateDialog, size: (f32, f32)) -> Element {
    let page = if dialog.page == DatePage::Years {
        year_list(theme, dialog, size)
    } else {
        day_picker(theme, dialog, size)
    };
    Element::view("android.widget.ViewAnimator", Axis::Vertical, vec![page])
        .id("android:id/animator")
}

/// Gives an element a size in dp, which never shrinks.
fn sized(mut element: Element, (width, height): (f32, f32)) -> Element {
    element.layout.width = Length::Dp(width);
    element.layout.height = Length::Dp(height);
    element.layout.shrink = Shrink::Never;
    element
}

/// Builds the month with the buttons to others drawn over it. `size` is width and height in dp.
fn day_picker(theme: &Theme, dialog: &DateDialog, size: (f32, f32)) -> Element {
    let month = sized(month(theme, dialog, size.1), size).id("android:id/month_view");
    let class = "com.android.internal.widget.ViewPager";
    let mut pager =
        Element::view(class, Axis::Vertical, vec![month]).id("android:id/day_picker_view_pager");
    pager.node.focusable = true;
    pager.node.scrollable = true;
    let buttons = [false, true]
        .map(|forward| month_button(theme, dialog, forward))
        .into();
    // Beside the month's name.
    let mut row = Element::group(Axis::Horizontal, buttons).align(Justify::Between, Align::Center);
    let height = 48.0;
    let top = 34.0 * size.1 / MONTH_HEIGHT - height / 2.0;
    row = row.pad(14.0, 0.0).size(Length::Fill, Length::Dp(height));
    row.layout.shrink = Shrink::Never;
    row.layout.margin = [0.0, top - size.1, 0.0, size.1 - top - height];
    Element::view("android.view.ViewGroup", Axis::Vertical, vec![pager, row])
        .id("android:id/date_picker_day_picker")
}

/// Builds the button to the next or previous month, or an empty box of its size if there is no such month.
fn month_button(theme: &Theme, dialog: &DateDialog, forward: bool) -> Element {
    let (id, desc, icon) = if forward {
        ("next", "Next month", "arrowForward")
    } else {
        ("prev", "Previous month", "arrowBack")
    };
    let glyph = Element::drawn_icon(icon, 20.0, theme.text);
    let button = if dialog.other_month(forward).is_some() {
        Element::view("android.widget.ImageButton", Axis::Vertical, vec![glyph])
            .id(format!("android:id/{id}"))
            .desc(desc)
            .tap(TouchAction::Date(DateStep::Month { forward }))
    } else {
        Element::group(Axis::Vertical, Vec::new())
    };
    sized(button, (48.0, 48.0)).align(Justify::Center, Align::Center)
}

/// Builds the name of the month and its days, weeks from Sunday. Only the days are nodes. `height` in dp
/// scales all parts.
fn month(theme: &Theme, dialog: &DateDialog, height: f32) -> Element {
    let scale = height / MONTH_HEIGHT;
    let name = dialog.month.format("%B %Y").to_string();
    let mut name = Element::drawn_text(name, 16.0 * scale.sqrt(), Weight::Bold, theme.text)
        .centred()
        .lines(1)
        .size(Length::Fill, Length::Dp(48.0 * scale));
    name.layout.margin = [0.0, 10.0 * scale, 0.0, 0.0];
    let letters = WEEKDAYS.map(|letter| {
        Element::drawn_text(letter, 12.0 * scale.sqrt(), Weight::Regular, theme.faint)
            .centred()
            .size(Length::Wrap, Length::Fill)
            .grow(1.0)
    });
    let mut lines = vec![name, line(letters.into(), scale)];
    let before = u64::from(dialog.month.weekday().num_days_from_sunday());
    let begin = dialog.month.checked_sub_days(Days::new(before));
    let begin = begin.unwrap_or(dialog.month);
    for week in begin
        .iter_weeks()
        .take_while(|day| *day <= dialog.last_day())
    {
        let days = week.iter_days().take(7);
        let cells = days
            .map(|day| day_cell(theme, dialog, day, scale))
            .collect();
        lines.push(line(cells, scale));
    }
    let mut month = Element::view("android.view.View", Axis::Vertical, lines);
    month.node.focusable = true;
    month
}

/// Builds a row of a month, 40 dp high before scaling, that never shrinks.
fn line(cells: Vec<Element>, scale: f32) -> Element {
    let mut line = Element::group(Axis::Horizontal, cells)
        .pad(20.0, 0.0)
        .size(Length::Fill, Length::Dp(40.0 * scale));
    line.layout.shrink = Shrink::Never;
    line
}

/// Builds a day, or an empty box for a day of another month. The day in a dump has its number as text and its date
/// as description. A tap chooses it.
fn day_cell(theme: &Theme, dialog: &DateDialog, day: NaiveDate, scale: f32) -> Element {
    if day.month() != dialog.month.month() {
        return Element::group(Axis::Vertical, Vec::new()).grow(1.0);
    }
    let is_chosen = day == dialog.day;
    let ink = if is_chosen {
        theme.on_primary
    } else {
        theme.text
    };
    let number = day.format("%-d").to_string();
    let side = 34.0 * scale;
    let text = Element::drawn_text(&number, 14.0 * scale.sqrt(), Weight::Regular, ink)
        .centred()
        .size(Length::Fill, Length::Fill);
    let mut disc = sized(Element::group(Axis::Vertical, vec![text]), (side, side));
    if is_chosen {
        disc = disc.fill(theme.primary, side / 2.0);
    }
    let mut cell = Element::view("android.view.View", Axis::Vertical, vec![disc])
        .desc(day.format("%d %B %Y").to_string())
        .align(Justify::Center, Align::Center)
        .size(Length::Wrap, Length::Fill)
        .grow(1.0)
        .tap(TouchAction::Date(DateStep::Day(day)));
    cell.node.text = number;
    cell.node.checked = is_chosen;
    cell.node.selected = is_chosen;
    // The month has the focus for its days.
    cell.node.focusable = false;
    cell
}

/// Builds the scrolling list of years, the chosen one larger. A tap chooses a year a moment later. `size` is width
/// and height in dp.
fn year_list(theme: &Theme, dialog: &DateDialog, size: (f32, f32)) -> Element {
    let rows = years().map(|year| {
        let (letters, ink, height) = if year == dialog.day.year() {
            (24.0, theme.primary, CHOSEN_YEAR_HEIGHT)
        } else {
            (16.0, theme.text, YEAR_HEIGHT)
        };
        let mut row = Element::text(year.to_string(), letters, Weight::Regular, ink)
            .id("android:id/text1")
            .centred()
            .size(Length::Fill, Length::Dp(height))
            .tap(TouchAction::Date(DateStep::Year(year)));
        row.layout.shrink = Shrink::Never;
        row.clicks_late = true;
        // The list has the focus for its rows.
        row.node.focusable = false;
        row
    });
    let mut list = Element::view("android.widget.ListView", Axis::Vertical, rows.collect())
        .id(format!("android:id/{YEARS}"));
    list.key = YEARS.into();
    list.node.focusable = true;
    list.layout.scroll = Some(Axis::Vertical);
    sized(list, size)
}
