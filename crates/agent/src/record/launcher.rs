//! Apps that somebody opened by their icon: the flow launches the app, for the launcher of another phone has its icon elsewhere.

use runner_screen::Screen;

/// Windows of the system that may lie over an app that just began.
const OVERLAYS: [&str; 5] = [
    "android",
    "com.android.systemui",
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
    "com.android.packageinstaller",
];

/// Whether the package is a launcher, whoever made it.
pub(super) fn is_launcher(package: &str) -> bool {
    let last = package.rsplit('.').next().unwrap_or_default();
    package.contains("launcher") || ["home", "trebuchet"].contains(&last)
}

/// Whether the launcher is in front.
pub(super) fn is_in_front(screen: &Screen) -> bool {
    screen
        .foreground()
        .is_some_and(|(package, _)| is_launcher(package))
}

/// The app in front; `None` where it is a launcher, or a window of the system that will go again.
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
