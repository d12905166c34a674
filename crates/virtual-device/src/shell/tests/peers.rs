//! Tests of commands that other tools send.

use super::Device;

/// Runs scripts one after the other, and compares both outputs and the exit code of each.
async fn say(device: &Device, scripts: &[(&str, &str, i32)]) {
    for (script, text, code) in scripts {
        let ran = device.run(script).await;
        let said = format!("{}{}", ran.out, ran.err);
        assert_eq!((said.as_str(), ran.code), (*text, *code), "{script}");
    }
}

#[tokio::test]
async fn settings_are_a_provider_of_content() {
    say(
        &Device::new(),
        &[
            (
                "content insert --uri content://settings/system --bind name:s:user_rotation --bind value:i:1; settings get system user_rotation",
                "1\n",
                0,
            ),
            (
                "content update --uri content://settings/global/a --bind value:s:x:y; settings get global a",
                "x:y\n",
                0,
            ),
            (
                "content query --uri content://settings/global --where \"name='a'\" --projection name:value",
                "Row: 0 name=a, value=x:y\n",
                0,
            ),
            (
                "content delete --uri content://settings/global --where \"name='a'\"; content query --uri content://settings/global/a",
                "No result found.\n",
                0,
            ),
            (
                "content query --uri content://sms/inbox",
                "Error while accessing provider:sms\njava.lang.IllegalStateException: Could not find provider: sms\n",
                0,
            ),
            (
                "content insert --uri content://settings/system --bind name",
                "[ERROR] Binding not well formed: name\n",
                1,
            ),
            (
                "content insert --uri",
                "[ERROR] No argument for: --uri\n",
                1,
            ),
            ("content", "[ERROR] Unsupported operation: null\n", 1),
        ],
    )
    .await;
}

#[tokio::test]
async fn brightness_is_kept() {
    say(
        &Device::new(),
        &[
            (
                "settings get system screen_brightness; settings get system screen_brightness_mode",
                "102\n0\n",
                0,
            ),
            (
                "settings put system screen_brightness 100; settings get system screen_brightness",
                "100\n",
                0,
            ),
            (
                "cmd display set-brightness 1; settings get system screen_brightness; cmd display get-brightness 0",
                "255\n1\n",
                0,
            ),
            (
                "cmd display set-brightness 0; settings get system screen_brightness",
                "1\n",
                0,
            ),
            (
                "cmd display set-brightness 2",
                "Error: brightness should be a number between 0 and 1\n",
                1,
            ),
            (
                "cmd display set-brightness NaN",
                "Error: brightness should be a number between 0 and 1\n",
                1,
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_missing_says_so() {
    let device = Device::new();
    for (script, code) in [
        ("bugreport", 1),
        ("bugreportz -p", 1),
        ("monkey --port 1080", 255),
    ] {
        let ran = device.run(script).await;
        assert!(
            format!("{}{}", ran.out, ran.err).contains("this virtual device"),
            "{script}: {ran:?}"
        );
        assert_eq!(ran.code, code, "{script}");
    }
}

#[tokio::test]
async fn processes_stand_in_columns() {
    let ran = Device::new().run("ps -A -o PID,USER,NAME").await;
    assert!(
        ran.out.starts_with(
            "  PID USER         NAME                       \n    1 root         init\n"
        ),
        "{}",
        ran.out
    );
}

#[tokio::test]
async fn odd_words_for_the_network_are_told() {
    say(
        &Device::new(),
        &[
            ("ip", "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\nwhere  OBJECT := { address | link | route }\n", 255),
            ("ip nope", "Object \"nope\" is unknown, try \"ip help\".\n", 255),
            ("ip -z addr", "Option \"-z\" is unknown, try \"ip -help\".\n", 255),
            ("ip -6 route; ip -f", "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\nwhere  OBJECT := { address | link | route }\n", 255),
            ("settings put global airplane_mode_on 1; ip route; ip -4 addr show dev wlan0", "2: wlan0: <BROADCAST,MULTICAST> mtu 1500 qdisc mq state DOWN group default qlen 1000\n", 0),
        ],
    )
    .await;
}
