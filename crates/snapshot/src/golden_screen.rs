//! A golden read back as a screen, for looking selectors up on it.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::row::Row;
use super::tsv::{self, TableError};
use runner_screen::{DisplayContext, Rect, Screen};
use runner_text::secret::MASK;

/// Rows of a golden as a screen without containers: each row stands directly in its window.
#[derive(Debug)]
pub struct GoldenScreen {
    /// Screen whose nodes are the rows.
    pub screen: Screen,
    /// True if a row or a secret in one is masked, or rules of redaction were in force, so that words or states may be
    /// hidden.
    pub has_masks: bool,
}

impl GoldenScreen {
    /// Parses the text of a render class's TSV. Rows without bounds are no part of the screen, so of a shared TSV only
    /// its windows are. Returns `None` if there are no rows, or if they are no screen, such as more rows than it may
    /// have.
    ///
    /// # Errors
    /// [`TableError`] if the text is not a golden's.
    pub fn read(text: &str) -> Result<Option<Self>, TableError> {
        let table = tsv::read(text)?;
        let redactions = table.metadata.get("redactions");
        let has_masks =
            redactions.is_some_and(|names| names != "none") || table.rows.iter().any(hides_words);
        let dump = dump(&table.rows);
        let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).ok();
        Ok(screen.map(|screen| Self { screen, has_masks }))
    }
}

/// Returns true if the row is masked, or a secret in its words is.
fn hides_words(row: &Row) -> bool {
    let words = [&row.text, &row.desc, &row.hint];
    row.is_masked() || words.iter().any(|cell| cell.contains(MASK))
}

/// Writes rows as a dump of the form that `uiautomator dump --windows` has. Rows before the first window row
/// get an application window. Rows without bounds are left out. Each window has the bounds around all rows.
fn dump(rows: &[Row]) -> String {
    let whole = rows
        .iter()
        .filter_map(|row| row.bounds)
        .fold(None, |whole: Option<Rect>, bounds| {
            Some(whole.map_or(bounds, |whole| union(whole, bounds)))
        });
    let whole = bounds(whole.unwrap_or_default());
    let mut out = String::from("<displays><display id=\"0\">");
    let mut is_open = false;
    for row in rows {
        let kind = row.window_kind();
        if kind.is_some() || !is_open {
            close_window(&mut out, is_open);
            let kind = escape(kind.unwrap_or("APPLICATION"));
            let package = if row.is_window() { &*row.text } else { "" };
            let _ = write!(
                out,
                "<window type=\"{kind}\" bounds=\"{whole}\"><hierarchy><node class=\"\" package=\"{}\" bounds=\"{whole}\" enabled=\"true\">",
                escape(package)
            );
            is_open = true;
        }
        if let Some(bounds) = row.bounds {
            write_node(&mut out, row, bounds);
        }
    }
    close_window(&mut out, is_open);
    out.push_str("</display></displays>");
    out
}

fn close_window(out: &mut String, is_open: bool) {
    if is_open {
        out.push_str("</node></hierarchy></window>");
    }
}

/// Writes a row as a node without children. A row that does not say it is off is visible. Texts are escaped. A masked
/// row is enabled and has no other state.
fn write_node(out: &mut String, row: &Row, at: Rect) {
    let is_masked = row.is_masked();
    let flags: Vec<&str> = row.flags.split(',').collect();
    let has = |flag| flags.contains(&flag);
    let words = [
        ("class", &row.class),
        ("text", &row.text),
        ("content-desc", &row.desc),
        ("resource-id", &row.res_id),
        ("hint", &row.hint),
    ];
    out.push_str("<node");
    for (name, value) in words {
        let _ = write!(out, " {name}=\"{}\"", escape(value.as_str()));
    }
    let states = [
        ("clickable", has("clk")),
        ("long-clickable", has("lclk")),
        ("focusable", has("foc")),
        ("scrollable", has("scr")),
        // A masked row does not say that it is disabled.
        ("enabled", is_masked || has("ena")),
        ("checkable", has("chkb")),
        ("checked", has("chk")),
        ("selected", has("sel")),
        ("focused", has("fcs")),
        ("password", has("pwd")),
        ("visible-to-user", row.on != Some(false)),
    ];
    for (name, value) in states {
        let _ = write!(out, " {name}=\"{value}\"");
    }
    let _ = write!(out, " bounds=\"{}\"/>", bounds(at));
}

