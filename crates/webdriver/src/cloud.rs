//! Scripts and addresses of device clouds: naming a session, reporting a result, finding its page. Sends
//! nothing.
//!
//! A cloud takes the name and the result of a test as a script of `execute/sync`, which it does not pass on
//! to the device. The forms are those of its own documents; docs/guide/farms.md says which.

use serde_json::{Value, json};

use crate::link::public_link;
use runner_device::remote::{FlowResult, RemoteSession};

/// Whose server lends the device.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Cloud {
    /// `BrowserStack` App Automate.
    Browserstack,
    /// Sauce Labs.
    Sauce,
    /// `LambdaTest`, also called `TestMu` AI.
    Lambdatest,
    /// A server of one's own, which is told nothing: Appium, a Selenium Grid.
    #[default]
    None,
}

/// Clouds by the domains of their hubs.
const DOMAINS: [(&str, Cloud); 3] = [
    ("browserstack.com", Cloud::Browserstack),
    ("saucelabs.com", Cloud::Sauce),
    ("lambdatest.com", Cloud::Lambdatest),
];

impl Cloud {
    /// Recognizes the cloud by the host of a hub's address: a known domain or below it, without regard to
    /// case. All others are [`Self::None`].
    pub fn from_url(url: &str) -> Self {
        let host = host_of(url).to_ascii_lowercase();
        let is_below = |domain: &str| {
            host.strip_suffix(domain)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let known = DOMAINS.iter().find(|(domain, _)| is_below(domain));
        known.map_or(Self::None, |(_, cloud)| *cloud)
    }

    /// Returns the script that names a session, with the name in one line. `None` without a cloud.
    pub fn name_script(self, name: &str) -> Option<String> {
        let name = one_line(name);
        match self {
            Self::Browserstack => Some(browserstack("setSessionName", &json!({ "name": name }))),
            Self::Sauce => Some(format!("sauce:job-name={name}")),
            Self::Lambdatest => Some(format!("lambda-name={name}")),
            Self::None => None,
        }
    }

    /// Returns the script that sets a session's result, passed or failed. Only `BrowserStack` takes a reason,
    /// in one line. `None` without a cloud.
    pub fn result_script(self, result: &FlowResult) -> Option<String> {
        let status = if result.passed { "passed" } else { "failed" };
        match self {
            Self::Browserstack => {
                let reason = result.reason.as_deref().map(one_line).unwrap_or_default();
                let arguments = json!({ "status": status, "reason": reason });
                Some(browserstack("setSessionStatus", &arguments))
            }
            Self::Sauce => Some(format!("sauce:job-result={status}")),
            Self::Lambdatest => Some(format!("lambda-status={status}")),
            Self::None => None,
        }
    }

    /// Returns the script that asks for the session's page, for clouds where its address does not follow from
    /// the id. The answer goes to [`Cloud::session`].
    pub fn details_script(self) -> Option<&'static str> {
        (self == Self::Browserstack)
            .then_some(r#"browserstack_executor: {"action": "getSessionDetails"}"#)
    }

    /// Describes a session with the address of its page; the video's is never set. `url` is the server's,
    /// `capabilities` are those it answered with, `details` is its answer to [`Cloud::details_script`]. There
    /// is no page for an id with characters other than ASCII letters, digits, `-`, `_` and `.`.
    pub fn session(
        self,
        url: &str,
        id: &str,
        capabilities: &Value,
        details: Option<&Value>,
    ) -> RemoteSession {
        let is_safe = id
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        let dashboard = match self {
            _ if !is_safe => None,
            Self::Browserstack => details.and_then(browser_url),
            Self::Sauce => sauce_page(url, id, capabilities),
            Self::Lambdatest => Some(format!(
                "https://appautomation.lambdatest.com/test?testID={id}"
            )),
            Self::None => grid_page(url, id, capabilities),
        };
        RemoteSession {
            id: id.to_owned(),
            dashboard,
            video: None,
        }
    }
}

fn browserstack(action: &str, arguments: &Value) -> String {
    let call = json!({ "action": action, "arguments": arguments });
    format!("browserstack_executor: {call}")
}

/// Joins a text into one line, as a line break would end the script.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the page of a `BrowserStack` session from `browser_url` in the details, which may be JSON in a
/// string. `None` if it is missing or not safe to show. Its other addresses, also that of the video, contain
/// tokens.
fn browser_url(details: &Value) -> Option<String> {
    let parsed;
    let details = match details {
        // The answer is a string that contains JSON.
        Value::String(text) => {
            parsed = serde_json::from_str::<Value>(text).ok()?;
            &parsed
        }
        details => details,
    };
    public_link(details.get("browser_url")?.as_str()?)
}

/// Returns the page of a Sauce Labs session. Real devices report it; for others it is built from the data
/// centre in the hub's address, by default the first one.
fn sauce_page(url: &str, id: &str, capabilities: &Value) -> Option<String> {
    let named = [
        "appium:testobject_test_report_url",
        "testobject_test_report_url",
    ]
    .iter()
    .find_map(|name| capabilities.get(name)?.as_str())
    .and_then(public_link);
    if named.is_some() {
        return named;
    }
    let host = host_of(url);
    let centre = host
        .strip_prefix("ondemand.")
        .and_then(|rest| rest.strip_suffix(".saucelabs.com"));
    match centre {
        // The first data centre has no name in its pages.
        None | Some("us-west-1") => Some(format!("https://app.saucelabs.com/tests/{id}")),
        Some(centre) => public_link(&format!("https://app.{centre}.saucelabs.com/tests/{id}")),
    }
}

/// Returns the page of a Selenium Grid session, below the hub's address. A grid is recognized by its own
/// capabilities (`se:…`); `None` for other servers, and if the address is not safe to show, as with a user in
/// it.
fn grid_page(url: &str, id: &str, capabilities: &Value) -> Option<String> {
    let is_grid = capabilities
        .as_object()?
        .keys()
        .any(|name| name.starts_with("se:"));
    let (scheme, rest) = url.split_once("://")?;
    let authority = authority_of(url);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let path = path.trim_end_matches('/');
    let prefix = path.strip_suffix("wd/hub").unwrap_or(path);
    let prefix = prefix.trim_end_matches('/');
    let slash = if prefix.is_empty() { "" } else { "/" };
    let page = public_link(&format!("{scheme}://{authority}{slash}{prefix}/ui/"))?;
    is_grid.then(|| format!("{page}#/session/{id}"))
}

/// Returns host and port of a URL, without user and password.
fn authority_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

/// Returns the host of the address without its port; an IPv6 address keeps its brackets.
fn host_of(url: &str) -> &str {
    let authority = authority_of(url);
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CLOUDS: [Cloud; 4] = [
        Cloud::Browserstack,
        Cloud::Sauce,
        Cloud::Lambdatest,
        Cloud::None,
    ];

    fn failed(reason: &str) -> FlowResult {
        FlowResult {
            passed: false,
            reason: Some(reason.to_owned()),
        }
    }

    const PASSED: FlowResult = FlowResult {
        passed: true,
        reason: None,
    };

    #[test]
    fn a_cloud_is_known_by_its_host() {
        for (url, cloud) in [
            (
                "https://hub-cloud.browserstack.com/wd/hub",
                Cloud::Browserstack,
            ),
            (
                "https://u:k@hub.BrowserStack.com:443/wd/hub",
                Cloud::Browserstack,
            ),
            (
                "https://ondemand.eu-central-1.saucelabs.com:443/wd/hub",
                Cloud::Sauce,
            ),
            (
                "https://mobile-hub.lambdatest.com/wd/hub",
                Cloud::Lambdatest,
            ),
            ("https://notbrowserstack.com/", Cloud::None),
            ("https://browserstack.com.example/", Cloud::None),
            ("http://127.0.0.1:4723", Cloud::None),
            ("http://[::1]:4723/saucelabs.com", Cloud::None),
            ("", Cloud::None),
        ] {
            assert_eq!(Cloud::from_url(url), cloud, "{url}");
        }
    }

    #[test]
    fn each_cloud_is_told_in_its_own_words() {
        let reported = |cloud: Cloud| {
            (
                cloud.name_script("Sign \"in\"\nagain"),
                cloud.result_script(&PASSED),
                cloud.result_script(&failed("no 'OK'\nin 5s")),
            )
        };
        let some = |name: &str, passed: &str, failed: &str| {
            (
                Some(name.to_owned()),
                Some(passed.to_owned()),
                Some(failed.to_owned()),
            )
        };
        assert_eq!(
            reported(Cloud::Browserstack),
            some(
                r#"browserstack_executor: {"action":"setSessionName","arguments":{"name":"Sign \"in\" again"}}"#,
                r#"browserstack_executor: {"action":"setSessionStatus","arguments":{"status":"passed","reason":""}}"#,
                r#"browserstack_executor: {"action":"setSessionStatus","arguments":{"status":"failed","reason":"no 'OK' in 5s"}}"#,
            )
        );
        assert_eq!(
            reported(Cloud::Sauce),
            some(
                "sauce:job-name=Sign \"in\" again",
                "sauce:job-result=passed",
                "sauce:job-result=failed"
            )
        );
        assert_eq!(
            reported(Cloud::Lambdatest),
            some(
                "lambda-name=Sign \"in\" again",
                "lambda-status=passed",
                "lambda-status=failed"
            )
        );
        assert_eq!(reported(Cloud::None), (None, None, None));
    }

    #[test]
    fn sessions_have_pages() {
        let details = json!(
            r#"{"browser_url":"https://app-automate.browserstack.com/builds/b/sessions/s","public_url":"https://x/?auth_token=1","video_url":"https://x/v?token=1"}"#
        );
        let named = json!({ "testobject_test_report_url": "https://app.saucelabs.com/tests/9" });
        let grid = json!({ "platformName": "Android", "se:cdpEnabled": false });
        let none = json!({});
        let sauce = "https://u:k@ondemand.eu-central-1.saucelabs.com:443/wd/hub";
        for (cloud, url, capabilities, details, page) in [
            (
                Cloud::Browserstack,
                "https://hub.browserstack.com/wd/hub",
                &none,
                Some(&details),
                Some("https://app-automate.browserstack.com/builds/b/sessions/s"),
            ),
            (
                Cloud::Browserstack,
                "https://hub.browserstack.com/wd/hub",
                &none,
                None,
                None,
            ),
            (
                Cloud::Sauce,
                sauce,
                &none,
                None,
                Some("https://app.eu-central-1.saucelabs.com/tests/s-1"),
            ),
            (
                Cloud::Sauce,
                "https://ondemand.us-west-1.saucelabs.com/wd/hub",
                &none,
                None,
                Some("https://app.saucelabs.com/tests/s-1"),
            ),
            (
                Cloud::Sauce,
                sauce,
                &named,
                None,
                Some("https://app.saucelabs.com/tests/9"),
            ),
            (
                Cloud::Lambdatest,
                "https://mobile-hub.lambdatest.com/wd/hub",
                &none,
                None,
                Some("https://appautomation.lambdatest.com/test?testID=s-1"),
            ),
            (
                Cloud::None,
                "http://u:k@grid:4444/wd/hub",
                &grid,
                None,
                Some("http://grid:4444/ui/#/session/s-1"),
            ),
            (
                Cloud::None,
                "http://grid:4444/team/",
                &grid,
                None,
                Some("http://grid:4444/team/ui/#/session/s-1"),
            ),
            (Cloud::None, "http://appium:4723", &none, None, None),
        ] {
            let session = cloud.session(url, "s-1", capabilities, details);
            assert_eq!(session.dashboard.as_deref(), page, "{url}");
            assert_eq!(session.id, "s-1");
        }
        let hostile = Cloud::Sauce.session(sauce, "1/../\"><b>", &none, None);
        assert_eq!(hostile.dashboard, None);
    }

    proptest! {
        #[test]
        fn scripts_are_one_line_and_their_json_reads(name in any::<String>(), reason in any::<String>()) {
            for cloud in CLOUDS {
                let scripts = [cloud.name_script(&name), cloud.result_script(&failed(&reason))];
                for script in scripts.into_iter().flatten() {
                    prop_assert!(!script.contains(['\n', '\r']));
                    if let Some(call) = script.strip_prefix("browserstack_executor: ") {
                        let call: Value = serde_json::from_str(call).unwrap();
                        prop_assert!(call["arguments"].is_object());
                    }
                }
            }
        }

        #[test]
        fn no_page_holds_a_key(key in "[a-z0-9]{12,20}", id in any::<String>(), host in "[a-z.:/?#@]{0,20}") {
            let url = format!("https://user:{key}@{host}");
            let capabilities = json!({ "se:x": 1 });
            for cloud in CLOUDS {
                let page = cloud.session(&url, &id, &capabilities, None).dashboard;
                prop_assert!(page.is_none_or(|page| !page.contains(&key)));
            }
        }
    }
}
