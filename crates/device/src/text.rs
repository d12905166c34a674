//! Types text of any script into the focused field: by keys if each character has one, else through a
//! keyboard that takes broadcasts.
//!
//! Text is typed as a whole or not at all: nothing is sent before it is certain that all of it can be. A long
//! one is sent in parts.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::command::{QUICK, failed};
use super::message::{is_complaint, is_missing};
use super::questions::ask_texts;
use super::{Device, DeviceError, INPUT_LIMIT, Input, Key, Script, quote, reading};

/// Keyboards that take text by broadcast, as `PACKAGE/CLASS`.
const BROADCAST_KEYBOARDS: [&str; 1] = ["com.android.adbkeyboard/.AdbIME"];
/// Action of the broadcast, with the text in Base64 in the extra `msg` (`ADBKeyBoard`).
const BROADCAST: &str = "ADB_INPUT_B64";
/// Bytes of text in one broadcast. Chosen: with [`PIECES_PER_SCRIPT`] a script stays below the limit that every
/// connection carries.
const PIECE_BYTES: usize = 2000;
/// Broadcasts in one script; a longer script would exceed what every connection carries.
const PIECES_PER_SCRIPT: usize = 10;
/// Limit for a broadcast keyboard to take its text. Chosen: each broadcast starts a process, which takes up
/// to a second.
const COMMIT_LIMIT: Duration = Duration::from_secs(20);

/// Returns true if each character has a key, so that `input text` can type it: printable ASCII, line ends
/// (LF) and tabs. True for an empty text.
pub fn has_keys(text: &str) -> bool {
    text.chars()
        .all(|character| matches!(character, ' '..='~' | '\n' | '\t'))
}

/// Converts `text` into inputs; `None` if a character has no key, also CR, and nothing should be typed then. A
/// line end becomes the key ENTER, a tab the key TAB; the text between them is one input each. An empty text has
/// no inputs.
pub fn inputs(text: &str) -> Option<Vec<Input>> {
    if !has_keys(text) {
        return None;
    }
    let mut inputs = Vec::new();
    let mut plain = String::new();
    for character in text.chars() {
        let key = match character {
            '\n' => "ENTER",
            '\t' => "TAB",
            other => {
                plain.push(other);
                continue;
            }
        };
        flush(&mut plain, &mut inputs);
        inputs.push(Input::Key {
            key: Key::named(key),
            long: false,
        });
    }
    flush(&mut plain, &mut inputs);
    Some(inputs)
}

fn flush(plain: &mut String, inputs: &mut Vec<Input>) {
    if !plain.is_empty() {
        inputs.push(Input::Text(std::mem::take(plain)));
    }
}

/// Types text of any script into the focused field, at its cursor. Text with characters without a key
/// needs a keyboard that takes broadcasts, see [`commit`].
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if such a keyboard is needed and missing; nothing was typed then.
pub async fn type_text(device: &dyn Device, text: &str) -> Result<(), DeviceError> {
    match inputs(text) {
        Some(inputs) => device.input(&inputs, INPUT_LIMIT).await,
        None => commit(device, text, &|usual| usual).await,
    }
}

/// Types text through a keyboard that takes broadcasts; a device's own server types it itself. Each script selects
/// that keyboard and then the old one again, even after a failure. The text goes in pieces, so a failure may leave
/// a part of it typed. `bound` turns the default limit of each script into the one to use.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if no such keyboard is enabled; nothing was typed then.
pub async fn commit(
    device: &dyn Device,
    text: &str,
    bound: &(dyn Fn(Duration) -> Duration + Sync),
) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.type_text(text, bound(COMMIT_LIMIT)).await;
    }
    let Keyboards { broadcast, current } = keyboards(device, bound(QUICK)).await?;
    let Some(keyboard) = broadcast else {
        return Err(missing_keyboard());
    };
    // Each script restores the keyboard itself, as the connection may be lost before another one.
    let pieces: Vec<&str> = pieces(text).collect();
    for pieces in pieces.chunks(PIECES_PER_SCRIPT) {
        let script = commit_script(pieces, &keyboard, &current);
        let output = device.shell(&script, bound(COMMIT_LIMIT)).await?;
        if output.message().has_line(is_complaint) || output.exit_code.is_some_and(|code| code != 0)
        {
            return Err(failed(&script, &output));
        }
    }
    Ok(())
}

/// Returns the enabled keyboard that takes broadcasts, as `PACKAGE/CLASS`; `None` if none is enabled. A device
/// without `ime` is [`DeviceError::Unsupported`].
pub async fn broadcast_keyboard(device: &dyn Device) -> Result<Option<String>, DeviceError> {
    Ok(keyboards(device, QUICK).await?.broadcast)
}

struct Keyboards {
    broadcast: Option<String>,
    /// Keyboard in use, `null` if there is none, empty if the device does not tell.
    current: String,
}

