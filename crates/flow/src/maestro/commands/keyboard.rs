//! Parses commands that type texts and press keys.

use crate::maestro::key::PressedKey;
use crate::maestro::options::Options;
use crate::maestro::reader::Reader;
use crate::maestro::tree::{MaestroCommand, RandomKind};
use runner_text::diagnostic::Code;

/// Default number of characters of `inputRandomText` and of digits of `inputRandomNumber`:
/// `InputRandomCommand` of Maestro's `Commands.kt`.
const RANDOM_LENGTH: u32 = 8;
/// Maximum number of these characters or digits. Chosen: no input field takes more, and typing it would take minutes.
const MAX_RANDOM_LENGTH: u32 = 10_000;

impl Reader<'_> {
    /// Reads a command about texts and keys; names without a branch count as `inputRandomColorName`. A missing text
    /// or key is reported and returns `None`. A missing length is [`RANDOM_LENGTH`], as is a wrong one after its
    /// report; one above [`MAX_RANDOM_LENGTH`] is reported, and returned.
    pub(super) fn keyboard_command(
        &mut self,
        name: &str,
        options: &Options<'_>,
    ) -> Option<MaestroCommand> {
        let kind = match name {
            "inputText" => {
                let text = self.required_text(options, "text")?;
                return Some(MaestroCommand::InputText(text));
            }
            "setClipboard" => {
                let text = self.required_text(options, "text")?;
                return Some(MaestroCommand::SetClipboard(text));
            }
            "eraseText" => {
                let count = self.option_number(options, "charactersToErase", "a whole number");
                return Some(MaestroCommand::EraseText(count));
            }
            "pressKey" => return self.press_key(options),
            "inputRandomText" => RandomKind::Text,
            "inputRandomNumber" => RandomKind::Number,
            "inputRandomEmail" => RandomKind::Email,
            "inputRandomPersonName" => RandomKind::PersonName,
            "inputRandomCityName" => RandomKind::CityName,
            "inputRandomCountryName" => RandomKind::CountryName,
            _ => RandomKind::ColorName,
        };
        let length = self.option_number(options, "length", "a whole number");
        if length.is_some_and(|length| length > MAX_RANDOM_LENGTH) {
            let message = format!("`length` is at most {MAX_RANDOM_LENGTH}");
            self.fail(options.node, Code::OutOfRange, message, None);
        }
        let length = length.unwrap_or(RANDOM_LENGTH);
        Some(MaestroCommand::InputRandom { kind, length })
    }

    /// Reads `pressKey`; a missing or unknown key, also one with `${…}`, is reported and returns `None`.
    fn press_key(&mut self, options: &Options<'_>) -> Option<MaestroCommand> {
        let Some(node) = options.get("key") else {
            self.missing(options, "key");
            return None;
        };
        let name = self.text(node)?;
        let key = PressedKey::from_name(&name.text);
        if key.is_none() {
            let message = format!("there is no key `{}`", name.text);
            let known = PressedKey::ALL.iter().map(|key| key.name());
            self.unknown_value(node, message, known);
        }
        key.map(MaestroCommand::PressKey)
    }
}
