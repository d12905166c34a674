//! What names an APK to Robolectric: a file of properties on the class path, and a manifest as text.
//!
//! Robolectric reads resources and the binary manifest from the APK. It takes the class of the `Application` and the SDKs from
//! the manifest that is text.

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::{hash, write_atomic};

use crate::apk::Apk;
use crate::jar;
use crate::parts::xml;

/// The file of properties, where Android's build tools put it.
const PROPERTIES: &str = "com/android/tools/test_config.properties";
/// Newest API level: a newer target is run as this.
const NEWEST_SDK: u32 = 35;

/// Writes a jar and the manifest into `folder`, and gives the jar.
///
/// # Errors
/// The file system's.
pub fn write(apk: &Apk, apk_file: &Utf8Path, folder: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let manifest = folder.join("AndroidManifest.xml");
    write_atomic(&manifest, manifest_text(apk).as_bytes())?;
    let properties = [
        ("android_resource_apk", apk_file.as_str()),
        ("android_merged_manifest", manifest.as_str()),
        ("android_custom_package", &apk.manifest.package),
    ];
    let text: String = properties
        .iter()
        .map(|(name, value)| format!("{name}={}\n", property(value)))
        .collect();
    // By what it holds. Its time counts for the JVM's cache, so one that is there stays.
    let jar = folder.join(format!("conf-{}.jar", hash(text.as_bytes())));
    if jar.is_file() {
        return Ok(jar);
    }
    jar::write(
        &jar,
        std::iter::once(Ok((PROPERTIES.to_owned(), text.as_bytes()))),
    )?;
    Ok(jar)
}

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

/// A name that a class can have.
fn is_class(name: &str) -> bool {
    name.len() <= 1024
        && name.split('.').all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'))
        })
}

/// A value as Java's properties have it: what is not ASCII is written as its number.
fn property(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for unit in value.encode_utf16() {
        match u8::try_from(unit) {
            Ok(b'\\') => text.push_str("\\\\"),
            Ok(byte @ 0x21..=0x7e) => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\u{unit:04x}")),
        }
    }
    text
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

    #[test]
    fn the_jar_names_the_files_whatever_letters_they_have() {
        use std::io::Read as _;

        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(guard.path()).unwrap().join("a b\\ü");
        let jar = write(&apk(None), Utf8Path::new("/x y/ä.apk"), &folder).unwrap();
        let mut archive = zip::ZipArchive::new(std::fs::File::open(jar).unwrap()).unwrap();
        let mut text = String::new();
        archive
            .by_name(PROPERTIES)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert!(
            text.starts_with("android_resource_apk=/x\\u0020y/\\u00e4.apk\n"),
            "{text}"
        );
        assert!(
            text.contains("a\\u0020b\\\\\\u00fc/AndroidManifest.xml"),
            "{text}"
        );
        assert!(folder.join("AndroidManifest.xml").is_file());
    }
}
