//! Tests every tool with every argument left out, `null`, or of a wrong type.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use runner_tools::Failure;
use runner_tools::arguments::{Arguments, Wording, alternatives, required};
use runner_tools::registry::entries;

/// Words of serde and Rust that no message may contain.
const FOREIGN: [&str; 14] = [
    "invalid type",
    "invalid value",
    "unknown variant",
    "unknown field",
    "missing field",
    "did not match",
    "expected",
    "serde",
    "struct",
    "enum",
    "f64",
    "u64",
    "u32",
    "Option",
];

struct CheckedTool {
    name: &'static str,
    schema: Value,
    check: Box<dyn Fn(Value) -> Result<(), Failure>>,
}

fn inline(schema: impl Fn(&mut SchemaGenerator) -> Schema) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    schema(&mut settings.into_generator()).to_value()
}

/// Returns every tool of every catalogue, with the checks that a client's arguments pass.
fn all() -> Vec<CheckedTool> {
    let devices = entries().iter().map(|entry| CheckedTool {
        name: entry.name,
        schema: inline(|generator| entry.client_schema(generator)),
        check: Box::new(|args| {
            let args = entry.client_arguments(args)?.arguments;
            entry.check(&entry.with_client_defaults(args)?)
        }),
    });
    let agents = crate::entries().into_iter().map(|entry| CheckedTool {
        name: entry.name,
        schema: inline(|generator| entry.schema(generator)),
        check: Box::new(move |args| (entry.check)(args)),
    });
    devices.chain(agents).collect()
}

impl CheckedTool {
    fn properties(&self) -> Map<String, Value> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.cloned().unwrap_or_default()
    }

    fn needs(&self) -> Vec<&str> {
        required(&self.schema).collect()
    }

    /// Returns a sample value for each required argument.
    fn least(&self) -> Map<String, Value> {
        let properties = self.properties();
        let needed = self.needs();
        let needed = needed
            .into_iter()
            .map(|name| (name.to_owned(), sample(&properties[name])));
        let mut least: Map<String, Value> = needed.collect();
        // What the schema does not say.
        for (name, value) in [("by", "text"), ("direction", "up"), ("on", "a")] {
            let is_one_of =
                ["click", "double_click", "long_click", "swipe_across"].contains(&self.name);
            if least.contains_key(name) || is_one_of && properties.contains_key(name) {
                least.insert(name.to_owned(), value.into());
            }
        }
        // What is checked before anything runs.
        let checked = match self.name {
            "http" => Some(("url", json!("https://a"))),
            "push" => Some(("to", json!("/sdcard/a"))),
            "pull" => Some(("from", json!("/sdcard/a"))),
            "open_link" => Some(("link", json!("https://a"))),
            "grant" | "revoke" => Some(("permission", json!("CAMERA"))),
            "two_fingers" => Some(("scale", json!(2))),
            _ => None,
        };
        least.extend(checked.map(|(name, value)| (name.to_owned(), value)));
        least
    }
}

fn sample(schema: &Value) -> Value {
    if let Some(word) = schema.get("const").or_else(|| schema["enum"].get(0)) {
        return word.clone();
    }
    if let Some(one) = alternatives(schema).next() {
        return sample(one);
    }
    let kind = schema["type"]
        .as_str()
        .or_else(|| schema["type"][0].as_str());
    match kind {
        Some("string") => json!("a"),
        Some("boolean") => json!(true),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("array") => json!([]),
        Some("object") => {
            let inner =
                required(schema).map(|name| (name.to_owned(), sample(&schema["properties"][name])));
            Value::Object(inner.collect())
        }
        _ => json!("a"),
    }
}

/// Returns true if the schema allows values of this JSON type.
fn takes(schema: &Value, kind: &str) -> bool {
    let named = match &schema["type"] {
        Value::String(name) => name == kind,
        Value::Array(names) => names.iter().any(|name| name == kind),
        _ => false,
    };
    let is_free = schema.get("type").is_none()
        && alternatives(schema).next().is_none()
        && schema.get("enum").is_none();
    named || is_free || alternatives(schema).any(|schema| takes(schema, kind))
}

