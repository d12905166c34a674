//! Tool that returns the device's properties (B3).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::answer::{self, AgentError};
use super::state::SessionCaches;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool};
use runner_device::{DeviceError, Script};
use runner_engine::Session;

/// Time limit for the queries. Chosen: a slow phone takes a few seconds.
const LIMIT: Duration = Duration::from_secs(15);
/// Value of properties that the device does not report.
const UNKNOWN: &str = "unknown";

#[derive(Debug)]
pub struct GetDeviceInfo;

impl Tool for GetDeviceInfo {
    const NAME: &'static str = "mobile_agent.get_device_info";
    const SUMMARY: &'static str =
        "Gathers the device's model, Android version, screen size and density, and battery status.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    const HELP: &'static str = "battery_status is Android's number: 2 charging, 3 discharging, 4 not charging, 5 full. Answered from a cache for 60 seconds (`from_cache`).";
    type Args = NoArgs;

    /// Answers with the device's properties, from the cache if that is younger than a minute. A device that does not
    /// answer is an answer without success.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let info = info(session).await.map(|(info, from_cache)| {
            Outcome::json(json!({
                "success": true,
                "device_info": info.as_ref(),
                "from_cache": from_cache,
            }))
        });
        Ok(answer::to_outcome(info))
    }
}

/// Returns the description from the cache if it is younger than a minute, else from the device; true if it came from
/// the cache.
async fn info(session: &Session) -> Result<(Arc<Value>, bool), AgentError> {
    let state = session.remembered::<SessionCaches>();
    {
        let caches = state.caches();
        if let Some(info) = caches.device_info.fresh(caches.now()) {
            return Ok((info, true));
        }
    }
    let info = Arc::new(ask(session).await.map_err(AgentError::from_failure)?);
    let mut caches = state.caches();
    let now = caches.now();
    caches.device_info.keep(Arc::clone(&info), now);
    Ok((info, false))
}

/// Asks for size, density and battery in one command; model and versions are those from when the device was opened.
/// What the device does not tell is `unknown`, and no error.
async fn ask(session: &Session) -> Result<Value, DeviceError> {
    // One round trip; the answers are told apart by their words.
    let script = Script::raw("wm size; wm density; dumpsys battery", "device info");
    let output = session.device().shell(&script, LIMIT).await?;
    let text = output.text();
    let device = session.device().info();
    Ok(json!({
        "model": or_unknown(device.model.value().cloned().unwrap_or_default()),
        "android_version": or_unknown(device.release.value().cloned().unwrap_or_default()),
        "sdk_version": or_unknown(device.sdk.value().map(u32::to_string).unwrap_or_default()),
        "screen_size": or_unknown(lines_with(&text, " size: ")),
        "screen_density": or_unknown(lines_with(&text, " density: ")),
        "battery_level": or_unknown(battery(&text, "level")),
        "battery_status": or_unknown(battery(&text, "status")),
    }))
}

/// Returns the text, or [`UNKNOWN`] for an empty one.
fn or_unknown(text: String) -> String {
    if text.is_empty() {
        UNKNOWN.to_owned()
    } else {
        text
    }
}

/// Extracts lines of a command's output, such as `Physical size: 1080x2400` and, if there is one, `Override
/// size: …`. A line must begin with `Physical` or `Override`, directly followed by `sign`, which begins with
/// a space. Lines are trimmed and joined by line breaks; the result is empty if there is none.
fn lines_with(text: &str, sign: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| {
            ["Physical", "Override"].iter().any(|kind| {
                line.strip_prefix(kind)
                    .is_some_and(|rest| rest.starts_with(sign))
            })
        })
        .collect();
    lines.join("\n")
}

/// Returns the value after `NAME: ` in the output of `dumpsys battery`. Empty without it.
fn battery(text: &str, name: &str) -> String {
    text.lines()
        .find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": "))
        .unwrap_or_default()
        .trim()
        .to_owned()
}
