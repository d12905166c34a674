//! Warns of texts in another tool's syntax, and of look-alikes. In a flow they are ordinary texts.

use std::sync::LazyLock;

use regex::Regex;

use super::expression::Kind;
use super::names::Names;
use super::{
    foreign, foreign_css, foreign_pattern, foreign_templates, foreign_words, foreign_xpath,
};

#[expect(clippy::unwrap_used, reason = "the patterns are constants with tests")]
pub(crate) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

/// Warning about a text, with advice.
pub(crate) struct ForeignText {
    pub(crate) message: String,
    pub(crate) help: String,
}

/// Returns the warning about a text of any step: typographic quotes, a text as a program writes it, or else a variable
/// in another tool's syntax. Returns `None` if there is neither.
pub(crate) fn text(text: &str, names: &Names) -> Option<ForeignText> {
    quotes(text)
        .or_else(|| foreign_templates::formatted(text))
        .or_else(|| variable(text, names))
        .or_else(|| foreign_templates::generated(text))
}

/// Warns of a text in typographic quotes, which YAML reads as letters. Returns `None` if it does not both
/// begin and end with one.
fn quotes(text: &str) -> Option<ForeignText> {
    const OPEN: [char; 6] = ['“', '„', '‘', '‚', '«', '”'];
    // A keyboard may add one of both.
    const CLOSE: [char; 6] = ['”', '“', '’', '‘', '»', '"'];
    text.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    Some(ForeignText {
        message: "these typographic quotes belong to the text".to_owned(),
        help: "write straight quotes: \"…\"".to_owned(),
    })
}

/// Warns of the first variable in the syntax of other tools and shells, with the right form. `{{name}}` and `#{name}`
/// always count, and so do `$(date)`, `uuid()` and `os.TOKEN` as the whole text. Forms such as `$name`, `<name>` and
/// `%name%` count only if `names` has the first part of the name, or as a whole text like `$API_TOKEN`; only the first
/// of these in the text is looked at. `${name}` is no variable: it was escaped in the flow. Returns `None` otherwise.
fn variable(text: &str, names: &Names) -> Option<ForeignText> {
    static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\{\{\s*(?:env\.|vars\.)?(\w+(?:\.\w+)*)\s*\}\}|#\{(\w+(?:\.\w+)*)\}")
    });
    // Shell commands, which do not appear on screens.
    static COMMAND: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^\$\((date|uuidgen|whoami|hostname|pwd)\b[^)]*\)$"));
    static WHERE_KNOWN: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\$(\w+)|\$\((\w+)\)|#\((\w+)\)|%(\w+)%|%\((\w+)\)s|<(\w+)>|\{(\w+(?:\.\w+)*)\}")
    });
    // `$5` and `$a` may be texts of a screen, but `$API_TOKEN` is a variable.
    static OF_SHELL: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^\$([A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{4,})$|^\$\(([A-Z][A-Z0-9_]{3,})\)$|^%([A-Z][A-Z0-9_]{3,})%$",
        )
    });
    static OWN_CALL: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(?:now|uuid|random_(?:int|text|email))\(.*\)$"));
    // `os.TOKEN` and `process.env.TOKEN` are the names of values alone.
    static DOTTED: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^(os|process\.env|env|vars|secrets)\.([A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{4,})$")
    });
    if OWN_CALL.is_match(text) {
        return Some(ForeignText {
            message: format!("`{text}` is plain text here, not a value"),
            help: format!(
                "write {} in `env` or `set`, and its name elsewhere",
                foreign::quoted(&format!("${{{text}}}"))
            ),
        });
    }
    if let Some(found) = DOTTED.captures(text) {
        let name = match &found[1] {
            "os" | "process.env" => format!("os.{}", &found[2]),
            _ => found[2].to_owned(),
        };
        return Some(ForeignText {
            message: format!("`{text}` is plain text here, not a value"),
            help: format!("write `${{{name}}}` for the value"),
        });
    }
    let name_in = |regex: &Regex| -> Option<(String, String)> {
        let found = regex.captures(text)?;
        let name = found.iter().skip(1).flatten().next()?;
        let whole = found.get(0).map_or("", |whole| whole.as_str());
        Some((whole.to_owned(), name.as_str().to_owned()))
    };
    if let Some(found) = COMMAND.captures(text) {
        let ours = match &found[1] {
            "date" => "now()",
            "uuidgen" => "uuid()",
            _ => "os.NAME",
        };
        return Some(ForeignText {
            message: format!("`{text}` is plain text here: no shell reads it"),
            help: format!(
                "keep the value in a step before, `set: {{ NAME: \"${{{ours}}}\" }}`, and write `${{NAME}}`"
            ),
        });
    }
    let has_value = |name: &str| {
        let root = name.split('.').next().unwrap_or_default();
        names.has_value(root)
    };
    if let Some(inner) = in_round_brackets(text, has_value) {
        return Some(ForeignText {
            message: format!("`{text}` is plain text here, not a value"),
            help: format!("write {}", foreign::quoted(&format!("${{{inner}}}"))),
        });
    }
    // `$${A}` is how a flow writes a plain `${A}`.
    let is_meant =
        |written: &str| written.starts_with('{') && text.contains(&format!("${written}"));
    let known = || {
        let found = name_in(&WHERE_KNOWN);
        found.filter(|(written, name)| has_value(name) && !is_meant(written))
    };
    let (written, name) = name_in(&ALWAYS)
        .or_else(known)
        .or_else(|| name_in(&OF_SHELL))?;
    Some(ForeignText {
        message: format!("`{written}` is plain text here, not a value"),
        help: format!("write `${{{name}}}` for the value"),
    })
}

