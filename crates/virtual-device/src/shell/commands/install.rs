//! `pm install`: an APK from standard input or from a file, or the folder of an app.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio_util::sync::CancellationToken;

use super::{Call, Outcome, RunningCommand};
use crate::PhoneError;
use crate::apk::{self, ApkError, ApkManifest};
use crate::shell::run::Streams;
use crate::state::DeviceState;
use crate::storage::installed_apks::NewApk;
use crate::storage::{MAX_FILE, StorageError};
use runner_text::input_file::{MAX_SENT, open_regular};

/// Reason why nothing was installed: the text in the brackets of `Failure [...]`.
#[derive(Debug, thiserror::Error)]
enum InstallError {
    #[error("INSTALL_FAILED_INSUFFICIENT_STORAGE")]
    NoRoom,
    #[error("INSTALL_FAILED_INSUFFICIENT_STORAGE: {0}")]
    Storage(#[from] StorageError),
    #[error("INSTALL_FAILED_INSUFFICIENT_STORAGE: {0}")]
    Io(#[from] std::io::Error),
    #[error("{}: Failed to parse {path}: {source}{}", .source.code(), path_behind(.source, .path))]
    Parse { path: String, source: ApkError },
    #[error(
        "INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #{wanted} (current version is #{sdk})"
    )]
    OlderSdk { wanted: u32, sdk: u32 },
    #[error("INSTALL_FAILED_TEST_ONLY: Failed to install test-only apk. Did you forget to add -t?")]
    TestOnly,
    #[error("INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {0} without first uninstalling.")]
    AlreadyExists(String),
    #[error(
        "INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code {new} is older than current {current}"
    )]
    Downgrade { new: u64, current: u64 },
    #[error(
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package {package} runs its own code here, and only the APK that was named: {named}"
    )]
    NotNamed { package: String, named: String },
    #[error("INSTALL_FAILED_INTERNAL_ERROR")]
    Internal,
    #[error(transparent)]
    Phone(#[from] PhoneError),
}

/// Returns the path, after a space, that Android prints once more behind the error of a file that is no APK.
/// Other errors give an empty text.
fn path_behind(error: &ApkError, path: &str) -> String {
    match error {
        ApkError::NotApk => format!(" {path}"),
        ApkError::Manifest(_) | ApkError::Package(_) => String::new(),
    }
}

/// Error of `-S` without a number.
#[derive(Debug, thiserror::Error)]
#[error(
    "\nException occurred while executing 'install':\njava.lang.NumberFormatException: For input string: \"{0}\""
)]
struct SizeError(String);

/// Options of `pm install`.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct Options {
    /// `-S`: bytes on standard input.
    size: Option<u64>,
    path: Option<String>,
    /// `-R`: refuse a package that is installed already.
    keep_existing: bool,
    downgrade: bool,
    test_only: bool,
    grant: bool,
}

