//! The JavaScript of `${}` that our expressions can say: names, comparisons, sums, choices, and a few methods of texts.

use serde_json::Value;

use super::texts::{Said, cannot};
use crate::flow_text;

/// Expressions inside expressions; no flow has more.
const DEEPEST: usize = 40;

/// What a value is known to be: `==` and `+` mean other things for texts than for numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text, as all values of `env` are.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Truth,
    /// Nobody knows.
    Any,
}

/// An expression in our own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnExpression {
    pub(super) text: String,
    pub(super) kind: Kind,
    /// It is one value, and stands beside operators without brackets.
    is_single: bool,
    /// It is written out.
    is_literal: bool,
}

impl OwnExpression {
    /// A name, or whatever else is one value.
    pub(super) fn single(text: impl Into<String>, kind: Kind) -> Self {
        Self {
            text: text.into(),
            kind,
            is_single: true,
            is_literal: false,
        }
    }

    /// What a step that keeps it says: what is written out as it is, anything else in `${}`.
    pub(super) fn value(&self) -> Value {
        let written = self.is_literal.then(|| match self.kind {
            Kind::Text => {
                let inner = self.text.get(1..self.text.len().saturating_sub(1));
                Some(flow_text::escaped_text(inner?).into())
            }
            _ => serde_json::from_str(&self.text).ok(),
        });
        written
            .flatten()
            .unwrap_or_else(|| format!("${{{}}}", self.text).into())
    }

    fn literal(text: impl Into<String>, kind: Kind) -> Self {
        Self {
            is_literal: true,
            ..Self::single(text, kind)
        }
    }

    fn joined(text: String, kind: Kind) -> Self {
        Self {
            is_single: false,
            ..Self::single(text, kind)
        }
    }

