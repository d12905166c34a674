//! Ignores hints that a golden could not contain. Before Android 16 a dump has none, and the text of an empty
//! field is its hint. The driver uia2 reports hints everywhere.

use super::row::Row;

/// Removes the hints from `actual` if the golden has rows but none with a hint, so that the rows are those of
/// a dump without hints. A row without text gets its hint as text. Returns a note if it did, else `None`.
pub(super) fn leave_out(golden: &[Row], actual: &mut [Row]) -> Option<String> {
    let tells = |rows: &[Row]| rows.iter().any(|row| !row.hint.is_empty());
    if golden.is_empty() || tells(golden) || !tells(actual) {
        return None;
    }
    for row in actual {
        let hint = std::mem::take(&mut row.hint);
        if row.text.is_empty() {
            row.text = hint;
        }
    }
    // The golden may also be of the same device, from a screen that had none.
    Some("hints were not compared: no row of the golden has one".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str, hint: &str) -> Row {
        Row {
            text: text.to_owned(),
            hint: hint.to_owned(),
            ..Row::default()
        }
    }

    #[test]
    fn hints_count_where_the_golden_has_one() {
        let observed = || vec![row("", "Name"), row("ada", "Mail"), row("Send", "")];
        let texts = |rows: &[Row]| -> Vec<String> {
            rows.iter()
                .map(|row| format!("{}|{}", row.text, row.hint))
                .collect()
        };
        let mut actual = observed();
        let without = [row("Name", ""), row("ada", ""), row("Send", "")];
        let note = leave_out(&without, &mut actual);
        assert_eq!(
            note.as_deref(),
            Some("hints were not compared: no row of the golden has one")
        );
        assert_eq!(texts(&actual), texts(&without));
        for golden in [observed(), Vec::new()] {
            let mut actual = observed();
            assert_eq!(leave_out(&golden, &mut actual), None);
            assert_eq!(texts(&actual), texts(&observed()));
        }
        let mut none = without.to_vec();
        assert_eq!(leave_out(&without, &mut none), None);
    }
}
