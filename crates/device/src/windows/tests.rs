use super::*;

fn corpus(name: &str) -> Option<String> {
    runner_testing::recorded_text(&format!("commands/{name}"))
}

fn in_front(answers: &Answers<'_>) -> Option<(String, String)> {
    foreground(answers)
}

fn pair(package: &str, activity: &str) -> (String, String) {
    (package.to_owned(), activity.to_owned())
}

#[test]
fn the_foreground_of_a_phone_with_two_displays() {
    let Some(text) = corpus("dumpsys_window--appium-adb__apk-utils_L183.txt") else {
        return;
    };
    let answers = Answers {
        displays: &text,
        ..Answers::default()
    };
    assert_eq!(
        in_front(&answers),
        Some(pair(
            "eu.niko.smart.universal",
            "crc648a3abc16689e594e.MainActivity"
        ))
    );
    let Some(text) = corpus("dumpsys_window--appium-adb__apk-utils_L192.txt") else {
        return;
    };
    let answers = Answers {
        displays: &text,
        ..Answers::default()
    };
    assert_eq!(
        in_front(&answers),
        Some(pair("com.example.android", ".activity.main.MainActivity"))
    );
}

#[test]
fn the_main_display_wins() {
    let text = "\
  Display: mDisplayId=1 (organized)
    mCurrentFocus=Window{1 u0 com.other/com.other.Main}
  Display: mDisplayId=0 (organized)
    init=1080x2400 420dpi base=1080x2400 320dpi cur=2400x1080 app=2274x1080
    mCurrentRotation=ROTATION_90
    mCurrentFocus=Window{2 u0 com.main/com.main.ui.Main}
  Display: mDisplayId=10 (organized)
    mCurrentFocus=null";
    let answers = Answers {
        displays: text,
        ..Answers::default()
    };
    assert_eq!(in_front(&answers), Some(pair("com.main", ".ui.Main")));
    assert_eq!(
        display(&answers),
        Some(Display {
            width: 2400,
            height: 1080,
            density: 320,
            rotation: 1
        })
    );
}

#[test]
fn without_a_focused_activity_the_resumed_one_is_in_front() {
    let Some(log) = corpus("dumpsys_activity--NSGameScriptor__log.txt") else {
        return;
    };
    let answers = Answers {
        displays: "  mCurrentFocus=Window{1 u0 NotificationShade}\n  mFocusedApp=null",
        activities: &log,
        ..Answers::default()
    };
    assert_eq!(
        in_front(&answers),
        Some(pair("com.nexon.bluearchive", ".MxUnityPlayerActivity"))
    );
    let answers = Answers {
        displays: "mCurrentFocus=null",
        activities: "  topResumedActivity=ActivityRecord{1 u0 a.b/.C t1}",
        ..Answers::default()
    };
    assert_eq!(in_front(&answers), Some(pair("a.b", ".C")));
    assert_eq!(in_front(&Answers::default()), None);
}

#[test]
fn windows_of_recent_releases() {
    let Some(text) = corpus("dumpsys_window--appium-android-driver__systems-bars_L125.txt") else {
        return;
    };
    let answers = Answers {
        displays: "mCurrentFocus=Window{7bfc52e u0 com.google.android.apps.nexuslauncher/com.google.android.apps.nexuslauncher.NexusLauncherActivity}",
        windows: &text,
        ..Answers::default()
    };
    let windows = windows(&answers);
    let titles: Vec<&str> = windows.iter().map(|window| window.title.as_str()).collect();
    assert!(
        titles.contains(&"StatusBar") && titles.contains(&"NavigationBar0"),
        "{titles:?}"
    );
    assert!(!titles.contains(&"NotificationShade"), "{titles:?}");
    let bar = windows
        .iter()
        .find(|window| window.title == "NavigationBar0")
        .unwrap();
    assert_eq!(bar.bounds, Rect::new(0, 1794, 1080, 1920));
    assert_eq!(
        (bar.kind.as_str(), bar.package.as_str()),
        ("SYSTEM", "com.android.systemui")
    );
    assert_eq!(bar.layer, 241_000);
    let focused: Vec<&Window> = windows.iter().filter(|window| window.focused).collect();
    assert_eq!(focused.len(), 1);
    assert_eq!(focused[0].kind, "APPLICATION");
    assert_eq!(
        focused[0].activity.as_deref(),
        Some(".NexusLauncherActivity")
    );
    assert!(
        !keyboard_shown(&answers),
        "the keyboard's window is there, but gone"
    );
    let display = text.replace("isVisible=false", "isVisible=true");
    assert!(keyboard_shown(&Answers {
        windows: &display,
        ..Answers::default()
    }));
}

