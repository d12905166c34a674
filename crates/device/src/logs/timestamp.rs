//! Points in time: as people write them, and as lines of the log have them.

use chrono::{Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

/// Years to go back for the year of a line: two leap years, and so two days of February 29, are at most eight
/// years apart.
const YEARS_BACK: i32 = 8;

/// Point in time that a person writes: by the device's clock, or with its own offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogTime {
    at: NaiveDateTime,
    /// Span that the text covers: a day without a time, a second without a fraction.
    covers: TimeDelta,
    offset: Option<FixedOffset>,
}

impl LogTime {
    /// Parses ISO 8601: `2024-01-15`, `2024-01-15T10:30`, `2024-01-15 10:30:00.5`,
    /// `2024-01-15T10:30:00+02:00`, `…Z`; `None` for all else. The time covers a day, a minute, a second, or
    /// with any fraction a millisecond. Spaces around it are ignored. Without an offset it counts as the
    /// device's local time.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.trim().split_at_checked(10)?;
        let is_plain = |byte: u8| byte.is_ascii_digit() || byte == b'-';
        if !date.bytes().all(is_plain) {
            return None;
        }
        let date = NaiveDate::parse_from_str(date, "%Y-%m-%d").ok()?;
        if rest.is_empty() {
            return Some(Self {
                at: date.and_time(NaiveTime::MIN),
                covers: TimeDelta::days(1),
                offset: None,
            });
        }
        let rest = rest.strip_prefix(['T', 't', ' '])?;
        let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let (time, offset) = rest.split_at(end);
        let (time, covers) = read_time(time)?;
        Some(Self {
            at: date.and_time(time),
            covers,
            offset: match offset {
                "" => None,
                offset => Some(read_offset(offset)?),
            },
        })
    }

    /// Parses the time that a device or its server prints: like [`LogTime::parse`], with the fraction cut to the log's
    /// milliseconds, as a line of the same millisecond may come later. A fraction counts with the three digits of a
    /// server or the nine of `date +%N`; any other is left out, as some phones print the letter `N`.
    pub(super) fn printed(text: &str) -> Option<Self> {
        let Some((second, rest)) = text.trim().split_once('.') else {
            return Self::parse(text);
        };
        let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let (fraction, offset) = rest.split_at(end);
        let is_digits = fraction.bytes().all(|byte| byte.is_ascii_digit());
        let is_known = is_digits && matches!(fraction.len(), 3 | 9);
        match fraction.get(..3).filter(|_| is_known) {
            Some(ms) => Self::parse(&format!("{second}.{ms}{offset}")),
            None => Self::parse(&format!("{second}{offset}")),
        }
    }

    /// Returns the begin and the exclusive end of the span that it covers, such as a whole day, as the
    /// device's clock shows them. An own offset is converted to that of the device.
    pub(super) fn by(self, clock: &Clock) -> (NaiveDateTime, NaiveDateTime) {
        let ahead = self.offset.map_or(0, |own| {
            clock.offset.local_minus_utc() - own.local_minus_utc()
        });
        let from = self.at + TimeDelta::seconds(ahead.into());
        (from, from + self.covers)
    }
}

/// Parses `12:30`, `12:30:05` or `12:30:05.123`, also with a comma, and returns how long a span that covers: a
/// minute, a second or a millisecond. `None` for another form.
fn read_time(text: &str) -> Option<(NaiveTime, TimeDelta)> {
    let text = text.replace(',', ".");
    let (format, covers) = match text.len() {
        5 => ("%H:%M", TimeDelta::minutes(1)),
        8 => ("%H:%M:%S", TimeDelta::seconds(1)),
        10.. if text.as_bytes().get(8) == Some(&b'.') => {
            ("%H:%M:%S%.f", TimeDelta::milliseconds(1))
        }
        _ => return None,
    };
    let time = NaiveTime::parse_from_str(&text, format).ok()?;
    Some((time, covers))
}

