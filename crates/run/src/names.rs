//! Creates the scope of names that a flow begins with.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use super::PlannedCase;
use super::emit::Emitter;
use super::evaluate::{interpolation_failure, name_error};
use super::settings::Settings;
use super::sources;
use super::step_result::FailedStep;
use runner_device::{DeviceError, DeviceInfo, Reading};
use runner_event::{FlowId, SourceLocation};
use runner_flow::{Flow, Generator, InterpolationError, Row, Scope};
use runner_screen::Display;
use runner_text::diagnostic::Source;
use runner_tools::{Failure, FailureKind};

/// Creates the scope of a case: variables in their order of precedence, lowest first: `runner.yaml`, the row of data,
/// the flow's header, the command line; the results that the run begins with; and values of device, flow and run. Masks
/// the secret ones. Random data depends on the seed and on flow, case, turn, device and attempt; where any device may
/// take a flow, not on the device. Wrong expressions and names fail it, at the place of the value in the header or the
/// row. A wrong name of the project or the command line fails it at the flow's first line.
pub(super) fn initial_scope(
    settings: &Settings,
    emitter: &Emitter,
    case: &PlannedCase,
    id: &FlowId,
    info: &DeviceInfo,
) -> Result<Scope, FailedStep> {
    let flow = &case.flow;
    let secrets = &settings.config.secrets;
    let elsewhere = |failure| FailedStep {
        failure,
        at: SourceLocation::from_offset(&flow.source, 0),
    };
    let combination = case
        .case
        .as_ref()
        .and_then(|case| case.combination.as_deref());
    let locale = combination.and_then(|it| it.locale.clone());
    let (device, unanswered) = device_values(info, &id.device, locale);
    let about_flow = serde_json::json!({ "name": flow.name, "path": flow.source.path, "attempt": id.attempt, "case": id.case, "repeat": id.repeat });
    let about_run = serde_json::json!({ "id": settings.run_id });
    // Two devices must not sign up as the same person, nor an attempt as the one before.
    // Where any device may take a flow, another one makes the same data.
    let device_name = if settings.config.spread.value {
        ""
    } else {
        &id.device
    };
    let place = (
        &flow.source.path,
        &id.case,
        id.repeat,
        device_name,
        id.attempt,
    );
    let place = serde_json::json!(place).to_string();
    let mut scope = Scope::new(Arc::clone(&settings.os), device, about_flow, about_run)
        .without_answers(unanswered)
        .with_generator(Generator::new(settings.seed, &place))
        .with_secrets(
            flow.secrets.iter().chain(secrets),
            emitter.scrubber().clone(),
        );
    set_all(&mut scope, &settings.config.file_env).map_err(elsewhere)?;
    if let Some(row) = case.case.as_ref().and_then(|case| case.row.as_deref()) {
        set_row(&mut scope, row).map_err(failed_at(flow, secrets, &row.source))?;
    }
    set_header(&mut scope, flow).map_err(failed_at(flow, secrets, &flow.source))?;
    set_all(&mut scope, &settings.config.command_env).map_err(elsewhere)?;
    for (name, value) in &*settings.options.results {
        let kept = scope.keep(name, value.clone()).map_err(name_error);
        kept.map_err(elsewhere)?;
    }
    Ok(scope)
}

/// Returns a function that converts errors of values in `source`, a file of the flow, to failures at their places.
/// `of_project` are the names that are secret everywhere.
fn failed_at(
    flow: &Flow,
    of_project: &[String],
    source: &Arc<Source>,
) -> impl Fn(InterpolationError) -> FailedStep {
    move |error| FailedStep {
        at: sources::locate(flow, of_project, source, error.span.start),
        failure: interpolation_failure(error),
    }
}

