//! Reads the rows that a flow's header lists itself.

use std::sync::Arc;

use serde_json::json;

use super::super::Rows;
use crate::ast::{Argument, Spanned};
use crate::foreign;
use crate::interpolate::check_name;
use crate::reader::{Reader, has_error};
use crate::report::suggest;
use crate::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::Code;
use runner_text::secret::sounds_secret;

impl Reader<'_> {
    /// Reads rows from a list of maps in the header. The keys of the first row are the columns; each further
    /// row must have the same keys, in any order. Reports all errors, an empty list too, and then returns
    /// `None`. An item that is no map ends it at once.
    pub(super) fn inline_rows(
        &mut self,
        node: &Node,
        items: &[Node],
        secrets: &[String],
    ) -> Option<Rows> {
        let before = self.diagnostics.len();
        if items.is_empty() {
            let message = "this list has no rows, so the flow would never run";
            self.fail(node, Code::OutOfRange, message, None);
        }
        let mut columns: Vec<&Key> = Vec::new();
        let mut rows: Vec<Vec<Spanned<Argument>>> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let NodeKind::Map(entries) = &item.kind else {
                let message = format!("a row is a map of columns and values, not {}", item.what());
                let help = self.rows_of_values(items);
                self.fail(item, Code::WrongType, message, help);
                return None;
            };
            if index == 0 {
                columns = entries.iter().map(|(key, _)| key).collect();
                for key in &columns {
                    self.check_name(key);
                }
            }
            let names = || columns.iter().map(|key| key.text.as_str());
            for (key, _) in entries {
                if !columns.iter().any(|column| column.text == key.text) {
                    let message = format!("the first row has no column `{}`", key.text);
                    let help = suggest(&key.text, names());
                    self.fail_at(key.span.clone(), Code::Table, message, help);
                }
            }
            let mut cells = Vec::new();
            for column in &columns {
                match entries.iter().find(|(key, _)| key.text == column.text) {
                    Some((_, value)) => {
                        cells.push(self.checked(value, &json!({ "type": "string" })));
                    }
                    None => {
                        let message = format!("this row has no `{}`", column.text);
                        self.fail(item, Code::Table, message, None);
                    }
                }
            }
            rows.push(cells);
        }
        let names: Vec<String> = columns.iter().map(|key| key.text.clone()).collect();
        if has_error(&self.diagnostics[before..]) {
            return None;
        }
        let places = |row: usize| items.get(row).map_or(0..0, |item| item.span.clone());
        let source = Arc::clone(&self.source);
        self.name_rows(&source, names, rows, secrets, places)
    }

    /// Returns advice for a list of values in place of rows: a column for them, by the first name that an expression
    /// of the file reads. Up to three are shown. Values are left out where the column sounds like a secret. Returns
    /// `None` if an item is no scalar.
    fn rows_of_values(&self, items: &[Node]) -> Option<String> {
        /// Chosen: enough to show the form.
        const MAX_SHOWN: usize = 3;
        let name = self.source.text.split("${").skip(1).find_map(|rest| {
            let name = rest.split_once('}')?.0.trim();
            check_name(name).is_ok().then_some(name)
        });
        let name = name.unwrap_or("NAME");
        let value = |item: &Node| {
            let text = &item.scalar()?.text;
            let value = if sounds_secret(name) {
                "…".to_owned()
            } else {
                foreign::yaml(text)
            };
            Some(format!("{{ {name}: {value} }}"))
        };
        let rows: Option<Vec<String>> = items.iter().take(MAX_SHOWN).map(value).collect();
        let more = if items.len() > MAX_SHOWN { ", …" } else { "" };
        Some(format!("write `each: [ {}{more} ]`", rows?.join(", ")))
    }
}
