//! Mistaken command lines and the words of the tables.

use std::collections::BTreeSet;

use clap::CommandFactory as _;

use super::super::{Arguments, read};
use super::subcommand::long_options;
use super::subcommands::SUBCOMMANDS;
use super::table::{OPTIONS, Row, known_option, rows};
use super::*;

mod habits;

/// Mistaken command lines, each with a part of the message that it must get.
const MISTAKES: &[(&str, &str)] = &[
    ("run", "`runner test`"),
    ("run flows/a.yaml", "`runner test`"),
    ("flows/a.yaml", "`runner test flows/a.yaml`"),
    ("record", "`runner studio`"),
    ("ui", "`runner studio`"),
    ("codegen", "`runner studio`"),
    ("open", "`runner studio`"),
    ("show-report", "`runner report --open`"),
    ("approve", "`runner accept`"),
    ("update-snapshots", "`runner test --update`"),
    ("list", "`runner test --list`"),
    ("hierarchy", "`runner inspect`"),
    ("validate", "`runner lint`"),
    ("check", "`runner lint`"),
    ("new", "`runner init`"),
    ("emulator", "`runner virtual`"),
    ("virtual start", "`runner virtual`"),
    ("import appium", "`runner import maestro`"),
    ("mcp --port 8020", "`--http PORT`"),
    ("test -DX=1", "`--env KEY=VALUE`"),
    ("test -s emulator-5554", "`--device emulator-5554`"),
    ("test --format xml", "`--format junit`"),
    ("test --package com.a.b", "`app: PACKAGE`"),
    ("tset", "`runner test`"),
    ("devcies", "`runner devices`"),
    ("version", "`runner --version`"),
    ("test --ui", "`runner studio`"),
    ("test --headed", "`runner studio`"),
    ("test -k login", "`runner test login`"),
    ("test --filter login", "`runner test login`"),
    ("test --workers 4", "`--spread`"),
    ("test -j 4", "`--spread`"),
    ("test -x", "`--fail-fast`"),
    ("test --bail", "`--fail-fast`"),
    ("test -u", "`--update`"),
    ("test --update-snapshots", "`--update`"),
    ("test --reporter html", "`--html DIR`"),
    ("test --junitxml out.xml", "`--junit FILE`"),
    ("test --lf", "`--last-failed`"),
    ("test --dry-run", "`--list`"),
    ("test --serial abc", "`--device SERIAL`"),
    ("test --timeout 5", "`step_timeout: 10s`"),
    ("test --repeat 5", "`--repeat-each N`"),
    ("test --random", "`--shuffle`"),
    ("test -m smoke", "`--tag TAG`"),
    ("test --reruns 2", "`--retries N`"),
    ("test --apk a.apk", "`--app APK`"),
    ("test --tga smoke", "`--tag`"),
    ("lint --junit a.xml", "option of `runner test`"),
    ("lint --format json", "`runner lint` has none"),
    ("lint --fix", "yourself"),
    ("devices --json", "`--format json`"),
    ("devices -l", "`--format json`"),
    ("inspect --xml", "`--format FORMAT`"),
    ("compare --threshold 0.1 a.png b.png", "`--specks N`"),
    ("compare --fuzz 5 a.png b.png", "`--cluster N`"),
    ("prune --dry-run", "`--check`"),
    ("review --ci", "`runner pending`"),
    ("test --ci", "`CI=1`"),
    ("doctor --fix", "yourself"),
    ("init --template login", "docs/guide/cookbook.md"),
    ("config get retries", "in runner.yaml"),
    ("config set retries 2", "in runner.yaml"),
    ("doctor now", "no further word"),
    ("cloud app.apk flows", "`runner test --app APK`"),
    ("upgrade", "install it again"),
    ("self-update", "install it again"),
    ("test --project=x", "`--device SERIAL`"),
    ("test --output-dir out", "`--artifacts DIR`"),
    ("test --configuration android.emu.debug", "`--app APK`"),
    ("test --trace always flows/a.yaml", "possible values: on"),
    ("test --video yes", "possible values: on"),
    ("test --update true", "possible values: pending"),
    ("test --app com.example.hello", "`app: com.example.hello`"),
    ("test --tags (smoke", "has no `)`"),
    ("test --suite smoke", "Usage: runner test [OPTIONS] [PATH]"),
    ("test --timeout 60 good.yaml", "`timeout: 60s`"),
    ("test --flow-timeout 60", "`timeout: 60s`"),
    ("test --action-timeout 5", "`step_timeout: 10s`"),
    ("format good.yaml", "there is no formatter"),
    ("fmt", "there is no formatter"),
    ("prettier flows", "there is no formatter"),
    ("snapshot update", "`runner test --update`"),
    ("snapshots accept", "`runner accept`"),
    ("snapshot review", "`runner review`"),
    ("snapshot", "`runner test --update`"),
    ("lint -d virtual good.yaml", "`runner lint` has none; `-d`"),
    ("lint -e A=1", "`runner lint` has none; `-e`"),
    ("test --max-failures=all good.yaml", "`--max-failures 3`"),
    ("test --max-failures 0", "goes on after each failure"),
    ("test --repeat-each 0", "each flow runs once"),
    ("test --repeat-each 5000", "1 to 1000"),
    ("test --adb-port 0", "leave `--adb-port` out"),
    ("test --shard-split 0", "1 to 64"),
    ("serve", "`runner report --open`"),
    ("test --url http://localhost:4723", "`webdriver: URL`"),
    (
        "test --base-url http://127.0.0.1:4723/wd/hub",
        "`webdriver: URL`",
    ),
    ("test --url https://example.com", "nothing opens a browser"),
    ("test --repeat-each many", "`--repeat-each 3`"),
    ("test --retries=none", "`--retries 3`"),
    ("test --shuffle=abc", "`--shuffle=3`"),
    ("virtual --port auto", "`--port 8080`"),
    ("install demo", "`runner test --app APK`"),
    ("install uia2", "`runner driver install`"),
    ("logs", "`assert log: …`"),
    ("logcat", "`runner test --log FILE`"),
    ("clean", "`runner prune --check`"),
    ("clear cache", "`.runner`"),
    ("purge", "`.runner`"),
    ("test --no-retries good.yaml", "`--retries 0`"),
    ("test --no-retry", "`--retries 0`"),
    ("test --no-video", "`--video=off`"),
    ("test --disable-trace", "`--trace=off`"),
    ("test --no-update", "`--update=none`"),
    ("test --no-fail-fast", "leave `--fail-fast` out"),
    ("test --trace-on good.yaml", "`--trace=on`"),
    ("test --enable-video", "`--video=on`"),
    ("test --spread-off", "`--spread=false`"),
    ("inspect --format xml", "`--format json`"),
    ("inspect --format csv", "`--format tsv`"),
    ("devices --format yaml", "`--format json`"),
    ("test --screenshot on good.yaml", "the step `screenshot`"),
    ("test --screenshot-on-failure", "the step `screenshot`"),
    ("test --version", "`runner --version`"),
    ("lint -V", "`runner --version`"),
    ("inspect -o tree.xml", "`> FILE`"),
    ("devices --output d.txt", "`> FILE`"),
    ("lint --strict good.yaml", "`--strict` is for `--against`"),
    ("lint --max-warnings 0", "warnings never fail"),
    ("lint --Werror", "warnings never fail"),
    ("test --wait 5 good.yaml", "`--device-wait 60s`"),
    ("test --locale de good.yaml", "`set_device: { locale: de }`"),
    ("test --dark", "`set_device: { dark: true }`"),
    ("test --orientation landscape", "`rotate: landscape`"),
    ("test --grant-permissions", "`launch: { permissions: all }`"),
];

