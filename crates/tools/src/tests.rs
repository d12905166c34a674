//! Tests of the whole registry, and of tools on a scripted device.

mod argument_errors;
mod client_arguments;
mod commands;
mod covers;
mod elements;
mod files;
mod front_effects;
mod registry_laws;
mod rehearsals;
mod screens;
mod touches;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::registry::{entries, find};
use super::*;
use runner_device::fake::{Fake, node};
use runner_device::{Device, DeviceError, Input, ShellOutput};
use runner_engine::Session;

fn call() -> Call {
    Call {
        timeout: Duration::from_secs(5),
        app: Some("com.example".to_owned()),
        root: ".".into(),
        artifacts: "artifacts".into(),
        allow_shell: false,
        http_hosts: std::sync::Arc::default(),
        progress: Progress::default(),
        caller: Caller::default(),
    }
}

async fn run_on(session: &Session, name: &str, args: Value) -> Result<Outcome, Failure> {
    let entry = find(name).unwrap();
    entry.call(session, entry.arguments(args)?, &call()).await
}

async fn run(fake: &Arc<Fake>, name: &str, args: Value) -> Result<Outcome, Failure> {
    let session = Session::new(Arc::clone(fake) as Arc<dyn Device>);
    run_on(&session, name, args).await
}

fn button(attributes: &str) -> String {
    node("Button", attributes, [0, 100, 1080, 300], "")
}
