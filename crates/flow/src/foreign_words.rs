//! Warns of texts alone that are sentences about an element, ids, or parts of a line of YAML.

use std::sync::LazyLock;

use regex::Regex;

use super::foreign;
use super::foreign_text::{ForeignText, regex};

/// Returns advice for a text alone that probably names an element otherwise; `None` for texts that apps show. The
/// first that fits counts: a key with its value, a slip of YAML or of a program, a claim, a resource, an id.
pub(crate) fn instead(text: &str) -> Option<String> {
    key_and_value(text)
        .or_else(|| line_slip(text))
        .or_else(|| claim(text))
        .or_else(|| resource(text))
        .or_else(|| id(text))
}

/// Returns advice for a key with its value in one text: `id:save`, `{ id: save }`. Outside of braces, with a blank
/// behind the colon, only `desc`, `hint`, and `id` with an id in lower case count: apps show `text: Save`. So does the
/// sentence `id save` or `with id save`, but not `id card`. Returns `None` for other texts.
fn key_and_value(text: &str) -> Option<String> {
    static FORM: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(id|text|desc|hint|class|index|resource-id|resourceId):(\S.*)$"));
    // `text: Save` may be shown; an id is a word of its own kind.
    static SPACED: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(desc|hint): (\S.*)$|^(id): ([a-z][a-z0-9_]*)$"));
    static IN_WORDS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^(?:(?:with|by) )?(?:resource[- ]?)?id ([a-z][a-z0-9]*(?:_[a-z0-9]+)*)$")
    });
    const OF_A_PERSON: [&str; 10] = [
        "card", "cards", "number", "numbers", "required", "badge", "photo", "proof", "check",
        "type",
    ];
    static IN_BRACES: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"^\{\s*(id|text|desc|hint|class)\s*:\s*["']?([^"'{}]+?)["']?\s*\}$"#)
    });
    if let Some(found) = IN_BRACES.captures(text) {
        let value = foreign::yaml(&found[2]);
        return Some(format!(
            "without quotes it is a map: write `{{ {}: {value} }}`",
            &found[1]
        ));
    }
    // An app may show `id card`.
    if let Some(found) = IN_WORDS.captures(text)
        && !OF_A_PERSON.contains(&&found[1])
    {
        return Some(format!("write `{{ id: {} }}`", &found[1]));
    }
    if let Some(found) = SPACED.captures(text) {
        let key = found.get(1).or(found.get(3))?.as_str();
        let value = found.get(2).or(found.get(4))?.as_str();
        return Some(format!("write `{{ {key}: {} }}`", foreign::yaml(value)));
    }
    let found = FORM.captures(text)?;
    let key = match &found[1] {
        "resource-id" | "resourceId" => "id",
        key => key,
    };
    Some(format!("write `{{ {key}: {} }}`", foreign::yaml(&found[2])))
}

/// Returns advice for a comment of another language behind a text, for further steps, brackets and signs of programs
/// in it, and for a quote at its end without its partner; the first counts. Returns `None` for other texts.
fn line_slip(text: &str) -> Option<String> {
    if let Some((before, comment)) = text.split_once(" // ").or_else(|| text.split_once(" /* ")) {
        let comment = comment.trim_end_matches("*/").trim();
        return Some(format!(
            "a comment begins with `#`: write `{} # {comment}`",
            before.trim_end()
        ));
    }
    if let Some(told) = more_steps(text).or_else(|| closing_bracket(text)) {
        return Some(told);
    }
    if let Some(told) = code(text) {
        return Some(told);
    }
    let inner = text.strip_suffix('"')?;
    // `24"` is a size.
    // With a typographic one before it other advice says so.
    let is_word = inner.ends_with(char::is_alphabetic) && !inner.contains(['"', '“', '„', '”']);
    is_word.then(|| format!("a quote is missing: write `\"{inner}\"`"))
}

