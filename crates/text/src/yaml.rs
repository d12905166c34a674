//! Parses YAML into a tree that keeps the place of each value.
//!
//! Owns budgets against hostile files, anchors and merge keys, duplicate keys and the advice on quoting.
//! Knows no key of any file: flows and `runner.yaml` are read from the same tree.

mod advice;
mod build;
mod node;
mod walk;

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Source};
use crate::suggest::{SourceRange, error};

pub use advice::missing_space;
pub use build::{MAX_ALIASES, MAX_ANCHORS, MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES, read_documents};
pub use node::{Document, Key, Node, NodeKind, Scalar};

/// Parses one document. An empty file is an empty plain scalar, for which [`Node::is_missing`] is true. Adds to
/// `diagnostics` what [`read_documents`] reports, and a second document as an error. Returns `None` if there is a
/// second one, and wherever [`read_documents`] does.
pub fn read(source: &Arc<Source>, diagnostics: &mut Vec<Diagnostic>) -> Option<Node> {
    only(read_documents(source, diagnostics)?, source, diagnostics)
}

/// Returns the only document. Reports a second one as an error, and returns `None` then. An empty file is an
/// empty plain scalar without a report; the caller says what is missing.
pub fn only(
    documents: Vec<Document>,
    source: &Arc<Source>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Node> {
    let mut documents = documents.into_iter();
    let first = documents.next();
    if let Some(second) = documents.next() {
        let mut diagnostic = error(
            &SourceRange::new(source, second.node.span),
            Code::SeveralDocuments,
            "a file holds one document; this is a second one",
        );
        diagnostic.help =
            Some("remove the line `---` or move what follows to a file of its own".to_owned());
        diagnostics.push(diagnostic);
        return None;
    }
    Some(first.map_or(
        Node {
            span: 0..0,
            kind: NodeKind::Scalar(Scalar {
                text: String::new(),
                plain: true,
            }),
        },
        |document| document.node,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: String) -> (Option<Node>, Vec<Diagnostic>) {
        let path = "a.yaml".into();
        let mut found = Vec::new();
        let node = read(&Arc::new(Source { path, text }), &mut found);
        (node, found)
    }

    #[test]
    fn the_quotes_that_a_warning_of_a_comment_advises_keep_the_text() {
        for written in [
            "Item #3",
            "it's #3",
            "Say \"hi\" #3",
            "C:\\dir #4",
            "it's \"one\" #5",
            "Save all# the button",
            "Say \"hi\" now# the button",
            "it's \\d now# the button",
        ] {
            let (_, found) = parsed(format!("- click: {written}\n"));
            let [warning] = found.as_slice() else {
                panic!("{written}: {found:?}");
            };
            let help = warning.help.as_deref().unwrap_or_default();
            let (_, quoted) = help.split_once("quote it: ").expect(help);
            let quoted = quoted.split("; if it is").next().unwrap_or_default();
            let (node, found) = parsed(format!("{quoted}\n"));
            let text = node.and_then(|node| Some(node.scalar()?.text.clone()));
            assert_eq!((text.as_deref(), found.len()), (Some(written), 0), "{help}");
        }
    }
}
