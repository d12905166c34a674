//! State of the date and time dialog, and the effect of touches on it.

use chrono::{Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use super::date::parse_timestamp;
use crate::apps::ui::Target;

/// First and last year of Android's date picker.
const MIN_YEAR: i32 = 1900;
const MAX_YEAR: i32 = 2100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatePage {
    Month,
    Years,
    Time,
}

/// Effect of a touch in the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateStep {
    /// Shows the month before or after. The chosen day stays.
    Month {
        forward: bool,
    },
    Day(NaiveDate),
    Year(i32),
    /// Shows the month or the list of years.
    Page(DatePage),
    /// Hours to add; may be negative.
    Hour(i32),
    /// Minutes to add; may be negative.
    Minute(i32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DateDialog {
    pub target: Target,
    pub day: NaiveDate,
    pub hour: i32,
    pub minute: i32,
    /// First day of the month that is shown.
    pub month: NaiveDate,
    pub page: DatePage,
    has_date: bool,
    has_time: bool,
}

impl DateDialog {
    /// Opens the dialog at a value, or at noon of 1 January 2026 if the value is not a date. A day outside
    /// the calendar's years becomes its first or last one. The first page is the month, or the time if there
    /// is no date.
    pub fn new(target: Target, value: &str, has_date: bool, has_time: bool) -> Self {
        let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
        let at =
            parse_timestamp(value).unwrap_or_else(|| NaiveDateTime::new(first_day(2026, 1), noon));
        let last = last_day(first_day(MAX_YEAR, 12));
        let day = at.date().clamp(first_day(MIN_YEAR, 1), last);
        Self {
            target,
            day,
            hour: at.hour() as i32,
            minute: at.minute() as i32,
            month: first_day(day.year(), day.month()),
            page: if has_date {
                DatePage::Month
            } else {
                DatePage::Time
            },
            has_date,
            has_time,
        }
    }

    /// Applies a touch: hours and minutes wrap around, and change nothing else. A new year keeps month and day, except
    /// 29 February, and shows the month. Turning the month keeps the chosen day, and does nothing at the end of the
    /// calendar. A change of the page returns to the month of the chosen day.
    pub fn take(&mut self, step: DateStep) {
        match step {
            DateStep::Month { forward } => {
                self.month = self.other_month(forward).unwrap_or(self.month);
            }
            DateStep::Day(day) => self.day = day,
            DateStep::Year(year) => {
                self.month = first_day(year, self.day.month());
                let last = last_day(self.month);
                self.day = self.day.with_year(year).unwrap_or(last);
                self.page = DatePage::Month;
            }
            DateStep::Page(page) => {
                // Android shows the chosen day again.
                self.month = first_day(self.day.year(), self.day.month());
                self.page = page;
            }
            DateStep::Hour(by) => self.hour = (self.hour + by).rem_euclid(24),
            DateStep::Minute(by) => self.minute = (self.minute + by).rem_euclid(60),
        }
    }

    /// Returns the first day of the month before or after the one shown, or `None` at the end of the
    /// calendar.
    pub fn other_month(&self, forward: bool) -> Option<NaiveDate> {
        let one = Months::new(1);
        let month = if forward {
            self.month.checked_add_months(one)
        } else {
            self.month.checked_sub_months(one)
        };
        month.filter(|month| years().contains(&month.year()))
    }

    /// Returns the last day of the month shown.
    pub fn last_day(&self) -> NaiveDate {
        last_day(self.month)
    }

    /// Confirms the page. Returns true and shows the next page if one follows: the time after the date, if both are
    /// chosen. Android has no dialog for a date and a time: apps show one after the other.
    pub fn turn_page(&mut self) -> bool {
        let follows = self.has_time && self.page != DatePage::Time;
        if follows {
            self.page = DatePage::Time;
        }
        follows
    }

    /// Returns the chosen value as `2026-01-31`, `13:05` or `2026-01-31T13:05`, for what the dialog asks for; a date if
    /// the dialog asks for neither.
    pub fn value(&self) -> String {
        let date = self.day.format("%Y-%m-%d");
        let time = format!("{:02}:{:02}", self.hour, self.minute);
        match (self.has_date, self.has_time) {
            (true, true) => format!("{date}T{time}"),
            (false, true) => time,
            _ => date.to_string(),
        }
    }
}

/// Returns the years that can be chosen.
pub(crate) fn years() -> std::ops::RangeInclusive<i32> {
    MIN_YEAR..=MAX_YEAR
}

fn first_day(year: i32, month: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, 1).unwrap_or_default()
}

/// Returns the last day of a month, given its first.
fn last_day(month: NaiveDate) -> NaiveDate {
    month
        .checked_add_months(Months::new(1))
        .and_then(|next| next.checked_sub_days(Days::new(1)))
        .unwrap_or(month)
}
