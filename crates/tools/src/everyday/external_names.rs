//! Checks names defined by Android or the network while a flow is parsed: packages, permissions, links.

use serde_json::Value;

use crate::arguments::Arguments;
use crate::package::{is_app_file, is_app_package};
use crate::{Failure, Words};
use runner_text::suggest::nearest;

/// Android's run-time permissions, without `android.permission.`.
const PERMISSIONS: &str = "ACCEPT_HANDOVER ACCESS_BACKGROUND_LOCATION ACCESS_COARSE_LOCATION ACCESS_FINE_LOCATION \
    ACCESS_MEDIA_LOCATION ACTIVITY_RECOGNITION ADD_VOICEMAIL ANSWER_PHONE_CALLS BLUETOOTH_ADVERTISE BLUETOOTH_CONNECT \
    BLUETOOTH_SCAN BODY_SENSORS BODY_SENSORS_BACKGROUND CALL_PHONE CAMERA GET_ACCOUNTS MANAGE_EXTERNAL_STORAGE \
    NEARBY_WIFI_DEVICES POST_NOTIFICATIONS PROCESS_OUTGOING_CALLS RANGING READ_CALENDAR READ_CALL_LOG READ_CONTACTS \
    READ_EXTERNAL_STORAGE READ_MEDIA_AUDIO READ_MEDIA_IMAGES READ_MEDIA_VIDEO READ_MEDIA_VISUAL_USER_SELECTED \
    READ_PHONE_NUMBERS READ_PHONE_STATE READ_SMS RECEIVE_MMS RECEIVE_SMS RECEIVE_WAP_PUSH RECORD_AUDIO SEND_SMS USE_SIP \
    UWB_RANGING WRITE_CALENDAR WRITE_CALL_LOG WRITE_CONTACTS WRITE_EXTERNAL_STORAGE";

/// Permissions with the words of people, of other tools and of other languages for them, in lower case.
const MEANT: &[(&str, &str)] = &[
    (
        "ACCESS_FINE_LOCATION",
        "location gps standort ortung localisation position ubicación ubicacion posizione localização localizacao",
    ),
    ("BLUETOOTH_CONNECT", "bluetooth"),
    (
        "CAMERA",
        "appareil_photo kamera caméra cámara câmera fotocamera fotoapparat",
    ),
    (
        "POST_NOTIFICATIONS",
        "notification notifications benachrichtigung benachrichtigungen notificaciones notifiche notificações notificacoes",
    ),
    (
        "READ_CALENDAR",
        "calendar kalender calendrier agenda calendario calendário",
    ),
    (
        "READ_CONTACTS",
        "contact contacts kontakte contactos contatti contatos",
    ),
    (
        "READ_EXTERNAL_STORAGE",
        "storage speicher stockage almacenamiento archiviazione armazenamento",
    ),
    ("READ_MEDIA_IMAGES", "photos fotos foto bilder images"),
    ("READ_MEDIA_VIDEO", "video videos"),
    (
        "READ_PHONE_STATE",
        "phone telefon téléphone teléfono telefono telefone",
    ),
    ("READ_SMS", "sms"),
    (
        "RECORD_AUDIO",
        "audio mic microphone mikrofon mikrophon micro micrófono microfono microfone",
    ),
];

/// Words that people put before or behind what a permission is for. No permission of Android's is one of them and a
/// word of [`MEANT`] or `CAMERA` alone, except those that are known.
const AROUND: &str = "ACCESS USE READ GET HAS REQUEST ALLOW GRANT ANDROID PERMISSION";

/// Some permissions that an app has from its installation on and that therefore cannot be granted.
const GIVEN_AT_INSTALL: &str = "INTERNET ACCESS_NETWORK_STATE ACCESS_WIFI_STATE CHANGE_NETWORK_STATE CHANGE_WIFI_STATE BLUETOOTH \
    BLUETOOTH_ADMIN NFC VIBRATE WAKE_LOCK FOREGROUND_SERVICE RECEIVE_BOOT_COMPLETED USE_BIOMETRIC USE_FINGERPRINT SET_ALARM \
    SET_WALLPAPER FLASHLIGHT QUERY_ALL_PACKAGES";

/// Permissions that are neither granted at run time on every Android nor surely given at installation: a page of
/// Settings, a role or a newer Android gives them. The device decides.
const OF_THE_DEVICE: &str = "ACCESS_LOCAL_NETWORK NEARBY_STREAMING READ_BASIC_PHONE_STATE REQUEST_INSTALL_PACKAGES \
    SCHEDULE_EXACT_ALARM SYSTEM_ALERT_WINDOW USE_FULL_SCREEN_INTENT";

