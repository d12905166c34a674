//! Reads a report in tests as a browser does: the summary, and the data of a flow.

use std::io::Read as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::read::GzDecoder;
use serde_json::Value;

/// Returns the summary of a page.
pub(crate) fn summary(page: &str) -> Value {
    let (_, data) = page.split_once("id=\"summary\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

/// Returns the data in the script of a flow.
pub(crate) fn script(script: &str) -> Value {
    let (_, data) = script.split_once("], ").unwrap();
    serde_json::from_str(data.trim_end().strip_suffix(");").unwrap()).unwrap()
}

/// Returns the decoded content of an element of a report of one file, or `None` if it is missing. `href` is a link
/// such as `#name`; panics without the `#`, or if the content is no Base64. Gzipped data stays gzipped.
pub(crate) fn bytes(page: &str, href: &str) -> Option<Vec<u8>> {
    let id = format!("id=\"{}\"", href.strip_prefix('#').unwrap());
    let (_, rest) = page.split_once(&id)?;
    let (_, text) = rest.split_once('>').unwrap();
    let text = text.split_once("</script>").unwrap().0;
    Some(BASE64_STANDARD.decode(text).unwrap())
}

/// Returns the data of a flow in a report of one file. Panics if it is missing or no gzipped JSON.
pub(crate) fn embedded(page: &str, href: &str) -> Value {
    let mut text = String::new();
    let packed = bytes(page, href).unwrap();
    GzDecoder::new(&packed[..])
        .read_to_string(&mut text)
        .unwrap();
    serde_json::from_str(&text).unwrap()
}
