//! The program with a stand-in of a device cloud: credentials, faults, the cloud's own commands.

use std::time::Duration;

use base64::Engine as _;

use super::cloud::{Answer, Cloud, KEY, Request, USER};
use super::grid::farm;
use super::{LONG, Running, SHORT, has_passed, project, until};
use crate::common::leash::free_port;
use crate::common::tls::serve_over_tls;
use crate::common::{Project, Ran};

/// Returns an entry of `devices:` for a server that wants credentials.
fn device(url: &str, more: &str) -> String {
    let credentials = r#"user: "${os.FARM_USER}", key: "${os.FARM_KEY}""#;
    format!("  - {{ webdriver: \"{url}\", label: lent, {credentials}{more} }}\n")
}

/// Flow that passes on the canned screen.
const CANNED: &str = "steps:\n  - launch\n  - click: OK\n";

/// Runs the program with all outputs.
fn run(project: &Project, key: &str) -> Ran {
    let outputs =
        "--json out/events.ndjson --junit out/junit.xml --html out/html --log out/log.txt";
    let arguments: Vec<&str> = ["test", "-v"]
        .into_iter()
        .chain(outputs.split(' '))
        .collect();
    std::fs::create_dir_all(project.path("out")).expect("a folder");
    let output = project
        .command(&arguments)
        .env("FARM_USER", USER)
        .env("FARM_KEY", key)
        .output();
    let ran = Ran::from(output.expect("the program starts"));
    shows_no_credentials(project, ran)
}

