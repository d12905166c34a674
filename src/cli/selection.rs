//! Arguments that several subcommands share: which device, which adb server, which flows.

use camino::Utf8PathBuf;
use clap::Args;
use clap::builder::TypedValueParser;

use super::completions;
use super::values::one_of;
use crate::device::DriverChoice;

/// Which device, and which adb server knows it.
#[derive(Debug, Clone, Default, Args)]
pub struct DeviceSelection {
    /// Device: a serial, HOST:PORT, or `virtual`; may be given several times
    #[arg(long = "device", alias = "udid", short = 'd', value_name = "SERIAL|virtual", add = completions::devices())]
    pub devices: Vec<String>,
    /// How it is looked at and touched: Android's own commands, or Appium's server on the device [default: auto]
    #[arg(long, value_name = "DRIVER", value_parser = driver())]
    pub driver: Option<DriverChoice>,
    #[command(flatten)]
    pub server: ServerSelection,
}

fn driver() -> impl TypedValueParser<Value = DriverChoice> {
    one_of(
        &DriverChoice::ALL,
        DriverChoice::name,
        |driver| match driver {
            DriverChoice::Auto => "`uia2` where its server is installed, else `stock`",
            DriverChoice::Stock => "Android's own commands; nothing on the device",
            DriverChoice::Uia2 => "Appium's UiAutomator2 server; installed where it is missing",
        },
    )
}

/// Which adb server.
#[derive(Debug, Clone, Default, Args)]
pub struct ServerSelection {
    /// Host of the adb server [default: `ADB_SERVER_SOCKET` or localhost]
    #[arg(long = "adb-host", short = 'H', value_name = "HOST")]
    pub host: Option<String>,
    /// Port of the adb server [default: `ANDROID_ADB_SERVER_PORT` or 5037]
    #[arg(long = "adb-port", short = 'P', value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
}

/// Which flows.
#[derive(Debug, Clone, Default, Args)]
pub struct FlowSelection {
    /// Flow files, folders or globs [default: `flows` of runner.yaml]
    #[arg(value_name = "PATH")]
    pub paths: Vec<Utf8PathBuf>,
}
