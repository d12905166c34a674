//! Options that Maestro takes before `test`: `maestro --device X test flow.yaml`. They are moved behind it.

use std::ffi::OsString;

/// Options of Maestro's own with a value, each with what it is called behind `test`.
const WITH_VALUE: [(&str, &str); 6] = [
    ("-p", "--platform"),
    ("--platform", "--platform"),
    ("--device", "--device"),
    ("--udid", "--device"),
    ("--host", HOST),
    ("--port", PORT),
];
/// Options without a value.
const ALONE: [(&str, &str); 2] = [("--verbose", "-v"), ("--no-ansi", "--no-ansi")];
const HOST: &str = "--adb-host";
const PORT: &str = "--port";

/// Returns the words with the options before `test` behind it; as they are where others stand there.
pub fn moved(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
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

/// Splits words at `test` where only options of Maestro's stand before it.
fn options(words: &[OsString]) -> Option<(Vec<String>, &[OsString])> {
    let at = words.iter().position(|word| word == "test")?;
    let mut given: Vec<(&str, String)> = Vec::new();
    let mut alone = Vec::new();
    let mut before = words[..at].iter();
    while let Some(word) = before.next() {
        let word = word.to_str()?;
        if let Some((_, ours)) = ALONE.iter().find(|(name, _)| *name == word) {
            alone.push((*ours).to_owned());
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (word, before.next()?.to_str()?.to_owned()),
        };
        let (_, ours) = WITH_VALUE.iter().find(|(known, _)| *known == name)?;
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
            let words = moved(words.split(' ').map(OsString::from));
            let words: Vec<String> = words
                .iter()
                .map(|word| word.to_string_lossy().into())
                .collect();
            assert_eq!(words.join(" "), format!("runner {after}"));
        }
    }
}
