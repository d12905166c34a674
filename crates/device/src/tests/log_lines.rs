//! Tests of the log, and of commands whose lines are read one by one.

use super::*;

#[tokio::test]
async fn logs_are_filtered() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let query = |tag: Option<&str>, package: Option<&str>| logs::LogQuery {
        tag: tag.map(str::to_owned),
        package: package.map(str::to_owned),
        ..logs::LogQuery::default()
    };
    let lines = logs::read(device, &query(Some("Stub"), Some(APP)))
        .await
        .unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].message, "booted");
    assert!(
        logs::read(device, &query(None, Some("com.none")))
            .await
            .unwrap()
            .is_empty()
    );
    let later = logs::LogQuery {
        since: logs::LogTime::parse("2099-12-31T23:59:59.999"),
        ..logs::LogQuery::default()
    };
    assert!(logs::read(device, &later).await.unwrap().is_empty());
    let now = logs::LogQuery {
        until: Some(logs::now(device).await.unwrap()),
        ..logs::LogQuery::default()
    };
    assert!(!logs::read(device, &now).await.unwrap().is_empty());
}

/// The turns follow each other within a second.
#[tokio::test]
async fn a_line_of_the_same_second_before_now_is_not_since_now() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let write = async |commands: &str| {
        let script = Script::raw(commands.to_owned(), "log");
        device.shell(&script, LIMIT).await.unwrap();
    };
    for turn in 0..5 {
        write("log -t Turn early; sleep 0.01").await;
        let query = logs::LogQuery {
            since: Some(logs::now(device).await.unwrap()),
            tag: Some("Turn".to_owned()),
            ..logs::LogQuery::default()
        };
        write("log -t Turn late").await;
        let lines = logs::read(device, &query).await.unwrap();
        let messages: Vec<&str> = lines.iter().map(|line| line.message.as_str()).collect();
        assert_eq!(messages, ["late"], "turn {turn}");
    }
}

#[tokio::test]
async fn lines_come_as_they_are_written() {
    let (_phone, device) = start().await;
    let mut lines = device
        .lines(&Script::raw("echo one; echo two >&2; echo three", "echo"))
        .await
        .unwrap();
    let mut observed = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        observed.push(line);
    }
    observed.sort();
    assert_eq!(observed, ["one", "three", "two"]);
}
