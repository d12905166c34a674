//! Compares the content of a field with the text that was typed.
//!
//! Fields may reformat a text. Texts count as equal if they differ only in letter case, in separators between
//! characters, or in the format of a number or card: grouping, decimal mark, trailing zeroes, a currency.
//! Anything missing, doubled, swapped or added makes them different, and so does another value.

/// Separators that fields insert between characters of codes. Other marks between letters come from a
/// keyboard that still composes.
const SEPARATORS: [char; 7] = [' ', '\u{a0}', '-', '–', '.', '/', ':'];
/// Further separators between digits.
const NUMBER_SEPARATORS: [char; 6] = ['\u{202f}', ',', '\'', '’', '(', ')'];
/// Limit for consecutive separators. Chosen: ` / ` has three.
const MAX_SEPARATORS: usize = 3;
/// Least digits of a card's or telephone's number, whose separators carry no value. Chosen: a shorter number
/// may be a price, where a separator could be a decimal mark.
const MIN_CARD_DIGITS: usize = 7;
/// Currencies written with letters, in lower case.
const CURRENCIES: [&str; 26] = [
    "us$", "a$", "c$", "hk$", "r$", "usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "brl", "cad",
    "aud", "sek", "nok", "dkk", "pln", "kr.", "kr", "fr.", "zł", "kč", "ft", "rp",
];

/// Returns true if the content is the expected text, up to letter case and formatting. Codes and words may
/// gain separators; numbers may also change their separators, lose or gain a currency that is not expected,
/// and gain a fraction of zeroes. A content that is only the beginning of the expected text does not count,
/// as input may have been lost. Text without letters and digits must be equal.
pub(super) fn holds(expected: &str, content: &str) -> bool {
    if expected == content {
        return true;
    }
    let (expected, content) = (fold(expected), fold(content));
    // `5.0` has the same value as `5.000`, but lost input looks the same.
    if expected.starts_with(&content) && expected != content {
        return false;
    }
    if !expected.iter().any(|character| character.is_alphanumeric()) {
        return false;
    }
    if has_other_value(&expected, &content) {
        return false;
    }
    if !is_numeric(&expected) {
        let is_code = expected.iter().any(char::is_ascii_digit) && !expected.contains(&' ');
        return rest_of(&expected, &content, |mark| SEPARATORS.contains(&mark))
            .is_some_and(|rest| rest.is_empty() || is_code && is_separator_run(rest));
    }
    let content = without_currency(&expected, &content);
    is_formatted(&expected, &content)
        || same_value(&expected, &content)
        || same_card(&expected, &content)
}

/// Converts to one letter case: each character to upper and back to lower case, which may give several. So `ß` is `ss`.
fn fold(text: &str) -> Vec<char> {
    text.chars()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the part of `content` behind all characters of `expected`; all of it if `expected` is empty. Between two of
/// them at most three characters that `is_mark` accepts are skipped, never two equal ones in a row, and none before the
/// first. `None` if another character is in the way or some are missing.
fn rest_of<'a>(
    expected: &[char],
    content: &'a [char],
    is_mark: impl Fn(char) -> bool,
) -> Option<&'a [char]> {
    let mut at = 0;
    for (index, wanted) in expected.iter().enumerate() {
        let begin = at;
        while *content.get(at)? != *wanted {
            let mark = content[at];
            let is_doubled =
                at > 0 && content[at - 1] == mark || content.get(at + 1) == Some(&mark);
            if index == 0 || !is_mark(mark) || is_doubled || at - begin == MAX_SEPARATORS {
                return None;
            }
            at += 1;
        }
        at += 1;
    }
    Some(&content[at..])
}

fn is_separator_run(rest: &[char]) -> bool {
    rest.len() <= MAX_SEPARATORS
        && rest.iter().all(|mark| SEPARATORS.contains(mark))
        && rest.windows(2).all(|pair| pair[0] != pair[1])
}

fn is_number_mark(mark: char) -> bool {
    SEPARATORS.contains(&mark) || NUMBER_SEPARATORS.contains(&mark)
}

