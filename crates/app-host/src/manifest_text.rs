//! Writes the text manifest that Robolectric wants beside an APK.
//!
//! Robolectric reads resources and the binary manifest from the APK, but takes the class of the `Application`
//! and the SDKs from the text manifest.

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::write_atomic;

use crate::apk::Apk;
use crate::parts::xml;

/// Newest supported API level. A newer target is run as this one.
const NEWEST_SDK: u32 = 35;

/// Writes the APK's manifest as text to `AndroidManifest.xml` in `folder`, replacing an existing one, and returns its
/// path. API levels are limited to 1 to 35. Names of classes that are none are left out.
///
/// # Errors
///
/// Errors of the file system.
pub fn write(apk: &Apk, folder: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let manifest = folder.join("AndroidManifest.xml");
    write_atomic(&manifest, manifest_text(apk).as_bytes())?;
    Ok(manifest)
}

/// Formats package, API levels, and the app's `Application` and component factory. Names that are no class are left
/// out, and API levels are limited to 1 to 35.
fn manifest_text(apk: &Apk) -> String {
    let manifest = &apk.manifest;
    let classes = [
        ("name", &manifest.application),
        ("appComponentFactory", &manifest.component_factory),
    ];
    let application: String = classes
        .into_iter()
        .filter_map(|(name, class)| Some((name, class.as_deref()?)))
        .filter(|(_, class)| is_class(class))
        .map(|(name, class)| format!(" android:{name}=\"{}\"", xml(class)))
        .collect();
    format!(
        "<manifest xmlns:android=\"http://schemas.android.com/apk/res/android\" package=\"{}\">\n\
         <uses-sdk android:minSdkVersion=\"{}\" android:targetSdkVersion=\"{}\"/>\n<application{application}/>\n</manifest>\n",
        xml(&manifest.package),
        manifest.min_sdk.clamp(1, NEWEST_SDK),
        manifest.target_sdk.clamp(1, NEWEST_SDK),
    )
}

/// Returns true for a valid class name of at most 1,024 bytes: parts of letters, digits, `_` and `$`,
/// separated by dots. A part may begin with a digit.
fn is_class(name: &str) -> bool {
    name.len() <= 1024
        && name.split('.').all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'))
        })
}

#[cfg(test)]
mod tests {
    use runner_virtual_device::ApkManifest;

    use super::*;

    fn apk(application: Option<&str>) -> Apk {
        Apk {
            path: "/a.apk".into(),
            digest: String::new(),
            code: String::new(),
            manifest: ApkManifest {
                package: "org.example.app".to_owned(),
                min_sdk: 26,
                target_sdk: 99,
                application: application.map(str::to_owned),
                component_factory: Some("a.Factory".to_owned()),
                ..ApkManifest::default()
            },
            libraries: Vec::new(),
        }
    }

    #[test]
    fn robolectric_is_told_the_application_and_the_sdks() {
        let text = manifest_text(&apk(Some("org.example.app.Straße$App")));
        for part in [
            "package=\"org.example.app\"",
            "minSdkVersion=\"26\" android:targetSdkVersion=\"35\"",
            "<application android:name=\"org.example.app.Straße$App\" android:appComponentFactory=\"a.Factory\"/>",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_name_that_no_class_has_is_left_out() {
        for name in ["a\"/><evil", "", "a..b", "a b", "../a"] {
            assert!(
                manifest_text(&apk(Some(name))).contains("<application android:app"),
                "{name}"
            );
        }
    }
}
