//! Tests that scripts end: in time, with the run, and within their memory.

use tokio_util::sync::CancellationToken;

use super::*;

#[tokio::test]
async fn scripts_without_an_end_are_stopped() {
    let mut scope = scope(&[]);
    for source in [
        "while (true) {}",
        "try { while (true) {} } catch { while (true) {} } finally { while (true) {} }",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "(function f() { Promise.resolve().then(f) })()",
        "output.p = new Proxy({}, { get: () => { while (true) {} } }); output.p.x",
    ] {
        within(&mut scope, Duration::from_millis(200));
        let error = scope.run_script("a.js", source, []).await.unwrap_err();
        // That is all the time that its flow had.
        assert_eq!(error.fault, ScriptFault::FlowTimeout, "{source}: {error}");
        assert!(error.message.contains("within its time"), "{error}");
    }
    // The engine is still there, and what it knows.
    within(&mut scope, Duration::from_mins(1));
    assert_eq!(text(&mut scope, "${typeof output.p}").await, "object");
}

#[tokio::test]
async fn a_script_has_a_time_of_its_own_within_the_flow() {
    let options = ScriptOptions {
        time: Duration::from_millis(200),
        ..ScriptOptions::default()
    };
    let mut scope = MaestroScope::new([], options);
    for limit in [None, Some(Duration::from_mins(10))] {
        if let Some(limit) = limit {
            within(&mut scope, limit);
        }
        let error = scope
            .run_script("a.js", "while (true) {}", [])
            .await
            .unwrap_err();
        assert_eq!(error.fault, ScriptFault::Timeout, "{error}");
    }
}

#[tokio::test]
async fn scripts_are_stopped_with_the_run() {
    let mut scope = scope(&[]);
    let stop = CancellationToken::new();
    scope.limit(Limits {
        until: None,
        stop: Some(stop.clone()),
    });
    let run = scope.run_script("a.js", "while (true) {}", []);
    let cancel = async {
        tokio::task::yield_now().await;
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(run, cancel);
    assert_eq!(ended.unwrap_err().fault, ScriptFault::Stopped);
    // A dropped call stops its script: the next one gets its turn.
    scope.limit(Limits::default());
    {
        let endless = scope.run_script("a.js", "while (true) {}", []);
        tokio::pin!(endless);
        let waited = tokio::time::timeout(Duration::from_millis(50), &mut endless).await;
        assert!(waited.is_err());
    }
    assert_eq!(text(&mut scope, "${1 + 1}").await, "2");
}

#[tokio::test]
async fn one_long_instruction_ends_with_its_time_too() {
    let mut scope = scope(&[]);
    // Where the engine does not stop it, the thread is left alone, and it ends after a while.
    let long = "${Array.prototype.indexOf.call({ length: 1e8 }, 1)}";
    within(&mut scope, Duration::from_millis(50));
    let error = wrong(&mut scope, long).await;
    assert_eq!(error.fault, ScriptFault::FlowTimeout, "{error}");
    within(&mut scope, Duration::from_mins(1));
    let after = scope.text("${1 + 1}").await;
    // A machine may have been so fast that the thread came back in time.
    assert!(
        after
            .as_ref()
            .map_or_else(|error| error.fault == ScriptFault::Lost, |text| text == "2"),
        "{after:?}"
    );
    assert_eq!(text(&mut scope, "${NAME || 'd'}").await, "d");
}

#[tokio::test]
async fn memory_stack_and_results_have_an_end() {
    let mut scope = scope(&[]);
    for (raw, fault, words) in [
        (
            "${var a = []; while (true) a.push(new Array(1000).fill(1))}",
            ScriptFault::TooLarge,
            "64 MB",
        ),
        (
            "${'x'.repeat(2 ** 29).length}",
            ScriptFault::TooLarge,
            "64 MB",
        ),
        (
            "${new ArrayBuffer(2 ** 30)}",
            ScriptFault::TooLarge,
            "64 MB",
        ),
        (
            "${(function f() { f() })()}",
            ScriptFault::Thrown,
            "calls itself without an end",
        ),
        (
            "${'x'.repeat(2 ** 21)}",
            ScriptFault::TooLarge,
            "longer than 1 MB",
        ),
        (
            "${'x'.repeat(2 ** 20)}${'y'}${'z' + 1}",
            ScriptFault::TooLarge,
            "longer than 1 MB",
        ),
    ] {
        let error = wrong(&mut scope, raw).await;
        assert_eq!(error.fault, fault, "{raw}: {error}");
        assert!(error.message.contains(words), "{raw}: {error}");
        assert_eq!(text(&mut scope, "${1 + 1}").await, "2", "after {raw}");
    }
    // What is kept may be larger than a text; too much of it fails what comes next, and says so.
    let nested = "${output.deep = []; for (let i = 0; i < 1e5; i++) output.deep = [output.deep]}";
    scope.evaluate(nested).await.unwrap();
    let displayed = scope.text("${output.deep}").await;
    assert!(displayed.is_err() || displayed.is_ok_and(|text| text.len() < 1 << 20));
}