/// Returns true for numbers, dates, and numbers of telephones and cards: digits and the marks of numbers only, with
/// at least one digit. `+` counts at the beginning only.
fn is_numeric(text: &[char]) -> bool {
    text.iter().any(char::is_ascii_digit)
        && text.iter().enumerate().all(|(at, character)| {
            character.is_ascii_digit() || is_number_mark(*character) || at == 0 && *character == '+'
        })
}

/// Removes one currency sign or name from `content`, before or else after the number, with the spaces between. A minus
/// in front stays if `expected`, which must not be empty, has one too. Nothing else changes.
fn without_currency(expected: &[char], content: &[char]) -> Vec<char> {
    let text: String = content.iter().collect();
    let sign = text.strip_prefix('-').filter(|_| expected[0] == '-');
    let mut number = sign.unwrap_or(&text);
    let is_space = |character| matches!(character, ' ' | '\u{a0}' | '\u{202f}');
    let is_currency = |character| {
        matches!(
            character,
            '$' | '¢' | '£' | '¤' | '¥' | '฿' | '\u{20a0}'..='\u{20cf}'
        )
    };
    if let Some(rest) = CURRENCIES.iter().find_map(|name| number.strip_prefix(name)) {
        number = rest.trim_start_matches(is_space);
    } else if let Some(rest) = number.strip_prefix(is_currency) {
        number = rest.trim_start_matches(is_space);
    } else if let Some(rest) = CURRENCIES.iter().find_map(|name| number.strip_suffix(name)) {
        number = rest.trim_end_matches(is_space);
    } else if let Some(rest) = number.strip_suffix(is_currency) {
        number = rest.trim_end_matches(is_space);
    }
    sign.map(|_| '-')
        .into_iter()
        .chain(number.chars())
        .collect()
}

/// Returns true if `content` has the characters of the number in order, with separators between. A leading
/// `+` or `(` and trailing separators or `)` are ignored. After the number may follow a mark with zeroes, or
/// zeroes alone if it has a fraction already. A number in parentheses is negative, so it does not match
/// unless the expected one has them.
fn is_formatted(expected: &[char], content: &[char]) -> bool {
    // In accounts a number in parentheses is a negative one.
    if content.first() == Some(&'(') && content.last() == Some(&')') && expected[0] != '(' {
        return false;
    }
    let lead = usize::from(matches!(content.first(), Some('(' | '+')) && content[0] != expected[0]);
    let Some(rest) = rest_of(expected, &content[lead..], is_number_mark) else {
        return false;
    };
    if rest.is_empty() || is_separator_run(rest) || matches!(rest, [')'] | [')', ' ']) {
        return true;
    }
    let are_zeroes = |digits: &[char]| !digits.is_empty() && digits.iter().all(|it| *it == '0');
    match rest {
        [mark @ ('.' | ','), zeroes @ ..] => !expected.contains(mark) && are_zeroes(zeroes),
        zeroes => are_zeroes(zeroes) && Number::read(expected).is_some_and(|it| it.has_fraction),
    }
}

/// A decimal number: sign, integer digits, and fraction digits without trailing zeroes.
#[derive(Debug)]
struct Number {
    negative: bool,
    whole: String,
    fraction: String,
    has_fraction: bool,
}

