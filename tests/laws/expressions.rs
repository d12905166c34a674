//! Expressions of flows, and their texts.

use super::kinds::Value;

/// Operation of an expression on its parts.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A literal or the name of a value: its text and its value.
    Known(String, Value),
    List,
    Map(Vec<String>),
    Not,
    And,
    Or,
    /// `A if CONDITION else B`. The parts are A, the condition, B; without `else` there is no B.
    Choice,
    Compare(&'static str),
    Between(&'static str, &'static str),
    /// `in`, or `not in`.
    In(bool),
    Is(&'static str),
    Filter(&'static str),
    Arithmetic(&'static str),
    Join,
    Part,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    pub form: Form,
    pub parts: Vec<Expression>,
}

/// Filters, as written behind a value; `A` is the argument.
const FILTERS: [(&str, &str); 20] = [
    ("upper", "| upper"),
    ("lower", "| lower"),
    ("trim", "| trim"),
    ("length", "| length"),
    ("int", "| int"),
    ("int with a default", "| int ( A )"),
    ("bool", "| bool"),
    ("abs", "| abs"),
    ("first", "| first"),
    ("last", "| last"),
    ("max", "| max"),
    ("min", "| min"),
    ("sort", "| sort"),
    ("sum", "| sum"),
    ("select", "| select | list"),
    ("select eq", "| select ( 'eq' , A ) | list"),
    ("reject eq", "| reject ( 'eq' , A ) | list"),
    ("default", "| default ( A )"),
    ("sum of", "| sum ( attribute = A )"),
    ("parts", "| map ( attribute = A ) | list"),
];

/// A piece of an expression's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// True if a value ends here, so that no other may begin.
    pub ends_value: bool,
}

fn token(text: &str) -> Token {
    let is_word = text
        .chars()
        .next()
        .is_some_and(|c| c.is_alphanumeric() || "'_)]}".contains(c));
    let is_operator = ["and", "or", "not", "in", "is", "if", "else"].contains(&text);
    Token {
        text: text.to_owned(),
        ends_value: is_word && !is_operator,
    }
}

/// Joins tokens to the text of an expression.
pub fn text(tokens: &[Token]) -> String {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    texts.join(" ")
}

impl Expression {
    pub fn new(form: Form, parts: Vec<Self>) -> Self {
        Self { form, parts }
    }

    pub fn known(text: &str, value: Value) -> Self {
        Self::new(Form::Known(text.to_owned(), value), Vec::new())
    }

    /// Returns the precedence of the operation, higher if it binds more closely.
    fn level(&self) -> u8 {
        match self.form {
            Form::Choice => 0,
            Form::Or => 1,
            Form::And => 2,
            Form::Not => 3,
            Form::Compare(_) | Form::Between(..) | Form::In(_) => 4,
            Form::Arithmetic(_) | Form::Join => 5,
            Form::Is(_) | Form::Filter(_) => 6,
            Form::Known(..) | Form::List | Form::Map(_) | Form::Part => 7,
        }
    }

    /// Returns true if the last part is a test without an argument.
    fn ends_in_test(&self) -> bool {
        match (&self.form, &self.parts[..]) {
            (Form::Is(_), [_]) => true,
            (Form::Is(_) | Form::Filter(_) | Form::List | Form::Map(_) | Form::Part, _) => false,
            (_, parts) => parts.last().is_some_and(Self::ends_in_test),
        }
    }

    /// Returns the level for the first part of `if` and `in`. Behind a test without brackets they would be
    /// read as the test's argument, and refused.
    fn behind_a_test(&self, level: u8) -> u8 {
        if self.parts[0].ends_in_test() {
            7
        } else {
            level
        }
    }

    /// Returns the tokens, with no more brackets than needed.
    pub fn tokens(&self) -> Vec<Token> {
        let bound = |place: usize, level: u8| {
            let part: &Self = &self.parts[place];
            if part.level() >= level {
                return part.tokens();
            }
            let inner = part.tokens();
            let ends = [vec![token("(")], inner, vec![token(")")]];
            ends.concat()
        };
        let infix = |words: &[&str], level: u8| {
            let words = words.iter().map(|word| token(word)).collect();
            [bound(0, level), words, bound(1, level)].concat()
        };
        match &self.form {
            Form::Known(text, _) => vec![token(text)],
            Form::List => self.listed("[", "]", &[]),
            Form::Map(keys) => self.listed("{", "}", keys),
            Form::Not => [vec![token("not")], bound(0, 3)].concat(),
            Form::And => infix(&["and"], 3),
            Form::Or => infix(&["or"], 2),
            Form::Compare(sign) => infix(&[sign], 5),
            Form::Between(first, second) => {
                let low = infix(&[first], 5);
                [low, vec![token(second)], bound(2, 5)].concat()
            }
            Form::In(is_in) => {
                let words: &[&str] = if *is_in { &["in"] } else { &["not", "in"] };
                let words = words.iter().map(|word| token(word)).collect();
                [bound(0, self.behind_a_test(5)), words, bound(1, 5)].concat()
            }
            Form::Arithmetic(sign) => infix(&[sign], 6),
            Form::Join => infix(&["~"], 6),
            Form::Choice => {
                let then = self.behind_a_test(1);
                let mut tokens = [bound(0, then), vec![token("if")], bound(1, 1)].concat();
                if self.parts.len() == 3 {
                    tokens.push(token("else"));
                    tokens.extend(bound(2, 1));
                }
                tokens
            }
            Form::Part => [bound(0, 7), vec![token("[")], bound(1, 0), vec![token("]")]].concat(),
            Form::Is(test) => {
                let is = [bound(0, 6), vec![token("is"), token(test)]].concat();
                if self.parts.len() == 1 {
                    return is;
                }
                [is, vec![token("(")], bound(1, 0), vec![token(")")]].concat()
            }
            Form::Filter(name) => {
                let name = match (*name, self.parts.len()) {
                    ("int", 2) => "int with a default",
                    (name, _) => name,
                };
                let written = FILTERS.iter().find(|(filter, _)| *filter == name);
                let written = written.map_or("", |(_, written)| written).split(' ');
                let behind = written.flat_map(|word| match word {
                    "A" => bound(1, 0),
                    word => vec![token(word)],
                });
                bound(0, 6).into_iter().chain(behind).collect()
            }
        }
    }

    fn listed(&self, open: &str, close: &str, keys: &[String]) -> Vec<Token> {
        let mut all = vec![token(open)];
        for (place, part) in self.parts.iter().enumerate() {
            if place > 0 {
                all.push(token(","));
            }
            if let Some(key) = keys.get(place) {
                all.extend([token(&format!("'{key}'")), token(":")]);
            }
            all.extend(part.tokens());
        }
        all.push(token(close));
        all
    }
}
