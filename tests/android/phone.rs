//! A virtual device with one of the twin apps, controlled over adb.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use runner::device::Device;
use runner_adb::Script;

use super::acts;
use super::observe::{Look, observe};
use super::rows::Row;
use super::table::Answer;
use crate::adb_server::Served;
use crate::common::Project;

const PACKAGE: &str = "com.example.judge";
const LIMIT: Duration = Duration::from_mins(1);
/// Limit for a script that the device takes at once, in bytes.
const MAX_SCRIPT: usize = 50_000;
/// `FLAG_ACTIVITY_NEW_TASK` and `FLAG_ACTIVITY_CLEAR_TASK`: the activity starts anew in the running process.
const ANEW: &str = "0x10008000";

pub struct Phone {
    _project: Project,
    _served: Served,
    device: Arc<dyn Device>,
    /// True if the app's own code runs, for which a new process takes seconds.
    is_hosted: bool,
}

impl Phone {
    /// Starts a device with a described app, or with an APK and the parts that it needs.
    pub async fn start(app: &Path, parts: Option<&Path>) -> Self {
        let project = Project::empty();
        let app = app.to_str().expect("a path");
        let mut command = project.command(&["virtual", "--port", "0", "--app", app]);
        if let Some(parts) = parts {
            command.env("RUNNER_ANDROID_PARTS", parts);
        }
        let served = Served::spawn(command);
        let device = runner::device::adb::connect_direct(&served.address, "judge").await;
        Self {
            device: device.expect("the device answers"),
            _project: project,
            _served: served,
            is_hosted: parts.is_some(),
        }
    }

    /// Runs a script in pieces of at most [`MAX_SCRIPT`] bytes.
    async fn shell(&self, script: &str) -> Result<String, String> {
        let mut said = String::new();
        let mut part = String::new();
        for command in script.split_inclusive("; ") {
            if part.len() + command.len() > MAX_SCRIPT {
                said += &self.run(&std::mem::take(&mut part)).await?;
            }
            part += command;
        }
        said += &self.run(&part).await?;
        Ok(said)
    }

    async fn run(&self, script: &str) -> Result<String, String> {
        let script = script.trim_end_matches("; ");
        let ran = self
            .device
            .shell(&Script::raw(script, "a row"), LIMIT)
            .await;
        let ran = ran.map_err(|error| error.to_string())?;
        if !ran.succeeded() {
            return Err(ran.message().excerpt(2000).to_string());
        }
        Ok(ran.text().into_owned())
    }

    /// Returns the model of the phone that answers.
    pub async fn versions(&self) -> String {
        let model = self.shell("getprop ro.product.model").await;
        model.expect("a model").trim().to_owned()
    }

    /// Answers a row in a new process of the app, if the running one is in another state.
    ///
    /// # Errors
    /// A part of the row that makes no sense on this app.
    pub async fn answer_in_new_process(&self, row: &Row) -> Result<Answer, String> {
        match self.answer(row).await {
            Ok(answer) => Ok(answer),
            Err(_) => {
                self.shell(&format!("am force-stop {PACKAGE}")).await?;
                self.answer(row).await
            }
        }
    }

    /// Opens the row's screen, does its acts and observes.
    ///
    /// # Errors
    /// A part of the row that makes no sense on this app.
    pub async fn answer(&self, row: &Row) -> Result<Answer, String> {
        let screen = &row.screen;
        let anew = if self.is_hosted {
            // A touch of the screen before: the row before may have gone by keys.
            format!("input tap 3 300; am start -n {PACKAGE}/{screen} -f {ANEW}")
        } else {
            // A touch of the status bar: the row before may have gone by keys.
            format!("am force-stop {PACKAGE}; input tap 3 3; am start -n {PACKAGE}/{screen}")
        };
        let density = row.density;
        self.shell(&format!("wm density {density}; {anew} >/dev/null"))
            .await?;
        let before = self.look().await?;
        let mut after = None;
        for part in acts::parts(row) {
            let look = after.as_ref().unwrap_or(&before);
            // At random, nobody means a place of what is not there: it is another place on the other twin.
            let first = if row.is_random { look } else { &before };
            let script = acts::script(part, row.density, first, look)?;
            if !script.is_empty() {
                self.shell(&script).await?;
            } else if after.is_some() {
                // A row that ends in `now` was looked at already.
                break;
            }
            after = Some(self.look().await?);
        }
        let after = after.unwrap_or_default();
        let see = row.see.iter();
        Ok(Answer(
            see.map(|see| (see.clone(), observe(see, row, &before, &after)))
                .collect(),
        ))
    }

    async fn look(&self) -> Result<Look, String> {
        let text = self.shell("uiautomator dump --windows /dev/tty").await?;
        Look::parse(&text)
    }
}
