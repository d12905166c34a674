//! Receives an app that a browser sends, and writes it to the project's artifacts under a safe name.

#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "an app that was sent, under a name of this program's making"
    )
)]

use std::io::ErrorKind;
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use camino::{Utf8Path, Utf8PathBuf};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Mutex;
use xxhash_rust::xxh3::Xxh3;

use runner_config::Config;
use runner_tools::Failure;

/// Bytes of an app. Chosen: Google Play allows the base module 500 MB; more would fill the disk.
const MAX_APP_BYTES: u64 = 512 << 20;

/// Time until the next part must arrive. Chosen: the browser is mostly on this machine.
const NEXT_TIMEOUT: Duration = Duration::from_secs(30);

/// Characters of a name that are kept. Chosen: readable in a step.
const MAX_NAME_CHARS: usize = 60;

/// Held from choosing a name until the file has it.
static NAMING: Mutex<()> = Mutex::const_new(());

/// First bytes of every APK, as of every ZIP archive.
const ZIP_MAGIC: &[u8] = b"PK";

/// Receives a file and stores it in the folder `installed` of the artifacts, or of `artifacts` in the project if
/// they lie elsewhere. Its name is made harmless. Returns its path relative to the project's root, for the step
/// `install`. A file with the same name and content is stored once; one with other content gets another name. After
/// an error nothing of it is left.
///
/// # Errors
/// Returns an error if it is no APK, larger than [`MAX_APP_BYTES`], does not arrive, or cannot be written.
pub(super) async fn receive(config: &Config, name: &str, body: Body) -> Result<String, Failure> {
    let artifacts = &config.artifacts.value;
    let folder = if artifacts.starts_with(&config.root) {
        artifacts.join("installed")
    } else {
        config.root.join("artifacts/installed")
    };
    let name = file_name(name);
    let failed =
        |error: std::io::Error| Failure::infrastructure(format!("{folder} takes no file: {error}"));
    tokio::fs::create_dir_all(&folder).await.map_err(failed)?;
    let part = PartialFile(folder.join(format!(".{:012x}.part", fastrand::u64(..1 << 48))));
    let mut file = tokio::fs::File::create(&part.0).await.map_err(failed)?;
    let hash = write(body, &mut file, failed).await?;
    // Another upload at the same time must choose its name after this one.
    let _alone = NAMING.lock().await;
    let path = free_path(folder.join(&name), hash).await.map_err(failed)?;
    tokio::fs::rename(&part.0, &path).await.map_err(failed)?;
    let below = path.strip_prefix(&config.root).unwrap_or(&path);
    Ok(below.to_string())
}

/// Returns the path if it is free or has the same app, else one with a part of the app's hash in its name: a step
/// may use the app that is there. The second path is not checked. Writes nothing. An error if the file that is
/// there cannot be read.
async fn free_path(path: Utf8PathBuf, hash: u64) -> std::io::Result<Utf8PathBuf> {
    let mut hasher = Xxh3::new();
    let mut file = match tokio::fs::File::open(&path).await {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(path),
        Err(error) => return Err(error),
    };
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part).await? {
            0 => break,
            length => hasher.update(part.get(..length).unwrap_or_default()),
        }
    }
    if hasher.digest() == hash {
        return Ok(path);
    }
    let stem = path.file_stem().unwrap_or("app");
    Ok(path.with_file_name(format!("{stem}-{:08x}.apk", hash >> 32)))
}

