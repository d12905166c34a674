use std::sync::Arc;

use runner_screen::Screen;

use super::{TestProject, after, before, screen};
use crate::{
    Evidence, EvidenceError, NoChange, NoPatchReason, Patch, PendingFolder, groups, patch,
};

const FLOW: &str = "app: com.example\nsteps:\n  - launch\n  - click: { id: sign_in }\n";

fn project() -> TestProject {
    TestProject::new(&[("flows/login.yaml", FLOW)])
}

fn evidence(before: &Screen, after: &Screen) -> Evidence {
    project().evidence("flows/login.yaml", "click: { id: sign_in }", before, after)
}

fn refused(evidence: &Evidence) -> NoPatchReason {
    computed(evidence).unwrap_err()
}

fn computed(evidence: &Evidence) -> Result<Patch, NoPatchReason> {
    let project = project().read();
    patch(&Arc::new(evidence.clone()), project.flows().next().unwrap())
}

fn read(packed: &[u8]) -> Result<Evidence, EvidenceError> {
    Evidence::read(packed, &mut crate::MAX_TOTAL.clone())
}

#[test]
fn a_rename_is_a_patch_with_its_place_and_its_reasons() {
    let project = project().read();
    let evidence = evidence(&before(), &after());
    let patch = computed(&evidence).unwrap();
    let change = &patch.change;
    assert_eq!(
        (change.file.as_str(), change.line, change.column),
        ("flows/login.yaml", 4, 18)
    );
    assert_eq!(
        [&change.property, &change.from, &change.to],
        ["id", "sign_in", "login_button"]
    );
    assert_eq!(change.element, "{ id: login_button }");
    assert!(!change.reasons.is_empty());
    let groups = groups(&project, [patch]);
    let files = groups[0].edit().unwrap();
    assert_eq!(files[0].text, FLOW.replace("sign_in", "login_button"));
}

#[test]
fn a_file_reads_back_as_what_was_kept() {
    let evidence = evidence(&before(), &after());
    let packed = evidence.pack().unwrap();
    assert_eq!(read(&packed).unwrap(), evidence);
    let folder = tempfile::tempdir().unwrap();
    let root = camino::Utf8Path::from_path(folder.path()).unwrap();
    let pending = PendingFolder::new(root);
    pending.keep(&evidence).unwrap();
    pending.keep(&evidence).unwrap();
    let read = pending.read();
    assert_eq!(read.len(), 1);
    assert_eq!(*read[0].1.as_ref().unwrap(), evidence);
    let project = project().read();
    let flow = project.flows().next().unwrap();
    assert_eq!(PendingFolder::name(&flow.file, &flow.uses[0]), read[0].0);
    pending.remove(&read[0].0).unwrap();
    pending.remove(&read[0].0).unwrap();
    assert!(pending.read().is_empty());
}

#[test]
fn a_list_of_rejections_that_does_not_read_is_not_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let pending = PendingFolder::new(camino::Utf8Path::from_path(folder.path()).unwrap());
    let reject = |key: &str, is_rejected| pending.reject(&[key.to_owned()], is_rejected);
    reject("a", true).unwrap();
    reject("a", false).unwrap();
    assert!(pending.rejected().is_empty());
    reject("a", true).unwrap();
    reject("b", true).unwrap();
    assert_eq!(pending.rejected().len(), 2);
    let list = pending.path().join("rejected");
    let broken = b"a\nb\n\xff\n";
    fs_err::write(&list, broken).unwrap();
    let why = reject("c", true).unwrap_err().to_string();
    assert!(why.contains("remove it to begin a new list"), "{why}");
    assert_eq!(fs_err::read(&list).unwrap(), broken);
}

#[test]
fn cut_and_foreign_bytes_do_not_read() {
    let packed = evidence(&before(), &after()).pack().unwrap();
    for length in 0..packed.len() {
        assert!(read(&packed[..length]).is_err(), "{length}");
    }
    let repack = |json: &[u8]| {
        use std::io::Write as _;
        let level = flate2::Compression::fast();
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), level);
        packer.write_all(json).unwrap();
        packer.finish().unwrap()
    };
    // A gigabyte packs into a megabyte.
    let zeros = repack(&vec![b' '; 64 * 1024 * 1024]);
    assert!(matches!(read(&zeros), Err(EvidenceError::TooLarge)));
    let evidence = evidence(&before(), &after());
    let json = serde_json::to_string(&evidence).unwrap();
    for newer in ["\"runner-mend\":2", "\"runner-mend\":2,\"when\":0"] {
        let other = repack(json.replacen("\"runner-mend\":1", newer, 1).as_bytes());
        assert!(matches!(read(&other), Err(EvidenceError::Format(2))));
    }
    let more = repack(json.replacen('{', "{\"to\":\"rm -rf\",", 1).as_bytes());
    assert!(matches!(read(&more), Err(EvidenceError::Json(_))));
}

