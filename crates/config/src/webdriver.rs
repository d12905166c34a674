//! Converts entries of `devices` with a WebDriver server, and expands variables of the environment in them.

use serde_json::{Map, Value};

use super::device_spec::DeviceSpec;
use super::project_device::ProjectDevice;
use runner_base::context::Context;
use runner_text::secret::{MASK, sounds_secret};
use runner_webdriver::{Cloud, Credentials, SESSION_TIMEOUT, SessionScope, WebDriverSpec};

/// Number of sessions of one entry. Chosen: above the parallel sessions that clouds usually sell; a typing
/// error must not open thousands.
pub(super) const MAX_SESSIONS: u32 = 64;
/// Start of a variable of the environment in a text; flows have the same syntax.
const VARIABLE: &str = "${os.";

/// Converts an entry to one device for each session. They are named `LABEL-1` and on, or only `LABEL` for one
/// session; without a label it is the host of the server.
pub(super) fn devices(device: &ProjectDevice, url: &str, context: &Context) -> Vec<DeviceSpec> {
    let spec = spec(device, url, context);
    let label = device.label.clone().unwrap_or_else(|| host(&spec.display));
    let count = device.sessions.unwrap_or(1);
    let named = |name: String| DeviceSpec {
        name,
        label: None,
        render_class: device.render_class.clone(),
        variant: device.variant.clone(),
        driver: device.driver,
        tags: device.tags.clone(),
        webdriver: Some(spec.clone()),
    };
    if count == 1 {
        return vec![named(label)];
    }
    (1..=count)
        .map(|number| named(format!("{label}-{number}")))
        .collect()
}

/// Converts an entry to what is asked of its server, with variables of the environment filled in. Missing variables
/// and a wrong address are kept as the reason why it is unusable, and are no error here.
fn spec(device: &ProjectDevice, url: &str, context: &Context) -> WebDriverSpec {
    let mut fill = VariableExpander::new(context);
    let url = fill.text(url);
    let user = device.user.as_deref().map(|text| fill.text(text).value);
    let key = device.key.as_deref().map(|text| fill.text(text).value);
    let mut capabilities = Map::new();
    for (name, value) in &device.capabilities {
        capabilities.insert(name.clone(), fill.json(name, value));
    }
    if let Some(app) = &device.app {
        capabilities.insert("appium:app".to_owned(), fill.text(app).value.into());
    }
    let address = Address::read(&url);
    let of_url = address.as_ref().and_then(|it| it.credentials.clone());
    let credentials = match (user, key) {
        (Some(user), Some(key)) => Some(Credentials { user, key }),
        _ => of_url,
    };
    let mut secrets = fill.secrets;
    if let Some(both) = &credentials {
        // A server may quote the `Authorization` header in an error.
        secrets.extend([both.user.clone(), both.key.clone(), both.encoded()]);
    }
    let missing = fill.missing.map(|name| {
        format!("the environment has no variable {name}, which runner.yaml names; set it")
    });
    let strange = || {
        address.is_none().then(|| {
            "`webdriver` is not an address; write http:// or https://, the host, and the path where there is one".to_owned()
        })
    };
    let unusable = missing.or_else(strange);
    let (url, displayed) = address.map_or_else(
        || (String::new(), "the server".to_owned()),
        |address| (address.url, address.display),
    );
    let cloud = device.cloud.unwrap_or_else(|| Cloud::from_url(&url));
    WebDriverSpec {
        url,
        display: displayed,
        credentials,
        capabilities,
        scope: device.session.unwrap_or(SessionScope::Run),
        session_timeout: device
            .session_timeout
            .map_or(SESSION_TIMEOUT, |limit| limit.0),
        secrets,
        cloud,
        unusable,
    }
}

/// Text with its variables expanded.
struct ExpandedText {
    value: String,
    display: String,
}

/// Expands variables of the environment, and collects their values as secrets.
struct VariableExpander<'a> {
    context: &'a Context,
    secrets: Vec<String>,
    missing: Option<String>,
}

impl<'a> VariableExpander<'a> {
    /// Creates an expander without secrets so far.
    fn new(context: &'a Context) -> Self {
        Self {
            context,
            secrets: Vec::new(),
            missing: None,
        }
    }