/// Returns the values of `device` in expressions, and for each that the device did not answer the reason;
/// such a value is null. A value that the device has not is an empty text. `locale` overrides the device's.
fn device_values(
    info: &DeviceInfo,
    label: &str,
    locale: Option<String>,
) -> (Value, BTreeMap<&'static str, String>) {
    let mut known = serde_json::Map::new();
    let mut unanswered = BTreeMap::new();
    let display = &info.display;
    // These come from one list of properties, so without the API level none is known.
    let of_list = |value: Value| info.sdk.clone().map(|_| value);
    let locale = locale.map_or_else(|| info.locale.clone(), Reading::Said);
    let side = |of: fn(Display) -> u32| display.clone().map(of);
    let readings = [
        ("model", info.model.clone().map(Value::from)),
        ("release", info.release.clone().map(Value::from)),
        ("sdk", info.sdk.clone().map(Value::from)),
        ("width", side(|display| display.width).map(Value::from)),
        ("height", side(|display| display.height).map(Value::from)),
        ("density", side(|display| display.density).map(Value::from)),
        ("locale", locale.map(Value::from)),
        ("emulator", of_list(info.emulator.into())),
        ("virtual", of_list(info.virtual_device.into())),
    ];
    known.insert("serial".to_owned(), info.serial.clone().into());
    known.insert("label".to_owned(), label.into());
    for (name, reading) in readings {
        let value = match reading {
            Reading::Said(value) => value,
            // The phone has no such value.
            Reading::SaidNone => Value::from(""),
            Reading::NotAnswered(why) => {
                let error = DeviceError::NotAnswered(why.to_string());
                unanswered.insert(name, error.to_string());
                Value::Null
            }
        };
        known.insert(name.to_owned(), value);
    }
    (Value::Object(known), unanswered)
}

/// Returns the flow with the package that the expression in its `app` evaluates to. Without an expression it
/// is the same flow. The error's message begins with `app:`; its place is that of the value. `of_project` are the names
/// that are secret everywhere.
pub(super) fn resolve_app(
    flow: &Arc<Flow>,
    scope: &Scope,
    of_project: &[String],
) -> Result<Arc<Flow>, FailedStep> {
    let Some(app) = &flow.app_value else {
        return Ok(Arc::clone(flow));
    };
    let package = runner_flow::resolve_text(app, scope, &scope.meter())
        .map_err(|error| InterpolationError {
            message: format!("app: {error}"),
            ..error
        })
        .map_err(failed_at(flow, of_project, &flow.source))?;
    let mut flow = Flow::clone(flow);
    flow.app = Some(package);
    Ok(Arc::new(flow))
}

/// Sets each name in order. Stops at the first that is no valid name, which is a failure of usage.
fn set_all(scope: &mut Scope, values: &IndexMap<String, String>) -> Result<(), Failure> {
    for (name, value) in values {
        scope
            .set_env(name, value)
            .map_err(|error| Failure::new(FailureKind::Usage, error.to_string()))?;
    }
    Ok(())
}

/// Sets the columns of a row. Their values can use the names of `runner.yaml`, but not other columns. If one
/// fails to evaluate, none is set; the error names the column.
fn set_row(scope: &mut Scope, row: &Row) -> Result<(), InterpolationError> {
    let meter = scope.meter();
    let values = row.values().map(|(column, value)| {
        let text = runner_flow::resolve_text(value, scope, &meter);
        text.map(|text| (column, text, &value.span))
            .map_err(|error| InterpolationError {
                message: format!("column {column}: {error}"),
                ..error
            })
    });
    let values = values.collect::<Result<Vec<_>, _>>()?;
    for (column, text, span) in values {
        scope
            .set_env(column, text)
            .map_err(|error| InterpolationError {
                span: span.clone(),
                message: format!("column {column}: {error}"),
                stopped: false,
                unanswered: false,
            })?;
    }
    Ok(())
}

/// Sets the header's `env` in order, each value seeing those before it. Stops at the first error, which names
/// the variable; those before stay set.
pub(super) fn set_header(scope: &mut Scope, flow: &Flow) -> Result<(), InterpolationError> {
    let meter = scope.meter();
    for (name, value) in &flow.env {
        let text = runner_flow::resolve_text(value, scope, &meter).map_err(|error| {
            InterpolationError {
                message: format!("env {name}: {error}"),
                ..error
            }
        })?;
        scope
            .set_env(name, text)
            .map_err(|error| InterpolationError {
                span: value.span.clone(),
                message: format!("env {name}: {error}"),
                stopped: false,
                unanswered: false,
            })?;
    }
    Ok(())
}