/// Returns advice for signs of programs around a text: `Save;`, `("Save")`, `Save[1]`. An index becomes the
/// selector's `index` unchanged; all others give the text alone. Returns `None` for other texts.
fn code(text: &str) -> Option<String> {
    static INDEXED: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^([A-Za-z][A-Za-z0-9]*)\[(\d{1,2})\]$"));
    if let Some(found) = INDEXED.captures(text) {
        return Some(format!(
            "write `{{ text: {}, index: {} }}` for one of several",
            foreign::yaml(&found[1]),
            &found[2]
        ));
    }
    let bare = text.strip_suffix(';').unwrap_or(text);
    // `&amp;` is how HTML writes a sign.
    let is_ended = bare.len() < text.len()
        && bare.ends_with(char::is_alphanumeric)
        && !bare.contains(['&', ';']);
    let inner = bare.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let inner = inner.unwrap_or(bare).trim();
    let is_quoted = inner.len() < bare.len()
        && inner.len() > 2
        && ['"', '\'']
            .iter()
            .any(|quote| inner.starts_with(*quote) && inner.ends_with(*quote));
    if is_ended {
        return Some(format!("write it without `;`: `{}`", foreign::yaml(bare)));
    }
    is_quoted.then(|| {
        let shown = inner.trim_matches(['"', '\'']);
        format!("write the text alone: `{}`", foreign::yaml(shown))
    })
}

/// Returns advice for a modifier (`optional` or `soft`) or another step behind a text and a sign: `Save,
/// optional=true`, `Save; back`. Returns `None` for other texts, also for labels such as `Phone (optional)` and
/// `Mail, optional`, which apps show.
fn more_steps(text: &str) -> Option<String> {
    static MODIFIER: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^.+?(?:; ?(optional|soft)|, ?(optional|soft)[:=] ?true)$"));
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^.+?; ?(?:back|home|click|tap|type|press|wait|scroll|swipe|assert|launch|stop|hide_keyboard)(?: .+)?$",
        )
    });
    if let Some(found) = MODIFIER.captures(text) {
        let modifier = found.get(1).or(found.get(2))?.as_str();
        return Some(format!(
            "write `{modifier}: true` on a line of its own, in the column of the step"
        ));
    }
    STEP.is_match(text)
        .then(|| "write each step on a line of its own, behind a `- `".to_owned())
}

/// Returns the advice to leave out a `}` or `]` at the end of a text that closes none in it: `Save}`. Returns `None`
/// for other texts, and if no letter or digit stands before the bracket.
fn closing_bracket(text: &str) -> Option<String> {
    let (inner, open) = match text.chars().next_back()? {
        '}' => (text.strip_suffix('}')?, '{'),
        ']' => (text.strip_suffix(']')?, '['),
        _ => return None,
    };
    let is_word = inner.trim_end().ends_with(char::is_alphanumeric);
    (is_word && !inner.contains(open))
        .then(|| format!("there is no `{open}` to its last bracket: leave the bracket out"))
}

/// Returns advice for a sentence that says of an element that it is there, or not: `not Error`, `Save is visible`. It
/// becomes `assert visible` or `assert not visible`, `text contains …` a selector, and `… && …` several steps. The
/// element before `is visible` is one word, as apps show `Your profile is visible`. Returns `None` for other texts.
fn claim(text: &str) -> Option<String> {
    static DENIED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"^(?:not|no) (?:visible )?["']?([A-Z][^"']*)["']?$|^(\S+) (?:is|to be) (?:not (?:visible|displayed|shown)|gone)$|^(.+?) to disappear$|^!\s*([A-Z].*)$"#,
        )
    });
    static CLAIMED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"^(?:visible|displayed|exists) ["']?([A-Z][^"']*)["']?$|^(\S+) (?:is|to be) (?:visible|displayed|shown)$|^(.+?) to appear$"#,
        )
    });
    static CONTAINS: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"^text contains ["']?([^"']+)["']?$"#));
    let first = |pattern: &Regex| {
        let found = pattern.captures(text)?;
        let shown = found.iter().skip(1).flatten().next()?;
        Some(foreign::yaml(shown.as_str()))
    };
    if let Some(shown) = first(&DENIED) {
        return Some(format!("write `assert not visible: {shown}`"));
    }
    if let Some(shown) = first(&CLAIMED) {
        return Some(format!("write `assert visible: {shown}`"));
    }
    if let Some(part) = first(&CONTAINS) {
        return Some(format!("write `{{ text: {{ contains: {part} }} }}`"));
    }
    if text.contains(" && ") {
        return Some("write a step for each text".to_owned());
    }
    None
}

