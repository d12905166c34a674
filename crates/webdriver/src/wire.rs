//! Parses answers of a WebDriver server: a value, an error, or something that is not WebDriver.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::WebDriverError;
use runner_device::shorten;
use runner_text::secret::{Excerpt, OutsideText, Scrubber};

/// Limit for an answer that may be an error, in bytes. Chosen: errors with a stack trace are a few kilobytes;
/// larger answers are not searched for one.
const MAX_ERROR_BYTES: usize = 1 << 20;

/// An HTTP answer, unparsed.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// Context of a request for its errors: the server, the request's name, and the secrets to mask.
pub(crate) struct RequestContext<'a> {
    pub(crate) server: &'a str,
    pub(crate) what: &'a str,
    pub(crate) secrets: &'a Scrubber,
}

#[derive(Deserialize)]
struct Envelope<T> {
    value: T,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    message: Option<String>,
}

/// Parses an answer and returns its `value`.
///
/// # Errors
///
/// Returns the server's refusal for a status other than 2xx, for an error in the body, and for a body that does not
/// begin with `{`. Returns [`WebDriverError::Unexpected`] for any other body that does not parse as `T`, also for
/// broken JSON.
pub(crate) fn value<T: DeserializeOwned>(
    answer: &Answer,
    requested: &RequestContext<'_>,
) -> Result<T, WebDriverError> {
    if !(200..300).contains(&answer.status) {
        return Err(refusal(answer, requested));
    }
    if holds_error(&answer.body) {
        return Err(refusal(answer, requested));
    }
    let envelope: Result<Envelope<T>, _> = serde_json::from_slice(&answer.body);
    match envelope {
        Ok(envelope) => Ok(envelope.value),
        Err(_) if !begins_as_json(&answer.body) => Err(refusal(answer, requested)),
        // Serde's message may quote texts of the screen.
        Err(error) => Err(WebDriverError::Unexpected {
            what: requested.what.to_owned(),
            column: Some(error.column()),
        }),
    }
}

/// Returns true if an answer with a status of success holds an error, of the W3C protocol (`value` with
/// `error` and `message`) or of the older JSON wire protocol (`status` other than 0). Some servers and
/// proxies answer so, and a caller that accepts any value would take it for success. False for bodies of more
/// than [`MAX_ERROR_BYTES`].
fn holds_error(body: &[u8]) -> bool {
    if body.len() > MAX_ERROR_BYTES {
        return false;
    }
    let Ok(json) = serde_json::from_slice::<Value>(body) else {
        return false;
    };
    let is_error = json["value"]["error"].is_string() && json["value"]["message"].is_string();
    is_error || json["status"].as_i64().is_some_and(|status| status != 0)
}

/// Returns the error of an answer, with secrets masked. Status 401 always concerns the credentials; 403 and 407 do so
/// only if the body has neither `error` nor `message` of WebDriver. Another refusal has the server's error, `unknown
/// error` without one, and the shortened message, only the command's output if Appium gives one. Any other answer is
/// `Strange`, described by [`page`].
fn refusal(answer: &Answer, requested: &RequestContext<'_>) -> WebDriverError {
    let parsed: Result<Envelope<Refusal>, _> = serde_json::from_slice(&answer.body);
    match parsed {
        Ok(Envelope { value }) if value.error.is_some() || value.message.is_some() => {
            let error = match value.error {
                Some(Value::String(error)) => error,
                _ => "unknown error".to_owned(),
            };
            let message = value.message.unwrap_or_default();
            let clean = |text: &str| requested.secrets.scrub(text).into_owned();
            let message = clean(&shorten(&OutsideText::new(command_output(&message))));
            // WebDriver does not use these statuses, so they concern the credentials whatever the body says.
            if answer.status == 401 {
                return WebDriverError::Credentials {
                    server: requested.server.to_owned(),
                    status: answer.status,
                    reason: format!(": {message}"),
                };
            }
            WebDriverError::ServerError {
                error: clean(&Excerpt::new(&error, 60).to_string()),
                message,
            }
        }
        _ if matches!(answer.status, 401 | 403 | 407) => WebDriverError::Credentials {
            server: requested.server.to_owned(),
            status: answer.status,
            reason: String::new(),
        },
        _ => WebDriverError::Strange {
            server: requested.server.to_owned(),
            says: requested.secrets.scrub(&page(answer)).into_owned(),
        },
    }
}