/// Permissions for development, which `pm grant` also grants: protection level `development` in AOSP's
/// manifest.
const OF_DEVELOPMENT: &str = "WRITE_SECURE_SETTINGS READ_LOGS DUMP PACKAGE_USAGE_STATS SET_ANIMATION_SCALE CHANGE_CONFIGURATION \
    SET_DEBUG_APP SET_PROCESS_LIMIT SET_ALWAYS_FINISH SIGNAL_PERSISTENT_PROCESSES INTERACT_ACROSS_USERS BATTERY_STATS";

/// Returns the last part of a name that says it is a permission of Android's, and true if it is written as
/// Android writes it. Returns `None` for names of apps, such as `com.a.permission.B`.
fn android_permission(name: &str) -> Option<(&str, bool)> {
    let (begin, last) = name.rsplit_once('.')?;
    let is_android = [
        "android.permission",
        "android.permissions",
        "permission",
        "permissions",
        "manifest.permission",
        "android.manifest.permission",
    ];
    let lower = begin.to_ascii_lowercase();
    let is_known = is_android.contains(&lower.as_str());
    is_known.then_some((last, begin == "android.permission"))
}

/// Returns the permission that a name differs from by one letter: left out, added, another, or two changed over.
fn misspelt(name: &str) -> Option<&'static str> {
    /// Chosen: shorter names may be of a newer Android.
    const MIN_CHARS: usize = 5;
    let is_near = |known: &str| {
        let (one, other) = (name.as_bytes(), known.as_bytes());
        let begin = one.iter().zip(other).take_while(|(a, b)| a == b).count();
        let (one, other) = (&one[begin..], &other[begin..]);
        let backwards = one.iter().rev().zip(other.iter().rev());
        let end = backwards.take_while(|(a, b)| a == b).count();
        let (one, other) = (&one[..one.len() - end], &other[..other.len() - end]);
        let is_turned = matches!((one, other), ([a, b], [c, d]) if a == d && b == c);
        one.len().max(other.len()) <= 1 || is_turned
    };
    let is_long = name.chars().count() >= MIN_CHARS;
    known_permissions().find(|known| is_long && is_near(known))
}

/// Returns the permissions that a step may name, without `android.permission.`.
fn known_permissions() -> impl Iterator<Item = &'static str> {
    let lists = [PERMISSIONS, OF_DEVELOPMENT, OF_THE_DEVICE];
    lists.into_iter().flat_map(str::split_whitespace)
}

/// Returns true for a name in the form of Android's own permissions: capitals, digits and `_`.
fn has_form_of_permission(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_letter)
}

/// Returns the permission that a word means, in any letter case: its own name, or a word of [`MEANT`].
fn meant_by(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase().replace([' ', '-'], "_");
    let known = MEANT
        .iter()
        .find(|(_, words)| words.split(' ').any(|it| it == lower));
    let upper = word.to_uppercase();
    let same = || known_permissions().find(|it| *it == upper);
    known.map(|(ours, _)| *ours).or_else(same)
}

/// Returns the permission that a name means with a word of [`AROUND`] before or behind it, such as `ACCESS_CAMERA`.
fn named_around(name: &str) -> Option<&'static str> {
    let is_around = |word: &str| {
        let mut around = AROUND.split(' ');
        around.any(|it| it.eq_ignore_ascii_case(word))
    };
    let (first, behind) = name.split_once('_')?;
    let (before, last) = name.rsplit_once('_')?;
    let behind = is_around(first).then(|| meant_by(behind)).flatten();
    behind.or_else(|| is_around(last).then(|| meant_by(before)).flatten())
}

/// Returns the permission that a name surely means: a word for it, alone or among others, its own name with one letter
/// wrong, or one with a word of [`AROUND`]. `None` for any other name, which may be of a newer Android.
fn meant(name: &str) -> Option<&'static str> {
    meant_by(name)
        .or_else(|| name.split(' ').find_map(meant_by))
        .or_else(|| misspelt(name))
        .or_else(|| named_around(name))
}

/// Returns the permission that a name which is none was probably meant to be: what it surely means, else one that ends
/// with it or that it ends with, else the most similar one that a person grants.
fn similar(name: &str) -> Option<&'static str> {
    let ends_with = |whole: &str, end: &str| {
        let begin = whole.strip_suffix(end);
        begin.is_some_and(|begin| begin.ends_with('_'))
    };
    let by_end =
        || known_permissions().find(|&known| ends_with(name, known) || ends_with(known, name));
    meant(name)
        .or_else(by_end)
        .or_else(|| nearest(name, PERMISSIONS.split_whitespace()))
}

