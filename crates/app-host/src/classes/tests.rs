//! Tests of class paths, with a translator that counts its calls.

use std::sync::atomic::{AtomicUsize, Ordering};

use runner_virtual_device::ApkManifest;

use super::*;

#[derive(Default)]
struct CountingTranslator {
    version: &'static str,
    calls: AtomicUsize,
    fails: bool,
}

impl Translator for CountingTranslator {
    fn version(&self) -> &str {
        self.version
    }

    fn translate(&self, apk: &Utf8Path, _: &Utf8Path, jar: &Utf8Path) -> Result<(), String> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        fs_err::write(jar, format!("classes of {apk}")).map_err(|error| error.to_string())?;
        if self.fails {
            return Err("method 7 of class A is damaged".to_owned());
        }
        Ok(())
    }
}

struct Machine {
    _guard: tempfile::TempDir,
    root: Utf8PathBuf,
    parts: Parts,
}

impl Machine {
    fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap().to_owned();
        let parts = Parts::listed(&root.join("parts"), &[]);
        Self {
            _guard: guard,
            root,
            parts,
        }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn cached(&self) -> usize {
        fs_err::read_dir(self.parts.cache("classes"))
            .unwrap()
            .count()
    }

    fn jars(&self, entries: &[&str]) -> Result<Vec<Utf8PathBuf>, ClassesError> {
        class_path_jars(&entries.join(SEPARATOR), &self.root, &self.parts)
    }
}

fn apk(code: &str) -> Apk {
    Apk {
        path: "/a.apk".into(),
        digest: String::new(),
        code: code.to_owned(),
        manifest: ApkManifest::default(),
        libraries: Vec::new(),
    }
}

#[test]
fn the_same_dex_is_translated_once_by_the_same_translator() {
    let machine = Machine::new();
    let translator = CountingTranslator::default();
    let first = translated(&apk("a"), &apk("a").path, &machine.parts, &translator).unwrap();
    assert_eq!(fs_err::read_to_string(&first).unwrap(), "classes of /a.apk");
    assert_eq!(
        translated(&apk("a"), &apk("a").path, &machine.parts, &translator).unwrap(),
        first
    );
    assert_eq!(translator.calls.load(Ordering::Relaxed), 1);
    assert_ne!(
        translated(&apk("b"), &apk("b").path, &machine.parts, &translator).unwrap(),
        first
    );
    let newer = CountingTranslator {
        version: "2",
        ..CountingTranslator::default()
    };
    assert_ne!(
        translated(&apk("a"), &apk("a").path, &machine.parts, &newer).unwrap(),
        first
    );
}

#[test]
fn a_translation_that_fails_leaves_nothing() {
    let machine = Machine::new();
    let translator = CountingTranslator {
        fails: true,
        ..CountingTranslator::default()
    };
    let error = translated(&apk("a"), &apk("a").path, &machine.parts, &translator).unwrap_err();
    assert!(error.to_string().contains("method 7 of class A"), "{error}");
    assert_eq!(machine.cached(), 0);
}

#[test]
fn a_class_path_is_copied_by_its_contents_and_folders_are_packed() {
    let machine = Machine::new();
    machine.write("build/classes/a/B.class", "1");
    machine.write("libs/x.jar", "jar");
    let first = machine.jars(&["build/classes", "libs/x.jar"]).unwrap();
    assert_eq!(first.len(), 2);
    assert_eq!(fs_err::read_to_string(&first[1]).unwrap(), "jar");
    assert_eq!(
        machine.jars(&["build/classes", "libs/x.jar"]).unwrap(),
        first
    );
    let archive = zip::ZipArchive::new(std::fs::File::open(&first[0]).unwrap()).unwrap();
    let names: Vec<_> = archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    assert_eq!(names, ["a/B.class"]);
    machine.write("build/classes/a/B.class", "2");
    let second = machine.jars(&["build/classes", "libs/x.jar"]).unwrap();
    assert!(second[0] != first[0] && second[1] == first[1] && first[0].is_file());
}

#[test]
fn an_entry_that_is_neither_a_jar_nor_a_folder_is_named() {
    let machine = Machine::new();
    machine.write("a.apk", "x");
    for (entries, expected) in [
        (&["none.jar"][..], "none.jar is not there"),
        (&["a.apk"], "a.apk is neither a jar nor a folder"),
        (&[""], "is no class path"),
    ] {
        let error = machine.jars(entries).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_oldest_jars_go() {
    let machine = Machine::new();
    for number in 0..MAX_CACHED + 5 {
        let name = format!("libs/{number}.jar");
        machine.write(&name, &name);
        machine.jars(&[&name]).unwrap();
    }
    assert_eq!(machine.cached(), MAX_CACHED);
}

#[test]
fn a_class_path_of_any_length_is_whole() {
    let machine = Machine::new();
    machine.write("libs/before.jar", "before");
    let before = machine.jars(&["libs/before.jar"]).unwrap();
    let names: Vec<String> = (0..MAX_CACHED + 5)
        .map(|number| format!("libs/{number}.jar"))
        .collect();
    for name in &names {
        machine.write(name, name);
    }
    let entries: Vec<&str> = names.iter().map(String::as_str).collect();
    // The second time its jars are the oldest of the cache.
    for _ in 0..2 {
        let jars = machine.jars(&entries).unwrap();
        assert_eq!(jars.len(), names.len());
        assert!(jars.iter().all(|jar| jar.is_file()));
    }
    assert!(!before[0].exists(), "it is of no use to this class path");
}