/// Asserts that no output and no file holds a credential.
#[track_caller]
fn shows_no_credentials(project: &Project, ran: Ran) -> Ran {
    let both = base64::engine::general_purpose::STANDARD.encode(format!("{USER}:{KEY}"));
    let mut texts = vec![
        ("stdout".to_owned(), ran.stdout.clone()),
        ("stderr".to_owned(), ran.stderr.clone()),
    ];
    for name in project.files(".") {
        let bytes = std::fs::read(project.path(&name)).expect("a file");
        texts.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
    for (name, text) in texts {
        for secret in [USER, KEY, both.as_str(), "t0kenOf"] {
            assert!(!text.contains(secret), "{name} shows {secret:?}");
        }
    }
    ran
}

#[test]
fn credentials_are_needed_and_never_shown() {
    let cloud = Cloud::start(&[]);
    let project = project(&device(&cloud.url(), ""));
    project.flow("a", CANNED);
    run(&project, KEY).expect(0).says("1 passed");
    assert_eq!((cloud.opened(), cloud.sessions().len()), (1, 0));
    run(&project, "another")
        .expect(3)
        .says("refuses the credentials");
    let unset = project.run(&["test"]).expect(3).says("FARM_USER");
    shows_no_credentials(&project, unset);
    assert_eq!(cloud.opened(), 1);
}

/// Whatever answers instead of a session: a clear error, and none of the app's.
#[test]
fn what_is_no_session_is_told() {
    let asks = |request: &Request| request.method == "POST" && request.path == "/session";
    let cases: [(Answer, &str); 8] = [
        (
            Answer::html(502),
            "is not a WebDriver server, or one that fails",
        ),
        (
            Answer::html(200),
            "is not a WebDriver server, or one that fails",
        ),
        (
            Answer::redirect(302, "https://elsewhere.example/wd/hub/session"),
            "redirects to https://elsewhere.example",
        ),
        (Answer::redirect(301, "/wd/hub/session"), "redirects"),
        (Answer::huge(50 << 20), "is longer than"),
        (Answer::Nothing, "cannot be reached"),
        (
            Answer::error(500, "session not created", "device 'Pixel 99' is unknown"),
            "device 'Pixel 99' is unknown",
        ),
        (
            Answer::json(
                200,
                &serde_json::json!({ "value": { "sessionId": "../x", "capabilities": {} } }),
            ),
            "session's id",
        ),
    ];
    for (answer, says) in cases {
        let cloud = Cloud::start(&[]);
        cloud.fault(move |request| asks(request).then(|| answer.clone()));
        let project = project(&device(&cloud.url(), ""));
        project.flow("a", CANNED);
        run(&project, KEY).expect(3).says(says);
        assert_eq!(cloud.sessions(), Vec::<String>::new());
    }
}

/// The same amid a flow: the session is closed all the same.
#[test]
fn what_is_no_answer_is_told() {
    let cases: [(&str, Answer, &str); 5] = [
        (
            "source",
            Answer::html(502),
            "is not a WebDriver server, or one that fails",
        ),
        (
            "source",
            Answer::huge(50 << 20),
            "the dump holds no <hierarchy>",
        ),
        ("settings", Answer::huge(50 << 20), "is longer than"),
        ("source", Answer::Nothing, "cannot be reached"),
        (
            "source",
            Answer::redirect(307, "http://elsewhere.example/"),
            "redirects to http://elsewhere.example",
        ),
    ];
    for (requested, answer, says) in cases {
        let cloud = Cloud::start(&[]);
        cloud.fault(move |request| request.path.ends_with(requested).then(|| answer.clone()));
        let project = project(&device(&cloud.url(), ""));
        project.flow("a", CANNED);
        run(&project, KEY).expect(3).says(says);
        assert_eq!((cloud.opened(), cloud.sessions().len()), (1, 0), "{says}");
    }
}

#[test]
fn a_hub_that_is_down_is_told() {
    let nobody = format!("http://127.0.0.1:{}/wd/hub", free_port());
    let project = project(&device(&nobody, ""));
    project.flow("a", CANNED);
    run(&project, KEY).expect(3).says("cannot be reached");
}

#[test]
fn a_certificate_that_nobody_signed_is_refused() {
    let address = serve_over_tls();
    let project = project(&device(&format!("https://{address}/wd/hub"), ""));
    project.flow("a", CANNED);
    run(&project, KEY).expect(3).says("cannot be trusted");
}

/// A server as clouds run it: without shell, and an older Appium that does not list its commands.
#[test]
fn what_a_server_cannot_is_said_by_name() {
    let cloud = Cloud::start(&[]);
    let project = project(&device(&cloud.url(), ""));
    project.write(
        "runner.yaml",
        &format!("allow_shell: true\n{}", project.read("runner.yaml")),
    );
    project.flow("a", "steps:\n  - launch\n  - shell: [ls]\n");
    let ran = run(&project, KEY).says("adb_shell");
    assert_ne!(ran.code, 0);
    assert_eq!(cloud.sessions(), Vec::<String>::new());
}

/// Name and result of each flow, in the words of each cloud, and the page of the session.
#[test]
fn each_cloud_is_told_of_the_flows() {
    let browserstack = |action: &str, arguments: &str| {
        format!(r#"browserstack_executor: {{"action":"{action}","arguments":{{{arguments}}}}}"#)
    };
    let cases = [
        (
            "browserstack",
            vec![
                r#"browserstack_executor: {"action": "getSessionDetails"}"#.to_owned(),
                browserstack("setSessionName", r#""name":"First flow""#),
                browserstack("setSessionStatus", r#""status":"passed","reason":"""#),
                browserstack("setSessionName", r#""name":"First flow and 1 more""#),
            ],
            r#"browserstack_executor: {"action":"setSessionStatus","arguments":{"status":"failed","reason":""#,
            "https://app-automate.browserstack.com/builds/b1/sessions/s1",
        ),
        (
            "sauce",
            vec![
                "sauce:job-name=First flow".to_owned(),
                "sauce:job-result=passed".to_owned(),
                "sauce:job-name=First flow and 1 more".to_owned(),
            ],
            "sauce:job-result=failed",
            "https://app.saucelabs.com/tests/canned-1",
        ),
        (
            "lambdatest",
            vec![
                "lambda-name=First flow".to_owned(),
                "lambda-status=passed".to_owned(),
                "lambda-name=First flow and 1 more".to_owned(),
            ],
            "lambda-status=failed",
            "https://appautomation.lambdatest.com/test?testID=canned-1",
        ),
        ("none", Vec::new(), "", ""),
    ];
    for (name, mut messages, last, page) in cases {
        let cloud = Cloud::start(&[]);
        let project = project(&device(&cloud.url(), &format!(", cloud: {name}")));
        project.flow("a", &format!("name: First flow\n{CANNED}"));
        project.flow(
            "b",
            "step_timeout: 1s\nsteps: [ assert visible: Nowhere ]\n",
        );
        run(&project, KEY).expect(1).says("1 failed");
        let scripts = cloud.scripts();
        let (ends, others): (Vec<_>, Vec<_>) = scripts
            .into_iter()
            .partition(|script| !last.is_empty() && script.starts_with(last));
        assert_eq!(ends.len(), usize::from(!last.is_empty()), "{ends:?}");
        let mut others = others;
        others.sort();
        messages.sort();
        assert_eq!(others, messages);
        let report = project.read("out/junit.xml");
        let property = format!("name=\"session.dashboard\" value=\"{page}\"");
        assert_eq!(report.contains(&property), !page.is_empty(), "{report}");
        assert!(
            report.contains("name=\"session.id\" value=\"canned-1\""),
            "{report}"
        );
    }
}

/// Messages to the cloud are not part of the test.
#[test]
fn a_cloud_that_does_not_listen_costs_a_warning() {
    let cloud = Cloud::start(&[]);
    cloud.fault(|request| {
        let script = request.body["script"].as_str()?;
        script
            .starts_with("sauce:")
            .then(|| Answer::error(500, "unknown error", "not today"))
    });
    let project = project(&device(&cloud.url(), ", cloud: sauce"));
    project.flow("a", CANNED);
    run(&project, KEY)
        .expect(0)
        .says("warning")
        .says("not today");
}

/// A secret of the flow is masked before the cloud hears of it.
#[test]
fn a_cloud_is_told_no_secret() {
    let cloud = Cloud::start(&[]);
    let project = project(&device(&cloud.url(), ", cloud: browserstack"));
    project.flow(
        "a",
        "env: { PIN: hush-hush-4711 }\nsecrets: [PIN]\nname: Uses hush-hush-4711\nstep_timeout: 1s\nsteps:\n  - assert visible: \"${PIN}\"\n",
    );
    run(&project, KEY).expect(1);
    let scripts = cloud.scripts().join("\n");
    assert!(scripts.contains("Uses ***"), "{scripts}");
    assert!(!scripts.contains("hush-hush"), "{scripts}");
}

/// A cloud that is full says so at once, or lets the request wait.
#[test]
fn a_full_cloud_is_waited_for_and_given_up() {
    for queue in [Duration::ZERO, Duration::from_mins(5)] {
        let cloud = Cloud::start(&[]);
        cloud.limit(0, queue);
        let project = project(&device(&cloud.url(), ", session_timeout: 7s"));
        project.flow("a", CANNED);
        run(&project, KEY)
            .expect(3)
            .says("no session came free within 7s");
        assert_eq!(cloud.opened(), 0);
    }
}

#[test]
fn a_cloud_that_ends_a_session_is_no_failure_of_the_app() {
    let Some(farm) = farm() else { return };
    let cloud = Cloud::start(&[farm.lenders[0].appium_port]);
    let project = project(&device(&cloud.url(), ""));
    project.flow("a", LONG).flow("b", SHORT);
    let command = ["test", "--json", "events.ndjson"];
    let mut started = project.command(&command);
    started.env("FARM_USER", USER).env("FARM_KEY", KEY);
    let run = Running::from_command(started);
    until("the first look", || {
        has_passed(&project, "events.ndjson", "find: Username")
    });
    let session = cloud.sessions();
    cloud.end(&session[0]);
    let ran = run.end().expect(3).says("1 passed").says("1 error");
    shows_no_credentials(&project, ran);
    assert_eq!((cloud.opened(), cloud.sessions().len()), (2, 0));
    assert_eq!(farm.appium_sessions(), Vec::<String>::new());
}
