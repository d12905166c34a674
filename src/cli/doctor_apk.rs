//! Checks what is missing to run a person's own APK on the virtual device. It is optional, so it is never a
//! problem.

use crate::app_host::jdk::Jdk;
use crate::app_host::parts::{BuildTool, Parts, PartsState};
use crate::app_host::places::Places;
use crate::context::Context;
use crate::device::doctor::CheckResult;

/// Checks for a JDK and the downloaded parts, without a download, and for Maven or Gradle to get missing parts. The
/// result is never bad: what is missing is needed only to run APKs on the virtual device.
pub fn check(context: &Context) -> CheckResult {
    let places = Places::from_context(context);
    let parts = Parts::at(&places.parts);
    let (jdk, state) = (Jdk::find(&places), parts.state());
    let title = "APKs without a phone";
    let found = match (&jdk, &state) {
        (Ok(jdk), PartsState::Complete) => {
            return CheckResult::good(title, format!("{jdk}; parts in {}", parts.folder()));
        }
        (Ok(jdk), _) => jdk.to_string(),
        (Err(error), _) => error.to_string(),
    };
    let tool = match BuildTool::find(&places) {
        Some(tool) => format!("{} is there to get them", tool.name()),
        None => "neither Maven nor Gradle is there to get them".to_owned(),
    };
    let detail = match state {
        PartsState::Complete => found,
        state => format!("{found}; parts in {}: {state}; {tool}", parts.folder()),
    };
    let advice = "only to run an APK on the virtual device: `runner virtual install`, see docs/guide/your-apk.md";
    CheckResult::limited(title, detail, advice)
}