/// Returns the expression in `$(A + 1)`, as the whole text: a name for which `has_value` is true, a sign and more.
/// Returns `None` for other texts, and for a name alone.
fn in_round_brackets(text: &str, has_value: impl Fn(&str) -> bool) -> Option<&str> {
    let inner = text.strip_prefix("$(")?.strip_suffix(')')?;
    let end = inner.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))?;
    let (name, rest) = inner.split_at(end);
    let signs = ['+', '-', '*', '/', '~', '|', '%'];
    (rest.trim_start().starts_with(signs) && has_value(name)).then_some(inner)
}

/// Returns the right form for the content of `${…}` in the syntax of other tools: `env.USER`, `process.env.USER`, `{
/// USER }`, `USER:-default`, `os.environ['USER']`, `new Date`, `maestro.copiedText`. Returns `None` for anything
/// else. `names` only decides whether `env.USER` is a value of the flow or of the environment; other names need not
/// exist.
pub(crate) fn variable_elsewhere(inner: &str, names: &Names) -> Option<String> {
    static PATH: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^\s*\{?\s*(process\.env|\{|env|vars|variables|inputs|params|secrets|matrix|output)\.?\s*(\w+)\s*\}?\s*$",
        )
    });
    static DEFAULT: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(\w+)\s*:[-=]?\s*([^{}]*)$"));
    static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"^\s*os\.(?:environ|env|getenv)\s*(?:\.get)?[\[(.]\s*['"]?(\w+)"#)
    });
    if inner.trim() == "maestro.copiedText" {
        let help = "read the element in a step before, `find: …` with `as: NAME` beside it, and write `${NAME.text}`";
        return Some(help.to_owned());
    }
    if inner.trim_start().starts_with("new Date") {
        return Some("write `${now()}`".to_owned());
    }
    let is_element = |path: &str| names.kind_of(path) == Some(Kind::Map);
    if let Some(help) = foreign::formatted(inner, is_element) {
        return Some(help);
    }
    if let Some(found) = ENVIRONMENT.captures(inner) {
        return Some(format!("write `${{os.{}}}`", &found[1]));
    }
    if let Some(found) = DEFAULT.captures(inner) {
        let (name, value) = (&found[1], found[2].trim_matches(['\'', '"', ' ']));
        return Some(format!("write `${{{name} | default('{value}')}}`"));
    }
    let found = PATH.captures(inner)?;
    let name = &found[2];
    Some(match &found[1] {
        "process.env" => format!("write `${{os.{name}}}`"),
        "secrets" => format!("write `${{os.{name}}}`, or `${{{name}}}` where `env` gives it"),
        "matrix" if name == "locale" && !names.has_value(name) => {
            "write `${device.locale}`".to_owned()
        }
        "env" if !names.has_value(name) => format!(
            "write `${{os.{name}}}` for a variable of the environment; `${{{name}}}` is a value of `env` in the header, where it stands there"
        ),
        _ => format!("write `${{{name}}}`"),
    })
}

/// Returns advice to count the rounds in a name for the name of a loop counter of other tools, such as `i` or `index`;
/// `None` for any other name. Case counts.
pub(crate) fn counter(name: &str) -> Option<String> {
    const COUNTERS: [&str; 9] = [
        "i",
        "j",
        "idx",
        "index",
        "loop",
        "iteration",
        "counter",
        "round",
        "loop_index",
    ];
    // `loop` is a word of templates.
    let own = if name == "loop" { "round" } else { name };
    COUNTERS.contains(&name).then(|| {
        format!(
            "no name counts the rounds: write `set: {{ {own}: 0 }}` before `repeat`, `set: {{ {own}: \"${{{own} + 1}}\" }}` as its first step, and `${{{own}}}` behind it"
        )
    })
}

