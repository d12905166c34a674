//! Tests of settings that are put back.

use super::*;

/// Script that restores the font scale of [`with_settings`] and reads it back.
const PUT_BACK: &str = "settings put system font_scale 1.15 && settings get system font_scale";

/// A device with its own font scale and night mode.
fn with_settings() -> Arc<Fake> {
    let (mut scale, mut night) = ("1.15".to_owned(), "no".to_owned());
    let word_after = |script: &str, command: &str| -> Option<String> {
        let rest = script.split_once(command)?.1.trim_start();
        let word = rest.split_whitespace().next()?.trim_matches('\'');
        (!word.starts_with('&')).then(|| word.to_owned())
    };
    Fake::showing([""]).on_shell(move |script| {
        if let Some(value) = word_after(script, "settings put system font_scale") {
            scale = value;
        }
        if let Some(value) = word_after(script, "cmd uimode night") {
            night = value;
        }
        let mut messages = Vec::new();
        if script.contains("settings get system font_scale") {
            messages.push(format!("{scale}\n"));
        }
        if script.ends_with("cmd uimode night") {
            messages.push(format!("Night mode: {night}\n"));
        }
        ShellOutput {
            stdout: messages.concat().into(),
            exit_code: Some(0),
            ..ShellOutput::default()
        }
    })
}

#[tokio::test]
async fn a_change_whose_answer_never_came_is_put_back() {
    let fake = with_settings();
    fake.with(|state| state.hangs_at = Some("settings put"));
    let session = session(&fake);
    let wanted = [Setting::FontScale(200)];
    let cut = tokio::time::timeout(Duration::from_millis(50), session.change(&wanted)).await;
    assert!(cut.is_err());
    fake.with(|state| state.hangs_at = None);
    session.restore().await.unwrap();
    let scripts = fake.with(|state| state.scripts.clone());
    let last = scripts.last().map(String::as_str);
    assert_eq!(last, Some(PUT_BACK));
}

/// Its script has two commands, of which the device refuses the second.
#[tokio::test]
async fn what_is_half_changed_is_put_back() {
    let fake = Fake::showing([""]).on_shell(|script| {
        let is_refused = script.contains("location_mode 0");
        let message = if script.contains("settings get secure location_mode") {
            "3\n"
        } else {
            ""
        };
        ShellOutput {
            stdout: message.into(),
            exit_code: Some(i32::from(is_refused)),
            ..ShellOutput::default()
        }
    });
    let session = session(&fake);
    let refused = session.change(&[Setting::Location(false)]).await;
    assert!(refused.is_err());
    let scripts = fake.with(|state| state.scripts.clone());
    let last = scripts.last().cloned().unwrap_or_default();
    assert!(last.contains("set-location-enabled true"), "{scripts:?}");
}

#[tokio::test]
async fn what_a_restore_did_not_reach_is_put_back_by_the_next() {
    let fake = with_settings();
    let session = session(&fake);
    let wanted = [Setting::FontScale(200), Setting::dark(true)];
    session.change(&wanted).await.unwrap();
    fake.with(|state| state.hangs_at = Some("settings put system font_scale"));
    let cut = tokio::time::timeout(Duration::from_millis(50), session.restore()).await;
    assert!(cut.is_err());
    fake.with(|state| {
        state.hangs_at = None;
        state.scripts.clear();
    });
    session.restore().await.unwrap();
    let scripts = fake.with(|state| std::mem::take(&mut state.scripts));
    assert_eq!(scripts, [PUT_BACK]);
    session.restore().await.unwrap();
    assert!(fake.with(|state| state.scripts.is_empty()));
}
