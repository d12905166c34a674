//! Finds what a text with expressions writes out of its value.

use super::expression::{self, Constants, TemplatePart};

/// Returns what a text with `${…}` writes out of its value: the texts around the expressions, the texts and numbers in
/// expressions that may be in their results, and each expression that has one or computes with a number, without blanks
/// around it. An expression that only names values, such as `os.PIN`, has nothing. A text that cannot be split, and an
/// expression that cannot be parsed, is taken whole.
pub fn written_parts(text: &str) -> Vec<String> {
    let Ok(pieces) = expression::pieces(text) else {
        return vec![text.to_owned()];
    };
    let mut parts = Vec::new();
    for piece in pieces {
        match piece {
            TemplatePart::Text(plain) => parts.push(plain),
            TemplatePart::Expression(range) => {
                let inner = text[range].trim();
                let tree = expression::parse(inner).ok();
                let constants = tree.map(|tree| expression::constants(&tree));
                let only_names = |it: &Constants| it.parts.is_empty() && !it.has_operands;
                if !constants.as_ref().is_some_and(only_names) {
                    parts.push(inner.to_owned());
                }
                parts.extend(constants.into_iter().flat_map(|it| it.parts));
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the written parts, sorted, without the expressions themselves.
    fn parts(text: &str) -> Vec<String> {
        let mut parts = written_parts(text);
        parts.retain(|part| !text.contains(&format!("${{{part}}}")));
        parts.sort();
        parts
    }

    #[test]
    fn what_may_be_in_the_value_is_written_and_what_only_decides_is_not() {
        for (text, expected) in [
            ("${os.PIN}", vec![]),
            ("${os['PIN']}", vec![]),
            ("${os.LOGIN | split('word-1') | last}", vec![]),
            ("${rows | map(attribute='user-1') | first}", vec![]),
            ("${rows | map('split', 'word-1') | first}", vec![]),
            (
                "${rows | map(attribute='a', default='e-1') | first}",
                vec!["e-1"],
            ),
            ("${rows | map('default', 'e-1') | first}", vec!["e-1"]),
            ("${random_int(100000, 999999)}", vec![]),
            ("${X[12:34]}", vec![]),
            ("${X | default('')}", vec![]),
            ("${'a' if X == 'deciding' else 'b'}", vec!["a", "b"]),
            ("${X | default('else-1')}", vec!["else-1"]),
            ("${X | replace('a-1', 'b-2')}", vec!["a-1", "b-2"]),
            ("${'9182' ~ X ~ 7364}", vec!["7364", "9182"]),
            ("${dict(a='in-1').a}", vec!["in-1"]),
            ("${['l-1', {'k': 'm-1'}] | last}", vec!["k", "l-1", "m-1"]),
            ("${'it\\'s'}", vec!["it's"]),
            ("${X * 1000 + 1234}", vec![]),
            ("${(X + 1000) ~ 1234}", vec!["1234"]),
            ("tok-1-${X} $${Y}", vec![" ${Y}", "tok-1-"]),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }

    #[test]
    fn an_expression_with_a_written_part_is_one_itself() {
        assert_eq!(written_parts("${ 'a1' ~ X }"), ["'a1' ~ X", "a1"]);
        assert_eq!(written_parts("${ X + 1000 }"), ["X + 1000"]);
        assert_eq!(written_parts("${ X }"), [""; 0]);
        assert_eq!(written_parts("${ X + }"), ["X +"]);
        assert_eq!(written_parts("a ${ X"), ["a ${ X"]);
    }

    proptest! {
        /// Puts a text into an expression in each way in which its result may have it.
        #[test]
        fn no_written_part_is_missed(secret in "[a-zA-Z0-9-]{1,12}[a-z0-9]", way in 0_usize..9) {
            let text = [
                format!("{secret}${{X}}"),
                format!("${{X}} {secret}"),
                format!("${{'{secret}' ~ X}}"),
                format!("${{X | default('{secret}')}}"),
                format!("${{'{secret}' if X else Y}}"),
                format!("${{X if X == 'y' else '{secret}' | upper}}"),
                format!("${{[X, '{secret}'] | join}}"),
                format!("${{{{'a': '{secret}'}}['a']}}"),
                format!("${{'%s {secret}' | format(X)}}"),
            ];
            let parts = written_parts(&text[way]);
            prop_assert!(parts.iter().any(|part| part.contains(&secret)), "{:?}: {parts:?}", text[way]);
        }
    }
}
