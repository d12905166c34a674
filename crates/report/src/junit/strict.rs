//! The strict form's last step: the root element with only the attributes that Jenkins' `junit-10.xsd` knows.
//!
//! All else that the schema does not know is not put in; this one attribute the library always writes.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::ReportError;

/// Attributes of `testsuites`.
const ALLOWED: [&[u8]; 5] = [b"name", b"time", b"tests", b"failures", b"errors"];

/// `xml` with its root reduced; the rest byte for byte.
pub(super) fn reduce_root(xml: &str) -> Result<String, ReportError> {
    let wrong = |error: &dyn std::fmt::Display| ReportError::Xml(error.to_string());
    let mut reader = Reader::from_str(xml);
    loop {
        let before = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let (start, closing) = match reader.read_event().map_err(|error| wrong(&error))? {
            Event::Start(start) => (start, ">"),
            Event::Empty(start) => (start, "/>"),
            Event::Eof => return Err(ReportError::Xml("there is no element".into())),
            _ => continue,
        };
        let after = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let root = reduced(&start).map_err(|error| wrong(&error))?;
        let root = std::str::from_utf8(&root).map_err(|error| wrong(&error))?;
        let (Some(head), Some(rest)) = (xml.get(..before), xml.get(after..)) else {
            return Err(ReportError::Xml("its root stands nowhere".into()));
        };
        return Ok(format!("{head}<{root}{closing}{rest}"));
    }
}

fn reduced(start: &BytesStart<'_>) -> Result<Vec<u8>, quick_xml::Error> {
    let name = start.name();
    let mut stored = BytesStart::new(String::from_utf8_lossy(name.as_ref()));
    for attribute in start.attributes() {
        let attribute = attribute?;
        if ALLOWED.contains(&attribute.key.as_ref()) {
            // Still escaped, as it was read.
            stored.push_attribute(attribute);
        }
    }
    Ok(stored.to_vec())
}