/// Returns what to say of a name in the form of Android's own permissions that is none of the known ones, with the one
/// that was probably meant. `None` for a known one, and for a permission of an app.
pub(crate) fn unknown_permission(name: &str) -> Option<Words> {
    let (name, _) = android_permission(name).unwrap_or((name, false));
    let mut known = known_permissions().chain(GIVEN_AT_INSTALL.split_whitespace());
    if name.contains('.') || known.any(|known| known == name) {
        return None;
    }
    Some(match similar(name) {
        Some(meant) => Words::format(
            "no permission {} of Android's is known here; did you mean `{}`?",
            &[&name, &meant],
        ),
        None => Words::format(
            "no permission {} of Android's is known here: correct its name, or leave this step out",
            &[&name],
        ),
    })
}

/// Refuses what is surely no permission, or one that is granted at installation and needs no step. Names with `$` (an
/// expression) and permissions of apps, with a `.`, are not checked. Of Android's own, such as `NEW_ONE` or
/// `android.permission.NEW_ONE`, only those that mean a known one are refused, or differ from one by a letter, because
/// no list has all of them. The failure proposes the name that was meant, if one is similar.
pub(super) fn check_permission(name: &str) -> Result<(), Failure> {
    let written = name;
    let (name, is_whole) = android_permission(name).unwrap_or((name, false));
    let lists = |names: &str| names.split_whitespace().any(|it| it == name);
    let is_known = known_permissions().any(|it| it == name);
    let is_short = written == name;
    if name.contains('.') || name.contains('$') || is_known && (is_short || is_whole) {
        return Ok(());
    }
    if lists(GIVEN_AT_INSTALL) {
        return Err(Failure::usage(Words::format(
            "`{}` needs no grant: Android gives it when the app is installed; leave the step out",
            &[&name],
        )));
    }
    if name.eq_ignore_ascii_case("all") {
        return Err(Failure::usage(
            "each permission is named here, such as `CAMERA`; `launch: { permissions: all }` grants all, and `clear` takes all back",
        ));
    }
    let may_be_newer = is_whole || is_short && has_form_of_permission(name);
    if may_be_newer && meant(name).is_none() {
        return Ok(());
    }
    Err(match similar(name) {
        Some(meant) => Failure::usage(Words::format(
            "Android has no permission `{}`; write `{}`",
            &[&written, &meant],
        )),
        None => Failure::usage(Words::format(
            "Android has no permission `{}`; write one such as `CAMERA`, or its whole name, such as `android.permission.{}`",
            &[&written, &name],
        )),
    })
}

/// Refuses an argument `app` that is not a package name (ASCII letters, digits and `_`, with at least one
/// `.`), or that is the file of an app. A missing argument and one with an expression `${…}` pass. For
/// `package/activity`, the failure says how to write both.
pub(super) fn check_app(args: &Arguments) -> Result<(), Failure> {
    let Some(app) = args.get("app").and_then(Value::as_str) else {
        return Ok(());
    };
    if is_app_file(app) && !app.contains("${") {
        return Err(Failure::usage(Words::format(
            "`{}` is a file and no package name; write one such as `com.example.notes`, and `install: {}` as a step of its own",
            &[&app, &app],
        )));
    }
    if app.contains("${") || is_app_package(app) {
        return Ok(());
    }
    if let Some((package, activity)) = app.split_once('/').filter(|it| is_app_package(it.0)) {
        return Err(Failure::usage(Words::format(
            "`{}` is no package name; write `{ app: {}, activity: {} }` at `launch`, and the package alone elsewhere",
            &[&app, &package, &activity],
        )));
    }
    Err(Failure::usage(Words::format(
        "`{}` is no package name; write one such as `com.example.notes`",
        &[&app],
    )))
}

/// Refuses a link without scheme, such as `example.com/a` or `localhost:8080`. A missing or empty link and
/// one with an expression `${…}` pass. The failure proposes a whole link.
pub(super) fn check_link(args: &Arguments, key: &str) -> Result<(), Failure> {
    let link = args.get(key).and_then(Value::as_str).unwrap_or_default();
    if link.is_empty() || link.contains("${") || link.contains(':') && !is_host_and_port(link) {
        return Ok(());
    }
    Err(match link.strip_prefix('/') {
        Some(path) => Failure::usage(Words::format(
            "`{}` is no whole link; write `https://example.com/{}`, or `myapp://{}`",
            &[&link, &path, &path],
        )),
        None => Failure::usage(Words::format(
            "`{}` is no whole link; write `https://{}`",
            &[&link, &link],
        )),
    })
}

