//! Advice for a word without a dash: the option that its shape belongs to, such as `--device` for a serial.

use std::path::Path;

use super::subcommand::{Subcommand, long_options};

/// Options that take a file, each with the ends of such names.
const FILES: [(&str, &[&str]); 6] = [
    ("app", &[".apk"]),
    ("dump", &[".xml"]),
    ("screenshot", &[".png", ".jpg"]),
    ("bundle", &[".zip"]),
    ("from", &[".zip"]),
    ("decisions", &[".json"]),
];

/// Returns advice for a word where a subcommand takes none, or no further one: the option that its shape belongs
/// to, else to leave it out.
pub(super) fn surplus(word: &str, called: &Subcommand<'_>, program: &clap::Command) -> String {
    let name = &called.name;
    if name == "config" {
        return "`runner config` prints all settings; each is changed in runner.yaml, or by its option"
            .to_owned();
    }
    let options = long_options(called.command, program);
    match with_option(word, &options) {
        Some(option) => format!("write `{option}`: `runner {name}` takes no further word"),
        None => format!("leave `{word}` out: `runner {name}` takes no further word"),
    }
}

/// Returns the option with which a word of `runner test` is probably meant, such as `--device emulator-5554`;
/// `None` if the word looks like a part of a flow's name.
pub(in super::super) fn option_for(word: &str) -> Option<String> {
    if word == "json" {
        return Some("--format json".to_owned());
    }
    with_option(word, &["device", "app", "env", "tag", "help"])
}

/// Returns the word behind the option of `options` that its shape belongs to: the option's own name, a tag behind
/// `@`, `KEY=VALUE` or an option's `NAME=VALUE`, a serial, a port, a folder of an app, or a file by the end of its
/// name. Only options in `options` count. `None` for other words. A serial is one of an emulator, an address, or
/// `virtual`.
pub(super) fn with_option(word: &str, options: &[&str]) -> Option<String> {
    let has = |name: &str| options.contains(&name);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if has(word) {
        return Some(format!("--{word}"));
    }
    if let Some(tag) = word.strip_prefix('@').filter(|tag| !tag.is_empty()) {
        return has("tag").then(|| format!("--tag {tag}"));
    }
    if let Some((key, value)) = word.split_once('=') {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        return if has(key) {
            Some(format!("--{key} {value}"))
        } else {
            let is_key = !key.is_empty() && key.chars().all(is_name) && has("env");
            is_key.then(|| format!("--env {word}"))
        };
    }
    let is_address = word.rsplit_once(':').is_some_and(|(host, port)| {
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
        let is_known = host == "localhost" || host.contains('.');
        is_known && host.chars().all(is_host) && is_number(port)
    });
    if has("device") && (word == "virtual" || word.starts_with("emulator-") || is_address) {
        return Some(format!("--device {word}"));
    }
    if has("port") && is_number(word) {
        return Some(format!("--port {word}"));
    }
    if has("app") && Path::new(word).join("app.yaml").is_file() {
        return Some(format!("--app {word}"));
    }
    let mut files = FILES.iter();
    let (option, _) =
        files.find(|(option, ends)| has(option) && ends.iter().any(|end| word.ends_with(*end)))?;
    Some(format!("--{option} {word}"))
}
