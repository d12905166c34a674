use camino::Utf8Path;
use proptest::prelude::*;

use super::*;
use runner_flow::{ReadOptions, goldens, read_text};

const MASK: &str = "{ id: clock }";

fn source(text: &str) -> Arc<Source> {
    Arc::new(Source {
        path: "flows/a.yaml".into(),
        text: text.to_owned(),
    })
}

/// Returns the place of the first snapshot step, as the reader of flows finds it.
fn step(text: &str) -> Range<usize> {
    let options = ReadOptions::default();
    let (flow, problems) = read_text(Utf8Path::new("flows/a.yaml"), text.to_owned(), &options);
    let flow = flow.unwrap_or_else(|| panic!("{text}\n{problems:?}"));
    goldens(&flow)[0].snapshot().expect("a place").1
}

fn masked(text: &str) -> Result<String> {
    let edited = add_mask(&source(text), &step(text), &[], MASK)?;
    assert!(
        edited.text[edited.at..].starts_with(MASK),
        "{}",
        edited.text
    );
    Ok(edited.text)
}

/// Returns the comments, in order.
fn comments(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.find("# ").map(|at| line[at..].trim_end()))
        .collect()
}

#[test]
fn each_form_keeps_its_style() {
    for (before, after) in [
        // A name alone.
        (
            "steps:\n  - snapshot: home\n",
            "steps:\n  - snapshot:\n      name: home\n      mask: [ { id: clock } ]\n",
        ),
        (
            "steps:\n- snapshot: 'home' # why\n- back\n",
            "steps:\n- snapshot: # why\n    name: 'home'\n    mask: [ { id: clock } ]\n- back\n",
        ),
        (
            "steps:\n  - snapshot: \"home\"   \n    timeout: 5s\n",
            "steps:\n  - snapshot:\n      name: \"home\"\n      mask: [ { id: clock } ]\n    timeout: 5s\n",
        ),
        (
            "steps:\n  - label: look\n    snapshot: home",
            "steps:\n  - label: look\n    snapshot:\n      name: home\n      mask: [ { id: clock } ]",
        ),
        (
            "steps: [ launch: a.b, { snapshot: home, timeout: 5s } ]\n",
            "steps: [ launch: a.b, { snapshot: { name: home, mask: [ { id: clock } ] }, timeout: 5s } ]\n",
        ),
        (
            "steps: [ snapshot: home ]\n",
            "steps: [ snapshot: { name: home, mask: [ { id: clock } ] } ]\n",
        ),
        (
            "steps:\n  - snapshot:\n      home\n",
            "steps:\n  - snapshot:\n      { name: home, mask: [ { id: clock } ] }\n",
        ),
        // A map.
        (
            "steps:\n  - snapshot: { name: home }\n",
            "steps:\n  - snapshot: { name: home, mask: [ { id: clock } ] }\n",
        ),
        (
            "steps:\n  - snapshot: {name: home, bars: true}  # both\n",
            "steps:\n  - snapshot: {name: home, mask: [ { id: clock } ], bars: true}  # both\n",
        ),
        (
            "steps:\n  - snapshot: {\n      name: home, # the first\n      of: { id: card }, # the second\n    }\n",
            "steps:\n  - snapshot: {\n      name: home, mask: [ { id: clock } ], # the first\n      of: { id: card }, # the second\n    }\n",
        ),
        (
            "steps:\n  - snapshot:\n        name: home # its name\n        bars: true\n",
            "steps:\n  - snapshot:\n        name: home # its name\n        mask: [ { id: clock } ]\n        bars: true\n",
        ),
        (
            "steps:\n  - snapshot:\n      bars: true\n      name: home\n\n  # the end\n  - back\n",
            "steps:\n  - snapshot:\n      bars: true\n      name: home\n      mask: [ { id: clock } ]\n\n  # the end\n  - back\n",
        ),
        // A list of masks.
        (
            "steps:\n  - snapshot: { name: home, mask: [ { id: a }, Now ] }\n",
            "steps:\n  - snapshot: { name: home, mask: [ { id: a }, Now, { id: clock } ] }\n",
        ),
        (
            "steps:\n  - snapshot: { name: home, mask: [] }\n",
            "steps:\n  - snapshot: { name: home, mask: [ { id: clock } ] }\n",
        ),
        (
            "steps:\n  - snapshot:\n      name: home\n      mask:\n        - { id: a } # one\n        - id: b\n          text: c # two\n      bars: true\n",
            "steps:\n  - snapshot:\n      name: home\n      mask:\n        - { id: a } # one\n        - id: b\n          text: c # two\n        - { id: clock }\n      bars: true\n",
        ),
        (
            "steps:\n  - snapshot:\n      mask:\n      - Now\n      # what it is called\n      name: home\n",
            "steps:\n  - snapshot:\n      mask:\n      - Now\n      - { id: clock }\n      # what it is called\n      name: home\n",
        ),
        (
            "steps:\n  - snapshot:\n      name: home\n      mask: [\n        { id: a }, # one\n        { id: b }  # two\n      ]\n",
            "steps:\n  - snapshot:\n      name: home\n      mask: [\n        { id: a }, # one\n        { id: b }, { id: clock }  # two\n      ]\n",
        ),
        // Indentation, line ends, letters.
        (
            "env:\n    A: b\nsteps:\n    - snapshot: home\n",
            "env:\n    A: b\nsteps:\n    - snapshot:\n          name: home\n          mask: [ { id: clock } ]\n",
        ),
        (
            "# früh\r\nsteps:\r\n  - snapshot: home # größer\r\n  - back\r\n",
            "# früh\r\nsteps:\r\n  - snapshot: # größer\r\n      name: home\r\n      mask: [ { id: clock } ]\r\n  - back\r\n",
        ),
        (
            "steps:\n  - if: { visible: Ä }\n    then:\n      - repeat:\n          times: 2\n          steps:\n            - snapshot: { name: home, each: true } # ü\n",
            "steps:\n  - if: { visible: Ä }\n    then:\n      - repeat:\n          times: 2\n          steps:\n            - snapshot: { name: home, mask: [ { id: clock } ], each: true } # ü\n",
        ),
    ] {
        assert_eq!(masked(before).as_deref(), Ok(after), "{before}");
    }
}

