//! Arguments as tools read them: `null` is absent, and an invalid argument is reported in the tool's words, never in
//! those of the deserializer.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Failure;
use super::code::invalid;
use super::schemas::{MakeSchema, inline_schema};
use runner_text::secret::Excerpt;

/// Characters of a value that an error repeats.
const MAX_DISPLAYED: usize = 60;

/// The deserializer's own messages. All others from it were written here, for whoever wrote the argument.
const OF_THE_DESERIALIZER: [&str; 9] = [
    "invalid type",
    "invalid value",
    "invalid length",
    "unknown variant",
    "unknown field",
    "missing field",
    "duplicate field",
    "data did not match",
    "expected",
];

/// Leaves out what is `null`: many clients send an optional argument so. No arguments at all are none.
pub(crate) fn without_nulls(args: &mut Value) {
    if args.is_null() {
        *args = Value::Object(Map::new());
    }
    if let Some(map) = args.as_object_mut() {
        map.retain(|_, value| !value.is_null());
    }
}

/// Reads the arguments of the tool of this name.
///
/// # Errors
/// Which argument does not read, and what it may be.
pub fn read<A: DeserializeOwned + JsonSchema>(name: &str, mut args: Value) -> Result<A, Failure> {
    // What stands before the dot is for flows: clients know the tool without it.
    let name = name.rsplit('.').next().unwrap_or(name);
    as_object(name, &mut args)?;
    A::deserialize(&args).map_err(|error| {
        let reader = Reader {
            schema: |generator| generator.subschema_for::<A>(),
            refuses: |args| A::deserialize(args).err().map(|error| error.to_string()),
        };
        invalid(format!(
            "`{name}`: {}",
            reader.why(&args, &error.to_string())
        ))
    })
}

fn as_object(name: &str, args: &mut Value) -> Result<(), Failure> {
    without_nulls(args);
    if args.is_object() {
        return Ok(());
    }
    // The deserializer would take a list, in the order of its own fields.
    Err(invalid(format!(
        "`{name}`: its arguments must be an object, each by its name"
    )))
}

/// What a type of arguments knows of itself, as functions: what is made of them is compiled once, not for each type.
struct Reader {
    schema: MakeSchema,
    /// The deserializer's error, `None` where the arguments read.
    refuses: fn(&Value) -> Option<String>,
}

impl Reader {
    /// Why the arguments do not read.
    fn why(&self, args: &Value, error: &str) -> String {
        let schema = inline_schema(self.schema);
        let Some(map) = args.as_object() else {
            return error.to_owned();
        };
        let known = schema.get("properties").and_then(Value::as_object);
        if schema.get("additionalProperties") == Some(&Value::Bool(false))
            && let Some(unknown) = map
                .keys()
                .find(|key| !known.is_some_and(|it| it.contains_key(*key)))
        {
            return unknown_parameter(unknown, known);
        }
        let property = |name: &str| known.and_then(|known| known.get(name));
        let missing = required(&schema).find(|name| !map.contains_key(*name));
        if let Some(missing) = missing.filter(|_| error.starts_with("missing field")) {
            let what = property(missing).map_or_else(String::new, may_be);
            return format!("Missing required parameter '{missing}': {what}");
        }
        // The argument without which there is another error, or none.
        let culprit = map.keys().find(|name| {
            let mut others = map.clone();
            others.remove(*name);
            (self.refuses)(&Value::Object(others)).is_none_or(|it| it != error)
        });
        let Some(name) = culprit else {
            return own_words(error)
                .unwrap_or_else(|| "its arguments do not go together".to_owned());
        };
        match (own_words(error), property(name)) {
            (Some(words), _) => format!("Parameter '{name}': {words}"),
            (None, Some(schema)) => format!(
                "Parameter '{name}' must be {}, got: {}",
                may_be(schema),
                display_value(map.get(name).unwrap_or(&Value::Null))
            ),
            (None, None) => format!("Parameter '{name}' does not fit"),
        }
    }
}

fn own_words(error: &str) -> Option<String> {
    let is_of_it = OF_THE_DESERIALIZER.iter().any(|it| error.contains(it));
    (!is_of_it).then(|| error.to_owned())
}

fn unknown_parameter(unknown: &str, known: Option<&Map<String, Value>>) -> String {
    let names: Vec<&str> = known
        .map(|known| known.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let unknown = Excerpt::new(unknown, MAX_DISPLAYED);
    if names.is_empty() {
        return format!("there is no parameter '{unknown}'; it takes none");
    }
    format!(
        "there is no parameter '{unknown}'; there are: {}",
        names.join(", ")
    )
}

/// The names of the properties that an object of this schema must have.
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

/// As existing texts write it: words in quotes.
fn display_value(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{}'", Excerpt::new(text, MAX_DISPLAYED)),
        other => Excerpt::new(&other.to_string(), MAX_DISPLAYED).to_string(),
    }
}

/// What a value of this schema may be, for whoever writes it.
fn may_be(schema: &Value) -> String {
    let words = choices(schema);
    if !words.is_empty() {
        return format!("one of {}", words.join(", "));
    }
    let mut kinds: Vec<String> = Vec::new();
    let mut add = |kind: String| {
        if !kind.is_empty() && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    };
    match schema.get("type") {
        Some(Value::String(kind)) => add(kind_words(kind, schema)),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            names.for_each(|kind| add(kind_words(kind, schema)));
        }
        _ => {}
    }
    alternatives(schema).for_each(|schema| add(may_be(schema)));
    if kinds.is_empty() {
        return "as its description says".to_owned();
    }
    kinds.retain(|kind| kind != NOTHING || schema.get("type").is_some_and(Value::is_string));
    kinds.join(" or ")
}

/// `null`, which is absent.
const NOTHING: &str = "nothing";

fn kind_words(kind: &str, schema: &Value) -> String {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let within = || match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    };
    match kind {
        "string" => "text".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => format!("a whole number{}", within()),
        "number" => format!("a number{}", within()),
        "array" => schema.get("items").map_or_else(
            || "a list".to_owned(),
            |items| format!("a list, each {}", may_be(items)),
        ),
        "object" => {
            let names: Vec<&str> = required(schema).collect();
            if names.is_empty() {
                "an object".to_owned()
            } else {
                format!("an object with {}", names.join(", "))
            }
        }
        _ => NOTHING.to_owned(),
    }
}

/// The schemas of which a value of this one may, or must, have one.
pub fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .filter_map(|name| schema.get(name)?.as_array())
        .flatten()
}

/// The words that it may be, where it may be nothing else.
fn choices(schema: &Value) -> Vec<String> {
    let own = schema.get("enum").and_then(Value::as_array);
    let only = schema.get("const");
    let mut words: Vec<String> = own
        .into_iter()
        .flatten()
        .chain(only)
        .filter(|value| !value.is_null())
        .map(display_value)
        .collect();
    let mut others = Vec::new();
    for schema in alternatives(schema) {
        let more = choices(schema);
        if more.is_empty() && schema.get("type") != Some(&Value::from("null")) {
            others.push(schema);
        }
        words.extend(more);
    }
    if others.is_empty() { words } else { Vec::new() }
}