/// Warns of a text alone that is probably no text of the app: a locator of other tools such as `XPath`, a call, CSS
/// or `id=save`, a place, a pattern, a claim (`Save is visible`), a slip of YAML, or an id (`btnSave`). The first
/// that fits gives the advice. Returns `None` for any other text.
pub(crate) fn locator(text: &str) -> Option<ForeignText> {
    let instead = by_prefix(text)
        .or_else(|| by_call(text))
        .or_else(|| foreign_css::css(text))
        .or_else(|| by_form(text))
        .or_else(|| foreign_words::instead(text))?;
    Some(not_a_text(&instead))
}

/// Warns of the id of a CSS selector, such as `#save`, with the id as advice. As a text it may be a hashtag that the
/// app shows, so it is for places without texts, and for a failed step that knows an element with this id. Returns
/// `None` if the text is not `#` and an id of ASCII letters, digits, `_` and `-`.
pub(crate) fn css_id(text: &str) -> Option<ForeignText> {
    let name = text.strip_prefix('#')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let is_id = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_id && name.chars().all(is_part)).then(|| not_a_text(&format!("write `{{ id: {name} }}`")))
}

/// Returns the warning that a text stands for itself, with the advice `instead` and how to look for the text all the
/// same.
fn not_a_text(instead: &str) -> ForeignText {
    ForeignText {
        message: "this looks for an element with just this text".to_owned(),
        help: format!("{instead}; where the app shows just this, write `{{ text: … }}`"),
    }
}

/// Returns advice for `id=save`, `//Button[@text='OK']`, `~Save`, `text/Save` and an id from a look at the screen
/// (`@e12`). Of `XPath` the first text, id or description is taken over. Of `id=a >> text=b` the first part becomes an
/// `inside`, and `>> nth=1` an index. Returns `None` for unknown prefixes.
fn by_prefix(text: &str) -> Option<String> {
    if text.starts_with("//") || text.starts_with("(//") || text.starts_with("xpath=") {
        return Some(foreign_xpath::instead(text));
    }
    if is_id_of_look(text) {
        return Some(
            "an id of a look is not for flows: it holds in one session; write `{ id: … }` or the text"
                .to_owned(),
        );
    }
    if let Some(name) = text
        .strip_prefix('~')
        .filter(|name| name.starts_with(char::is_alphabetic))
    {
        return Some(format!("write `{{ desc: {name} }}`"));
    }
    // Puppeteer and WebdriverIO.
    for (begin, ours) in [
        ("text/", "text"),
        ("aria/", "desc"),
        ("accessibility id:", "desc"),
        ("pierce/", "id"),
    ] {
        let value = text.strip_prefix(begin);
        // `text/html` is a type of media.
        if let Some(value) = value.filter(|it| it.starts_with(char::is_uppercase)) {
            return Some(format!("write `{{ {ours}: {} }}`", foreign::yaml(value)));
        }
    }
    if text.starts_with("-android uiautomator:") || text.starts_with("-ios ") {
        let help =
            "there are no locators of drivers; write `{ id: … }`, `{ text: … }` or `{ desc: … }`";
        return Some(help.to_owned());
    }
    let (key, value) = text.split_once('=')?;
    let ours = match key.trim().to_lowercase().as_str() {
        "id" | "resource-id" | "resourceid" | "testid" | "test-id" | "data-testid" => "id",
        "text" | "label" | "name" => "text",
        "*" => {
            let value = foreign::yaml(value.trim());
            return Some(format!("write `{{ text: {{ contains: {value} }} }}`"));
        }
        "desc" | "content-desc" | "accessibility id" | "accessibilityid" | "aria" => "desc",
        "class" | "classname" | "role" => "class",
        "css" => return Some("there is no CSS; write `{ id: … }` or `{ text: … }`".to_owned()),
        _ => return None,
    };
    // `text == "Save"` compares, as in programs.
    let value = value.trim_start_matches('=').trim();
    // Playwright puts locators in a row, each inside of the one before.
    if let Some((value, next)) = value.split_once(" >> ") {
        let value = value.trim_matches(['"', '\'']);
        return Some(match next.trim().strip_prefix("nth=") {
            Some(index) => format!("write `{{ {ours}: {value}, index: {index} }}`"),
            None => format!("write `{{ …, inside: {{ {ours}: {value} }} }}`"),
        });
    }
    let value = value.trim_matches(['"', '\'']);
    Some(format!("write `{{ {ours}: {value} }}`"))
}

