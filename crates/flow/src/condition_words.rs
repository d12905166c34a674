//! Advice on texts that stand in place of a condition or an expression.

use super::foreign;
use super::reader::Reader;

impl Reader<'_> {
    /// Returns advice for a text in place of a condition: a comparison and a known name lead to `${…}`, other words to
    /// `visible` and `not_visible`. What asks for the platform is left out.
    pub(crate) fn condition_advice(&self, text: &str) -> String {
        if let Some(help) = self.compared(text) {
            return help;
        }
        let inner = inner_expression(text);
        let words = text.to_lowercase();
        let has = |word: &str| {
            let mut words = words.split(|c: char| !c.is_alphanumeric());
            words.any(|it| it == word)
        };
        let is_seen = ["visible", "displayed", "shown", "exists", "present"]
            .into_iter()
            .any(has);
        let is_denied = ["not", "no", "invisible", "gone", "hidden"]
            .into_iter()
            .any(has);
        match (is_seen, is_denied) {
            (_, true) => "write `{ not_visible: … }`, or an expression: \"${…}\"".to_owned(),
            (true, false) => "write `{ visible: … }`".to_owned(),
            (false, false) => {
                let shown = foreign::yaml(inner);
                format!(
                    "write `{{ visible: {shown} }}`, or an expression that comes to true or false: \"${{…}}\""
                )
            }
        }
    }

    /// Returns advice for a text in place of an expression that comes to true or false.
    pub(crate) fn expression_advice(&self, text: &str) -> String {
        self.compared(text).unwrap_or_else(|| {
            "write an expression that comes to true or false: \"${…}\"; `assert visible: …` looks for an element"
                .to_owned()
        })
    }

    /// Returns advice for a comparison or a known name without `${…}`; `None` for other words.
    fn compared(&self, text: &str) -> Option<String> {
        // Shells write `$NAME`.
        let inner = inner_expression(text).replace('$', "");
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let root: &str = inner
            .split(|c: char| !is_name(c))
            .next()
            .unwrap_or_default();
        if let Some(help) = foreign::platform(root) {
            return Some(help);
        }
        let compares = ["==", "!=", "<", ">", "("]
            .iter()
            .any(|sign| inner.contains(sign));
        let is_known = !inner.contains(' ') && !root.is_empty() && self.names.has_value(root);
        (compares || is_known)
            .then(|| format!("write {}", foreign::quoted(&format!("${{{inner}}}"))))
    }
}

/// Returns the content of `{{ … }}`, or the text without blanks around it.
fn inner_expression(text: &str) -> &str {
    text.trim()
        .trim_start_matches('{')
        .trim_end_matches('}')
        .trim()
}
