//! Reads `each` and `matrix` of a flow's header.

use std::sync::Arc;

use super::{Case, MAX_CASES, Matrix, Rows, expand};
use crate::reader::{Reader, find};
use crate::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::Code;

impl Reader<'_> {
    /// Reads the flow's table from `each`, and adds its columns to the names that everything read afterwards may use.
    /// Returns `None` without `each`, in a flow that another one runs (an error), and after errors in the table.
    /// After an error any name is accepted, so that it makes no further ones. A variable of `env` with the name of a
    /// column is an error too, but the table is returned.
    pub(crate) fn each(&mut self, entries: &[(Key, Node)], secrets: &[String]) -> Option<Rows> {
        let (key, node) = find(entries, "each")?;
        if self.chain.len() > 1 {
            let help =
                "give it its values with `env` beside `run`, and the flow that runs it `each`";
            let message = "a flow with `each` is run for its own rows, not by another flow";
            self.fail_at(
                key.span.clone(),
                Code::SubFlow,
                message,
                Some(help.to_owned()),
            );
            self.env.allow_unknown();
            self.names.allow_unknown();
            return None;
        }
        let Some(rows) = self.rows(node, secrets) else {
            self.env.allow_unknown();
            self.names.allow_unknown();
            return None;
        };
        for column in rows.columns.iter() {
            self.env.add_column(column);
            self.names.add_column(column);
        }
        let env = find(entries, "env").map(|(_, node)| &node.kind);
        if let Some(NodeKind::Map(values)) = env {
            for (name, _) in values {
                if rows.columns.contains(&name.text) {
                    let message = format!("`{}` is a column of `each` already", name.text);
                    self.fail_at(name.span.clone(), Code::DuplicateKey, message, None);
                }
            }
        }
        Some(rows)
    }

    /// Reads the flow's matrix, or else returns the project's. A flow that another one runs has none; its own
    /// is checked and then ignored. Errors are reported and return `None`.
    pub(crate) fn matrix(&mut self, entries: &[(Key, Node)]) -> Option<Arc<Matrix>> {
        let own = find(entries, "matrix");
        let is_started = self.chain.len() == 1;
        let Some((_, node)) = own else {
            return self.project.options.matrix.clone().filter(|_| is_started);
        };
        let before = self.diagnostics.len();
        let value = self.literal(node, &Matrix::schema());
        self.decimal_commas(node, before);
        match Matrix::from_value(&value?) {
            Ok(matrix) => Some(Arc::new(matrix)).filter(|_| is_started),
            Err(wrong) => {
                let place = node.below(wrong.path.split('.')).span.clone();
                self.fail_at(place, Code::Matrix, wrong.message, None);
                None
            }
        }
    }

    /// Tells of a number of `font_scale` with a comma in place of its point, `[1,0, 1,5]`, which YAML reads as two numbers: as
    /// the help of an error about the list since there were `before` diagnostics, or else as a warning. Two numbers up to 2
    /// are taken as they are, as `[1,2]` is a healthy list.
    fn decimal_commas(&mut self, matrix: &Node, before: usize) {
        let Some((_, scales)) = matrix.entry("font_scale") else {
            return;
        };
        let NodeKind::Sequence(items) = &scales.kind else {
            return;
        };
        let source = Arc::clone(&self.source);
        let joined = |pair: &[Node]| {
            let [whole, part] = pair else {
                return None;
            };
            let span = whole.span.start..part.span.end;
            let between = source.text.get(whole.span.end..part.span.start)?;
            let (whole, part) = (&whole.scalar()?.text, &part.scalar()?.text);
            let number: u32 = part.parse().ok()?;
            let is_one = between == "," && whole.parse::<u32>().is_ok();
            is_one.then(|| (span, number, format!("{whole}.{part}")))
        };
        let found: Vec<_> = items.windows(2).filter_map(joined).collect();
        let help = |number: &str| format!("a decimal number has a point: write `{number}`");
        let within = |at: usize| scales.span.contains(&at);
        if let Some(wrong) = self.diagnostics[before..]
            .iter_mut()
            .find(|it| within(it.span.start))
        {
            let first = found.first().map(|(_, _, number)| help(number));
            wrong.help = first.or_else(|| wrong.help.take());
            return;
        }
        let Some((span, _, number)) = found.into_iter().find(|(_, part, _)| *part > 2) else {
            return;
        };
        let message = format!("`{}` is two numbers", number.replace('.', ","));
        let help = help(&number);
        self.fail_at(span, Code::Doubtful, message, Some(help));
    }

    /// Builds all cases of the flow: each row with each combination. A flow without rows and matrix has none, which
    /// is no error. More than `MAX_CASES` are an error, and then it returns none.
    pub(crate) fn cases(
        &mut self,
        entries: &[(Key, Node)],
        rows: Option<&Rows>,
        matrix: Option<&Arc<Matrix>>,
    ) -> Vec<Arc<Case>> {
        let rows_count = rows.map_or(1, |table| table.rows.len());
        let count = rows_count * matrix.map_or(1, |matrix| matrix.count().max(1));
        if count > MAX_CASES {
            let message = format!(
                "this flow has {count} cases, its rows and its matrix together; at most {MAX_CASES} are possible"
            );
            let key = find(entries, "each").map_or(0..0, |(key, _)| key.span.clone());
            self.fail_at(key, Code::TooLarge, message, None);
            return Vec::new();
        }
        expand(rows, matrix.map(Arc::as_ref))
    }
}
