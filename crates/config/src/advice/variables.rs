//! Advice for maps in place of the text of a variable of `env`.

use runner_flow::yaml::Node;

use super::tables::{lists, plain};

/// Returns advice for a map of variables under the name of an environment; `None` for other values of `env`. Values of
/// variables are not told: they may be secrets.
pub(super) fn environment(place: &[&str], node: &Node) -> Option<String> {
    /// Keys of a map that is one variable.
    const OF_ONE: &str = "value values default secret type description required name text";
    let ["env", name] = place else { return None };
    let (first, _) = node.entries().first()?;
    if let Some(advice) = one_variable(name, node) {
        return Some(advice);
    }
    if lists(OF_ONE, &plain(&first.text)) {
        return None;
    }
    let first = first.text.as_str();
    let file = if is_plain(name) { *name } else { "FILE" };
    let key = if is_plain(first) { first } else { "NAME" };
    Some(format!(
        "write the variables of an environment into a file of its own, a line `{key}=…` for each, and run `runner test --env-file {file}.env`; `env` has what holds everywhere, as `env: {{ {key}: … }}`"
    ))
}

/// Returns advice for a map that describes the variable `name`, as `{ value: x, secret: true }`: its value alone. One
/// of an account, as `{ name: ada, password: x }`, becomes a variable for each. `None` for other maps, such as those of
/// an environment.
fn one_variable(name: &str, node: &Node) -> Option<String> {
    const VALUE: &str = "value values default text";
    const ABOUT: &str = "secret type description required";
    const ACCOUNT: &str =
        "name username user password email login id first last firstname lastname pin";
    const ENVIRONMENTS: &str =
        "dev development test testing qa stage staging prod production local ci default demo";
    let keys: Vec<&str> = node
        .entries()
        .iter()
        .map(|(key, _)| key.text.as_str())
        .collect();
    if !is_plain(name) || !keys.iter().all(|key| is_plain(key)) {
        return None;
    }
    let first = plain(keys.first()?);
    if lists(VALUE, &first) || lists(ABOUT, &first) {
        let hidden = if keys.contains(&"secret") {
            format!("; `secrets: [{name}]` hides it")
        } else {
            String::new()
        };
        return Some(format!("write the text alone: `{name}: …`{hidden}"));
    }
    // Keys in capitals are variables, and the map an environment.
    let is_of_account = keys
        .iter()
        .all(|key| lists(ACCOUNT, &plain(key)) && is_lower(key))
        && !lists(ENVIRONMENTS, &plain(name));
    let each: Vec<String> = keys
        .iter()
        .map(|key| format!("`{name}_{key}: …`"))
        .collect();
    (is_of_account && each.len() <= 4).then(|| {
        format!(
            "a variable is one text: write one for each, {}",
            each.join(" and ")
        )
    })
}

/// Returns true if a text has no capital letter.
fn is_lower(text: &str) -> bool {
    !text.contains(char::is_uppercase)
}

/// Returns true if a text may be the name of a variable.
fn is_plain(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(is_letter)
}
