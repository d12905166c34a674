//! The device's apps, to be launched.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::Value;
use tokio::time::timeout;

use super::answer::{self, Answer, Shared};
use super::messages::Done;
use super::{Studio, StudioError};
use runner_device::{apps, system};
use runner_tools::Failure;

/// How long the device may take to answer.
const LIMIT: Duration = Duration::from_secs(30);

/// Apps that a page receives.
const MOST: usize = 1000;

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/device/apps", post(list))
        .route("/device/wake", post(wake))
}

/// An app that is installed.
#[derive(Serialize)]
struct AppLine {
    package: String,
    label: Option<String>,
    version: Option<String>,
    /// It came with the device.
    system: bool,
}

/// Installed apps.
#[derive(Serialize)]
struct AppsAnswer {
    apps: Vec<AppLine>,
}

/// The apps that are installed, those that people installed first.
async fn list(State(studio): Shared, Json(_): Json<Value>) -> Answer {
    let listed = within_limit(async {
        let _beside = studio.workspace.connection.lock_shared().await;
        let opened = studio.workspace.connection.opened().await?;
        apps::list(opened.device().as_ref(), apps::AppFilter::All).await
    });
    let mut found = listed
        .await
        .map_err(|error| answer::to_problem(&studio, error))?;
    found.sort_by_key(|app| app.system);
    let apps = found.into_iter().take(MOST).map(|app| AppLine {
        package: app.package,
        label: app.label,
        version: app.version_name,
        system: app.system,
    });
    let apps = apps.collect();
    Ok(Json(studio.scrubbed(AppsAnswer { apps })))
}

/// Switches the screen on, and takes away a lock screen that asks for nothing.
async fn wake(State(studio): Shared, Json(_): Json<Value>) -> Answer<Done> {
    let woken = within_limit(async {
        let _beside = studio.workspace.connection.lock_shared().await;
        let opened = studio.workspace.connection.opened().await?;
        system::make_ready(opened.device().as_ref()).await
    });
    woken
        .await
        .map_err(|error| answer::to_problem(&studio, error))?;
    studio.acted.notify_one();
    Ok(Json(Done {}))
}

async fn within_limit<T>(
    work: impl Future<Output = Result<T, runner_device::DeviceError>>,
) -> Result<T, StudioError> {
    match timeout(LIMIT, work).await {
        Ok(done) => Ok(done.map_err(Failure::from)?),
        Err(_) => {
            let message = format!(
                "the device did not answer within {} s; try again",
                LIMIT.as_secs()
            );
            Err(Failure::device(message).into())
        }
    }
}
