//! Translates expressions of other tools: makers of random values, clocks, and names of the platform.

use std::sync::LazyLock;

use regex::Regex;

use super::element::regex;
use super::tables::{lists, plain};

/// Returns advice for an expression that makes a value in another tool, such as `faker.name()` and `moment()`: a
/// `set` with our nearest function, `random_text(10)` for a random value of unknown kind. The first word decides.
/// Returns `None` for other words, and without a `(` or `.`.
pub(crate) fn value(inner: &str) -> Option<String> {
    const MAKERS: &str = "faker fake random chance casual datafaker randomizer";
    const CLOCKS: &str =
        "moment dayjs datetime localdate localdatetime instant clock time date luxon";
    let parts = inner.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let words: Vec<String> = parts.filter(|part| !part.is_empty()).map(plain).collect();
    let first = words.first()?;
    if !inner.contains(['(', '.']) {
        return None;
    }
    let has = |wanted: &[&str]| {
        let mut words = words.iter().skip(1);
        // A short part such as `int` also begins `internet`.
        let is = |word: &str, part: &str| word == part || part.len() > 3 && word.contains(part);
        words.any(|word| wanted.iter().any(|part| is(word, part)))
    };
    let ours = if lists(MAKERS, first) {
        if has(&["mail"]) {
            "random_email()"
        } else if has(&["uuid", "guid"]) {
            "uuid()"
        } else if has(&["number", "int", "digit", "age", "price"]) {
            "random_int(1, 100)"
        } else {
            "random_text(10)"
        }
    } else if lists(CLOCKS, first) {
        "now()"
    } else {
        return None;
    };
    Some(format!(
        "keep the value in a step before, `set: {{ NAME: \"${{{ours}}}\" }}`, and write `${{NAME}}`"
    ))
}

/// Returns advice for a time that is moved by a sum, such as `now() + 86400` and `now() - timedelta(days=1)`,
/// anywhere in the text: the offset of `now`, in seconds or whole days, with its sign. A format in `now` is kept,
/// else it is `'%F'`. A sum of anything but a number becomes one day. Returns `None` for any other text.
pub(crate) fn moved_time(inner: &str) -> Option<String> {
    static MOVED: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\bnow\(\s*('[^']*')?\s*\)\s*([+-])\s*(\d+)?"));
    let found = MOVED.captures(inner)?;
    let format = found.get(1).map_or("'%F'", |format| format.as_str());
    let seconds: Option<u32> = found.get(3).and_then(|it| it.as_str().parse().ok());
    let offset = match seconds {
        Some(seconds) if seconds >= 86_400 && seconds % 86_400 == 0 => {
            format!("{}d", seconds / 86_400)
        }
        Some(seconds) => format!("{seconds}s"),
        None => "1d".to_owned(),
    };
    Some(format!(
        "write `now({format}, '{}{offset}')`: an offset is a whole number with `s`, `m`, `h`, `d` or `w`",
        &found[2]
    ))
}

/// Returns advice for a value with its form behind a colon, as in programs: `total:.2f`, `A:02d`. `is_element` says
/// whether a path is that of an element. Returns `None` for any other text.
pub(crate) fn formatted(inner: &str, is_element: impl Fn(&str) -> bool) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^\s*([A-Za-z_][\w.]*)\s*:\s*(?:,?(\.\d)f|(0\d)d|([<>^]\d+|,|,d|\.\d%))\s*$")
    });
    let found = FORM.captures(inner)?;
    let path = &found[1];
    let path = if is_element(path) {
        format!("{path}.text")
    } else {
        path.to_owned()
    };
    if let Some(digits) = found.get(2) {
        let digits = digits.as_str();
        return Some(format!(
            "write `${{'%{digits}f' | format({path} | float)}}`"
        ));
    }
    if let Some(width) = found.get(3) {
        let width = width.as_str();
        return Some(format!("write `${{'%{width}d' | format({path} | int)}}`"));
    }
    Some(format!(
        "no form stands behind a colon: write such as `${{'%.2f' | format({path} | float)}}`"
    ))
}

/// Returns the advice to leave out a name of other tools that says which platform a flow runs on, such as
/// `driver.isAndroid`; `None` for any other name. Only the part behind the last dot counts, and no case.
pub(crate) fn platform(name: &str) -> Option<String> {
    const NAMES: &str = "platform platformname isandroid isios maestro android ios operatingsystem";
    lists(NAMES, &plain(name)).then(|| {
        "leave it out: all flows run on Android, and `needs` in the header says what a device must be"
            .to_owned()
    })
}
