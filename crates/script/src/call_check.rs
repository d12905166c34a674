//! Finds calls in scripts that will fail at run time: hosts that are not allowed, names that `faker` does not
//! have, files in forms. It searches the text and runs nothing.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::faker::FakeData;
use runner_tools::everyday::{allowing_setting, unlisted_host};

static HTTP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"\bhttp\s*\.\s*(?:get|post|put|delete|request)\s*\(\s*["'`](https?://[^"'`$/?#\s]+)["'`/?#]"#,
    )
    .ok()
});
static FAKER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bfaker\s*\.\s*(\w+)\s*\((?:\s*\)\s*\.\s*(\w+)\s*\()?").ok());
static FORM_FILE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\bfilePath\s*:").ok());

/// Returns the byte range and explanation of each call that will fail: an `http` call of an unlisted host, an unknown
/// name of `faker`, `filePath` in a script with `multipartForm`. Only literal arguments are judged; other calls count
/// as fine. A range is that of the host, of the group's name or of `filePath`; they come in this order of kinds.
/// Comments are skipped; texts are not.
pub(super) fn find_failing_calls(
    script: &str,
    http_hosts: &[String],
) -> Vec<(Range<usize>, String)> {
    let script = without_comments(script);
    let mut found = Vec::new();
    for call in HTTP.iter().flat_map(|http| http.captures_iter(&script)) {
        let Some(url) = call.get(1) else { continue };
        if let Some(host) = unlisted_host(http_hosts, url.as_str()) {
            let setting = allowing_setting(&host);
            let why =
                format!("the host `{host}` is not allowed; `{setting}` in runner.yaml allows it");
            found.push((url.range(), why));
        }
    }
    for call in FAKER.iter().flat_map(|faker| faker.captures_iter(&script)) {
        let Some(group) = call.get(1) else { continue };
        let name = call.get(2).map(|name| name.as_str());
        if let Err(error) = FakeData::knows(group.as_str(), name) {
            found.push((group.range(), error.to_string()));
        }
    }
    if script.contains("multipartForm") {
        let files = FORM_FILE.iter().flat_map(|form| form.find_iter(&script));
        found.extend(files.map(|file| {
            let why = "scripts have no files here: a form with `filePath` is an error";
            (file.range(), why.to_owned())
        }));
    }
    found
}

/// Replaces each byte of comments by a blank, so that byte offsets and line breaks stay. What looks like a comment
/// in quotes stays too; quotes but those of templates end with their line. An unclosed comment reaches to the end.
fn without_comments(script: &str) -> String {
    let mut text = script.as_bytes().to_vec();
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied();
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if open == byte => quote = None,
            // Only templates span lines. So a quote in a regular expression ends at the end of its line.
            (Some(open), b'\n') if open != b'`' => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'/') if matches!(next, Some(b'/' | b'*')) => {
                let rest = &script.as_bytes()[at..];
                let end = if next == Some(b'/') {
                    rest.iter().position(|byte| *byte == b'\n')
                } else {
                    let close = rest.windows(2).skip(2).position(|two| two == b"*/");
                    close.map(|close| close + 4)
                };
                let end = end.map_or(text.len(), |end| at + end);
                for byte in &mut text[at..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    // Cannot fail: only whole characters are blanked.
    String::from_utf8(text).unwrap_or_else(|_| script.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m5_what_scripts_ask_for_in_vain_is_told_and_nothing_else() {
        let hosts = ["api.example.com".to_owned()];
        for (script, words) in [
            ("http.get('https://api.example.com/a')", None),
            ("http.get(API + '/a')", None),
            ("http.get(`https://${HOST}/a`)", None),
            ("http.get(`https://x.${HOST}/a`)", None),
            (
                "http.post('https://other.example.com/a', {})",
                Some("`other.example.com` is not allowed"),
            ),
            (
                "http . request ( `https://other.example.com/${id}` )",
                Some("is not allowed"),
            ),
            ("// http.get('https://other.example.com/')\n1", None),
            ("/* é http.get('https://other.example.com/') */ 1", None),
            (
                "var a = 'http://x/'; http.get('https://other.example.com')",
                Some("is not allowed"),
            ),
            (
                "var r = /['\"]/\nhttp.get('https://other.example.com') // '",
                Some("is not allowed"),
            ),
            ("faker.name().firstName()", None),
            ("faker.numerify('##') + faker.expression('#{x}')", None),
            ("var n = faker.name(); n.firstName()", None),
            ("faker.hobbit().character()", Some("faker has no `hobbit`")),
            ("faker.name().nick()", Some("faker has no `name.nick`")),
            (
                "http.post(A, { multipartForm: { a: { filePath: 'a.png' } } })",
                Some("`filePath` is an error"),
            ),
            ("var a = { filePath: 1 }", None),
        ] {
            let found = find_failing_calls(script, &hosts);
            match words {
                None => assert_eq!(found, [], "{script}"),
                Some(words) => {
                    assert_eq!(found.len(), 1, "{script}: {found:?}");
                    assert!(found[0].1.contains(words), "{script}: {found:?}");
                }
            }
        }
    }
}