#[test]
fn what_an_alias_holds_is_refused() {
    for (text, why) in [
        (
            "steps:\n  - &s { snapshot: { name: home } }\n  - group:\n      - back\nteardown:\n  - back\n",
            None,
        ),
        (
            "env: { A: &n home }\nsteps:\n  - snapshot: *n\n",
            Some(EditError::AliasHolds("options")),
        ),
        (
            "steps:\n  - snapshot: &n home\n  - click: *n\n",
            Some(EditError::NameForm),
        ),
        (
            "steps:\n  - snapshot: { name: home, mask: &m [ { id: a } ] }\n  - snapshot: { name: b, mask: *m }\n",
            Some(EditError::Layout),
        ),
        (
            "steps:\n  - snapshot: { name: home, <<: &o { mask: [ { id: a } ] } }\n  - snapshot: { name: b, <<: *o }\n",
            Some(EditError::Layout),
        ),
        (
            "steps:\n  - snapshot: { name: b, <<: &o { mask: [ { id: a } ] } }\n  - snapshot: { name: home, <<: *o }\n",
            Some(EditError::Layout),
        ),
    ] {
        assert_eq!(masked(text).err(), why, "{text}");
    }
}

#[test]
fn a_merged_map_without_masks_stays_as_it_is() {
    let text = "steps:\n  - snapshot: { name: home, <<: &o { bars: true } }\n  - snapshot: { name: b, <<: *o }\n";
    let after = masked(text).unwrap();
    assert!(
        after.contains("name: home, mask: [ { id: clock } ], <<: &o { bars: true }"),
        "{after}"
    );
}

#[test]
fn masks_of_all_snapshots_are_repeated_where_the_step_has_none() {
    let inherited = ["{ id: ad }".to_owned(), "Now".to_owned()];
    for (text, after) in [
        (
            "steps:\n  - snapshot: home\n",
            "steps:\n  - snapshot:\n      name: home\n      mask: [ { id: ad }, Now, { id: clock } ]\n",
        ),
        (
            "steps:\n  - snapshot: { name: home }\n",
            "steps:\n  - snapshot: { name: home, mask: [ { id: ad }, Now, { id: clock } ] }\n",
        ),
        (
            "steps:\n  - snapshot: { name: home, mask: [ { id: b } ] }\n",
            "steps:\n  - snapshot: { name: home, mask: [ { id: b }, { id: clock } ] }\n",
        ),
    ] {
        let edited = add_mask(&source(text), &step(text), &inherited, MASK).unwrap();
        assert_eq!(edited.text, after);
        assert!(edited.text[edited.at..].starts_with(MASK));
    }
}

