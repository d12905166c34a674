//! Intent filters of an app, its activities and links for other apps, from the table by which the system finds who takes an intent.

use std::time::Duration;

use crate::questions::ask_texts;
use crate::{Device, DeviceError, quote};

/// Activities of an app that have an intent filter, and the links that they take. Each is listed once, in the order
/// of the system's table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntentFilters {
    /// Names of the activities as components have them, such as `.Main`. Others of the app are not listed, as
    /// nobody else starts them.
    pub activities: Vec<String>,
    /// Schemes of links, such as `notes`.
    pub schemes: Vec<String>,
    /// Links by scheme, host and path, such as `notes://inbox` and `notes://note/*`; a `*` is any text, and without a path
    /// each one will do.
    pub links: Vec<String>,
}

/// What one intent filter says of links, as AOSP's `IntentFilter.java` prints it in `dump`.
#[derive(Default)]
struct LinkFilter<'t> {
    schemes: Vec<&'t str>,
    /// Hosts, with a port if one is given.
    hosts: Vec<String>,
    /// Paths, with `*` for any text.
    paths: Vec<String>,
}

impl<'t> LinkFilter<'t> {
    /// Reads a line of the filter: `Scheme: "notes"`, `Authority: "inbox": -1`, `Path: "PatternMatcher{PREFIX: /a}"`. All
    /// others change nothing.
    fn read(&mut self, line: &'t str) {
        let Some((name, value)) = line.split_once(": \"") else {
            return;
        };
        match name {
            "Scheme" => self.schemes.extend(value.strip_suffix('"')),
            "Authority" => self.hosts.extend(host(value)),
            "Path" => self.paths.extend(path(value)),
            _ => {}
        }
    }

    /// Iterates over each link of the filter; over none without a scheme.
    fn links(&self) -> impl Iterator<Item = String> {
        let any = vec![String::new()];
        let paths = if self.paths.is_empty() {
            &any
        } else {
            &self.paths
        };
        let behind: Vec<String> = if self.hosts.is_empty() {
            vec!["*".to_owned()]
        } else {
            let each = self.hosts.iter().flat_map(|host| {
                let whole = paths.iter().map(move |path| format!("//{host}{path}"));
                whole.collect::<Vec<_>>()
            });
            each.collect()
        };
        self.schemes.iter().flat_map(move |scheme| {
            let links = behind.iter().map(|behind| format!("{scheme}:{behind}"));
            links.collect::<Vec<_>>()
        })
    }
}

/// Returns the host behind `Authority: "`, such as `inbox": -1`, with its port unless that is `-1`. One for all below a
/// domain begins with `*`.
fn host(value: &str) -> Option<String> {
    let (host, rest) = value.split_once("\": ")?;
    let wild = if rest.ends_with(" WILD") { "*" } else { "" };
    let port = rest.split(' ').next().filter(|port| *port != "-1");
    let port = port.map_or_else(String::new, |port| format!(":{port}"));
    Some(format!("{wild}{host}{port}"))
}

/// Returns the path behind `Path: "`, such as `PatternMatcher{PREFIX: /a}"`, with `*` for any text. `None` for a pattern of
/// another kind.
fn path(value: &str) -> Option<String> {
    let pattern = value.strip_prefix("PatternMatcher{")?.strip_suffix("}\"")?;
    let (kind, path) = pattern.split_once(": ")?;
    match kind {
        "LITERAL" => Some(path.to_owned()),
        "PREFIX" => Some(format!("{path}*")),
        "SUFFIX" => Some(format!("*{path}")),
        "GLOB" => Some(path.replace(".*", "*")),
        _ => None,
    }
}

impl IntentFilters {
    /// Returns true if nothing is listed, as for a package that is not installed.
    pub fn is_empty(&self) -> bool {
        self.activities.is_empty() && self.schemes.is_empty()
    }

    /// Adds the links of one filter. A filter stands below each of its schemes, and counts once.
    fn add_links(&mut self, filter: &LinkFilter<'_>) {
        for link in filter.links() {
            push_new(&mut self.links, &link);
        }
    }
}

/// Asks what an app offers, in one round trip of at most `limit`. Empty if the app is not installed, offers nothing,
/// the command fails, or the device has no shell.
///
/// # Errors
/// Fails if the device does not answer in time.
pub async fn intent_filters(
    device: &dyn Device,
    package: &str,
    limit: Duration,
) -> Result<IntentFilters, DeviceError> {
    if device.system().is_some_and(|system| !system.has_shell()) {
        return Ok(IntentFilters::default());
    }
    let question = format!("dumpsys package {} 2>/dev/null", quote(package));
    let [text] = ask_texts(device, "dumpsys package", [question.as_str()], limit).await?;
    Ok(read(&text, package))
}

