//! Selection of flows by their tags.

use std::collections::HashSet;

use runner_flow::TagExpression;
use runner_text::shell::quote_to_copy;
use runner_text::suggest::nearest;

/// Chosen: what fits in one line of a message.
const MAX_NAMED_TAGS: usize = 12;

/// Selection of flows by their tags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Keep flows with any of these tags, or all if empty.
    pub tags: Vec<String>,
    /// Drop flows with any of these.
    pub excluded: Vec<String>,
    /// Keep flows for which this holds.
    pub expression: Option<TagExpression>,
}

/// Returns true if a tag that no flow has is an expression about some that flows have: `smoke or login`.
fn is_expression(tag: &str, known: &HashSet<String>) -> bool {
    let parsed: Result<TagExpression, _> = tag.parse();
    !known.contains(tag)
        && tag.contains(' ')
        && parsed.is_ok_and(|it| it.tags().iter().any(|tag| known.contains(*tag)))
}

impl Filter {
    /// Returns true if a flow with these tags is kept: it has one of `tags` or there are none, it has none of
    /// `excluded`, and the expression, if there is one, holds.
    pub(super) fn takes(&self, tags: &[String]) -> bool {
        let any = |wanted: &[String]| tags.iter().any(|tag| wanted.contains(tag));
        let holds = |expression: &TagExpression| expression.holds(tags);
        (self.tags.is_empty() || any(&self.tags))
            && !any(&self.excluded)
            && self.expression.as_ref().is_none_or(holds)
    }

    /// Suggests a tag for one that no flow has. An expression that was given as a tag comes first, then a tag
    /// that is right but for a leading `@`, else the first unknown one. Returns the end of a message, which
    /// begins with `;`: the way to write it, the nearest tag, at most 12 known ones, or that there are none.
    /// If all tags are known it is that of [`Self::never_together`], or else empty.
    pub(super) fn nearest_tag(&self, known: &HashSet<String>) -> String {
        if let Some(text) = self.tags.iter().find(|tag| is_expression(tag, known)) {
            return format!("; write `--tags {}` for an expression", quote_to_copy(text));
        }
        let expression = self.expression.as_ref().map(TagExpression::tags);
        let expression = expression.iter().flatten().copied();
        let named = self.tags.iter().map(String::as_str).chain(expression);
        let unknown: Vec<&str> = named.filter(|tag| !known.contains(*tag)).collect();
        let is_signed = |tag: &&&str| known.contains(tag.trim_start_matches('@'));
        let Some(tag) = unknown.iter().find(is_signed).or(unknown.first()) else {
            return self.never_together().unwrap_or_default();
        };
        let bare = tag.trim_start_matches(['@', '!', '~', '-']);
        if tag.starts_with('@') && known.contains(bare) {
            return format!("; write `{bare}`, without `@`");
        }
        if let Some((prefix, rest)) = tag.split_once(':')
            && known.contains(rest)
        {
            return format!("; write `{rest}`, without `{prefix}:`");
        }
        if let Some(rest) = tag.strip_prefix("not ") {
            return format!("; write `--tags \"not {rest}\"` for flows without a tag");
        }
        if tag.contains([',', '&', '|', '+']) {
            let parts = tag
                .split([',', '&', '|', '+'])
                .filter(|part| !part.is_empty());
            let word = if tag.contains('&') { " and " } else { " or " };
            let parts: Vec<&str> = parts.map(str::trim).collect();
            return format!("; write `--tags \"{}\"` for several tags", parts.join(word));
        }
        if tag.starts_with(['!', '~', '-']) {
            return format!("; write `--tags \"not {bare}\"` for flows without a tag");
        }
        let names = || known.iter().map(String::as_str);
        if let Some(near) = nearest(bare, names()) {
            return format!("; no flow has `{tag}`: did you mean `{near}`?");
        }
        let mut all: Vec<&str> = names().collect();
        all.sort_unstable();
        all.truncate(MAX_NAMED_TAGS);
        if all.is_empty() {
            return "; no flow has a tag".to_owned();
        }
        format!("; no flow has `{tag}`; known tags: `{}`", all.join("`, `"))
    }

    /// Returns the end of a message about tags that `and` joins and no flow has together: the expression with `or`.
    /// `None` for other filters. Looks at no flows: the caller knows that none is left.
    fn never_together(&self) -> Option<String> {
        let Some(TagExpression::And(all)) = &self.expression else {
            return None;
        };
        let is_tag = |part: &TagExpression| matches!(part, TagExpression::Tag(_));
        if !self.tags.is_empty() || !self.excluded.is_empty() || !all.iter().all(is_tag) {
            return None;
        }
        let tags: Vec<String> = all.iter().map(ToString::to_string).collect();
        Some(format!(
            "; no flow has all of them: write `--tags {}` for flows with any",
            quote_to_copy(&tags.join(" or "))
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_that_leaves_no_flow_is_named() {
        let known = HashSet::from(["smoke".to_owned(), "login".to_owned()]);
        for (expression, told) in [
            ("smoke AND slow", "no flow has `slow`"),
            ("smoke and logn", "did you mean `login`"),
            ("smoke and login", "smoke or login"),
        ] {
            let filter = Filter {
                expression: Some(expression.parse().unwrap()),
                ..Filter::default()
            };
            let meant = filter.nearest_tag(&known);
            assert!(meant.contains(told), "{expression}: {meant}");
        }
    }
}