impl Number {
    /// Parses a number in the format of any language, with `.` or `,` as decimal mark and groups of three digits.
    /// `None` for other characters, for wrong groups, and if the only mark may be a decimal mark or a separator, as in
    /// `1.234`. A mark that repeats is a separator; of two kinds the last is the decimal mark. No digits at all are 0.
    fn read(text: &[char]) -> Option<Self> {
        let negative = text.first() == Some(&'-');
        let digits = if negative { &text[1..] } else { text };
        let is_group = |mark: char| matches!(mark, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’');
        let is_point = |mark: char| matches!(mark, '.' | ',');
        if !digits
            .iter()
            .all(|it| it.is_ascii_digit() || is_group(*it) || is_point(*it))
        {
            return None;
        }
        let points: Vec<usize> = (0..digits.len())
            .filter(|at| is_point(digits[*at]))
            .collect();
        let point = match points.as_slice() {
            [] => None,
            [at] => {
                let behind = digits.len() - at - 1;
                let is_ambiguous = behind == 3 && (1..=3).contains(at) && digits[0] != '0';
                if is_ambiguous {
                    return None;
                }
                Some(*at)
            }
            [first @ .., last] => {
                let differs = |at: &usize| digits[*at] != digits[*last];
                if first.iter().all(differs) {
                    Some(*last)
                } else if first.iter().any(differs) {
                    return None;
                } else {
                    None
                }
            }
        };
        let (whole, fraction) = match point {
            Some(at) => (&digits[..at], &digits[at + 1..]),
            None => (digits, &[][..]),
        };
        if !is_grouped_by_threes(whole) || !fraction.iter().all(char::is_ascii_digit) {
            return None;
        }
        let whole: String = whole.iter().filter(|it| it.is_ascii_digit()).collect();
        let fraction: String = fraction.iter().collect();
        Some(Self {
            negative,
            whole: if whole.is_empty() {
                "0".to_owned()
            } else {
                whole
            },
            fraction: fraction.trim_end_matches('0').to_owned(),
            has_fraction: point.is_some(),
        })
    }
}

/// Returns true if marks cut the digits into groups of three, of which the first may be shorter but not empty. True
/// without marks, also for no digits at all. Different marks are not told apart.
fn is_grouped_by_threes(whole: &[char]) -> bool {
    let mut groups = whole.split(|it| !it.is_ascii_digit());
    let first = groups.next().map_or(0, <[char]>::len);
    let mut others = groups.map(<[char]>::len).peekable();
    let is_plain = others.peek().is_none();
    (is_plain || (1..=3).contains(&first)) && others.all(|length| length == 3)
}

/// Compares two numbers by value: marks between groups and closing zeroes of a fraction do not count. False if one
/// of them is no clear number, such as `1.234`.
fn same_value(expected: &[char], content: &[char]) -> bool {
    match (Number::read(expected), Number::read(content)) {
        (Some(one), Some(other)) => {
            one.negative == other.negative
                && one.whole == other.whole
                && one.fraction == other.fraction
        }
        _ => false,
    }
}

/// Returns true if both are numbers, with or without a currency, and their values differ: a field that makes
/// `12.34` of `1234` changed the amount.
fn has_other_value(expected: &[char], content: &[char]) -> bool {
    let [expected, content] = [expected, content].map(|text| without_currency(text, text));
    let are_numbers = Number::read(&expected).is_some() && Number::read(&content).is_some();
    are_numbers && !same_value(&expected, &content)
}

/// Returns true if both have the same digits, at least seven, and nothing else but spaces, dashes and
/// parentheses. Both or neither begin with `+`. A leading `-` makes it no number of a card or telephone.
fn same_card(expected: &[char], content: &[char]) -> bool {
    let digits = |text: &[char]| -> Option<(bool, String)> {
        let has_plus = text.first() == Some(&'+');
        let rest = &text[usize::from(has_plus)..];
        let is_card = rest.first() != Some(&'-')
            && rest.iter().all(|it| {
                it.is_ascii_digit() || matches!(it, ' ' | '\u{a0}' | '-' | '–' | '(' | ')')
            });
        let digits: String = rest.iter().filter(|it| it.is_ascii_digit()).collect();
        (is_card && digits.len() >= MIN_CARD_DIGITS).then_some((has_plus, digits))
    };
    digits(expected).is_some_and(|number| digits(content) == Some(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_fields_do_to_texts_is_taken_and_what_keyboards_do_is_not() {
        for (text, content, is_there) in [
            ("ada", "ada", true),
            ("ada", "ADA", true),
            ("straße", "STRASSE", true),
            ("4111111111111111", "4111 1111 1111 1111", true),
            ("4111-1111-1111-1111", "4111111111111111", true),
            ("1234.5", "$1,234.50", true),
            ("1234.5", "1.234,50 €", true),
            ("1234", "1,234.00", true),
            ("12.50", "12.5", false),
            ("12.50", "12,5", true),
            ("5.0000000", "5.00", false),
            ("5.0", "5", false),
            (".5", "0.5", true),
            ("-5", "-$5.00", true),
            ("de89370400", "DE89 3704 00", true),
            ("abcdefgh", "ABCD-EFGH", true),
            ("12", "12/", true),
            ("1226", "12 / 26", true),
            ("5551234567", "(555) 123-4567", true),
            ("ada", "ad", false),
            ("ada", "daa", false),
            ("ada", "adaa", false),
            ("ada", "ada ", false),
            ("ada", "ada@example.com", false),
            ("ada", "xada", false),
            // A keyboard that composes shows its syllables.
            ("ada", "a'da", false),
            ("ada", "adxa", false),
            ("a b", "ab", false),
            ("a b", "a  b", false),
            ("12.5", "125", false),
            ("-5", "5", false),
            ("5", "-5", false),
            ("5", "(5)", false),
            ("01234", "1234", false),
            ("1234", "12340", false),
            ("1.234", "1234", false),
            ("1,234", "1,2340", false),
            ("+49170123", "49170123", false),
            ("49", "49 %", false),
            ("1234", "12.34", false),
            ("1234", "12,34", false),
            ("1234", "$12.34", false),
            ("$1234", "$12.34", false),
            ("-1234", "-12.34", false),
            ("1234", "12.34 €", false),
            ("1234", "123.4", false),
            ("1234", "0.1234", false),
            ("0123", "0.123", false),
            ("1234", "1,234", true),
            ("1234", "1.234", true),
            ("1234", "1 234", true),
            ("1234", "12 34", true),
            ("31122024", "31.12.2024", true),
            ("1234567", "12,34,567", true),
            ("", "a", false),
            ("-", "--", false),
        ] {
            assert_eq!(holds(text, content), is_there, "`{text}` `{content}`");
        }
    }

    /// Generates texts that people type: words, codes, sentences.
    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z]{2,12}",
            "[A-Za-z0-9]{2,16}",
            "[a-z]{2,8} [A-Z][a-z]{1,8}",
            "[a-zäéß日本]{2,9}"
        ]
    }

