//! Checks the advice for common mistakes. A message of any severity is enough; silence is not.

use camino::Utf8Path;
use runner_text::diagnostic::{Code, Diagnostic, Severity};

use super::Project;
use crate::{ReadOptions, keys, read_text, vocabulary};

/// Expected advice, a tab, the mistake.
const MISTAKES: &str = include_str!("mistakes.tsv");

/// Returns the advice about a flow: the help of each message, or the message if it has none.
fn advice(text: &str) -> String {
    let options = ReadOptions {
        allow_shell: true,
        ..ReadOptions::default()
    };
    let (_, found) = read_text(Utf8Path::new("a.yaml"), text.to_owned(), &options);
    let say = |it: &Diagnostic| {
        let help = it.help.as_deref().unwrap_or(&it.message);
        // A long list of all names is no advice.
        let help = match help.split_once("known here:") {
            Some((before, names)) if names.matches('`').count() > 10 => before,
            _ => help,
        };
        let (line, column) = it.line_column();
        format!("{line}:{column} {help}")
    };
    found.iter().map(say).collect::<Vec<_>>().join("\n    ")
}

/// Returns true if the advice contains the words. In backticks they must be the start of the code.
fn says(advice: &str, wanted: &str) -> bool {
    let begin = wanted.strip_suffix('`').unwrap_or(wanted);
    let ends = |at: usize| !advice[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut places = advice.match_indices(begin);
    places.any(|(at, _)| ends(at + begin.len()))
}

/// Returns the flow of a line.
fn flow(mistake: &str) -> String {
    let text = mistake
        .replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("\\u{a0}", "\u{a0}");
    if mistake.starts_with("- ") {
        format!("app: com.a.b\nsteps:\n  {text}\n")
    } else {
        text
    }
}

#[test]
fn natural_mistakes_are_told_what_to_write() {
    let lines = MISTAKES.lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for (wanted, mistake) in lines.filter_map(|line| line.split_once('\t')) {
        let said = advice(&flow(mistake));
        if !says(&said, wanted) {
            wrong.push(format!("{mistake}\n  needs {wanted}\n    {said}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} mistakes\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn healthy_values_near_a_mistake_are_not_told() {
    for healthy in [
        "- assert: x = 3",
        "- assert: E = mc2",
        "- assert: Total = 40",
        "- assert: { id: answer, text: nein }",
        "- grant: com.example.permission.ACCESS_CAMERA",
        "- grant: android.permission.ACCESS_NEW_SENSOR",
        "- set_device: { locale: fil-PH }",
        "app: com.a.b\nmatrix: { font_scale: [1,2] }\nsteps: [ launch ]\n",
        "app: com.a.b\nmatrix: { font_scale: [1, 5] }\nsteps: [ launch ]\n",
        "app: com.a.b\nmatrix: { locale: [gsw, yue, fil] }\nsteps: [ launch ]\n",
        "app: com.a.b\nenv: { locale: de }\nsteps: [ type: \"${locale}\" ]\n",
        "appId: com.a.b\n---\n- swipe: { start: \"50%,80%\", end: \"50%,20%\" }\n",
    ] {
        assert_eq!(advice(&flow(healthy)), "", "{healthy}");
    }
}

/// Returns the steps that advice tells to write, as far as they have no gap to fill in.
fn whole_steps(advice: &str) -> impl Iterator<Item = &str> {
    let codes = advice.split("write `").skip(1);
    let codes = codes.filter_map(|rest| rest.split('`').next());
    codes.filter(|code| {
        let step = code.split_once(": ").map(|(step, _)| step);
        // `clear: true` is an option of `type`, `hosts` a key of runner.yaml, and `FILE` a gap.
        let is_other =
            code.starts_with("clear: ") || code.contains("hosts") || code.contains("FILE");
        let mut steps = keys::step_names(vocabulary::standard());
        !code.contains('…') && !is_other && steps.any(|name| step == Some(name))
    })
}

#[test]
fn a_step_that_is_advised_reads() {
    let lines = MISTAKES.lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for (_, mistake) in lines.filter_map(|line| line.split_once('\t')) {
        let said = advice(&flow(mistake));
        for code in whole_steps(&said) {
            // Maestro has commands of the same names.
            let text = if mistake.starts_with("appId:") {
                format!("appId: com.a.b\n---\n- {code}\n")
            } else {
                format!("app: com.a.b\nsteps:\n  - {code}\n")
            };
            let options = ReadOptions {
                allow_shell: true,
                ..ReadOptions::default()
            };
            let (_, found) = read_text(Utf8Path::new("a.yaml"), text, &options);
            // The names and files of the mistake are not there.
            let is_wrong = |it: &&Diagnostic| {
                it.severity == Severity::Error
                    && ![Code::UndefinedName, Code::SubFlow].contains(&it.code)
            };
            if let Some(first) = found.iter().find(is_wrong) {
                wrong.push(format!("{mistake}\n  {code}\n    {}", first.message));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_warning_takes_no_step_out_of_a_flow() {
    let lines = MISTAKES.lines().filter(|line| !line.starts_with('#'));
    let steps = lines.filter_map(|line| line.split_once('\t'));
    let steps = steps.filter(|(_, mistake)| mistake.starts_with("- "));
    let mut wrong = Vec::new();
    for (_, mistake) in steps {
        let text = flow(mistake);
        let options = ReadOptions {
            allow_shell: true,
            ..ReadOptions::default()
        };
        let (read, found) = read_text(Utf8Path::new("a.yaml"), text.clone(), &options);
        // With an error there is no flow.
        let Some(read) = read else {
            continue;
        };
        let items = text.lines().filter(|line| line.starts_with("  - "));
        if read.steps.len() != items.count() {
            wrong.push(format!("{mistake}\n  {}", found[0].message));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_line_feed_that_is_none_is_told_in_all_quotes() {
    for quoted in ["'letter\\n'", "letter\\n"] {
        let text = format!("app: com.a.b\nsteps: [ type: {{ text: {quoted} }} ]\n");
        let said = advice(&text);
        assert!(said.contains("`press: ENTER`"), "{quoted}: {said}");
    }
}

#[test]
fn a_name_with_a_dash_is_told_without_errors_of_its_parts() {
    let step = "- find: { id: inbox }\n    as: inbox-count\n  - assert: { that: \"${inbox-count.text == '40'}\" }";
    let said = advice(&flow(step));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("`inbox_count`"), "{said}");
}

#[test]
fn a_near_sub_flow_keeps_its_folder() {
    for (path, written, near) in [
        ("flow.yaml", "sub/_login.yml", "`sub/_login.yaml`"),
        ("sub/flow.yaml", "../_top.yml", "`../_top.yaml`"),
        ("flow.yaml", "_tob.yaml", "`_top.yaml`"),
    ] {
        let project = Project::new();
        project
            .file("sub/_login.yaml", "steps: [ back ]\n")
            .file("_top.yaml", "steps: [ back ]\n")
            .file(path, format!("steps: [ run: {written} ]\n"));
        let (_, found) = project.read(path);
        let help = found.first().and_then(|it| it.help.as_deref());
        let help = help.unwrap_or_default();
        assert!(help.contains(near), "{written}: {help}");
    }
}

#[test]
fn a_file_that_is_not_there_is_told_the_near_one_and_never_the_flow_itself() {
    for (header, near) in [
        ("steps: [ run: _flow.yaml ]", None),
        ("steps: [ run: _x.yaml ]", None),
        ("each: peple.csv\nsteps: [ back ]", Some("`people.csv`")),
        ("each: other.csv\nsteps: [ back ]", None),
    ] {
        let project = Project::new();
        project
            .file("people.csv", "user\nanna\n")
            .file("flow.yaml", format!("{header}\n"));
        let (_, found) = project.read("flow.yaml");
        let help = found.first().and_then(|it| it.help.as_deref());
        let help = help.unwrap_or_default();
        let is_told = help.contains("did you mean");
        assert_eq!(is_told, near.is_some(), "{header}: {help}");
        assert!(help.contains(near.unwrap_or_default()), "{header}: {help}");
    }
}

#[test]
fn a_name_that_a_sub_flow_keeps_is_told_with_its_outputs() {
    let project = Project::new();
    project
        .file(
            "_sub.yaml",
            "env: { MAIL: a@b.de }\noutputs: [total]\nsteps:\n  - find: { id: a }\n    as: total\n  - find: { id: b }\n    as: count\n",
        )
        .file(
            "flow.yaml",
            "steps:\n  - run: _sub.yaml\n  - assert: { that: \"${count.text == '3'}\" }\n  - type: \"${MAIL}\"\n",
        );
    let (_, found) = project.read("flow.yaml");
    let help: Vec<&str> = found.iter().filter_map(|it| it.help.as_deref()).collect();
    let help = help.join("\n");
    assert!(help.contains("`outputs: [ total, count ]`"), "{help}");
    assert!(
        help.contains("write `MAIL` into `env` of this flow"),
        "{help}"
    );
}
