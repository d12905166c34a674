//! Shortens the screen of a failure for an answer: only what the app shows.

use camino::{Utf8Path, Utf8PathBuf};

/// Rows that an answer holds. Chosen: a full screen fits; the file has all.
const MAX_ROWS: usize = 80;

/// Rows of the screen at a failure.
#[derive(Debug)]
pub(crate) struct FailureScreen {
    /// Text of the rows' file.
    pub(super) tsv: String,
    /// Path of that file, for the answer.
    pub(super) path: Utf8PathBuf,
}

impl FailureScreen {
    /// Returns the rows in the short form of an answer; see [`compact`].
    pub(crate) fn compact(&self) -> String {
        compact(&self.tsv, &self.path)
    }

    /// Returns true if another screen's rows are the same in an answer: the system's bars and empty layouts do not
    /// count, and of the rows after 80 lines only their number.
    pub(crate) fn is_like(&self, tsv: &str) -> bool {
        self.compact() == compact(tsv, &self.path)
    }
}

/// Shortens rows: no notes, no repeated column lines, no system bars, no empty layouts, no row numbers (no
/// tool takes them), and resource ids without the package. After 80 lines all rows of elements are left out,
/// and a last line says how many are only in the file `path`; lines of windows always stay.
fn compact(tsv: &str, path: &Utf8Path) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut has_columns = false;
    let mut bar = false;
    let mut prefix = String::new();
    let mut left_out = 0;
    for line in tsv.lines() {
        if line.starts_with("note:") {
            continue;
        }
        if line.starts_with("--- window:") {
            bar = is_bar(line);
            prefix = format!("{}:id/", word(line, "pkg:"));
            if !bar {
                lines.push(line.to_owned());
            }
            continue;
        }
        if bar {
            continue;
        }
        if line.starts_with("id\t") {
            if !has_columns {
                has_columns = true;
                lines.push(without_number(line).to_owned());
            }
            continue;
        }
        if is_frame(line) {
            continue;
        }
        if lines.len() < MAX_ROWS || !line.starts_with('n') {
            lines.push(without_number(line).replace(&prefix, ""));
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        lines.push(format!("… {left_out} more rows in {path}"));
    }
    lines.join("\n")
}

/// Returns a row without its first cell. A row of one cell stays.
fn without_number(row: &str) -> &str {
    row.split_once('\t').map_or(row, |(_, rest)| rest)
}

/// Returns true for the status bar and the navigation bar, unless they have the focus.
fn is_bar(window: &str) -> bool {
    word(window, "pkg:") == "com.android.systemui" && word(window, "focused:") == "false"
}

/// Returns true for a row of a layout or view without text, description and hint that takes no touch. Returns
/// false for a line that does not have the columns of a row.
fn is_frame(row: &str) -> bool {
    let cells: Vec<&str> = row.split('\t').collect();
    let [_, class, text, desc, _, hint, _, flags] = cells[..] else {
        return false;
    };
    let holds = class.ends_with("Layout") || matches!(class, "ViewGroup" | "View");
    let touched = |flag: &str| matches!(flag, "clk" | "lclk" | "scr" | "edt" | "chkb");
    holds && [text, desc, hint] == ["-"; 3] && !flags.split(',').any(touched)
}

/// Returns the value of a key in a window's line: `com.example` of `pkg:com.example `. Empty if the key is
/// not there.
fn word<'a>(line: &'a str, name: &str) -> &'a str {
    line.split_whitespace()
        .find_map(|part| part.strip_prefix(name))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: &str = "note:flags\n\
        screen:1080x2400\n\
        --- window:3 type:SYSTEM pkg:com.android.systemui title:StatusBar focused:false ---\n\
        id\ttext\n\
        n1\t12:00\n\
        --- window:1 type:APPLICATION pkg:com.example title:x focused:true ---\n\
        id\ttext\n\
        n2\tcom.example:id/name\n\
        n4\tLinearLayout\t-\t-\tcom.example:id/row\t-\t0,0,1,1\ton,ena\n\
        n5\tLinearLayout\t-\t-\tcom.example:id/row\t-\t0,0,1,1\ton,clk,ena\n\
        --- window:4 type:SYSTEM pkg:com.android.systemui title:Shade focused:true ---\n\
        id\ttext\n\
        n3\tOpen\n";

    #[test]
    fn what_nobody_needs_is_left_out() {
        let expected = "screen:1080x2400\n\
            --- window:1 type:APPLICATION pkg:com.example title:x focused:true ---\n\
            text\n\
            name\n\
            LinearLayout\t-\t-\trow\t-\t0,0,1,1\ton,clk,ena\n\
            --- window:4 type:SYSTEM pkg:com.android.systemui title:Shade focused:true ---\n\
            Open";
        assert_eq!(compact(SCREEN, Utf8Path::new("x.tsv")), expected);
    }

    #[test]
    fn a_long_screen_says_where_the_rest_is() {
        let rows: String = (1..=100).map(|row| format!("n{row}\tx\n")).collect();
        let display = compact(&rows, Utf8Path::new("x.tsv"));
        assert_eq!(display.lines().count(), MAX_ROWS + 1);
        assert!(display.ends_with("… 20 more rows in x.tsv"), "{display}");
    }
}