/// Returns advice for the name of a text in the app's resources: `@string/sign_in`, `R.string.sign_in`. Returns `None` for
/// other texts.
fn resource(text: &str) -> Option<String> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:getString\()?(?:@(?:android:)?string/|(?:android\.)?R\.string\.)[A-Za-z_]\w*\)?$",
        )
    });
    NAME.is_match(text).then(|| {
        "a flow reads no resources of the app: write the text as the screen shows it, or `{ id: … }`"
            .to_owned()
    })
}

/// Returns the advice `{ id: … }` for words in lower case that `_` joins, as in ids, and for names of widgets:
/// `sign_in`, `btnSave`, `saveButton`. A `#` may stand before them, as in CSS, but not before digits too, as in
/// `#summer_2026`. Returns `None` for other texts.
fn id(text: &str) -> Option<String> {
    static ID: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|(?:btn|txt|lbl|img|edt|chk)[A-Z]\w*|[a-z]+[A-Za-z0-9]*(?:Button|Btn|Field|Input|TextView|Label|Icon|ImageView|Switch|Checkbox|CheckBox))$",
        )
    });
    let name = text.strip_prefix('#');
    let name = name.filter(|name| !name.contains(|c: char| c.is_ascii_digit()));
    let name = name.unwrap_or(text);
    ID.is_match(name)
        .then(|| format!("write `{{ id: {name} }}`"))
}

/// Returns advice for the text of the key `key` that says how it compares: `not empty`, `contains Welcome`, `1..5`.
/// The words behind `contains`, `is`, `not` and their like must begin with a capital letter or a digit. `not …`
/// becomes a step `assert not visible`. Returns `None` for other texts, also for `empty` of other keys than `text`.
pub(crate) fn compared(key: &str, text: &str) -> Option<String> {
    const ANYTHING: [&str; 14] = [
        "not empty",
        "notempty",
        "not_empty",
        "non-empty",
        "nonempty",
        "is not empty",
        "not blank",
        "not null",
        "not none",
        "anything",
        "any text",
        "any value",
        "any string",
        "!= ''",
    ];
    const NOTHING: [&str; 8] = [
        "empty",
        "blank",
        "is empty",
        "is blank",
        "be empty",
        "to be empty",
        "empty string",
        "an empty string",
    ];
    static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"^(contains?|containing|includes|has|starts[ _]?with|begins with|ends[ _]?with|equals?|==|is|!=|not|is not|does not contain)[ :]+["']?([A-Z0-9].*?)["']?$"#,
        )
    });
    static RANGE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(\d+)\.\.\.?=?(\d+)$"));
    if ANYTHING.contains(&text.to_lowercase().as_str()) {
        return Some(format!("write `{key}: {{ regex: '.+' }}` for any words"));
    }
    if key == "text" && NOTHING.contains(&text) {
        return Some("write `text: \"\"` for a field without a text".to_owned());
    }
    if let Some(found) = RANGE.captures(text) {
        return Some(format!(
            "a text has no range: `find: …` with `as: e` beside it, and then `assert: {{ that: \"${{{} <= e.{key} | int <= {}}}\" }}`",
            &found[1], &found[2]
        ));
    }
    let found = COMPARED.captures(text)?;
    let ours = &found[2];
    Some(match &found[1] {
        "contain" | "contains" | "containing" | "includes" | "has" => {
            format!("write `{key}: {{ contains: {} }}`", foreign::yaml(ours))
        }
        "equals" | "equal" | "==" | "is" => format!("write `{key}: {}`", foreign::yaml(ours)),
        "!=" | "not" | "is not" | "does not contain" => format!(
            "there is no `not`: write `assert not visible: {}` as a step of its own",
            foreign::yaml(ours)
        ),
        begin if begin.starts_with(['s', 'b']) => {
            format!("write `{key}: {}`", foreign::quoted(&format!("{ours}*")))
        }
        _ => format!("write `{key}: {}`", foreign::quoted(&format!("*{ours}"))),
    })
}

