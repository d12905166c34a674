//! Evaluates texts with `${…}`, and builds selectors, conditions and numbers from them.

use std::collections::HashMap;
use std::pin::Pin;
use std::time::Duration;

use super::super::step_result::FailedTry;
use super::Interpreter;
use runner_event::SourceLocation;
use runner_flow::maestro::{self, RawText};
use runner_screen::maestro::{Expression, ExpressionError, MaestroSelector, Relation, Size, Trait};
use runner_script::{ScriptError, ScriptFault};
use runner_tools::{Failure, FailureKind};

/// Returns a failure at the place of a text.
pub(super) fn at(raw: &RawText, failure: Failure) -> FailedTry {
    FailedTry {
        at: Some(SourceLocation::from_offset(&raw.source, raw.span.start)),
        ..FailedTry::from(failure)
    }
}

/// Chosen: a longer wait is a typing mistake.
const MAX_WAIT: Duration = Duration::from_hours(24);

/// Parses a number, with blanks around it. `None` for any other text, also for the `NaN` and `Infinity` of a script:
/// nothing compares with them.
pub(super) fn finite_number(text: &str) -> Option<f64> {
    let number = text.trim().parse::<f64>().ok();
    number.filter(|number| number.is_finite())
}

/// Parses a number of milliseconds, with any `_` ignored. A fraction is cut off, a negative number is 0, and the most
/// is 24 h. A failure of usage for anything else.
pub(super) fn milliseconds(raw: &RawText, text: &str) -> Result<Duration, FailedTry> {
    let ms = finite_number(&text.replace('_', "")).ok_or_else(|| {
        let failure = Failure::usage(format!(
            "`{text}` is not a time; write a number of milliseconds, such as 5000"
        ));
        at(raw, failure)
    })?;
    Ok(Duration::from_millis(ms.max(0.0) as u64).min(MAX_WAIT))
}

/// Cache of the regular expressions in the flow's files.
#[derive(Default)]
pub(super) struct Expressions(HashMap<String, Expression>);

impl Expressions {
    /// Compiles a regular expression, or returns the compiled one from the cache. Errors are not cached.
    fn compile(&mut self, text: String) -> Result<Expression, ExpressionError> {
        if let Some(known) = self.0.get(&text) {
            return Ok(known.clone());
        }
        let expression = Expression::new(&text)?;
        self.0.insert(text, expression.clone());
        Ok(expression)
    }
}

/// Chosen: scripts stop this much before the flow's limit by the attempt's clock; they count by the host's.
const SCRIPT_MARGIN: Duration = Duration::from_millis(200);

impl Interpreter<'_, '_> {
    /// Converts a script's error to a failure: an assertion if it was thrown, else a timeout, an unsupported
    /// feature or a wrong use. If the run ends or the flow's time is up this never completes: the caller that
    /// waits for that reports it.
    pub(super) async fn script_failure(&self, error: ScriptError) -> Failure {
        let left = self.attempt.remaining();
        let is_over = left.is_some_and(|left| left < SCRIPT_MARGIN);
        let kind = match error.fault {
            ScriptFault::Stopped => std::future::pending().await,
            ScriptFault::FlowTimeout if is_over => std::future::pending().await,
            ScriptFault::Timeout | ScriptFault::FlowTimeout => FailureKind::Timeout,
            ScriptFault::Unsupported => FailureKind::Unsupported,
            ScriptFault::Thrown => FailureKind::Assertion,
            ScriptFault::TooLarge | ScriptFault::Lost => FailureKind::Usage,
        };
        Failure {
            is_of_script: true,
            ..Failure::new(kind, error.to_string())
        }
    }

    /// Returns a text with each `${…}` replaced; without one, as written. An undefined name becomes `undefined`. If a
    /// script sent a request, the last look is forgotten. A script's failure is at the text's place, and so is a result
    /// of more than 1 MiB.
    pub(super) async fn words(&mut self, raw: &RawText) -> Result<String, FailedTry> {
        if !raw.has_script() {
            return Ok(raw.text.clone());
        }
        let text = self.state().scope.text(&raw.text).await;
        self.note_requests();
        match text {
            Ok(text) => Ok(text),
            Err(error) => Err(at(raw, self.script_failure(error).await)),
        }
    }

    /// Forgets the last look if a script sent a request: the server's change may show on the screen.
    pub(super) fn note_requests(&mut self) {
        if self.state().scope.take_sent() {
            self.context.session.forget_look();
        }
    }

    /// Parses an optional time in milliseconds, with scripts evaluated. `None` if there is none; a failure of
    /// usage if it is no number.
    pub(super) async fn time(
        &mut self,
        raw: Option<&RawText>,
    ) -> Result<Option<Duration>, FailedTry> {
        let Some(raw) = raw else {
            return Ok(None);
        };
        let text = self.words(raw).await?;
        milliseconds(raw, &text).map(Some)
    }