/// Returns the text after Appium's words `Command output: `. The whole message if it lacks them, or nothing
/// but spaces follows.
fn command_output(message: &str) -> &str {
    let text = message
        .split_once("Command output: ")
        .map(|(_, parsed)| parsed);
    text.filter(|response| !response.trim().is_empty())
        .unwrap_or(message)
}

fn begins_as_json(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"{")
}

/// Describes an answer that is not of WebDriver by its status, and the title of a web page or the first line of a text,
/// in quotes and marked to be cut after 120 characters. A page without title is `a web page`. Only the first 4096 bytes
/// are read; without words there is only the status.
fn page(answer: &Answer) -> String {
    let status = answer.status;
    let head = &answer.body[..answer.body.len().min(4096)];
    let text = String::from_utf8_lossy(head);
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let begin = at + lower[at..].find('>')? + 1;
        let end = begin + lower[begin..].find("</title")?;
        text.get(begin..end)
    });
    let words = match title {
        Some(title) => title.trim().to_owned(),
        None if lower.contains("<html") => "a web page".to_owned(),
        None => text.lines().next().unwrap_or_default().trim().to_owned(),
    };
    if words.is_empty() {
        format!("HTTP {status}")
    } else {
        format!("HTTP {status}, {}", Excerpt::new(&words, 120).in_quotes())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the server's Base64 does not read: {0}")]
pub(crate) struct Base64Error(#[from] base64::DecodeError);

/// Decodes Base64. White space is ignored, since some servers insert line breaks; missing padding is an error.
pub(crate) fn decode_base64(encoded: &str) -> Result<Vec<u8>, Base64Error> {
    let plain: String = encoded
        .chars()
        .filter(|character| !character.is_ascii_whitespace())
        .collect();
    Ok(STANDARD.decode(plain)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, body: &str) -> Result<Value, String> {
        let secrets = Scrubber::default();
        secrets.add("s3cret-key");
        let requested = RequestContext {
            server: "http://grid",
            what: "GET /source",
            secrets: &secrets,
        };
        let answer = Answer {
            status,
            body: body.as_bytes().to_vec(),
        };
        value(&answer, &requested).map_err(|error| error.to_string())
    }

    #[test]
    fn attack_an_answer_is_a_value_or_says_why_not() {
        assert_eq!(
            read(200, r#"{"value":[1]}"#).unwrap(),
            serde_json::json!([1])
        );
        // The JSON wire protocol has a status in every answer.
        assert_eq!(
            read(200, r#"{"status":0,"value":{"error":7}}"#).unwrap(),
            serde_json::json!({ "error": 7 })
        );
        for (status, body, says) in [
            (
                500,
                r#"{"value":{"error":"unknown error","message":"no such app\n  at x","stacktrace":""}}"#,
                "the server says unknown error: no such app",
            ),
            // Envelope of the JSON wire protocol.
            (
                500,
                r#"{"status":13,"value":{"message":"it broke"}}"#,
                "unknown error: it broke",
            ),
            (
                502,
                "<html><head><title>502 Bad Gateway</title></head>",
                "HTTP 502, \"502 Bad Gateway\"",
            ),
            (
                200,
                "<!DOCTYPE html><html><body>Hello",
                "HTTP 200, \"a web page\"",
            ),
            // Errors with a status of success.
            (
                200,
                r#"{"value":{"error":"unknown error","message":"it broke","stacktrace":""}}"#,
                "the server says unknown error: it broke",
            ),
            (
                200,
                r#"{"status":13,"value":{"message":"it broke"}}"#,
                "the server says unknown error: it broke",
            ),
            (200, r#"{"status":7,"value":"<hierarchy/>"}"#, "HTTP 200"),
            (503, "", "HTTP 503"),
            (401, "", "refuses the credentials (HTTP 401)"),
            (
                401,
                r#"{"value":{"error":"unknown error","message":"user s3cret-key is unknown"}}"#,
                "user *** is unknown",
            ),
            (200, r#"{"value": oops"#, "not as expected (column"),
            (404, "no upstream", "HTTP 404, \"no upstream\""),
        ] {
            let error = read(status, body).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_answer_panics(status in 100_u16..600, body in ".{0,200}") {
            let _ = read(status, &body);
        }
    }
}
