//! Splits expressions into tokens.

use super::super::error::XPathError;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    Text(String),
    Number(f64),
    Sign(&'static str),
}

/// Signs. Longer ones come first, so that `<=` is not read as `<`.
const SIGNS: [&str; 22] = [
    "//", "::", "..", "!=", "<=", ">=", "/", ".", "@", "*", "[", "]", "(", ")", ",", "|", "=", "<",
    ">", "+", "-", "$",
];

/// Splits the text into tokens; an error for a text without an end, a bad number or an unknown character.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, XPathError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' || first == '\'' {
            let end = rest[1..]
                .find(first)
                .ok_or_else(|| XPathError::Syntax("a text has no end".to_owned()))?;
            tokens.push(Token::Text(rest[1..=end].to_owned()));
            end + 2
        } else if first.is_ascii_digit()
            || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            let length = rest
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(rest.len());
            let number = rest[..length].parse();
            let number = number.map_err(|_| {
                XPathError::Syntax(format!("`{}` is not a number", &rest[..length]))
            })?;
            tokens.push(Token::Number(number));
            length
        } else if first.is_alphabetic() || first == '_' {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '·');
            let mut length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            // A name may have a prefix.
            let after = &rest[length..];
            if after.starts_with(':')
                && after[1..].starts_with(|c: char| c.is_alphabetic() || c == '_')
            {
                let more = after[1..].find(|c| !is_part(c)).unwrap_or(after.len() - 1);
                length += 1 + more;
            }
            tokens.push(Token::Name(rest[..length].to_owned()));
            length
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign =
                sign.ok_or_else(|| XPathError::Syntax(format!("`{first}` is not expected here")))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}
