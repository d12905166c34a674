//! Tests of the settings, the clipboard and the bars.

use super::*;
use crate::settings::{Rotation, Setting};

#[tokio::test]
async fn every_setting_is_put_back() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let locale = |tag: &str| Setting::Locale {
        tag: tag.to_owned(),
        app: None,
    };
    for (wanted, usual) in [
        (Setting::dark(true), Setting::dark(false)),
        (Setting::FontScale(130), Setting::FontScale(100)),
        (locale("de-DE"), locale("en")),
        (Setting::Airplane(true), Setting::Airplane(false)),
        (Setting::Location(false), Setting::Location(true)),
        (
            Setting::Rotation(Rotation::Fixed(1)),
            Setting::Rotation(Rotation::Fixed(0)),
        ),
        (
            Setting::no_animations(),
            Setting::Animations(["1.0"; 3].map(str::to_owned)),
        ),
    ] {
        let current = async || settings::current(device, &wanted).await.unwrap();
        assert_eq!(current().await, usual);
        settings::set(device, &wanted).await.unwrap();
        assert_eq!(current().await, wanted);
        settings::set(device, &usual).await.unwrap();
        assert_eq!(current().await, usual);
    }
}

#[tokio::test]
async fn the_clipboard_and_the_bars() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    assert_eq!(clipboard::get(device).await.unwrap(), None);
    clipboard::set(device, "ein 'Text' mit $Zeichen")
        .await
        .unwrap();
    assert_eq!(
        clipboard::get(device).await.unwrap().as_deref(),
        Some("ein 'Text' mit $Zeichen")
    );
    system::open_notifications(device).await.unwrap();
    system::open_quick_settings(device).await.unwrap();
    system::close_panels(device).await.unwrap();
    system::wake(device).await.unwrap();
    system::dismiss_keyguard(device).await.unwrap();
    let keyboard = keyboard::read(device, Duration::from_secs(5))
        .await
        .unwrap();
    assert_eq!(keyboard.state, keyboard::KeyboardState::Hidden);
}
