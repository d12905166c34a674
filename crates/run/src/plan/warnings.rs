//! Warnings about flows that run, and about the impact map.

use std::sync::Arc;

use serde_json::Value;

use crate::secrets;
use runner_config::{Config, ImpactRule};
use runner_flow::{Argument, Flow, Step, StepAction};
use runner_text::diagnostic::{self, Code, Diagnostic};
use runner_text::secret::MIN_MASKED_CHARS;
use runner_text::suggest::{SourceRange, error};
use runner_tools::everyday::{allowing_setting, unlisted_host};

/// Chosen: short secrets of a flow that are reported. More would bury other warnings.
const MAX_SHORT: usize = 20;

/// Returns warnings for a flow that uses what `runner.yaml` does not have: tags of devices, and hosts of
/// requests, also in its sub-flows. Secrets in the quoted lines are masked.
pub(super) fn not_allowed(flow: &Flow, config: &Config) -> Vec<Diagnostic> {
    let mut found = Vec::from_iter(unknown_needs(flow, config));
    for steps in flow.step_lists() {
        unlisted_hosts(steps, config, &mut found);
    }
    masked(found, config)
}

fn masked(found: Vec<Diagnostic>, config: &Config) -> Vec<Diagnostic> {
    // Most flows have no warning, and the secrets of the project take time to collect.
    if found.is_empty() {
        return found;
    }
    diagnostic::without_secrets(found, &config.secrets, &config.known_secrets())
}

/// Returns a warning for the first tag in `needs` that no device of `runner.yaml` has, with a suggestion.
/// Where the flow runs it is an error; where unfit flows are skipped, a mistyped tag would skip it for ever.
fn unknown_needs(flow: &Flow, config: &Config) -> Option<Diagnostic> {
    let needs = flow.needs.as_ref()?;
    let is_known = |tag: &String| {
        let mut devices = config.listed_devices.iter();
        devices.any(|device| device.tags.contains(tag))
    };
    let unknown = needs.tags.iter().find(|tag| !is_known(tag))?;
    let tags = config.listed_devices.iter().flat_map(|device| &device.tags);
    Some(Diagnostic {
        code: Code::UnknownTag,
        severity: Code::UnknownTag.severity(),
        message: format!(
            "no device of runner.yaml has the tag `{unknown}`, so no device ever fits"
        ),
        source: Arc::clone(&flow.source),
        span: needs.span.clone(),
        labels: Vec::new(),
        help: runner_text::suggest::suggest(unknown, tags.map(String::as_str)),
    })
}

/// Warns of `http` requests to hosts that `runner.yaml` does not allow, also in nested steps and sub-flows.
/// Equal warnings are added once. A URL with an expression is not checked.
fn unlisted_hosts(steps: &[Step], config: &Config, found: &mut Vec<Diagnostic>) {
    for step in steps {
        let inner = step.action.sub_flow().map(|flow| flow.step_lists());
        let inner = inner.into_iter().flatten().chain(step.action.lists());
        inner.for_each(|steps| unlisted_hosts(steps, config, found));
        let StepAction::Call { entry, arguments } = &step.action else {
            continue;
        };
        let url = match &arguments.value {
            Argument::Map(given) if entry.name == "http" => given.get("url"),
            _ => None,
        };
        let Some(Argument::Literal(Value::String(url))) = url.map(|url| &url.value) else {
            continue;
        };
        let Some(host) = unlisted_host(&config.http_hosts.value, url) else {
            continue;
        };
        let warning = Diagnostic {
            help: Some(format!(
                "write `{}` in runner.yaml",
                allowing_setting(&host)
            )),
            ..error(
                &SourceRange::new(&step.source, step.span.clone()),
                Code::Doubtful,
                format!("the host `{host}` is not allowed"),
            )
        };
        if !found.contains(&warning) {
            found.push(warning);
        }
    }
}

/// Returns warnings for entries of the impact map that name no existing flow, unless they say that the files
/// concern none. Empty without a `runner.yaml`. Secrets in the quoted lines are masked.
pub(super) fn unknown_impact(
    config: &Config,
    is_known: impl Fn(&ImpactRule) -> bool,
) -> Vec<Diagnostic> {
    let Some(source) = &config.project_source else {
        return Vec::new();
    };
    let rules = config.impact.rules.iter();
    let unknown = rules.filter(|rule| !rule.concerns_nothing() && !is_known(rule));
    let warning = |rule: &ImpactRule| Diagnostic {
        code: Code::UnknownTag,
        severity: Code::UnknownTag.severity(),
        message: format!(
            "no flow has a tag or a path that `impact` names for `{}`",
            rule.files.as_str()
        ),
        source: Arc::clone(source),
        span: rule.span.clone(),
        labels: Vec::new(),
        help: Some("correct it; until then these files count as not placed".to_owned()),
    };
    masked(unknown.map(warning).collect(), config)
}

/// Returns warnings for secrets written in the flow that are not empty and so short that they occur in other
/// texts by chance. Each place gets one, at most 20 together.
pub(super) fn short_secrets(flow: &Flow, of_project: &[String]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for written in secrets::written(flow, of_project) {
        let is_short = (1..MIN_MASKED_CHARS).contains(&written.value.trim().chars().count());
        let warning = Diagnostic {
            code: Code::ShortSecret,
            severity: Code::ShortSecret.severity(),
            message: format!(
                "the secret has fewer than {MIN_MASKED_CHARS} characters, so that it is masked only where it is a whole value"
            ),
            source: Arc::clone(written.source),
            span: written.span.clone(),
            labels: Vec::new(),
            help: Some("take a longer one".to_owned()),
        };
        if is_short && !found.contains(&warning) {
            found.push(warning);
        }
        // Each row of a table may add a warning.
        if found.len() == MAX_SHORT {
            break;
        }
    }
    found
}
