use proptest::prelude::*;

use super::row_names::{NamedTable, row_names};
use super::*;
use crate::tests::{Project, read};
use runner_text::diagnostic::render_line;

const STEPS: &str = "steps:\n  - click: \"${user}\"\n";

/// Returns the names of a flow's cases, or its errors.
fn cases(project: &Project) -> Result<Vec<String>, Vec<String>> {
    let (flow, wrong) = project.read("flows/pay.yaml");
    let names = |flow: crate::Flow| {
        let names = flow.cases.iter().map(|case| case.name.to_string());
        names.collect()
    };
    flow.map(names)
        .ok_or_else(|| wrong.iter().map(render_line).collect())
}

fn with_table(table: impl AsRef<[u8]>) -> Result<Vec<String>, Vec<String>> {
    let project = Project::new();
    project
        .file("flows/pay.yaml", format!("each: rows.csv\n{STEPS}"))
        .file("flows/rows.csv", table);
    cases(&project)
}

fn header(header: &str) -> Result<Vec<String>, Vec<String>> {
    let project = Project::new();
    project.file("flows/pay.yaml", format!("{header}\nsteps: [ back ]\n"));
    cases(&project)
}

#[test]
fn each_combination_of_a_matrix_is_a_case() {
    for (text, expected) in [
        ("matrix: { dark: [no, yes] }", vec!["light", "dark"]),
        (
            "matrix: { font_scale: [1.0, 2], locale: [en, de-DE] }",
            vec!["en-fs100", "en-fs200", "de-DE-fs100", "de-DE-fs200"],
        ),
        (
            "matrix: { locale: [no], dark: [true], font_scale: [1.15] }",
            vec!["no-dark-fs115"],
        ),
        ("matrix: {}", vec![]),
        (
            "each: [ { user: anna }, { user: ben } ]\nmatrix: { dark: [no, yes] }",
            vec!["anna@light", "anna@dark", "ben@light", "ben@dark"],
        ),
    ] {
        assert_eq!(header(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_matrix_that_cannot_be_names_its_place() {
    let many = |number: usize| {
        (0..number)
            .map(|it| format!("en-{it:03}"))
            .collect::<Vec<_>>()
    };
    for (text, expected) in [
        (
            "matrix: { dart: [no] }",
            "flows/pay.yaml:1:11: error[unknown-key]: `dart` is not known here",
        ),
        (
            "matrix: { locale: [de, en, DE] }",
            "flows/pay.yaml:1:28: error[matrix]: `locale` has this value twice",
        ),
        (
            "matrix:\n  locale: [de, \"en us\"]",
            "flows/pay.yaml:2:16: error[matrix]: `en us` is not a language; write a tag such as `de` or `de-DE`",
        ),
        (
            "matrix: { font_scale: [9] }",
            "flows/pay.yaml:1:24: error[out-of-range]",
        ),
        (
            "matrix: { dark: [maybe] }",
            "flows/pay.yaml:1:18: error[unknown-value]",
        ),
        (
            "matrix: { dark: [] }",
            "flows/pay.yaml:1:17: error[out-of-range]",
        ),
        (
            &format!(
                "matrix: {{ dark: [no, yes], locale: [{}] }}",
                many(129).join(", ")
            ),
            "flows/pay.yaml:1:9: error[matrix]: this matrix has 258 combinations; at most 256 are possible",
        ),
    ] {
        let wrong = header(text).unwrap_err();
        assert_eq!(wrong.len(), 1, "{text}: {wrong:?}");
        assert!(wrong[0].starts_with(expected), "{text}: {wrong:?}");
    }
}

#[test]
fn rows_of_a_file_are_cases_with_the_columns_as_names() {
    let project = Project::new();
    project
        .file("flows/pay.yaml", "each: ../data/rows.csv\nenv: { GREETING: \"Hi ${user}\" }\nsteps:\n  - click: \"${user} ${amount} ${GREETING}\"\n")
        .file("data/rows.csv", "\u{feff}user,amount\r\nanna,\"1,50\"\r\n\r\n\"ben \"\"b\"\"\",${BASE_URL}\r\n");
    let (flow, wrong) = project.read("flows/pay.yaml");
    let flow = flow.unwrap_or_else(|| panic!("{wrong:?}"));
    let rows: Vec<&Arc<Row>> = flow.cases.iter().flat_map(|case| &case.row).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["anna", "ben__b_"]);
    let (_, amount) = rows[0].values().nth(1).unwrap();
    assert_eq!(amount.value, Argument::Literal("1,50".into()));
    assert_eq!(&rows[0].source.text[amount.span.clone()], "\"1,50\"");
    let other = &rows[1].value("amount").unwrap().value;
    assert_eq!(*other, Argument::Expression("BASE_URL".into()));
    let folders = flow.golden_folders("pay".into());
    assert_eq!(folders, ["pay/anna", "pay/ben__b_"]);
}

#[test]
fn a_table_that_cannot_be_used_names_file_line_and_column() {
    let long = |rows: usize| {
        let mut table = "user\n".to_owned();
        (0..rows).for_each(|row| table.push_str(&format!("u{row}\n")));
        table
    };
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (
            "username,pay\nanna,1\n".into(),
            "flows/pay.yaml:3:15: error[undefined-name]: `user` is not defined here",
        ),
        (
            "user,pay\nanna\n".into(),
            "flows/rows.csv:2:1: error[table]: this row has 1 value; the first line has 2 columns",
        ),
        (
            "user\nanna\nben,x\n".into(),
            "flows/rows.csv:3:1: error[table]: this row has 2 values; the first line has 1 column",
        ),
        (
            "id,user,name\n1,anna,x\n2,ben,X\n".into(),
            "flows/rows.csv:3:7: error[table]: the case `X` is named in line 2 already; the column `name` names each case once",
        ),
        (
            "user,name\nanna,\n".into(),
            "flows/rows.csv:2:6: error[table]: this row has no `name`, by which its case is named",
        ),
        (
            "user,pay\nanna,1\nanna,1\n".into(),
            "flows/rows.csv:3:1: error[table]: this row is the same as that of line 2",
        ),
        (
            "user,pay\nanna,\"1\nben,2\ncarl,3\n".into(),
            "flows/rows.csv:2:6: error[table]: this value begins with a quote and does not end with it",
        ),
        (
            "user,pay\nanna,\"1\" junk\nben,2\n".into(),
            "flows/rows.csv:2:6: error[table]: this value begins with a quote and does not end with it",
        ),
        (
            "user,pay\na\"b,1\nc\n".into(),
            "flows/rows.csv:3:1: error[table]: this row has 1 value",
        ),
        (
            "user,user\nanna,1\n".into(),
            "flows/rows.csv:1:6: error[duplicate-key]: this table has two columns `user`",
        ),
        (
            "user;pay\nanna;1\n".into(),
            "flows/rows.csv:1:1: error[name]: `user;pay` cannot be a name",
        ),
        (
            "user,os\nanna,1\n".into(),
            "flows/rows.csv:1:6: error[name]: `os` already means something",
        ),
        (
            "user,pay\nanna,${nobody}\n".into(),
            "flows/rows.csv:2:8: error[undefined-name]: `nobody` is not defined here",
        ),
        (
            b"user\nanna\nJ\xfcrgen\n".to_vec(),
            "flows/rows.csv:3:2: error[unreadable]: this file is not UTF-8 text",
        ),
        (
            "user\n".into(),
            "flows/rows.csv:1:1: error[table]: this table has no rows",
        ),
        (
            "".into(),
            "flows/rows.csv:1:1: error[table]: this table has no rows",
        ),
        (
            long(100_000).into(),
            "flows/rows.csv:10002:1: error[too-large]: this table has more than 10000 rows",
        ),
        (
            vec![b'x'; 17 << 20],
            "flows/rows.csv:1:1: error[unreadable]: this file is larger than 16 MB, more than such a file may have",
        ),
    ];
    for (table, expected) in cases {
        let wrong = with_table(&table).unwrap_err();
        // A missing column is reported once, not in each expression.
        assert!(
            matches!(wrong.as_slice(), [wrong] if wrong.starts_with(expected)),
            "{expected}\nis not {wrong:?}"
        );
    }
    assert_eq!(with_table(long(10_000)).unwrap().len(), 10_000);
}

#[test]
fn a_value_that_begins_with_a_blank_is_doubted_once_and_kept() {
    for (table, place) in [
        ("user, amount\nanna, 3\nben, 4\n", Some("2:6")),
        ("user,amount\nanna,3 \n", None),
        ("user,amount\nanna,\" 3\"\n", None),
    ] {
        let project = Project::new();
        project
            .file("flows/pay.yaml", format!("each: rows.csv\n{STEPS}"))
            .file("flows/rows.csv", table);
        let (flow, found) = project.read("flows/pay.yaml");
        assert!(flow.is_some(), "{table}");
        let doubts: Vec<String> = found.iter().map(render_line).collect();
        let wanted =
            place.map(|place| format!("flows/rows.csv:{place}: warning[doubtful]: this value"));
        assert_eq!(doubts.len(), usize::from(wanted.is_some()), "{doubts:?}");
        let is_there = doubts
            .iter()
            .zip(wanted)
            .all(|(it, wanted)| it.starts_with(&wanted));
        assert!(is_there, "{doubts:?}");
    }
}

#[test]
fn a_table_stays_below_the_root() {
    for (path, expected) in [
        (
            "../../rows.csv",
            "`../../rows.csv` leaves the project's root",
        ),
        ("/etc/passwd", "`/etc/passwd` leaves the project's root"),
        ("none.csv", "`none.csv`: there is no such file"),
        (
            "\"${os.HOME}.csv\"",
            "the path of a table holds no expression",
        ),
    ] {
        let wrong = header(&format!("each: {path}")).unwrap_err();
        let expected = format!("flows/pay.yaml:1:7: error[table]: {expected}");
        assert_eq!(wrong, [expected], "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_root_is_no_table() {
    let project = Project::new();
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs_err::write(outside.path(), "user\nhidden\n").unwrap();
    project.file("flows/pay.yaml", format!("each: rows.csv\n{STEPS}"));
    std::os::unix::fs::symlink(outside.path(), project.root().join("flows/rows.csv")).unwrap();
    let wrong = cases(&project).unwrap_err();
    assert!(
        wrong[0].contains("leads out of the project's root"),
        "{wrong:?}"
    );
    assert!(!format!("{wrong:?}").contains("hidden"));
}

#[test]
fn rows_of_the_flow_itself_name_their_place() {
    for (text, expected) in [
        (
            "each: []",
            "1:7: error[out-of-range]: this list has no rows",
        ),
        ("each: [ anna ]", "1:9: error[wrong-type]: a row is a map"),
        (
            "each: { user: anna }",
            "1:7: error[wrong-type]: a CSV file or a list of maps",
        ),
        (
            "each: [ { user: a }, { usr: b } ]",
            "1:24: error[table]: the first row has no column `usr`",
        ),
        (
            "each: [ { user: a, pay: 1 }, { user: b } ]",
            "1:30: error[table]: this row has no `pay`",
        ),
        (
            "each: [ { user: a } ]\nenv: { user: b }",
            "2:8: error[duplicate-key]: `user` is a column of `each` already",
        ),
        (
            "each: [ { case: '${1+1}' } ]",
            "1:17: error[table]: the `case` of this row holds an expression",
        ),
        (
            "secrets: [name]\neach: [ { name: a } ]",
            "2:9: error[table]: cases are named by the column `name`, which is a secret",
        ),
    ] {
        let wrong = header(text).unwrap_err();
        let expected = format!("flows/pay.yaml:{expected}");
        assert!(
            wrong.iter().any(|it| it.starts_with(&expected)),
            "{text}: {wrong:?}"
        );
    }
}

#[test]
fn too_many_rows_and_combinations_together_are_refused() {
    let project = Project::new();
    let mut table = "user\n".to_owned();
    (0..6000).for_each(|row| table.push_str(&format!("u{row}\n")));
    project
        .file(
            "flows/pay.yaml",
            format!("each: rows.csv\nmatrix: {{ dark: [no, yes] }}\n{STEPS}"),
        )
        .file("flows/rows.csv", table);
    assert_eq!(
        cases(&project).unwrap_err(),
        [
            "flows/pay.yaml:1:1: error[too-large]: this flow has 12000 cases, its rows and its matrix together; at most 10000 are possible"
        ]
    );
}

#[test]
fn a_flow_that_another_runs_has_no_rows_and_its_matrix_means_nothing() {
    let project = Project::new();
    project
        .file("flows/pay.yaml", "steps: [ run: _sub.yaml ]\n")
        .file(
            "flows/_sub.yaml",
            "matrix: { dark: [no, yes] }\nsteps: [ back ]\n",
        );
    assert_eq!(cases(&project).unwrap(), Vec::<String>::new());
    project.file(
        "flows/_sub.yaml",
        "each: [ { user: a } ]\nsteps: [ back ]\n",
    );
    let wrong = cases(&project).unwrap_err();
    assert!(
        wrong[0].contains("a flow with `each` is run for its own rows"),
        "{wrong:?}"
    );
}

/// Law: the variant stays whole, however long the name of the row is.
#[test]
fn a_long_name_keeps_its_cases_apart() {
    for letters in ["a".repeat(64), "あ".repeat(53), "𐌰".repeat(40)] {
        let text = format!("each: [ {{ name: {letters} }} ]\nmatrix: {{ dark: [no, yes] }}");
        let names = header(&text).unwrap();
        assert!(
            names[0].ends_with("@light") && names[1].ends_with("@dark"),
            "{names:?}"
        );
    }
}

// Errors quote lines of a table, and a column may be a secret.
#[test]
fn an_error_in_a_table_with_a_secret_shows_no_row() {
    let displayed = |wrong: &[runner_text::diagnostic::Diagnostic]| {
        runner_text::diagnostic::render(wrong, false, 120)
    };
    for header in ["secrets: [pin]\n", ""] {
        let column = if header.is_empty() { "password" } else { "pin" };
        for row in ["anna,hunter2,more", "\"anna\",\"${hunter2\""] {
            let project = Project::new();
            project
                .file("flows/pay.yaml", format!("{header}each: rows.csv\n{STEPS}"))
                .file("flows/rows.csv", format!("user,{column}\n{row}\n"));
            let (_, wrong) = project.read("flows/pay.yaml");
            let text = displayed(&wrong);
            assert!(text.contains("flows/rows.csv:2"), "{text}");
            assert!(!text.contains("hunter2"), "{text}");
        }
    }
    // Only `secrets` says that the column is one, however its name is written.
    for table in [
        "user, wort\nanna, hunter2\n",
        "user, wort\nanna,hunter2,more\n",
        "\u{feff}wort,user\nhunter2,anna,more\n",
        "\u{feff} wort,user\n hunter2,anna\n",
        "\" wort \",user\nhunter2,anna,more\n",
        "user;wort\nanna;hunter2,more\n",
        "user\twort\nanna\thunter2,more\n",
        "user,wort\ranna,hunter2,more\r",
        "user,wort\ranna, hunter2\r",
        "\nuser,wort\nanna,hunter2,more\n",
        "\u{feff}\r\nuser,wort\r\nanna,hunter2,more\r\n",
    ] {
        let project = Project::new();
        project
            .file(
                "flows/pay.yaml",
                format!("secrets: [wort]\neach: rows.csv\n{STEPS}"),
            )
            .file("flows/rows.csv", table);
        let (_, wrong) = project.read("flows/pay.yaml");
        let text = displayed(&wrong);
        let line = if table.contains("\nuser,wort") { 3 } else { 2 };
        let place = format!("flows/rows.csv:{line}");
        assert!(text.contains(&place), "{table:?}: {text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_case_is_named_by_what_tells_it_apart_and_by_no_secret() {
    let names = |text: &str| {
        let (flow, wrong) = read(&format!("{text}\nsteps: [ back ]\n"));
        let flow = flow.unwrap_or_else(|| panic!("{text}: {wrong:?}"));
        let names = flow.cases.iter().map(|case| case.name.to_string());
        names.collect::<Vec<_>>()
    };
    for (text, expected) in [
        (
            "each: [ { case: One, a: 1 }, { case: Two, a: 2 } ]",
            ["One", "Two"],
        ),
        (
            "each: [ { a: x, name: One }, { a: y, name: Two } ]",
            ["One", "Two"],
        ),
        ("each: [ { a: x, b: 1 }, { a: x, b: 2 } ]", ["x-1", "x-2"]),
        (
            "each: [ { password: x, b: 1 }, { password: y, b: 2 } ]",
            ["1", "2"],
        ),
        (
            "secrets: [a]\neach: [ { a: x }, { a: y } ]",
            ["row-1", "row-2"],
        ),
        ("each: [ { a: \"${BASE_URL}\" }, { a: 7 } ]", ["row-1", "7"]),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
    let apart = names("each: [ { a: x, b: \"${BASE_URL}\" }, { a: x, b: \"${BASE_URL}2\" } ]");
    assert_eq!(apart, ["x-row-1", "x-row-2"]);
    // Names must not contain a hash of a secret.
    let apart = names("secrets: [b]\neach: [ { a: x, b: 1 }, { a: x, b: 2 } ]");
    assert_eq!(apart, ["x-row-1", "x-row-2"]);
    let apart = names("each: [ { a: x y }, { a: x/y } ]");
    assert!(
        apart[0].starts_with("x_y-") && apart[1].starts_with("x_y-"),
        "{apart:?}"
    );
    assert_ne!(apart[0], apart[1]);
}

proptest! {
    #[test]
    fn names_are_unique_whatever_rows_hold(
        rows in proptest::collection::hash_set(proptest::collection::vec("[aAb /_.é]{0,3}|𐌰{20,22}[ab]", 3), 1..40)
    ) {
        let columns = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let rows: Vec<Vec<Option<String>>> =
            rows.into_iter().map(|row| row.into_iter().map(Some).collect()).collect();
        let table = NamedTable { columns: &columns, is_hidden: vec![false; 3], rows };
        let names = row_names(&table).unwrap();
        let folded: std::collections::HashSet<String> = names.iter().map(CaseName::folded).collect();
        prop_assert_eq!(folded.len(), names.len());
    }

    #[test]
    fn no_table_does_harm(table in proptest::collection::vec(
        prop_oneof![Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r'), Just(b'$'), Just(b'{'), Just(b'a'), any::<u8>()], 0..60
    )) {
        if let Err(wrong) = with_table(&table) {
            prop_assert!(!wrong.is_empty());
        }
    }

    // The csv library returns only the start of a record, and `places` finds its values.
    #[test]
    fn each_value_of_a_table_stands_where_its_place_says(
        rows in proptest::collection::vec(proptest::collection::vec("[a-z ,\"\n]{0,6}", 2), 1..8)
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["x", "y"]).unwrap();
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let source = Arc::new(Source { path: "t.csv".into(), text });
        let table = super::table::read(&source).unwrap();
        for cell in table.rows.iter().flatten() {
            let written = &source.text[cell.span.clone()];
            let plain = written
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'))
                .map_or_else(|| written.to_owned(), |inner| inner.replace("\"\"", "\""));
            prop_assert_eq!(&plain, &cell.text);
        }
    }
}
