//! Finds the adb server and this computer's adb keys by the rules of adb itself.
//!
//! Server: arguments beat `ADB_SERVER_SOCKET`, which beats `ANDROID_ADB_SERVER_ADDRESS` and
//! `ANDROID_ADB_SERVER_PORT`; the default is 127.0.0.1:5037.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Origin, Setting};
use runner_base::context::Context;
use runner_device::adb::{AdbServer, Host, HostKeys, OWNER_LIMIT};
use runner_text::input_file::{MAX_TEXT, read_text};
use runner_text::units::HumanDuration;

/// Time in which a person may allow this computer on a device's screen, in CI. Chosen: nobody is likely to
/// sit there, so a longer wait only delays the error.
const OWNER_LIMIT_IN_CI: Duration = Duration::from_secs(3);
/// Default port of adb's server (`DEFAULT_ADB_PORT` in AOSP's `adb.h`).
const DEFAULT_PORT: u16 = 5037;

/// Environment variable with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable}={value}: {expected}")]
pub struct AdbVariableError {
    variable: &'static str,
    value: String,
    expected: &'static str,
}

/// Resolves the address of the adb server, and finds the program `adb`, which may be missing. `host` and `port` of the
/// command line come before `ADB_SERVER_SOCKET`, that before `ANDROID_ADB_SERVER_ADDRESS` and `…_PORT`, and those
/// before the default. The origin is the last source of either part. Hosts are not checked.
///
/// # Errors
/// A variable with an invalid value, even if the command line replaces it.
pub fn server(
    context: &Context,
    host: Option<&str>,
    port: Option<u16>,
) -> Result<Setting<AdbServer>, AdbVariableError> {
    let mut setting = Setting::default(AdbServer {
        host: "127.0.0.1".into(),
        port: DEFAULT_PORT,
        program: find_program(context),
    });
    if let Some(address) = context.variable("ANDROID_ADB_SERVER_ADDRESS") {
        setting.value.host = address.to_owned();
        setting.origin = Origin::Environment("ANDROID_ADB_SERVER_ADDRESS");
    }
    if let Some(text) = context.variable("ANDROID_ADB_SERVER_PORT") {
        setting.value.port = port_of(text).ok_or_else(|| AdbVariableError {
            variable: "ANDROID_ADB_SERVER_PORT",
            value: text.to_owned(),
            expected: "a port is a number from 1 to 65535",
        })?;
        setting.origin = Origin::Environment("ANDROID_ADB_SERVER_PORT");
    }
    if let Some(text) = context.variable("ADB_SERVER_SOCKET") {
        (setting.value.host, setting.value.port) =
            socket(text).ok_or_else(|| AdbVariableError {
                variable: "ADB_SERVER_SOCKET",
                value: text.to_owned(),
                expected: "only tcp:HOST:PORT, tcp:PORT and localhost forms of it are served",
            })?;
        setting.origin = Origin::Environment("ADB_SERVER_SOCKET");
    }
    if let Some(host) = host {
        host.clone_into(&mut setting.value.host);
        setting.origin = Origin::CommandLine;
    }
    if let Some(port) = port {
        setting.value.port = port;
        setting.origin = Origin::CommandLine;
    }
    Ok(setting)
}

/// Builds the description of this computer: its keys, and the time that a device's owner has to allow it. The time is
/// `RUNNER_ALLOW_TIMEOUT`, which may be 0, else 3 s in CI and [`OWNER_LIMIT`] elsewhere.
///
/// # Errors
/// `RUNNER_ALLOW_TIMEOUT` that is no duration.
pub fn host(context: &Context) -> Result<Host, AdbVariableError> {
    let limit = match context.variable("RUNNER_ALLOW_TIMEOUT") {
        Some(text) => {
            let HumanDuration(limit) = text.parse().map_err(|_| AdbVariableError {
                variable: "RUNNER_ALLOW_TIMEOUT",
                value: text.to_owned(),
                expected: "a duration such as 60s",
            })?;
            limit
        }
        None if context.is_ci() => OWNER_LIMIT_IN_CI,
        None => OWNER_LIMIT,
    };
    Ok(Host::new(keys(context)).waiting(limit))
}