#[test]
fn windows_of_an_old_release() {
    let Some(text) =
        corpus("dumpsys_window--AndroidViewClient__DUMPSYS_WINDOW_WINDOWS_SAMPLE_UI.txt")
    else {
        return;
    };
    let answers = Answers {
        displays: &text,
        windows: &text,
        ..Answers::default()
    };
    assert_eq!(
        in_front(&answers),
        Some(pair("com.dtmilano.android.sampleui", ".MainActivity"))
    );
    let windows = windows(&answers);
    let bar = windows
        .iter()
        .find(|window| window.title == "StatusBar")
        .unwrap();
    assert_eq!(bar.bounds, Rect::new(0, 0, 480, 38));
    assert_eq!(bar.kind, "SYSTEM");
    assert!(!windows.iter().any(|window| window.title == "RecentsPanel"));
    let app = windows.iter().find(|window| window.focused).unwrap();
    assert_eq!(app.package, "com.dtmilano.android.sampleui");
    assert_eq!(
        display(&answers),
        Some(Display {
            width: 480,
            height: 800,
            density: 0,
            rotation: 0
        })
    );
}

#[test]
fn every_window_list_of_the_corpus_has_a_visible_window() {
    for name in ["L125", "L496", "L750"] {
        let Some(text) = corpus(&format!(
            "dumpsys_window--appium-android-driver__systems-bars_{name}.txt"
        )) else {
            return;
        };
        let answers = Answers {
            windows: &text,
            ..Answers::default()
        };
        let windows = windows(&answers);
        assert!(!windows.is_empty(), "{name}");
        for window in &windows {
            assert!(
                !window.title.is_empty() && !window.package.is_empty(),
                "{name}: {window:?}"
            );
        }
    }
}

#[test]
fn the_bars_are_where_their_windows_are() {
    let Some(text) = corpus("dumpsys_window--appium-android-driver__systems-bars_L750.txt") else {
        return;
    };
    let answers = Answers {
        windows: &text,
        ..Answers::default()
    };
    let expected = [Rect::new(0, 2148, 1080, 2280), Rect::new(0, 0, 1080, 66)];
    assert_eq!(bars(&answers), expected);
}

#[test]
fn a_keyboard_on_another_display_is_not_shown() {
    for (id, shown) in [(0, true), (2, false)] {
        let windows = format!(
            "  Window #0 Window{{1 u0 InputMethod}}:\n    mDisplayId={id} package=com.x\n    mAttrs={{(0,0)(fillxfill) ty=INPUT_METHOD}}\n    isVisible=true\n"
        );
        let answers = Answers {
            windows: &windows,
            input_method: "mInputShown=true",
            ..Answers::default()
        };
        assert_eq!(keyboard_shown(&answers), shown, "{windows}");
    }
}

#[test]
fn a_keyboard_without_a_window_is_told_by_the_input_method() {
    let answers = |input_method| Answers {
        input_method,
        ..Answers::default()
    };
    assert!(keyboard_shown(&answers(
        "  mShowRequested=true mInputShown=true"
    )));
    assert!(!keyboard_shown(&answers("mInputShown=false")));
    assert!(!keyboard_shown(&answers("")));
}

proptest::proptest! {
    #[test]
    fn nothing_a_device_prints_panics(text in "(Window #|Window\\{|Display: mDisplayId=|mCurrentFocus=|cur=|[0-9a-z/ .\\[\\]{}=,\n]){0,60}") {
        let answers = Answers { displays: &text, windows: &text, activities: &text, input_method: &text };
        let _ = (windows(&answers), foreground(&answers), display(&answers), keyboard_shown(&answers));
    }
}

