//! Documentation that the program carries, for agents without a network.

/// Document of `runner://docs`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document {
    /// Last part of the URI: `flows` of `runner://docs/flows`.
    pub name: &'static str,
    /// One line about its content.
    pub description: &'static str,
    text: &'static str,
    /// Heading of the only section to serve; `None` for the whole text.
    section: Option<&'static str>,
}

const FLOWS: &str = include_str!("../../../docs/guide/flows.md");

/// All documents, the most needed first.
pub(super) const DOCUMENTS: &[Document] = &[
    document(
        "flows",
        "How a flow is written: header, steps, elements, control, expressions, secrets.",
        FLOWS,
    ),
    document(
        "steps",
        "Every everyday step with its arguments, and which step does what people look for.",
        include_str!("../../../docs/reference/steps.md"),
    ),
    document(
        "tools",
        "The dialects' tools as steps, with their arguments: for flows that were recorded with them.",
        include_str!("../../../docs/reference/tools.md"),
    ),
    Document {
        name: "selectors",
        description: "How a step names its element.",
        text: FLOWS,
        section: Some("## Which element"),
    },
    document(
        "screen",
        "The screen as rows: columns, flags, ids.",
        include_str!("../../../docs/guide/inspect.md"),
    ),
    document(
        "snapshots",
        "Goldens: how they are taken, compared, masked and reviewed.",
        include_str!("../../../docs/guide/snapshots.md"),
    ),
    document(
        "config",
        "runner.yaml and other settings.",
        include_str!("../../../docs/reference/config.md"),
    ),
    document(
        "virtual-device",
        "The built-in device and its apps.",
        include_str!("../../../docs/guide/virtual-device.md"),
    ),
    document(
        "a2ui",
        "Components, functions and icons of the built-in device's apps.",
        include_str!("../../../docs/reference/a2ui.md"),
    ),
];

/// Creates a document that is served whole.
const fn document(name: &'static str, description: &'static str, text: &'static str) -> Document {
    Document {
        name,
        description,
        text,
        section: None,
    }
}

impl Document {
    /// Finds a document by the last part of its URI, whose letter case counts.
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        DOCUMENTS.iter().find(|document| document.name == name)
    }

    /// Returns the document's whole text, or its only section from its heading to before the next heading of
    /// the second level. A heading that is not found yields the whole text.
    pub(super) fn text(&self) -> &'static str {
        let whole = self.text;
        let Some(start) = self.section.and_then(|heading| whole.find(heading)) else {
            return whole;
        };
        let section = &whole[start..];
        // Searched from behind the `##` of the section's own heading.
        match section[2..].find("\n## ") {
            Some(end) => &section[..end + 3],
            None => section,
        }
    }
}
