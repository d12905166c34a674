//! Status of files and folders, as `stat` on the device prints it.

/// Status of a file or folder on the device, links followed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FileStat {
    /// Last part of the path.
    pub name: String,
    pub is_folder: bool,
    /// Size in bytes; 0 for a folder.
    pub size: u64,
    /// Time of the last change, in seconds since 1970.
    pub modified: i64,
}

/// Format of `stat` for [`read_stat`]. The name is last, as it may hold anything but a line end.
pub(super) const STAT: &str = "%F|%s|%Y|%n";

/// Parses a line `KIND|SIZE|MODIFIED|PATH`. A folder's size is 0, and the name is the path's last part. `None` for
/// another form.
pub(super) fn read_stat(line: &str) -> Option<FileStat> {
    let mut parts = line.trim_end_matches('\r').splitn(4, '|');
    let kind = parts.next()?;
    let size: u64 = parts.next()?.parse().ok()?;
    let modified = parts.next()?.parse().ok()?;
    let path = parts.next()?;
    let is_folder = kind == "directory";
    Some(FileStat {
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        is_folder,
        size: if is_folder { 0 } else { size },
        modified,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_lines_read() {
        let file = read_stat("regular file|12|1700000000|/sdcard/a|b.txt").unwrap();
        assert_eq!(
            (file.name.as_str(), file.size, file.is_folder),
            ("a|b.txt", 12, false)
        );
        let folder = read_stat("directory|4096|1700000000|Download").unwrap();
        assert_eq!((folder.size, folder.is_folder), (0, true));
        assert_eq!(read_stat("stat: '*': No such file or directory"), None);
    }
}
