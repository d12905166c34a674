//! Tests of looks: their number, their reuse, and the rest of the screen.

use super::*;

#[tokio::test]
async fn idle_is_two_like_looks() {
    let fake = Fake::showing(["", &button("a", 0), &button("b", 0), &button("b", 0)]);
    let idle = session(&fake).wait_for_idle(LIMIT, 100).await.unwrap();
    assert_eq!(idle.similarity, 100);
    assert_eq!(fake.counters().read().dumps, 4);
}

/// A look of this device takes 0.5 s.
#[tokio::test]
async fn a_look_as_long_as_the_limit_is_compared_with_one_more() {
    let limit = Duration::from_millis(100);
    let fake = Fake::showing([&button("a", 0)]);
    session(&fake).wait_for_idle(limit, 100).await.unwrap();
    assert_eq!(fake.counters().read().dumps, 2);

    let fake = Fake::showing([&button("a", 0), &button("b", 0), &button("b", 0)]);
    let error = session(&fake).wait_for_idle(limit, 100).await.unwrap_err();
    assert!(matches!(error, EngineError::NotIdle { .. }), "{error}");
    assert_eq!(fake.counters().read().dumps, 2);
}

#[tokio::test]
async fn a_screen_that_never_rests_is_not_idle() {
    let fake = Fake::showing([]);
    fake.with(|state| {
        state
            .looks
            .extend((0..100).map(|n| Ok(button(&n.to_string(), n))));
    });
    let error = session(&fake).wait_for_idle(LIMIT, 100).await.unwrap_err();
    assert!(matches!(error, EngineError::NotIdle { .. }));
}

#[tokio::test]
async fn a_capture_is_accepted_at_once_or_when_two_are_equal() {
    let options = CaptureOptions {
        limit: LIMIT,
        picture: true,
    };
    let fake = Fake::showing([&button("a", 0)]);
    let golden = session(&fake)
        .capture_stable(options, |_| true, Capture::same_as)
        .await
        .unwrap();
    assert!(matches!(golden, StableCapture::Accepted(_)));
    assert_eq!(fake.counters().read().dumps, 1);

    let fake = Fake::showing([&button("a", 0), &button("b", 0)]);
    let stable = session(&fake)
        .capture_stable(options, |_| false, Capture::same_as)
        .await
        .unwrap();
    assert!(matches!(stable, StableCapture::Stable(_)));
    assert_eq!(fake.counters().read().dumps, 3);

    let fake = Fake::showing([]);
    fake.with(|state| {
        state
            .looks
            .extend((0..100).map(|n| Ok(button(&n.to_string(), n))));
    });
    let unstable = session(&fake)
        .capture_stable(options, |_| false, Capture::same_as)
        .await
        .unwrap();
    assert!(matches!(unstable, StableCapture::Unstable { .. }));
}

