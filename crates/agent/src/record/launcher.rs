//! Recognises apps that were opened by their icon. The flow launches such an app: another phone's launcher
//! has the icon elsewhere.

use runner_screen::Screen;

/// Packages of system windows that may lie over an app that just started.
const OVERLAYS: [&str; 5] = [
    "android",
    "com.android.systemui",
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
    "com.android.packageinstaller",
];

/// Returns true if the package's name is that of a launcher: it contains `launcher`, or its last part is
/// `home` or `trebuchet`.
pub(super) fn is_launcher(package: &str) -> bool {
    let last = package.rsplit('.').next().unwrap_or_default();
    package.contains("launcher") || ["home", "trebuchet"].contains(&last)
}

pub(super) fn is_in_front(screen: &Screen) -> bool {
    screen
        .foreground()
        .is_some_and(|(package, _)| is_launcher(package))
}

/// Returns the package of the app in front. `None` for a launcher, for a system window that will go away
/// again, or if the device does not report it.
pub(super) fn app_in_front(screen: &Screen) -> Option<&str> {
    let (package, _) = screen.foreground()?;
    let is_app = !is_launcher(package) && !OVERLAYS.contains(&package);
    is_app.then_some(package)
}

#[cfg(test)]
mod tests {
    use super::is_launcher;

    #[test]
    fn launchers_are_known_by_their_names() {
        for package in [
            "com.android.launcher3",
            "com.google.android.apps.nexuslauncher",
            "com.miui.home",
            "org.lineageos.trebuchet",
        ] {
            assert!(is_launcher(package), "{package}");
        }
        for package in ["com.example.notes", "com.example.homebrew"] {
            assert!(!is_launcher(package), "{package}");
        }
    }
}