fn bounds(at: Rect) -> String {
    format!("[{},{}][{},{}]", at.left, at.top, at.right, at.bottom)
}

/// Returns the smallest rectangle around both, also if one is empty.
fn union(one: Rect, other: Rect) -> Rect {
    Rect {
        left: one.left.min(other.left),
        top: one.top.min(other.top),
        right: one.right.max(other.right),
        bottom: one.bottom.max(other.bottom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::{Profile, Selector};

    #[test]
    fn selectors_find_the_rows_of_a_golden() {
        let text = "# schema=2\nclass\ttext\tdesc\tres_id\thint\tbounds\tflags\n\
            window:APPLICATION\tcom.example\t-\t-\t-\t-\t-\n\
            Button\tPay <now>\t-\tcom.example:id/pay\t-\t0,0,100,50\ton,clk,ena\n\
            TextView\t[masked]\t[masked]\tcom.example:id/total\t[masked]\t0,60,100,90\t[masked]\n\
            window:APPLICATION\tcom.example\t-\t-\t-\t-\t-\n\
            CheckBox\tAgree\t-\t-\t-\t0,100,100,150\ton,clk,chkb,chk\n";
        let golden = GoldenScreen::read(text).unwrap().unwrap();
        assert!(golden.has_masks);
        let count = |selector: serde_json::Value| {
            let selector = Selector::from_value(&selector).unwrap();
            selector.find(&golden.screen).len()
        };
        assert_eq!(count(serde_json::json!("Pay <now>")), 1);
        assert_eq!(count(serde_json::json!({"id": "total"})), 1);
        assert_eq!(
            count(serde_json::json!({"text": "Agree", "checked": true, "enabled": false})),
            1
        );
        assert_eq!(count(serde_json::json!({"id": "gone"})), 0);
    }

    #[test]
    fn what_hides_words_is_known() {
        for (metadata, cells, is_hidden) in [
            ("schema=2", "Hello, Ada\t-\t-\t-\t0,0,9,9\ton,ena", false),
            ("schema=2", "Hello, ***\t-\t-\t-\t0,0,9,9\ton,ena", true),
            ("schema=2", "-\t***\t-\t-\t0,0,9,9\ton,ena", true),
            ("schema=2", "-\t-\t-\tName: ***\t0,0,9,9\ton,ena", true),
            ("schema=2", "-\t-\t-\t-\t0,0,9,9\t[masked]", true),
            ("redactions=none", "-\t-\t-\t-\t0,0,9,9\ton,ena", false),
            ("redactions=0f", "-\t-\t-\t-\t0,0,9,9\ton,ena", true),
        ] {
            let columns = tsv::CLASS_COLUMNS;
            let text = format!("# {metadata}\n{columns}\nTextView\t{cells}\n");
            let golden = GoldenScreen::read(&text).unwrap().unwrap();
            assert_eq!(golden.has_masks, is_hidden, "{metadata} {cells}");
        }
    }

    #[test]
    fn goldens_of_the_demo_read_back_row_by_row() {
        let root = camino::Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../snapshots");
        let mut read = 0;
        for file in walkdir::WalkDir::new(root).into_iter().flatten() {
            let path = file.path().to_str().unwrap();
            if !path.ends_with(".tsv") || !path.contains('~') {
                continue;
            }
            let text = fs_err::read_to_string(path).unwrap();
            let table = tsv::read(&text).unwrap();
            let golden = GoldenScreen::read(&text).unwrap().unwrap();
            let rows: Vec<Row> = golden
                .screen
                .rows(Profile::Golden)
                .iter()
                .map(Row::from_screen)
                .collect();
            let expected: Vec<Row> = table
                .rows
                .into_iter()
                .filter(|row| !row.is_window())
                .collect();
            let is_open = |row: &&Row| !row.is_masked();
            assert_eq!(
                rows.iter()
                    .zip(&expected)
                    .filter(|(_, row)| is_open(row))
                    .map(|(row, _)| row)
                    .collect::<Vec<_>>(),
                expected.iter().filter(is_open).collect::<Vec<_>>(),
                "{path}"
            );
            read += 1;
        }
        assert!(read > 10, "{read} goldens");
    }
}