/// Returns true for a host and its port, such as `localhost:8080` and `nas:8080/a`, whose colon ends no scheme. A
/// name alone is a scheme: `tel:123`.
fn is_host_and_port(link: &str) -> bool {
    // An address of version 6, which has colons of its own.
    if link.starts_with('[') {
        return true;
    }
    let Some((host, rest)) = link.split_once(':') else {
        return false;
    };
    let behind = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let has_port =
        behind.len() < rest.len() && (behind.is_empty() || behind.starts_with(['/', '?', '#']));
    let is_host = host.contains('.') || host.eq_ignore_ascii_case("localhost");
    has_port && (is_host || behind.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::arguments::Wording;

    fn given(args: Value) -> Arguments {
        Arguments::new("a", Wording::Own, args).unwrap()
    }

    #[test]
    fn what_android_does_not_have_is_refused_with_what_it_has() {
        for name in [
            "CAMERA",
            "android.permission.NEW",
            "android.permission.READ_HEART_RATE",
            "FLY",
            "SYSTEM_ALERT_WINDOW",
            "android.permission.SCHEDULE_EXACT_ALARM",
            "REQUEST_INSTALL_PACKAGES",
            "HEAD_TRACKING",
            "com.a.permission.B",
            "com.a.permission.ACCESS_CAMERA",
            "ACCESS_NOTIFICATION_POLICY",
            "READ_HEART_RATE",
            "${P}",
        ] {
            assert!(check_permission(name).is_ok(), "{name}");
        }
        for (name, meant) in [
            ("CAMRA", "`CAMERA`"),
            ("camera", "`CAMERA`"),
            ("location", "`ACCESS_FINE_LOCATION`"),
            ("fly", "android.permission.fly"),
            ("permission.FLY", "android.permission.FLY"),
            ("SYSTEM_ALERT_WINDOWS", "`SYSTEM_ALERT_WINDOW`"),
            ("system_alert_window", "`SYSTEM_ALERT_WINDOW`"),
            ("android.permission.NOTIFICATIONS", "`POST_NOTIFICATIONS`"),
            ("android.permission.camera", "`CAMERA`"),
            ("Manifest.permission.CAMERA", "`CAMERA`"),
            ("android.permission.CAMRA", "`CAMERA`"),
            ("android.permission.CMAERA", "`CAMERA`"),
            ("android.permission.READ_CONTACT", "`READ_CONTACTS`"),
            (
                "android.permission.ACCESS_FINE_LOCATON",
                "`ACCESS_FINE_LOCATION`",
            ),
            ("android.permission.INTERNET", "needs no grant"),
            ("android.permission.ACCESS_CAMERA", "`CAMERA`"),
            ("USE_CAMERA", "`CAMERA`"),
            ("CAMERA_PERMISSION", "`CAMERA`"),
            ("ACCESS_LOCATION", "`ACCESS_FINE_LOCATION`"),
            ("APPAREIL_PHOTO", "`CAMERA`"),
            ("Kamera", "`CAMERA`"),
            ("MIKROFON", "`RECORD_AUDIO`"),
            ("UBICACIÓN", "`ACCESS_FINE_LOCATION`"),
        ] {
            let error = check_permission(name).unwrap_err();
            assert!(error.message.contains(meant), "{error:?}");
        }
    }

    /// A name may come from an expression, and so pass lint.
    #[test]
    fn a_run_names_the_permission_that_lint_names() {
        for name in [
            "CAMRA",
            "camera",
            "Kamera",
            "APPAREIL_PHOTO",
            "MIKROFON",
            "UBICACIÓN",
            "location",
            "USE_CAMERA",
            "GET_LOCATION",
            "CAMERA_PERMISSION",
            "android.permission.CMAERA",
            "android.permission.NOTIFICATIONS",
            "SYSTEM_ALERT_WINDOWS",
        ] {
            let refused = check_permission(name).unwrap_err().message.to_string();
            let (_, meant) = refused.split_once("write `").unwrap();
            let told = unknown_permission(name).unwrap();
            let asks = format!("did you mean `{}?", meant.trim());
            assert!(told.ends_with(&asks), "{told}, not {asks}");
        }
    }

    #[test]
    fn a_link_has_a_scheme_and_an_app_a_package() {
        for link in [
            "https://a.b",
            "https://a.b:8080/c",
            "notes://new",
            "notes:7",
            "notes:note/7",
            "mailto:a@b",
            "tel:123",
            "tel:555-1234",
            "sms:5551234",
            "geo:0,0?q=x",
            "market:123",
            "${LINK}",
        ] {
            let checked = check_link(&given(json!({ "link": link })), "link");
            assert!(checked.is_ok(), "{link}");
        }
        for link in [
            "example.com",
            "example.com:8080",
            "10.0.2.2:8080/a",
            "localhost:8080",
            "localhost:8080/a",
            "LOCALHOST:80?a=b",
            "[::1]:8080/a",
            "nas:8080/a",
            "/login",
        ] {
            let checked = check_link(&given(json!({ "link": link })), "link");
            assert!(checked.is_err(), "{link}");
        }
        assert!(check_app(&given(json!({}))).is_ok());
        assert!(check_app(&given(json!({ "app": "com.a.b" }))).is_ok());
        assert!(check_app(&given(json!({ "app": "My App" }))).is_err());
        assert!(check_app(&given(json!({ "app": "demo.apk" }))).is_err());
    }
}
