//! Finds the comments of a file: from a `#` outside of values to the end of the line.

use std::ops::Range;

use super::super::super::yaml;
use runner_text::diagnostic::Source;

#[derive(Debug, Clone)]
pub(super) struct Comment {
    /// Byte offset of its `#`.
    pub(super) at: usize,
    /// Text from `#` on.
    pub(super) text: String,
    /// True if something comes before it on its line.
    pub(super) is_trailing: bool,
}

/// Returns the comments of a file in their order, one for each line at most. Each has its `#` and no blanks at the
/// end. A `#` in a value or a key, or without a blank before it, is none. Works only for valid YAML: else values
/// count as comments too.
pub(super) fn find_comments(source: &std::sync::Arc<Source>) -> Vec<Comment> {
    let mut values: Vec<Range<usize>> = Vec::new();
    let documents = yaml::read_documents(source, &mut Vec::new()).unwrap_or_default();
    for node in documents.iter().flat_map(|document| document.node.nodes()) {
        values.extend(node.scalar().map(|_| node.span.clone()));
        values.extend(node.entries().iter().map(|(key, _)| key.span.clone()));
    }
    values.sort_by_key(|span| span.start);
    let text = &source.text;
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        let mut from = start;
        while let Some(at) = text[from..end].find('#').map(|at| from + at) {
            let before = &text[start..at];
            let begins = before.is_empty() || before.ends_with([' ', '\t']);
            // The last value that begins before the `#`.
            let last = values.partition_point(|span| span.start <= at);
            let is_value = last
                .checked_sub(1)
                .is_some_and(|last| at < values[last].end);
            if begins && !is_value {
                found.push(Comment {
                    at,
                    text: text[at..end].to_owned(),
                    is_trailing: !before.trim().is_empty(),
                });
                break;
            }
            from = at + 1;
        }
        start += line.len();
    }
    found
}
