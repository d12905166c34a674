//! Steps for run-time permissions of apps.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::apps::{explained, package};
use super::external_names;
use crate::arguments::Arguments;
use crate::ungrantable::{PermissionUse, ungrantable};
use crate::{Call, Failure, Outcome, StepSyntax, StepValue, Tool, Words};
use runner_device::apps;
use runner_engine::Session;

/// A run-time permission.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionArgs {
    /// The permission, such as `CAMERA` or `android.permission.CAMERA`.
    #[schemars(extend("examples" = [
        "CAMERA", "RECORD_AUDIO", "POST_NOTIFICATIONS", "ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION",
        "ACCESS_BACKGROUND_LOCATION", "READ_CONTACTS", "WRITE_CONTACTS", "READ_CALENDAR", "WRITE_CALENDAR",
        "READ_MEDIA_IMAGES", "READ_MEDIA_VIDEO", "READ_MEDIA_AUDIO", "READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE",
        "READ_PHONE_STATE", "CALL_PHONE", "READ_CALL_LOG", "SEND_SMS", "READ_SMS", "RECEIVE_SMS", "BLUETOOTH_CONNECT",
        "BLUETOOTH_SCAN", "NEARBY_WIFI_DEVICES", "BODY_SENSORS", "ACTIVITY_RECOGNITION"
    ]))]
    pub permission: String,
    /// Package; by default the flow's app.
    #[serde(default)]
    pub app: Option<String>,
}

#[derive(Debug)]
pub struct Grant;

impl Tool for Grant {
    const NAME: &'static str = "grant";
    const NEEDS_APP: bool = true;
    const EXAMPLE: &'static str = "- grant: CAMERA";
    const KEEPS: StepValue = StepValue::new(&[("granted", "`true`")]);
    const SUMMARY: &'static str = "Grants an app a run-time permission.";
    const WRITING: StepSyntax = StepSyntax::Scalar("permission");
    type Args = PermissionArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)?;
        let permission = args.get("permission").and_then(Value::as_str);
        permission.map_or(Ok(()), external_names::check_permission)
    }

    /// Grants the app a permission, without a dialog; a permission without `.` is Android's own. It stays granted after
    /// the flow. A permission that the device does not list for the app afterwards is a failure, and so is an app that
    /// is not installed.
    async fn call(
        session: &Session,
        args: PermissionArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        let done = apps::grant(session.device(), &package, &args.permission).await;
        let named = [args.permission.as_str()];
        let refused = done.as_ref().err();
        let why = refused.and_then(|error| ungrantable(error, named, PermissionUse::Step));
        let done = explained(session, call, &package, done).await;
        done.map_err(|failure| failure.with_details(why))?;
        Ok(Outcome::value(
            Words::format("Granted {} to {}", &[&args.permission, &package]),
            json!({ "granted": true }),
        ))
    }
}

#[derive(Debug)]
pub struct Revoke;

impl Tool for Revoke {
    const NAME: &'static str = "revoke";
    const NEEDS_APP: bool = true;
    const EXAMPLE: &'static str = "- revoke: CAMERA";
    const KEEPS: StepValue = StepValue::new(&[("granted", "`false`")]);
    const SUMMARY: &'static str = "Takes a run-time permission from an app.";
    const WRITING: StepSyntax = StepSyntax::Scalar("permission");
    type Args = PermissionArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        external_names::check_app(args)?;
        let permission = args.get("permission").and_then(Value::as_str);
        permission.map_or(Ok(()), external_names::check_permission)
    }

    /// Revokes a permission of the app; Android ends an app that loses one. A permission without `.` is Android's own.
    /// It stays revoked after the flow. A permission that the app does not have anyway passes; an app that is not
    /// installed is a failure.
    async fn call(
        session: &Session,
        args: PermissionArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let package = package(args.app, call)?;
        let done = apps::revoke(session.device(), &package, &args.permission).await;
        explained(session, call, &package, done).await?;
        Ok(Outcome::value(
            Words::format("Revoked {} of {}", &[&args.permission, &package]),
            json!({ "granted": false }),
        ))
    }
}