impl Options {
    /// Parses the arguments of an installation. Unknown flags are ignored, and the last free word is the path.
    /// Fails for a malformed or missing size.
    fn parse(args: &[String]) -> Result<Self, SizeError> {
        let mut options = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-S" => {
                    let size = words.next().map(String::as_str).unwrap_or_default();
                    let size = size.parse().map_err(|_| SizeError(size.to_owned()))?;
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

/// `pm install [FLAGS] [-S SIZE | PATH]`. With a size and no path, or `-` as path, the APK is read from standard
/// input after this returns. A size beyond the limit or a full storage is refused at once. What cannot be installed
/// gives `Failure [...]` and 1, neither size nor path 1, and a malformed size 255.
pub(super) fn install(call: &mut Call, args: &[String]) -> Outcome {
    let options = match Options::parse(args) {
        Ok(options) => options,
        Err(error) => return call.fail(255, error.to_string()),
    };
    call.device.take_storage_fault();
    match (&options.path, options.size) {
        (None | Some(_), Some(size)) if options.path.as_deref().is_none_or(|path| path == "-") => {
            if call.device.storage.is_full() || size > MAX_FILE {
                return answer(call, Err(InstallError::NoRoom));
            }
            match call.device.storage.begin_apk() {
                Ok(file) => Outcome::Running(RunningCommand::Install(InstallStream {
                    file,
                    remaining: size,
                    options,
                })),
                Err(error) => answer(call, Err(error.into())),
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

/// Installs from a file or an app's folder on the device, and prints the result. A missing file exits with 255, a
/// failure with 1. An attempt with a file that is there advances the time by 400 ms.
fn from_path(call: &mut Call, path: &str, options: &Options) -> Outcome {
    let device = Arc::clone(&call.device);
    if device.storage.is_full() {
        return answer(call, Err(InstallError::NoRoom));
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
        // The folder of an app, pushed as it is: `app.yaml` and its messages.
        let installed = device.phone().install(folder);
        installed
            .map(|package| {
                device.storage.count_install(&package);
                device.settle_packages();
            })
            .map_err(InstallError::from)
    } else {
        device
            .storage
            .begin_apk()
            .and_then(|mut new| {
                std::io::copy(
                    &mut open_regular(&host, MAX_SENT).map_err(std::io::Error::from)?,
                    new.file(),
                )?;
                Ok(new)
            })
            .map_err(InstallError::from)
            .and_then(|new| finish(&device, new, options))
    };
    call.spend(Duration::from_millis(400));
    answer(call, installed)
}

fn answer(call: &mut Call, installed: Result<(), InstallError>) -> Outcome {
    let (line, code) = to_output(installed);
    call.say(line);
    Outcome::Exit(code)
}

/// Returns the line that tells the result, and the exit code: `Success` and 0, or `Failure [...]` and 1.
fn to_output(installed: Result<(), InstallError>) -> (String, i32) {
    match installed {
        Ok(()) => ("Success".to_owned(), 0),
        Err(reason) => (format!("Failure [{reason}]"), 1),
    }
}

/// Installs a complete APK: checks it, stores it, and ends its package. An app that is there goes on if one of the
/// first two fails. If options named an APK for this package, only the same bytes are installed. Any other APK is
/// refused and is a fault of the host computer.
fn finish(device: &DeviceState, mut new: NewApk, options: &Options) -> Result<(), InstallError> {
    let path = new.path();
    let manifest =
        apk::read(new.rewind()?).map_err(|source| InstallError::Parse { path, source })?;
    check(device, &manifest, options)?;
    let package = manifest.package.clone();
    if let Some(named) = device.named_apk(&package)
        && !is_same(new.rewind()?, &named)?
    {
        let error = InstallError::NotNamed {
            package,
            named: named.into_string(),
        };
        device.report_host_fault(&error.to_string());
        return Err(error);
    }
    // First what may fail: the app that is there goes on if it does.
    device.storage.store_apk(new, &package)?;
    device.end_package(&package);
    device
        .phone()
        .install_apk(Arc::new(manifest), options.grant)?;
    device.settle_packages();
    device.collect_log();
    Ok(())
}

/// Returns true if two files have the same bytes. Fails if one cannot be read.
fn is_same(new: &std::fs::File, named: &camino::Utf8Path) -> std::io::Result<bool> {
    use std::io::{BufReader, Read as _};
    let named = open_regular(named, MAX_SENT).map_err(std::io::Error::from)?;
    if new.metadata()?.len() != named.metadata()?.len() {
        return Ok(false);
    }
    let (mut new, mut named) = (BufReader::new(new).bytes(), BufReader::new(named).bytes());
    loop {
        match (new.next().transpose()?, named.next().transpose()?) {
            (None, None) => return Ok(true),
            (new, named) if new == named => {}
            _ => return Ok(false),
        }
    }
}

/// Refuses an APK that Android refuses: for a later SDK, for tests without `-t`, already installed if that
/// must not be replaced, an older version, or for a package of the system. `-d` allows an older version if the
/// APK is debuggable.
fn check(device: &DeviceState, apk: &ApkManifest, options: &Options) -> Result<(), InstallError> {
    let sdk = device.property("ro.build.version.sdk");
    let sdk: u32 = sdk.parse().unwrap_or(u32::MAX);
    if apk.min_sdk > sdk {
        return Err(InstallError::OlderSdk {
            wanted: apk.min_sdk,
            sdk,
        });
    }
    if apk.test_only && !options.test_only {
        return Err(InstallError::TestOnly);
    }
    let packages = device.phone().packages();
    let Some(before) = packages
        .iter()
        .find(|package| package.package == apk.package)
    else {
        return Ok(());
    };
    if options.keep_existing {
        return Err(InstallError::AlreadyExists(apk.package.clone()));
    }
    // `-d` is for packages that are made for debugging.
    if apk.version_code < before.version_code && !(options.downgrade && apk.debuggable) {
        return Err(InstallError::Downgrade {
            new: apk.version_code,
            current: before.version_code,
        });
    }
    if before.system {
        return Err(PhoneError::SystemPackage(apk.package.clone()).into());
    }
    Ok(())
}

/// An APK that arrives over standard input.
#[derive(Debug)]
pub(in super::super) struct InstallStream {
    file: NewApk,
    remaining: u64,
    options: Options,
}

impl InstallStream {
    /// Receives the rest of the APK, installs it and prints the result. Returns the exit code, 130 if it is
    /// interrupted while it receives; an installation that has begun is finished.
    pub(super) async fn run_to_end(
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
            .unwrap_or(Err(InstallError::Internal)),
            Err(error) => Err(error.into()),
        };
        let (line, code) = to_output(installed);
        let _ = streams.out.write(format!("{line}\n").into_bytes()).await;
        code
    }

    /// Receives as many bytes as were announced, and ignores more. It does not wait for the end of the input,
    /// since the peer keeps it open until the answer. Input that ends early is no error here.
    async fn receive(&mut self, streams: &Streams) -> std::io::Result<()> {
        let mut file = tokio::fs::File::from_std(self.file.handle()?);
        while self.remaining > 0 {
            // A peer that ends its input early has sent an incomplete APK, whose reading fails.
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
