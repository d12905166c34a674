//! Catalogue D: the scenario tools, `scenario.…` as steps. Every result is a text that begins with a status;
//! no call throws.
//!
//! Tools fail as all others, with a bare message; [`status::answer`] converts it to a text.

mod dump;
mod find;
mod input;
mod lifecycle;
mod look;
mod media;
mod report;
mod run;
mod scenario_report;
mod scroll;
mod status;
mod touch;
mod verify;
mod wait;

#[cfg(test)]
mod tests;

use super::{Catalogue, Entry, Tool};

/// Returns the catalogue's tools in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    vec![
        entry::<lifecycle::StartTestingScenario>(),
        entry::<lifecycle::LaunchAppByPackage>(),
        entry::<find::FindUiElementsByText>(),
        entry::<dump::GetScreenDump>(),
        entry::<scroll::GetScreenSize>(),
        entry::<touch::Tap>(),
        entry::<touch::TapByCoordinates>(),
        entry::<input::InputText>(),
        entry::<input::GoBack>(),
        entry::<input::HideKeyboard>(),
        entry::<scroll::SwipeUp>(),
        entry::<scroll::SwipeDown>(),
        entry::<scroll::ScrollVertically>(),
        entry::<scroll::ScrollHorizontally>(),
        entry::<verify::VerifyElementVisible>(),
        entry::<verify::VerifyElementNotVisible>(),
        entry::<wait::Wait>(),
        entry::<media::TakeScreenshot>(),
        entry::<media::StartScreenRecording>(),
        entry::<media::StopScreenRecording>(),
        entry::<report::InitializeTestScenarioReport>(),
        entry::<report::UpdateTestScenarioReport>(),
        entry::<report::GenerateTestScenarioReport>(),
    ]
}

const fn entry<T: Tool>() -> Entry {
    Entry::new::<T>(Catalogue::Scenario).answering(status::answer)
}
