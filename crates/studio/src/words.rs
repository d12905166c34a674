//! The words of the flow language, for completion: from the same schema that editors get.

use serde::Serialize;
use serde_json::{Map, Value};

use runner_screen::Selector;

/// Steps with their keys, keys of the header, keys of selectors; each with what it says of itself.
#[derive(Serialize)]
pub(super) struct WordsAnswer {
    steps: Vec<StepWord>,
    header: Vec<Word>,
    modifiers: Vec<Word>,
    selector: &'static [&'static str],
}

/// A step: alone, or with keys.
#[derive(Serialize)]
#[serde(untagged)]
enum StepWord {
    Bare {
        name: Value,
        bare: bool,
    },
    Map {
        name: String,
        about: Value,
        keys: Vec<Word>,
    },
}

#[derive(Serialize)]
struct Word {
    name: String,
    about: Value,
}

/// All words.
pub(super) fn all() -> WordsAnswer {
    let schema = runner_flow::schema();
    let definitions = &schema["definitions"];
    let header = described(&schema["properties"]);
    let mut steps = Vec::new();
    let mut modifiers = Map::new();
    for step in definitions["step"]["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
    {
        if let Some(words) = step["enum"].as_array() {
            steps.extend(words.iter().map(|word| StepWord::Bare {
                name: word.clone(),
                bare: true,
            }));
            continue;
        }
        let required = step["required"][0].as_str();
        let Some((name, properties)) = required.zip(step["properties"].as_object()) else {
            continue;
        };
        for (key, value) in properties {
            if key != name {
                modifiers.insert(key.clone(), about(value, definitions));
            }
        }
        let value = &properties[name];
        steps.push(StepWord::Map {
            name: name.to_owned(),
            about: about(value, definitions),
            keys: keys(value, definitions),
        });
    }
    let modifiers = modifiers.into_iter();
    WordsAnswer {
        steps,
        header,
        modifiers: modifiers
            .map(|(name, about)| Word { name, about })
            .collect(),
        selector: &Selector::KEYS,
    }
}

fn described(properties: &Value) -> Vec<Word> {
    let all = properties.as_object().into_iter().flatten();
    let word = |(name, value): (&String, &Value)| Word {
        name: name.clone(),
        about: value["description"].clone(),
    };
    all.map(word).collect()
}

fn about(value: &Value, definitions: &Value) -> Value {
    let named = value["$ref"]
        .as_str()
        .and_then(|name| name.rsplit('/').next());
    match (&value["description"], named) {
        (text @ Value::String(_), _) => text.clone(),
        (_, Some(name)) => definitions[name]["description"].clone(),
        _ => Value::Null,
    }
}

/// The keys of a step's map, in whichever of its forms has one.
fn keys(value: &Value, definitions: &Value) -> Vec<Word> {
    if let Some(properties) = value["properties"].as_object() {
        let word = |(name, value): (&String, &Value)| Word {
            name: name.clone(),
            about: about(value, definitions),
        };
        return properties.iter().map(word).collect();
    }
    let forms = ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| value[key].as_array());
    let all = forms.flatten().map(|form| keys(form, definitions));
    all.max_by_key(Vec::len).unwrap_or_default()
}