/// Asks for the current keyboard and for an enabled one that takes text by broadcast. A device without `ime` is
/// [`DeviceError::Unsupported`]. Other failed commands are no error, but leave a keyboard out.
async fn keyboards(device: &dyn Device, limit: Duration) -> Result<Keyboards, DeviceError> {
    let questions = [
        "ime list -s 2>&1",
        "settings get secure default_input_method",
    ];
    let [list, current] = ask_texts(device, "ime list", questions, limit).await?;
    if is_missing(&list) {
        return Err(missing_keyboard());
    }
    Ok(Keyboards {
        broadcast: list
            .lines()
            .map(str::trim)
            .find(|line| BROADCAST_KEYBOARDS.contains(line))
            .map(str::to_owned),
        // An old shell has one stream, in which warnings of the linker may stand before the answer.
        current: reading::lines(&current)
            .and_then(|lines| lines.last().map(|line| (*line).to_owned()))
            .unwrap_or_default(),
    })
}

/// Builds the [`DeviceError::Unsupported`] that characters without a key need another keyboard.
fn missing_keyboard() -> DeviceError {
    DeviceError::Unsupported {
        what: "type characters that have no key".to_owned(),
        missing: format!(
            "install a keyboard that takes text by broadcast, such as ADBKeyBoard, and enable it with `ime enable {}`",
            BROADCAST_KEYBOARDS[0]
        ),
    }
}

/// Builds the script that selects the keyboard unless it is `current`, waits half a second for it, sends the pieces
/// in their order until one fails, and selects `current` again even after a failure. If no keyboard was selected
/// before (`null`), or it is not known, none is restored. The script is private, so it is not logged.
fn commit_script(pieces: &[&str], keyboard: &str, current: &str) -> Script {
    let broadcasts: Vec<String> = pieces
        .iter()
        .map(|piece| {
            format!(
                "am broadcast -a {BROADCAST} --es msg {}",
                quote(&STANDARD.encode(piece))
            )
        })
        .collect();
    let send = broadcasts.join(" && ");
    let script = if keyboard == current {
        send
    } else {
        // `null` means that no keyboard was selected, so there is none to restore.
        let back = if current.contains('/') {
            format!(
                "; sent=$?; ime set {} >/dev/null; (exit $sent)",
                quote(current)
            )
        } else {
            String::new()
        };
        // A keyboard takes broadcasts only once it is bound, which takes a moment.
        format!(
            "ime set {} >/dev/null && sleep 0.5 && {send}{back}",
            quote(keyboard)
        )
    };
    Script::raw(script, format!("am broadcast -a {BROADCAST}")).private()
}

/// Cuts a text into pieces of at most [`PIECE_BYTES`], between characters. An empty text has none.
#[expect(
    clippy::disallowed_methods,
    reason = "all pieces are typed, in private scripts; none is shown"
)]
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShellOutput;
    use crate::fake::Fake;

    #[test]
    fn lines_and_tabs_are_keys() {
        let key = |name: &str| Input::Key {
            key: name.parse().unwrap(),
            long: false,
        };
        assert_eq!(
            inputs("a b\n\tc"),
            Some(vec![
                Input::Text("a b".to_owned()),
                key("ENTER"),
                key("TAB"),
                Input::Text("c".to_owned()),
            ])
        );
        assert_eq!(inputs(""), Some(vec![]));
        for text in ["ä", "日本", "👍", "a\u{0}"] {
            assert_eq!(inputs(text), None, "{text}");
        }
    }

    #[test]
    fn a_keyboard_is_borrowed_and_given_back() {
        let borrowed = commit_script(&["é"], "com.android.adbkeyboard/.AdbIME", "com.x/.Latin");
        assert_eq!(
            borrowed.text(),
            "ime set com.android.adbkeyboard/.AdbIME >/dev/null && sleep 0.5 && am broadcast -a ADB_INPUT_B64 --es msg w6k=; sent=$?; ime set com.x/.Latin >/dev/null; (exit $sent)"
        );
        let already = commit_script(&["é"], "k/.K", "k/.K");
        assert_eq!(
            already.text(),
            "am broadcast -a ADB_INPUT_B64 --es msg w6k="
        );
    }

    #[tokio::test]
    async fn the_keyboard_is_given_back_whatever_the_linker_warns_of() {
        for warning in ["", "WARNING: linker: libx.so: Error: unused DT entry\n"] {
            let fake = Fake::showing([""]).on_shell(move |script| {
                let mut words = script.split([' ', ';']);
                let said = match words.find(|word| word.starts_with("@runner-")) {
                    Some(mark) => format!(
                        "{}\n\n{mark}\n{warning}com.x/.Latin\n",
                        BROADCAST_KEYBOARDS[0]
                    ),
                    None => String::new(),
                };
                ShellOutput {
                    stdout: said.into_bytes(),
                    stderr: warning.into(),
                    exit_code: Some(0),
                }
            });
            commit(fake.as_ref(), "é", &|usual| usual).await.unwrap();
            let last = fake.with(|state| state.scripts.last().cloned()).unwrap();
            assert!(last.contains("; ime set com.x/.Latin "), "{last}");
        }
    }

    proptest::proptest! {
        #[test]
        fn pieces_are_the_whole_text(text in "(a|é|日|👍){0,3000}") {
            let joined: String = pieces(&text).collect();
            proptest::prop_assert_eq!(joined, text.clone());
            proptest::prop_assert!(pieces(&text).all(|piece| piece.len() <= PIECE_BYTES));
        }
    }
}