    /// Evaluates and compiles an optional regular expression. A wrong one is a failure at its place.
    async fn expression(&mut self, raw: Option<&RawText>) -> Result<Option<Expression>, FailedTry> {
        let Some(raw) = raw else {
            return Ok(None);
        };
        let text = self.words(raw).await?;
        let expression = if raw.has_script() {
            // A text with scripts may differ each time, so it is not cached.
            Expression::new(&text)
        } else {
            self.state().expressions.compile(text)
        };
        expression
            .map(Some)
            .map_err(|error| at(raw, bad_expression(&error)))
    }

    /// Builds a selector from the texts of a raw one, with scripts evaluated, including those that it refers
    /// to. An index is cut to a whole number, and a failure of usage if it is no number. Regular expressions
    /// are compiled.
    pub(super) fn selector<'a>(
        &'a mut self,
        raw: &'a maestro::RawSelector,
    ) -> Pin<Box<dyn Future<Output = Result<MaestroSelector, FailedTry>> + Send + 'a>> {
        Box::pin(async move {
            let index = match &raw.index {
                Some(index) => {
                    let text = self.words(index).await?;
                    let number = finite_number(&text).ok_or_else(|| {
                        let why = format!("the index `{text}` is not a number");
                        at(index, Failure::usage(why))
                    })?;
                    Some(number as i64)
                }
                None => None,
            };
            let mut selector = MaestroSelector {
                text: self.expression(raw.text.as_ref()).await?,
                id: self.expression(raw.id.as_ref()).await?,
                size: size_of(raw),
                enabled: raw.enabled,
                checked: raw.checked,
                focused: raw.focused,
                selected: raw.selected,
                traits: raw.traits.iter().map(|one| trait_of(*one)).collect(),
                index,
                ..MaestroSelector::default()
            };
            let relations = [
                (Relation::Below, &raw.below),
                (Relation::Above, &raw.above),
                (Relation::LeftOf, &raw.left_of),
                (Relation::RightOf, &raw.right_of),
                (Relation::ContainsChild, &raw.contains_child),
            ];
            for (relation, other) in relations {
                if let Some(other) = other {
                    let other = self.selector(other).await?;
                    selector.relations.push((relation, other));
                }
            }
            if !raw.contains_descendants.is_empty() {
                let mut each = Vec::new();
                for one in &raw.contains_descendants {
                    each.push(self.selector(one).await?);
                }
                selector.contains_descendants = Some(each);
            }
            if let Some(parent) = &raw.child_of {
                selector.child_of = Some(Box::new(self.selector(parent).await?));
            }
            Ok(selector)
        })
    }

    /// Returns a label with each `${…}` replaced, or as written if that fails or no Maestro flow has run yet.
    pub(crate) async fn label(&mut self, label: String) -> String {
        if !label.contains("${") || self.attempt.stack().maestro().is_none() {
            return label;
        }
        let text = self.state().scope.text(&label).await;
        self.note_requests();
        text.unwrap_or(label)
    }
}

/// Returns the failure for a regular expression that cannot be used.
pub(super) fn bad_expression(error: &ExpressionError) -> Failure {
    Failure::usage(error.to_string())
}

/// Returns the size that a selector names, if it names a width or a height. The tolerance is 0 by default.
fn size_of(raw: &maestro::RawSelector) -> Option<Size> {
    (raw.width.is_some() || raw.height.is_some()).then(|| Size {
        width: raw.width.map(i64::from),
        height: raw.height.map(i64::from),
        tolerance: raw.tolerance.unwrap_or(0).into(),
    })
}

fn trait_of(raw: maestro::Trait) -> Trait {
    match raw {
        maestro::Trait::Text => Trait::Text,
        maestro::Trait::Square => Trait::Square,
        maestro::Trait::LongText => Trait::LongText,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_number_compares_with_is_no_number() {
        for (text, expected) in [
            (" 12.5 ", Some(12.5)),
            ("-3", Some(-3.0)),
            ("1e2", Some(100.0)),
            ("NaN", None),
            ("-nan", None),
            ("Infinity", None),
            ("-inf", None),
            ("undefined", None),
            ("5 %", None),
            ("", None),
        ] {
            assert_eq!(finite_number(text), expected, "{text}");
        }
    }

    #[test]
    fn an_expression_is_read_once() {
        let mut expressions = Expressions::default();
        for text in ["Pay.*", "Pay", "Pay.*"] {
            let expression = expressions.compile(text.to_owned()).expect("it reads");
            assert_eq!(expression.source(), text);
        }
        assert_eq!(expressions.0.len(), 2);
        assert!(expressions.compile(r"\p{InGreek}+".to_owned()).is_err());
    }
}
