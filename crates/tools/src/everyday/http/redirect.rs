//! Resolves targets of redirects, and decides what goes along to them.

use http::header::{ACCEPT, ACCEPT_LANGUAGE, USER_AGENT};
use http::{HeaderMap, Uri};

use super::hosts::port;
use runner_text::percent::encoded;

/// Characters of a URL besides the unreserved ones, and the `%` of what is encoded already. Servers send other
/// characters too, which browsers encode.
const RESERVED: &[u8] = b":/?#[]@!$&'()*+,;=%";

/// Returns the address that a `Location` names at the address `base`, as RFC 3986, 5.2 says: a whole URL, or one that
/// begins with `//`, with a path, absolute or relative, or with a query. Its fragment is left out, as servers get none.
/// `None` if it is empty, is no UTF-8, or leads to no host by `http` or `https`.
pub(super) fn resolve(base: &Uri, location: &[u8]) -> Option<Uri> {
    let location = encoded(std::str::from_utf8(location.trim_ascii()).ok()?, RESERVED);
    let reference = location.split('#').next().filter(|it| !it.is_empty())?;
    let scheme = base.scheme_str()?;
    let root = format!("{scheme}://{}", base.authority()?);
    let path = base.path();
    let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
    let whole = match reference.chars().next()? {
        _ if has_scheme(reference) => reference.to_owned(),
        '/' if reference.starts_with("//") => format!("{scheme}:{reference}"),
        '/' => format!("{root}{reference}"),
        '?' => format!("{root}{path}{reference}"),
        _ => format!("{root}{folder}{reference}"),
    };
    let to: Uri = whole.parse().ok()?;
    let is_web = matches!(to.scheme_str(), Some("http" | "https"));
    let has_host = to.host().is_some_and(|host| !host.is_empty());
    if !is_web || !has_host {
        return None;
    }
    let query = to.query().map(|query| format!("?{query}"));
    let path = format!("{}{}", without_dots(to.path()), query.unwrap_or_default());
    let mut parts = to.into_parts();
    parts.path_and_query = Some(path.parse().ok()?);
    Uri::from_parts(parts).ok()
}

/// Returns true if a reference begins with a scheme: a colon comes before any `/` and `?`.
fn has_scheme(reference: &str) -> bool {
    let end = reference.find([':', '/', '?']);
    end.is_some_and(|end| reference[end..].starts_with(':'))
}

/// Removes the segments `.` and `..` from an absolute path, each `..` with the segment before it.
fn without_dots(path: &str) -> String {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let mut kept = Vec::new();
    for segment in &segments {
        match *segment {
            "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    // A path that ends with dots names a folder.
    if matches!(segments.last(), Some(&("." | ".."))) {
        kept.push("");
    }
    format!("/{}", kept.join("/"))
}

/// Returns true if a redirect stays on one server, which may get all that the first request had: the same host and port
/// with the same scheme, or with `https` in place of `http`, both at their usual ports.
pub(super) fn is_same_server(from: &Uri, to: &Uri) -> bool {
    let host = |uri: &Uri| uri.host().map(str::to_ascii_lowercase);
    let address = |uri: &Uri| (uri.scheme().cloned(), port(uri));
    let schemes = (from.scheme_str(), to.scheme_str());
    let becomes_safe =
        schemes == (Some("http"), Some("https")) && (port(from), port(to)) == (80, 443);
    host(from) == host(to) && (address(from) == address(to) || becomes_safe)
}

/// Returns those headers that another server may get. All but a few may hold a key, under whatever name.
pub(super) fn harmless(headers: &HeaderMap) -> HeaderMap {
    let names = [ACCEPT, ACCEPT_LANGUAGE, USER_AGENT].into_iter();
    let kept = names.filter_map(|name| {
        let value = headers.get(&name)?.clone();
        Some((name, value))
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of RFC 3986, 5.4, and what servers send besides.
    #[test]
    fn targets_are_resolved_as_the_standard_says() {
        let base: Uri = "http://a/b/c/d;p?q".parse().unwrap();
        for (location, expected) in [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g/"),
            ("//g:81/h?y", "http://g:81/h?y"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", ""),
            ("g#s", "http://a/b/c/g"),
            ("g?y#s", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y"),
            ("", ""),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("..g", "http://a/b/c/..g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("HTTPS://g/x/../y", "https://g/y"),
            ("http://g", "http://g/"),
            ("/\u{f6} b", "http://a/%C3%B6%20b"),
            ("/a%20b", "http://a/a%20b"),
            (" /g ", "http://a/g"),
            ("g:h", ""),
            ("ftp://a/g", ""),
            ("file:///g", ""),
            ("http:///g", ""),
            ("//", ""),
        ] {
            let found = resolve(&base, location.as_bytes()).map(|to| to.to_string());
            assert_eq!(found.unwrap_or_default(), expected, "{location:?}");
        }
        assert_eq!(resolve(&base, b"/\xff"), None);
    }

    #[test]
    fn only_the_same_server_gets_what_was_sent() {
        for (from, to, same) in [
            ("http://a/x", "http://A:80/y", true),
            ("https://a/x", "https://a:443/y", true),
            ("http://a/x", "https://a/y", true),
            ("http://[::1]:1/", "http://[::1]:1/y", true),
            ("http://a:81/x", "https://a/y", false),
            ("http://a/x", "https://a:444/y", false),
            ("https://a/x", "http://a/y", false),
            ("http://a:1/x", "http://a:2/x", false),
            ("http://a/x", "http://b.a/x", false),
        ] {
            let (from, to): (Uri, Uri) = (from.parse().unwrap(), to.parse().unwrap());
            assert_eq!(is_same_server(&from, &to), same, "{from} {to}");
        }
    }

    #[test]
    fn keys_under_any_name_stay() {
        let mut headers = HeaderMap::new();
        for name in ["accept", "authorization", "cookie", "x-api-key", "host"] {
            headers.insert(name, http::HeaderValue::from_static("v"));
        }
        let kept = harmless(&headers);
        let names: Vec<&str> = kept.keys().map(http::HeaderName::as_str).collect();
        assert_eq!(names, ["accept"]);
    }
}