/// The lines stand below the headings of their displays; virtual displays come first, as a Pixel 10 prints
/// them.
#[test]
fn the_activity_in_front_is_that_of_the_main_display() {
    let activities = "Display #42 (activities from top to bottom):\n  topResumedActivity=ActivityRecord{1 u0 mirror/.Cast t9}\nDisplay #0 (activities from top to bottom):\n  topResumedActivity=ActivityRecord{2 u0 a.b/.Main t1}\n  ResumedActivity: ActivityRecord{1 u0 mirror/.Cast t9}\n";
    let answers = Answers {
        activities,
        ..Answers::default()
    };
    assert_eq!(
        foreground(&answers),
        Some(("a.b".to_owned(), ".Main".to_owned()))
    );
}

/// A large screen's taskbar is a bar. One that was pulled up is not, nor is the strip for the gesture of
/// going back.
#[test]
fn a_taskbar_is_a_bar_while_it_is_small() {
    let windows = |title: &str, frame: &str| {
        format!(
            "  Window #0 Window{{1 u0 {title}}}:\n    mDisplayId=0 package=com.android.launcher3\n    mAttrs={{(0,0)(fillxfill) ty=NAVIGATION_BAR_PANEL}}\n    Frames: frame={frame}\n    mHasSurface=true isReadyForDisplay()=true\n    isOnScreen=true\n    isVisible=true\n"
        )
    };
    let displays =
        "  Display: mDisplayId=0\n    init=2560x1600 320dpi cur=2560x1600 app=2560x1600\n";
    for (title, frame, is_bar) in [
        ("Taskbar", "[0,1504][2560,1600]", true),
        ("Taskbar", "[0,0][2560,1600]", false),
        ("EdgeBackGestureHandler0", "[0,0][48,1600]", false),
    ] {
        let windows = windows(title, frame);
        let answers = Answers {
            displays,
            windows: &windows,
            ..Answers::default()
        };
        assert_eq!(bars(&answers).len(), usize::from(is_bar), "{title} {frame}");
    }
}

/// Returns the recordings whose names begin so, as text.
fn recorded(kind: &str) -> Vec<(String, String)> {
    runner_testing::recorded_files("commands", "txt")
        .into_iter()
        .filter(|(name, _)| name.starts_with(&format!("commands/{kind}")))
        .map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()))
        .collect()
}

/// Returns true if a line with one of `keys` names an activity.
fn names_an_activity(text: &str, keys: &[&str]) -> bool {
    let component = regex::Regex::new(r"\b[A-Za-z][\w.]*/[\w.$]+").unwrap();
    text.lines().any(|line| {
        keys.iter()
            .any(|key| after(line, key).is_some_and(|rest| component.is_match(rest)))
    })
}

#[test]
fn no_recorded_activity_in_front_is_passed_over() {
    for (name, text) in recorded("dumpsys_") {
        let cases = [
            (
                Answers {
                    displays: &text,
                    ..Answers::default()
                },
                ["mCurrentFocus=", "mFocusedApp="],
            ),
            (
                Answers {
                    windows: &text,
                    ..Answers::default()
                },
                ["mCurrentFocus=", "mFocusedApp="],
            ),
            (
                Answers {
                    activities: &text,
                    ..Answers::default()
                },
                ["ResumedActivity:", "opResumedActivity="],
            ),
        ];
        for (answers, keys) in cases {
            let found = in_front(&answers);
            assert!(
                found.is_some() || !names_an_activity(&text, &keys),
                "{name}: nothing is in front by {keys:?}"
            );
            if let Some((package, activity)) = found {
                for part in [package, activity] {
                    let is_name = !part.is_empty() && !part.contains([' ', '/', '{', '}', '=']);
                    assert!(is_name, "{name}: {part:?}");
                }
            }
        }
    }
}

#[test]
fn every_recorded_window_is_read_with_its_place() {
    let measured = regex::Regex::new(r"init=\d+x\d+ .*cur=\d+x\d+").unwrap();
    for (name, text) in recorded("dumpsys_window") {
        let heads = text
            .lines()
            .filter(|line| line.trim_start().starts_with("Window #") && line.contains("Window{"))
            .count();
        assert_eq!(blocks(&text).len(), heads, "{name}");
        for block in blocks(&text) {
            assert!(!block.token.is_empty(), "{name}: {block:?}");
            let has_frame = block.body.contains("rame=[");
            let lies = !block.bounds().is_empty() || block.body.contains("rame=[0,0][0,0]");
            let is_flat = block.bounds().width() == 0 || block.bounds().height() == 0;
            assert!(!has_frame || lies || is_flat, "{name}: {block:?}");
        }
        let answers = Answers {
            displays: &text,
            windows: &text,
            ..Answers::default()
        };
        for window in windows(&answers) {
            assert!(!window.kind.is_empty(), "{name}: {window:?}");
        }
        if measured.is_match(&text) {
            let display = display(&answers).unwrap_or_else(|| panic!("{name}: no display"));
            assert!(display.width > 0 && display.height > 0, "{name}");
        }
    }
}

