//! Converts commands with steps inside: a sub-flow, a loop, a retry, and their conditions.

use camino::Utf8Path;
use serde_json::{Map, Value, json};

use super::super::texts::{ConversionResult, UnsupportedError, cannot};
use super::super::write::OutStep;
use super::{OPTIONAL, Reason, Writer};
use crate::ast::{Flow, Step};
use crate::maestro::tree::{Body, Condition, EnvEntries, MaestroCommand, Platform, RawText};

/// Number of rounds for a loop without one. Chosen: Maestro's loop has no limit, but the own language needs
/// one.
const MAX_ROUNDS: u32 = 1000;

impl Writer<'_> {
    /// Converts `runFlow`, `retry` (at most 3 times) or `repeat` with its steps; other commands are errors. Label and
    /// `optional` of `step` are left to the caller; it gives the line of errors.
    pub(super) fn control(
        &mut self,
        command: &MaestroCommand,
        step: &Step,
    ) -> Result<OutStep, Reason> {
        let place = step.span.start;
        match command {
            MaestroCommand::RunFlow { body, when, env } => {
                let when = when.as_ref().map(|when| self.condition(when));
                let when = when.transpose().map_err(|why| self.at(place, why))?;
                let out = self.body(body, env, place)?;
                Ok(match when.flatten() {
                    Some(when) => out.with_modifier("when", when),
                    None => out,
                })
            }
            MaestroCommand::Retry {
                max_retries,
                body,
                env,
            } => {
                let times = integer(max_retries.as_ref(), 1).map_err(|why| self.at(place, why))?;
                let entries = vec![("times", times.min(3).into())];
                let steps = match body {
                    Body::Commands(steps) if env.is_empty() => self.steps(steps)?,
                    body => self.body(body, env, place)?.lines(),
                };
                Ok(OutStep::with_steps("retry", entries, steps))
            }
            MaestroCommand::Repeat {
                times,
                condition,
                steps,
            } => {
                let entries = self.turns(times.as_ref(), condition.as_ref());
                let entries = entries.map_err(|why| self.at(place, why))?;
                let steps = self.steps(steps)?;
                Ok(OutStep::with_steps("repeat", entries, steps))
            }
            _ => Err(self.at(place, UnsupportedError("no step here does this".to_owned()))),
        }
    }

    /// Returns the options of `repeat`: `times`, or `while` with `times` or `max`. A number must be literal; a
    /// missing one is `MAX_ROUNDS`. A condition that always holds is an error.
    fn turns(
        &mut self,
        times: Option<&RawText>,
        condition: Option<&Condition>,
    ) -> ConversionResult<Vec<(&'static str, Value)>> {
        let turns = integer(times, MAX_ROUNDS)?;
        let Some(condition) = condition else {
            return Ok(vec![("times", turns.into())]);
        };
        let Some(condition) = self.condition(condition)? else {
            return cannot("`while` is one condition");
        };
        // With `times`, reaching the number of rounds is no failure, as with Maestro.
        let limit = if times.is_some() { "times" } else { "max" };
        Ok(vec![("while", condition), (limit, turns.into())])
    }

    /// Converts the file of a command to a `run`, or its steps to a `group`. Steps with variables of their own are
    /// errors. `place` is the offset for errors.
    fn body(&mut self, body: &Body, env: &EnvEntries, place: usize) -> Result<OutStep, Reason> {
        match body {
            Body::File(flow) => self.run(flow, env).map_err(|why| self.at(place, why)),
            Body::Commands(_) if !env.is_empty() => {
                let why = "`env` of `commands` ends with them; `set` does not".to_owned();
                Err(self.at(place, UnsupportedError(why)))
            }
            Body::Commands(steps) => Ok(OutStep::group(self.steps(steps)?)),
        }
    }

    /// Converts a run of a file, which must be converted before, have no `onFlowStart`, and name the same app; else it
    /// is an error. Of `env` only variables that the file takes from its caller are kept. Those that the file takes and
    /// `env` lacks are passed on if this flow has them or is run by another one.
    fn run(&mut self, flow: &Flow, env: &EnvEntries) -> ConversionResult<OutStep> {
        let file = &flow.source.path;
        let Some(parsed_flow) = self.context.parsed.get(file) else {
            return cannot(format!("it runs {file}, which stays a flow of Maestro's"));
        };
        if parsed_flow.has_hooks {
            return cannot(format!(
                "it runs {file}, whose onFlowStart would not run here"
            ));
        }
        let here = self.flow.maestro().map(|header| &header.app_id);
        let there = flow.maestro().map(|header| &header.app_id);
        if here.map(|app| &app.text) != there.map(|app| &app.text) {
            return cannot(format!(
                "it runs {file} with another app, {}",
                parsed_flow.app
            ));
        }
        let mut given = Map::new();
        for (name, value) in env {
            // Other variables get their value from the header of the sub-flow, whoever runs it.
            if parsed_flow.requested.contains_key(name) {
                given.insert(name.clone(), self.names.text(value)?.into());
            }
        }
        // With Maestro the variables of a flow are also those of its sub-flows.
        for (name, default) in &parsed_flow.requested {
            let is_known =
                self.names.known.contains(name) || self.names.requested.contains_key(name);
            if given.contains_key(name) || !(is_known || self.context.is_run) {
                continue;
            }
            self.names.use_name(name, default)?;
            given.insert(name.clone(), format!("${{{name}}}").into());
        }
        let below = relative(&parsed_flow.path, &self.folder);
        Ok(if given.is_empty() {
            OutStep::line("run", below)
        } else {
            OutStep::line("run", json!({ "flow": below, "env": given }))
        })
    }

    /// Converts a condition, which then waits up to `OPTIONAL`; `None` if it always holds, as with the platform
    /// Android alone. Another platform, JavaScript, and both `visible` and `notVisible` are errors.
    fn condition(&mut self, when: &Condition) -> ConversionResult<Option<Value>> {
        if let Some(platform) = when.platform.filter(|it| *it != Platform::Android) {
            return cannot(format!("it never runs on Android, but on {platform:?}"));
        }
        if when.script.is_some() {
            return cannot("a condition with `true` is JavaScript");
        }
        let (name, selector) = match (&when.visible, &when.not_visible) {
            (None, None) => return Ok(None),
            (Some(visible), None) => ("visible", visible),
            (None, Some(not_visible)) => ("not_visible", not_visible),
            _ => return cannot("a step has one condition"),
        };
        let on = self.names.element_or_none(selector)?;
        Ok(Some(json!({ name: on, "timeout": OPTIONAL })))
    }
}

