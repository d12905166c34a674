//! Native functions that `prelude.js` calls: HTTP requests, random data, the log.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rquickjs::convert::List;
use rquickjs::{Ctx, Error, Exception, Function, Object, Value};

use super::faker::{FakeData, FakeValue};
use super::job::Stop;
use super::options::ScriptOptions;
use super::text::MAX_TEXT_BYTES;
use runner_tools::Failure;
use runner_tools::everyday::HttpRequest;

/// Number of lines that one script may log. Chosen: enough to debug by, and a loop that logs fills no report.
const MAX_SCRIPT_LINES: usize = 1000;
/// Number of bytes that one script may log. Chosen like [`MAX_SCRIPT_LINES`], for long lines.
const MAX_SCRIPT_LOG_BYTES: usize = 256 << 10;

/// State behind the native functions.
pub(super) struct Host {
    log: RefCell<Log>,
    data: RefCell<FakeData>,
    http_hosts: Arc<[String]>,
    sent: Arc<AtomicBool>,
    stop: Rc<RefCell<Option<Stop>>>,
}

#[derive(Default)]
struct Log {
    lines: Vec<String>,
    bytes: usize,
    is_full: bool,
}

impl Log {
    /// Adds each line of a text. At `MAX_SCRIPT_LINES` or `MAX_SCRIPT_LOG_BYTES` adds `more is left out` instead,
    /// and from then on nothing.
    fn write(&mut self, text: &str) {
        for line in text.lines() {
            if self.is_full {
                return;
            }
            self.bytes += line.len();
            if self.lines.len() == MAX_SCRIPT_LINES || self.bytes > MAX_SCRIPT_LOG_BYTES {
                self.lines.push("more is left out".to_owned());
                self.is_full = true;
                return;
            }
            self.lines.push(line.to_owned());
        }
    }
}

impl Host {
    /// Creates the state with an empty log, and random data from the options' seed. `stop` is that of the running
    /// script, which bounds its requests; without one a request has no time.
    pub(super) fn new(options: &ScriptOptions, stop: Rc<RefCell<Option<Stop>>>) -> Self {
        Self {
            log: RefCell::default(),
            data: RefCell::new(FakeData::new(options.seed)),
            http_hosts: Arc::clone(&options.http_hosts),
            sent: Arc::clone(&options.sent),
            stop,
        }
    }

    /// Takes the lines logged since the last call. The limits start anew with each call.
    pub(super) fn take_log(&self) -> Vec<String> {
        self.log.take().lines
    }

    /// Sends a request and blocks this thread until its answer or the script's deadline. A form becomes a
    /// `multipart/form-data` body with its own content type. Returns status, text and headers; values of repeated
    /// headers are joined by commas. An answer of any status is no failure; an unlisted host, a bad URL and a missing
    /// answer are. Always notes that a request was sent, also if it is refused.
    fn send(&self, request: Request) -> Result<Answer, Failure> {
        let stop = self.stop.borrow().clone();
        let until = stop.map_or_else(Instant::now, |stop| stop.until);
        let mut headers: BTreeMap<String, String> = request.headers.into_iter().collect();
        let body = match request.form {
            Some(parts) => {
                let (kind, body) = multipart(&parts);
                headers.retain(|name, _| !name.eq_ignore_ascii_case("content-type"));
                headers.insert("Content-Type".to_owned(), kind);
                Some(body)
            }
            None => request.body,
        };
        let timeout = until.saturating_duration_since(Instant::now());
        let (method, url) = (&request.method, &request.url);
        let hosts = Arc::clone(&self.http_hosts);
        let body = body.map(String::into_bytes);
        self.sent.store(true, Ordering::Relaxed);
        let answer = HttpRequest::from_script(method, url, &headers, body, hosts, timeout)
            .and_then(|request| request.send())?;
        let mut fields: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in &answer.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            let field = fields.entry(name.as_str().to_owned()).or_default();
            if !field.is_empty() {
                field.push(',');
            }
            field.push_str(&value);
        }
        Ok((answer.status, answer.text, fields))
    }
}

/// Status, body and headers of a response.
type Answer = (u16, String, BTreeMap<String, String>);

struct Request {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
    form: Option<Vec<(String, String)>>,
}

