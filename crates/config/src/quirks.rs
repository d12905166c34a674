//! The setting `quirks`: deviations of some phones that the virtual device imitates.

use serde_json::{Value, json};

use super::layers::SourceContext;
use super::spec::Kind;
use super::value_error::ValueError;
use runner_virtual_device::Quirk;

/// Kind of the setting `quirks`.
pub struct Quirks;

impl Kind for Quirks {
    type RawValue = Vec<String>;
    type Value = Vec<Quirk>;

    /// Allows a list of the names of quirks, each once.
    fn schema(about: &str) -> Value {
        let names: Vec<&str> = Quirk::all().map(Quirk::name).collect();
        json!({
            "type": "array",
            "uniqueItems": true,
            "items": { "enum": names },
            "description": about,
        })
    }

    /// Parses names with commas between. Empty parts are left out; the first unknown name is the error.
    fn read(text: &str) -> Result<Vec<String>, ValueError> {
        let names = text.split(',').map(str::trim);
        let read = |name: &str| match name.parse::<Quirk>() {
            Ok(quirk) => Ok(quirk.name().to_owned()),
            Err(error) => Err(ValueError::NotNamed(error.to_string())),
        };
        names.filter(|name| !name.is_empty()).map(read).collect()
    }

    /// Lists the names of all quirks, whatever the text.
    fn expected(_: &str) -> String {
        let names: Vec<&str> = Quirk::all().map(Quirk::name).collect();
        format!(
            "names of quirks with commas between them: {}",
            names.join(", ")
        )
    }

    fn value(given: &Vec<String>, _: &SourceContext) -> Option<Vec<Quirk>> {
        // The schema or `read` has already refused unknown names.
        Some(given.iter().filter_map(|name| name.parse().ok()).collect())
    }

    fn show(value: &Vec<Quirk>) -> Option<String> {
        let names: Vec<&str> = value.iter().map(|quirk| quirk.name()).collect();
        Some(names.join(", ")).filter(|names| !names.is_empty())
    }
}
