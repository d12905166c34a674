//! Evaluates simple scripts without the engine: a name, a name with a default, a comparison with a text.

/// Reserved words of JavaScript, and words that cannot be assigned to.
const WORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Lookup of variables.
pub(super) trait Names {
    /// Returns the value of a variable of the flow; `None` if it is undefined. An empty value is one.
    fn value(&self, name: &str) -> Option<&str>;
    /// Returns the value of `maestro.NAME`, by the name behind the dot; `None` if only the engine knows it.
    fn maestro_value(&self, name: &str) -> Option<&str>;
}

/// Evaluates a variable, a quoted text, `true`, `false`, or a variable and a quoted text with `==`, `!=`, `===`, `!==`,
/// `||` or `??` between them, in this order. Comparisons give `true` or `false`. `||` takes the text for an empty
/// variable too, `??` only for an undefined one; an undefined variable alone gives `undefined`. `None` for everything
/// else, also for names of JavaScript and an empty script, which needs the engine.
pub(super) fn evaluate_simple(script: &str, names: &impl Names) -> Option<String> {
    let script = script.trim();
    for operator in ["===", "!==", "==", "!=", "||", "??"] {
        // `===` first: the rest of a longer operator is not an operand.
        let Some((left, right)) = script.split_once(operator) else {
            continue;
        };
        let (left, right) = (operand(left, names)?.text(), literal(right)?);
        return Some(match operator {
            "==" | "===" => (left == Some(right)).to_string(),
            "!=" | "!==" => (left != Some(right)).to_string(),
            "??" => left.unwrap_or(right).to_owned(),
            _ => left
                .filter(|text| !text.is_empty())
                .unwrap_or(right)
                .to_owned(),
        });
    }
    if ["true", "false"].contains(&script) {
        return Some(script.to_owned());
    }
    match literal(script) {
        Some(text) => Some(text.to_owned()),
        None => operand(script, names).map(|value| value.text().unwrap_or("undefined").to_owned()),
    }
}

#[derive(Clone, Copy)]
enum Operand<'a> {
    Text(&'a str),
    Undefined,
}

impl<'a> Operand<'a> {
    /// Returns the value; `None` for an undefined variable.
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Undefined => None,
        }
    }
}

/// Evaluates a variable, also one of `maestro`. A name that is not defined is [`Operand::Undefined`]. `None` if the
/// text is no plain name, if the engine gives the name a meaning, or if only the engine knows its value.
fn operand<'a>(text: &str, names: &'a impl Names) -> Option<Operand<'a>> {
    let text = text.trim();
    if let Some(name) = text.strip_prefix("maestro.") {
        return names.maestro_value(name).map(Operand::Text);
    }
    let mut letters = text.chars();
    let is_name = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    (is_name && !is_known(text))
        .then(|| names.value(text).map_or(Operand::Undefined, Operand::Text))
}

/// Returns what is between the quotes of a text in single or double quotes, which may be empty. Blanks around the
/// quotes are ignored. `None` if the text has no quotes around it, or has a backslash, a line break or its own
/// quote inside.
fn literal(text: &str) -> Option<&str> {
    let text = text.trim();
    let quote = text.chars().next().filter(|first| "'\"".contains(*first))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_plain = !inner.contains([quote, '\\', '\n', '\r']);
    is_plain.then_some(inner)
}

/// Returns true if the engine gives the name a meaning of its own.
fn is_known(name: &str) -> bool {
    WORDS.contains(&name) || GLOBALS.contains(&name)
}

/// Names that the engine and `prelude.js` define. A test compares them with the engine.
pub(super) const GLOBALS: &[&str] = &[
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "AsyncDisposableStack",
    "Atomics",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DOMException",
    "DataView",
    "Date",
    "DisposableStack",
    "Error",
    "EvalError",
    "FinalizationRegistry",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "Function",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "InternalError",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "SharedArrayBuffer",
    "String",
    "SuppressedError",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "atob",
    "btoa",
    "console",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "eval",
    "faker",
    "globalThis",
    "http",
    "isFinite",
    "isNaN",
    "json",
    "maestro",
    "output",
    "parseFloat",
    "parseInt",
    "performance",
    "print",
    "queueMicrotask",
    "relativePoint",
    "undefined",
    "unescape",
];

#[cfg(test)]
mod tests {
    use super::*;

    struct FixedNames;

    impl Names for FixedNames {
        fn value(&self, name: &str) -> Option<&str> {
            match name {
                "A" => Some("a"),
                "EMPTY" => Some(""),
                _ => None,
            }
        }

        fn maestro_value(&self, name: &str) -> Option<&str> {
            (name == "platform").then_some("android")
        }
    }

    #[test]
    fn what_needs_no_engine() {
        for (script, expected) in [
            ("A", Some("a")),
            (" A ", Some("a")),
            ("NOPE", Some("undefined")),
            ("EMPTY", Some("")),
            ("'text'", Some("text")),
            (" true ", Some("true")),
            ("A || 'd'", Some("a")),
            ("NOPE || 'd'", Some("d")),
            ("EMPTY || \"d\"", Some("d")),
            ("EMPTY ?? 'd'", Some("")),
            ("NOPE??'d'", Some("d")),
            ("A == 'a'", Some("true")),
            ("A === 'b'", Some("false")),
            ("A != 'b'", Some("true")),
            ("NOPE !== ''", Some("true")),
            ("NOPE == 'undefined'", Some("false")),
            ("maestro.platform == 'android'", Some("true")),
            // These need the engine.
            ("maestro.copiedText", None),
            ("A || B", None),
            ("A || 'a' || 'b'", None),
            ("A == 'a' && A != 'b'", None),
            ("A || 'it\\'s'", None),
            ("'a' + 'b'", None),
            ("A.length", None),
            ("A == 1", None),
            ("output.a", None),
            ("output", None),
            ("this", None),
            ("Math", None),
            ("undefined", None),
            ("1", None),
            ("A !== = 'a'", None),
            ("", None),
        ] {
            assert_eq!(
                evaluate_simple(script, &FixedNames).as_deref(),
                expected,
                "{script}"
            );
        }
    }
}
