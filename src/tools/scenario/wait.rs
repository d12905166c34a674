//! D17 `wait`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::optional_whole;
use super::status::because;
use crate::device::Script;
use crate::engine::{Pace, Session};
use crate::tools::{Call, Effect, Failure, Outcome, Tool, Writing};

/// Shortest and longest wait in milliseconds.
const LIMITS: (i64, i64) = (50, 10_000);
/// How much longer than the wait the device's own command may take.
const GRACE: Duration = Duration::from_secs(15);

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

/// Real time on a real device. Where time is virtual it passes on the device only.
async fn pause(session: &Session, time: Duration) -> Result<(), Failure> {
    if session.pace() == Pace::REAL {
        tokio::time::sleep(time).await;
        return Ok(());
    }
    let seconds = time.as_secs_f64().to_string();
    let script = Script::command(["sleep", &seconds]);
    session
        .device()
        .shell(&script, time + GRACE)
        .await
        .map(drop)
        .map_err(|error| because("wait failed", error))
}

/// D17 `wait`.
#[derive(Debug)]
pub struct Wait;

impl Tool for Wait {
    const NAME: &'static str = "scenario.wait";
    const SUMMARY: &'static str =
        "Waits a number of milliseconds (50 to 10000): after navigation, animations, loading.";
    const HELP: &'static str = "300 to 1500 is usual; verify afterwards.";
    const WRITING: Writing = Writing::Scalar("ms");
    const BARE: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = WaitArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        optional_whole(args, "ms").map(drop)
    }

    async fn call(session: &Session, args: WaitArgs, _: &Call) -> Result<Outcome, Failure> {
        let ms = args.ms.clamp(LIMITS.0, LIMITS.1);
        pause(session, Duration::from_millis(ms.unsigned_abs())).await?;
        Ok(Outcome::text(format!("OK: waited {ms}ms")))
    }
}
