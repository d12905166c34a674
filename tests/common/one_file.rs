//! Reads an HTML report in one file.

use std::io::Read as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::Value;

/// Returns the elements with base64 data: their ids and the decoded bytes.
pub fn embedded(page: &str) -> Vec<(String, Vec<u8>)> {
    let elements = page.split("<script type=\"text/plain\" id=\"").skip(1);
    let bytes = |element: &str| {
        let (id, rest) = element.split_once('"')?;
        let (_, text) = rest.split_once('>')?;
        let text = text.split_once("</script>")?.0;
        Some((id.to_owned(), BASE64_STANDARD.decode(text).ok()?))
    };
    elements.filter_map(bytes).collect()
}

/// Returns the unpacked data of all flows.
pub fn data(page: &str) -> Vec<String> {
    let packed = embedded(page).into_iter();
    let packed = packed.filter(|(id, _)| id.starts_with("flow-"));
    let unpacked = |(_, bytes): (String, Vec<u8>)| {
        let mut text = String::new();
        let mut reader = flate2::read::GzDecoder::new(&bytes[..]);
        reader.read_to_string(&mut text).expect("it unpacks");
        text
    };
    packed.map(unpacked).collect()
}

/// Returns the summary.
pub fn summary(page: &str) -> Value {
    let (_, data) = page.split_once("id=\"summary\">").expect("a summary");
    let (data, _) = data.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}
