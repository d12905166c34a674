//! Writes the tools of all dialects as Markdown tables, from the registry: a part of `docs/guide/mcp.md`.

use std::fmt::Write as _;

use super::served_tools::{self, ServedTool};
use super::{Dialect, DialectOptions, schema};

/// Returns one table per dialect, of all its tools, and one of the agent tools, as Markdown: name, arguments, summary.
/// Names are those without a slug. Each heading has the number of tools.
pub fn docs() -> String {
    let mut text = String::new();
    for dialect in Dialect::ALL {
        let options = DialectOptions {
            dialect,
            ..DialectOptions::default()
        };
        let tools: Vec<ServedTool> = served_tools::catalogue_tools(&options).collect();
        let name = dialect.name();
        table(&mut text, &format!("`--dialect {name}`"), &tools);
    }
    let tools: Vec<ServedTool> = served_tools::agent_tools().collect();
    table(&mut text, "In every dialect", &tools);
    text
}

/// Appends a heading with the number of tools and a table with one row for each, in their order. Without tools it
/// appends nothing.
fn table(text: &mut String, title: &str, tools: &[ServedTool]) {
    if tools.is_empty() {
        return;
    }
    let count = tools.len();
    let _ = write!(
        text,
        "\n### {title}: {count} tools\n\n| tool | arguments | what it does |\n|---|---|---|\n"
    );
    for tool in tools {
        let summary = tool.summary.replace('|', "\\|");
        let _ = writeln!(
            text,
            "| `{}` | {} | {summary} |",
            tool.name,
            arguments(tool)
        );
    }
}

/// Lists the arguments by name in backticks, optional ones in brackets, in the order of the schema and separated by
/// commas. Empty if the tool has none.
fn arguments(tool: &ServedTool) -> String {
    let schema = schema::simplified(&|generator| tool.schema(generator));
    let required: Vec<&str> = schema
        .get("required")
        .and_then(|names| names.as_array())
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str())
        .collect();
    let names = schema
        .get("properties")
        .and_then(|properties| properties.as_object())
        .into_iter()
        .flat_map(|properties| properties.keys())
        .map(|name| {
            if required.contains(&name.as_str()) {
                format!("`{name}`")
            } else {
                format!("[`{name}`]")
            }
        });
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/mcp.md");
    const BEGIN: &str = "<!-- tools: made from the registry, do not edit -->\n";
    const END: &str = "\n<!-- end of tools -->";

    /// Returns the document with its tables made again.
    fn renewed(stored: &str) -> String {
        runner_testing::with_section(stored, BEGIN, END, &docs())
    }

    #[test]
    fn the_document_is_current() {
        let stored = fs_err::read_to_string(FILE).unwrap().replace("\r\n", "\n");
        assert!(
            stored == renewed(&stored),
            "docs/guide/mcp.md is out of date; make its tables again with \
             `cargo test -p runner-mcp --lib write_the_document -- --ignored`"
        );
    }

    #[test]
    #[ignore = "writes docs/guide/mcp.md"]
    fn write_the_document() {
        let stored = fs_err::read_to_string(FILE).unwrap();
        fs_err::write(FILE, renewed(&stored)).unwrap();
    }
}