/// Returns the warning that `text`, which is `true` or `false` in place of an element, is taken for an
/// element's text. The caller decides that it is one of them; any other text would get the same warning.
pub(crate) fn answer(text: &str) -> ForeignText {
    ForeignText {
        message: format!("this looks for an element with the text `{text}`"),
        help: "write which element is meant: its text, or `{ id: … }`; where the app shows just this, write `{ text: … }`"
            .to_owned(),
    }
}

/// Returns the warning about `ignore_case: true` below `key`, which takes `answer` for the text that is looked for.
/// The caller decides that it is `true` or `false`.
pub(crate) fn without_case(key: &str, answer: &str) -> ForeignText {
    ForeignText {
        message: format!("this looks for the text `{answer}`"),
        help: format!("write the text itself: `{key}: {{ ignore_case: … }}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{compared, instead};

    #[test]
    fn sentences_about_an_element_are_told_from_texts() {
        for (text, ours) in [
            ("id:save", "`{ id: save }`"),
            ("Save // the button", "`Save # the button`"),
            ("Save\"", "`\"Save\"`"),
            ("not Error", "`assert not visible: Error`"),
            ("Error is not visible", "`assert not visible: Error`"),
            ("Loading is gone", "`assert not visible: Loading`"),
            ("Welcome to appear", "`assert visible: Welcome`"),
            ("visible Welcome", "`assert visible: Welcome`"),
            ("text contains Welcome", "contains: Welcome"),
            ("Welcome && Inbox", "a step for each"),
            ("sign_in", "`{ id: sign_in }`"),
            ("btnSave", "`{ id: btnSave }`"),
            ("saveButton", "`{ id: saveButton }`"),
            ("Save; optional", "`optional: true`"),
            ("Save, soft=true", "`soft: true`"),
            ("Save; back", "on a line of its own"),
            ("Save; click Close", "on a line of its own"),
            ("Save}", "leave the bracket out"),
            ("Save;", "`Save`"),
            ("(\"Save\")", "`Save`"),
            ("Save[1]", "`{ text: Save, index: 1 }`"),
            ("{ id: save }", "`{ id: save }`"),
            ("desc: Save", "`{ desc: Save }`"),
            ("#sign_in", "`{ id: sign_in }`"),
            ("#btnSave", "`{ id: btnSave }`"),
            ("id greeting", "`{ id: greeting }`"),
            ("with id inbox_count", "`{ id: inbox_count }`"),
            ("@string/sign_in", "no resources of the app"),
            ("R.string.sign_in", "no resources of the app"),
        ] {
            let told = instead(text).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        for (text, ours) in [
            ("not empty", "`text: { regex: '.+' }`"),
            ("contains Welcome", "`text: { contains: Welcome }`"),
            ("starts with Sign", "`text: \"Sign*\"`"),
            ("ends with \"In\"", "`text: \"*In\"`"),
            ("== Save", "`text: Save`"),
            ("!= Save", "`assert not visible: Save`"),
            ("empty", "`text: \"\"`"),
            ("3..5", "${3 <= e.text | int <= 5}"),
        ] {
            let told = compared("text", text).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        assert_eq!(compared("text", "contains nuts"), None);
        for shown in [
            "Not visible",
            "not now",
            "Gone",
            "All gone",
            "Your profile is visible",
            "Time: 10:30",
            "text:",
            "24\"",
            "\"Hi\"",
            "A/B",
            "https://example.com",
            "hello",
            "Visible to all",
            "Terms & conditions",
            "iPhone",
            "eBay",
            "Welcome, back",
            "Photo (optional)",
            "Mail, optional",
            "Save [2]",
            "Tom &amp;",
            "(Save)",
            "text: Save",
            "ID: 42",
            "{x}",
            "Try now, then wait for the mail",
            "#travel",
            "#summer_2026",
            "id card",
            "ID greeting",
            "@anna",
        ] {
            assert_eq!(instead(shown), None, "{shown}");
        }
    }
}
