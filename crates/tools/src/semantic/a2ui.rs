//! Tool that sends messages to devices that render A2UI (C8), and the list of their surfaces.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::element::failed;
use crate::arguments::{Arguments, Complaint};
use crate::{Call, Capability, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::{Device, DeviceError, Script, ShellOutput};
use runner_engine::Session;

/// Time limit for one message. Chosen: generous; the device draws it within a second.
const LIMIT: Duration = Duration::from_secs(15);
/// Limit for a message passed as a command's argument, in bytes; longer ones go through a file. Chosen: well
/// below adb's and Linux's limits for arguments.
const MAX_ARGUMENT_BYTES: usize = 32_000;
/// Limit of the device's message in a failure, in characters. Chosen: events hold no more.
const MAX_COMPLAINT_CHARS: usize = 2000;
/// Arguments of `send_a2ui`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendA2uiArgs {
    /// A2UI message, of version 0.8, 0.9 or 0.10, or without a version:
    /// `{"updateDataModel": {"surfaceId": "default", "data": {"/counter": 42}}}`.
    pub message: Map<String, Value>,
}

/// Tool `send_a2ui` (C8).
#[derive(Debug)]
pub struct SendA2ui;

impl Tool for SendA2ui {
    const NAME: &'static str = "semantic.send_a2ui";
    const SUMMARY: &'static str = "Sends an A2UI message to the surface in front.";
    const HELP: &'static str =
        "`a2ui://surfaces` tells the surface; `default` is the one in front, whatever its id.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const NEEDS: Option<Capability> = Some(Capability::A2ui);
    type Args = SendA2uiArgs;

    /// Requires a `message` that is an object. What is in it is left to the device.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let message = args.required("message")?;
        if message.is_object() {
            return Ok(());
        }
        Err(args.complaint("message", &Complaint::NotObject(message)))
    }

    /// Sends a message to the renderer on the device, which must have one, and holds the input lock meanwhile. A
    /// message of more than 32 kB goes through a temporary file. What the device refuses is a failure with its
    /// complaint.
    async fn call(session: &Session, args: SendA2uiArgs, _: &Call) -> Result<Outcome, Failure> {
        has_renderer(session)?;
        let message = Value::Object(args.message).to_string();
        // Keeps other calls from sending input while the surface changes.
        let _turn = session.lock_input().await;
        let sent = if message.len() > MAX_ARGUMENT_BYTES {
            send_file(session.device(), message.as_bytes()).await
        } else {
            let script = Script::command(["cmd", "runner", "a2ui", &message]);
            session.device().shell(&script, LIMIT).await
        };
        let output = sent.map_err(|error| sending_failed(error.into()))?;
        DeviceError::refuse_killed("cmd runner a2ui", &output)
            .map_err(|error| sending_failed(error.into()))?;
        if output.exit_code.is_some_and(|code| code != 0) {
            return Err(failed(Words::format(
                "A2UI message failed: {}",
                &[&complaint(&output)],
            )));
        }
        Ok(Outcome::json(
            json!({ "success": true, "message": "A2UI message sent" }),
        ))
    }
}

/// Sends a message that is too long for a command through a temporary file on the device, which is removed
/// also after an error. The result is the output and exit code of the message's command.
async fn send_file(device: &dyn Device, message: &[u8]) -> Result<ShellOutput, DeviceError> {
    let file = format!(
        "/data/local/tmp/runner-a2ui-{:012x}.json",
        fastrand::u64(..1 << 48)
    );
    let script = Script::command(["cmd", "runner", "a2ui", "--file", &file]);
    // The exit code must be that of the message's command.
    let tidy = Script::raw(format!("rc=$?; rm -f {file}; exit $rc"), "rm");
    let sent = match device.push(message, &file, 0o600).await {
        Ok(()) => device.shell(&script.then(&tidy), LIMIT).await,
        Err(error) => Err(error),
    };
    if sent.is_err() {
        // The failed transfer is the error to report.
        let remove = Script::command(["rm", "-f", &file]);
        let _ = device.shell(&remove, LIMIT).await;
    }
    sent
}

/// Returns what the device said of a failed command, marked to be cut after `MAX_COMPLAINT_CHARS`. Empty if it said
/// nothing.
fn complaint(output: &ShellOutput) -> String {
    output.message().excerpt(MAX_COMPLAINT_CHARS).to_string()
}

/// Puts the reference's words before a failure's message. Its kind stays.
fn sending_failed(failure: Failure) -> Failure {
    Failure {
        message: Words::format("A2UI message failed: {}", &[&failure.message]),
        ..failure
    }
}

/// Fails unless the device renders A2UI. Asks nothing of the device.
fn has_renderer(session: &Session) -> Result<(), Failure> {
    if Capability::A2ui.is_of(session.device().info()) {
        return Ok(());
    }
    let failure = Failure::unsupported("A2UI renderer not configured");
    Err(failure.with_details(["only the virtual device renders A2UI: `--device virtual`"]))
}

/// Returns the A2UI surfaces that the device reports, as its JSON. Fails if the device has no renderer, the
/// command fails, or its output is no JSON.
pub(super) async fn surfaces(session: &Session) -> Result<Value, Failure> {
    has_renderer(session)?;
    let script = Script::command(["cmd", "runner", "a2ui", "--list"]);
    let output = session.device().shell(&script, LIMIT).await?;
    DeviceError::refuse_killed("cmd runner a2ui --list", &output)?;
    if output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(complaint(&output)));
    }
    serde_json::from_str(output.text().trim())
        .map_err(|error| Failure::device(format!("the device's list of surfaces: {error}")))
}
