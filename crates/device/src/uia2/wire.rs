//! Requests to the server and its answers, as JSON.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::Uia2Error;
use super::http::{Answer, Request};
use super::owner::{CAPABILITY, Owner};
use crate::FocusedElement;
use crate::source;
use runner_screen::Rect;
use runner_screen::Window;
use runner_text::secret::Excerpt;

/// Builds the request for a new session, which names `owner` in a capability, so that another runner can tell
/// whose it is.
pub(super) fn begin_session(owner: &Owner) -> Request {
    let mut always = serde_json::Map::new();
    always.insert("platformName".to_owned(), "Android".into());
    always.insert(CAPABILITY.to_owned(), owner.to_string().into());
    let capabilities = json!({ "capabilities": { "firstMatch": [{}], "alwaysMatch": always } });
    Request::post("/session", &capabilities)
}

/// Path of a session; builds the requests within it.
#[derive(Debug, Clone)]
pub(super) struct SessionPath(String);

impl SessionPath {
    /// Creates the path `/session/ID`; `None` unless the id has 1 to 128 characters, all of them ASCII
    /// letters, digits, `-` or `_`.
    pub(super) fn new(id: &str) -> Option<Self> {
        let is_plain = (1..=128).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        is_plain.then(|| Self(format!("/session/{id}")))
    }

    pub(super) fn settings(&self) -> Request {
        Request::post(format!("{}/appium/settings", self.0), &source::settings())
    }

    /// Builds both requests of a look. The list of windows comes first: while the server makes the source,
    /// which takes longest, the app in front of them is asked for.
    pub(super) fn look(&self) -> [Request; 2] {
        [self.windows(), Request::get(format!("{}/source", self.0))]
    }

    /// Builds the request for the list of windows, without screenshots. It may be sent again after a lost
    /// connection.
    pub(super) fn windows(&self) -> Request {
        let windows = format!("{}/appium/list_windows", self.0);
        Request::post(windows, &json!({ "skipScreenshots": true })).repeatable()
    }

    /// Builds the request for fingers that act at the same time.
    pub(super) fn actions(&self, sources: Vec<Value>) -> Request {
        Request::post(
            format!("{}/actions", self.0),
            &json!({ "actions": sources }),
        )
    }

    /// Builds the request for a key, pressed for a long time if `long`, with the modifiers of `meta` held; 0 is
    /// none.
    pub(super) fn key(&self, code: u32, meta: u32, long: bool) -> Request {
        let name = if long {
            "long_press_keycode"
        } else {
            "press_keycode"
        };
        let mut body = json!({ "keycode": code });
        if meta != 0 {
            body["metastate"] = meta.into();
        }
        Request::post(format!("{}/appium/device/{name}", self.0), &body)
    }

    /// Builds the request for the element with the focus.
    pub(super) fn focused(&self) -> Request {
        Request::get(format!("{}/element/active", self.0))
    }

    /// Builds the requests for an element's text, password flag, class and bounds, in this order.
    /// [`focused_element`] parses their answers.
    pub(super) fn describe_element(&self, id: &str) -> [Request; 4] {
        let ask = |what: &str| Request::get(format!("{}/element/{id}/{what}", self.0));
        [
            ask("text"),
            ask("attribute/password"),
            ask("attribute/className"),
            ask("rect"),
        ]
    }

    /// Builds the request that replaces the text of the focused field. It is not sent again by itself.
    pub(super) fn text(&self, text: &str) -> Request {
        let body = json!({ "text": text, "replace": true });
        Request::post(format!("{}/keys", self.0), &body)
    }

    pub(super) fn end(&self) -> Request {
        Request::delete(self.0.clone())
    }
}

#[derive(Deserialize)]
struct Envelope<T> {
    value: T,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    error: String,
    #[serde(default)]
    message: String,
}

/// Parses the `value` in the JSON of an answer.
///
/// # Errors
/// Returns the server's error for a status of 400 or more, and [`Uia2Error::NotTheServer`] if the body is no JSON
/// of this type.
pub(super) fn value<T: DeserializeOwned>(answer: &Answer) -> Result<T, Uia2Error> {
    if answer.status >= 400 {
        return Err(refusal(answer));
    }
    let envelope: Envelope<T> = serde_json::from_slice(&answer.body).map_err(no_json)?;
    Ok(envelope.value)
}

/// Fails with the server's error if the answer has a status of 400 or more. The body of others is not read.
pub(super) fn check(answer: &Answer) -> Result<(), Uia2Error> {
    if answer.status >= 400 {
        return Err(refusal(answer));
    }
    Ok(())
}

