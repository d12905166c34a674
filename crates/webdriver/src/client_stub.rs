//! Stand-in for the driver in builds without the feature `client`.

use std::sync::Arc;

use crate::WebDriverSpec;
use runner_device::{Device, DeviceError};

/// Fails, as this build has no client.
///
/// # Errors
///
/// Always.
pub async fn connect(
    _: &WebDriverSpec,
    label: &str,
    _: &(dyn Fn(&str) + Send + Sync),
) -> Result<Arc<dyn Device>, DeviceError> {
    Err(DeviceError::Unusable {
        serial: label.to_owned(),
        state: "not reachable".to_owned(),
        advice: "this program was built without its feature `webdriver`".to_owned(),
    })
}
