//! Lists the device's apps for launching them, and wakes the device.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::Value;
use tokio::time::timeout;

use super::answer::{self, Answer, SharedStudio};
use super::messages::EmptyAnswer;
use super::{Studio, StudioError};
use runner_device::{apps, system};
use runner_tools::Failure;

/// Time for the device to answer. Chosen: labels of several hundred apps take seconds on slow phones.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Apps sent to a page. Chosen: phones have some hundred; it bounds the answer.
const MAX_APPS: usize = 1000;

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/device/apps", post(list))
        .route("/device/wake", post(wake))
}

#[derive(Serialize)]
struct AppLine {
    package: String,
    label: Option<String>,
    version: Option<String>,
    /// True if the app came with the device.
    system: bool,
}

#[derive(Serialize)]
struct AppsAnswer {
    apps: Vec<AppLine>,
}

/// Returns the installed apps with secrets masked, those that people installed before those of the system, at most
/// [`MAX_APPS`]. Those of equal kind stay in the device's order. An error if the device cannot be opened or does
/// not answer within `ANSWER_TIMEOUT`.
async fn list(State(studio): SharedStudio, Json(_): Json<Value>) -> Answer {
    let listed = within_limit(async {
        let _beside = studio.workspace.connection.lock_shared().await;
        let opened = studio.workspace.connection.opened().await?;
        apps::list(opened.device().as_ref(), apps::AppFilter::All).await
    });
    let mut found = listed
        .await
        .map_err(|error| answer::to_problem(&studio, error))?;
    found.sort_by_key(|app| app.system);
    let apps = found.into_iter().take(MAX_APPS).map(|app| AppLine {
        package: app.package,
        label: app.label,
        version: app.version_name,
        system: app.system,
    });
    let apps = apps.collect();
    Ok(Json(studio.scrubbed(AppsAnswer { apps })))
}

/// Turns the screen on if need be, and dismisses a lock screen without PIN or pattern. A lock with one stays, which is
/// an error, and so is a device that is still starting. Does nothing on a device behind a server, or one that is ready.
/// After it the next picture comes at once. Nothing is recorded.
async fn wake(State(studio): SharedStudio, Json(_): Json<Value>) -> Answer<EmptyAnswer> {
    let woken = within_limit(async {
        let _beside = studio.workspace.connection.lock_shared().await;
        let opened = studio.workspace.connection.opened().await?;
        system::make_ready(opened.device().as_ref()).await
    });
    woken
        .await
        .map_err(|error| answer::to_problem(&studio, error))?;
    studio.acted.notify_one();
    Ok(Json(EmptyAnswer {}))
}

/// Waits for the work at most `ANSWER_TIMEOUT`; the work is dropped then, and the error says so. Other errors are
/// those of the work.
async fn within_limit<T>(
    work: impl Future<Output = Result<T, runner_device::DeviceError>>,
) -> Result<T, StudioError> {
    match timeout(ANSWER_TIMEOUT, work).await {
        Ok(done) => Ok(done.map_err(Failure::from)?),
        Err(_) => {
            let message = format!(
                "the device did not answer within {} s; try again",
                ANSWER_TIMEOUT.as_secs()
            );
            Err(Failure::device(message).into())
        }
    }
}