#[test]
fn a_step_that_moved_is_refused() {
    let text = "steps:\n  - snapshot: home\n";
    let step = step(text);
    let moved = format!("# a line more\n{text}");
    assert!(add_mask(&source(&moved), &step, &[], MASK).is_err());
    assert!(add_mask(&source("steps: ["), &step, &[], MASK).is_err());
}

/// Generates a snapshot step in one of its forms, its lines at the column of its dash.
fn form() -> impl Strategy<Value = Vec<String>> {
    let quoted = prop_oneof![Just("home"), Just("'home'"), Just("\"home\"")];
    let comment = prop_oneof![Just(""), Just(" # c1"), Just("   # c2: { [")];
    let extra = prop_oneof![Just(""), Just("bars: true"), Just("image: raw")];
    let masks = prop_oneof![
        Just(None),
        Just(Some(vec![])),
        Just(Some(vec!["{ id: a }"])),
        Just(Some(vec!["Now", "{ rect: [0, 0, 1, 1] }", "\"x #y\""])),
    ];
    (quoted, comment, extra, masks, 0..4_usize, 1..5_usize).prop_map(
        |(name, comment, extra, masks, form, indent)| {
            let pad = " ".repeat(2 + indent);
            let list = masks
                .as_ref()
                .map(|masks| format!("[{}]", masks.join(", ")));
            let mut options = vec![format!("name: {name}")];
            options.extend((!extra.is_empty()).then(|| extra.to_owned()));
            match form {
                0 => vec![
                    format!("- snapshot: {name}{comment}"),
                    "  timeout: 5s".into(),
                ],
                1 => {
                    options.extend(list.map(|list| format!("mask: {list}")));
                    vec![format!("- snapshot: {{ {} }}{comment}", options.join(", "))]
                }
                2 => {
                    options.extend(list.map(|list| format!("mask: {list}")));
                    let lines = options.iter().map(|line| format!("{pad}{line}{comment}"));
                    std::iter::once("- snapshot:".to_owned())
                        .chain(lines)
                        .collect()
                }
                _ => {
                    let mut lines = vec![format!("- snapshot:{comment}")];
                    if let Some(masks) = masks.filter(|masks| !masks.is_empty()) {
                        lines.push(format!("{pad}mask:"));
                        lines.extend(masks.iter().map(|mask| format!("{pad}- {mask}{comment}")));
                    }
                    lines.extend(options.iter().map(|line| format!("{pad}{line}{comment}")));
                    lines
                }
            }
        },
    )
}

proptest! {
    /// Checks for any form that the flow says the same and one mask more, and that every comment is still
    /// there.
    #[test]
    fn only_a_mask_is_added(
        form in form(),
        indent in 0..5_usize,
        before in prop_oneof![Just("# first\n"), Just(""), Just("name: \"ä # no comment\"\n\n# second\n")],
        windows in any::<bool>(),
        last in any::<bool>(),
    ) {
        let pad = " ".repeat(indent);
        let mut text = format!("{before}steps:\n{pad}- back # before\n");
        for line in &form {
            text += &format!("{pad}{line}\n");
        }
        if !last {
            text += &format!("{pad}# after\n{pad}- back\n");
        }
        if windows {
            text = text.replace('\n', "\r\n");
        }
        let after = masked(&text).map_err(|why| TestCaseError::fail(format!("{why}\n{text}")))?;
        prop_assert_eq!(comments(&after), comments(&text), "{}", after);
        prop_assert_eq!(after.matches("\r\n").count() > 0, windows);
        prop_assert_eq!(after.matches('\n').count() == after.matches("\r\n").count(), windows);
        let again = add_mask(&source(&after), &step(&after), &[], MASK);
        prop_assert_eq!(again, Err(EditError::SameMask), "{}", after);
    }
}

#[test]
fn how_a_step_takes_its_rows_is_read() {
    let of = |text: &str| row_scope(&source(text), &step(text));
    assert_eq!(of("steps:\n  - snapshot: home\n"), RowScope::default());
    let text = "steps:\n  - snapshot:\n      name: home\n      of: { id: card }\n      redactions:\n        - { pattern: '\\d+', alias: '[n]' }\n        - pattern: x+\n          alias: x_{n}\n";
    let found = RowScope {
        own_frame: true,
        aliases: vec!["[n]".to_owned(), "x_{n}".to_owned()],
    };
    assert_eq!(of(text), found);
}
