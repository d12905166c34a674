//! Tests of the folders of attempts.

use super::*;
use runner_flow::CaseName;

/// Parses `flows/a.yaml` or `flows/a.yaml|case|turn`.
fn case(text: &str) -> CaseId {
    let mut parts = text.split('|');
    CaseId {
        flow: parts.next().unwrap().into(),
        case: parts
            .next()
            .filter(|case| !case.is_empty())
            .map(CaseName::new),
        repeat: parts.next().map(|turn| turn.parse().unwrap()),
    }
}

#[test]
fn files_of_one_name_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    let id = case("flows/a.yaml").attempt("virtual", 1);
    let names = ArtifactNames::default();
    let folder = ArtifactFolder::new(base, &names, &id, Scrubber::default());
    assert_eq!(folder.unused_name("shop/home", "actual.tsv"), "shop/home");
    let kept: Vec<Artifact> = [b"1", b"2", b"2"]
        .into_iter()
        .map(|bytes| {
            let kept = folder.write(ArtifactKind::Tsv, "shop/home.actual.tsv", bytes);
            kept.unwrap()
        })
        .collect();
    let in_attempt = |name: &str| format!("flows/a/virtual-1/shop/{name}.actual.tsv");
    assert_eq!(
        kept.iter()
            .map(|kept| kept.path.as_str())
            .collect::<Vec<_>>(),
        ["home", "home-2", "home-3"].map(in_attempt)
    );
    assert_eq!(std::fs::read(base.join(&kept[0].path)).unwrap(), b"1");
    assert_eq!(folder.unused_name("shop/home", "actual.tsv"), "shop/home-4");
}

fn folders(cases: &[&str], labels: &[&str]) -> Vec<Utf8PathBuf> {
    let cases: Vec<CaseId> = cases.iter().map(|text| case(text)).collect();
    let names = ArtifactNames::new(&cases, labels);
    let folder = |id: &CaseId, label: &&str| {
        let base = Utf8Path::new("out");
        ArtifactFolder::new(base, &names, &id.attempt(label, 1), Scrubber::default()).folder
    };
    let of_case = |id| labels.iter().map(move |label| folder(id, label));
    cases.iter().flat_map(of_case).collect()
}

#[test]
fn names_that_do_not_collide_are_plain() {
    assert_eq!(
        folders(
            &["flows/a.yaml", "../b.yml", "flows/a/b-1.yaml"],
            &["10.0.0.7:5555"]
        ),
        [
            "out/flows/a/10_0_0_7_5555-1",
            "out/b/10_0_0_7_5555-1",
            "out/flows/a/b-1/10_0_0_7_5555-1",
        ]
    );
    assert_eq!(
        folders(&["a.yaml|de-dark", "a.yaml|ben|2"], &["virtual"]),
        ["out/a/de-dark/virtual-1", "out/a/ben/turn-2/virtual-1"]
    );
    assert_eq!(
        folders(&["a.yaml"], &["p-1", "p_1"]),
        ["out/a/p-1-1", "out/a/p_1-1"]
    );
}

#[test]
fn only_a_marked_folder_holds_what_a_run_may_remove() {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    let cases = [case("flows/a.yaml"), case("flows/b.yaml")];
    let claim = |base: &Utf8Path| claim(base, cases.clone(), "--artifacts");
    let foreign = base.join("flows/b/virtual-1/mine.txt");
    std::fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    std::fs::write(&foreign, "mine").unwrap();
    let refused = claim(base).unwrap_err();
    assert!(
        refused.to_string().contains("flows/b is not empty"),
        "{refused}"
    );
    // Beside what else stands there it is taken, and known again.
    std::fs::remove_file(&foreign).unwrap();
    std::fs::remove_dir(foreign.parent().unwrap()).unwrap();
    std::fs::write(base.join("junit.xml"), "").unwrap();
    claim(base).unwrap();
    std::fs::create_dir_all(base.join("flows/a/virtual-1")).unwrap();
    claim(base).unwrap();
    let file = base.join("junit.xml");
    assert!(matches!(claim(&file), Err(ArtifactsError::Output(_))));
}

#[test]
fn a_hashed_folder_with_foreign_files_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    let cases = [case("a.yaml"), case("a.yml")];
    let foreign = base.join(hashed_case(&cases[1])).join("mine.txt");
    std::fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    std::fs::write(&foreign, "mine").unwrap();
    let refused = claim(base, cases.clone(), "--artifacts").unwrap_err();
    assert!(refused.to_string().contains("is not empty"), "{refused}");
    assert!(lies_in_case(base, &cases[1], &foreign));
    assert!(!lies_in_case(base, &cases[0], &foreign));
}

/// Creates folders, cleans that of an attempt on the device `p` in a run of some cases, and returns those that are
/// left.
fn left(there: &[&str], run: &[&str], attempt: &FlowId) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    for path in there {
        std::fs::create_dir_all(base.join(path)).unwrap();
    }
    let cases: Vec<CaseId> = run.iter().map(|text| case(text)).collect();
    let names = ArtifactNames::new(&cases, &["p"]);
    let cleaned = ArtifactFolder::new(base, &names, attempt, Scrubber::default());
    cleaned.clean().unwrap();
    let is_there = |path: &&&str| base.join(path).exists();
    there
        .iter()
        .filter(is_there)
        .map(|path| (*path).to_owned())
        .collect()
}

