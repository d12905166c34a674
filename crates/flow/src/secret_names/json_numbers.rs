//! Finds numbers of a JSON text that are written there in another way than this program writes them.

/// Returns the numbers in a list or map of JSON that this program writes in another way, such as ids of more than 19
/// digits: an app shows them as the server wrote them. What is in quotes is skipped. Returns none for any other text.
pub(super) fn other_numbers(text: &str) -> Vec<&str> {
    let is_in_number = |it: char| it.is_ascii_digit() || "+-.eE".contains(it);
    let mut found = Vec::new();
    if !text.trim_start().starts_with(['{', '[']) {
        return found;
    }
    let mut rest = text;
    while let Some(at) = rest.find(|it: char| it == '"' || it == '-' || it.is_ascii_digit()) {
        rest = &rest[at..];
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = behind_quotes(quoted);
            continue;
        }
        let end = rest
            .find(|it: char| !is_in_number(it))
            .unwrap_or(rest.len());
        let (written, behind) = rest.split_at(end);
        rest = behind;
        let number: Option<serde_json::Number> = serde_json::from_str(written).ok();
        if number.is_some_and(|number| number.to_string() != written) {
            found.push(written);
        }
    }
    found
}

/// Returns what follows the closing quote of a JSON text whose opening quote stands before; nothing if it is not
/// closed.
fn behind_quotes(quoted: &str) -> &str {
    let mut is_escaped = false;
    for (at, letter) in quoted.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return &quoted[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::SecretNames;
    use runner_text::secret::Scrubber;

    #[test]
    fn a_secret_answer_hides_its_numbers_as_they_stand_in_it() {
        let ids = [
            "89445001021983048260",
            "12345678901234567890.5",
            "-89445001021983048260",
            "4.9151e12",
            "1234.50",
            "0.1234567890123456789",
            "5512345678",
        ];
        for id in ids {
            let text = format!(r#"{{ "a\"": [ 7, {id} ], "b": "shown 77777.70" }}"#);
            let json: Value = serde_json::from_str(&text).unwrap();
            let scrubber = Scrubber::default();
            let mut names = SecretNames::new(scrubber.clone());
            names.add(["S".to_owned()]);
            names.hide_value("S", &serde_json::json!({ "json": json, "text": text }));
            for (shown, masked) in [
                (format!("id {id}!"), "id ***!"),
                (format!("id {}!", json["a\""][1]), "id ***!"),
                (text.clone(), "***"),
                ("of 77777.70".to_owned(), "of 77777.70"),
            ] {
                assert_eq!(scrubber.scrub(&shown), masked, "{id}");
            }
        }
    }
}
