//! Secrets in the program's outputs: values are masked, the program's own words are not.

mod computed;
mod headers;
mod names;
mod recorded;
mod server_runs;
mod servers;
mod sessions;

use crate::common::Project;

/// Returns each text that the run wrote, with its file.
fn texts(project: &Project) -> Vec<(String, String)> {
    let files = project.files("out").into_iter();
    let texts = files.filter(|name| !name.ends_with(".png") && !name.ends_with(".zip"));
    texts
        .map(|name| {
            let bytes = std::fs::read(project.path("out").join(&name)).unwrap();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

#[test]
fn s1_a_typed_password_changes_no_path_and_no_number() {
    for password in ["maestro", "12", "flows", "virtual", "1"] {
        let project = Project::with_demo_app();
        project.write(
            "flows/maestro/login.yaml",
            &format!(
                "app: com.example.notes\nsteps:\n  - launch\n  - type: {{ into: {{ id: password }}, text: \"{password}\" }}\n  - click: Room 412 of maestro\n    timeout: 100ms\n"
            ),
        );
        let other = "app: com.example.notes\nsteps:\n  - launch\n  - assert visible: maestro 12 flows virtual\n    timeout: 100ms\n";
        project.write("flows/other.yaml", other);
        let reports = [
            "--junit",
            "out/a.xml",
            "--json",
            "out/a.ndjson",
            "--artifacts",
            "out/art",
        ];
        let ran = project.run(&[&["test"][..], &reports].concat()).expect(1);
        let xml = project.read("out/a.xml");
        for own in [
            "flows/maestro/login.yaml",
            "out/art/flows/maestro/login/virtual-1/failure.tsv",
        ] {
            assert!(xml.contains(own), "{password}: {own}: {xml}");
        }
        // Another flow knows nothing of it.
        let ran = ran.says("--> flows/maestro/login.yaml:5:5");
        let ran = ran.says("no element matches maestro 12 flows virtual");
        // The step that types it hides it.
        let events = project.read("out/a.ndjson");
        let typed = events
            .lines()
            .find(|line| line.contains("step_finished") && line.contains("type: {"))
            .unwrap();
        assert!(!typed.contains(&format!("text: {password}")), "{typed}");
        // Numbers of others stay, and what holds it as a word does not.
        assert!(ran.stdout.contains("412"), "{}", ran.stdout);
        let is_word = password == "maestro";
        assert_eq!(
            ran.stdout.contains("Room 412 of ***"),
            is_word,
            "{}",
            ran.stdout
        );
    }
}

/// Secrets of all lengths, in commands that the log cuts.
#[test]
fn s2_no_beginning_of_a_secret_stands_in_a_log_or_a_report() {
    let project = Project::with_demo_app();
    let letters: Vec<char> = ('a'..='z')
        .chain('0'..='9')
        .chain(" \"'&<ä漢%\\".chars())
        .collect();
    let mut rng = fastrand::Rng::with_seed(7);
    let mut secret = |length: usize| -> String {
        // It begins with letters that stand nowhere else.
        let begins: String = (0..10).map(|_| rng.char('A'..='Z')).collect();
        let more = (0..length.saturating_sub(12)).map(|_| letters[rng.usize(..letters.len())]);
        let more: String = more.collect();
        format!("{begins}{more}zz")
    };
    let secrets: Vec<String> = (0..60).map(|n| secret(12 + n * n / 2)).collect();
    let mut names = Vec::new();
    let mut env = String::new();
    let mut steps = String::new();
    for (number, value) in secrets.iter().enumerate() {
        names.push(format!("S{number}"));
        let value = serde_json::to_string(value).unwrap();
        env.push_str(&format!("  S{number}: {value}\n"));
        let step = match number % 3 {
            0 => format!("  - shell: [ echo, \"${{S{number}}}\" ]\n"),
            1 => format!("  - launch: {{ extras: {{ x: \"${{S{number}}}\" }} }}\n"),
            _ => format!(
                "  - assert visible: \"${{S{number}}}\"\n    soft: true\n    timeout: 10ms\n"
            ),
        };
        steps.push_str(&step);
    }
    let names = names.join(", ");
    project.flow(
        "a",
        &format!("secrets: [ {names} ]\nenv:\n{env}setup: [ launch ]\nsteps:\n{steps}"),
    );
    std::fs::create_dir(project.path("out")).unwrap();
    let settings = project.read("runner.yaml");
    project.write("runner.yaml", &format!("{settings}\nallow_shell: true\n"));
    let reports = [
        "--log",
        "out/a.log",
        "--junit",
        "out/a.xml",
        "--json",
        "out/a.ndjson",
        "--html",
        "out/html",
        "--artifacts",
        "out/art",
        "--trace=on",
    ];
    let ran = project
        .command(&[&["test", "-v"][..], &reports].concat())
        .env("RUNNER_LOG", "trace")
        .output()
        .unwrap();
    assert_eq!(
        ran.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let mut texts = texts(&project);
    assert!(texts.iter().any(|(_, text)| text.contains("***")));
    for (name, bytes) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        texts.push((name.to_owned(), String::from_utf8_lossy(bytes).into_owned()));
    }
    for value in &secrets {
        for (name, text) in &texts {
            if let Some(at) = text.find(&value[..6]) {
                let around: String = text[at..].chars().take(200).collect();
                panic!("{name} shows a secret: {around}\nof {value}");
            }
        }
    }
}
