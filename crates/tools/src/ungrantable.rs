//! Reasons for which a permission can never be granted, from what `pm grant` printed.

use super::Words;
use super::everyday::unknown_permission;
use runner_device::DeviceError;

/// Place where a flow names a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PermissionUse {
    /// A step of its own.
    Step,
    /// The `permissions` of a launch.
    Launch,
}

/// Returns why the first of the permissions that `pm grant` refused can never be granted, and what to write: Android has
/// none of this name, the app does not ask for it, or it is no run-time permission. `names` are those that were to be granted, as the flow has
/// them; of several, that which the device named is told. `None` for other errors.
pub(crate) fn ungrantable<'n>(
    error: &DeviceError,
    names: impl IntoIterator<Item = &'n str>,
    place: PermissionUse,
) -> Option<Words> {
    let DeviceError::Command { output, .. } = error else {
        return None;
    };
    let (is_unasked, is_fixed) = (
        output.contains("has not requested permission"),
        output.contains("is not a changeable permission"),
    );
    if !is_unasked && !is_fixed {
        return None;
    }
    let is_named = |name: &str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let short = name.rsplit('.').next();
        output
            .split(|c: char| !is_letter(c))
            .any(|word| Some(word) == short)
    };
    let names: Vec<&str> = names.into_iter().collect();
    let name = match names.as_slice() {
        [only] => *only,
        several => several.iter().copied().find(|name| is_named(name))?,
    };
    if is_unasked && let Some(unknown) = unknown_permission(name) {
        return Some(unknown);
    }
    let why = match (is_unasked, place) {
        (true, PermissionUse::Step) => {
            "{} is not in the app's manifest: leave this step out, or add it there as a `uses-permission` and build the app anew"
        }
        (true, PermissionUse::Launch) => {
            "{} is not in the app's manifest: leave it out of `permissions`, or add it there as a `uses-permission` and build the app anew"
        }
        (false, PermissionUse::Step) => {
            "{} is granted when the app is installed, and never by a step: leave this step out"
        }
        (false, PermissionUse::Launch) => {
            "{} is granted when the app is installed, and never by a step: leave it out of `permissions`"
        }
    };
    Some(Words::format(why, &[&name]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_permission_that_was_refused_is_told() {
        let refused = |said: &str| DeviceError::Command {
            command: "pm grant a.b".to_owned(),
            exit_code: Some(255),
            output: format!("java.lang.SecurityException: {said}"),
        };
        let unasked = refused("Package a.b has not requested permission android.permission.CAMERA");
        let fixed = refused(
            "Permission android.permission.INTERNET requested by a.b is not a changeable permission type",
        );
        let both = ["INTERNET", "android.permission.CAMERA"];
        for (error, names, place, says) in [
            (
                &unasked,
                &both[1..],
                PermissionUse::Step,
                "leave this step out, or add it there",
            ),
            (
                &unasked,
                &both[..],
                PermissionUse::Launch,
                "android.permission.CAMERA is not in the app's manifest: leave it out of `permissions`",
            ),
            (
                &fixed,
                &both[..],
                PermissionUse::Launch,
                "INTERNET is granted when the app is installed, and never by a step: leave it out",
            ),
            (
                &fixed,
                &both[..1],
                PermissionUse::Step,
                "leave this step out",
            ),
        ] {
            let told = ungrantable(error, names.iter().copied(), place).unwrap();
            assert!(told.contains(says), "{told}");
        }
        let other = refused("Unknown package: a.b");
        assert_eq!(ungrantable(&other, both, PermissionUse::Launch), None);
    }
}
