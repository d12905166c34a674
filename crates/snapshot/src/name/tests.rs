use proptest::prelude::*;

use super::*;

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
    for other in [
        "home.jpg",
        "home.png",
        "home.new.png",
        "home@tablet.annotated.png",
    ] {
        let path = Utf8Path::new("shop").join(other);
        assert_eq!(GoldenKey::from_file(&path), None, "{other}");
    }
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
            let is_golden = kind == FileKind::Rows || key.class().is_some();
            let read = is_golden.then(|| (key.clone(), kind, pending));
            prop_assert_eq!(GoldenKey::from_file(&file), read);
        }
    }
}