#[test]
fn words_of_others_name_what_is_written_here() {
    let program = Arguments::command();
    for (given, wanted) in MISTAKES {
        let words = format!("runner {given}");
        let error = read(words.split(' ').map(Into::into)).unwrap_err();
        let text = error.render().to_string();
        assert!(text.contains(wanted), "{given}:\n{text}");
    }
    for nothing_like_it in ["frobnicate", "runaway", "test --frobnicate"] {
        let words = format!("runner {nothing_like_it}");
        let error = read(words.split(' ').map(Into::into)).unwrap_err();
        let text = error.render().to_string();
        assert!(!text.contains("tip:"), "{text}");
    }
    let mut seen = BTreeSet::new();
    for Row { ours, words, .. } in rows(SUBCOMMANDS) {
        let sentence = ours.split('`').filter(|code| code.starts_with("runner "));
        let codes = sentence.filter_map(|code| code.split(' ').nth(1));
        for name in codes {
            let is_known =
                ["--version", "--help"].contains(&name) || program.find_subcommand(name).is_some();
            assert!(is_known, "{ours}");
        }
        for word in words.split(' ') {
            assert!(program.find_subcommand(word).is_none(), "{word} is one");
            assert!(seen.insert(format!("sub {word}")), "{word} stands twice");
        }
    }
    let inner = program.get_subcommands().flat_map(Command::get_subcommands);
    let subcommands: Vec<&Command> = program.get_subcommands().chain(inner).collect();
    let all = subcommands.iter();
    let all: BTreeSet<&str> = all.flat_map(|used| long_options(used, &program)).collect();
    for Row { ours, words, only } in rows(OPTIONS) {
        let mut only = only.split(' ').filter(|name| !name.is_empty());
        assert!(
            only.all(|name| program.find_subcommand(name).is_some()),
            "{ours}"
        );
        let named = ours.split('`').filter_map(|part| part.strip_prefix("--"));
        let named: Vec<&str> = named
            .filter_map(|name| name.split([' ', '=']).next())
            .collect();
        assert!(named.iter().all(|name| all.contains(name)), "{ours}");
        for word in words.split(' ') {
            let mut all = subcommands.iter();
            let is_said = all.any(|used| {
                let options = long_options(used, &program);
                known_option(word, &options, used.get_name()) == Some(ours)
            });
            assert!(is_said, "nothing says `{ours}` for {word}");
        }
    }
}

