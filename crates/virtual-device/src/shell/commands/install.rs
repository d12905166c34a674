//! `pm install`: an APK from standard input or from a file, or the folder of an app.

use std::sync::Arc;
use std::time::Duration;

use fs_err::File;
use tokio::io::AsyncWriteExt as _;
use tokio_util::sync::CancellationToken;

use super::{Call, Outcome, RunningCommand};
use crate::apk::{self, ApkManifest};
use crate::shell::run::Streams;
use crate::state::DeviceState;
use crate::storage::{MAX_FILE, NewApk};

const NO_ROOM: &str = "INSTALL_FAILED_INSUFFICIENT_STORAGE";

/// What `pm install`'s words ask for.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct Options {
    /// `-S`: bytes on standard input.
    size: Option<u64>,
    path: Option<String>,
    /// `-R`: refuse what is installed already.
    keep_existing: bool,
    downgrade: bool,
    test_only: bool,
    grant: bool,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-S" => {
                    let size = words.next().map(String::as_str).unwrap_or_default();
                    let size = size.parse().map_err(|_| {
                        format!("\nException occurred while executing 'install':\njava.lang.NumberFormatException: For input string: \"{size}\"")
                    })?;
                    options.size = Some(size);
                }
                "-i"
                | "-p"
                | "--abi"
                | "--user"
                | "--install-location"
                | "--install-reason"
                | "--originating-uri"
                | "--referrer"
                | "--staged-ready-timeout" => {
                    words.next();
                }
                "-R" => options.keep_existing = true,
                "-d" => options.downgrade = true,
                "-t" => options.test_only = true,
                "-g" => options.grant = true,
                flag if flag.starts_with('-') && flag.len() > 1 => {}
                path => options.path = Some(path.to_owned()),
            }
        }
        Ok(options)
    }
}

/// `pm install [FLAGS] [-S SIZE | PATH]`
pub(super) fn install(call: &mut Call, args: &[String]) -> Outcome {
    let options = match Options::parse(args) {
        Ok(options) => options,
        Err(problem) => return call.fail(255, problem),
    };
    call.device.take_storage_fault();
    match (&options.path, options.size) {
        (None | Some(_), Some(size)) if options.path.as_deref().is_none_or(|path| path == "-") => {
            if call.device.storage.is_full() || size > MAX_FILE {
                return answer(call, Err(NO_ROOM.to_owned()));
            }
            match call.device.storage.begin_apk() {
                Ok(file) => Outcome::Goes(RunningCommand::Install(Receiving {
                    file,
                    remaining: size,
                    options,
                })),
                Err(error) => answer(call, Err(format!("{NO_ROOM}: {error}"))),
            }
        }
        (Some(path), _) => {
            let path = call.path(path);
            from_path(call, &path, &options)
        }
        (None, _) => call.fail(
            1,
            "Error: must either specify a package size or an APK file",
        ),
    }
}

fn from_path(call: &mut Call, path: &str, options: &Options) -> Outcome {
    let device = Arc::clone(&call.device);
    if device.storage.is_full() {
        return answer(call, Err(NO_ROOM.to_owned()));
    }
    let Ok(stat) = device.storage.stat(path) else {
        return call.fail(
            255,
            format!("Error: Unable to open file: {path}\nError: Can't open file: {path}"),
        );
    };
    let host = match device.storage.host(path) {
        Ok(host) => host,
        Err(error) => return call.fail(1, format!("Error: Unable to open file: {path}: {error}")),
    };
    let installed = if stat.is_folder() {
        let Some(folder) = camino::Utf8Path::from_path(&host) else {
            return call.fail(1, format!("Error: Unable to open file: {path}"));
        };
        folder_of_app(&device, folder)
    } else {
        device
            .storage
            .begin_apk()
            .and_then(|mut new| {
                std::io::copy(&mut File::open(&host)?, new.file())?;
                Ok(new)
            })
            .map_err(|error| format!("{NO_ROOM}: {error}"))
            .and_then(|new| finish(&device, new, options))
    };
    call.spend(Duration::from_millis(400));
    answer(call, installed)
}

/// The folder of an app, pushed as it is: `app.yaml` and its messages.
fn folder_of_app(device: &DeviceState, folder: &camino::Utf8Path) -> Result<(), String> {
    let installed = device.phone().install(folder);
    installed.map(drop).map_err(|reason| {
        if reason.starts_with("INSTALL_") {
            reason
        } else {
            format!("INSTALL_FAILED_INVALID_APK: {reason}")
        }
    })
}

