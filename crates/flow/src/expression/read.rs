//! Parses an expression completely. minijinja's parser drops an error of its lexer directly after a text, and
//! takes the beginning for the whole. So the lexer first runs over all of it.

use std::ops::Range;

use minijinja::machinery::ast::Expr;
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::foreign::Neighbours;
use super::{EvalError, check};

/// Operators of other languages, with advice. Longer ones come before their prefixes.
const SIGNS: [(&str, &str); 24] = [
    ("&&", "write `and`"),
    (
        "||",
        "write `or`, or `| default(…)` for a value that may be missing",
    ),
    ("===", "write `==`"),
    ("!==", "write `!=`"),
    (
        "=>",
        "there are no functions of your own; filters such as `map` and `select` go through a list",
    ),
    ("<>", "write `!=`"),
    ("??", "write `| default(…)`"),
    (
        "?.",
        "write `.`, and `| default(…)` for a value that may be missing",
    ),
    ("..", "a part is written with a colon: `NAME[0:2]`"),
    ("++", "write `+ 1`"),
    (
        "+=",
        "give a value with a step, `set: { NAME: \"${… + 1}\" }`",
    ),
    (
        "-=",
        "give a value with a step, `set: { NAME: \"${… - 1}\" }`",
    ),
    (
        "=~",
        "a regular expression stands in a selector: `assert: { text: { regex: '…' } }`",
    ),
    (
        "~=",
        "a regular expression stands in a selector: `assert: { text: { regex: '…' } }`",
    ),
    ("!=", ""),
    ("==", ""),
    ("<=", ""),
    (">=", ""),
    ("?", "write `a if condition else b`"),
    ("!", "write `not`"),
    ("&", "write `and`"),
    (";", "an expression is one value"),
    ("`", "put a text in quotes: `'…'`; `~` joins texts"),
    ("$", "names stand without `$` and braces inside `${…}`"),
];

/// Parses an expression, all of it, and checks the names of its filters, tests and functions. Operators of
/// other languages and two texts side by side are errors with advice. Nothing is computed.
pub(super) fn read(expression: &str) -> Result<Expr<'_>, EvalError> {
    refuse_signs(expression)?;
    let tokens = tokenize(expression, true, SyntaxConfig::default());
    let mut text_before = false;
    let mut neighbours = Neighbours::default();
    for token in tokens {
        let (token, span) = token?;
        let is_text = matches!(token, Token::Str(_) | Token::String(_));
        if is_text && text_before {
            return Err(
                EvalError::new("two texts stand side by side; write `~` between them").at(span),
            );
        }
        text_before = is_text;
        neighbours.accept(&token, span)?;
    }
    // Only the parser is used: minijinja's compiler would compute constants such as `'a' * 100000000`.
    let tree = minijinja::machinery::parse_expr(expression)?;
    check::check(&tree, 0)?;
    Ok(tree)
}

/// Fails at the first operator of another language outside of texts, such as `&&`, a single `=` outside of
/// round brackets, or a typographic quote.
fn refuse_signs(expression: &str) -> Result<(), EvalError> {
    let mut at = 0;
    let mut quote: Option<char> = None;
    let mut opened = Vec::new();
    while let Some(char) = expression[at..].chars().next() {
        let length = char.len_utf8();
        if let Some(open) = quote {
            let escaped = if char == '\\' {
                expression[at + length..].chars().next()
            } else {
                None
            };
            if char == open {
                quote = None;
            }
            at += length + escaped.map_or(0, char::len_utf8);
            continue;
        }
        if matches!(char, '\'' | '"') {
            quote = Some(char);
            at += length;
            continue;
        }
        match char {
            '(' | '[' | '{' => opened.push(char),
            ')' | ']' | '}' => drop(opened.pop()),
            _ => {}
        }
        let rest = &expression[at..];
        match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            Some((sign, "")) => {
                at += sign.len();
                // `===` and `!==` have this prefix, and are reported as a whole.
                continue;
            }
            Some((sign, advice)) => {
                return Err(sign_error(at..at + sign.len(), sign, advice));
            }
            // `name=value` is a named argument.
            None if char == '=' && opened.last() != Some(&'(') => {
                return Err(sign_error(at..at + 1, "=", "write `==` to compare"));
            }
            None if matches!(char, '“' | '”' | '„' | '‘' | '’' | '«' | '»') => {
                return Err(sign_error(
                    at..at + length,
                    &char.to_string(),
                    "write plain quotes: `'…'` or `\"…\"`",
                ));
            }
            None => {}
        }
        at += length;
    }
    Ok(())
}

/// Returns an error about a sign of another language at its place.
fn sign_error(range: Range<usize>, sign: &str, advice: &str) -> EvalError {
    EvalError::new(format!("there is no `{sign}` in expressions; {advice}")).in_range(range)
}
