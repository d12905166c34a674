//! Natural mistakes in `runner.yaml`, and that what is advised reads.

use super::tables::FORMS;
use super::*;
use crate::file::ProjectFile;

/// Expected advice, a tab, the mistake.
const MISTAKES: &str = include_str!("mistakes.tsv");

fn parse(text: &str) -> Result<ProjectFile, Vec<Diagnostic>> {
    ProjectFile::parse(&Arc::new(Source {
        path: "runner.yaml".into(),
        text: text.to_owned(),
    }))
}

/// Returns the help of each message about a file, errors or warnings.
fn advice(text: &str) -> String {
    let found = match parse(text) {
        Ok(file) => file.warnings,
        Err(found) => found,
    };
    let helps = found.iter().filter_map(|it| it.help.as_deref());
    helps.collect::<Vec<_>>().join("\n    ")
}

#[test]
fn natural_mistakes_are_told_what_to_write() {
    let mut wrong = Vec::new();
    for [wanted, mistake] in rows(MISTAKES) {
        let said = advice(&format!("{}\n", mistake.replace("\\n", "\n")));
        if !said.contains(wanted) {
            wrong.push(format!("{mistake}\n  needs {wanted}\n    {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_update_leads_to_that_of_all() {
    for value in ["none", "false", "never", "no", "off", "sometimes", "5", ""] {
        let said = advice(&format!("update: {value}\n"));
        let is_safe = !said.contains("`runner test --update`") && !said.contains("--update=all");
        // Without a value the key alone is told.
        let is_told = value.is_empty() || said.contains("--update=");
        assert!(is_safe && is_told, "{value}: {said}");
    }
}

#[test]
fn every_form_that_is_advised_reads() {
    for [_, ours] in rows(FORMS) {
        for code in ours.split('`').skip(1).step_by(2) {
            let text = if code.starts_with("do:") {
                format!("on_dialog: [ {{ when: A, {code} }} ]\n")
            } else if code.starts_with("when:") {
                format!("on_dialog: [ {{ {code}, do: {{ press: BACK }} }} ]\n")
            } else {
                format!("{code}\n")
            };
            assert!(
                parse(&text).is_ok_and(|file| file.warnings.is_empty()),
                "{text}"
            );
        }
    }
}

#[test]
fn no_word_stands_twice_at_a_place() {
    let mut seen = std::collections::BTreeSet::new();
    for [place, _, words] in rows(KEYS) {
        for word in words.split(' ') {
            assert_eq!(plain(word), word);
            assert!(seen.insert((place, word)), "{place}: {word}");
        }
    }
}