/// Writes the received bytes to the end of the body and returns their hash. Only the first bytes, those of a ZIP
/// file, are checked. Returns an error for other bytes, for an empty body, for one that breaks off, for more than
/// [`MAX_APP_BYTES`], and if the next bytes do not come within [`NEXT_TIMEOUT`]. What was written by then stays in
/// the file.
async fn write(
    mut body: Body,
    file: &mut tokio::fs::File,
    failed: impl Fn(std::io::Error) -> Failure,
) -> Result<u64, Failure> {
    let mut hasher = Xxh3::new();
    let no_app = || Failure::usage("this is not an APK; drop a file that ends with `.apk`");
    let mut bytes = 0_u64;
    loop {
        let next = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx));
        let frame = tokio::time::timeout(NEXT_TIMEOUT, next).await;
        let frame = frame.map_err(|_| Failure::usage("the file did not come; send it again"))?;
        let Some(frame) = frame else { break };
        let frame =
            frame.map_err(|error| Failure::usage(format!("the file broke off: {error}")))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        // A frame may hold one byte only.
        let missing = ZIP_MAGIC.get(bytes as usize..).unwrap_or_default();
        if data
            .iter()
            .zip(missing)
            .any(|(byte, wanted)| byte != wanted)
        {
            return Err(no_app());
        }
        bytes += data.len() as u64;
        if bytes > MAX_APP_BYTES {
            let megabytes = MAX_APP_BYTES >> 20;
            return Err(Failure::usage(format!(
                "the app is larger than {megabytes} MB; put it into the project, and write the step `install`"
            )));
        }
        hasher.update(&data);
        file.write_all(&data).await.map_err(&failed)?;
    }
    if bytes < ZIP_MAGIC.len() as u64 {
        return Err(no_app());
    }
    file.flush().await.map_err(&failed)?;
    Ok(hasher.digest())
}

/// Incomplete file, removed when it is dropped.
struct PartialFile(Utf8PathBuf);

impl Drop for PartialFile {
    fn drop(&mut self) {
        // Already gone if it was renamed.
        let _ = fs_err::remove_file(&self.0);
    }
}

/// Returns the last part of a name, with ASCII letters, digits, `.`, `_` and `-` only and the ending `.apk` in
/// place of its own; `app.apk` if nothing is left. All other characters and the dots at the start are removed,
/// but `%20` becomes `-`. At most [`MAX_NAME_CHARS`] characters are kept before the ending.
fn file_name(name: &str) -> String {
    let name = name.replace("%20", "-");
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = Utf8Path::new(last).file_stem().unwrap_or_default();
    let plain = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let stem: String = stem.chars().filter(plain).take(MAX_NAME_CHARS).collect();
    let stem = stem.trim_start_matches('.');
    format!("{}.apk", if stem.is_empty() { "app" } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_base::context::Context;
    use runner_config::Overrides;

    #[test]
    fn a_name_is_no_path() {
        for (name, wanted) in [
            ("notes.apk", "notes.apk"),
            ("../../etc/passwd", "passwd.apk"),
            ("C:\\x\\My%20App.apk", "My-App.apk"),
            (".apk", "apk.apk"),
            ("", "app.apk"),
            ("..", "app.apk"),
            ("%2e%2e%2fa.apk", "2e2e2fa.apk"),
        ] {
            assert_eq!(file_name(name), wanted, "{name}");
        }
    }

    #[tokio::test]
    async fn only_an_apk_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        fs_err::write(root.join("runner.yaml"), "devices: [virtual]\n").unwrap();
        let context = Context::fixed(root.clone(), std::collections::BTreeMap::default());
        let config = Config::resolve(&context, &Overrides::default()).unwrap();
        let refused = receive(&config, "a.apk", Body::from("no archive")).await;
        assert!(refused.unwrap_err().message.contains("not an APK"));
        assert!(receive(&config, "a.apk", Body::empty()).await.is_err());
        let frames = ["P", "age"].map(|frame| Ok::<_, std::io::Error>(frame.to_owned()));
        let in_parts = Body::from_stream(futures_util::stream::iter(frames));
        assert!(receive(&config, "a.apk", in_parts).await.is_err());
        let path = receive(&config, "../a.apk", Body::from("PK\u{3}\u{4}"))
            .await
            .unwrap();
        assert!(
            path.ends_with("installed/a.apk") && root.join(&path).exists(),
            "{path}"
        );
        let files = || {
            let files = fs_err::read_dir(root.join(&path).parent().unwrap()).unwrap();
            files.count()
        };
        assert_eq!(files(), 1, "nothing that was begun is left");
        // Another app of the same name: the step for the first one continues to install that.
        let other = receive(&config, "a.apk", Body::from("PK other")).await;
        let other = other.unwrap();
        assert_ne!(other, path);
        for (path, bytes) in [(&path, "PK\u{3}\u{4}"), (&other, "PK other")] {
            assert_eq!(fs_err::read_to_string(root.join(path)).unwrap(), bytes);
            let again = receive(&config, "a.apk", Body::from(bytes)).await.unwrap();
            assert_eq!(&again, path);
        }
        assert_eq!(files(), 2);
    }
}