#[tokio::test]
async fn a_picture_that_is_black_where_texts_are_is_known() {
    let text = node("TextView", r#"text="Balance""#, [10, 10, 20, 20], "");
    let picture = |lit: Option<(u32, u32)>| {
        let mut pixels = image::RgbaImage::from_pixel(40, 40, image::Rgba([0, 0, 0, 255]));
        if let Some((x, y)) = lit {
            pixels.put_pixel(x, y, image::Rgba([9, 9, 9, 255]));
        }
        Picture::from_pixels(pixels).unwrap().png().to_vec()
    };
    for (displayed, lit, is_black) in [
        (text.as_str(), None, true),
        // The clock of the status bar is drawn all the same.
        (&text, Some((30, 2)), true),
        (&text, Some((15, 15)), false),
        ("<node bounds=\"[0,0][40,40]\" />", None, false),
    ] {
        let fake = Fake::showing([displayed]);
        fake.with(|state| state.screenshot = Some(picture(lit)));
        let options = CaptureOptions {
            limit: LIMIT,
            picture: true,
        };
        let capture = session(&fake).capture(options).await.unwrap();
        assert_eq!(capture.is_blacked_out().unwrap(), is_black, "{lit:?}");
    }
}

/// A keyboard that an app has asked for is waited for: BACK before it comes would leave the screen.
#[tokio::test]
async fn a_keyboard_that_comes_late_is_hidden_without_a_look() {
    let requested = "mShowRequested=true mInputShown=false";
    let shown = "mShowRequested=true mInputShown=true";
    let hidden = "mShowRequested=false mInputShown=false";
    for (states, expected) in [
        (vec![requested, requested, shown, shown, hidden], true),
        (vec![hidden], false),
        (vec![requested; 40], false),
    ] {
        let fake = Fake::showing([&button("Go", 100)]);
        let mut left = states.into_iter();
        fake.on_shell(move |script| {
            let is_asked = script.contains("mInputShown");
            let state = if is_asked { left.next() } else { None };
            ShellOutput {
                exit_code: Some(0),
                stdout: answer_keyboard(script, state.unwrap_or_default()).into(),
                ..ShellOutput::default()
            }
        });
        let session = session(&fake);
        assert_eq!(session.hide_keyboard(LIMIT).await.unwrap(), expected);
        assert_eq!(fake.inputs().len(), usize::from(expected));
        assert_eq!(fake.counters().read().dumps, 0);
    }
}

/// A touch uses the last look only if nothing moved on it, as the element may be elsewhere by now.
#[tokio::test]
async fn a_touch_goes_by_a_look_at_rest() {
    let fake = Fake::showing([&button("Go", 100)]);
    let session = session(&fake);
    let go = selector("Go".into());
    let dumps = || fake.counters().read().dumps;
    session.look().await.unwrap();
    let click = || session.click(&go, Readiness::Enabled, LIMIT);
    click().await.unwrap();
    assert_eq!(dumps(), 2, "a look of this driver may be amid a movement");
    let settled = session.settle(None, None).await.unwrap();
    assert_eq!(dumps(), 4);
    session.settle(Some(settled), None).await.unwrap();
    assert_eq!(dumps(), 4);
    session.find(&go, LIMIT).await.unwrap();
    click().await.unwrap();
    assert_eq!(dumps(), 4);
    click().await.unwrap();
    assert_eq!(dumps(), 5, "the click may have changed the screen");
    session.settle(None, None).await.unwrap();
    session.pause(Duration::ZERO).await.unwrap();
    click().await.unwrap();
    assert_eq!(dumps(), 8, "who pauses waits for a change");
}

/// The last look is reused if nothing happened since and it shows what is waited for.
#[tokio::test]
async fn a_fresh_look_is_used_again_where_it_satisfies() {
    let fake = Fake::showing([&button("Go", 100)]);
    let session = session(&fake);
    let (go, stop) = (selector("Go".into()), selector("Stop".into()));
    let dumps = || fake.counters().read().dumps;
    session.look().await.unwrap();
    session
        .find_any(&go, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    let _ = session
        .wait_gone(&stop, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    session.expect(&go, LIMIT).await.unwrap();
    assert!(session.is_visible(&go, true, Duration::ZERO).await.unwrap());
    assert_eq!((dumps(), fake.counters().read().reused), (1, 4));
    assert!(
        !session
            .is_visible(&stop, true, Duration::ZERO)
            .await
            .unwrap()
    );
    assert_eq!(dumps(), 2, "what does not satisfy is taken anew");
    session.find_any(&go, LIMIT, LookPolicy::New).await.unwrap();
    assert_eq!(dumps(), 3);
    let nothing = runner_device::Script::command(["true"]);
    let reading = session.device().shell(&nothing, LIMIT);
    session.reading(reading).await.unwrap();
    session
        .find_any(&go, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    assert_eq!(dumps(), 3);
    session.device().shell(&nothing, LIMIT).await.unwrap();
    session
        .find_any(&go, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    assert_eq!(dumps(), 4, "anything may have changed the screen");
    session.forget_look();
    session
        .find_any(&go, LIMIT, LookPolicy::LastToo)
        .await
        .unwrap();
    assert_eq!(dumps(), 5);
}

#[tokio::test]
async fn a_look_during_which_something_was_done_is_not_used_again() {
    let fake = Fake::showing([&button("Go", 100)]);
    let session = session(&fake);
    let before = session.changing_round_trips();
    let screen = session.look().await.unwrap();
    assert!(session.fresh_look().is_some());
    let tap = Input::Tap(Point { x: 1, y: 1 });
    session.input(&[tap]).await.unwrap();
    // The look began before the input, and ends after it.
    session.note_look(&screen, before);
    assert!(session.fresh_look().is_none());
}
