//! Translates chains of calls of other tools, such as `cy.get('#save').click()`, into a step. The last call
//! says what is done, the others which element is meant.

use std::sync::LazyLock;

use regex::Regex;

use super::element::{Element, fill, property, regex};
use super::tables::{STEPS, lists, plain, rows};

/// Calls whose names are steps here or mean another step on an element, with their equivalents.
const OWN: [(&str, &str); 18] = [
    ("click", "`click: …`"),
    ("tap", "`click: …`"),
    ("check", "`click: …`"),
    ("type", "`type: { into: …, text: … }`"),
    ("clear", "`erase: …`"),
    ("erase", "`erase: …`"),
    ("press", "`press: …`, with a key such as ENTER"),
    ("longclick", "`long_click: …`"),
    ("longpress", "`long_click: …`"),
    ("doubleclick", "`double_click: …`"),
    ("doubletap", "`double_click: …`"),
    ("scrollto", "`scroll_to: …`"),
    ("scroll", "`scroll_to: …`"),
    ("swipe", "`swipe_across: …`, with a direction such as `up`"),
    ("waitfor", "`wait_for: …`"),
    ("until", "`wait_for: …`"),
    ("screenshot", "`screenshot: NAME`"),
    ("drag", "`drag: { from: …, to: … }`"),
];

/// Returns the equivalent of a call on an element, or of its negation, from the tables; `None` if there is none. Case
/// and separators do not count.
pub(super) fn equivalent(name: &str, is_denied: bool) -> Option<&'static str> {
    let word = plain(name);
    let find = |word: &str| {
        let mut own = OWN.iter();
        let ours = own.find(|(name, _)| *name == word).map(|(_, ours)| *ours);
        let mut others = rows(STEPS);
        ours.or_else(|| {
            let row = others.find(|[_, words]| lists(words, word));
            row.map(|[ours, _]| ours)
        })
    };
    if !is_denied {
        return find(&word);
    }
    let rest = word.strip_prefix("is").unwrap_or(&word);
    let denied = [
        format!("not{word}"),
        format!("isnot{rest}"),
        format!("shouldnot{word}"),
    ];
    denied.iter().find_map(|word| find(word))
}

/// Returns the equivalent of a chain of calls in backquotes, with the element and the text that it names.
/// `assertTrue(…)` counts as the call in it, `assertFalse(…)` as its negation; a call for a timeout at the end is
/// passed over. Returns `None` for other texts, for a single call that names no element in a known form, and for an
/// unknown last call.
pub(super) fn advice(written: &str) -> Option<String> {
    let (before, name, args) = last_call(written)?;
    let word = plain(name);
    // The time of a wait stands behind what is waited for.
    if lists("withtimeout timeout pollingevery ignoring", &word) {
        return advice(before.trim_end_matches('.'));
    }
    let (ours, args) = if lists("asserttrue assertfalse assertthat", &word) && args.contains('(') {
        let (before, name, inner) = last_call(args)?;
        let (name, is_denied) = decisive(before, name, inner)?;
        (
            equivalent(&name, is_denied != (word == "assertfalse"))?,
            inner,
        )
    } else {
        let (name, is_denied) = decisive(before, name, args)?;
        (equivalent(&name, is_denied)?, args)
    };
    let found = element(written);
    let is_chain = found.is_some() || before.contains('(') || args.contains('(');
    is_chain.then(|| fill(ours, found.as_ref(), last_text(args)))
}

/// Returns the name of the last call of a text that ends with one, behind a dot: `launch` of `app().launch()`. Returns
/// `None` for a call alone.
pub(super) fn last_name(written: &str) -> Option<&str> {
    let (before, name, _) = last_call(written)?;
    before.ends_with('.').then_some(name)
}

/// Splits a text that ends with a call: what stands before its name, the name, and the text in its brackets.
/// Semicolons at the end do not count. Returns `None` for any other text.
fn last_call(text: &str) -> Option<(&str, &str, &str)> {
    let inner = text.trim().trim_end_matches(';').strip_suffix(')')?;
    let mut depth = 0_usize;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth > 0 => depth -= 1,
            '(' => {
                let head = &inner[..at];
                let before = head.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
                let name = &head[before.len()..];
                return (!name.is_empty()).then_some((before, name, &inner[at + 1..]));
            }
            _ => {}
        }
    }
    None
}

