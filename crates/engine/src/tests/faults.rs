//! Tests of faults of the device.

use super::*;

fn hung_look() -> DeviceError {
    DeviceError::Timeout {
        what: "`uiautomator dump`".to_owned(),
        limit: LIMIT,
    }
}

/// A device all of whose looks fail.
fn failing(error: impl Fn() -> DeviceError) -> Arc<Fake> {
    let fake = Fake::showing([]);
    fake.with(|state| state.looks.extend((0..100).map(|_| Err(error()))));
    fake
}

/// A phone says after eleven seconds that the screen never stands still: a look that had less is not the device's fault.
#[tokio::test]
async fn a_first_look_that_is_cut_short_is_no_fault_of_the_device() {
    for (step, is_fault) in [(10, false), (12, true)] {
        let fake = failing(hung_look);
        let session = session(&fake);
        session.begin_step(Duration::from_secs(step));
        let error = session.look().await.unwrap_err();
        assert_eq!(
            matches!(error, EngineError::Device(DeviceError::Timeout { .. })),
            is_fault,
            "{step}: {error}"
        );
        assert_eq!(matches!(error, EngineError::NotRead { .. }), !is_fault);
        assert!(session.is_slow());
    }
}

/// The evidence of a failure is not shortened because the wait before it ended during a look.
#[tokio::test]
async fn a_look_that_had_less_than_others_need_does_not_make_the_device_slow() {
    let fake = Fake::showing([&button("Go", 100)]).physical();
    fake.with(|state| state.looks.extend((0..100).map(|_| Err(hung_look()))));
    let session = session(&fake);
    session.begin_step(Duration::ZERO);
    let waited = session.wait_until(Duration::from_millis(300), |_| None::<()>);
    let last = waited.await.unwrap().screen;
    assert!(last.is_some());
    assert!(fake.counters().read().dumps > 1);
    assert!(!session.is_slow());
}

/// A wait in which no look succeeds returns the device's error.
#[tokio::test]
async fn waiting_for_rest_tells_a_fault_of_the_device() {
    for kind in [DumpFailure::NullRoot, DumpFailure::Other] {
        let fake = failing(|| no_dump(kind));
        let error = session(&fake).wait_for_idle(LIMIT, 100).await.unwrap_err();
        assert!(
            matches!(error, EngineError::Device(DeviceError::NoDump { kind: found, .. }) if found == kind),
            "{error}"
        );
    }
    let restless = failing(|| no_dump(DumpFailure::NotIdle));
    let error = session(&restless).wait_for_idle(LIMIT, 100).await;
    assert!(matches!(error, Err(EngineError::NotIdle { .. })));
    let seen_once = failing(|| no_dump(DumpFailure::NullRoot));
    seen_once.with(|state| state.looks.push_front(Ok(button("Go", 100))));
    let error = session(&seen_once).wait_for_idle(LIMIT, 100).await;
    assert!(matches!(error, Err(EngineError::NotIdle { .. })));
}

#[tokio::test]
async fn the_second_look_of_a_snapshot_has_the_time_of_a_first() {
    let fake = Fake::showing([&button("a", 0), &button("b", 0)]);
    let session = session(&fake);
    session.begin_step(Duration::ZERO);
    let options = CaptureOptions {
        limit: Duration::ZERO,
        picture: false,
    };
    let unstable = session
        .capture_stable(options, |_| false, Capture::same_as)
        .await
        .unwrap();
    assert!(matches!(unstable, StableCapture::Unstable { .. }));
    let limits = fake.with(|state| state.look_limits.clone());
    assert_eq!(limits, [MIN_REQUEST_LIMIT, MIN_REQUEST_LIMIT]);
}

#[tokio::test]
async fn t5_a_display_of_no_size_is_the_devices_fault() {
    let fake = Fake::showing([""]).without_size();
    let error = session(&fake).display().await.unwrap_err();
    assert!(
        error.to_string().contains("`wm size` printed nothing"),
        "{error}"
    );
    fake.on_shell(|_| ShellOutput {
        exit_code: Some(137),
        ..ShellOutput::default()
    });
    let error = session(&fake).display().await.unwrap_err();
    let EngineError::Device(error) = error else {
        panic!("{error}");
    };
    assert!(error.is_infrastructure(), "{error}");
}