fn is_android(tool: &str) -> bool {
    let entry = runner_tools::registry::find(tool);
    entry.is_some_and(|entry| entry.catalogue == runner_tools::Catalogue::Android)
}

#[test]
fn t1_null_is_absent_for_every_optional_argument_of_every_tool() {
    let mut count = 0;
    for tool in all() {
        let least = tool.least();
        let plain = (tool.check)(Value::Object(least.clone()));
        let plain = plain.map_err(|failure| failure.message);
        for name in tool
            .properties()
            .keys()
            .filter(|name| !least.contains_key(*name))
        {
            let mut args = least.clone();
            args.insert(name.clone(), Value::Null);
            let with_null = (tool.check)(Value::Object(args));
            assert_eq!(
                with_null.map_err(|failure| failure.message),
                plain,
                "{}: {name}",
                tool.name
            );
            count += 1;
        }
    }
    assert!(count > 120, "{count}");
}

#[test]
fn t1_a_wrong_argument_is_told_by_its_name_and_in_the_tools_words() {
    let mut wrong = Vec::new();
    let mut notify = |tool: &str, name: &str, value: &Value, result: Result<(), Failure>| {
        let message = match result {
            Ok(()) => "it is taken".to_owned(),
            Err(failure) => failure.message.into(),
        };
        if !message.contains(name) || FOREIGN.iter().any(|word| message.contains(word)) {
            wrong.push(format!("{tool}, {name}: {value}: {message}"));
        }
    };
    let mut count = 0;
    for tool in all() {
        let least = tool.least();
        for (name, schema) in tool.properties() {
            for (kind, value) in [
                ("array", json!([["x"]])),
                ("object", json!({ "such": 1 })),
                ("integer", json!(5)),
                ("boolean", json!(true)),
            ] {
                // A number is a whole one, too; some tools take a number for a text.
                let is_told_later = (tool.name, name.as_str()) == ("runner_take_snapshot", "of");
                // As the reference's server does.
                let is_text = is_android(tool.name) && takes(&schema, "string");
                if is_told_later
                    || is_text && matches!(kind, "integer" | "boolean")
                    || takes(&schema, kind)
                    || kind == "integer" && takes(&schema, "number")
                {
                    continue;
                }
                let mut args = least.clone();
                args.insert(name.clone(), value.clone());
                notify(tool.name, &name, &value, (tool.check)(Value::Object(args)));
                count += 1;
            }
        }
        for name in tool.needs() {
            let mut args = least.clone();
            args.remove(name);
            notify(
                tool.name,
                name,
                &json!("missing"),
                (tool.check)(Value::Object(args)),
            );
            count += 1;
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(all().len() > 83 && count > 400, "{count}");
}

#[test]
fn t1_an_argument_that_is_not_there_is_told_with_those_that_are() {
    #[derive(Debug, serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Args {
        #[expect(dead_code, reason = "the test needs the derived parser only")]
        x: u32,
        #[expect(dead_code, reason = "the test needs the derived parser only")]
        #[serde(default)]
        word: Option<String>,
    }
    for (args, message) in [
        (
            json!({ "x": 1, "wrod": "a" }),
            "`t`: there is no parameter 'wrod'; there are: x, word",
        ),
        (
            json!({ "x": -1 }),
            "`t`: Parameter 'x' must be a whole number of at least 0, got: -1",
        ),
        (
            json!({ "x": 1, "word": 5 }),
            "`t`: Parameter 'word' must be text, got: 5",
        ),
        (
            json!({ "x": null }),
            "`t`: Missing required parameter 'x': a whole number of at least 0",
        ),
        (
            json!([1]),
            "`t`: its arguments must be an object, each by its name",
        ),
    ] {
        let read = Arguments::new("semantic.t", Wording::Own, args);
        let read = read.and_then(|args| args.read::<Args>());
        assert_eq!(read.unwrap_err().message, message);
    }
    let args = Arguments::new("t", Wording::Own, json!({ "x": 1, "word": null }));
    assert!(args.unwrap().read::<Args>().is_ok());
}