fn answer(call: &mut Call, installed: Result<(), String>) -> Outcome {
    let (line, code) = to_output(installed);
    call.say(line);
    Outcome::Exit(code)
}

fn to_output(installed: Result<(), String>) -> (String, i32) {
    match installed {
        Ok(()) => ("Success".to_owned(), 0),
        Err(reason) => (format!("Failure [{reason}]"), 1),
    }
}

/// Installs an APK that is there as a whole. `Err` is what stands in the brackets of `Failure [...]`.
fn finish(device: &DeviceState, mut new: NewApk, options: &Options) -> Result<(), String> {
    let path = new.path();
    let parsed = new
        .rewind()
        .map_err(|error| format!("{NO_ROOM}: {error}"))
        .and_then(|file| {
            apk::read(file).map_err(|error| {
                let code = error.code();
                let of = if code == "INSTALL_PARSE_FAILED_NOT_APK" {
                    format!(" {path}")
                } else {
                    String::new()
                };
                format!("{code}: Failed to parse {path}: {error}{of}")
            })
        });
    let manifest = parsed?;
    check(device, &manifest, options)?;
    let package = manifest.package.clone();
    device.end_package(&package);
    device
        .phone()
        .install_apk(Arc::new(manifest), options.grant)?;
    device
        .storage
        .keep_apk(new, &package)
        .map_err(|error| format!("{NO_ROOM}: {error}"))?;
    device.settle_packages();
    device.collect_log();
    Ok(())
}

/// What Android refuses.
fn check(device: &DeviceState, apk: &ApkManifest, options: &Options) -> Result<(), String> {
    let sdk = device.property("ro.build.version.sdk");
    let sdk: u32 = sdk.parse().unwrap_or(u32::MAX);
    if apk.min_sdk > sdk {
        return Err(format!(
            "INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #{} (current version is #{sdk})",
            apk.min_sdk
        ));
    }
    if apk.test_only && !options.test_only {
        return Err(
            "INSTALL_FAILED_TEST_ONLY: Failed to install test-only apk. Did you forget to add -t?"
                .to_owned(),
        );
    }
    let packages = device.phone().packages();
    let Some(before) = packages
        .iter()
        .find(|package| package.package == apk.package)
    else {
        return Ok(());
    };
    if options.keep_existing {
        return Err(format!(
            "INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {} without first uninstalling.",
            apk.package
        ));
    }
    // `-d` is for packages that are made for debugging.
    if apk.version_code < before.version_code && !(options.downgrade && apk.debuggable) {
        return Err(format!(
            "INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code {} is older than current {}",
            apk.version_code, before.version_code
        ));
    }
    Ok(())
}

/// An APK that comes over standard input.
#[derive(Debug)]
pub(in super::super) struct Receiving {
    file: NewApk,
    remaining: u64,
    options: Options,
}

impl Receiving {
    pub(super) async fn go(
        mut self,
        device: &Arc<DeviceState>,
        interrupt: &CancellationToken,
        streams: &Streams,
    ) -> i32 {
        let Some(received) = interrupt.run_until_cancelled(self.receive(streams)).await else {
            return 130;
        };
        let device = Arc::clone(device);
        let installed = match received {
            Ok(()) => tokio::task::spawn_blocking(move || {
                if device.realistic {
                    std::thread::sleep(Duration::from_millis(400));
                }
                let installed = finish(&device, self.file, &self.options);
                device.pass(Duration::from_millis(400));
                installed
            })
            .await
            .unwrap_or_else(|_| Err("INSTALL_FAILED_INTERNAL_ERROR".to_owned())),
            Err(error) => Err(format!("{NO_ROOM}: {error}")),
        };
        let (line, code) = to_output(installed);
        let _ = streams.out.write(format!("{line}\n").into_bytes()).await;
        code
    }

    /// Takes as many bytes as were announced: the peer keeps its input open and waits for the answer.
    async fn receive(&mut self, streams: &Streams) -> std::io::Result<()> {
        let mut file = tokio::fs::File::from_std(self.file.handle()?);
        while self.remaining > 0 {
            // A peer that says no more than this has sent a part only, which does not read.
            let Some(bytes) = streams.stdin.read_some().await else {
                break;
            };
            let length =
                usize::try_from(self.remaining).map_or(bytes.len(), |left| bytes.len().min(left));
            file.write_all(&bytes[..length]).await?;
            self.remaining -= length as u64;
        }
        file.flush().await
    }
}
