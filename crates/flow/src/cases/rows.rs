//! Reads `each` of a flow's header: rows in the header, or in a CSV file beside the flow.

mod csv_file;
mod hidden;
mod inline;
mod naming;

use serde_json::{Value, json};

use super::{MAX_CASES, Rows};
use crate::reader::Reader;
use crate::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::Code;

/// Returns the schema of `each`, for editors: the path of a CSV file, or a list of 1 to `MAX_CASES` maps, each of
/// at least one text, number or boolean. It does not compare the keys of the maps.
pub fn schema() -> Value {
    json!({
        "description": "The flow is run once for each row: a CSV file, its path relative to this file, or a list of maps.",
        "anyOf": [
            { "type": "string", "minLength": 1 },
            {
                "type": "array", "minItems": 1, "maxItems": MAX_CASES,
                "items": { "type": "object", "minProperties": 1, "additionalProperties": { "type": ["string", "number", "boolean"] } },
            },
        ],
    })
}

/// Returns advice for a map in place of a table: the file that a key names, or a row for each item of the one column.
/// It quotes no value but a path, because that may be a secret. Returns `None` for other maps.
fn columns(entries: &[(Key, Node)]) -> Option<String> {
    let [(key, value)] = entries else {
        return None;
    };
    let name = &key.text;
    match &value.kind {
        NodeKind::Sequence(items) if items.iter().all(|item| item.scalar().is_some()) => Some(
            format!("write a row for each value: `each: [ {{ {name}: … }}, {{ {name}: … }} ]`"),
        ),
        NodeKind::Scalar(path) if path.text.ends_with(".csv") => {
            Some(format!("write `each: {}`", path.text))
        }
        _ => None,
    }
}

impl Reader<'_> {
    /// Reads the table from the value of `each`: a list of maps, or the path of a CSV file. Reports all else
    /// as an error, and then returns `None`.
    pub(crate) fn rows(&mut self, node: &Node, secrets: &[String]) -> Option<Rows> {
        match &node.kind {
            NodeKind::Sequence(items) => self.inline_rows(node, items, secrets),
            NodeKind::Scalar(scalar) if scalar.text.contains('\n') => {
                let help = "write a list of maps, `each: [ { user: anna } ]`, or put the lines into a CSV file";
                let message = "a table has no lines here";
                self.fail(node, Code::Table, message, Some(help.to_owned()));
                None
            }
            NodeKind::Scalar(scalar)
                if [".json", ".xlsx", ".yaml", ".yml"]
                    .iter()
                    .any(|end| scalar.text.ends_with(end)) =>
            {
                let help = "write the rows as a list of maps, or a CSV file whose first line names the columns";
                let message = format!("`{}` is no CSV file", scalar.text);
                self.fail(node, Code::Table, message, Some(help.to_owned()));
                None
            }
            NodeKind::Scalar(scalar) if scalar.text.parse::<u32>().is_ok() => {
                let help = format!(
                    "to repeat steps write `repeat: {{ times: {}, steps: […] }}`; `runner test --repeat-each {}` repeats the flow, and `each: [ {{ user: anna }} ]` once for each row",
                    scalar.text, scalar.text
                );
                let message = "a CSV file or a list of maps is expected here, not a number";
                self.fail(node, Code::WrongType, message, Some(help));
                None
            }
            NodeKind::Scalar(scalar) if !node.is_missing() && !scalar.text.is_empty() => {
                let text = scalar.text.clone();
                self.rows_of_file(node, &text, secrets)
            }
            _ => {
                let help = columns(node.entries()).unwrap_or_else(|| {
                    "write `each: rows.csv`, or a list: `each: [ { user: anna } ]`".to_owned()
                });
                let message = format!(
                    "a CSV file or a list of maps is expected here, not {}",
                    node.what()
                );
                self.fail(node, Code::WrongType, message, Some(help));
                None
            }
        }
    }
}
