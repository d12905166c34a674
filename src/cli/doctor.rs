//! `runner doctor`: what is wrong with adb, devices and permissions, and what to do.

use clap::Args;

use super::arguments::DeviceSelection;
use super::error::CliError;
use super::{output, runtime};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::device::adb::ConnectionState;
use crate::device::doctor;
use crate::exit_code::ExitCode;
use crate::run::devices;

/// Arguments of `runner doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    #[command(flatten)]
    device: DeviceSelection,
}

/// Runs the checks. Exit 3 where a device cannot be used.
pub fn run(arguments: &DoctorArguments, context: &Context) -> Result<ExitCode, CliError> {
    let overrides = Overrides {
        devices: arguments.device.devices.clone(),
        adb_host: arguments.device.server.host.clone(),
        adb_port: arguments.device.server.port,
        ..Overrides::default()
    };
    let config = Config::resolve(context, &overrides)?;
    let findings = runtime()?.block_on(examine(&config));
    let mut healthy = true;
    for finding in &findings {
        healthy &= finding.ok;
        output::line(&format!(
            "{} {}",
            if finding.ok { "ok  " } else { "BAD " },
            finding.title
        ));
        if !finding.detail.is_empty() {
            output::line(&format!("     {}", finding.detail));
        }
        if let Some(advice) = finding.advice.as_ref().filter(|_| !finding.ok) {
            output::line(&format!("     → {advice}"));
        }
    }
    Ok(if healthy {
        ExitCode::Passed
    } else {
        ExitCode::NoDevice
    })
}

/// The host first; then each device that was named, else each that is ready.
async fn examine(config: &Config) -> Vec<doctor::Finding> {
    let server = config.adb_server();
    let (mut findings, connected) = doctor::check_host(&server).await;
    let wanted: Vec<devices::Wanted> = if config.devices.value.is_empty() {
        let ready = connected
            .iter()
            .filter(|device| device.state == ConnectionState::Online);
        ready
            .map(|device| devices::Wanted::named(&device.serial))
            .collect()
    } else {
        config.devices.value.clone()
    };
    if wanted.is_empty() {
        return findings;
    }
    let targets = devices::resolve(&wanted, &server).await.unwrap_or_default();
    for target in &targets {
        match devices::open(target, &server, &config.app_folders()).await {
            Ok(open) => findings.extend(doctor::check_device(open.device.as_ref()).await),
            Err(error) => findings.push(doctor::Finding {
                ok: false,
                title: format!("{} can be opened", target.label),
                detail: error.to_string(),
                advice: None,
            }),
        }
    }
    findings
}
