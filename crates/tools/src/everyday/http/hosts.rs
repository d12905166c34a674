//! Hosts that requests may reach.

use http::Uri;
use http::uri::Scheme;

use super::url::read_uri;

/// Returns the URL's host if flows and scripts may not reach it. `None` if they may, or if the text is no
/// URL.
pub fn unlisted_host(hosts: &[String], url: &str) -> Option<String> {
    let uri = read_uri(url).ok()?;
    let host = (!is_listed(hosts, &uri)).then(|| uri.host())?;
    host.map(str::to_owned)
}

/// Returns the setting of runner.yaml that allows a host. An IPv6 address is quoted, as its brackets would be a list.
pub fn allowing_setting(host: &str) -> String {
    let quote = if host.starts_with('[') { "'" } else { "" };
    format!("http: {{ hosts: [{quote}{host}{quote}] }}")
}

/// Returns the port of a URL, by default 443 for `https` and 80 otherwise.
pub(super) fn port(uri: &Uri) -> u16 {
    let usual = if uri.scheme() == Some(&Scheme::HTTPS) {
        443
    } else {
        80
    };
    uri.port_u16().unwrap_or(usual)
}

/// Returns true if the host is listed, either alone, which permits every port, or with this port. Case does
/// not count. A URL without port has port 443 for `https` and 80 otherwise.
pub(super) fn is_listed(hosts: &[String], uri: &Uri) -> bool {
    let Some(host) = uri.host() else {
        return false;
    };
    let with_port = format!("{host}:{}", port(uri));
    hosts
        .iter()
        .any(|listed| listed.eq_ignore_ascii_case(host) || listed.eq_ignore_ascii_case(&with_port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_listed_alone_or_with_a_port() {
        let hosts = ["api.example.com", "localhost:8080", "[::1]"].map(str::to_owned);
        for (url, listed) in [
            ("https://api.example.com/a", true),
            ("http://API.example.com:81", true),
            ("http://localhost:8080/", true),
            ("http://[::1]:8080/", true),
            ("http://[::2]/", false),
            ("http://localhost/", false),
            ("http://localhost:80801/", false),
            ("https://evil.com/api.example.com", false),
            ("https://api.example.com.evil.com/", false),
            ("https://x.api.example.com/", false),
        ] {
            let found = read_uri(url).is_ok_and(|uri| is_listed(&hosts, &uri));
            assert_eq!(found, listed, "{url}");
        }
        for url in [
            "ftp://a/b",
            "api.example.com",
            "http://",
            "http://a@api.example.com/",
            "",
        ] {
            assert!(read_uri(url).is_err(), "{url}");
        }
    }
}
