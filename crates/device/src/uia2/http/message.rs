//! Requests to the server, as they are written, and its answers.

use std::time::Duration;

use super::super::names::PORT;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Method {
    /// Reads, without effect.
    Get,
    Post,
    /// Ends the session, and with it the server.
    Delete,
}

#[derive(Debug, Clone)]
pub(in super::super) struct Request {
    pub(in super::super) method: Method,
    pub(in super::super) path: String,
    pub(in super::super) body: Option<String>,
    /// Set if the request has no effect, so that it may be sent twice.
    pub(in super::super) repeatable: bool,
}

impl Request {
    /// Creates a GET without a body, which may be sent again after a lost connection.
    pub(in super::super) fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            path: path.into(),
            body: None,
            repeatable: true,
        }
    }

    /// Creates a POST with a body of JSON, which is not sent again by itself, as it may have had its effect.
    pub(in super::super) fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        Self {
            method: Method::Post,
            path: path.into(),
            body: Some(body.to_string()),
            repeatable: false,
        }
    }

    /// Creates a DELETE without a body, which is not sent again by itself.
    pub(in super::super) fn delete(path: impl Into<String>) -> Self {
        Self {
            method: Method::Delete,
            path: path.into(),
            body: None,
            repeatable: false,
        }
    }

    /// Marks the request as one without effect, whatever its method.
    pub(in super::super) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// Appends the request in the form of HTTP/1.1. Only one with a body has a length and a type.
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        let method = match self.method {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Delete => "DELETE",
        };
        let body = self.body.as_deref().unwrap_or("");
        let host = PORT;
        let mut head = format!(
            "{method} {} HTTP/1.1\r\nHost: 127.0.0.1:{host}\r\n",
            self.path
        );
        if self.body.is_some() {
            head.push_str("Content-Type: application/json; charset=utf-8\r\n");
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        to.extend_from_slice(head.as_bytes());
        to.extend_from_slice(body.as_bytes());
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Answer {
    pub(in super::super) status: u16,
    pub(in super::super) body: Vec<u8>,
    /// Device's time, if it has a virtual clock.
    pub(in super::super) clock: Option<Duration>,
}
