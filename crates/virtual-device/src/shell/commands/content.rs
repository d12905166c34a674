//! `content`: the provider of settings, which is the only one here.

use super::{Call, Outcome, properties};

/// Request from `content`'s arguments.
#[derive(Debug, Default)]
struct Request {
    uri: String,
    /// Columns with their values.
    bound: Vec<(String, String)>,
    filter: Option<String>,
    projection: Option<String>,
}

/// Error of `content`'s arguments, in its own words.
#[derive(Debug, thiserror::Error)]
enum RequestError {
    #[error("No argument for: {0}")]
    NoValue(String),
    #[error("Binding not well formed: {0}")]
    Binding(String),
    #[error("Unsupported argument: {0}")]
    Unsupported(String),
    #[error("Content provider URI not specified. Did you specify --uri argument?")]
    NoUri,
}

impl Request {
    /// Parses the arguments after the verb. `--user`, `--sort` and `--extra` are read and ignored. Fails for
    /// an unknown argument, a missing value, a malformed `--bind`, and without `--uri`.
    fn read(words: &[String]) -> Result<Self, RequestError> {
        let mut request = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next().cloned();
                value.ok_or_else(|| RequestError::NoValue(word.clone()))
            };
            match word.as_str() {
                "--uri" => request.uri = value()?,
                "--where" => request.filter = Some(value()?),
                "--projection" => request.projection = Some(value()?),
                "--user" | "--sort" | "--extra" => drop(value()?),
                "--bind" => {
                    let binding = value()?;
                    // COLUMN:TYPE:VALUE, and a value may have colons.
                    let mut parts = binding.splitn(3, ':');
                    match (parts.next(), parts.next(), parts.next()) {
                        (Some(column), Some(kind), Some(value)) if kind.len() == 1 => {
                            request.bound.push((column.to_owned(), value.to_owned()));
                        }
                        _ => return Err(RequestError::Binding(binding)),
                    }
                }
                _ => return Err(RequestError::Unsupported(word.clone())),
            }
        }
        if request.uri.is_empty() {
            return Err(RequestError::NoUri);
        }
        Ok(request)
    }

    fn bound(&self, column: &str) -> Option<&str> {
        let found = self.bound.iter().find(|(known, _)| known == column);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the namespace of settings that the URI names, and the key if the URI has one. Returns `None`
    /// if it is not one of `system`, `secure` and `global` under `content://settings/`.
    fn setting(&self) -> Option<(&str, Option<&str>)> {
        let path = self.uri.strip_prefix("content://settings/")?;
        let (space, key) = match path.split_once('/') {
            Some((space, key)) => (space, Some(key)),
            None => (path, None),
        };
        ["system", "secure", "global"]
            .contains(&space)
            .then_some((space, key))
    }

    /// Returns the key that the URI names, else the one of `--where "name='KEY'"`, where the quotes may be missing.
    /// Filters of another column, and of more than the name, give none.
    fn key(&self) -> Option<&str> {
        let filter = self.filter.as_deref().and_then(|text| {
            let (column, value) = text.split_once('=')?;
            let value = value.trim().trim_matches(['\'', '"']);
            let is_key = column.trim() == "name" && !value.contains(['\'', '"', ' ']);
            is_key.then_some(value)
        });
        self.setting().and_then(|(_, key)| key).or(filter)
    }
}

/// `content insert|update|delete|query --uri URI …`, for settings only. Other providers give an error with exit
/// code 0, as on phones, and other mistakes 1. Deleting without a key deletes nothing.
/// Insert and update are the same, and fail with 1 without a key or a value.
pub(super) fn content(call: &mut Call) -> Outcome {
    let args = call.owned_args();
    let Some((verb, words)) = args.split_first() else {
        return call.fail(1, "[ERROR] Unsupported operation: null");
    };
    let request = match Request::read(words) {
        Ok(request) => request,
        Err(problem) => return call.fail(1, format!("[ERROR] {problem}")),
    };
    let Some((space, _)) = request.setting() else {
        let rest = request.uri.strip_prefix("content://").unwrap_or_default();
        let provider = rest.split('/').next().unwrap_or_default().to_owned();
        // The exit code is 0 on phones too.
        return call.fail(
            0,
            format!("Error while accessing provider:{provider}\njava.lang.IllegalStateException: Could not find provider: {provider}"),
        );
    };
    let space = space.to_owned();
    match verb.as_str() {
        "insert" | "update" => {
            let key = request.bound("name").or_else(|| request.key());
            let (Some(key), Some(value)) = (key, request.bound("value")) else {
                return call.fail(
                    1,
                    "[ERROR] a setting needs --bind name:s:NAME and --bind value:s:VALUE",
                );
            };
            properties::put(call, &space, key, value);
        }
        "delete" => {
            if let Some(key) = request.key() {
                properties::delete(call, &space, key);
            }
        }
        "query" => query(call, &space, &request),
        other => return call.fail(1, format!("[ERROR] Unsupported operation: {other}")),
    }
    Outcome::Exit(0)
}

/// Prints the settings of a namespace as rows, all or the one of the key. Columns of the projection keep their
/// usual order; unknown ones are left out. Without any row it says `No result found.`
fn query(call: &mut Call, space: &str, request: &Request) {
    let settings = call.device.system().settings.clone();
    let wanted = request.key();
    let rows = settings
        .into_iter()
        .filter(|((of, key), _)| of == space && wanted.is_none_or(|wanted| wanted == key));
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        call.say("No result found.");
    }
    for (row, ((_, key), value)) in rows.into_iter().enumerate() {
        let columns = [
            ("_id", (row + 1).to_string()),
            ("name", key),
            ("value", value),
        ];
        let shown = columns.iter().filter(|(name, _)| {
            let projection = request.projection.as_deref();
            projection.is_none_or(|columns| columns.split(':').any(|column| column == *name))
        });
        let cells: Vec<String> = shown
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        call.say(format!("Row: {row} {}", cells.join(", ")));
    }
}