#[test]
fn every_recorded_word_about_the_keyboard_counts() {
    for (name, text) in recorded("dumpsys_input_method") {
        let shown = text.contains("mInputShown=true");
        let answers = Answers {
            input_method: &text,
            ..Answers::default()
        };
        assert_eq!(keyboard_shown(&answers), shown, "{name}");
    }
}

/// Covers the windows that may have the focus, each with the app that a complete look must show.
#[test]
fn v4_the_window_with_the_focus_says_which_app_is_in_front() {
    const RESUMED: &str = "  topResumedActivity=ActivityRecord{1 u0 com.example/.Main t5}\n";
    let focused = |package: &str| Front::Focused(package.to_owned());
    let resumed = Front::Resumed("com.example".to_owned());
    for (title, owner, activities, expected) in [
        (
            "com.example/com.example.Main",
            "com.example",
            RESUMED,
            focused("com.example"),
        ),
        // Another app came in front after the activities were read.
        (
            "com.launcher/.Home",
            "com.launcher",
            RESUMED,
            focused("com.launcher"),
        ),
        (
            "NotificationShade",
            "com.android.systemui",
            RESUMED,
            focused("com.android.systemui"),
        ),
        (
            "PopupWindow:1f",
            "com.example",
            RESUMED,
            focused("com.example"),
        ),
        (
            "Application Not Responding: com.example",
            "android",
            RESUMED,
            resumed.clone(),
        ),
        (
            "Application Not Responding: com.example",
            "android",
            "",
            Front::Unknown,
        ),
        ("", "", RESUMED, resumed),
        ("", "", "", Front::Unknown),
    ] {
        let window = if title.is_empty() {
            "null".to_owned()
        } else {
            format!("Window{{abc u0 {title}}}")
        };
        let displays = format!("  Display: mDisplayId=0\n  mCurrentFocus={window}\n");
        let windows = format!(
            "  Window #0 Window{{abc u0 {title}}}:\n    mDisplayId=0\n    mOwnerUid=1 package={owner} appop=NONE\n"
        );
        let answers = Answers {
            displays: &displays,
            windows: &windows,
            activities,
            ..Answers::default()
        };
        assert_eq!(front(&answers), expected, "{title}");
    }
}

/// What BACK would close: an activity or a dialog of one, whatever lies above it.
#[test]
fn the_top_window_of_an_app_is_no_panel_and_no_splash_screen() {
    let main = "com.example/com.example.Main";
    for (above, expected) in [
        (("InputMethod", "INPUT_METHOD"), main),
        (("PopupWindow:1a2b", "APPLICATION_PANEL"), main),
        (("PopupWindow:1a2b", "BASE_APPLICATION"), main),
        (("Splash Screen com.example", "APPLICATION_STARTING"), main),
        (("Toast", "TOAST"), main),
        (("com.example/.Sheet", "APPLICATION"), "com.example/.Sheet"),
        (("com.example/.Sheet", "2"), "com.example/.Sheet"),
        (("com.other/.Main", "1"), "com.other/.Main"),
    ] {
        let mut text = String::new();
        for (number, (title, kind)) in [above, (main, "BASE_APPLICATION")].into_iter().enumerate() {
            text += &format!(
                "  Window #{number} Window{{a{number} u0 {title}}}:\n    mDisplayId=0\n    mAttrs={{(0,0)(fillxfill) ty={kind} fmt=OPAQUE}}\n    isVisible=true\n"
            );
        }
        let answers = Answers {
            windows: &text,
            ..Answers::default()
        };
        let top = top_app_window(&answers).map(|window| window.title);
        assert_eq!(top.as_deref(), Some(expected), "{above:?}");
    }
    assert_eq!(top_app_window(&Answers::default()), None);
}