/// Returns true for an id such as `@e12`, as in the results of `runner_look`.
fn is_id_of_look(text: &str) -> bool {
    let number = text.strip_prefix("@e").unwrap_or_default();
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

/// Returns advice for `By.id("save")`, `new UiSelector().text("Save")`, `withText("Save")` anywhere in the text, and
/// for `d(text="Save")` and `app.buttons["Save"]` at its beginning, which take precedence. Of several calls the first
/// counts. Returns `None` without any.
fn by_call(text: &str) -> Option<String> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?i)(?:by\.|by|selector\(\)\.|with|hasTest|onNodeWith|get_?by_?)_?(id|resourceId|res|tag|testId|text|label|desc|description|contentDescription|contentDesc|accessibilityId|role|className|clazz|class)\(\s*['"]([^'"]+)['"]"#,
        )
    });
    // uiautomator2 and XCUITest.
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"^(?:self\.)?(?:d|device|driver|poco|ui)\((text|resourceId|resource_id|description|className|name)\s*=\s*['"]([^'"]+)['"]\)"#,
        )
    });
    static INDEXED: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"^(?:app|XCUIApplication\(\))(?:\.\w+(?:\(\))?)*\.()\w+\[['"]([^'"]+)['"]\]"#)
    });
    if let Some(element) = foreign::inner_element(text) {
        return Some(format!("write `{}`", element.in_braces()));
    }
    let found = NAMED
        .captures(text)
        .or_else(|| INDEXED.captures(text))
        .or_else(|| CALL.captures(text))?;
    let ours = match found[1].to_lowercase().as_str() {
        "id" | "resourceid" | "resource_id" | "res" | "tag" | "testid" => "id",
        // Of an XCUITest's collection there is no key.
        "text" | "" => "text",
        "classname" | "class" | "clazz" | "role" => "class",
        _ => "desc",
    };
    Some(format!("write `{{ {ours}: {} }}`", &found[2]))
}

/// Returns advice for `com.a.b:id/save`, `.*Save.*`, `Save|Done`, and a place such as `50%,50%` or `540,1200`.
/// Numbers below 100 are no place: `10,20` may be a price. Returns `None` for any other text.
fn by_form(text: &str) -> Option<String> {
    static ID: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(?:[\w.]+:id/|@\+?id/|R\.id\.)([A-Za-z_][\w-]*)$"));
    // `10,20` may be a price.
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^\(?(\d+(?:\.\d+)?%|\d{3,4})\s*,\s*(\d+(?:\.\d+)?%|\d{3,4})\)?$"));
    if let Some(found) = ID.captures(text) {
        return Some(format!("write `{{ id: {} }}`", &found[1]));
    }
    if let Some(found) = PLACE.captures(text) {
        return Some(format!(
            "write `{{ at: {{ x: {}, y: {} }} }}` for a place",
            &found[1], &found[2]
        ));
    }
    foreign_pattern::instead(text)
}

/// Warns of a resource id that begins as in code, layouts and CSS, with the id without it: `@+id/save`, `R.id.save`,
/// `:id/save`, `#save`, of one with `^` before it or `$` behind it, and of one with blanks at its ends, which count.
/// Returns `None` for any other id; one with a package is right.
pub(crate) fn id(text: &str) -> Option<ForeignText> {
    let inner = text.trim();
    if inner.len() < text.len() && !inner.is_empty() {
        return Some(ForeignText {
            message: "blanks at the ends of an id count, and hardly any id has some".to_owned(),
            help: format!("write `{{ id: {inner} }}`"),
        });
    }
    let name = ["@+id/", "@id/", "R.id.", ":id/", "#"]
        .iter()
        .find_map(|begin| text.strip_prefix(begin))
        .or_else(|| anchored(text))?;
    Some(ForeignText {
        message: "no element has just this id".to_owned(),
        help: format!("write `{{ id: {name} }}`"),
    })
}

/// Returns the id between the signs of a regular expression: `save` of `^save$`, `^save` and `save$`. Returns `None`
/// for ids without a sign, and if more than an id is between them.
fn anchored(text: &str) -> Option<&str> {
    let name = text.strip_prefix('^').unwrap_or(text);
    let name = name.strip_suffix('$').unwrap_or(name);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.:/".contains(c);
    let is_id = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_part);
    (is_id && name.len() < text.len()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_apps_show_are_not_doubted() {
        let names = Names::new(["USER".to_owned()]);
        for shown in [
            "Sign in",
            "5 %",
            "50%",
            "1, 2, 3",
            "$5",
            "US$ 12",
            "a = b",
            "C#",
            "“Hi” she said",
            "it’s",
            "Wait...",
            "1.5",
            "#1",
            "# 1",
            "#travel",
            "#summer_2026",
            "e = mc",
            "<b>",
            "{x}",
            "10:30",
            "10,20",
            "Terms & conditions",
            "~ 5 min",
            "Save*",
            "A/B",
            "and/or",
            "user@example.com",
            "https://example.com",
            "x=1",
            "100%",
            "text/html",
            "${USER}",
            "Write ${USER} for the user",
        ] {
            let doubt = text(shown, &names).or_else(|| locator(shown));
            assert!(doubt.is_none(), "{shown}");
        }
    }
}
