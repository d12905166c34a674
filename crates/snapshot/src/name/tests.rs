use proptest::prelude::*;

use super::*;
use crate::fixture::info;
use runner_device::VirtualMark;

#[test]
fn render_classes() {
    let class = |change: fn(&mut DeviceInfo), landscape, named| {
        let mut info = info();
        change(&mut info);
        String::from(RenderClass::from_device(&info, landscape, named).unwrap())
    };
    assert_eq!(
        class(|_| (), false, None),
        "virtual1-34-1080x2400-420-en-light"
    );
    assert_eq!(
        class(
            |info| {
                info.virtual_device = VirtualMark::new(false);
                info.emulator = true;
                info.dark = Reading::Said(true);
                info.font_scale_percent = Reading::Said(130);
            },
            true,
            None
        ),
        "emulator-34-1080x2400-420-en-dark-land-fs130"
    );
    assert_eq!(
        class(
            |info| info.virtual_device = VirtualMark::new(false),
            false,
            None
        ),
        "Pixel_7__Pro_-34-1080x2400-420-en-light"
    );
    assert_eq!(class(|_| (), false, Some("lab.a/b")), "lab_a_b");
    assert_eq!(class(|_| (), true, Some("lab")), "lab-land");
    let long: &'static str = "x".repeat(200).leak();
    let class = class(|_| (), true, Some(long));
    assert!(class.len() == 128 && class.ends_with("x-land"), "{class}");
}

#[test]
fn v5_a_class_is_never_guessed() {
    fn open<T>() -> Reading<T> {
        Reading::not_answered("wm size", "")
    }
    let spoil: [fn(&mut DeviceInfo); 6] = [
        |info| info.sdk = open(),
        |info| info.display = open(),
        |info| info.locale = open(),
        |info| info.dark = open(),
        |info| info.font_scale_percent = open(),
        |info| info.model = open(),
    ];
    for spoil in spoil {
        let mut info = info();
        spoil(&mut info);
        let error = RenderClass::from_device(&info, false, None).unwrap_err();
        assert!(
            error.is_infrastructure() && error.to_string().contains("`wm size`"),
            "{error}"
        );
        assert!(RenderClass::from_device(&info, false, Some("lab")).is_ok());
    }
}

#[test]
fn names_that_cannot_be_files_are_refused() {
    for good in ["home", "a", "Home.1", "a_b-c", ".hidden", &"x".repeat(64)] {
        assert!(SnapshotName::new(good).is_ok(), "{good}");
    }
    let long = "x".repeat(65);
    for bad in [
        "",
        ".",
        "..",
        "a/b",
        "a b",
        "ä",
        "a~b",
        "a@b",
        "x.new",
        "x.ANNOTATED",
        "nul",
        "Con.1",
        "com1",
        "a\\b",
        "${x}",
        &long,
    ] {
        assert!(SnapshotName::new(bad).is_err(), "{bad}");
    }
}

#[test]
fn flows_outside_the_root_are_refused() {
    let name = SnapshotName::new("home").unwrap();
    for bad in ["../x", "/etc", "a/../../b", "C:/x", "a\\..\\b"] {
        assert!(
            GoldenKey::new(Utf8Path::new(bad), &name, None, None).is_err(),
            "{bad}"
        );
    }
}

#[test]
fn a_key_whose_files_would_have_too_long_a_name_is_refused() {
    let name = SnapshotName::new(&"n".repeat(64)).unwrap();
    let class = RenderClass::try_from("c".repeat(100)).unwrap();
    let key = |variant: usize| {
        let variant = "v".repeat(variant);
        GoldenKey::new(Utf8Path::new("shop"), &name, Some(&variant), Some(&class))
    };
    let longest = key(MAX_STEM_BYTES - 64 - 100 - 2).unwrap();
    for (kind, is_pending) in FileKind::ALL {
        let file = longest.file(kind, is_pending);
        let staged = crate::disk::staged(&file);
        assert!(staged.file_name().unwrap().len() <= 255, "{staged}");
        assert!(GoldenKey::from_file(&file).is_some(), "{file}");
    }
    let refused = key(MAX_STEM_BYTES - 64 - 100 - 1).unwrap_err().to_string();
    assert!(refused.contains("shorten the snapshot's name"), "{refused}");
    let folder = format!("shop/{}", "f".repeat(256));
    let refused = GoldenKey::new(Utf8Path::new(&folder), &name, None, None).unwrap_err();
    assert!(refused.to_string().contains("the label of the step"));
}

#[test]
fn a_full_name_takes_the_numbers_of_nested_repeats() {
    let name = SnapshotName::new(&"n".repeat(64)).unwrap();
    let name = name.nth(1000).nth(1000).nth(1000).nth(1000);
    let key = GoldenKey::new(Utf8Path::new("shop"), &name, None, None).unwrap();
    assert_eq!(key.to_string().parse::<GoldenKey>().unwrap(), key);
    let long = format!("shop/{}.1", "n".repeat(65));
    assert!(long.parse::<GoldenKey>().is_err());
}

#[test]
fn files_of_a_key() {
    let key: GoldenKey = "shop/login/home@tablet~lab".parse().unwrap();
    assert_eq!(
        key.file(FileKind::Rows, false),
        "shop/login/home@tablet~lab.tsv"
    );
    assert_eq!(
        key.file(FileKind::Picture, true),
        "shop/login/home@tablet~lab.new.png"
    );
    assert_eq!(
        key.shared().without_variant().file(FileKind::Rows, true),
        "shop/login/home.new.tsv"
    );
    assert_eq!(
        GoldenKey::from_file(Utf8Path::new("shop/+home.new.tsv")),
        None
    );
    assert_eq!(GoldenKey::from_file(Utf8Path::new("shop/home.jpg")), None);
}

proptest! {
    #[test]
    fn keys_and_files_round_trip(
        flow in "([a-z]{1,8}/){0,3}[a-z]{1,8}",
        name in "[A-Za-z0-9_-]{1,20}(\\.[0-9]{1,3})?",
        variant in proptest::option::of("[a-z0-9-]{1,8}"),
        class in proptest::option::of("[a-z0-9-]{1,8}"),
        pending: bool,
    ) {
        let Ok(name) = SnapshotName::new(&name) else { return Ok(()) };
        let class = class.map(|class| RenderClass::try_from(class).unwrap());
        let key = GoldenKey::new(Utf8Path::new(&flow), &name, variant.as_deref(), class.as_ref()).unwrap();
        prop_assert_eq!(&key.to_string().parse::<GoldenKey>().unwrap(), &key);
        for kind in [FileKind::Rows, FileKind::Picture, FileKind::Annotated] {
            let file = key.file(kind, pending);
            prop_assert_eq!(GoldenKey::from_file(&file), Some((key.clone(), kind, pending)));
        }
    }
}
