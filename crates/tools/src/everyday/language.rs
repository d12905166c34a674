//! Checks of language tags that a flow sets on the device.

use crate::{Failure, Words};

/// Languages of two letters: ISO 639-1, and their former codes that Java still writes (`iw`, `in`, `ji`).
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy \
    da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik \
    in io is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn \
    mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si \
    sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za \
    zh zu";

/// Tags that editors offer: widely read languages, one written from right to left, and Android's
/// pseudo-locales with long and mirrored texts.
pub const EXAMPLES: [&str; 18] = [
    "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "pt-BR", "nl-NL", "pl-PL", "tr-TR",
    "ru-RU", "ja-JP", "ko-KR", "zh-CN", "hi-IN", "ar-EG", "en-XA", "ar-XB",
];

/// English names of languages with their tags.
const NAMES: &[(&str, &str)] = &[
    ("arabic", "ar-EG"),
    ("chinese", "zh-CN"),
    ("dutch", "nl-NL"),
    ("english", "en-US"),
    ("french", "fr-FR"),
    ("german", "de-DE"),
    ("hebrew", "he-IL"),
    ("hindi", "hi-IN"),
    ("italian", "it-IT"),
    ("japanese", "ja-JP"),
    ("korean", "ko-KR"),
    ("polish", "pl-PL"),
    ("portuguese", "pt-BR"),
    ("russian", "ru-RU"),
    ("spanish", "es-ES"),
    ("swedish", "sv-SE"),
    ("turkish", "tr-TR"),
    ("ukrainian", "uk-UA"),
];

/// Guesses the intended tag from a language's English name such as `German`, or from a locale as Linux prints
/// it, such as `de_DE.UTF-8`. `None` for all else, also for a tag that is right already.
fn intended(tag: &str) -> Option<String> {
    let by_name = NAMES
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(tag));
    let without_charset = || {
        let bare = tag
            .split('.')
            .next()
            .unwrap_or(tag)
            .trim()
            .replace('_', "-");
        (bare != tag).then_some(bare)
    };
    by_name
        .map(|(_, tag)| (*tag).to_owned())
        .or_else(without_charset)
}

/// Refuses tags, separated by commas, whose language does not exist. Android would accept it, and the app
/// would show its default texts. A tag is wrong if its language has neither two nor three letters, if it
/// contains `.` or `_`, or if its two letters are no known language. Three letters are not looked up. An
/// empty tag and one with an expression `${…}` pass.
pub(super) fn check(locale: &str) -> Result<(), Failure> {
    let unknown = locale.split(',').find(|tag| {
        let language = tag.split(['-', '_']).next().unwrap_or_default().trim();
        // Codes of three letters are too many to list.
        let known = || {
            LANGUAGES
                .split(' ')
                .any(|known| known.eq_ignore_ascii_case(language))
        };
        let is_tag = (2..=3).contains(&language.len()) || language.is_empty();
        let is_expression = tag.contains("${");
        !is_expression && (!is_tag || tag.contains(['.', '_']) || language.len() == 2 && !known())
    });
    match unknown {
        None => Ok(()),
        Some(tag) => {
            let meant = intended(tag).unwrap_or_else(|| "a tag such as de-DE".to_owned());
            Err(Failure::usage(Words::format(
                "`locale` is {}, which is no tag of a language; write {}",
                &[&tag, &meant],
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_language_that_nobody_speaks_is_refused() {
        for (tag, holds) in [
            ("de-DE", true),
            ("EN-us", true),
            ("zh-Hant-TW", true),
            ("en-XA", true),
            ("iw", true),
            ("fil-PH", true),
            ("de-DE,en-US", true),
            ("${LOCALE}", true),
            ("", true),
            ("german", false),
            ("de_DE.UTF-8", false),
            ("de_DE", false),
            ("xx-YY", false),
            ("de,qq", false),
        ] {
            assert_eq!(check(tag).is_ok(), holds, "{tag}");
        }
    }
}