/// Two windows in the forms in which releases print their layouts: flags by name, as a number, and with a
/// region.
#[test]
fn windows_take_touches_where_the_window_manager_says() {
    use runner_screen::TouchableRegion::{Everywhere, Nowhere, Parts};
    let frame = "\n    frame=[0,100][200,300]\n    isOnScreen=true\n    isVisible=true\n";
    let whole = vec![Rect::new(0, 100, 200, 300)];
    let cases = [
        (
            "mAttrs={(0,0)(fillxfill) ty=2038\n      fl=NOT_FOCUSABLE LAYOUT_IN_SCREEN\n      pfl=X}",
            Some(Parts(whole.clone())),
        ),
        (
            "mAttrs={(0,0)(fillxfill) ty=2038 fl=NOT_FOCUSABLE NOT_TOUCHABLE pfl=X}",
            Some(Nowhere),
        ),
        (
            "mAttrs={(0,0)(fillxfill) ty=2 fl=DIM_BEHIND}\n    winConfig={ mWindowingMode=fullscreen mD}",
            Some(Everywhere),
        ),
        (
            "mAttrs={(0,0)(fillxfill) ty=2 fl=DIM_BEHIND}\n    winConfig={ mWindowingMode=freeform mD}",
            Some(Parts(whole.clone())),
        ),
        (
            "mAttrs={(0,0)(fillxfill) ty=1000 fl=NOT_TOUCH_MODAL}\n    mWindowingMode=fullscreen",
            Some(Parts(whole.clone())),
        ),
        (
            "mAttrs=WM.LayoutParams{(0,0)(fillx38) ty=2000 fl=#800048 fmt=4}",
            Some(Parts(whole.clone())),
        ),
        (
            "mAttrs=WM.LayoutParams{(0,0)(fillx38) ty=2015 fl=#20318 fmt=4}",
            Some(Nowhere),
        ),
        (
            "mAttrs={ty=2024 fl=NOT_FOCUSABLE if=INPUT_FEATURE_NO_INPUT_CHANNEL}",
            Some(Nowhere),
        ),
        ("mAttrs={ty=2024}", None),
        (
            "mAttrs={ty=2011 fl=NOT_FOCUSABLE}\n    touchable region=SkRegion((0,1794,1080,1920))",
            Some(Parts(vec![Rect::new(0, 1794, 1080, 1920)])),
        ),
        (
            "mAttrs={ty=2011 fl=NOT_FOCUSABLE}\n    touchable region=SkRegion((0,0,9,9)(10,0,19,9))",
            Some(Parts(vec![Rect::new(0, 0, 9, 9), Rect::new(10, 0, 19, 9)])),
        ),
        (
            "mAttrs={ty=2011 fl=NOT_FOCUSABLE}\n    touchable region=SkRegion()",
            Some(Parts(Vec::new())),
        ),
        (
            "mAttrs={ty=2011 fl=NOT_FOCUSABLE}\n    touchable region=SkRegion((0,0,junk,9))",
            None,
        ),
        (
            "mAttrs={ty=2011 fl=NOT_FOCUSABLE}\n    touchable region=SkRegion((0,0",
            None,
        ),
    ];
    for (layout, expected) in cases {
        let text = format!("  Window #1 Window{{a u0 X}}:\n    package=com.a\n    {layout}{frame}");
        let answers = Answers {
            windows: &text,
            ..Answers::default()
        };
        let layers = layers(&answers);
        assert_eq!(layers.len(), 1, "{text}");
        assert_eq!(layers[0].region, expected, "{layout}");
    }
}

/// The system's overlays that are only drawn take no touches on the recorded phones, and most other windows
/// take some.
#[test]
fn recorded_windows_take_touches_on_their_display() {
    let names = [
        "appium-android-driver__systems-bars_L125",
        "appium-android-driver__systems-bars_L496",
        "appium-android-driver__systems-bars_L750",
        "AndroidViewClient__DUMPSYS_WINDOW_WINDOWS_SAMPLE_UI",
    ];
    for name in names {
        let Some(text) = corpus(&format!("dumpsys_window--{name}.txt")) else {
            return;
        };
        let answers = Answers {
            windows: &text,
            ..Answers::default()
        };
        let layers = layers(&answers);
        assert!(!layers.is_empty(), "{name}");
        for layer in layers {
            assert!(layer.region.is_some(), "{name}: {layer:?}");
            if layer.title.contains("DecorOverlay") {
                assert_eq!(layer.region, Some(runner_screen::TouchableRegion::Nowhere));
            }
        }
    }
}
