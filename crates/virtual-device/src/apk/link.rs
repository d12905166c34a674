//! Links that the activities of an APK handle, from their `<intent-filter>` elements with `VIEW` and
//! `<data>`.

/// Links that one activity handles by one of its intent filters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApkLink {
    /// Full name of the activity's class.
    pub activity: String,
    /// Schemes, such as `https`.
    pub schemes: Vec<String>,
    /// Hosts; an empty list matches all. A host that begins with `*` fits every host with the rest as its end.
    pub hosts: Vec<String>,
    /// Paths; an empty list matches all.
    pub paths: Vec<ApkPath>,
}

/// Pattern for the path of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApkPath {
    /// The path is equal to this.
    Whole(String),
    /// The path begins with this.
    Prefix(String),
    /// Android's simple pattern: `.` is any character, `*` repeats the character before it any number of
    /// times.
    Pattern(String),
}

impl ApkLink {
    /// Returns true if the activity handles a link. The scheme must be a known one. Without hosts or paths in the
    /// filter, any will do; a host that begins with `*` fits every host with that end. Scheme and host are compared
    /// without case, the path with it; user, port, query and fragment are ignored.
    pub fn takes(&self, uri: &str) -> bool {
        let Some((scheme, rest)) = uri.split_once(':') else {
            return false;
        };
        if !self
            .schemes
            .iter()
            .any(|known| known.eq_ignore_ascii_case(scheme))
        {
            return false;
        }
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let rest = rest.split(['?', '#']).next().unwrap_or(rest);
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let host = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
        let takes_host = |known: &String| match known.strip_prefix('*') {
            Some(end) => host.ends_with(&end.to_ascii_lowercase()),
            None => host == known.to_ascii_lowercase(),
        };
        (self.hosts.is_empty() || self.hosts.iter().any(takes_host))
            && (self.paths.is_empty() || self.paths.iter().any(|known| known.takes(path)))
    }
}

impl ApkPath {
    /// Returns true if the path fits. In a pattern `.` is any character, `*` repeats the one before, and `\` takes the
    /// next one as it is; the pattern must fit the whole path. A pattern that begins with `*` fits nothing.
    fn takes(&self, path: &str) -> bool {
        match self {
            Self::Whole(whole) => path == whole,
            Self::Prefix(prefix) => path.starts_with(prefix.as_str()),
            Self::Pattern(pattern) => {
                let mut regex = String::from("^");
                let mut letters = pattern.chars();
                while let Some(letter) = letters.next() {
                    match letter {
                        '.' | '*' => regex.push(letter),
                        '\\' => regex
                            .extend(letters.next().map(|next| regex::escape(&next.to_string()))),
                        other => regex.push_str(&regex::escape(&other.to_string())),
                    }
                }
                regex.push('$');
                regex::Regex::new(&regex).is_ok_and(|regex| regex.is_match(path))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_taken_by_scheme_host_and_path() {
        let link = |hosts: &[&str], paths: &[ApkPath]| ApkLink {
            activity: "a.B".to_owned(),
            schemes: vec!["https".to_owned(), "shop".to_owned()],
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            paths: paths.to_vec(),
        };
        let prefix = ApkPath::Prefix("/item".to_owned());
        let pattern = ApkPath::Pattern("/i.*/a\\*b".to_owned());
        for (link, uri, taken) in [
            (link(&[], &[]), "shop:any", true),
            (link(&[], &[]), "http://a.b/", false),
            (link(&[], &[]), "no link", false),
            (
                link(&["example.com"], &[]),
                "https://Example.com:8080/x?y#z",
                true,
            ),
            (link(&["example.com"], &[]), "https://u@example.com", true),
            (
                link(&["example.com"], &[]),
                "https://other.com/example.com",
                false,
            ),
            (
                link(&["*.example.com"], &[]),
                "https://a.example.com/",
                true,
            ),
            (link(&["*.example.com"], &[]), "https://example.com/", false),
            (
                link(&["h"], std::slice::from_ref(&prefix)),
                "shop://h/item/7",
                true,
            ),
            (
                link(&["h"], std::slice::from_ref(&prefix)),
                "shop://h/",
                false,
            ),
            (
                link(&["h"], &[ApkPath::Whole("/a".to_owned())]),
                "shop://h/ab",
                false,
            ),
            (
                link(&["h"], std::slice::from_ref(&pattern)),
                "shop://h/idem/a*b",
                true,
            ),
            (
                link(&["h"], std::slice::from_ref(&pattern)),
                "shop://h/idem/aab",
                false,
            ),
        ] {
            assert_eq!(link.takes(uri), taken, "{link:?} {uri}");
        }
    }
}
