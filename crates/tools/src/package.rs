//! Checks names of Android's packages by their letters. Whether an app is installed, the device knows.

/// Returns true if a text has only letters of a package's name: ASCII letters, digits, `.` and `_`. The
/// system's own package `android` has no dot, and an empty text passes.
pub fn has_package_letters(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._".contains(&byte);
    text.bytes().all(is_plain)
}

/// Returns true if a text may be the package of an app that a person wrote: it has such letters only, and a
/// dot.
pub fn is_app_package(text: &str) -> bool {
    text.contains('.') && has_package_letters(text)
}

/// Returns true if a text names the file of an app, such as `demo.apk`. Its letters may be those of a package.
pub fn is_app_file(text: &str) -> bool {
    let ends = [".apk", ".apks", ".xapk", ".aab", ".ipa"];
    let text = text.to_ascii_lowercase();
    ends.iter().any(|end| text.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_told_from_other_names() {
        for (text, has_letters, is_app) in [
            ("com.example.notes_2", true, true),
            ("android", true, false),
            ("My App", false, false),
            ("com.example/.Main", false, false),
            ("a.b;reboot", false, false),
            ("com.exämple", false, false),
        ] {
            assert_eq!(has_package_letters(text), has_letters, "{text}");
            assert_eq!(is_app_package(text), is_app, "{text}");
        }
    }
    #[test]
    fn the_file_of_an_app_is_told_from_its_package() {
        for (text, is_file) in [
            ("demo.apk", true),
            ("build/Demo.APK", true),
            ("demo.aab", true),
            ("com.example.app", false),
            ("com.apk.reader", false),
        ] {
            assert_eq!(is_app_file(text), is_file, "{text}");
        }
    }
}
