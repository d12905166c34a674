//! Checks of language tags that a flow sets on the device.

use crate::{Failure, Words};

/// Languages of two letters: ISO 639-1, and their former codes that Java still writes (`iw`, `in`, `ji`).
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy \
    da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik \
    in io is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn \
    mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si \
    sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za \
    zh zu";

/// Regions of two letters: ISO 3166-1, Kosovo, and those of Android's pseudo-locales.
const REGIONS: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT \
    BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET EU FI \
    FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR \
    IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM \
    MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT \
    PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM \
    TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XA XB XC XK YE YT ZA ZM ZW";

/// Codes of countries that people write for a language or region, with the language's tag.
const COUNTRIES: &[(&str, &str)] = &[
    ("cn", "zh-CN"),
    ("cz", "cs-CZ"),
    ("dk", "da-DK"),
    ("gb", "en-GB"),
    ("gr", "el-GR"),
    ("jp", "ja-JP"),
    ("kr", "ko-KR"),
    ("ua", "uk-UA"),
    ("us", "en-US"),
    ("vn", "vi-VN"),
];

/// Codes of three letters (ISO 639-2) of languages that have one of two, with the tags. A tag of BCP 47 has the shorter
/// one, so Android would know none of these.
const LONG_CODES: &[(&str, &str)] = &[
    ("ara", "ar-EG"),
    ("ces", "cs-CZ"),
    ("chi", "zh-CN"),
    ("cze", "cs-CZ"),
    ("dan", "da-DK"),
    ("deu", "de-DE"),
    ("dut", "nl-NL"),
    ("eng", "en-US"),
    ("fra", "fr-FR"),
    ("fre", "fr-FR"),
    ("ger", "de-DE"),
    ("heb", "he-IL"),
    ("hin", "hi-IN"),
    ("ita", "it-IT"),
    ("jpn", "ja-JP"),
    ("kor", "ko-KR"),
    ("nld", "nl-NL"),
    ("pol", "pl-PL"),
    ("por", "pt-BR"),
    ("rus", "ru-RU"),
    ("spa", "es-ES"),
    ("swe", "sv-SE"),
    ("tur", "tr-TR"),
    ("ukr", "uk-UA"),
    ("zho", "zh-CN"),
];

/// Regions that people write, with the codes.
const MEANT_REGIONS: &[(&str, &str)] = &[
    ("UK", "GB"),
    ("USA", "US"),
    ("GBR", "GB"),
    ("DEU", "DE"),
    ("GER", "DE"),
    ("FRA", "FR"),
    ("ESP", "ES"),
    ("ITA", "IT"),
    ("JPN", "JP"),
    ("CHN", "CN"),
    ("KOR", "KR"),
    ("BRA", "BR"),
    ("IND", "IN"),
];

/// Tags that editors offer: widely read languages, one written from right to left, and Android's
/// pseudo-locales with long and mirrored texts.
pub const EXAMPLES: [&str; 18] = [
    "en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "pt-BR", "nl-NL", "pl-PL", "tr-TR",
    "ru-RU", "ja-JP", "ko-KR", "zh-CN", "hi-IN", "ar-EG", "en-XA", "ar-XB",
];

/// Names of languages and countries that people write, with the tags. The first of a language has its usual region.
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
    ("deutsch", "de-DE"),
    ("germany", "de-DE"),
    ("français", "fr-FR"),
    ("francais", "fr-FR"),
    ("france", "fr-FR"),
    ("español", "es-ES"),
    ("espanol", "es-ES"),
    ("spain", "es-ES"),
    ("italiano", "it-IT"),
    ("italy", "it-IT"),
    ("japan", "ja-JP"),
    ("china", "zh-CN"),
    ("brazil", "pt-BR"),
];

/// Guesses the intended tag from the name of a language or country such as `German`, from a country's code, or
/// from a locale as Linux prints it, such as `de_DE.UTF-8`. `None` for all else, also for a tag that is right
/// already.
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
        let meant = meant_language(&bare);
        (bare != tag).then(|| meant.unwrap_or(bare))
    };
    let by_country = || {
        let mut countries = COUNTRIES.iter();
        let (_, tag) = countries.find(|(code, _)| code.eq_ignore_ascii_case(tag))?;
        Some((*tag).to_owned())
    };
    by_name
        .map(|(_, tag)| (*tag).to_owned())
        .or_else(by_country)
        .or_else(without_charset)
}

fn lists(codes: &str, code: &str) -> bool {
    let mut codes = codes.split(' ');
    codes.any(|known| known.eq_ignore_ascii_case(code))
}