/// Lists the files of this computer's keys without reading them: those in `ADB_VENDOR_KEYS` and adb's own in the home
/// folder, if one is known, whether they exist or not, and that of `ANDROID_SDK_HOME` if it exists. The name,
/// `user@computer`, comes from variables or `/etc/hostname`, and has `unknown` for a missing part. It ends before the
/// first white space.
pub fn keys(context: &Context) -> HostKeys {
    let key_in = |folder: &str| Path::new(folder).join(".android").join("adbkey");
    let listed = context.variable("ADB_VENDOR_KEYS").unwrap_or_default();
    let mut shared: Vec<PathBuf> = std::env::split_paths(listed)
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    let of_sdk = context.variable("ANDROID_SDK_HOME").map(key_in);
    shared.extend(of_sdk.filter(|path| path.is_file()));
    let first = |names: &[&str]| names.iter().find_map(|name| context.variable(name));
    let user = first(&["LOGNAME", "USER", "USERNAME"]).unwrap_or("unknown");
    let computer = first(&["HOSTNAME", "COMPUTERNAME"]).map(str::to_owned);
    let computer = computer
        .or_else(|| read_text("/etc/hostname", MAX_TEXT).ok())
        .unwrap_or_else(|| "unknown".to_owned());
    HostKeys {
        shared,
        own: first(&["HOME", "USERPROFILE"]).map(key_in),
        // One word, because adbd reads the name up to a space or a NUL.
        name: format!("{user}@{computer}")
            .split(|c: char| c.is_whitespace() || c.is_control())
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Parses `tcp:HOST:PORT` or `tcp:PORT`, whose host is 127.0.0.1. IPv6 addresses are in brackets, which are removed.
/// The host is not looked up. Returns `None` for other forms, without a host before a second colon, and for the port 0.
fn socket(text: &str) -> Option<(String, u16)> {
    let rest = text.strip_prefix("tcp:")?;
    let (host, port) = rest.rsplit_once(':').unwrap_or(("127.0.0.1", rest));
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then_some((host.to_owned(), port_of(port)?))
}

/// Parses a port from 1 to 65535. `None` for anything else.
fn port_of(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port != 0)
}

/// Finds the program `adb` on `PATH`, or else in the SDK of `ANDROID_HOME`, then `ANDROID_SDK_ROOT`. Returns
/// the first that is a file, or `None`; does not check that it can run.
fn find_program(context: &Context) -> Option<PathBuf> {
    let name = format!("adb{}", std::env::consts::EXE_SUFFIX);
    let on_path = context
        .variable("PATH")
        .map(|path| {
            std::env::split_paths(path)
                .map(|folder| folder.join(&name))
                .collect::<Vec<_>>()
        })
        .unwrap_or_default();
    // `ANDROID_SDK_ROOT` is deprecated, so it comes second.
    let in_sdk = ["ANDROID_HOME", "ANDROID_SDK_ROOT"]
        .into_iter()
        .filter_map(|variable| context.variable(variable))
        .map(|sdk| Path::new(sdk).join("platform-tools").join(&name));
    on_path
        .into_iter()
        .chain(in_sdk)
        .find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn resolved(
        variables: &[(&str, &str)],
        host: Option<&str>,
        port: Option<u16>,
    ) -> Result<(String, u16), String> {
        let variables: BTreeMap<String, String> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let context = Context::fixed("/".into(), variables);
        server(&context, host, port)
            .map(|setting| (setting.value.host, setting.value.port))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn follows_adbs_own_rules() {
        for (variables, host, port, expected) in [
            (&[][..], None, None, ("127.0.0.1", 5037)),
            (
                &[("ANDROID_ADB_SERVER_PORT", "6000")],
                None,
                None,
                ("127.0.0.1", 6000),
            ),
            (
                &[("ADB_SERVER_SOCKET", "tcp:farm:6001")],
                None,
                None,
                ("farm", 6001),
            ),
            (
                &[("ADB_SERVER_SOCKET", "tcp:6002")],
                None,
                None,
                ("127.0.0.1", 6002),
            ),
            (
                &[("ADB_SERVER_SOCKET", "tcp:[::1]:6003")],
                None,
                None,
                ("::1", 6003),
            ),
            (
                &[("ADB_SERVER_SOCKET", "tcp:farm:6001")],
                Some("mine"),
                Some(1),
                ("mine", 1),
            ),
        ] {
            let expected = (expected.0.to_owned(), expected.1);
            assert_eq!(
                resolved(variables, host, port),
                Ok(expected),
                "{variables:?}"
            );
        }
    }

    #[test]
    fn keys_are_where_adb_has_them() {
        let context = |variables: &[(&str, &str)]| {
            let variables = variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Context::fixed("/".into(), variables.collect())
        };
        let found = keys(&context(&[
            ("ADB_VENDOR_KEYS", "/lab/keys::/lab/one"),
            ("HOME", "/home/ada"),
            ("ANDROID_SDK_HOME", "/nowhere"),
            ("LOGNAME", "ada"),
            ("HOSTNAME", "desk"),
        ]));
        assert_eq!(
            found,
            HostKeys {
                shared: vec!["/lab/keys".into(), "/lab/one".into()],
                own: Some("/home/ada/.android/adbkey".into()),
                name: "ada@desk".to_owned(),
            }
        );
        assert_eq!(keys(&context(&[])).own, None);
        let wrong = host(&context(&[("RUNNER_ALLOW_TIMEOUT", "soon")]));
        assert!(wrong.is_err_and(|error| error.to_string().contains("60s")));
    }

    #[test]
    fn a_bad_variable_is_named() {
        for variables in [
            ("ANDROID_ADB_SERVER_PORT", "x"),
            ("ANDROID_ADB_SERVER_PORT", "0"),
            ("ADB_SERVER_SOCKET", "tcp:farm:0"),
            ("ADB_SERVER_SOCKET", "tcp::5037"),
            ("ADB_SERVER_SOCKET", "tcp:[]:5037"),
            ("ADB_SERVER_SOCKET", "localfilesystem:/tmp/a"),
        ] {
            let error = resolved(&[variables], None, None).unwrap_err();
            assert!(error.contains(variables.0), "{error}");
        }
    }
}