/// Parses a literal number of rounds from 1 to [`MAX_ROUNDS`]; a missing one is `default`. An expression and any
/// other number are errors.
fn integer(number: Option<&RawText>, default: u32) -> ConversionResult<u32> {
    let Some(number) = number else {
        return Ok(default);
    };
    match number.text.trim().parse::<u32>() {
        Ok(number @ 1..=MAX_ROUNDS) => Ok(number),
        _ => cannot(format!("a number of turns is from 1 to {MAX_ROUNDS}")),
    }
}

/// Returns the relative path from a folder to `path`, with `/` and as many `../` as needed. Both must be
/// relative to the same folder or both absolute; else it returns `path` as it is.
fn relative(path: &Utf8Path, folder: &Utf8Path) -> String {
    let mut up = String::new();
    let mut base = Some(folder);
    while let Some(folder) = base {
        if let Ok(below) = path.strip_prefix(folder) {
            return format!("{up}{below}").replace('\\', "/");
        }
        up.push_str("../");
        base = folder.parent();
    }
    path.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_parts_are_said_as_they_are_meant() {
        for (path, folder, expected) in [
            ("a.yaml", "", "a.yaml"),
            ("b/_a.yaml", "b", "_a.yaml"),
            ("b/_a.yaml", "c/d", "../../b/_a.yaml"),
        ] {
            assert_eq!(
                relative(Utf8Path::new(path), Utf8Path::new(folder)),
                expected
            );
        }
    }
}