/// Returns the name of the call that says what is done, and true if it is negated. Calls such as `perform(…)`,
/// `check(matches(…))` and `not(…)` leave it to the first call in them, `should('be.visible')` to its text. Returns
/// `None` if such a call has no call or no text in it.
fn decisive(before: &str, name: &str, args: &str) -> Option<(String, bool)> {
    /// Chosen: `check(matches(not(isDisplayed())))` has three.
    const MAX_NESTING: usize = 4;
    let mut is_denied = before.trim_end().ends_with(".not.");
    let (mut name, mut args) = (name, args);
    for _ in 0..MAX_NESTING {
        let word = plain(name);
        let has_call = args.contains('(');
        let leaves = lists("perform matches not performaction", &word)
            || has_call && lists("check assert", &word);
        if !leaves {
            break;
        }
        is_denied |= word == "not";
        let (head, rest) = args.split_once('(')?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        name = &head[head.trim_end_matches(is_part).len()..];
        args = rest;
    }
    if plain(name) == "should" {
        let said = first_text(args)?;
        let letters: String = said.chars().filter(|c| c.is_alphanumeric()).collect();
        return Some((format!("should{letters}"), is_denied));
    }
    let waits = ["hidden", "detached"].iter().any(|it| args.contains(it));
    if plain(name) == "waitfor" && waits {
        return Some(("waitforhidden".to_owned(), is_denied));
    }
    Some((name.to_owned(), is_denied))
}

/// Iterates over the texts in double or single quotes, in order and without the quotes.
fn texts(args: &str) -> impl Iterator<Item = &str> {
    static TEXT: LazyLock<Regex> = LazyLock::new(|| regex(r#""([^"]*)"|'([^']*)'"#));
    TEXT.captures_iter(args)
        .filter_map(|found| found.iter().skip(1).flatten().next())
        .map(|text| text.as_str())
}

fn first_text(args: &str) -> Option<&str> {
    texts(args).next()
}

fn last_text(args: &str) -> Option<&str> {
    texts(args).last()
}

/// Returns the element that a text of another tool names in any form: a call such as `By.id("save")`, an argument
/// such as `text="Save"`, or a locator in quotes such as `'#save'`. Returns `None` if there is none.
pub(super) fn element(text: &str) -> Option<Element> {
    if let Some(found) = inner(text) {
        return Some(found);
    }
    let found = by_constant(text)
        .or_else(|| by_call(text))
        .or_else(|| by_sign(text))?;
    Some(match index(text) {
        Some(index) => found.at_index(index),
        None => found,
    })
}

/// Reads an element that is looked for from another one: inside of it, as in `d(resourceId="list").child(text="Milk")` and
/// `findElement(…).findElement(…)`, or beside it, as in `d(text="A").right(text="B")`. Returns `None` for other texts.
pub(crate) fn inner(text: &str) -> Option<Element> {
    /// Chosen: a line of a test; each call in it is a level of recursion.
    const MAX_CHAIN_BYTES: usize = 500;
    static NEXT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)\.(?:child_?selector|child_?by_(?:text|description)|child|descendant|find_?elements?(?:_?by_?\w+)?|find|locator|get_?by_?\w+|\$|(right|left|up|down))\(",
        )
    });
    if text.len() > MAX_CHAIN_BYTES {
        return None;
    }
    let found = NEXT.captures_iter(text).last()?;
    let at = found.get(0)?.start();
    let (outer, rest) = (element(&text[..at])?, &text[at..]);
    // `child_by_text("Milk")` says by what in its own name.
    let rest = rest.replacen("child_by_", "by_", 1);
    let relation = match found
        .get(1)
        .map(|way| way.as_str().to_lowercase())
        .as_deref()
    {
        Some("right") => "right_of",
        Some("left") => "left_of",
        Some("up") => "above",
        Some("down") => "below",
        _ => "inside",
    };
    Some(element(&rest)?.beside(relation, &outer))
}

