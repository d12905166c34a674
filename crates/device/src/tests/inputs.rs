//! Tests of touches, keys and text.

use super::*;
use runner_screen::Point;

#[tokio::test]
async fn touches_arrive_as_they_were_meant() {
    let (_phone, device) = start().await;
    let at = |x, y| Point { x, y };
    let gesture = Gesture {
        from: at(100, 900),
        to: at(100, 100),
        duration: Duration::from_millis(200),
    };
    device
        .input(
            &[
                Input::Tap(at(1, 2)),
                Input::LongPress(at(3, 4), Duration::from_millis(900)),
                Input::Swipe(gesture),
                Input::Drag(gesture),
                Input::Key {
                    key: "BACK".parse().unwrap(),
                    long: false,
                },
                Input::Key {
                    key: "DPAD_DOWN".parse().unwrap(),
                    long: true,
                },
            ],
            LIMIT,
        )
        .await
        .unwrap();
    let lines = logs::read(device.as_ref(), &logs::LogQuery::default())
        .await
        .unwrap();
    let of = |tag: &str| -> Vec<String> {
        let tagged = lines.iter().filter(|line| line.tag == tag);
        tagged.map(|line| line.message.clone()).collect()
    };
    let touches = of("Touch");
    assert!(touches[0].starts_with("1,2 1,2 "), "{touches:?}");
    assert_eq!(touches[1], "3,4 3,4 900ms");
    assert_eq!(touches[2], "100,900 100,100 200ms");
    assert!(touches[3].starts_with("100,900 100,100 "), "{touches:?}");
    assert_eq!(touches.len(), 4);
    assert_eq!(of("Key"), ["BACK", "DPAD_DOWN long"]);
}

#[tokio::test]
async fn text_of_any_script_arrives_whole() {
    let (_phone, device) = start().await;
    for text in [
        "it's 100%sure; $(reboot) `x` \"q\" \\n",
        "Grüße 日本語 👍🏽",
        "a  b%s%%s",
    ] {
        let before = field(device.as_ref()).await;
        crate::text::type_text(device.as_ref(), text).await.unwrap();
        assert_eq!(field(device.as_ref()).await, format!("{before}{text}"));
    }
    let keyboard = device
        .shell(
            &Script::raw("settings get secure default_input_method", "settings"),
            LIMIT,
        )
        .await
        .unwrap();
    assert_eq!(
        keyboard.text().trim(),
        "com.android.inputmethod.latin/.LatinIME"
    );
}