    /// With brackets where it needs them.
    fn part(&self) -> String {
        if self.is_single {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    pub(super) fn through(&self, filter: &str, kind: Kind) -> Self {
        Self::joined(format!("{} | {filter}", self.part()), kind)
    }
}

/// Says what names mean.
pub(super) trait Resolve {
    /// A name, or a path such as `output.total`; `None`: it is not known here.
    fn resolve(&mut self, path: &str) -> Option<OwnExpression>;
    /// Whether a name is given by nobody.
    fn is_missing(&self, name: &str) -> bool;
}

/// `text` in our own words.
pub(super) fn expression(text: &str, names: &mut dyn Resolve) -> Said<OwnExpression> {
    let not_said = || cannot(format!("`${{{}}}` is JavaScript", text.trim()));
    let Some(tokens) = tokens(text) else {
        return not_said();
    };
    let mut reader = Reader {
        tokens,
        at: 0,
        depth: 0,
        names,
    };
    match reader.choice() {
        Some(said) if reader.at == reader.tokens.len() => Ok(said),
        _ => not_said(),
    }
}

/// `NAME = value`, `NAME += value` and `NAME++` of `output`: the name, and the value as JavaScript.
pub(super) fn assignment(text: &str) -> Option<(String, String)> {
    let inner = text.trim();
    let inner = inner
        .strip_prefix("${")
        .and_then(|it| it.strip_suffix('}'))
        .unwrap_or(inner);
    let inner = inner.trim().trim_end_matches(';').trim();
    let rest = inner.strip_prefix("output.")?;
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim();
    let value = if let Some(sign) = ["++", "--"].iter().find(|sign| rest == **sign) {
        format!("output.{name} {} 1", &sign[..1])
    } else if let Some((sign, value)) = ["+", "-"]
        .iter()
        .find_map(|sign| Some((sign, rest.strip_prefix(&format!("{sign}="))?)))
    {
        format!("output.{name} {sign} ({value})")
    } else {
        let value = rest.strip_prefix('=').filter(|it| !it.starts_with('='))?;
        value.trim().to_owned()
    };
    Some((name.to_owned(), value))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Number(String),
    Text(String),
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: [&str; 21] = [
    "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "??", "<", ">", "!", "+", "-", "*", "%", "(",
    ")", "?", ":", ".",
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim().trim_end_matches(';').trim();
    while let Some(first) = rest.chars().next() {
        let word_end = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        let length = if first.is_ascii_alphabetic() || first == '_' {
            let end = word_end(|c| c.is_ascii_alphanumeric() || c == '_');
            tokens.push(Token::Name(rest[..end].to_owned()));
            end
        } else if first.is_ascii_digit() {
            let end = word_end(|c| c.is_ascii_digit() || c == '.');
            let is_plain = rest[..end].parse::<f64>().is_ok() && !rest[..end].ends_with('.');
            // Numbers that begin with 0 are of another base there.
            let is_octal = end > 1 && first == '0' && !rest.starts_with("0.");
            if !is_plain || is_octal {
                return None;
            }
            tokens.push(Token::Number(rest[..end].to_owned()));
            end
        } else if matches!(first, '\'' | '"') {
            let end = rest[1..].find(first)?;
            let inner = &rest[1..=end];
            if inner.contains(['\\', '\n']) {
                return None;
            }
            tokens.push(Token::Text(inner.to_owned()));
            end + 2
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// A text that is written out: with the marks that it does not hold.
fn quoted(text: &str) -> Option<String> {
    ['\'', '"']
        .into_iter()
        .find(|mark| !text.contains(*mark))
        .map(|mark| format!("{mark}{text}{mark}"))
}

struct Reader<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    names: &'a mut dyn Resolve,
}

impl Reader<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        let is = matches!(self.tokens.get(self.at), Some(Token::Sign(it)) if *it == sign);
        self.at += usize::from(is);
        is
    }

    fn takes_one_of(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        signs.iter().copied().find(|sign| self.takes(sign))
    }

    fn choice(&mut self) -> Option<OwnExpression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let condition = self.either()?;
        let said = if self.takes("?") {
            let yes = self.choice()?;
            if !self.takes(":") {
                return None;
            }
            let no = self.choice()?;
            let kind = same_kind(&yes, &no);
            OwnExpression::joined(
                format!("{} if {} else {}", yes.part(), condition.part(), no.part()),
                kind,
            )
        } else {
            condition
        };
        self.depth -= 1;
        Some(said)
    }

    fn either(&mut self) -> Option<OwnExpression> {
        let mut left = self.both()?;
        while self.takes_one_of(&["||", "??"]).is_some() {
            let right = self.both()?;
            let kind = same_kind(&left, &right);
            left = OwnExpression::joined(format!("{} or {}", left.part(), right.part()), kind);
        }
        Some(left)
    }

    fn both(&mut self) -> Option<OwnExpression> {
        let mut left = self.equality()?;
        while self.takes("&&") {
            let right = self.equality()?;
            let kind = same_kind(&left, &right);
            left = OwnExpression::joined(format!("{} and {}", left.part(), right.part()), kind);
        }
        Some(left)
    }

    fn equality(&mut self) -> Option<OwnExpression> {
        if let Some(said) = self.type_of() {
            return Some(said);
        }
        let left = self.order()?;
        let Some(sign) = self.takes_one_of(&["===", "!==", "==", "!="]) else {
            return Some(left);
        };
        let sign = if sign.starts_with('!') { "!=" } else { "==" };
        if matches!(self.tokens.get(self.at), Some(Token::Name(name)) if name == "null" || name == "undefined")
        {
            self.at += 1;
            let not = if sign == "==" { "not " } else { "" };
            return Some(OwnExpression::joined(
                format!("{not}{}", left.part()),
                Kind::Truth,
            ));
        }
        let right = self.order()?;
        let (left, right) = alike(left, right);
        Some(OwnExpression::joined(
            format!("{} {sign} {}", left.part(), right.part()),
            Kind::Truth,
        ))
    }

    /// `typeof NAME === 'undefined'`, the way to ask for a name that may be missing.
    fn type_of(&mut self) -> Option<OwnExpression> {
        let rest = self.tokens.get(self.at..self.at + 4)?;
        let [
            Token::Name(asks),
            Token::Name(name),
            Token::Sign(sign),
            Token::Text(kind),
        ] = rest
        else {
            return None;
        };
        let is_equal = match *sign {
            "===" | "==" => true,
            "!==" | "!=" => false,
            _ => return None,
        };
        if asks != "typeof" || kind != "undefined" {
            return None;
        }
        let name = name.clone();
        self.at += 4;
        let is_missing = self.names.is_missing(&name);
        let known = self.names.resolve(&name)?;
        // Nobody in this file gives it: it is empty unless the environment does.
        Some(match (is_missing, is_equal) {
            (true, true) => OwnExpression::joined(format!("not {}", known.part()), Kind::Truth),
            (true, false) => OwnExpression::joined(format!("{} != ''", known.part()), Kind::Truth),
            (false, is_equal) => OwnExpression::literal((!is_equal).to_string(), Kind::Truth),
        })
    }

    fn order(&mut self) -> Option<OwnExpression> {
        let left = self.sum()?;
        let Some(sign) = self.takes_one_of(&["<=", ">=", "<", ">"]) else {
            return Some(left);
        };
        let right = self.sum()?;
        let (left, right) = match (left.kind, right.kind) {
            (Kind::Text, Kind::Number) => (left.through("float", Kind::Number), right),
            (Kind::Number, Kind::Text) => (left, right.through("float", Kind::Number)),
            (Kind::Number, Kind::Number) | (Kind::Text, Kind::Text) => (left, right),
            _ => return None,
        };
        Some(OwnExpression::joined(
            format!("{} {sign} {}", left.part(), right.part()),
            Kind::Truth,
        ))
    }

    fn sum(&mut self) -> Option<OwnExpression> {
        let mut left = self.product()?;
        while let Some(sign) = self.takes_one_of(&["+", "-"]) {
            let right = self.product()?;
            let (sign, kind) = match (left.kind, right.kind, sign) {
                (Kind::Number, Kind::Number, sign) => (sign, Kind::Number),
                (Kind::Text, _, "+") | (_, Kind::Text, "+") => ("~", Kind::Text),
                _ => return None,
            };
            left = OwnExpression::joined(format!("{} {sign} {}", left.part(), right.part()), kind);
        }
        Some(left)
    }

    fn product(&mut self) -> Option<OwnExpression> {
        let mut left = self.opposite()?;
        while let Some(sign) = self.takes_one_of(&["*", "%"]) {
            let right = self.opposite()?;
            if (left.kind, right.kind) != (Kind::Number, Kind::Number) {
                return None;
            }
            left = OwnExpression::joined(
                format!("{} {sign} {}", left.part(), right.part()),
                Kind::Number,
            );
        }
        Some(left)
    }

    fn opposite(&mut self) -> Option<OwnExpression> {
        if self.takes("!") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return None;
            }
            let said = self.opposite()?;
            self.depth -= 1;
            return Some(OwnExpression::joined(
                format!("not {}", said.part()),
                Kind::Truth,
            ));
        }
        if self.takes("-") {
            let Some(Token::Number(number)) = self.tokens.get(self.at).cloned() else {
                return None;
            };
            self.at += 1;
            return Some(OwnExpression::literal(format!("-{number}"), Kind::Number));
        }
        self.value()
    }

    fn value(&mut self) -> Option<OwnExpression> {
        if self.takes("(") {
            let said = self.choice()?;
            return if self.takes(")") {
                self.methods(said)
            } else {
                None
            };
        }
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        let said = match token {
            Token::Number(number) => return Some(OwnExpression::literal(number, Kind::Number)),
            Token::Text(text) => OwnExpression::literal(quoted(&text)?, Kind::Text),
            Token::Name(name) if name == "true" || name == "false" => {
                return Some(OwnExpression::literal(name, Kind::Truth));
            }
            Token::Name(name) => self.path(name)?,
            Token::Sign(_) => return None,
        };
        self.methods(said)
    }

    /// A name with the fields behind it.
    fn path(&mut self, first: String) -> Option<OwnExpression> {
        if !matches!(first.as_str(), "output" | "maestro") {
            return self.names.resolve(&first);
        }
        if !self.takes(".") {
            return None;
        }
        let Some(Token::Name(field)) = self.tokens.get(self.at).cloned() else {
            return None;
        };
        self.at += 1;
        self.names.resolve(&format!("{first}.{field}"))
    }

    /// What texts can.
    fn methods(&mut self, mut said: OwnExpression) -> Option<OwnExpression> {
        while self.takes(".") {
            let Some(Token::Name(method)) = self.tokens.get(self.at).cloned() else {
                return None;
            };
            self.at += 1;
            if said.kind != Kind::Text {
                return None;
            }
            if method == "length" {
                said = said.through("length", Kind::Number);
                continue;
            }
            if !self.takes("(") {
                return None;
            }
            let argument = if self.takes(")") {
                None
            } else {
                let argument = self.choice()?;
                if !self.takes(")") || argument.kind != Kind::Text {
                    return None;
                }
                Some(argument)
            };
            said = match (method.as_str(), argument) {
                ("toUpperCase", None) => said.through("upper", Kind::Text),
                ("toLowerCase", None) => said.through("lower", Kind::Text),
                ("trim", None) => said.through("trim", Kind::Text),
                ("includes", Some(part)) => OwnExpression::joined(
                    format!("{} in {}", part.part(), said.part()),
                    Kind::Truth,
                ),
                ("startsWith", Some(part)) => is_such(&said, "startingwith", &part),
                ("endsWith", Some(part)) => is_such(&said, "endingwith", &part),
                _ => return None,
            };
        }
        Some(said)
    }
}

fn is_such(said: &OwnExpression, test: &str, part: &OwnExpression) -> OwnExpression {
    let text = format!("{} is {test}({})", said.part(), part.text);
    OwnExpression::joined(text, Kind::Truth)
}

fn same_kind(one: &OwnExpression, other: &OwnExpression) -> Kind {
    if one.kind == other.kind {
        one.kind
    } else {
        Kind::Any
    }
}

/// `==` finds a text equal to a number; here a number that is written out becomes the text.
fn alike(left: OwnExpression, right: OwnExpression) -> (OwnExpression, OwnExpression) {
    let as_text = |it: OwnExpression| OwnExpression::literal(format!("'{}'", it.text), Kind::Text);
    let is_written = |it: &OwnExpression| it.is_literal && it.kind != Kind::Text;
    if left.kind == Kind::Text && is_written(&right) {
        return (left, as_text(right));
    }
    if right.kind == Kind::Text && is_written(&left) {
        return (as_text(left), right);
    }
    match (left.kind, right.kind) {
        (Kind::Text, Kind::Number) => (left, right.through("string", Kind::Text)),
        (Kind::Number, Kind::Text) => (left.through("string", Kind::Text), right),
        _ => (left, right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Few;

    impl Resolve for Few {
        fn resolve(&mut self, path: &str) -> Option<OwnExpression> {
            match path {
                "output.rounds" => Some(OwnExpression::single("rounds", Kind::Number)),
                "output.word" => Some(OwnExpression::single("word", Kind::Text)),
                "maestro.platform" => Some(OwnExpression::literal("'android'", Kind::Text)),
                _ if path.contains('.') => None,
                name => Some(OwnExpression::single(name, Kind::Text)),
            }
        }

        fn is_missing(&self, name: &str) -> bool {
            name == "NOBODY"
        }
    }

    #[test]
    fn what_can_be_said_is_said() {
        for (script, own) in [
            ("USER", "USER"),
            ("output.rounds + 1", "rounds + 1"),
            ("output.rounds < 3", "rounds < 3"),
            ("output.rounds === 3", "rounds == 3"),
            ("N == 3", "N == '3'"),
            ("N > 3", "(N | float) > 3"),
            ("3 != N", "'3' != N"),
            ("N == output.rounds", "N == (rounds | string)"),
            ("'a' + N + 1", "('a' ~ N) ~ 1"),
            ("A == 'x' && !B", "(A == 'x') and (not B)"),
            ("A || \"it's\"", "A or \"it's\""),
            ("A ? 'x' : 'y'", "'x' if A else 'y'"),
            (
                "maestro.platform == 'android' ? A : B",
                "A if ('android' == 'android') else B",
            ),
            (
                "output.word.toUpperCase().length > 2",
                "((word | upper) | length) > 2",
            ),
            ("A.includes('b')", "'b' in A"),
            ("(A + 'x').startsWith(B)", "(A ~ 'x') is startingwith(B)"),
            ("typeof NOBODY === 'undefined'", "not NOBODY"),
            ("typeof A === 'undefined'", "false"),
            ("A == null", "not A"),
            ("-1 + 2 * 3", "-1 + (2 * 3)"),
        ] {
            let said = expression(script, &mut Few).map(|said| said.text);
            assert_eq!(said.ok().as_deref(), Some(own), "{script}");
        }
    }

    #[test]
    fn what_cannot_be_said_is_left_alone() {
        let deep = "(".repeat(5000) + "1" + &")".repeat(5000);
        let turned = "!".repeat(5000) + "A";
        for script in [
            "",
            "f(1)",
            "A.b",
            "A[0]",
            "`x`",
            "'a\\n'",
            "A - 1",
            "A / 2",
            "010",
            "1.",
            "a = 1",
            "x => x",
            "A;B",
            "output",
            "output.gone",
            "'",
            "A ? B",
            &deep,
            &turned,
            "\u{e4}",
        ] {
            assert!(expression(script, &mut Few).is_err(), "{script}");
        }
    }

    #[test]
    fn an_assignment_is_a_name_and_a_value() {
        for (script, expected) in [
            ("${output.a = 'x'}", Some(("a", "'x'"))),
            ("${ output.total = 3; }", Some(("total", "3"))),
            ("${output.n++}", Some(("n", "output.n + 1"))),
            ("${output.n += 2}", Some(("n", "output.n + ( 2)"))),
            ("${output.a == 1}", None),
            ("${output.a.b = 1}", None),
            ("${a = 'x'}", None),
        ] {
            let expected =
                expected.map(|(name, value): (&str, &str)| (name.to_owned(), value.to_owned()));
            assert_eq!(assignment(script), expected, "{script}");
        }
    }
}