    /// Generates a number as it is typed, with and without a fraction, together with a form in which fields
    /// show it.
    fn shown_numbers() -> impl Strategy<Value = (String, String)> {
        let number = ("[1-9][0-9]{3,8}", proptest::option::of("[1-9]{1,2}"));
        let style = (0..3_usize, any::<bool>(), 0..5_usize);
        (number, style).prop_map(|((whole, fraction), (style, has_zeroes, currency))| {
            let (group, point) = [(",", "."), (".", ","), ("\u{a0}", ",")][style];
            let mut shown = String::new();
            for (at, digit) in whole.chars().enumerate() {
                if at > 0 && (whole.len() - at).is_multiple_of(3) {
                    shown.push_str(group);
                }
                shown.push(digit);
            }
            let mut behind = fraction.clone().unwrap_or_default();
            if has_zeroes {
                behind = format!("{behind:0<2}");
            }
            if !behind.is_empty() {
                shown = format!("{shown}{point}{behind}");
            }
            let shown = match currency {
                0 => format!("${shown}"),
                1 => format!("{shown}\u{a0}€"),
                2 => format!("CHF {shown}"),
                _ => shown,
            };
            let typed = fraction.map_or_else(|| whole.clone(), |it| format!("{whole}.{it}"));
            (typed, shown)
        })
    }

