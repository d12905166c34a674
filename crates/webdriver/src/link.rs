//! Addresses of sessions that are shown to people.

/// Returns an address that is safe to show: `http` or `https`, cut before its query or fragment, as servers
/// put tokens there. `None` if the text is no such address, has a user or password, a character that no
/// address has, or more than [`MAX_LINK_BYTES`].
pub(crate) fn public_link(text: &str) -> Option<String> {
    let text = text.split(['?', '#']).next()?;
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))?;
    let host = rest.split('/').next()?;
    let is_plain = |letter: char| letter.is_ascii_graphic() && !"\"<>\\^`{|}".contains(letter);
    let is_link = !host.is_empty() && !host.contains('@') && text.chars().all(is_plain);
    (is_link && text.len() <= MAX_LINK_BYTES).then(|| text.to_owned())
}

/// Limit for an address, in bytes. Chosen: real addresses of sessions have one or two hundred.
const MAX_LINK_BYTES: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_hold_no_credentials() {
        for (text, expected) in [
            ("https://a.example/b/1", Some("https://a.example/b/1")),
            ("http://127.0.0.1:4444/x", Some("http://127.0.0.1:4444/x")),
            ("https://a.example/v?token=abc", Some("https://a.example/v")),
            ("https://a.example/#x", Some("https://a.example/")),
            ("https://user:key@a.example/", None),
            ("https://user@a.example", None),
            ("https:///x", None),
            ("javascript:alert(1)", None),
            ("https://a.example/\"><script>", None),
            ("https://a.example/a b", None),
            ("ftp://a.example", None),
            ("", None),
        ] {
            assert_eq!(public_link(text).as_deref(), expected, "{text}");
        }
        assert_eq!(
            public_link(&format!("https://a/{}", "x".repeat(2000))),
            None
        );
    }
}