/// Reads `AppiumBy.ID, "save"`. Returns `None` for other texts, and for constants of no property.
fn by_constant(text: &str) -> Option<Element> {
    static CONSTANT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"\b(?:AppiumBy|MobileBy|By)\.([A-Z_]+)\s*,\s*(?:"([^"]+)"|'([^']+)')"#)
    });
    let found = CONSTANT.captures(text)?;
    let value = found.get(2).or(found.get(3))?;
    Some(Element::new(property(&found[1])?, bare_id(value.as_str())))
}

/// Reads calls such as `withId(R.id.save)`, `getByText('Save')` and `getByRole('button', { name: 'Save' })`. Returns
/// `None` for other texts.
fn by_call(text: &str) -> Option<Element> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?i)\b(?:find\.)?((?:find_?elements?_?by|on_?all_?nodes_?with|on_?node_?with|get_?all_?by|get_?by|find_?all_?by|find_?by|query_?by|(?:ui_?)?selector\(\)\.|(?:appium|mobile)?by\.|by|with|has)_?(?:test_?id|resource_?id|res|id|test_?tag|tag|link_?text|text|content_?description|content_?desc|accessibility_?id|accessibility_?label|description|desc|label_?text|label|placeholder_?text|placeholder|alt_?text|class_?name|clazz))\(\s*(?:R\.id\.(\w+)|"([^"]+)"|'([^']+)')"#,
        )
    });
    static ROLE: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"(?i)by_?role\(.*?\bname['"]?\s*[:=]\s*(?:"([^"]+)"|'([^']+)')"#));
    static KEY: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"(?i)\bkey\(\s*(?:"([^"]+)"|'([^']+)')\s*\)"#));
    static FLUTTER: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"\bfind\.text\(\s*(?:"([^"]+)"|'([^']+)')"#));
    static CONTAINS: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"\bcy\.contains\(\s*(?:"([^"]+)"|'([^']+)')\s*\)"#));
    if let Some(found) = CALL.captures(text) {
        let value = found.get(2).or(found.get(3)).or(found.get(4))?;
        // `selector().text` has a bracket, so only its last part counts.
        let name = found[1].rsplit('.').next().unwrap_or_default();
        return Some(Element::new(property(name)?, bare_id(value.as_str())));
    }
    let value = |pattern: &Regex| {
        let found = pattern.captures(text)?;
        let value = found.get(1).or(found.get(2))?;
        Some(value.as_str().to_owned())
    };
    let role = || value(&ROLE).map(|name| Element::new("text", &name));
    let key = || value(&KEY).map(|key| Element::new("id", &key));
    let flutter = || value(&FLUTTER).map(|text| Element::new("text", &text));
    let contains = || value(&CONTAINS).map(|text| Element::containing(&text));
    role().or_else(key).or_else(flutter).or_else(contains)
}

