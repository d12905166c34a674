//! Parses an expression completely. minijinja's parser drops an error of its lexer directly after a text, and
//! takes the beginning for the whole. So the lexer first runs over all of it.

use std::ops::Range;

use minijinja::machinery::ast::Expr;
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::{EvalError, tree};

/// Operators of other languages, with advice. Longer ones come before their prefixes.
const SIGNS: [(&str, &str); 19] = [
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
    ("++", "there is no `++`; write `+ 1`"),
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

/// Words of other languages for values, with advice.
const WORDS: [(&str, &str); 8] = [
    ("null", "write `none`"),
    ("Null", "write `none`"),
    ("NULL", "write `none`"),
    ("nil", "write `none`"),
    ("undefined", "write `NAME is undefined`"),
    ("TRUE", "write `true`"),
    ("FALSE", "write `false`"),
    (
        "typeof",
        "write `NAME is string`, `is number`, `is boolean`",
    ),
];

/// Keywords of expressions, which cannot be names.
const KEYWORDS: [&str; 7] = ["and", "or", "not", "in", "is", "if", "else"];

/// Methods, functions and filters of other languages, with their equivalents.
const METHODS: [(&str, &str); 45] = [
    ("toUpperCase", "… | upper"),
    ("toLowerCase", "… | lower"),
    ("includes", "'x' in …"),
    ("contains", "'x' in …"),
    ("startsWith", "… is startingwith 'x'"),
    ("startswith", "… is startingwith 'x'"),
    ("endsWith", "… is endingwith 'x'"),
    ("endswith", "… is endingwith 'x'"),
    ("size", "… | length"),
    ("len", "… | length"),
    ("toString", "… | string"),
    ("String", "… | string"),
    ("str", "… | string"),
    ("parseInt", "… | int"),
    ("Number", "… | int"),
    ("parseFloat", "… | float"),
    ("Boolean", "… | bool"),
    ("substring", "…[1:3]"),
    ("substr", "…[1:3]"),
    ("charAt", "…[0]"),
    ("concat", "… ~ …"),
    ("strip", "… | trim"),
    ("isEmpty", "… == ''"),
    ("equals", "… == …"),
    ("filter", "… | select('eq', 1)"),
    ("matches", "'x' in …"),
    ("indexOf", "'x' in …"),
    ("replaceAll", "… | replace('a', 'b')"),
    ("trimEnd", "… | trim"),
    ("uppercase", "… | upper"),
    ("upcase", "… | upper"),
    ("lowercase", "… | lower"),
    ("downcase", "… | lower"),
    ("titlecase", "… | title"),
    ("trimmed", "… | trim"),
    ("number", "… | int"),
    ("integer", "… | int"),
    ("sub", "… | replace('a', 'b')"),
    ("date", "now('%F')"),
    ("strftime", "now('%F')"),
    ("format_date", "now('%F')"),
    ("now", "now()"),
    ("random", "random_int(1, 6)"),
    ("randomUUID", "uuid()"),
    ("uuid4", "uuid()"),
];

/// Returns the equivalent of a method or function of another language, with `…` in place of its subject. A
/// filter's own name is written as a filter. Returns `None` for unknown names.
pub(crate) fn method(name: &str) -> Option<String> {
    let known = METHODS.iter().find(|(theirs, _)| *theirs == name);
    match known {
        Some((_, ours)) => Some((*ours).to_owned()),
        None => super::filters::is_filter(name).then(|| format!("… | {name}")),
    }
}

/// Returns a message for a keyword or a word of another language, such as `null`, in the place of a value;
/// `None` for any other word.
pub(super) fn wrong_word(word: &str) -> Option<String> {
    if KEYWORDS.contains(&word) {
        return Some(format!(
            "`{word}` cannot stand here; it is a word of the language"
        ));
    }
    let (theirs, advice) = WORDS.iter().find(|(theirs, _)| *theirs == word)?;
    Some(format!("there is no `{theirs}` here; {advice}"))
}

/// Returns true if a word cannot be a name: a constant, a keyword, or a word of another language such as
/// `null`.
pub(crate) fn is_reserved(word: &str) -> bool {
    ["true", "false", "none", "True", "False", "None"].contains(&word) || wrong_word(word).is_some()
}

/// Parses an expression, all of it, and checks the names of its filters, tests and functions. Operators of
/// other languages and two texts side by side are errors with advice. Nothing is computed.
pub(super) fn read(expression: &str) -> Result<Expr<'_>, EvalError> {
    refuse_signs(expression)?;
    let tokens = tokenize(expression, true, SyntaxConfig::default());
    let mut text_before = false;
    for token in tokens {
        let (token, span) = token?;
        let is_text = matches!(token, Token::Str(_) | Token::String(_));
        if is_text && text_before {
            return Err(
                EvalError::new("two texts stand side by side; write `~` between them").at(span),
            );
        }
        text_before = is_text;
    }
    // Only the parser is used: minijinja's compiler would compute constants such as `'a' * 100000000`.
    let tree = minijinja::machinery::parse_expr(expression)?;
    tree::check(&tree, 0)?;
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

fn sign_error(range: Range<usize>, sign: &str, advice: &str) -> EvalError {
    EvalError {
        range: Some(range),
        ..EvalError::new(format!("there is no `{sign}` in expressions; {advice}"))
    }
}
