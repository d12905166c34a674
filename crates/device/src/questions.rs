//! Asks a device several questions at once, for their answers as text.

use std::time::Duration;

use super::{Device, DeviceError, Sections, ShellOutput};
use runner_text::secret::from_outside;

impl Sections {
    /// Runs the script and returns the output of each part as text, in the order of the questions; a missing
    /// part is empty. The exit code is that of the last part, and is not checked.
    ///
    /// # Errors
    /// Fails if the script was killed (exit code 137), or the device does not answer within `limit`.
    pub(crate) async fn answers<const N: usize>(
        &self,
        device: &dyn Device,
        label: &str,
        limit: Duration,
    ) -> Result<[String; N], DeviceError> {
        let output = device.shell(&self.script(label), limit).await?;
        DeviceError::refuse_killed(label, &output)?;
        let parts = self.split(&output.stdout);
        Ok(std::array::from_fn(|index| {
            let part = parts.get(index).copied().unwrap_or_default();
            from_outside(part).into_owned()
        }))
    }
}

/// Asks several questions at once by [`Device::ask`], and returns their answers as text, in order; an answer that
/// is missing is empty. Exit codes are not checked, except 137.
///
/// # Errors
/// Fails if a question was killed, or the device does not answer within `limit`.
pub(crate) async fn ask_texts<const N: usize>(
    device: &dyn Device,
    label: &str,
    questions: [&str; N],
    limit: Duration,
) -> Result<[String; N], DeviceError> {
    let answers = device.ask(&questions, label, limit).await?;
    for answer in &answers {
        DeviceError::refuse_killed(label, answer)?;
    }
    Ok(std::array::from_fn(|index| {
        let answer = answers.get(index).map(ShellOutput::text);
        answer.unwrap_or_default().into_owned()
    }))
}