/// Reads locators by their signs: `'#save'`, `'~Save'`, `[data-testid=save]`, `text="Save"`, `["Save"]`. Returns
/// `None` for other texts.
fn by_sign(text: &str) -> Option<Element> {
    static SIGNS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
        let signs = [
            ("id", r#"['"](?:id=|[\w.]+:id/|id/|#)([A-Za-z_][\w-]*)['"]"#),
            ("desc", r#"['"]~([^'"]+)['"]"#),
            ("text", r#"['"]text=([^'"]+)['"]"#),
            (
                "id",
                r#"\[data-(?:test-?id|test|cy|qa)\s*=\s*\\?['"]?([\w.-]+)"#,
            ),
            (
                "id",
                r#"\b(?i:resource_?id|resource-id|test_?id)\s*=\s*\\?['"]([^'"\\]+)"#,
            ),
            ("text", r#"\btext\s*=\s*\\?['"]([^'"\\]+)"#),
            (
                "desc",
                r#"\b(?i:content-desc|content_?description|description)\s*=\s*\\?['"]([^'"\\]+)"#,
            ),
            ("text", r#"\w\[\s*['"]([^'"\]]+)['"]\s*\]"#),
        ];
        let signs = signs.into_iter();
        signs.map(|(key, sign)| (key, regex(sign))).collect()
    });
    SIGNS.iter().find_map(|(key, sign)| {
        let found = sign.captures(text)?;
        Some(Element::new(key, bare_id(&found[1])))
    })
}

/// Returns the index from 0 in calls such as `.nth(1)` and `.first()`; `None` if there is no such call.
fn index(text: &str) -> Option<u32> {
    static INDEX: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\.(?:nth|eq|at|atIndex|instance)\(\s*(\d{1,4})\s*\)"));
    if let Some(found) = INDEX.captures(text) {
        return found[1].parse().ok();
    }
    text.contains(".first()").then_some(0)
}

/// Returns an id without its package: `save` of `com.example:id/save`. Other texts stay.
fn bare_id(text: &str) -> &str {
    text.rsplit_once(":id/").map_or(text, |(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_call_says_what_is_done() {
        for (written, ours) in [
            (
                r#"driver.find_element(AppiumBy.ID, "sign_in").click()"#,
                "`click: { id: sign_in }`",
            ),
            (
                r#"driver.findElement(By.id("com.a:id/user")).sendKeys("ada");"#,
                "`type: { into: { id: user }, text: ada }`",
            ),
            (
                r#"onView(withText("Sign in")).perform(click())"#,
                "`click: Sign in`",
            ),
            (
                r#"onView(withId(R.id.user)).perform(typeText("ada"), closeSoftKeyboard())"#,
                "`type: { into: { id: user }, text: ada }`",
            ),
            (
                r"onView(withId(R.id.user)).check(matches(not(isDisplayed())))",
                "`assert not visible: { id: user }`",
            ),
            (
                r#"onView(withId(R.id.user)).check(matches(withText("ada")))"#,
                "`assert: { id: user, text: ada }`",
            ),
            ("cy.get('#sign_in').click()", "`click: { id: sign_in }`"),
            (
                "cy.get('#a').should('not.be.visible')",
                "`assert not visible: { id: a }`",
            ),
            (
                "cy.get('#a').should('contain.text', 'x')",
                "`assert: { id: a, text: { contains: x } }`",
            ),
            (
                "page.getByRole('button', { name: 'Sign in' }).click()",
                "`click: Sign in`",
            ),
            (
                "expect(page.getByText('Welcome')).not.toBeVisible()",
                "`assert not visible: Welcome`",
            ),
            (
                "composeTestRule.onNodeWithTag(\"user\").performTextInput(\"ada\")",
                "`type: { into: { id: user }, text: ada }`",
            ),
            ("d(resourceId=\"save\").click()", "`click: { id: save }`"),
            ("app.buttons[\"Sign in\"].tap()", "`click: Sign in`"),
            ("$('~Save').click()", "`click: { desc: Save }`"),
            (
                "page.locator('#row').nth(1).click()",
                "`click: { id: row, index: 1 }`",
            ),
            (
                "element(by.id('save')).longPress()",
                "`long_click: { id: save }`",
            ),
            ("driver.findElement(button).click()", "`click: …`"),
            (
                "d(resourceId=\"list\").child(text=\"Milk\").click()",
                "`click: { text: Milk, inside: { id: list } }`",
            ),
            (
                "driver.findElement(By.id(\"list\")).findElement(By.id(\"row\")).click()",
                "`click: { id: row, inside: { id: list } }`",
            ),
            (
                "page.getByTestId('list').getByText('Milk').click()",
                "`click: { text: Milk, inside: { id: list } }`",
            ),
            (
                "d(text=\"Wifi\").right(resourceId=\"switch\").click()",
                "`click: { id: switch, right_of: { text: Wifi } }`",
            ),
            (
                "assertTrue(driver.findElement(By.id(\"save\")).isDisplayed())",
                "`assert visible: { id: save }`",
            ),
        ] {
            assert_eq!(advice(written).as_deref(), Some(ours), "{written}");
        }
    }

    #[test]
    fn a_single_call_without_an_element_is_left_to_others() {
        for written in ["click(\"Save\")", "launch()", "driver.back()", "foo(bar())"] {
            assert_eq!(advice(written), None, "{written}");
        }
    }
}
