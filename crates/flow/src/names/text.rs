//! Checks the expressions in one text of a flow.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use minijinja::machinery::ast::Expr;

use super::Names;
use super::undefined::{device_advice, in_map_of_values};
use crate::ast::Argument;
use crate::expression::{self, Kind, TemplatePart};
use crate::report::{SourceRange, error, nearest};
use crate::{foreign, foreign_text};
use runner_text::diagnostic::{Code, Diagnostic, Source};

/// Text of a scalar with its place in the source.
pub(crate) struct Text<'a> {
    pub(crate) source: &'a Arc<Source>,
    pub(crate) span: Range<usize>,
    pub(crate) text: &'a str,
}

impl Text<'_> {
    /// Converts a range of bytes in the text to one in the source. If escapes or folding make that impossible,
    /// returns the range of the whole scalar. If the text occurs twice in the scalar, the first is taken.
    pub(crate) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let written = self.source.text.get(self.span.clone()).unwrap_or_default();
        match written.find(self.text) {
            Some(at) => {
                let base = self.span.start + at;
                base + range.start..base + range.end
            }
            None => self.span.clone(),
        }
    }

    /// Converts the text to an argument, and adds the problems of its expressions to `diagnostics`. A text that is
    /// one `${…}` alone becomes an expression, one without any a literal text with `$${` unescaped, and all else a
    /// template. A text that cannot be split is reported, and is a template too. It returns an argument in any case.
    pub(crate) fn argument(&self, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Argument {
        let pieces = match expression::pieces(self.text) {
            Ok(pieces) => pieces,
            Err(wrong) => {
                let mut diagnostic = error(
                    &SourceRange::new(self.source, self.place(&wrong.range)),
                    Code::Expression,
                    wrong.message,
                );
                if self.text.trim_start().starts_with("${") {
                    diagnostic.help = Some(
                        "in a line of YAML that holds more, quote the whole value: \"${NAME}\""
                            .to_owned(),
                    );
                }
                diagnostics.push(diagnostic);
                return Argument::Template(self.text.to_owned());
            }
        };
        for piece in &pieces {
            if let TemplatePart::Expression(range) = piece {
                self.check(range, names, diagnostics);
            }
        }
        if let [TemplatePart::Expression(_), TemplatePart::Text(rest)] = pieces.as_slice()
            && rest.trim() == "}"
        {
            let place = SourceRange::new(self.source, self.span.clone());
            let message = "the last `}` is text behind the value";
            let mut diagnostic = error(&place, Code::Doubtful, message);
            diagnostic.help = Some("leave it out: `${` ends at the first `}`".to_owned());
            diagnostics.push(diagnostic);
        }
        match pieces.as_slice() {
            [TemplatePart::Expression(range)] => {
                Argument::Expression(self.text[range.clone()].to_owned())
            }
            [] => Argument::Literal(String::new().into()),
            [TemplatePart::Text(text)] => Argument::Literal(text.clone().into()),
            _ => {
                self.warn_of_maps(&pieces, names, diagnostics);
                Argument::Template(self.text.to_owned())
            }
        }
    }

    /// Warns of each expression within a text that comes to a whole element, answer or output: the text gets all of
    /// it as JSON.
    fn warn_of_maps(
        &self,
        pieces: &[TemplatePart],
        names: &Names,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        for piece in pieces {
            let TemplatePart::Expression(range) = piece else {
                continue;
            };
            let inner = &self.text[range.clone()];
            let Some(help) = names.without_field(inner) else {
                continue;
            };
            if names.kind_of(inner) == Some(Kind::Map) {
                let place = SourceRange::new(self.source, self.place(range));
                let message = format!("the text gets all of `{}`, as JSON", inner.trim());
                let mut diagnostic = error(&place, Code::Doubtful, message);
                diagnostic.help = Some(help);
                diagnostics.push(diagnostic);
            }
        }
    }

    /// Checks the expression at `range` of the text, without `${` and `}`: its syntax, the kinds of known values,
    /// functions, undefined names and fields that do not exist. Adds the problems to `diagnostics`, each with help
    /// where there is any; a fault of syntax or kinds hides those of names. Names under `default` and `is defined`
    /// need not exist.
    pub(crate) fn check(
        &self,
        range: &Range<usize>,
        names: &Names,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let inner = &self.text[range.clone()];
        let place =
            |part: &Range<usize>| self.place(&(range.start + part.start..range.start + part.end));
        let tree = expression::parse(inner)
            .and_then(|tree| expression::check_kinds(tree, inner, &|path| names.kind(path)));
        if let Ok(tree) = &tree {
            self.check_calls(range, tree, names, diagnostics);
        }
        match tree.map(|tree| expression::needed(&tree)) {
            Err(_) if names.is_split(inner) => {}
            Err(wrong) => {
                let place = SourceRange::new(self.source, place(&wrong.range));
                let is_map = wrong.message.contains("a map");
                let moved = foreign::moved_time(inner);
                // Behind the semicolon stands how to join or add other values.
                let shown = wrong.message.split_once(';').filter(|_| moved.is_some());
                let shown = shown.map(|(message, _)| message.to_owned());
                let message = shown.unwrap_or(wrong.message);
                let mut diagnostic = error(&place, Code::Expression, message);
                diagnostic.help = moved
                    .or_else(|| foreign_text::variable_elsewhere(inner, names))
                    .or_else(|| foreign::value(inner))
                    .or_else(|| names.without_field(inner).filter(|_| is_map));
                diagnostics.push(diagnostic);
            }
            Ok(used) => {
                let roots: BTreeSet<&str> = used
                    .iter()
                    .map(|name| name.split('.').next().unwrap_or_default())
                    .collect();
                for path in &used {
                    let Some((message, help)) = names.wrong_field(path) else {
                        continue;
                    };
                    let place = SourceRange::new(self.source, self.place(range));
                    let mut diagnostic = error(&place, Code::Expression, message);
                    diagnostic.help =
                        Some(foreign_text::variable_elsewhere(inner, names).unwrap_or(help));
                    diagnostics.push(diagnostic);
                }
                for root in roots.into_iter().filter(|root| !names.has(root)) {
                    let at = expression::find_name(inner, root).unwrap_or(0..inner.len());
                    let mut diagnostic = error(
                        &SourceRange::new(self.source, place(&at)),
                        Code::UndefinedName,
                        format!("`{root}` is not defined here"),
                    );
                    let pair = names.pairs.contains(root);
                    let pair = pair.then(|| format!("write `set: {{ {root}: … }}`"));
                    let pair = pair.or_else(|| names.inner.get(root).cloned());
                    let elsewhere = pair.or_else(|| foreign_text::variable_elsewhere(inner, names));
                    let elsewhere = elsewhere.or_else(|| foreign_text::counter(root));
                    let is_far = nearest(root, names.known.iter().map(String::as_str)).is_none();
                    let unquoted = || expression::unquoted(inner, &at).filter(|_| is_far);
                    let elsewhere = elsewhere
                        .or_else(|| in_map_of_values(inner, &at, names))
                        .or_else(|| expression::undefined(root).filter(|_| is_far))
                        .or_else(|| foreign::platform(root))
                        .or_else(|| device_advice(root).filter(|_| is_far))
                        .or_else(|| foreign::value(inner))
                        .or_else(unquoted);
                    if elsewhere.is_some() {
                        diagnostic.help = elsewhere;
                        diagnostics.push(diagnostic);
                        continue;
                    }
                    diagnostic.help = Some(match nearest(root, names.all()) {
                        Some(name) => format!("did you mean `{name}`?"),
                        None if !names.columns.is_empty() => {
                            let columns: Vec<String> = names
                                .columns
                                .iter()
                                .map(|name| format!("`{name}`"))
                                .collect();
                            format!("the columns of `each` are {}", columns.join(", "))
                        }
                        None => self.ways_to_define(root),
                    });
                    diagnostics.push(diagnostic);
                }
            }
        }
    }

    /// Returns advice with each way to give a name a value. A sub-flow, a file with a part of its path that begins with
    /// `_`, may get it from the step that runs it.
    fn ways_to_define(&self, name: &str) -> String {
        let ways = format!(
            "define it in `env`, keep a result with `as: {name}` in a step before, or read the process environment with `os.{name}`"
        );
        let path = &self.source.path;
        let is_sub_flow = path.components().any(|part| part.as_str().starts_with('_'));
        match path.file_name().filter(|_| is_sub_flow) {
            Some(file) => format!(
                "give it where this flow is run, `run: {{ flow: {file}, env: {{ {name}: … }} }}`, {ways}"
            ),
            None => ways,
        }
    }

    /// Returns message and advice if the expression at `range` certainly has no boolean as its result. Returns `None`
    /// if it may have, and if it cannot be parsed, which is reported elsewhere. Reports nothing itself.
    pub(crate) fn non_boolean(
        &self,
        range: &Range<usize>,
        names: &Names,
    ) -> Option<(String, String)> {
        let inner = &self.text[range.clone()];
        let tree = expression::parse(inner).ok()?;
        let kind = expression::kind(&tree, &|path| names.kind(path))?;
        let sign = match kind {
            Kind::Boolean => return None,
            Kind::Text => "== '…'",
            Kind::Number => "> 0",
            _ => "| length > 0",
        };
        let inner = inner.trim();
        let is_element = kind == Kind::Map && names.elements.contains(inner);
        let compared = if is_element {
            format!("${{{inner}.text == '…'}}")
        } else {
            format!("${{{inner} {sign}}}")
        };
        let help = format!("compare it: {}", foreign::quoted(&compared));
        Some((format!("this comes to {kind}, not to true or false"), help))
    }

    /// Reports as an error the first function in `tree` with a new value at each call, such as `uuid()`, because the
    /// text of a step is evaluated more often than the step runs. Does nothing where the value is given a name
    /// (`allows_volatile`). `tree` is the expression at `range`.
    fn check_calls(
        &self,
        range: &Range<usize>,
        tree: &Expr<'_>,
        names: &Names,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let inner = &self.text[range.clone()];
        let mut called = expression::called(tree).into_iter();
        let made = called.find(|name| expression::VOLATILE.contains(name));
        let Some(name) = made.filter(|_| !names.allows_volatile) else {
            return;
        };
        let at = expression::find_name(inner, name).unwrap_or(0..inner.len());
        let at = self.place(&(range.start + at.start..range.start + at.end));
        let message = format!("`{name}()` comes to another value each time it is read");
        let mut diagnostic = error(
            &SourceRange::new(self.source, at),
            Code::Expression,
            message,
        );
        diagnostic.help = Some(format!(
            "give it a name in a step before: `set: {{ NAME: \"${{{name}(…)}}\" }}`, or in `env`"
        ));
        diagnostics.push(diagnostic);
    }
}
