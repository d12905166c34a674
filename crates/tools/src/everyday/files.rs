//! Steps that copy files between the project and the device.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::{Call, Failure, Outcome, StepSyntax, StepValue, Tool, Words, paths};
use runner_device::media;
use runner_engine::Session;
use runner_text::input_file::read_in_root;

/// Limit for a pushed file, in bytes. Chosen: larger than test data; it is read into memory.
const MAX_PUSHED_BYTES: u64 = 256 * 1024 * 1024;
/// Limit for a pulled file, in bytes. Chosen: it is held in memory.
const MAX_PULLED_BYTES: u64 = 64 * 1024 * 1024;

/// Returns `path` if it is a file's absolute path on the device: not ending in `/`, without `..`, line breaks and NUL.
/// Others are failures of usage. It is not checked for existence.
fn remote(path: &str) -> Result<&str, Failure> {
    let whole = path.starts_with('/')
        && !path.ends_with('/')
        && !path.contains(['\0', '\n', '\r'])
        && !path.split('/').any(|part| part == "..");
    if whole {
        Ok(path)
    } else {
        Err(Failure::usage(Words::format(
            "`{}` is not a file's path on the device; write one such as /sdcard/Download/a.txt",
            &[&path],
        )))
    }
}

/// Arguments of `push`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushArgs {
    /// File below the project's root.
    pub from: String,
    /// Absolute path on the device, with the file's name.
    pub to: String,
    /// Tell the device's gallery of it, for pictures, videos and sounds.
    #[serde(default)]
    pub scan: bool,
}

#[derive(Debug)]
pub struct Push;

impl Tool for Push {
    const NAME: &'static str = "push";
    const EXAMPLE: &'static str =
        "- push: { from: fixtures/cat.png, to: /sdcard/Download/cat.png }";
    const KEEPS: StepValue = StepValue::new(&[("bytes", "how many")]);
    const SUMMARY: &'static str = "Sends a file of the project to the device.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = PushArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        let to = args.get("to").and_then(Value::as_str);
        to.map_or(Ok(()), |to| remote(to).map(|_| ()))
    }

    /// Copies a file of the project to the device with mode 644, replacing one that is there, and on request tells
    /// Android's media store of it. The value is the number of bytes. A missing file, a link out of the project, and
    /// more than 256 MB are failures of usage.
    async fn call(session: &Session, args: PushArgs, call: &Call) -> Result<Outcome, Failure> {
        let from = paths::below(&call.root, &args.from)?;
        let to = remote(&args.to)?;
        let reading = {
            let (root, from) = (call.root.clone(), from.clone());
            tokio::task::spawn_blocking(move || read_in_root(root, from, MAX_PUSHED_BYTES))
        };
        let data = match reading.await {
            Ok(Ok(data)) => data,
            Ok(Err(error)) => {
                let error = std::io::Error::from(error);
                return Err(Failure::usage(Words::format("{}", &[&error])));
            }
            Err(error) => return Err(Failure::infrastructure(error.to_string())),
        };
        session.device().push(&data, to, 0o644).await?;
        if args.scan {
            media::scan(session.device(), to).await?;
        }
        Ok(Outcome::value(
            Words::format("Pushed {} to {}", &[&args.from, &to]),
            json!({ "bytes": data.len() }),
        ))
    }
}

/// Arguments of `pull`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PullArgs {
    /// Absolute path on the device.
    pub from: String,
    /// Path below the artifacts folder; by default the file's own name.
    #[serde(default)]
    pub to: Option<String>,
}

#[derive(Debug)]
pub struct Pull;

impl Tool for Pull {
    const NAME: &'static str = "pull";
    const EXAMPLE: &'static str = "- pull: /sdcard/Download/report.pdf";
    const KEEPS: StepValue = StepValue::new(&[
        ("path", "the file among the artifacts"),
        ("bytes", "how many"),
    ]);
    const SUMMARY: &'static str = "Fetches a file of the device into the artifacts.";
    const WRITING: StepSyntax = StepSyntax::Scalar("from");
    type Args = PullArgs;

    /// Checks the form of the path on the device, and that `to` does not leave the artifacts. Missing arguments pass
    /// here.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let text = |key| args.get(key).and_then(Value::as_str);
        text("from").map_or(Ok(()), |from| remote(from).map(|_| ()))?;
        let leaves = |to: &str| to.starts_with('/') || to.split('/').any(|part| part == "..");
        match text("to").filter(|to| leaves(to)) {
            Some(to) => Err(Failure::usage(Words::format(
                "`{}` leaves the artifacts; write a path below the folder of artifacts",
                &[&to],
            ))),
            None => Ok(()),
        }
    }

    /// Copies a file of the device, up to 64 MB, into the artifacts, under its own name or `to`. If there is a file of
    /// that name, the new one gets a number. The value has the written path and the number of bytes.
    async fn call(session: &Session, args: PullArgs, call: &Call) -> Result<Outcome, Failure> {
        let from = remote(&args.from)?;
        let name = from.rsplit('/').next().unwrap_or(from);
        let to = paths::below(&call.artifacts, args.to.as_deref().unwrap_or(name))?;
        let data = session.device().pull(from, MAX_PULLED_BYTES).await?;
        let bytes = data.len();
        let to = paths::write(to, data).await?;
        let text = Words::format("Pulled {} to {}", &[&from, &to]);
        Ok(Outcome::value(text, json!({ "bytes": bytes })).wrote(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_on_the_device() {
        assert!(remote("/sdcard/a b.txt").is_ok());
        for bad in ["", "a", "/sdcard/", "/sdcard/../data/x", "/a\nb"] {
            assert!(remote(bad).is_err(), "{bad}");
        }
    }
}
