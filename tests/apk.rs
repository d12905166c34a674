//! Real APKs on the virtual device: their own code in Android's framework, the whole program around it.
//!
//! It needs a JDK of 21 or newer and the parts that `runner virtual install` gets; CI has them in `target/clients/android`.

use std::path::{Path, PathBuf};

use runner_testing as needs;

use crate::common::{Project, Ran};

/// Returns the folder of the parts, or `None` if they are missing, as in the first part of `.ci/run`.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn parts() -> Option<PathBuf> {
    let folder = needs::root().join("target/clients/android");
    if folder.join("jars-made").is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("APKS").is_none(),
        "{} is not there",
        folder.display()
    );
    eprintln!(
        "NOT TESTED: the parts of APKs are missing: RUNNER_ANDROID_PARTS=target/clients/android runner virtual install"
    );
    None
}

pub fn apk(name: &str) -> PathBuf {
    match name {
        // Android's own samples, as Appium's project builds them.
        "apidemos" => needs::root()
            .join("target/clients/node_modules/android-apidemos/apks/ApiDemos-debug.apk"),
        name => needs::root()
            .join("tests/apks")
            .join(name)
            .join(format!("{name}.apk")),
    }
}

/// Returns a project with the flows of an app, and a function that runs the program with the app on the
/// virtual device.
fn project(parts: &Path, name: &str) -> (Project, impl Fn(&Project, &[&str]) -> Ran) {
    let project = Project::empty();
    project.copy_to(&format!("tests/apks/{name}/flows"), "flows");
    let settings = format!("devices: [virtual]\nallow_shell: true\napps: [{name}.apk]\n");
    project.write("runner.yaml", &settings);
    std::fs::copy(apk(name), project.path(&format!("{name}.apk"))).unwrap();
    let parts = parts.to_owned();
    let run = move |project: &Project, arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.env("RUNNER_ANDROID_PARTS", &parts);
        Ran::from(command.output().expect("the program starts"))
    };
    (project, run)
}

#[test]
fn every_flow_of_the_probe_passes_twice_with_equal_pictures() {
    let Some(parts) = parts() else { return };
    let (project, run) = project(&parts, "probe");
    run(&project, &["test", "--update", "new"]).expect(0);
    let pictures = project.files("snapshots");
    assert!(
        pictures
            .iter()
            .any(|file| file.contains("~host15-35-1080x2400-480-en-light")),
        "{pictures:?}"
    );
    // Neither a picture before, nor half a second more, is to be seen in a picture of what is at rest.
    for equal in [
        &["motion/moved", "motion/rested"][..],
        &["pictures/caret", "pictures/caret-later"],
        &["pictures/first", "pictures/second", "pictures/third"],
    ] {
        let picture = |name: &&str| {
            let path = format!("snapshots/{name}~host15-35-1080x2400-480-en-light.png");
            std::fs::read(project.path(&path)).expect("the run wrote it")
        };
        let pictures: Vec<_> = equal.iter().map(picture).collect();
        assert!(
            pictures.windows(2).all(|two| two[0] == two[1]),
            "{equal:?} differ"
        );
    }
    // Another process, another device: byte for byte the same.
    let with_pictures = ["greet", "dialog", "settings", "wide", "motion", "pictures"];
    let paths = with_pictures.map(|flow| format!("flows/{flow}.yaml"));
    let mut arguments = vec!["test", "--junit", "junit.xml", "--strict-pixels"];
    arguments.extend(paths.iter().map(String::as_str));
    run(&project, &arguments).expect(0);
    let junit = project.read("junit.xml");
    assert!(
        junit.contains("Android 15's framework on this computer, not a phone")
            || junit.contains("Android 15&apos;s framework on this computer, not a phone"),
        "{junit}"
    );
}

/// Its authors have never seen this program.
#[test]
fn flows_pass_on_an_app_of_others() {
    let Some(parts) = parts() else { return };
    let (project, run) = project(&parts, "apidemos");
    run(&project, &["test"]).expect(0);
}

