//! `$((…))`: whole numbers, operators and parentheses. Variables are replaced before.

/// Error of an expression, in the words of Android's shell.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArithmeticError {
    #[error("{text}: unexpected '{sign}'")]
    Unexpected { text: String, sign: char },
    #[error("{0}: bad number")]
    Number(String),
    #[error("missing )")]
    Unclosed,
    #[error("expression recurses")]
    TooDeep,
    #[error("zero divisor")]
    ZeroDivisor,
}

type Result = std::result::Result<i64, ArithmeticError>;

/// Evaluates the inside of `$((…))`; an empty text is 0. Spaces are dropped everywhere, also in numbers. Results
/// wrap around at 64 bits, but a longer number in the text fails. Fails for words and signs that it does not know
/// (assignments too), an open bracket, and division by zero.
pub(super) fn evaluate(text: &str, variable: &dyn Fn(&str) -> String) -> Result {
    let mut reader = Reader {
        text: text.chars().filter(|c| !c.is_whitespace()).collect(),
        at: 0,
        depth: 0,
        skipped: 0,
        variable,
    };
    if reader.text.is_empty() {
        return Ok(0);
    }
    let value = reader.binary(0)?;
    if reader.at < reader.text.len() {
        return Err(ArithmeticError::Unexpected {
            text: text.to_owned(),
            sign: reader.text[reader.at],
        });
    }
    Ok(value)
}

/// Operators, loosest first. Of two with the same beginning the longer comes first.
const LEVELS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Reader<'a> {
    text: Vec<char>,
    at: usize,
    depth: usize,
    /// Depth of operands that are parsed but not evaluated, such as the right side of `0 && …`.
    skipped: usize,
    variable: &'a dyn Fn(&str) -> String,
}

impl Reader<'_> {
    /// Skips a sign if it is next. Returns true if it was.
    fn eat(&mut self, sign: &str) -> bool {
        let found = sign
            .chars()
            .enumerate()
            .all(|(i, c)| self.text.get(self.at + i) == Some(&c));
        if found {
            self.at += sign.len();
        }
        found
    }

    /// Evaluates operators of a level of [`LEVELS`] and tighter ones, from left to right. An operand that `||` or
    /// `&&` has decided is still parsed, but may divide by zero.
    fn binary(&mut self, level: usize) -> Result {
        let Some(signs) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.eat(sign)) {
            let decided = matches!((*sign, left != 0), ("||", true) | ("&&", false));
            self.skipped += usize::from(decided);
            let right = self.binary(level + 1);
            self.skipped -= usize::from(decided);
            left = match right? {
                // Operands that are not evaluated may divide by zero.
                0 if self.skipped > 0 && matches!(*sign, "/" | "%") => 0,
                right => apply(sign, left, right)?,
            };
        }
        Ok(left)
    }

    /// Evaluates signs, brackets, a number or a variable. Fails below 64 levels, and for an empty word.
    fn unary(&mut self) -> Result {
        self.depth += 1;
        if self.depth > 64 {
            return Err(ArithmeticError::TooDeep);
        }
        let value = if self.eat("-") {
            self.unary()?.wrapping_neg()
        } else if self.eat("+") {
            self.unary()?
        } else if self.eat("!") {
            i64::from(self.unary()? == 0)
        } else if self.eat("(") {
            let value = self.binary(0)?;
            if !self.eat(")") {
                return Err(ArithmeticError::Unclosed);
            }
            value
        } else {
            let rest = &self.text[self.at..];
            let word: String = rest
                .iter()
                .take_while(|c| c.is_ascii_alphanumeric() || **c == '_')
                .collect();
            self.at += word.len();
            number(&word, self.variable)?
        };
        self.depth -= 1;
        Ok(value)
    }
}

/// Returns the value of a decimal or `0x` number, or of a variable, which is 0 unless it is a decimal number. Fails
/// for other words.
fn number(word: &str, variable: &dyn Fn(&str) -> String) -> Result {
    if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let value = variable(word);
        return Ok(value.trim().parse().unwrap_or(0));
    }
    let value = match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    value.map_err(|_| ArithmeticError::Number(word.to_owned()))
}

/// Applies an operator. Comparisons give 1 or 0; division by zero fails.
fn apply(sign: &str, left: i64, right: i64) -> Result {
    Ok(match sign {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        _ if right == 0 => return Err(ArithmeticError::ZeroDivisor),
        "/" => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_their_value() {
        let variable = |name: &str| {
            if name == "i" {
                "4".to_owned()
            } else {
                String::new()
            }
        };
        for (text, value) in [
            ("1 + 2 * 3", Ok(7)),
            ("(1+2)*3", Ok(9)),
            ("i+1", Ok(5)),
            ("7 % 4 == 3 && 1", Ok(1)),
            ("-2 - -3", Ok(1)),
            ("unset", Ok(0)),
            ("", Ok(0)),
            ("1 || 1/0", Ok(1)),
            ("0 && (1 % 0)", Ok(0)),
            ("0 && 1/0 || 1", Ok(1)),
            ("1 && 1/0", Err(ArithmeticError::ZeroDivisor)),
            ("1/0", Err(ArithmeticError::ZeroDivisor)),
            ("9223372036854775807+1", Ok(i64::MIN)),
        ] {
            assert_eq!(evaluate(text, &variable), value, "{text}");
        }
        assert!(evaluate("1 +", &variable).is_err());
        assert!(evaluate("(1", &variable).is_err());
    }
}
