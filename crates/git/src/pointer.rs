//! Recognizes pointers of Git LFS: small text files in the place of large files that were not downloaded.
//! Source: the specification of Git LFS, docs/spec.md of its repository.

/// Bytes that a pointer is shorter than, as the specification says.
pub(super) const MAX_BYTES: usize = 1024;
/// First lines that Git LFS accepts: the current one, and two from before its first release.
const VERSIONS: [&str; 3] = [
    "version https://git-lfs.github.com/spec/v1",
    "version http://git-media.io/v/2",
    "version https://hawser.github.com/spec/v1",
];

/// A pointer, in the place of a file that was not downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// SHA-256 of the file's content, as 64 hexadecimal digits.
    pub digest: String,
    /// Size of the file, in bytes.
    pub size: u64,
}

impl Pointer {
    /// Parses a pointer of Git LFS: less than 1024 bytes of text with a known version in the first line, a
    /// SHA-256 and a size. Other lines are ignored. Returns `None` if `bytes` are any other file.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.len() >= MAX_BYTES {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        let version = lines.next()?;
        if !VERSIONS.contains(&version) {
            return None;
        }
        let (mut digest, mut size) = (None, None);
        for line in lines {
            match line.split_once(' ') {
                Some(("oid", value)) => digest = value.strip_prefix("sha256:"),
                Some(("size", value)) => size = value.parse().ok(),
                _ => {}
            }
        }
        let digest = digest.filter(|digest| {
            digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
        })?;
        Some(Self {
            digest: digest.to_owned(),
            size: size?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_told_from_a_file() {
        let digest = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
        let text = format!(
            "version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 12345\n"
        );
        let pointer = Pointer::read(text.as_bytes()).unwrap();
        assert_eq!((pointer.digest.as_str(), pointer.size), (digest, 12345));
        // A checkout with Windows' line ends.
        let pointer = Pointer::read(text.replace('\n', "\r\n").as_bytes());
        assert_eq!(pointer.unwrap().size, 12345);
        for other in [
            String::new(),
            "# runner-snapshot: 1\n".to_owned(),
            text.replace("12345", "x"),
            text.replace("4d7a", "zzzz"),
            text.replace("sha256", "md5"),
            format!("{text}{}", "x\n".repeat(600)),
        ] {
            assert_eq!(Pointer::read(other.as_bytes()), None, "{other}");
        }
    }
}
