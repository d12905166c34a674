//! Installation and removal of packages that come as an APK.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{LAUNCHER, VirtualPhone};
use crate::{ApkManifest, Phone, PhoneError, PhoneOptions};

/// Returns an APK of `org.example.app` with a main activity, one outside its package, and a run-time permission.
fn manifest(version_code: u64) -> Arc<ApkManifest> {
    let permissions = ["android.permission.CAMERA", "android.permission.INTERNET"];
    Arc::new(ApkManifest {
        package: "org.example.app".to_owned(),
        version_code,
        label: Some("Example".to_owned()),
        activities: vec![
            "org.example.app.Main".to_owned(),
            "org.other.Second".to_owned(),
        ],
        launchable: Some("org.example.app.Main".to_owned()),
        permissions: permissions.map(str::to_owned).to_vec(),
        ..ApkManifest::default()
    })
}

fn start(phone: &mut VirtualPhone, activity: Option<&str>) -> Result<(), PhoneError> {
    phone.start("org.example.app", activity, &BTreeMap::new())
}

#[test]
fn an_apk_has_empty_screens_and_nothing_to_complain_of() {
    let mut phone = VirtualPhone::new(&PhoneOptions::default()).unwrap();
    let nothing = start(&mut phone, None).unwrap_err().to_string();
    assert!(nothing.contains("does not exist"), "{nothing}");
    phone.install_apk(manifest(1), false).unwrap();
    for (activity, display) in [
        (None, ".Main"),
        (Some("org.other.Second"), "org.other.Second"),
    ] {
        start(&mut phone, activity).unwrap();
        let windows = phone.windows();
        let front = windows
            .iter()
            .find(|window| window.kind == "APPLICATION")
            .unwrap();
        assert_eq!(
            (front.package.as_str(), front.activity.as_deref()),
            ("org.example.app", Some(display))
        );
        assert_eq!(front.title, "Example");
    }
    assert!(start(&mut phone, Some(".None")).is_err());
    let log = phone.take_log();
    assert!(log.iter().all(|(level, ..)| *level != 'E'), "{log:?}");
    assert!(phone.uninstall("org.example.app"));
    let windows = phone.windows();
    assert!(windows.iter().any(|window| window.package == LAUNCHER));
}

#[test]
fn an_update_keeps_what_was_granted() {
    let mut phone = VirtualPhone::new(&PhoneOptions::default()).unwrap();
    let permissions = |phone: &VirtualPhone| {
        let packages = phone.packages();
        let package = packages
            .into_iter()
            .find(|package| package.package == "org.example.app");
        package.unwrap().permissions
    };
    let camera = "android.permission.CAMERA".to_owned();
    phone.install_apk(manifest(1), false).unwrap();
    // Permissions granted by the installation are no run-time permissions.
    assert_eq!(permissions(&phone), [(camera.clone(), false)]);
    phone
        .set_permission("org.example.app", &camera, true)
        .unwrap();
    phone.install_apk(manifest(2), false).unwrap();
    assert_eq!(permissions(&phone), [(camera.clone(), true)]);
    phone.uninstall("org.example.app");
    phone.install_apk(manifest(3), true).unwrap();
    assert_eq!(permissions(&phone), [(camera, true)]);
}

#[test]
fn an_apk_does_not_take_the_place_of_the_system() {
    let mut phone = VirtualPhone::new(&PhoneOptions::default()).unwrap();
    let mut hostile = (*manifest(1)).clone();
    LAUNCHER.clone_into(&mut hostile.package);
    let refused = phone
        .install_apk(Arc::new(hostile), true)
        .unwrap_err()
        .to_string();
    assert!(
        refused.starts_with("INSTALL_FAILED_UPDATE_INCOMPATIBLE"),
        "{refused}"
    );
}
