//! Lean tools for the app: launch, wait and screenshot.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::element::Element;
use super::translation::LeanDefinition;
use runner_agent::DeviceCall;
use runner_tools::Failure;

/// Arguments of `runner_launch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LaunchArgs {
    /// The app's package.
    app: String,
    /// Forget its data first.
    #[serde(default)]
    clear: bool,
    /// End it first.
    #[serde(default = "yes")]
    stop: bool,
}

fn yes() -> bool {
    true
}

pub(super) struct Launch;

impl LeanDefinition for Launch {
    const NAME: &'static str = "runner_launch";
    const SUMMARY: &'static str = "Starts an app anew.";
    const STEP: &'static str = "launch";
    type Args = LaunchArgs;

    /// Builds the call, with all three arguments. Whether the app exists only shows on the device.
    fn work(LaunchArgs { app, clear, stop }: LaunchArgs) -> Result<DeviceCall, Failure> {
        DeviceCall::named(
            Self::STEP,
            json!({ "app": app, "clear": clear, "stop": stop }),
        )
    }
}

/// Arguments of `runner_wait_for`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitForArgs {
    /// Its words, as for `runner_click`.
    on: Option<String>,
    /// Or its resource id.
    id: Option<String>,
    /// Until it is gone.
    #[serde(default)]
    gone: bool,
    /// Seconds.
    #[schemars(range(min = 1, max = 60))]
    timeout: Option<u64>,
}

pub(super) struct WaitFor;

impl LeanDefinition for WaitFor {
    const NAME: &'static str = "runner_wait_for";
    const SUMMARY: &'static str = "Waits until an element is there, or is gone.";
    const STEP: &'static str = "wait_for";
    type Args = WaitForArgs;

    /// Builds the call. It is a failure if no element or two are named, if the time is not 1 to 60 seconds, and for an
    /// id of a look, as that element was there already. Without `timeout` the step's usual limit applies.
    fn work(args: WaitForArgs) -> Result<DeviceCall, Failure> {
        let limit = args.timeout.map(Duration::from_secs);
        if limit.is_some_and(|limit| limit.is_zero() || limit > Duration::from_mins(1)) {
            return Err(Failure::usage("`timeout` is 1 to 60 seconds"));
        }
        match Element::required(args.on, args.id, Self::NAME)? {
            Element::Observed(id) => Err(Failure::usage(format!(
                "`{id}` was on a screen already; wait for words or an `id`, or call runner_changes"
            ))),
            Element::Selected(on) => Ok(DeviceCall {
                limit,
                ..DeviceCall::named(Self::STEP, json!({ "on": on, "gone": args.gone }))?
            }),
        }
    }
}

/// Arguments of `runner_screenshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScreenshotArgs {
    /// The file's name.
    name: Option<String>,
}

pub(super) struct Screenshot;

impl LeanDefinition for Screenshot {
    const NAME: &'static str = "runner_screenshot";
    const SUMMARY: &'static str = "Keeps a screenshot as a file and gives its path; to see one, runner_look with `screenshot`.";
    const STEP: &'static str = "screenshot";
    type Args = ScreenshotArgs;

    fn work(args: ScreenshotArgs) -> Result<DeviceCall, Failure> {
        DeviceCall::named(Self::STEP, json!({ "name": args.name }))
    }
}