    proptest! {
        #[test]
        fn a_text_in_another_letter_case_is_the_text(text in texts()) {
            prop_assert!(holds(&text, &text));
            prop_assert!(holds(&text, &text.to_uppercase()));
            prop_assert!(holds(&text.to_uppercase(), &text.to_lowercase()));
        }

        #[test]
        fn a_code_in_groups_is_the_code(
            // A number in groups by a decimal mark is another number.
            code in "[A-Za-z0-9]{3,15}[A-Za-z]",
            size in 1..6_usize,
            mark in prop::sample::select(vec![" ", "-", "/", " / ", "."]),
        ) {
            let letters: Vec<char> = code.chars().collect();
            let groups: Vec<String> = letters.chunks(size).map(|it| it.iter().collect()).collect();
            prop_assert!(holds(&code, &groups.join(mark)));
        }

        #[test]
        fn a_number_in_a_languages_format_is_the_number((typed, shown) in shown_numbers()) {
            prop_assert!(holds(&typed, &shown), "`{}` `{}`", typed, shown);
        }

        #[test]
        fn anything_before_between_or_behind_is_another_text(
            text in texts(),
            junk in "[a-z0-9]{1,5}",
            at in any::<prop::sample::Index>(),
        ) {
            let letters: Vec<char> = text.chars().collect();
            let at = at.index(letters.len() + 1);
            let head: String = letters[..at].iter().collect();
            let tail: String = letters[at..].iter().collect();
            let content = format!("{head}{junk}{tail}");
            prop_assert!(!holds(&text, &content), "`{}` `{}`", text, content);
            prop_assert!(!holds(&content, &text), "`{}` `{}`", content, text);
        }

        #[test]
        fn a_part_from_the_beginning_is_another_text(
            text in prop_oneof![
                texts(),
                "[0-9]{1,9}[.,]0{1,9}",
                "[0-9]{1,3}([ ,.][0-9]{3}){1,3}",
                "[0-9+]{1,4}[-/. ]{1,3}",
                "[0-9]{1,4} ?(EUR|\\$|kr)",
            ],
            at in any::<prop::sample::Index>(),
        ) {
            let letters: Vec<char> = text.chars().collect();
            let content: String = letters[..at.index(letters.len())].iter().collect();
            prop_assert!(!holds(&text, &content), "`{}` `{}`", text, content);
        }

        #[test]
        fn a_decimal_mark_in_a_whole_number_is_another_number(
            digits in "[1-9][0-9]{1,10}",
            mark in prop::sample::select(vec![".", ","]),
            at in any::<prop::sample::Index>(),
        ) {
            let at = at.index(digits.len() - 1) + 1;
            let (whole, fraction) = digits.split_at(at);
            let is_group = fraction.len() == 3 && whole.len() <= 3;
            let shown = format!("{whole}{mark}{fraction}");
            prop_assert_eq!(holds(&digits, &shown), is_group, "`{}` `{}`", digits, shown);
        }

        #[test]
        fn another_digit_is_another_number(
            (typed, shown) in shown_numbers(),
            digit in 1..10_u8,
            at in any::<prop::sample::Index>(),
        ) {
            let places: Vec<usize> =
                shown.match_indices(|it: char| it.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = places[at.index(places.len())];
            // A digit more, a digit less, another digit.
            let more = format!("{}{digit}{}", &shown[..at], &shown[at..]);
            prop_assert!(!holds(&typed, &more), "`{}` `{}`", typed, more);
            let was = shown.as_bytes()[at] - b'0';
            let other = format!("{}{}{}", &shown[..at], (was + digit) % 10, &shown[at + 1..]);
            prop_assert!(digit == 10 || !holds(&typed, &other), "`{}` `{}`", typed, other);
            let less = format!("{}{}", &shown[..at], &shown[at + 1..]);
            let is_zero = was == 0 && !typed.contains(&less);
            prop_assert!(is_zero || !holds(&typed, &less), "`{}` `{}`", typed, less);
        }

        #[test]
        fn swapped_characters_are_another_text(text in "[a-z]{2,10}", at in any::<prop::sample::Index>()) {
            let mut letters: Vec<char> = text.chars().collect();
            let at = at.index(letters.len() - 1);
            letters.swap(at, at + 1);
            let content: String = letters.iter().collect();
            prop_assert_eq!(holds(&text, &content), text == content);
        }
    }
}