/// Parses an offset from UTC: `Z`, `+02`, `+0200` or `+02:00`. `None` for another form and beyond 23:59.
fn read_offset(text: &str) -> Option<FixedOffset> {
    if matches!(text, "Z" | "z") {
        return FixedOffset::east_opt(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text.get(1..)?.replacen(':', "", 1);
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = digits
        .get(2..)
        .filter(|m| !m.is_empty())
        .map_or(Some(0), |m| m.parse().ok())?;
    if hours > 23 || minutes > 59 {
        return None;
    }
    FixedOffset::east_opt(sign * (hours * 3600 + minutes * 60))
}

/// Present time of the device's clock and its offset from UTC.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    now: NaiveDateTime,
    offset: FixedOffset,
}

impl Clock {
    /// Parses the output of [`super::lines::DATE`]. If it is no time with an offset, uses this computer's clock and
    /// offset.
    pub(super) fn read(printed: &str) -> Self {
        let reported =
            LogTime::printed(printed).and_then(|timestamp| Some((timestamp.at, timestamp.offset?)));
        let (now, offset) = reported.unwrap_or_else(|| {
            let here = chrono::Local::now();
            (here.naive_local(), *here.offset())
        });
        Self { now, offset }
    }

    /// Completes the time of a line (`MM-DD hh:mm:ss.mmm`), which names no year: the last such time that is at most
    /// a day in the future, as the clock may have been set back. `None` if it is no time, or none of the last nine
    /// years.
    pub(super) fn complete_time(&self, time: &str) -> Option<NaiveDateTime> {
        // A day of tolerance, as the clock may have been set back.
        let latest = self.now + TimeDelta::days(1);
        (0..=YEARS_BACK)
            .filter_map(|back| {
                let year = latest.year() - back;
                NaiveDateTime::parse_from_str(&format!("{year}-{time}"), "%Y-%m-%d %H:%M:%S%.3f")
                    .ok()
            })
            .find(|at| *at <= latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with their begin and end on a device's clock two hours east of Greenwich.
    #[test]
    fn moments_are_times_not_texts() {
        let clock = Clock::read("2024-03-01T12:00:00+0200");
        for (written, begin, end) in [
            ("2024-01-15", "2024-01-15 00:00:00", "2024-01-16 00:00:00"),
            (
                "2024-01-15T10:30",
                "2024-01-15 10:30:00",
                "2024-01-15 10:31:00",
            ),
            (
                "2024-01-15 10:30:00",
                "2024-01-15 10:30:00",
                "2024-01-15 10:30:01",
            ),
            (
                "2024-01-15T10:30:00.408",
                "2024-01-15 10:30:00.408",
                "2024-01-15 10:30:00.409",
            ),
            (
                "2024-01-15T10:30:00,4",
                "2024-01-15 10:30:00.400",
                "2024-01-15 10:30:00.401",
            ),
            (
                "2024-01-15T10:30:00Z",
                "2024-01-15 12:30:00",
                "2024-01-15 12:30:01",
            ),
            (
                "2024-01-15T10:30:00+02:00",
                "2024-01-15 10:30:00",
                "2024-01-15 10:30:01",
            ),
            (
                "2023-12-31T23:30:00-05",
                "2024-01-01 06:30:00",
                "2024-01-01 06:30:01",
            ),
            (
                " 2024-01-15t10:30:00+0530 ",
                "2024-01-15 07:00:00",
                "2024-01-15 07:00:01",
            ),
        ] {
            let (from, to) = LogTime::parse(written).unwrap().by(&clock);
            assert_eq!(
                (from.to_string(), to.to_string()),
                (begin.to_owned(), end.to_owned()),
                "{written}"
            );
        }
        for written in [
            "garbage",
            "",
            "01-15 10:30:00",
            "2024-13-01",
            "2024-01-32T10:30:00",
            "2024-01-15T25:00:00",
            "2024-01-15T10:30:00+99:00",
            "2024-01-15T10:30:00+2",
            "2024-01-15T10",
            "2024-01-15T1:2:3",
            "2024-01-15T10:30:00 UTC",
            "20240115T103000",
            "äöüäöüäöüäöü",
            "2024-01-15T",
            "2024-01-15Z",
        ] {
            assert_eq!(LogTime::parse(written), None, "{written}");
        }
    }

    /// Lines of the device's present second, of which only those from its millisecond on are since now. Without a
    /// fraction that counts, all of the second are.
    #[test]
    fn a_line_of_the_present_second_counts_from_its_millisecond() {
        for (printed, since) in [
            ("2026-11-30T07:31:05.408999999+0200", 408),
            ("2026-11-30T07:31:05.408000000+0200\n", 408),
            ("2026-11-30T07:31:05.000000001-0330", 0),
            ("2026-11-30T07:31:05.408Z", 408),
            ("2026-11-30T07:31:05+0200", 0),
            ("2026-11-30T07:31:05.N+0200", 0),
            ("2026-11-30T07:31:05.%N+0200", 0),
            ("2026-11-30T07:31:05.+0200", 0),
            ("2026-11-30T07:31:05.40899999+0200", 0),
        ] {
            let clock = Clock::read(printed);
            let (from, _) = LogTime::printed(printed).unwrap().by(&clock);
            for ms in [0, 1, 407, 408, 409, 999] {
                let line = clock.complete_time(&format!("11-30 07:31:05.{ms:03}"));
                assert_eq!(line.unwrap() >= from, ms >= since, "{printed}, {ms}");
            }
        }
        assert_eq!(LogTime::printed("date: bad format. Sorry"), None);
    }

    #[test]
    fn a_line_is_of_the_last_year_that_fits() {
        let clock = Clock::read("2025-01-02T12:00:00+0000");
        for (line, at) in [
            ("01-02 11:59:59.123", "2025-01-02 11:59:59.123"),
            ("01-03 11:00:00.000", "2025-01-03 11:00:00"),
            ("12-31 23:59:59.999", "2024-12-31 23:59:59.999"),
            ("02-29 00:00:00.000", "2024-02-29 00:00:00"),
        ] {
            assert_eq!(clock.complete_time(line).unwrap().to_string(), at);
        }
        assert_eq!(clock.complete_time("13-45 99:00:00.000"), None);
    }
}