#[test]
fn evidence_that_does_not_fit_makes_no_patch() {
    let good = evidence(&before(), &after());
    let other_flow = Evidence {
        file: "../../etc/passwd".into(),
        ..good.clone()
    };
    assert!(matches!(
        refused(&other_flow),
        NoPatchReason::NoSelector { .. }
    ));
    let other_selector = Evidence {
        selector: "{\"id\":\"sign_up\"}".into(),
        ..good.clone()
    };
    assert!(matches!(
        refused(&other_selector),
        NoPatchReason::NoSelector { .. }
    ));
    for element in [0, 1, 3, 4, u32::MAX] {
        let other = Evidence {
            element,
            ..good.clone()
        };
        assert!(
            matches!(refused(&other), NoPatchReason::OtherElement),
            "{element}"
        );
    }
    let swapped = Evidence {
        before: good.after.clone(),
        after: good.before.clone(),
        ..good.clone()
    };
    assert!(matches!(refused(&swapped), NoPatchReason::OtherElement));
    let same = Evidence {
        after: good.before.clone(),
        ..good.clone()
    };
    assert!(matches!(refused(&same), NoPatchReason::StillMatches));
    let empty = evidence(&before(), &screen(&[]));
    assert!(matches!(
        refused(&empty),
        NoPatchReason::Unknown(NoChange::Gone)
    ));
    let json = serde_json::to_string(&good).unwrap();
    let broken: Evidence = serde_json::from_str(&json.replace("</hierarchy>", "")).unwrap();
    assert!(matches!(refused(&broken), NoPatchReason::Before(_)));
    // The step may have moved meanwhile.
    let moved = Evidence { line: 77, ..good };
    assert!(computed(&moved).is_ok());
}

#[test]
fn what_is_typed_masked_or_computed_is_never_written() {
    let hidden = screen(&[("login_<secret>", "Sign in"), ("help", "Help")]);
    let json = serde_json::to_string(&evidence(&before(), &hidden)).unwrap();
    let masked = json.replace("login_&lt;secret&gt;", "login_***");
    let mask = runner_text::secret::MASK;
    let masked: Evidence = serde_json::from_str(&masked.replace("***", mask)).unwrap();
    assert!(matches!(refused(&masked), NoPatchReason::Unknown(_)));
    let text = "app: com.example\nenv: { ID: sign_in }\nsteps:\n  - click: { id: \"${ID}\" }\n";
    let computed = TestProject::new(&[("flows/login.yaml", text)]).read();
    assert!(computed.flows().next().unwrap().uses.is_empty());
}

/// An app chooses the names of its elements: no control character of theirs reaches a terminal.
#[test]
fn a_hostile_id_is_quoted() {
    let hostile = screen(&[("go\u{9b}31m", "Sign in"), ("help", "Help")]);
    let patch = computed(&evidence(&before(), &hostile)).unwrap();
    for line in patch.change.lines("runner review") {
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}

/// Long texts are cut with an ellipsis, without the marks that the masking of secrets uses.
#[test]
fn long_words_are_cut_for_people() {
    let words = "A very long button ".repeat(9);
    let [old, new] =
        ["sign_in", "login_button"].map(|id| screen(&[(id, &words), ("help", "Help")]));
    let patch = computed(&evidence(&old, &new)).unwrap();
    let lines = patch.change.lines("runner review").join(" ");
    assert!(lines.contains('…') && lines.len() < 400, "{lines:?}");
    let is_mark = |c: char| ('\u{fdd0}'..='\u{fdef}').contains(&c);
    assert!(!lines.contains(is_mark), "{lines:?}");
}

/// Reading it took the memory all the same.
#[test]
fn what_unpacks_in_part_costs_what_it_unpacked_to() {
    let packed = evidence(&before(), &after()).pack().unwrap();
    // The checksum behind the content is missing.
    let mut budget = crate::MAX_TOTAL;
    Evidence::read(&packed[..packed.len() - 8], &mut budget).unwrap_err();
    assert_ne!(budget, crate::MAX_TOTAL);
}
