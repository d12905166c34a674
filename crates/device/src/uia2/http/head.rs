//! Head of an answer: its status, and how long its body is.

use std::time::Duration;

use super::super::error::Uia2Error;

/// Header with the virtual device's time in microseconds. No phone sends it.
const CLOCK: &str = "x-runner-clock";

/// Limit of an answer's headers. Chosen: the server sends less than ten.
const MAX_HEADERS: usize = 64;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyLength {
    Known(usize),
    Chunked,
    ToTheEnd,
}

#[derive(Debug)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) body: BodyLength,
    pub(super) closes: bool,
    pub(super) clock: Option<Duration>,
}

impl Head {
    /// Parses the head of an answer at the beginning of `bytes`, and returns the head's length and the head;
    /// `None` if bytes are missing. `Transfer-Encoding: chunked` has priority over `Content-Length`. A status
    /// below 200, 204 and 304 have no body; without a length the body lasts until the connection ends.
    ///
    /// # Errors
    /// Fails if it is no HTTP, has more than 64 headers, or a length that is no number.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<(usize, Self)>, Uia2Error> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let length = match response.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(why) => return Err(strange(&why.to_string())),
        };
        let status = response.code.unwrap_or(0);
        let header = |name: &str| {
            let mut headers = response.headers.iter();
            let found = headers.find(|header| header.name.eq_ignore_ascii_case(name))?;
            std::str::from_utf8(found.value).ok().map(str::trim)
        };
        let has = |name: &str, word: &str| {
            header(name).is_some_and(|value| value.to_ascii_lowercase().contains(word))
        };
        let body = if has("transfer-encoding", "chunked") {
            BodyLength::Chunked
        } else if status < 200 || status == 204 || status == 304 {
            BodyLength::Known(0)
        } else {
            match header("content-length") {
                Some(text) => BodyLength::Known(
                    text.parse()
                        .map_err(|_| strange("a length that is not a number"))?,
                ),
                None => BodyLength::ToTheEnd,
            }
        };
        let clock = header(CLOCK).and_then(|time| time.parse().ok());
        let closes = has("connection", "close") || response.version == Some(0);
        Ok(Some((
            length,
            Self {
                status,
                body,
                closes,
                clock: clock.map(Duration::from_micros),
            },
        )))
    }
}

pub(super) fn strange(why: &str) -> Uia2Error {
    Uia2Error::NotTheServer {
        why: why.to_owned(),
    }
}
