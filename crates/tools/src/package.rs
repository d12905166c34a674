//! Names of Android's packages and activities: their letters, and which is like another. Whether an app is
//! installed, the device knows.

use runner_text::suggest::nearest;

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

/// Returns the package that was probably meant, of those that there are. It differs in letter case, in slips within
/// its parts, or in parts at the end that a build adds, such as `.debug`. `None` if there is none, or several differ
/// in their ends.
pub(crate) fn nearest_package<'a>(wrong: &str, packages: &[&'a str]) -> Option<&'a str> {
    let find = |is_meant: &dyn Fn(&str) -> bool| {
        let mut found = packages.iter().copied().filter(|it| is_meant(it));
        found.next().map(|first| (first, found.next()))
    };
    if let Some((same, _)) = find(&|it| it.eq_ignore_ascii_case(wrong)) {
        return Some(same);
    }
    if let Some((slipped, _)) = find(&|it| is_slip(wrong, it)) {
        return Some(slipped);
    }
    let is_whole = wrong.matches('.').count() >= 2;
    let is_variant = |it: &str| {
        let begins = |long: &str, short: &str| {
            let rest = long.strip_prefix(short);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        is_whole && (begins(it, wrong) || begins(wrong, it) && it.matches('.').count() >= 2)
    };
    match find(&is_variant) {
        Some((variant, None)) => Some(variant),
        _ => None,
    }
}

/// Returns true if two packages have as many parts, and each is nearly that of the other.
fn is_slip(one: &str, other: &str) -> bool {
    let (parts, others): (Vec<&str>, Vec<&str>) =
        (one.split('.').collect(), other.split('.').collect());
    let mut pairs = parts.iter().zip(&others);
    parts.len() == others.len()
        && pairs.all(|(part, other)| part == other || nearest(part, [*other]).is_some())
}

/// Returns the activity that was probably meant, of those of an app: by its class without packages, where
/// `Activity` at the end does not count.
pub(crate) fn nearest_activity<'a>(wrong: &str, activities: &'a [String]) -> Option<&'a str> {
    fn plain(activity: &str) -> &str {
        let class = activity.rsplit(['.', '/', '$']).next().unwrap_or(activity);
        let short = class.strip_suffix("Activity").unwrap_or(class);
        if short.is_empty() { class } else { short }
    }
    let known = activities.iter().map(|activity| plain(activity));
    let meant = nearest(plain(wrong), known)?;
    let mut activities = activities.iter();
    activities
        .find(|activity| plain(activity) == meant)
        .map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_that_was_meant_is_like_it_in_each_part() {
        let installed = [
            "com.android.settings",
            "com.example.notes",
            "com.example.shop",
            "com.example.map.debug",
            "org.wiki.app.beta",
            "org.wiki.app.dev",
        ];
        for (wrong, meant) in [
            ("com.example.note", Some("com.example.notes")),
            ("com.exmaple.notes", Some("com.example.notes")),
            ("com.example.Notes", Some("com.example.notes")),
            ("com.example.map", Some("com.example.map.debug")),
            ("com.example.notes.debug", Some("com.example.notes")),
            ("com.example.mail", None),
            ("com.example", None),
            ("org.example.notes", None),
            // Two builds of one app: either may be meant.
            ("org.wiki.app", None),
            ("com.example.shopping", None),
        ] {
            assert_eq!(nearest_package(wrong, &installed), meant, "{wrong}");
        }
    }

    #[test]
    fn the_activity_that_was_meant_is_like_it_in_its_class() {
        let known = [".SignIn", ".Inbox", "com.example.ui.NoteActivity"].map(str::to_owned);
        for (wrong, meant) in [
            (".InboxActivity", Some(".Inbox")),
            ("com.example.notes.ui.Inbox", Some(".Inbox")),
            (".Signin", Some(".SignIn")),
            (".Note", Some("com.example.ui.NoteActivity")),
            (".Settings", None),
            (".MainActivity", None),
        ] {
            assert_eq!(nearest_activity(wrong, &known), meant, "{wrong}");
        }
    }

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
