//! Steering a run from the studio's page, in a real browser.

use crate::common::Project;
use crate::common::browser;
use crate::common::pages::PageServer;

#[test]
fn a_run_is_paused_mended_and_goes_on() {
    let project = Project::with_demo_app();
    let flow = "flows/mend.yaml";
    project.write(
        flow,
        "# Signs in.\nname: Mends\napp: com.example.notes\nsteps:\n  - launch\n  - assert visible: Welcome to notes   # greets\n    timeout: 1s\n  - type: { into: { id: username }, text: ada }\n  - assert visible: ada\n",
    );
    let command = project.command(&["studio", "--no-open", flow]);
    let server = PageServer::started(command, &project, "Studio");
    let file = project.path(flow);
    let file = file.to_str().expect("a path");
    browser::run("studio_pilot.mjs", &[&server.address, file]);
}