/// Returns the tag that was meant by one whose parts are in the wrong order, whose region does not exist, or whose
/// language has a code of two letters: `zh-TW-Hant`, `en-UK`, `US-en`, `ger`. Returns `None` for a tag that may be
/// right, also for parts that are not looked up, such as variants.
fn meant_language(tag: &str) -> Option<String> {
    let tag = tag.trim();
    let parts: Vec<&str> = tag.split('-').collect();
    let mut long = LONG_CODES.iter();
    if let Some((_, usual)) = long.find(|(code, _)| code.eq_ignore_ascii_case(parts[0])) {
        let language = usual.split('-').next().unwrap_or_default();
        return Some(match &parts[1..] {
            [] => (*usual).to_owned(),
            rest => format!("{language}-{}", rest.join("-")),
        });
    }
    let is_script = |part: &str| part.len() == 4 && part.bytes().all(|b| b.is_ascii_alphabetic());
    let is_two = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
    match parts.as_slice() {
        [region, language] if !lists(LANGUAGES, region) && is_two(region) => {
            let is_turned = lists(REGIONS, region) && lists(LANGUAGES, language);
            let region = region.to_uppercase();
            is_turned.then(|| format!("{}-{region}", language.to_lowercase()))
        }
        [language, region, script] if is_script(script) && lists(REGIONS, region) => {
            Some(format!("{language}-{script}-{region}"))
        }
        [begin @ .., region] if !begin.is_empty() && begin[1..].iter().all(|it| is_script(it)) => {
            let mut meant = MEANT_REGIONS.iter();
            let meant = meant.find(|(code, _)| code.eq_ignore_ascii_case(region));
            let begin = begin.join("-");
            if let Some((_, code)) = meant {
                return Some(format!("{begin}-{code}"));
            }
            if !is_two(region) || lists(REGIONS, region) {
                return None;
            }
            let usual = NAMES.iter().map(|(_, tag)| *tag);
            let usual = usual.map(|tag| tag.split_once('-').unwrap_or((tag, "")));
            let mut same = usual
                .filter(|(language, _)| language.eq_ignore_ascii_case(&begin))
                .map(|(language, region)| format!("{language}-{region}"));
            Some(same.next().unwrap_or(begin))
        }
        _ => None,
    }
}

/// Checks one tag: Android would accept a wrong one, and the app would show its default texts. A tag is wrong if its
/// language has neither two nor three letters, if it contains `.` or `_`, or if two letters are no known language or
/// region. Three letters are looked up only where people write them for a region, as in `en-USA`, or for a language
/// that has a code of two, as in `ger`. An empty tag and one with an expression `${…}` pass.
///
/// # Errors
/// The tag that was meant, if it is known: `de-DE` for `german`, `zh-Hant-TW` for `zh-TW-Hant`.
pub fn check_language(tag: &str) -> Result<(), Option<String>> {
    let language = tag.split(['-', '_']).next().unwrap_or_default().trim();
    // Codes of three letters are too many to list.
    let known = || lists(LANGUAGES, language);
    let is_tag = (2..=3).contains(&language.len()) || language.is_empty();
    // Both are codes of small languages, but people mean each language.
    let is_every = ["all", "any"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(language));
    let is_no_language =
        !is_tag || is_every || tag.contains(['.', '_']) || language.len() == 2 && !known();
    let meant = meant_language(tag);
    if tag.contains("${") || !is_no_language && meant.is_none() {
        return Ok(());
    }
    Err(meant.or_else(|| intended(tag)))
}

/// Refuses tags, separated by commas, of which one is wrong by [`check_language`]. The failure of usage proposes the
/// tag that was meant. An empty text passes.
pub(super) fn check(locale: &str) -> Result<(), Failure> {
    for tag in locale.split(',') {
        if let Err(meant) = check_language(tag) {
            let meant = meant.unwrap_or_else(|| "a tag such as de-DE".to_owned());
            return Err(Failure::usage(Words::format(
                "`locale` is {}, which is no tag of a language; write {}",
                &[&tag, &meant],
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{check, meant_language};

    #[test]
    fn a_region_is_told_where_it_stands_and_how_it_is_written() {
        for (tag, meant) in [
            ("zh-TW-Hant", Some("zh-Hant-TW")),
            ("en-UK", Some("en-GB")),
            ("en-USA", Some("en-US")),
            ("ja-JA", Some("ja-JP")),
            ("en-EN", Some("en-US")),
            ("cs-CS", Some("cs")),
            ("US-en", Some("en-US")),
            ("zh-Hant-TW", None),
            ("en-XA", None),
            ("es-419", None),
            ("de-AT-1996", None),
            ("ger", Some("de-DE")),
            ("DEU", Some("de-DE")),
            ("eng-GB", Some("en-GB")),
            ("fil-PH", None),
            ("de", None),
            ("sr-Latn", None),
            ("zh-yue", None),
            ("sr-Latn-RS", None),
        ] {
            assert_eq!(meant_language(tag).as_deref(), meant, "{tag}");
        }
    }

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
            ("ger", false),
            ("zho-Hant-TW", false),
            ("all", false),
            ("any", false),
            ("Deutsch", false),
            ("Germany", false),
            ("de_DE.UTF-8", false),
            ("de_DE", false),
            ("xx-YY", false),
            ("zh-TW-Hant", false),
            ("en-UK", false),
            ("es-419", true),
            ("de,qq", false),
        ] {
            assert_eq!(check(tag).is_ok(), holds, "{tag}");
        }
    }
}
