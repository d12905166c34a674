//! The tree of a file: values with their places, and scalars whose types their readers decide.

use std::ops::Range;

/// Value with its place in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Range of bytes in the source, without indentation and comments. A copy by an alias has the range of the
    /// original.
    pub span: Range<usize>,
    pub kind: NodeKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    Scalar(Scalar),
    /// Entries in the order of the file, with merge keys resolved and without duplicate keys.
    Map(Vec<(Key, Node)>),
    /// Items in the order of the file.
    Sequence(Vec<Node>),
}

/// Scalar as text. Its reader decides about its type, so `1` may be a text or a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    /// Text with escapes and line folding resolved.
    pub text: String,
    /// True if written without quotes, and neither as a block nor with a tag for text, so that it may be a number, a
    /// boolean or null.
    pub plain: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Text with escapes resolved.
    pub text: String,
    pub span: Range<usize>,
}

impl Node {
    /// Returns true if there is no value: a null, or nothing but a comment or an anchor.
    pub fn is_missing(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_null)
    }

    /// Returns the scalar; `None` for a list or a map.
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            NodeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Names the type with an article for messages, such as `a list`; `nothing` for a missing value. A number
    /// or boolean in quotes is `text`.
    pub fn what(&self) -> &'static str {
        match &self.kind {
            _ if self.is_missing() => "nothing",
            NodeKind::Scalar(scalar) if scalar.plain && scalar.boolean().is_some() => "a boolean",
            NodeKind::Scalar(scalar) if scalar.plain && scalar.number().is_some() => "a number",
            NodeKind::Scalar(_) => "text",
            NodeKind::Map(_) => "a map",
            NodeKind::Sequence(_) => "a list",
        }
    }
}

impl Scalar {
    /// Returns true if YAML reads it as null: empty, `~` or `null`, without quotes.
    pub fn is_null(&self) -> bool {
        self.plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// Returns the value of `true` or `false` in lower case without quotes; `None` for all other texts, `yes`
    /// and `on` too.
    pub fn boolean(&self) -> Option<bool> {
        match self.text.as_str() {
            "true" if self.plain => Some(true),
            "false" if self.plain => Some(false),
            _ => None,
        }
    }

    /// Returns the value of a number in JSON's syntax (a `+` before its digits is allowed) without quotes. Returns `None`
    /// for others, such as `007`, `0x1f`, `.5` and `+ 1`, and for texts in quotes.
    pub fn number(&self) -> Option<serde_json::Number> {
        if !self.plain {
            return None;
        }
        let text = match self.text.strip_prefix('+') {
            // JSON's blanks and its `-` are no part of a number with a `+`.
            Some(rest) if !rest.starts_with(|first: char| first.is_ascii_digit()) => return None,
            Some(rest) => rest,
            None => &self.text,
        };
        serde_json::from_str(text).ok()
    }

    /// Returns true for a whole number without a point and an exponent that [`Self::number`] gives as another one near
    /// it, because it has too many digits.
    pub fn is_rounded(&self) -> bool {
        let is_whole = !self.text.contains(['.', 'e', 'E']);
        // `-0` is a float too.
        let float = self.number().filter(serde_json::Number::is_f64);
        let value = float.and_then(|number| number.as_f64());
        is_whole && value.is_some_and(|value| value.abs() > 1.0)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Range of the line `---` before it; empty if it has none.
    pub start: Range<usize>,
    pub node: Node,
}

#[cfg(test)]
mod tests {
    use super::Scalar;

    #[test]
    fn a_sign_stands_directly_before_the_digits_of_a_number() {
        for (text, number) in [
            ("5", Some("5")),
            ("+5", Some("5")),
            ("-5", Some("-5")),
            ("+0.5", Some("0.5")),
            ("+ 5", None),
            ("+-5", None),
            ("++5", None),
            ("- 5", None),
            ("+", None),
            ("+.5", None),
            ("+49 30 1234", None),
        ] {
            for plain in [true, false] {
                let scalar = Scalar {
                    text: text.to_owned(),
                    plain,
                };
                let read = scalar.number().map(|number| number.to_string());
                assert_eq!(read.as_deref(), number.filter(|_| plain), "{text}");
            }
        }
    }
}