/// clap suggests any value that shares some letters: `scenario` for `maestro`.
#[test]
fn no_value_is_suggested_that_is_no_slip() {
    for (given, near) in [
        ("mcp --dialect scenery", None),
        ("mcp --dialect mobile", Some("mobile-agent")),
        ("mcp --dialect semantics", Some("semantic")),
        ("review --images kity", Some("kitty")),
    ] {
        let words = format!("runner {given}");
        let error = read(words.split(' ').map(Into::into)).unwrap_err();
        let text = error.render().to_string();
        match near {
            Some(near) => assert!(text.contains(&format!("'{near}'")), "{text}"),
            None => assert!(!text.contains("tip:"), "{text}"),
        }
    }
}

#[test]
fn a_form_that_reads_is_left_alone() {
    for given in [
        "test -d virtual-2",
        "test -d virtual",
        "test -dvirtual",
        "test -g good",
        "test -qe A=1",
        "test -- -device",
        "history flows/a.yaml",
        "test virtual",
    ] {
        let words = format!("runner {given}");
        assert!(read(words.split(' ').map(Into::into)).is_ok(), "{given}");
    }
    assert_eq!(option_for("login"), None);
    assert_eq!(option_for("login:5"), None);
    assert_eq!(option_for("@smoke").as_deref(), Some("--tag smoke"));
    assert_eq!(option_for("A=1").as_deref(), Some("--env A=1"));
    assert_eq!(option_for("help").as_deref(), Some("--help"));
    assert_eq!(option_for("json").as_deref(), Some("--format json"));
    assert_eq!(
        option_for("device=virtual").as_deref(),
        Some("--device virtual")
    );
    assert_eq!(
        option_for("emulator-5554").as_deref(),
        Some("--device emulator-5554")
    );
}

#[test]
fn no_value_is_told_that_may_be_a_secret() {
    let words = ["runner", "test", "-e", "PASSWORD", "hunter2"];
    let error = read(words.map(Into::into)).unwrap_err();
    assert!(!error.render().to_string().contains("hunter2"));
}

#[test]
fn a_pair_that_does_not_read_is_told_without_its_value() {
    for (pair, shown) in [
        ("PASSWORD:hunter2", "'PASSWORD…'"),
        ("PASSWORD hunter2", "'PASSWORD…'"),
        ("=hunter2", "'…'"),
        ("hunter2", "'…'"),
        ("x/hunter2:y", "'…'"),
    ] {
        let words = ["runner", "test", "--env", pair, "flows"];
        let error = read(words.map(Into::into)).unwrap_err();
        let message = error.render().to_string();
        assert!(!message.contains("hunter2"), "{message}");
        let wanted = [shown, "--env <KEY=VALUE>", "write "];
        assert!(wanted.iter().all(|it| message.contains(it)), "{message}");
    }
}