/// Its described twin passes the same flows: see `android`.
#[test]
fn flows_pass_on_the_judge_of_the_virtual_device() {
    let Some(parts) = parts() else { return };
    let (project, run) = project(&parts, "judge");
    run(&project, &["test"]).expect(0);
}

#[test]
fn the_end_of_an_app_is_told_by_its_kind() {
    let Some(parts) = parts() else { return };
    let (project, run) = project(&parts, "probe");
    let flow = |button: &str| {
        format!(
            "name: The end\napp: com.example.probe\nsteps:\n  - launch: {{ clear: true }}\n  - scroll_to: {button}\n  - click: {button}\n  - assert visible: Ready\n"
        )
    };
    for (button, code, words) in [
        // The app's failure names the exception and the line.
        (
            "Crash",
            1,
            &["java.lang.IllegalStateException: no account", "Main.java:"][..],
        ),
        (
            "Crash elsewhere",
            1,
            &["java.lang.IllegalArgumentException: in a thread"],
        ),
        ("Spin", 1, &["not respond"]),
    ] {
        project.write("flows/end.yaml", &flow(button));
        let ran = run(&project, &["test", "flows/end.yaml"]).expect(code);
        for word in words {
            assert!(
                ran.stdout.contains(word) || ran.stderr.contains(word),
                "{button}: {word}\n{}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
}

#[test]
fn what_is_no_apk_of_a_whole_app_ends_in_a_sentence() {
    let Some(parts) = parts() else { return };
    let (project, run) = project(&parts, "probe");
    project.write("broken.apk", "no archive");
    project.write("shop.aab", "no archive");
    for (app, words, code) in [
        ("broken.apk", "is no APK", 3),
        ("shop.aab", "is no APK", 3),
        ("missing.apk", "missing.apk is not there", 2),
    ] {
        let ran = run(&project, &["test", "--app", app]).expect(code);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains(words), "{app}: {said}");
    }
}

#[test]
fn an_install_takes_the_apk_that_was_named_and_no_other() {
    let Some(parts) = parts() else { return };
    let (project, run) = project(&parts, "probe");
    let flow = "name: Install\napp: com.example.probe\nsteps:\n  - install: APK\n  - launch: { clear: true }\n  - assert visible: Ready\n";
    project.write("flows/install.yaml", &flow.replace("APK", "probe.apk"));
    run(&project, &["test", "flows/install.yaml"]).expect(0);
    let mut other = std::fs::read(project.path("probe.apk")).unwrap();
    other.extend(b"\0");
    std::fs::write(project.path("other.apk"), other).unwrap();
    project.write("flows/install.yaml", &flow.replace("APK", "other.apk"));
    let ran = run(&project, &["test", "flows/install.yaml"]).expect(3);
    assert!(
        ran.stdout.contains("only the APK that was named"),
        "{}",
        ran.stdout
    );
}

#[test]
fn without_the_parts_the_run_says_how_to_get_them() {
    let Some(_) = parts() else { return };
    let project = Project::empty();
    std::fs::copy(apk("probe"), project.path("probe.apk")).unwrap();
    project.write(
        "flows/a.yaml",
        "name: A\napp: com.example.probe\nsteps: [launch]\n",
    );
    let mut command = project.command(&["test", "--device", "virtual", "--app", "probe.apk"]);
    command.env("RUNNER_ANDROID_PARTS", project.path("none"));
    let ran = Ran::from(command.output().expect("the program starts")).expect(3);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("runner virtual install"), "{said}");
}

#[test]
fn apks_are_made_of_their_sources() {
    let script = "find AndroidManifest.xml res src -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-64";
    for name in ["probe", "judge"] {
        let folder = needs::root().join("tests/apks").join(name);
        let output = std::process::Command::new("bash")
            .args(["-c", script])
            .current_dir(&folder)
            .output()
            .unwrap();
        let sources = std::fs::read_to_string(folder.join(format!("{name}.sources"))).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            sources,
            "make tests/apks/{name}/{name}.apk again with tests/apks/build {name}"
        );
    }
}