#[test]
fn turns_and_attempts_of_an_earlier_run_are_removed_by_the_first_attempt() {
    let turns = [
        "a/turn-1/p-1",
        "a/turn-2/p-1",
        "a/turn-3/p-1",
        "a/turn-3/q-1",
        "a/p-1",
    ];
    let two = ["a.yaml||1", "a.yaml||2"];
    let first = case("a.yaml||1").attempt("p", 1);
    let attempts = ["a/p-1", "a/p-2", "a/q-2", "a/p-x"];
    let alone = case("a.yaml").attempt("p", 1);
    assert_eq!(left(&attempts, &["a.yaml"], &alone), ["a/q-2", "a/p-x"]);
    let second = case("a.yaml").attempt("p", 2);
    assert_eq!(
        left(&attempts, &["a.yaml"], &second),
        ["a/p-1", "a/q-2", "a/p-x"]
    );
    // What another device left, or another turn of this run, stays.
    assert_eq!(left(&turns, &two, &first), ["a/turn-2/p-1", "a/turn-3/q-1"]);
    let second = case("a.yaml||2").attempt("p", 1);
    assert_eq!(
        left(&turns, &two, &second),
        ["a/turn-1/p-1", "a/turn-3/p-1", "a/turn-3/q-1", "a/p-1"]
    );
    assert_eq!(left(&turns, &["a.yaml"], &alone), ["a/turn-3/q-1"]);
    // A flow of such a name is none of its turns.
    let flows = ["a.yaml", "a/turn-1.yaml"];
    assert_eq!(
        left(&turns, &flows, &alone),
        ["a/turn-1/p-1", "a/turn-3/q-1"]
    );
}

#[test]
fn a_file_in_place_of_an_attempt_stays_and_all_else_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    let file = base.join("a/p-2");
    for attempt in ["a/p-1", "a/p-3", "a/p-4"] {
        std::fs::create_dir_all(base.join(attempt)).unwrap();
    }
    std::fs::write(&file, "mine").unwrap();
    let names = ArtifactNames::new(&[case("a.yaml")], &["p"]);
    let first = case("a.yaml").attempt("p", 1);
    let cleaned = ArtifactFolder::new(base, &names, &first, Scrubber::default()).clean();
    let error = cleaned.unwrap_err().to_string();
    assert!(error.contains("p-2 is a link or a file"), "{error}");
    assert!(file.is_file());
    for attempt in ["a/p-1", "a/p-3", "a/p-4"] {
        assert!(!base.join(attempt).exists(), "{attempt}");
    }
}

/// A link stands at each place of the artifacts' tree that a run looks at.
#[cfg(unix)]
#[test]
fn nothing_is_removed_through_a_link() {
    for link in [
        "flows",
        "flows/a",
        "flows/a/turn-2",
        "flows/a/p-1",
        "flows/a/p-2",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let (base, mine) = (root.join("out"), root.join("mine"));
        let kept = [
            "f",
            "p-1/f",
            "p-2/f",
            "a/p-1/f",
            "turn-2/p-1/f",
            "a/turn-2/p-1/f",
        ];
        for file in kept {
            let file = mine.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "mine").unwrap();
        }
        let link = base.join(link);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&mine, &link).unwrap();
        let names = ArtifactNames::new(&[case("flows/a.yaml")], &["p"]);
        let first = case("flows/a.yaml").attempt("p", 1);
        let cleaned = ArtifactFolder::new(&base, &names, &first, Scrubber::default()).clean();
        // A turn's link is only passed by.
        assert_eq!(
            cleaned.is_ok(),
            link.ends_with("turn-2"),
            "{link}: {cleaned:?}"
        );
        assert!(link.is_symlink(), "{link}");
        for file in kept {
            assert!(mine.join(file).is_file(), "{link}: {file}");
        }
    }
}

#[test]
fn no_attempt_lies_in_the_folder_of_another() {
    for (flows, labels) in [
        (&["a.yaml", "a.yml"][..], &["virtual"][..]),
        (&["a.yaml", "../a.yaml"], &["virtual"]),
        (&["a.yaml"], &["p.1", "p_1", "p:1"]),
        (&["shop.yaml", "shop/virtual-1.yaml"], &["other", "virtual"]),
        (&["shop.yaml", "shop/virtual-12/pay.yaml"], &["virtual"]),
        (&["a.yaml|b", "a/b.yaml"], &["virtual"]),
        (&["a.yaml||1", "a.yaml||2", "a.yaml|turn-1"], &["virtual"]),
        (&["a.yaml|virtual-1", "a.yaml|b"], &["virtual"]),
    ] {
        let folders = folders(flows, labels);
        assert_eq!(folders.len(), flows.len() * labels.len());
        for (at, folder) in folders.iter().enumerate() {
            for (other_at, other) in folders.iter().enumerate() {
                assert!(
                    at == other_at || !other.starts_with(folder),
                    "{other} lies in {folder}"
                );
            }
        }
    }
}