/// Encodes a form as `multipart/form-data`. Returns the content type and the body; the boundary occurs in no value.
/// Quotes and line breaks in names are escaped, as browsers do; values stay as they are. Without parts the body is only
/// its end.
fn multipart(parts: &[(String, String)]) -> (String, String) {
    let mut number = 0_u32;
    let boundary = loop {
        let boundary = format!("runner-form-{number}");
        if !parts.iter().any(|(_, value)| value.contains(&boundary)) {
            break boundary;
        }
        number += 1;
    };
    let mut body = String::new();
    for (name, value) in parts {
        // As browsers write names in forms.
        let name = name
            .replace('\r', "%0D")
            .replace('\n', "%0A")
            .replace('"', "%22");
        body.push_str(&format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        ));
    }
    body.push_str(&format!("--{boundary}--\r\n"));
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// Builds the object of functions that `prelude.js` takes as its argument: `log`, `isGroup`, `fake` and `send`, and
/// the limit `longest` for texts in bytes. Failures of `fake` and `send` are thrown as exceptions. Does not set
/// `platform`, and runs nothing.
pub(super) fn native<'js>(ctx: &Ctx<'js>, host: &Rc<Host>) -> Result<Object<'js>, Error> {
    let native = Object::new(ctx.clone())?;
    native.set("longest", MAX_TEXT_BYTES)?;
    let logging = Rc::clone(host);
    let log = move |text: String| logging.log.borrow_mut().write(&text);
    native.set("log", Function::new(ctx.clone(), log)?)?;
    let is_group = |name: String| FakeData::is_group(&name);
    native.set("isGroup", Function::new(ctx.clone(), is_group)?)?;
    let faking = Rc::clone(host);
    let fake = move |ctx: Ctx<'js>, name: String, arguments: Vec<String>| {
        let made = faking.data.borrow_mut().make(&name, &arguments);
        match made {
            Ok(value) => value_of(&ctx, value),
            Err(error) => Err(Exception::throw_message(&ctx, &error.to_string())),
        }
    };
    native.set("fake", Function::new(ctx.clone(), fake)?)?;
    let sending = Rc::clone(host);
    let send = move |ctx: Ctx<'js>,
                     method: String,
                     url: String,
                     headers: Vec<List<(String, String)>>,
                     body: Option<String>,
                     form: Option<Vec<List<(String, String)>>>| {
        let pairs =
            |list: Vec<List<(String, String)>>| list.into_iter().map(|pair| pair.0).collect();
        let request = Request {
            method,
            url,
            headers: pairs(headers),
            body,
            form: form.map(pairs),
        };
        let answer = sending.send(request);
        answer
            .map(|(status, text, fields)| List((status, text, fields)))
            .map_err(|failure| Exception::throw_message(&ctx, &failure.message.to_string()))
    };
    native.set("send", Function::new(ctx.clone(), send)?)?;
    Ok(native)
}

/// Converts random data to a value of JavaScript. Whole numbers become floating point numbers, exact to 2^53.
fn value_of<'js>(ctx: &Ctx<'js>, value: FakeValue) -> Result<Value<'js>, Error> {
    use rquickjs::IntoJs as _;
    match value {
        FakeValue::Text(text) => text.into_js(ctx),
        // JavaScript's numbers are exact to 2^53; larger ones lose digits there too.
        FakeValue::Integer(number) => (number as f64).into_js(ctx),
        FakeValue::Decimal(number) => number.into_js(ctx),
        FakeValue::Truth(truth) => truth.into_js(ctx),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_a_boundary_of_its_own() {
        let part = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let (kind, body) = multipart(&[part("a", "1"), part("b\"\r\n", "runner-form-0")]);
        assert_eq!(kind, "multipart/form-data; boundary=runner-form-1");
        assert_eq!(
            body,
            "--runner-form-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n\
             --runner-form-1\r\nContent-Disposition: form-data; name=\"b%22%0D%0A\"\r\n\r\nrunner-form-0\r\n\
             --runner-form-1--\r\n"
        );
    }

    #[test]
    fn a_log_has_an_end() {
        let mut log = Log::default();
        for _ in 0..2 * MAX_SCRIPT_LINES {
            log.write("a\nb");
        }
        assert_eq!(log.lines.len(), MAX_SCRIPT_LINES + 1);
        assert_eq!(log.lines.last().unwrap(), "more is left out");
        let mut log = Log::default();
        log.write(&"x".repeat(MAX_SCRIPT_LOG_BYTES + 1));
        assert_eq!(log.lines, ["more is left out"]);
    }
}