/// Builds the error of an answer: the server's own, with the first line of its message, or that it is no such server if
/// the body has another form.
fn refusal(answer: &Answer) -> Uia2Error {
    let parsed: Result<Envelope<Refusal>, _> = serde_json::from_slice(&answer.body);
    match parsed {
        Ok(Envelope { value }) => Uia2Error::ServerError {
            error: Excerpt::new(&value.error, 60).to_string(),
            message: Excerpt::new(value.message.lines().next().unwrap_or(""), 200).to_string(),
        },
        Err(_) => Uia2Error::NotTheServer {
            why: format!("it answers with HTTP {}", answer.status),
        },
    }
}

/// Builds the [`Uia2Error::NotTheServer`] of an answer that is no JSON as expected. Nothing of the answer is
/// quoted, as it may hold texts of the screen.
fn no_json(why: serde_json::Error) -> Uia2Error {
    // The message may quote texts of the screen.
    Uia2Error::NotTheServer {
        why: format!("its answer is not as expected (column {})", why.column()),
    }
}

/// Parses the answer to a new session into the session's path.
///
/// # Errors
/// Returns the server's error for a status of 400 or more, and [`Uia2Error::NotTheServer`] if the id is
/// missing or has characters that a path may not hold.
pub(super) fn parse_session(answer: &Answer) -> Result<SessionPath, Uia2Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct NewSession {
        session_id: Option<String>,
    }
    if answer.status >= 400 {
        return Err(refusal(answer));
    }
    let begun: NewSession = serde_json::from_slice(&answer.body).map_err(no_json)?;
    let id = begun.session_id.unwrap_or_default();
    SessionPath::new(&id).ok_or_else(|| Uia2Error::NotTheServer {
        why: "it began a session without an id".to_owned(),
    })
}

/// Session in the list of a server.
#[derive(Debug)]
pub(super) struct SessionModel {
    pub(super) id: Option<String>,
    pub(super) capabilities: Value,
}

/// Parses the list of sessions, of which this server has at most one.
pub(super) fn sessions(answer: &Answer) -> Result<Vec<Value>, Uia2Error> {
    value(answer)
}

/// Parses an entry of the list of sessions. The id is that of `id`, else of `sessionId`, else `None`; missing
/// capabilities are null.
pub(super) fn session(value: &Value) -> SessionModel {
    let id = ["id", "sessionId"]
        .iter()
        .find_map(|key| value.get(key).and_then(Value::as_str));
    SessionModel {
        id: id.map(str::to_owned),
        capabilities: value.get("capabilities").cloned().unwrap_or_default(),
    }
}

/// Parses the windows of the main display, in the device's order.
pub(super) fn windows(answer: &Answer) -> Result<Vec<Window>, Uia2Error> {
    Ok(source::windows(value(answer)?))
}

/// Parses the id of an element, under the key of W3C WebDriver or the older `ELEMENT`. `None` if it is
/// missing, or has characters other than ASCII letters, digits and `-`.
///
/// # Errors
/// Returns the server's error, such as "no such element", for a status of 400 or more.
pub(super) fn element_id(answer: &Answer) -> Result<Option<String>, Uia2Error> {
    /// Key of an element's id (W3C WebDriver, section 12, "web element identifier").
    const KEY: &str = "element-6066-11e4-a52e-4f735466cecf";
    let element: Value = value(answer)?;
    let id = element.get(KEY).or_else(|| element.get("ELEMENT"));
    let id = id.and_then(Value::as_str).unwrap_or_default();
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    Ok((!id.is_empty() && id.bytes().all(is_id)).then(|| id.to_owned()))
}

/// Parses the four answers to [`SessionPath::describe_element`], in their order. A text or class of null
/// becomes empty. Only `true`, as boolean or text, makes it a password.
///
/// # Errors
/// Returns [`Uia2Error::ConnectionClosed`] if there are not four answers, and the server's error if it
/// refuses one.
pub(super) fn focused_element(answers: &[Answer]) -> Result<FocusedElement, Uia2Error> {
    #[derive(Deserialize)]
    struct Area {
        x: i32,
        y: i32,
        width: i32,
        height: i32,
    }
    let [text, password, class, area] = answers else {
        return Err(Uia2Error::ConnectionClosed);
    };
    let area: Area = value(area)?;
    let password: Value = value(password)?;
    Ok(FocusedElement {
        text: value::<Option<String>>(text)?.unwrap_or_default(),
        is_password: password == Value::Bool(true) || password == "true",
        class: value::<Option<String>>(class)?.unwrap_or_default(),
        bounds: Rect::new(
            area.x,
            area.y,
            area.x.saturating_add(area.width),
            area.y.saturating_add(area.height),
        ),
    })
}
