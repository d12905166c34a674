//! Tests with processes of the stub in `host_jar/Stub.java`, which speaks the protocol without Android.

use serde_json::Map;

use super::*;
use crate::host_jar::compiled;
use crate::host_jar::tests::{STUB, jdk, no_parts};
use crate::pool::HostPool;

const LIMIT: Duration = Duration::from_mins(1);

/// Returns a run's folder, and the command for stubs in it; `None` if this machine has no JDK.
pub(crate) fn stub(package: &str) -> Option<(tempfile::TempDir, HostSpec)> {
    let jdk = jdk()?;
    let guard = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(guard.path())
        .unwrap()
        .canonicalize_utf8()
        .unwrap();
    let jar = compiled(STUB, &no_parts(&root.join("parts")), &jdk).unwrap();
    let spec = HostSpec {
        java: jdk.java(),
        class_path: vec![jar],
        parts: root.join("parts"),
        folder: root.join("run with a ü"),
        data_dir: None,
        app: Some(AppFiles {
            package: package.to_owned(),
            apk: root.join("app.apk"),
            manifest: root.join("AndroidManifest.xml"),
            classes: vec![root.join("classes.jar")],
        }),
        real_time: false,
        heap_mib: 64,
        options: Vec::new(),
        variables: Vec::new(),
        limit: LIMIT,
    };
    Some((guard, spec))
}

fn is_alive(pid: u32) -> bool {
    // A process that has ended and was not waited for has no memory.
    fs_err::read_to_string(format!("/proc/{pid}/statm")).is_ok_and(|text| !text.starts_with("0 "))
}

async fn ends(pid: u32) {
    while is_alive(pid) {
        tokio::time::sleep(POLL).await;
    }
}

#[tokio::test]
async fn a_process_answers_in_a_folder_and_an_environment_of_its_own() {
    let Some((_guard, spec)) = stub("org.example") else {
        return;
    };
    let process = HostProcess::start(&spec).await.unwrap();
    assert_eq!(process.hello().sdk, 35);
    let answer = process
        .client()
        .call("where", Map::new(), LIMIT)
        .await
        .unwrap();
    let folder = process.folder().to_owned();
    assert!(folder.starts_with(&spec.folder));
    for (field, below) in [
        ("home", "home"),
        ("tmp", "tmp"),
        ("dir", ""),
        ("boot", "data"),
    ] {
        let told = answer.answer.other[field].as_str().unwrap();
        let expected = folder.join(below);
        assert_eq!(
            told.trim_end_matches('/'),
            expected.as_str().trim_end_matches('/'),
            "{field}"
        );
    }
    let variables = answer.answer.other["variables"].as_str().unwrap();
    for name in variables.split(',') {
        let known = ["HOME", "TMPDIR", "TEMP", "TMP", "LC_ALL"];
        assert!(known.contains(&name), "{name}");
    }
    drop(process);
    assert!(!folder.exists(), "the folder goes with the process");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_it_ends_its_group_also_where_it_hangs() {
    let Some((_guard, spec)) = stub("org.example") else {
        return;
    };
    let process = HostProcess::start(&spec).await.unwrap();
    let pid = process.pid().unwrap();
    process
        .client()
        .call("child", Map::new(), LIMIT)
        .await
        .unwrap();
    let children = fs_err::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let hangs = process
        .client()
        .call("hang", Map::new(), Duration::from_millis(50))
        .await;
    assert!(matches!(hangs, Err(HostError::TimedOut { .. })));
    process
        .client()
        .call("threads", Map::new(), LIMIT)
        .await
        .unwrap();
    drop(process);
    ends(pid).await;
    // Where the kernel tells of children.
    for child in children.unwrap_or_default().split_whitespace() {
        ends(child.parse().unwrap()).await;
    }
}

#[tokio::test]
async fn one_that_ends_at_the_start_says_why() {
    let Some((_guard, spec)) = stub("org.example.broken") else {
        return;
    };
    let error = HostProcess::start(&spec).await.unwrap_err();
    assert!(matches!(error, HostError::Ended { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("it does not start today") && text.contains('3'),
        "{text}"
    );
    assert_eq!(
        fs_err::read_dir(&spec.folder).unwrap().count(),
        0,
        "no folder stays"
    );
}

#[tokio::test]
async fn one_that_says_no_hello_is_ended_at_the_limit() {
    let Some((_guard, mut spec)) = stub("org.example.silent") else {
        return;
    };
    spec.limit = Duration::from_secs(4);
    let error = HostProcess::start(&spec).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, HostError::NotReady { .. }), "{text}");
    assert_eq!(
        fs_err::read_dir(&spec.folder).unwrap().count(),
        0,
        "no folder stays"
    );
}

#[tokio::test]
async fn one_that_dies_is_told_with_what_it_said() {
    let Some((_guard, spec)) = stub("org.example") else {
        return;
    };
    let mut process = HostProcess::start(&spec).await.unwrap();
    let error = process
        .client()
        .call("die", Map::new(), LIMIT)
        .await
        .unwrap_err();
    assert!(matches!(error, HostError::Ended { .. }), "{error}");
    while !process.has_ended() || !process.last_words().contains("says the stub") {
        tokio::time::sleep(POLL).await;
    }
}

#[tokio::test]
async fn a_jvm_that_is_not_there_or_takes_no_option_is_told() {
    let Some((_guard, spec)) = stub("org.example") else {
        return;
    };
    let none = HostSpec {
        java: "/nowhere/java".into(),
        ..spec.clone()
    };
    let error = HostProcess::start(&none).await.unwrap_err();
    assert!(matches!(error, HostError::NotStarted { .. }), "{error}");
    let odd = HostSpec {
        options: vec!["-XX:+NoSuchOption".to_owned()],
        ..spec
    };
    let text = HostProcess::start(&odd).await.unwrap_err().to_string();
    assert!(text.contains("NoSuchOption"), "{text}");
}

/// As if `runner` were killed: its end of the standard input closes.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn it_ends_with_its_standard_input() {
    let Some((_guard, spec)) = stub("org.example") else {
        return;
    };
    let mut process = HostProcess::start(&spec).await.unwrap();
    process.jvm.stdin = None;
    while !process.has_ended() {
        tokio::time::sleep(POLL).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_pool_has_the_next_one_ready_and_ends_it() {
    let Some((_guard, spec)) = stub("org.example") else {
        return;
    };
    let run = spec.folder.clone();
    let pool = HostPool::new(spec);
    let first = pool.take().await.unwrap();
    pool.begin_spare();
    pool.ready().await;
    assert!(pool.is_spare_ready());
    let second = pool.take().await.unwrap();
    assert_ne!(first.pid(), second.pid());
    pool.begin_spare();
    pool.ready().await;
    assert!(pool.is_spare_ready());
    assert_eq!(fs_err::read_dir(&run).unwrap().count(), 3);
    drop(pool);
    // The task that has it is dropped by the runtime.
    while fs_err::read_dir(&run).unwrap().count() > 2 {
        tokio::time::sleep(POLL).await;
    }
    for process in [&first, &second] {
        process
            .client()
            .call("echo", Map::new(), LIMIT)
            .await
            .unwrap();
    }
    drop((first, second));
    assert_eq!(fs_err::read_dir(&run).unwrap().count(), 0);
}
