//! `runner studio`: goldens on the page, and the sweep.

use std::time::{Duration, Instant};

use runner::device::Script;
use runner::device::adb::connect_direct;
use serde_json::Value;

use crate::adb_server::Served;
use crate::common::Project;
use crate::common::browser;
use crate::common::pages::PageServer;

/// Starts a device with few pixels, so that work on its pictures is fast.
async fn small_device(project: &Project) -> Served {
    let lent = Served::start(project, &[]);
    let device = connect_direct(&lent.address, "x").await.expect("a device");
    for command in [["wm", "size", "540x1200"], ["wm", "density", "210"]] {
        let script = Script::command(command);
        let set = device.shell(&script, Duration::from_secs(30));
        set.await.expect("an answer");
    }
    lent
}

fn studio(project: &Project, more: &[&str]) -> PageServer {
    let arguments = [&["studio", "--no-open"], more].concat();
    PageServer::started(project.command(&arguments), project, "Studio")
}

#[tokio::test(flavor = "multi_thread")]
async fn from_an_empty_folder_to_a_passing_flow_with_a_golden() {
    let project = Project::with_demo_app();
    let lent = small_device(&project).await;
    let server = studio(&project, &["--device", &lent.address]);
    let Some(written) = browser::run(
        "studio_goldens.mjs",
        &[&server.address, "com.example.notes"],
    ) else {
        return;
    };
    drop(server);
    let path = written.trim();
    project
        .run(&["test", "--device", &lent.address, path])
        .expect(0);
    let listed = project.run(&["pending", "-q"]).expect(0);
    assert_eq!(listed.stdout.trim(), "", "nothing waits");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screen_is_swept_in_several_appearances() {
    let project = Project::with_demo_app();
    // Texts of apps are texts, whatever they hold.
    let hurtful = "<img src=x onerror=window.hurt=1>";
    project.replace(
        "apps/demo/sign-in.yaml",
        "Sign in to read what you wrote.",
        hurtful,
    );
    project.write(
        "flows/welcome.yaml",
        "name: Welcome\napp: com.example.notes\nsteps:\n  - launch\n  - assert visible: Welcome to Notes\n",
    );
    let lent = small_device(&project).await;
    let server = studio(&project, &["--device", &lent.address, "flows/welcome.yaml"]);
    browser::run("studio_sweep.mjs", &[&server.address]);
}

/// Returns the settings of a device that a sweep changes.
async fn settings(address: &str) -> Vec<String> {
    let device = connect_direct(address, "x").await.expect("a device");
    let mut messages = Vec::new();
    for command in [
        &["settings", "get", "system", "font_scale"][..],
        &["settings", "get", "system", "user_rotation"],
        &["settings", "get", "system", "accelerometer_rotation"],
        &["cmd", "uimode", "night"],
        &["getprop", "persist.sys.locale"],
    ] {
        let requested = Script::command(command.iter().copied());
        let answer = device.shell(&requested, Duration::from_secs(30)).await;
        let text = answer.expect("an answer").text().trim().to_owned();
        // `1` and `1.0` are one size.
        messages.push(text.trim_end_matches(".0").to_owned());
    }
    messages
}

/// Returns the page's data of the sweep, once `is_so` accepts it.
fn sweep_when(server: &PageServer, is_so: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_secs(90);
    loop {
        let (status, answer) = server.own("GET /sweep", "");
        assert_eq!(status, 200, "{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        let sweep: Value = serde_json::from_str(body).expect("JSON");
        if is_so(&sweep) {
            return sweep;
        }
        assert!(Instant::now() < end, "{sweep}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends a POST request as the server's own page does.
fn post(server: &PageServer, path: &str, body: &str) -> (u16, String) {
    server.own(&format!("POST {path}"), body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_that_is_stopped_puts_the_settings_back() {
    let project = Project::with_demo_app();
    let lent = Served::start(&project, &[]);
    let before = settings(&lent.address).await;
    let server = studio(&project, &["--device", &lent.address]);
    let request =
        r#"{"dark":[true,false],"font":[200,130],"landscape":[true,false],"locale":["de-DE"]}"#;
    let (status, answer) = post(&server, "/sweep", request);
    assert_eq!(status, 200, "{answer}");
    let (status, answer) = post(&server, "/sweep", request);
    assert_eq!(status, 409, "one at a time: {answer}");
    let begun = sweep_when(&server, |sweep| sweep["cells"][0]["done"] == true);
    let side = |at: usize| begun["cells"][0]["size"][at].as_u64();
    assert!(side(0) > side(1), "the first picture is turned: {begun}");
    let (status, picture) = server.own("GET /sweep/picture/1/0", "");
    assert_eq!(status, 200);
    assert!(picture.contains("cache-control: no-store"));
    post(&server, "/stop", "{}");
    let stopped = sweep_when(&server, |sweep| sweep["going"] == false);
    assert!(
        stopped["trouble"]
            .as_str()
            .is_some_and(|why| why.contains("stopped")),
        "{stopped}"
    );
    assert_eq!(settings(&lent.address).await, before);

    // What cannot be is reported, and nothing begins.
    for (wanted, why) in [
        (r#"{"font":[1]}"#, "between 25 and 500"),
        (r#"{"locale":["x; reboot"]}"#, "is not a language"),
    ] {
        let (status, answer) = post(&server, "/sweep", wanted);
        assert_eq!(status, 409, "{answer}");
        assert!(answer.contains(why), "{answer}");
    }
    let (status, _) = server.own("GET /sweep/picture/1/99", "");
    assert_eq!(status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_is_lost_in_a_sweep_gets_its_settings_back() {
    let project = Project::with_demo_app();
    let lent = small_device(&project).await;
    let address = lent.address.clone();
    let set = Script::command(["settings", "put", "system", "font_scale", "1.3"]);
    let device = connect_direct(&address, "x").await.expect("a device");
    let put = device.shell(&set, Duration::from_secs(30)).await;
    put.expect("an answer");
    let before = settings(&address).await;
    let server = studio(&project, &["--device", &address]);
    let request = r#"{"font":[100,200],"dark":[true,false]}"#;
    let (status, answer) = post(&server, "/sweep", request);
    assert_eq!(status, 200, "{answer}");
    sweep_when(&server, |sweep| sweep["cells"][0]["done"] == true);
    drop(lent);
    // Another device at the same place stands for the one that comes back: it has none of the settings.
    let (_, port) = address.split_once(':').expect("a port");
    let _back = Served::start(&project, &["--port", port]);
    sweep_when(&server, |sweep| sweep["going"] == false);
    assert_eq!(settings(&address).await, before);
}
