//! Moves options that Maestro takes before `test` behind it: `maestro --device X test flow.yaml`.

use std::ffi::OsString;

/// Maestro's options with a value, each with its name behind `test`.
const VALUE_OPTIONS: [(&str, &str); 6] = [
    ("-p", "--platform"),
    ("--platform", "--platform"),
    ("--device", "--device"),
    ("--udid", "--device"),
    ("--host", HOST),
    ("--port", PORT),
];
/// Maestro's options without a value, each with its name behind `test`.
const SWITCHES: [(&str, &str); 2] = [("--verbose", "-v"), ("--no-ansi", "--no-ansi")];
const HOST: &str = "--adb-host";
const PORT: &str = "--port";

/// Returns the words with the options before `test` moved behind it, in this program's spelling. Only
/// Maestro's options are moved; if anything else is before `test`, returns the words unchanged.
pub fn move_behind_test(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let words: Vec<OsString> = words.into_iter().collect();
    let (Some(program), Some(rest)) = (words.first(), words.get(1..)) else {
        return words;
    };
    match options(rest) {
        Some((options, behind)) if !options.is_empty() => {
            let mut moved = vec![program.clone(), "test".into()];
            moved.extend(options.into_iter().map(OsString::from));
            moved.extend(behind.iter().cloned());
            moved
        }
        _ => words,
    }
}

/// Splits the words at the first `test`. Returns the options before it in this program's spelling as
/// `--name=value`, and the words after it. Returns `None` without `test`, or if anything but Maestro's
/// options is before it. A host with a port becomes a device.
fn options(words: &[OsString]) -> Option<(Vec<String>, &[OsString])> {
    let at = words.iter().position(|word| word == "test")?;
    let mut given: Vec<(&str, String)> = Vec::new();
    let mut alone = Vec::new();
    let mut before = words[..at].iter();
    while let Some(word) = before.next() {
        let word = word.to_str()?;
        if let Some((_, ours)) = SWITCHES.iter().find(|(name, _)| *name == word) {
            alone.push((*ours).to_owned());
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (word, before.next()?.to_str()?.to_owned()),
        };
        let (_, ours) = VALUE_OPTIONS.iter().find(|(known, _)| *known == name)?;
        given.push((*ours, value));
    }
    // A host with a port is a device; a host alone has the adb server.
    let port = given.iter().position(|(name, _)| *name == PORT);
    if let Some((_, port)) = port.map(|port| given.remove(port)) {
        let host = given.iter_mut().find(|(name, _)| *name == HOST);
        match host {
            Some(host) => *host = ("--device", format!("{}:{port}", host.1)),
            None => given.push(("--device", format!("localhost:{port}"))),
        }
    }
    let given = given
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"));
    Some((given.chain(alone).collect(), &words[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_before_test_stand_behind_it() {
        for (before, after) in [
            ("test a", "test a"),
            ("--platform android test a", "test --platform=android a"),
            (
                "-p android --verbose test a",
                "test --platform=android -v a",
            ),
            ("--udid X --no-ansi test", "test --device=X --no-ansi"),
            ("--host=h test a", "test --adb-host=h a"),
            ("--host h --port 7 test a", "test --device=h:7 a"),
            ("--port 7 test a", "test --device=localhost:7 a"),
            ("--log test test a", "--log test test a"),
            ("lint test", "lint test"),
            ("--device", "--device"),
        ] {
            let words = format!("runner {before}");
            let words = move_behind_test(words.split(' ').map(OsString::from));
            let words: Vec<String> = words
                .iter()
                .map(|word| word.to_string_lossy().into())
                .collect();
            assert_eq!(words.join(" "), format!("runner {after}"));
        }
    }
}
