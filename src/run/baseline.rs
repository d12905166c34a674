//! Pictures of other tools that a screen is compared with.

use camino::{Utf8Path, Utf8PathBuf};

use crate::device::Picture;
use crate::tools::Failure;

/// Bytes of the largest picture.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The picture that a step names from the project's root: its path below the root, and what it shows.
///
/// # Errors
/// A path out of the project, and a file that is no picture.
pub(super) fn of_step(root: &Utf8Path, name: &str) -> Result<(Utf8PathBuf, Picture), Failure> {
    let none = || {
        Failure::usage(format!("there is no picture {name}")).with_details([
            "take `baseline` out of the step, or name a PNG picture of the project".to_owned(),
        ])
    };
    let real_root = root.canonicalize_utf8().map_err(|_| none())?;
    let file = root.join(name).canonicalize_utf8().map_err(|_| none())?;
    let Ok(below) = file.strip_prefix(&real_root) else {
        return Err(Failure::usage(format!("{name} is outside the project")));
    };
    Ok((below.to_owned(), read_picture(&file)?))
}

/// Reads a picture and looks whether it is one.
pub(super) fn read_picture(file: &Utf8Path) -> Result<Picture, Failure> {
    let wrong = |why: String| Failure::usage(format!("{file} {why}"));
    let unread = |error: std::io::Error| wrong(format!("cannot be read: {error}"));
    if fs_err::metadata(file).map_err(unread)?.len() > LARGEST {
        return Err(wrong("is larger than 64 MB".to_owned()));
    }
    let picture = Picture::from_png(fs_err::read(file).map_err(unread)?);
    match picture.pixels() {
        Ok(_) => Ok(picture),
        Err(_) => Err(wrong("is no PNG picture".to_owned())),
    }
}
