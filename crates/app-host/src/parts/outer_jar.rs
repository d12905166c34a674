//! Builds a jar of the few Android classes that Robolectric's outer half names, and that the host is compiled
//! against: a few megabytes instead of the framework's 200.
//!
//! Robolectric runs an app with a class loader of its own, which takes Android's framework from the
//! instrumented jar. The loader around it looks up a few of its classes by name, such as `Application` in
//! annotations, and runs none of them. If the whole framework were there, Conscrypt would take the JVM for a
//! phone because of `android.os.Build`, and fail. Other projects put `android-all` there, which is another
//! 186 MB. The compiler takes these classes before the framework's, whose constants are not constant.

use std::io::{Read as _, Seek, Write};

use camino::Utf8Path;
use runner_base::files::temporary_in;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::class_file;
use crate::jar::open;

/// Name of the jar. Its number changes whenever its contents do.
pub(super) const NAME: &str = "android-outer-2.jar";

/// Packages whose classes are named, or may be by the host, including subpackages. All others together are as
/// large again.
const PACKAGES: [&str; 20] = [
    "android/accessibilityservice/",
    "android/animation/",
    "android/app/",
    "android/content/",
    "android/database/",
    "android/graphics/",
    "android/inputmethodservice/",
    "android/location/",
    "android/net/",
    "android/os/",
    "android/preference/",
    "android/provider/",
    "android/service/",
    "android/text/",
    "android/transition/",
    "android/util/",
    "android/view/",
    "android/webkit/",
    "android/widget/",
    "android/window/",
];
/// Annotations of Android's own sources.
const ANNOTATIONS: &str = "javax/annotation/";
/// Class by which Conscrypt takes a JVM for a phone.
const BUILD: &str = "android/os/Build";

/// Builds the jar at `path` from those classes of Android's framework, the jar `android`, that are in [`PACKAGES`] or
/// are annotations. Their constants are restored to be `final`. Creates its folder, and replaces an existing file only
/// when all is written.
pub(super) fn make(android: &Utf8Path, path: &Utf8Path) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs_err::create_dir_all(folder)?;
    let mut archive = ZipArchive::new(open(android)?)?;
    let mut file = temporary_in(folder)?;
    copy(&mut archive, &mut file)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Copies the classes that [`is_outer`] accepts, each restored. One that cannot be parsed is copied as it is.
fn copy(
    archive: &mut ZipArchive<std::fs::File>,
    out: &mut (impl Write + Seek),
) -> std::io::Result<()> {
    let mut jar = ZipWriter::new(out);
    let names = archive.file_names().filter_map(Result::ok);
    let names: Vec<String> = names
        .filter(|name| is_outer(name))
        .map(Into::into)
        .collect();
    for name in &names {
        let mut class = Vec::new();
        archive.by_name(name)?.read_to_end(&mut class)?;
        jar.start_file(name.as_str(), SimpleFileOptions::default())?;
        jar.write_all(class_file::restore(&class).as_ref().unwrap_or(&class))?;
    }
    jar.finish()?;
    Ok(())
}

/// Returns true for a class in [`PACKAGES`] or `javax/annotation`, except those whose name begins with
/// `android/os/Build`.
fn is_outer(name: &str) -> bool {
    name.ends_with(".class")
        && !name.starts_with(BUILD)
        && (name.starts_with(ANNOTATIONS)
            || PACKAGES.iter().any(|package| name.starts_with(package)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_taken() {
        for name in [
            "android/app/Application.class",
            "android/view/ViewConfiguration.class",
            "javax/annotation/meta/When.class",
        ] {
            assert!(is_outer(name), "{name}");
        }
        for name in [
            "android/os/Build.class",
            "android/os/Build$VERSION.class",
            "android/hardware/Camera.class",
            "android/icu/util/ULocale.class",
            "res/layout/a.xml",
            "a.class",
        ] {
            assert!(!is_outer(name), "{name}");
        }
    }
}
