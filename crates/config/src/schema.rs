//! JSON Schema of `runner.yaml`.

use serde_json::{Value, json};

use super::small_schemas::{map, names};
use super::table::rows;

/// Builds the JSON Schema of `runner.yaml`, for editors and for checking the file. The keys are in the order
/// of the settings; other keys are not allowed.
pub fn schema() -> Value {
    let mut properties = serde_json::Map::new();
    for row in rows() {
        let Some(key) = row.key else { continue };
        match key.split_once('.') {
            None => properties.insert(key.to_owned(), row.schema),
            Some((group, key)) => {
                let group = properties
                    .entry(group)
                    .or_insert_with(|| map(about_group(group), json!({})));
                group["properties"][key] = row.schema;
                None
            }
        };
        for extra in EXTRA_KEYS.iter().filter(|extra| extra.after == row.name) {
            properties.insert(extra.key.to_owned(), (extra.schema)());
        }
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A project of runner",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

/// Returns the description of a map of settings, such as `reports`; an empty text for an unknown one.
fn about_group(group: &str) -> &'static str {
    match group {
        "reports" => "Where reports are written.",
        "http" => "What flows may reach by HTTP.",
        "maestro" => "How Maestro's flows are run.",
        _ => "",
    }
}

/// Key of `runner.yaml` outside of the table of settings. No other source overrides it; flows, steps or
/// goldens read it themselves.
pub(super) struct ExtraKey {
    /// Setting after which `docs/reference/config.md` lists it.
    pub after: &'static str,
    pub key: &'static str,
    schema: fn() -> Value,
    /// Text for `docs/reference/config.md`.
    pub docs: &'static str,
}

/// All keys outside of the table of settings.
pub(super) const EXTRA_KEYS: [ExtraKey; 9] = [
    ExtraKey {
        after: "devices",
        key: "env",
        schema: || json!({ "type": "object", "additionalProperties": { "type": "string" }, "description": "Names and values for expressions." }),
        docs: "names and values for `${NAME}`",
    },
    ExtraKey {
        after: "devices",
        key: "secrets",
        schema: || json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "description": "Names of env values that no output may show." }),
        docs: "names of `env` whose values no output may show",
    },
    ExtraKey {
        after: "device_wait",
        key: "setup",
        schema: || steps("Steps before the setup of each flow."),
        docs: "steps before each flow: [below](#setup-and-teardown)",
    },
    ExtraKey {
        after: "device_wait",
        key: "on_failure",
        schema: || steps("Steps after a failure of a flow, after its own."),
        docs: "steps after a failure, before `teardown`: [below](#setup-and-teardown)",
    },
    ExtraKey {
        after: "device_wait",
        key: "teardown",
        schema: || steps("Steps after the teardown of each flow."),
        docs: "steps after each flow: [below](#setup-and-teardown)",
    },
    ExtraKey {
        after: "device_wait",
        key: "on_device",
        schema: || {
            map(
                "Steps once a device: around all its flows.",
                json!({
                    "setup": steps("Steps before the first flow of the device."),
                    "teardown": steps("Steps after the last flow of the device."),
                }),
            )
        },
        docs: "`{ setup, teardown }`: steps once a device: [below](#on_device)",
    },
    ExtraKey {
        after: "device_wait",
        key: "on_dialog",
        schema: super::dialogs::schema,
        docs: "what to do with [dialogs that hide the app](../guide/flows.md#dialogs-that-hide-the-app)",
    },
    ExtraKey {
        after: "history",
        key: "impact",
        schema: super::impact::schema,
        docs: "which flows files of the code concern, for [`--changed-since`](../guide/history.md#only-what-changed): patterns, each with `{ tags, flows }`",
    },
    ExtraKey {
        after: "history",
        key: "snapshot",
        schema: snapshot_schema,
        docs: "defaults of every snapshot: `{ tolerance: { cluster, specks }, masks, bars, windows, image, redactions, variants }`; see [Snapshots](../guide/snapshots.md)",
    },
];

/// Returns the schema of a list of steps. What is in a step is not checked by it.
fn steps(about: &str) -> Value {
    json!({
        "type": "array",
        "items": { "type": ["object", "string"] },
        "description": about,
    })
}

/// Returns the schema of `snapshot`.
fn snapshot_schema() -> Value {
    let mut redaction = map(
        "A text that is replaced on both sides before comparing.",
        json!({
            "pattern": { "type": "string", "minLength": 1, "maxLength": 1000, "format": "regex", "description": "Regular expression, anywhere in the cell." },
            "alias": { "type": "string", "minLength": 1, "maxLength": 100, "description": "What stands there instead; `{n}` numbers the different values of a screen." },
            "columns": { "type": "array", "items": { "enum": ["text", "desc", "res_id", "hint", "class"] }, "description": "Columns of the golden; text, desc and hint by default." },
        }),
    );
    redaction["required"] = json!(["pattern", "alias"]);
    map(
        "Defaults of every snapshot.",
        json!({
            "tolerance": map(
                "What a picture may differ by.",
                json!({
                    "cluster": { "type": "integer", "minimum": 0, "description": "Pixels of the largest cluster." },
                    "specks": { "type": "integer", "minimum": 0, "description": "Pixels of all smaller specks together." },
                }),
            ),
            "masks": { "type": "array", "description": "What is left out: selectors, or maps with `rect`." },
            "bars": { "type": "boolean", "description": "The system's bars are compared too." },
            "windows": { "enum": ["app", "all"], "description": "Whose windows count." },
            "image": { "enum": ["annotated", "raw", "none"], "description": "Which pictures are kept: also one with boxes, the screenshot alone, or none." },
            "redactions": {
                "type": "array",
                "maxItems": 100,
                "description": "What differs from run to run in texts.",
                "items": redaction,
            },
            "variants": {
                "type": "object",
                "description": "Variants of goldens by what a device is; the first that fits.",
                "additionalProperties": names("`virtual`, `emulator` or `phone`, `android-34`, a model, a render class; `*` stands for any text."),
            },
        }),
    )
}
