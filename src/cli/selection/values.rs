//! Values of the arguments that name a device, an app and an adb server.

use camino::{Utf8Path, Utf8PathBuf};

/// Reason why a text names no app.
#[derive(Debug, thiserror::Error)]
pub(super) enum AppNameError {
    #[error(
        "it is a package, and neither an APK nor a folder; a flow names it in its header: `app: {0}`"
    )]
    Package(String),
}

/// Reason why a text names no device.
#[derive(Debug, thiserror::Error)]
pub(super) enum DeviceNameError {
    /// Path of a flow.
    #[error("it is a path, and `--device` takes the serial before it: `--device virtual {0}`")]
    Flow(String),
    /// Path of an app.
    #[error("it is an app, and no serial: `--app {0}`")]
    App(String),
    #[error("it names no device; leave it out")]
    Empty,
    /// Names with commas between them, one of which is empty.
    #[error("a name is missing beside a comma; take the comma out, or write the name")]
    EmptyPart,
    /// Number of virtual devices, such as `virtual:2`.
    #[error("there is one `virtual`: write `--device virtual` once for each that is wanted")]
    NumberedVirtual,
    /// Address whose port is none, such as `localhost:5600x`.
    #[error("the port of an address is a number from 1 to 65535: `{host}:5555`")]
    Port { host: String },
}

/// Reason why a text names no host of an adb server.
#[derive(Debug, thiserror::Error)]
pub(super) enum HostNameError {
    #[error("it names no host; leave it out")]
    Empty,
    /// Host with its port.
    #[error("the port is an option of its own: `--adb-host {host} --adb-port {port}`")]
    WithPort { host: String, port: String },
}

/// Returns the path of an app, relative as it was given. It need not exist.
///
/// # Errors
/// Returns an error for a text that looks like a package name of three or more parts, such as `com.example.app`,
/// unless such a path exists or the last part is an extension of apps, such as `apk`.
pub(super) fn app(text: &str) -> Result<Utf8PathBuf, AppNameError> {
    let path = Utf8PathBuf::from(text);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._".contains(c);
    let is_package = text.matches('.').count() > 1 && text.chars().all(is_plain);
    if is_package && !crate::config::is_package(&path) && !path.exists() {
        return Err(AppNameError::Package(text.to_owned()));
    }
    Ok(path)
}

/// Returns the name of a device as it was given: a serial, an address or a label. It need not be connected.
///
/// # Errors
/// Returns an error for an empty text, also beside a comma, for a path of a flow or an app, which was meant for another
/// argument, for a number behind `virtual` and a sign, such as `virtual:2`, and for an address whose port is none.
pub(super) fn device(text: &str) -> Result<String, DeviceNameError> {
    let path = Utf8Path::new(text);
    match path.extension() {
        Some("yaml" | "yml") => Err(DeviceNameError::Flow(text.to_owned())),
        _ if crate::config::is_package(path) => Err(DeviceNameError::App(text.to_owned())),
        _ if text.trim().is_empty() => Err(DeviceNameError::Empty),
        _ if text.split(',').any(|name| name.trim().is_empty()) => Err(DeviceNameError::EmptyPart),
        _ if is_numbered_virtual(text) => Err(DeviceNameError::NumberedVirtual),
        _ => match crate::config::host_of_wrong_port(text) {
            Some(host) => Err(DeviceNameError::Port {
                host: host.to_owned(),
            }),
            None => Ok(text.to_owned()),
        },
    }
}

/// Returns true for `virtual:2` and `virtual=2`. A label may be `virtual-2`.
fn is_numbered_virtual(text: &str) -> bool {
    let number = text.strip_prefix("virtual");
    let number = number.and_then(|rest| rest.strip_prefix([':', '=', '*']));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the host of the adb server as it was given. It is not looked up.
///
/// # Errors
/// Returns an error for an empty text, and for a host with its port, which is an option of its own. An IPv6 address is no
/// such host.
pub(super) fn adb_host(text: &str) -> Result<String, HostNameError> {
    if text.trim().is_empty() {
        return Err(HostNameError::Empty);
    }
    let port = text.rsplit_once(':').filter(|(host, port)| {
        !host.contains(':') && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    match port {
        Some((host, port)) => Err(HostNameError::WithPort {
            host: host.to_owned(),
            port: port.to_owned(),
        }),
        None => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::adb_host;

    #[test]
    fn a_host_is_one_without_its_port() {
        for host in ["localhost", "farm.example.com", "::1", "fe80::1"] {
            assert_eq!(adb_host(host).unwrap(), host);
        }
        for (text, says) in [
            ("", "names no host"),
            (" ", "names no host"),
            ("farm:5037", "`--adb-host farm --adb-port 5037`"),
        ] {
            let error = adb_host(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
