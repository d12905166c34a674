//! Tests of `dumpsys window windows` on the phone that draws apps.

use std::sync::Arc;

use super::Device;
use crate::state::DeviceState;
use crate::{NodeDump, Quirk, VirtualDeviceOptions};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/demo");

fn device(quirks: &[Quirk]) -> Device {
    let options = VirtualDeviceOptions {
        apps: vec![DEMO.into()],
        quirks: quirks.to_vec(),
        ..VirtualDeviceOptions::default()
    };
    Device(Arc::new(DeviceState::new(&options).unwrap()))
}

fn field(node: &NodeDump) -> Option<&NodeDump> {
    let is_field = node.class.ends_with("EditText");
    let mut below = node.children.iter();
    is_field.then_some(node).or_else(|| below.find_map(field))
}

/// Starts the app and touches a field of it, so that the keyboard shows.
async fn typing(quirks: &[Quirk]) -> Device {
    let device = device(quirks);
    device.run("am start -n com.example.notes/.SignIn").await;
    let windows = device.0.phone().windows();
    let field = windows
        .iter()
        .find_map(|window| field(window.root.as_ref()?));
    let at = field.unwrap().bounds.center();
    device.run(&format!("input tap {} {}", at.x, at.y)).await;
    assert!(device.0.phone().keyboard_shown());
    device
}

#[tokio::test]
async fn windows_tell_their_layers_and_where_they_take_touches() {
    let device = typing(&[Quirk::Overlay, Quirk::Veil]).await;
    let script = "dumpsys window windows | grep -E 'Window #| ty=| fl=|mBaseLayer|SkRegion|mFrame|isVisible| frame='";
    insta::assert_snapshot!(device.run(script).await.out);
}

#[tokio::test]
async fn a_tall_keyboard_takes_touches_on_its_keys_only() {
    for (quirks, frame) in [
        (vec![], "frame=[0,1618][1080,2400]"),
        (vec![Quirk::TallKeyboard], "frame=[0,63][1080,2400]"),
    ] {
        let out = typing(&quirks)
            .await
            .run("dumpsys window InputMethod")
            .await
            .out;
        let keyboard = out.split("  Window #");
        let keyboard = keyboard.filter(|block| block.contains("ty=INPUT_METHOD"));
        let keyboard = keyboard.collect::<String>();
        assert!(keyboard.contains(frame), "{keyboard}");
        let region = "touchable region=SkRegion((0,1618,1080,2400))";
        assert!(keyboard.contains(region), "{keyboard}");
    }
}
