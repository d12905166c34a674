//! Reduces the root element of the strict form to the attributes that Jenkins' `junit-10.xsd` allows.
//!
//! The library always writes a further attribute there. All else that the schema does not allow is never
//! added.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::ReportError;

/// Attributes of `testsuites` in the schema.
const ALLOWED: [&[u8]; 5] = [b"name", b"time", b"tests", b"failures", b"errors"];

/// Removes the attributes from the root of `xml` that are not in `ALLOWED`. The rest stays byte for byte.
///
/// # Errors
/// Returns an error if `xml` cannot be parsed or has no element.
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
        let root = reduce(&start).map_err(|error| wrong(&error))?;
        let root = std::str::from_utf8(&root).map_err(|error| wrong(&error))?;
        let (Some(head), Some(rest)) = (xml.get(..before), xml.get(after..)) else {
            return Err(ReportError::Xml("its root stands nowhere".into()));
        };
        return Ok(format!("{head}<{root}{closing}{rest}"));
    }
}

/// Returns the content of the start tag, name and only the allowed attributes, still escaped. Fails if an attribute
/// cannot be parsed.
fn reduce(start: &BytesStart<'_>) -> Result<Vec<u8>, quick_xml::Error> {
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
