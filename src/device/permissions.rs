//! All run-time permissions of an app at once.

use std::time::Duration;

use super::command::QUICK;
use super::{Device, DeviceError, Script, apps, quote};

/// What a phone may take for each permission.
const EACH: Duration = Duration::from_secs(1);

/// A permission with whether it is granted.
pub type Grant = (String, bool);

/// The run-time permissions that an app asks for, and whether each is granted.
pub async fn run_time(device: &dyn Device, package: &str) -> Result<Vec<Grant>, DeviceError> {
    let script = Script::raw(
        format!(
            "dumpsys package {} 2>/dev/null | grep -E 'runtime permissions:|granted='",
            quote(package)
        ),
        "dumpsys package",
    );
    let output = device.shell(&script, QUICK).await?;
    Ok(read(&output.text()))
}

/// Grants or revokes each. What the device does not let change stays as it is: an app may name permissions that are
/// none, or that a newer release knows.
pub async fn set_each(
    device: &dyn Device,
    package: &str,
    grants: &[Grant],
) -> Result<(), DeviceError> {
    if grants.is_empty() {
        return Ok(());
    }
    if device.system().is_some_and(|system| !system.has_shell()) {
        for (permission, granted) in grants {
            let set = if *granted {
                apps::grant(device, package, permission).await
            } else {
                apps::revoke(device, package, permission).await
            };
            if let Err(error) = set
                && error.is_infrastructure()
            {
                return Err(error);
            }
        }
        return Ok(());
    }
    let commands = grants.iter().map(|(permission, granted)| {
        let verb = if *granted { "grant" } else { "revoke" };
        format!(
            "pm {verb} {} {} >/dev/null 2>&1; ",
            quote(package),
            quote(permission)
        )
    });
    let script = Script::raw(format!("{}true", commands.collect::<String>()), "pm grant");
    let limit = QUICK + EACH * grants.len() as u32;
    device.shell(&script, limit).await.map(drop)
}

/// The lines behind the title, up to the next one.
fn read(text: &str) -> Vec<Grant> {
    let mut grants: Vec<Grant> = Vec::new();
    let lines = text
        .lines()
        .skip_while(|line| !line.contains("runtime permissions:"));
    for line in lines {
        let Some((name, rest)) = line.trim().split_once(": granted=") else {
            continue;
        };
        if !grants.iter().any(|(known, _)| known == name) {
            grants.push((name.to_owned(), rest.starts_with("true")));
        }
    }
    grants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_run_time_permissions_are_read() {
        let text = "      android.permission.INTERNET: granted=true\n      runtime permissions:\n        \
            android.permission.CAMERA: granted=false, flags=[ USER_SET]\n        android.permission.READ_CONTACTS: granted=true\n";
        assert_eq!(
            read(text),
            [
                ("android.permission.CAMERA".to_owned(), false),
                ("android.permission.READ_CONTACTS".to_owned(), true)
            ]
        );
        assert_eq!(read(""), []);
    }
}