    /// Fills in `${os.NAME}`. Values are kept as secrets, and each place is masked in the text to show. A missing
    /// variable becomes empty, and the name of the first one is kept. A `${os.` without a `}` stays.
    fn text(&mut self, text: &str) -> ExpandedText {
        let (mut value, mut displayed) = (String::new(), String::new());
        let mut rest = text;
        while let Some(at) = rest.find(VARIABLE) {
            let after = &rest[at + VARIABLE.len()..];
            let Some(end) = after.find('}') else { break };
            let name = after[..end].trim();
            value.push_str(&rest[..at]);
            displayed.push_str(&rest[..at]);
            if let Some(found) = self.context.variable(name) {
                value.push_str(found);
                self.secrets.push(found.to_owned());
            } else {
                self.missing.get_or_insert_with(|| name.to_owned());
            }
            displayed.push_str(MASK);
            rest = &after[end + 1..];
        }
        value.push_str(rest);
        displayed.push_str(rest);
        ExpandedText {
            value,
            display: displayed,
        }
    }

    /// Expands `${os.NAME}` in a capability at any depth. Keeps as secrets the values of these variables, and
    /// all texts and numbers whose names sound secret. Items of a list have the name of the list; keys of maps stay.
    fn json(&mut self, name: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let value = self.text(text).value;
                if is_secret(name) {
                    self.secrets.push(value.clone());
                }
                Value::String(value)
            }
            Value::Array(items) => items.iter().map(|item| self.json(name, item)).collect(),
            Value::Object(map) => {
                let filled = map
                    .iter()
                    .map(|(name, value)| (name.clone(), self.json(name, value)));
                Value::Object(filled.collect())
            }
            Value::Number(number) if is_secret(name) => {
                self.secrets.push(number.to_string());
                value.clone()
            }
            other => other.clone(),
        }
    }
}

/// Returns true for names such as `accessKey`, `user_password` and `lt:token`.
fn is_secret(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    sounds_secret(name) || lower.ends_with("accesskey") || lower.ends_with("access_key")
}

/// Parsed address of a server.
struct Address {
    url: String,
    display: String,
    credentials: Option<Credentials>,
}

impl Address {
    /// Parses `http(s)://[user:key@]host[:port][/path]`. The address is returned without user and key, and
    /// without `/` at its end. Returns `None` for other schemes, without a host and with a query. User info
    /// without `:` is dropped.
    fn read(text: &ExpandedText) -> Option<Self> {
        let (plain, userinfo) = without_user(&text.value)?;
        let uri: http::Uri = plain.parse().ok()?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        if !is_http || uri.host().is_none_or(str::is_empty) || uri.query().is_some() {
            return None;
        }
        let (displayed, _) = without_user(&text.display)?;
        let credentials = userinfo.and_then(|userinfo| {
            let (user, key) = userinfo.split_once(':')?;
            Some(Credentials {
                user: decoded(user),
                key: decoded(key),
            })
        });
        Some(Self {
            url: plain.trim_end_matches('/').to_owned(),
            display: displayed.trim_end_matches('/').to_owned(),
            credentials,
        })
    }
}

/// Splits off the user info before the last `@` of the host, trimming the address. Returns the address
/// without it, and the user info. Returns `None` if there is no `://`.
fn without_user(url: &str) -> Option<(String, Option<&str>)> {
    let url = url.trim();
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    Some(match authority.rsplit_once('@') {
        Some((userinfo, host)) => (format!("{scheme}://{host}{path}"), Some(userinfo)),
        None => (url.to_owned(), None),
    })
}

