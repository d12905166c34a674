//! Tests of commands on the device: their permission, limits and failures.

use super::*;
use runner_engine::MIN_REQUEST_LIMIT;

#[tokio::test]
async fn the_shell_is_closed_unless_it_is_allowed() {
    let fake = Fake::showing([""]);
    let args = json!({ "argv": ["echo", "a b"] });
    let failure = run(&fake, "shell", args.clone()).await.unwrap_err();
    assert!(failure.message.contains("allow_shell"), "{failure:?}");
    assert!(fake.with(|state| state.scripts.is_empty()));

    let fake = fake.on_shell(|_| ShellOutput {
        stdout: b"hi".to_vec(),
        exit_code: Some(3),
        ..ShellOutput::default()
    });
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
    let call = Call {
        allow_shell: true,
        http_hosts: std::sync::Arc::default(),
        ..call()
    };
    let entry = find("shell").unwrap();
    let args = entry.arguments(args).unwrap();
    let outcome = entry.call(&session, args, &call).await.unwrap();
    assert_eq!(outcome.value["exit_code"], 3);
    assert!(matches!(outcome.verdict, Verdict::Failed(_)));
    assert_eq!(fake.with(|state| state.scripts.clone()), ["echo 'a b'"]);
}

/// A log that hangs takes no longer than the step's limit allows.
#[tokio::test]
async fn reading_the_log_keeps_the_steps_limit() {
    let fake = Fake::showing([""]).on_shell(|script| ShellOutput {
        stdout: if script.contains("pidof") { "4711" } else { "" }.into(),
        exit_code: Some(0),
        ..ShellOutput::default()
    });
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
    session.begin_step(Duration::from_secs(1));
    let args = json!({ "contains": "never" });
    let failure = run_on(&session, "assert log", args).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Assertion);
    let limits = fake.with(|state| {
        let scripts = state.scripts.iter().zip(&state.script_limits);
        let reads = scripts.filter(|(script, _)| !script.contains("sleep"));
        reads.map(|(_, limit)| *limit).collect::<Vec<_>>()
    });
    assert!(
        limits.len() >= 2 && limits.iter().all(|limit| *limit <= MIN_REQUEST_LIMIT),
        "{limits:?}"
    );
}

/// Only errors from a device are reported as errors on a device.
#[test]
fn a_fault_of_this_computer_is_not_the_devices() {
    let hung = DeviceError::Timeout {
        what: "`screencap`".to_owned(),
        limit: MIN_REQUEST_LIMIT,
    };
    let hung = Failure::from(hung);
    assert_eq!(
        (hung.kind, hung.is_of_device),
        (FailureKind::Infrastructure, true)
    );
    assert!(!Failure::infrastructure("a.png cannot be written").is_of_device);
}

/// Law: no touch of another call comes between the commands of a launch.
#[tokio::test]
async fn what_launches_waits_for_the_input_lock() {
    for (name, args) in [
        ("launch", json!({ "app": "com.example" })),
        ("open_link", json!({ "link": "notes://new" })),
        ("open_app", json!({ "package_id": "com.example" })),
        (
            "mobile_agent.launch_app",
            json!({ "package_name": "com.example" }),
        ),
        (
            "scenario.launchAppByPackage",
            json!({ "packageName": "com.example" }),
        ),
    ] {
        let fake = Fake::showing([""]);
        let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
        let turn = session.lock_input().await;
        let launching = run_on(&session, name, args.clone());
        tokio::select! {
            biased;
            _ = launching => panic!("{name} did not wait"),
            () = std::future::ready(()) => {}
        }
        assert!(fake.with(|state| state.scripts.is_empty()), "{name}");
        drop(turn);
        // Whether it succeeds is up to the device.
        drop(run_on(&session, name, args).await);
        assert!(!fake.with(|state| state.scripts.is_empty()), "{name}");
    }
}

#[tokio::test]
async fn a_killed_command_is_no_refused_message() {
    let fake = Fake::showing([""]);
    fake.on_shell(|_| ShellOutput {
        exit_code: Some(137),
        ..ShellOutput::default()
    });
    let message = json!({ "message": { "deleteSurface": { "surfaceId": "a" } } });
    let failure = run(&fake, "semantic.send_a2ui", message).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Infrastructure, "{failure:?}");
    assert!(failure.message.contains("it was killed"), "{failure:?}");
}
