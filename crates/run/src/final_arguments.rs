//! Checks the arguments of a step whose expressions are evaluated.
//!
//! A complaint may advise what to write, which is made of the value that it refuses: of a part of it, in other
//! letters. So a complaint about a secret is made without the secret.

use serde_json::Value;

use runner_text::secret::Scrubber;
use runner_tools::{Entry, Failure, FailureKind, Words};

/// Checks a tool's final arguments, and returns them converted to the tool's types. Arguments without a secret are
/// checked by type only: the tool checks the rest when it is called. With a secret, the tool's own check is made here
/// too, so that its complaint is made without the secret.
///
/// # Errors
/// The first wrong argument, with secrets masked; if only the secret is wrong, its argument's name. No part of a secret
/// is in the message.
pub(super) fn checked(
    entry: &Entry,
    arguments: &Value,
    scrubber: &Scrubber,
) -> Result<Value, Failure> {
    let mut masked = arguments.clone();
    scrubber.scrub_json(&mut masked, &[]);
    if masked == *arguments {
        return with_types(entry, arguments);
    }
    fitting(entry, arguments).map_err(|_| {
        let without = fitting(entry, &masked).err();
        without.unwrap_or_else(|| unfit_secret(entry, arguments, &masked))
    })
}

/// Checks the arguments as the tool does when it is called, too.
fn fitting(entry: &Entry, arguments: &Value) -> Result<Value, Failure> {
    let arguments = with_types(entry, arguments)?;
    entry.check(&entry.arguments(arguments.clone())?)?;
    Ok(arguments)
}

fn with_types(entry: &Entry, arguments: &Value) -> Result<Value, Failure> {
    let checked = runner_flow::check_value(entry, arguments);
    checked.map_err(|error| Failure::new(FailureKind::Usage, error.to_string()))
}

/// Returns the failure, one of usage, for a secret that a tool does not take. It names the first argument that differs
/// when masked, and tells no value.
fn unfit_secret(entry: &Entry, arguments: &Value, masked: &Value) -> Failure {
    let mut names = arguments.as_object().into_iter().flatten();
    let name = names.find(|(name, value)| masked.get(name) != Some(*value));
    let name = name.map_or("", |(name, _)| name.as_str());
    Failure::usage(Words::format(
        "`{}` of `{}` holds a secret whose value it does not take; look at where the value comes from",
        &[&name, &entry.name],
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use runner_tools::registry::find;

    #[test]
    fn no_complaint_is_made_of_a_secret() {
        let secret = "Tr0ub4dor_xy.3-x";
        let scrubber = Scrubber::default();
        scrubber.add(secret);
        for text in [
            secret.to_owned(),
            format!("{secret}-US"),
            format!("de,{secret}"),
        ] {
            for (tool, arguments) in [
                ("set_device", json!({ "locale": text })),
                ("press", json!({ "key": text })),
                ("open_link", json!({ "url": text })),
                ("launch", json!({ "app": text })),
                ("grant", json!({ "permissions": [text] })),
                ("clear", json!({ "app": text })),
                ("assert log", json!({ "regex": format!("({text}") })),
                ("swipe", json!({ "direction": text })),
                ("rotate", json!({ "to": text })),
            ] {
                let entry = find(tool).unwrap();
                if let Err(failure) = checked(entry, &arguments, &scrubber) {
                    let message = failure.message.to_string().to_lowercase();
                    assert!(!message.contains("tr0u"), "{tool}: {message}");
                    assert!(!message.contains("3-x"), "{tool}: {message}");
                }
            }
        }
        let entry = find("set_device").unwrap();
        let of = |locale: &str| checked(entry, &json!({ "locale": locale }), &scrubber);
        let message = of(secret).unwrap_err().message.to_string();
        assert!(message.starts_with("`locale` of `set_device`"), "{message}");
        assert!(of("de-DE").is_ok());
    }
}
