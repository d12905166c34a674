use super::*;

#[test]
fn free_bytes_read() {
    let text = "Filesystem      1K-blocks    Used Available Use% Mounted on\n/dev/fuse       52640768 9316444  43193252  18% /storage/emulated\n";
    assert_eq!(read_free(text), Some(43_193_252 * 1024));
    assert_eq!(read_free("df: /x: No such file or directory"), None);
}

/// Tests with links, which the virtual device lacks: the scripts run in this computer's shell.
#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::sync::Mutex;
    use std::time::Duration;

    use super::super::*;
    use crate::{
        Counters, DeviceInfo, Input, LineStream, LookOptions, Picture, PictureOptions, ShellOutput,
    };
    use runner_screen::Screen;

    /// File system of this computer in place of a device's.
    #[derive(Default)]
    struct Host {
        counters: Counters,
        scripts: Mutex<Vec<String>>,
        /// Makes every transfer stop before its end.
        breaks: bool,
    }

    fn none<T>() -> Result<T, DeviceError> {
        Err(DeviceError::Protocol("only files".to_owned()))
    }

    #[async_trait::async_trait]
    impl Device for Host {
        fn info(&self) -> &DeviceInfo {
            unreachable!("files need none")
        }

        fn counters(&self) -> &Counters {
            &self.counters
        }

        async fn shell(&self, script: &Script, _: Duration) -> Result<ShellOutput, DeviceError> {
            self.scripts.lock().unwrap().push(script.text().to_owned());
            let mut shell = std::process::Command::new("sh");
            let output = shell.args(["-c", script.text()]).output().unwrap();
            Ok(ShellOutput {
                stdout: output.stdout,
                stderr: output.stderr,
                exit_code: output.status.code(),
            })
        }

        async fn lines(&self, _: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
            none()
        }

        async fn look(&self, _: LookOptions) -> Result<Screen, DeviceError> {
            none()
        }

        async fn picture(&self, _: PictureOptions) -> Result<Picture, DeviceError> {
            none()
        }

        async fn input(&self, _: &[Input], _: Duration) -> Result<(), DeviceError> {
            none()
        }

        async fn push(&self, data: &[u8], remote: &str, _: u32) -> Result<(), DeviceError> {
            if self.breaks {
                return none();
            }
            std::fs::write(remote, data).unwrap();
            Ok(())
        }

        async fn pull(&self, _: &str, _: u64) -> Result<Vec<u8>, DeviceError> {
            none()
        }
    }

    fn folders() -> (tempfile::TempDir, PathBuf, Location) {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(folder.path().join("outside")).unwrap();
        let location = Location::new(inside.to_str().unwrap()).unwrap();
        (folder, inside, location)
    }

    #[tokio::test]
    async fn no_folder_is_made_behind_a_link_that_leads_out() {
        let (folder, inside, location) = folders();
        symlink(folder.path().join("outside"), inside.join("a")).unwrap();
        for path in ["a/x.txt", "a/b/x.txt", "a/b/c/x.txt"] {
            let written = write(&Host::default(), &location, path, b"x").await;
            assert!(
                matches!(written, Err(FileError::Outside { .. })),
                "{path}: {written:?}"
            );
        }
        let left = std::fs::read_dir(folder.path().join("outside")).unwrap();
        assert_eq!(left.count(), 0);
    }

    #[tokio::test]
    async fn folders_are_made_where_they_stay_within() {
        let (_folder, inside, location) = folders();
        std::fs::create_dir(inside.join("real")).unwrap();
        symlink(inside.join("real"), inside.join("link")).unwrap();
        for path in ["link/b/x.txt", "-p/it's/x.txt", "new/x.txt"] {
            write(&Host::default(), &location, path, b"x")
                .await
                .unwrap();
        }
        assert!(inside.join("real/b/x.txt").exists());
        // A missing location is created too.
        let missing = Location::new(inside.join("later").to_str().unwrap()).unwrap();
        write(&Host::default(), &missing, "a/x.txt", b"x")
            .await
            .unwrap();
        assert!(inside.join("later/a/x.txt").exists());
    }

    #[tokio::test]
    async fn a_location_that_is_not_there_is_missing_and_not_left() {
        let (_folder, inside, _) = folders();
        let missing = Location::new(inside.join("later").to_str().unwrap()).unwrap();
        let host = Host::default();
        for path in ["", ".", "x.txt", "a/x.txt"] {
            for error in [
                list(&host, &missing, path).await.map(drop),
                stat(&host, &missing, path).await.map(drop),
                read(&host, &missing, path, 9).await.map(drop),
                append(&host, &missing, path, b"x").await,
                delete(&host, &missing, path).await,
            ] {
                assert!(
                    matches!(error, Err(FileError::NotFound { .. })),
                    "{path}: {error:?}"
                );
            }
        }
        let written = write(&host, &missing, "", b"x").await;
        assert!(
            matches!(written, Err(FileError::IsFolder { .. })),
            "{written:?}"
        );
        assert!(!inside.join("later").exists());
    }

    #[tokio::test]
    async fn a_name_may_end_with_a_space() {
        let (_folder, inside, location) = folders();
        std::fs::write(inside.join("x "), b"1").unwrap();
        let found = stat(&Host::default(), &location, "x ").await.unwrap();
        assert_eq!(found.name, "x ");
    }

    #[tokio::test]
    async fn what_a_broken_transfer_left_is_removed() {
        let (_folder, inside, location) = folders();
        std::fs::write(inside.join("x"), b"1").unwrap();
        let host = Host {
            breaks: true,
            ..Host::default()
        };
        append(&host, &location, "x", b"2").await.unwrap_err();
        let last = host.scripts.lock().unwrap().pop().unwrap();
        assert!(last.starts_with("rm -f /data/local/tmp/runner-"), "{last}");
    }
}