/// Parses the table of activities of `dumpsys package`. Each line of an activity is `HASH PACKAGE/ACTIVITY filter
/// HASH`, with its data in the lines below; those of other packages are left out. Links stand below `Schemes:`, each
/// scheme as a title with its activities. Sections stand at two spaces, titles at six and activities at eight (AOSP
/// `IntentResolver.java`, `dumpMap`).
fn read(text: &str, package: &str) -> IntentFilters {
    let mut filters = IntentFilters::default();
    let (mut is_table, mut is_schemes, mut is_own) = (false, false, false);
    let mut filter = LinkFilter::default();
    for line in text.lines() {
        let words = line.trim();
        match line.len() - line.trim_start().len() {
            _ if words.is_empty() => continue,
            0 => is_table = words == "Activity Resolver Table:",
            2 => is_schemes = words == "Schemes:",
            _ => {}
        }
        if !is_table {
            continue;
        }
        let scheme = words.strip_suffix(':').filter(|_| is_schemes);
        if let Some(scheme) = scheme.filter(|scheme| *scheme != "Schemes") {
            push_new(&mut filters.schemes, scheme);
        }
        if words.split_whitespace().nth(2) == Some("filter") {
            let activity = activity_in(words, package);
            is_own = activity.is_some();
            filters.add_links(&std::mem::take(&mut filter));
            if let Some(activity) = activity {
                push_new(&mut filters.activities, activity);
            }
        } else if is_own {
            filter.read(words);
        }
    }
    filters.add_links(&filter);
    filters
}

/// Returns the activity of a line, if it is one of the package; else `None`.
fn activity_in<'l>(line: &'l str, package: &str) -> Option<&'l str> {
    let mut words = line.split_whitespace();
    let (owner, activity) = words.nth(1)?.split_once('/')?;
    (owner == package && words.next() == Some("filter")).then_some(activity)
}

fn push_new(list: &mut Vec<String>, name: &str) {
    if !list.iter().any(|known| known == name) {
        list.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table in the form of AOSP's `IntentResolver.java`.
    const TABLES: &str = r#"Activity Resolver Table:
  Full MIME Types:
      text/plain:
        b4d9c8 com.example.notes/.Share filter 5f1ce61
          Action: "android.intent.action.SEND"
          StaticType: "text/plain"

  Schemes:
      notes:
        1f2e3d com.example.notes/.Inbox filter 77aa
          Action: "android.intent.action.VIEW"
          Scheme: "notes"
          Authority: "inbox": -1
        1f2e3d com.example.notes/.Note filter 77ad
          Scheme: "notes"
          Scheme: "https"
          Authority: "note": -1
          Authority: ".example.com": 8080 WILD
          Path: "PatternMatcher{PREFIX: /a}"
          Path: "PatternMatcher{GLOB: /b/.*}"
        77aabb com.example.other/.Main filter 99aa
          Scheme: "notes"
          Authority: "other": -1
      https:
        1f2e3d com.example.notes/.Note filter 77ad
          Scheme: "notes"
          Scheme: "https"
          Authority: "note": -1
          Authority: ".example.com": 8080 WILD
          Path: "PatternMatcher{PREFIX: /a}"
          Path: "PatternMatcher{GLOB: /b/.*}"
        1f2e3d com.example.notes/.Inbox filter 77ab
          Scheme: "https"

  Non-Data Actions:
      android.intent.action.MAIN:
        43a1f7 com.example.notes/com.example.ui.SignIn filter 9b0c
          Action: "android.intent.action.MAIN"
          Category: "android.intent.category.LAUNCHER"

Receiver Resolver Table:
  Schemes:
      package:
        aa11 com.example.notes/.Receiver filter 0c0d

Packages:
  Package [com.example.notes] (2036fd1):
    appId=10100
"#;

    #[test]
    fn activities_and_links_are_those_of_the_table_of_activities() {
        let filters = read(TABLES, "com.example.notes");
        assert_eq!(
            filters.activities,
            [".Share", ".Inbox", ".Note", "com.example.ui.SignIn"]
        );
        assert_eq!(filters.schemes, ["notes", "https"]);
        assert_eq!(
            filters.links,
            [
                "notes://inbox",
                "notes://note/a*",
                "notes://note/b/*",
                "notes://*.example.com:8080/a*",
                "notes://*.example.com:8080/b/*",
                "https://note/a*",
                "https://note/b/*",
                "https://*.example.com:8080/a*",
                "https://*.example.com:8080/b/*",
                "https:*",
            ]
        );
    }

    #[test]
    fn other_packages_and_other_answers_offer_nothing() {
        assert_eq!(read(TABLES, "com.example").activities, [""; 0]);
        for text in ["", "Unable to find package: com.example.notes\n"] {
            assert!(read(text, "com.example.notes").is_empty(), "{text}");
        }
    }
}