/// Decodes `%XX`. A `%` without two hexadecimal digits stays, and bytes that are not UTF-8 become U+FFFD.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        // `from_str_radix` takes a sign too.
        let hex = hex.filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn host(display: &str) -> String {
    let rest = display.split_once("://").map_or(display, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest).to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn entry_devices(device: &ProjectDevice, url: &str) -> Vec<DeviceSpec> {
        let variables = [
            ("USER_OF", "ada"),
            ("KEY", "s3cret/key"),
            ("TOKEN", "t0ken"),
        ];
        let variables: BTreeMap<String, String> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        devices(device, url, &Context::fixed("/".into(), variables))
    }

    fn one(device: &ProjectDevice, url: &str) -> WebDriverSpec {
        entry_devices(device, url).remove(0).webdriver.unwrap()
    }

    #[test]
    fn only_hexadecimal_digits_are_decoded() {
        for (text, expected) in [
            ("a%40b", "a@b"),
            ("a%+5b", "a%+5b"),
            ("%4", "%4"),
            ("%é0", "%é0"),
        ] {
            assert_eq!(decoded(text), expected);
        }
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (url, whole, displayed) in [
            (
                "http://grid:4444/wd/hub/",
                "http://grid:4444/wd/hub",
                "http://grid:4444/wd/hub",
            ),
            (
                "https://ada:s3%40cret@hub.example/wd/hub",
                "https://hub.example/wd/hub",
                "https://hub.example/wd/hub",
            ),
            (
                "https://hub.example/endpoint/${os.TOKEN}",
                "https://hub.example/endpoint/t0ken",
                "https://hub.example/endpoint/***",
            ),
            (
                "https://${os.USER_OF}:${os.KEY}@hub.example",
                "https://hub.example",
                "https://hub.example",
            ),
        ] {
            let spec = one(&ProjectDevice::default(), url);
            // A slash in a key belongs to the path; only a key that is encoded can stand in an address.
            if url.contains("KEY") {
                assert!(
                    spec.unusable.is_some() || !spec.display.contains("s3cret"),
                    "{spec:?}"
                );
                continue;
            }
            assert_eq!(
                (spec.url.as_str(), spec.display.as_str()),
                (whole, displayed)
            );
            assert_eq!(spec.unusable, None);
            assert!(!format!("{spec:?}").contains("s3"), "{spec:?}");
        }
        let spec = one(
            &ProjectDevice::default(),
            "https://ada:s3%40cret@hub.example",
        );
        assert_eq!(spec.credentials.unwrap().key, "s3@cret");
        assert!(spec.secrets.contains(&"s3@cret".to_owned()));
    }

    #[test]
    fn what_cannot_be_used_is_said_when_it_is_needed() {
        for (url, says) in [
            ("grid:4444", "not an address"),
            ("ftp://grid", "not an address"),
            ("http:///x", "not an address"),
            ("http://grid/x?y=1", "not an address"),
            ("http://${os.NOWHERE}/", "no variable NOWHERE"),
        ] {
            let why = one(&ProjectDevice::default(), url).unusable;
            assert!(
                why.as_ref().is_some_and(|why| why.contains(says)),
                "{url}: {why:?}"
            );
        }
    }

    #[test]
    fn secrets_come_from_the_environment_and_are_known() {
        let capabilities = serde_json::json!({
            "bstack:options": { "userName": "${os.USER_OF}", "accessKey": "written out" },
            "lt:token": 47_110_815,
            "build": 7,
        });
        let device = ProjectDevice {
            user: Some("${os.USER_OF}".to_owned()),
            key: Some("${os.KEY}".to_owned()),
            app: Some("bs://1".to_owned()),
            capabilities: capabilities.as_object().unwrap().clone(),
            sessions: Some(2),
            ..ProjectDevice::default()
        };
        let devices = entry_devices(&device, "https://hub.example/wd/hub");
        let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
        assert_eq!(names, ["hub.example-1", "hub.example-2"]);
        let spec = devices[0].webdriver.as_ref().unwrap();
        assert_eq!(spec.capabilities["bstack:options"]["userName"], "ada");
        assert_eq!(spec.capabilities["appium:app"], "bs://1");
        assert_eq!(spec.capabilities["lt:token"], 47_110_815);
        let is_known = |text: &str| spec.secrets.iter().any(|known| known == text);
        for secret in [
            "ada",
            "s3cret/key",
            "written out",
            "47110815",
            "YWRhOnMzY3JldC9rZXk=",
        ] {
            assert!(is_known(secret), "{secret}");
        }
        assert!(!is_known("7"));
    }

    proptest::proptest! {
        #[test]
        fn no_address_panics(url in ".{0,60}") {
            let _ = entry_devices(&ProjectDevice::default(), &url);
        }
    }
}
