//! Tool that waits (D17).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::status::because;
use crate::arguments::Arguments;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::Session;

/// Limits for a wait in milliseconds, as in the reference.
const LIMITS: (i64, i64) = (50, 10_000);

/// Arguments of `wait`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitArgs {
    /// Milliseconds; less than 50 is 50, more than 10000 is 10000.
    #[serde(default = "half_a_second")]
    pub ms: i64,
}

fn half_a_second() -> i64 {
    500
}

#[derive(Debug)]
pub struct Wait;

impl Tool for Wait {
    const NAME: &'static str = "scenario.wait";
    const SUMMARY: &'static str =
        "Waits a number of milliseconds (50 to 10000): after navigation, animations, loading.";
    const HELP: &'static str = "OK: waited, or ERROR: … 300 to 1500 is usual; verify afterwards.";
    const WRITING: StepSyntax = StepSyntax::Scalar("ms");
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = WaitArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.integer("ms").map(drop)
    }

    /// Waits on the device's clock, 50 to 10 000 ms. A time outside the limits is brought within them.
    async fn call(session: &Session, args: WaitArgs, _: &Call) -> Result<Outcome, Failure> {
        let ms = args.ms.clamp(LIMITS.0, LIMITS.1);
        session
            .pause(Duration::from_millis(ms.unsigned_abs()))
            .await
            .map_err(|error| because("wait failed", error))?;
        Ok(Outcome::text(Words::format("OK: waited {}ms", &[&ms])))
    }
}
