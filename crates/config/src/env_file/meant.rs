//! What was probably meant by a line of an env file that does not read. No value is told: it may be a secret.

/// Returns the key that was probably meant by one with other characters: `A` for `set A` and `$env:A`, and `my_key` for
/// `my-key` and `my key`. `None` if nothing is left of it.
pub(super) fn meant_key(name: &str) -> Option<String> {
    /// Words of shells and programs before a variable.
    const BEFORE: [&str; 12] = [
        "set", "setx", "setenv", "export", "declare", "readonly", "local", "let", "const", "var",
        "env", "*",
    ];
    let words = name.split([' ', '\t', ':', '$']);
    let words = words.filter(|word| !word.is_empty()).skip_while(|word| {
        word.starts_with('-') || BEFORE.contains(&word.to_ascii_lowercase().as_str())
    });
    let words: Vec<&str> = words.collect();
    // A word of another case may be a value, which is not told.
    let is_small = |word: &&str| word.contains(char::is_lowercase);
    let first = words.first().map(is_small);
    if words.iter().any(|word| Some(is_small(word)) != first) {
        return None;
    }
    let key = words.join("_").replace(['-', '.'], "_");
    let is_key = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_key.then_some(key)
}

/// Returns what is wrong with a line without `=`. The value of one in the form of YAML is not told.
pub(super) fn no_pair(line: &str) -> String {
    let is_name =
        |key: &&str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match line.split_once(':') {
        _ if line.starts_with('{') => {
            "this is JSON: write a line KEY=VALUE for each value, without brackets".to_owned()
        }
        _ if line.starts_with("//") || line.starts_with(';') => {
            "a comment begins with `#`".to_owned()
        }
        _ if line.starts_with('[') => "there are no sections here: leave the line out".to_owned(),
        Some((key, _)) if is_name(&key.trim()) => {
            format!("write `{}=…`, with `=` in place of `:`", key.trim())
        }
        _ => "write KEY=VALUE".to_owned(),
    }
}
