//! Tests of the language: what scripts mean, what is wrong in them, and their limits.

use super::*;

#[tokio::test]
async fn scripts_mean_what_posix_says() {
    let device = Device::new();
    for (script, out) in [
        ("echo a  b", "a b\n"),
        ("echo 'a  b' \"c  d\" e\\ \\ f", "a  b c  d e  f\n"),
        (r#"echo "a\"b\$c\\d\e""#, "a\"b$c\\d\\e\n"),
        ("echo 'it'\\''s'", "it's\n"),
        ("echo ''", "\n"),
        ("echo a; echo b", "a\nb\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("! false && echo not", "not\n"),
        ("false; echo $?", "1\n"),
        ("x=5; echo $x ${x}y \"$x\" '$x'", "5 5y 5 $x\n"),
        ("x='a b'; printf '[%s]' $x \"$x\"", "[a][b][a b]"),
        ("x=; printf '[%s]' $x \"$x\"", "[]"),
        (
            "echo ${none:-default} ${#HOME} ${none}end",
            "default 1 end\n",
        ),
        (
            "p=/a/b.txt; echo ${p##*/} ${p%.*} ${p#*/}",
            "b.txt /a/b a/b.txt\n",
        ),
        ("echo $(echo a; echo b) `echo c`", "a b c\n"),
        ("echo \"$(printf 'a\\n\\n')\"end", "aend\n"),
        ("echo $((1 + 2 * 3)) $((10 / 3))", "7 3\n"),
        (
            "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
            "0\n1\n2\n",
        ),
        (
            "for x in a 'b c' d; do echo \"<$x>\"; done",
            "<a>\n<b c>\n<d>\n",
        ),
        (
            "for x in 1 2 3; do [ $x = 2 ] && continue; echo $x; done",
            "1\n3\n",
        ),
        (
            "if [ -e /sdcard ]; then echo there; else echo gone; fi",
            "there\n",
        ),
        ("if false; then echo a; elif true; then echo b; fi", "b\n"),
        (
            "case abc in x) echo x;; a*) echo a;; *) echo other;; esac",
            "a\n",
        ),
        ("(x=1; echo $x); echo \"[$x]\"", "1\n[]\n"),
        ("{ echo a; echo b; } | wc -l", "2\n"),
        (
            "f() { echo \"$1-$#\"; return 3; }; f a b; echo $?",
            "a-2\n3\n",
        ),
        (
            "am() { echo mine; }; am; command am x 2>/dev/null || echo theirs",
            "mine\ntheirs\n",
        ),
        (
            "echo() { command echo \"<$1>\"; }; echo a; exec echo b",
            "<a>\nb\n",
        ),
        (
            "f() { :; }; command -v cd f if echo wm /system/bin/pm; echo $?",
            "cd\nf\nif\necho\n/system/bin/wm\n/system/bin/pm\n0\n",
        ),
        (
            "command -v nope || echo none; which wm /system/bin/pm",
            "none\n/system/bin/wm\n/system/bin/pm\n",
        ),
        ("echo a # comment", "a\n"),
        ("echo a#b", "a#b\n"),
        ("echo a\\\n b", "a b\n"),
        ("echo hi | cat | tr h H", "Hi\n"),
        ("cat <<E\nx $HOME\nE\necho after", "x /\nafter\n"),
        ("cat <<'E'\nx $HOME\nE", "x $HOME\n"),
        ("echo x >/dev/null; echo y 2>&1", "y\n"),
        ("nope 2>/dev/null; echo $?", "127\n"),
        (
            "nope 2>&1 | cat",
            "/system/bin/sh: nope: inaccessible or not found\n",
        ),
        ("exit 3; echo no", ""),
        ("x=$(false); echo $?; x=1; echo $?", "1\n0\n"),
        ("A=1 sh -c 'echo $A'; echo \"[$A]\"", "1\n[]\n"),
        ("echo '*' \"*\" \\*", "* * *\n"),
        ("eval 'echo a b'", "a b\n"),
        (
            "printf 'a b\\nc\\n' | while read x y; do echo \"$y-$x\"; done",
            "b-a\n-c\n",
        ),
        ("echo $!; sleep 1 & [ -n \"$!\" ] && echo job", "\njob\n"),
        ("echo '%s'; echo a%sb", "%s\na%sb\n"),
        ("set -- a b; echo $# $2 \"$@\"", "2 b a b\n"),
        (
            "cd /sdcard && pwd && cd .. && pwd",
            "/storage/emulated/0\n/storage/emulated\n",
        ),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
}

#[tokio::test]
async fn what_leaves_a_command_early_leaves_it_as_posix_says() {
    let device = Device::new();
    for (script, out, code) in [
        ("! exit 3", "", 3),
        ("f() { ! return 3; }; f; echo $?", "3\n", 0),
        (
            "for x in a b; do while break; do echo no; done; echo $x; done",
            "a\nb\n",
            0,
        ),
        (
            "i=0; while i=$((i+1)); [ $i -lt 3 ] && continue; [ $i -lt 5 ]; do echo $i; done",
            "3\n4\n",
            0,
        ),
    ] {
        let ran = device.run(script).await;
        assert_eq!((ran.out.as_str(), ran.code), (out, code), "{script}");
    }
}

#[tokio::test]
async fn wrong_scripts_are_told() {
    let device = Device::new();
    for (script, err) in [
        ("echo 'a", "no closing quote"),
        ("then", "syntax error: unexpected 'then'"),
        ("echo a; | cat", "syntax error: unexpected '|'"),
        ("if true; then", "syntax error: unexpected end of file"),
        ("( echo", "syntax error: unexpected end of file"),
        ("echo )", "syntax error: unexpected ')'"),
        ("echo $((1/0))", "zero divisor"),
        ("nope", "nope: inaccessible or not found"),
        (
            "cat < /sdcard/none",
            "can't open /sdcard/none: No such file or directory",
        ),
        (
            "echo x > /none",
            "can't create /none: Read-only file system",
        ),
    ] {
        let ran = device.run(script).await;
        assert_eq!(ran.err, format!("/system/bin/sh: {err}\n"), "{script}");
        assert_ne!(ran.code, 0, "{script}");
    }
    // Backticks add no level of nesting.
    let inner = "$(".repeat(40);
    let in_backticks = format!(
        "{inner}`{inner}echo{closed}`{closed}",
        closed = ")".repeat(40)
    );
    assert_eq!(
        device.run(&in_backticks).await.err,
        "/system/bin/sh: syntax error: nested too deeply\n"
    );
    let deep = "(".repeat(5000);
    assert_eq!(
        device.run(&deep).await.err,
        "/system/bin/sh: syntax error: nested too deeply\n"
    );
}

// A text with spaces or many lines is a chain of hundreds of commands.
#[tokio::test]
async fn a_chain_of_commands_may_be_long() {
    let device = Device::new();
    let chain = vec!["true"; 3000].join(" && ");
    for (script, out) in [
        (format!("{chain} && echo end"), "end\n"),
        (format!("{chain} && false || echo else"), "else\n"),
        (format!("false && {chain} || echo else"), "else\n"),
        (format!("true || {chain} && echo end"), "end\n"),
    ] {
        assert_eq!(device.run(&script).await.out, out);
    }
    let nested = "eval 'eval \"f() { f; }; f\"'; echo after";
    let ran = device.run(nested).await;
    assert!(ran.err.contains("does not nest commands deeper"), "{ran:?}");
}

// Traps of a script whose connection is lost.
#[tokio::test]
async fn traps_run_at_the_end_and_when_the_peer_hangs_up() {
    let device = Device::new();
    let ran = device.run("trap 'echo bye' EXIT; echo hi; (exit 3)").await;
    assert_eq!((ran.out.as_str(), ran.code), ("hi\nbye\n", 3));
    assert_eq!(device.run("trap 'echo bye' 0; trap - 0").await.out, "");
    let script = "touch /sdcard/left; trap 'rm -f /sdcard/left' HUP; echo ready; cat";
    let (feed, source) = stdin();
    let (sender, mut output) = mpsc::channel(16);
    let running = tokio::spawn(run_owned(Arc::clone(&device.0), script, source, sender));
    assert_eq!(output.recv().await.unwrap().bytes, b"ready\n");
    running.abort();
    drop(feed);
    let gone = async {
        while device.0.storage.stat("/sdcard/left").is_ok() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), gone)
        .await
        .expect("the trap did not run");
}

async fn run_owned(
    device: Arc<DeviceState>,
    script: &'static str,
    source: crate::shell::streams::Source,
    sender: mpsc::Sender<crate::shell::Output>,
) -> i32 {
    run(device, script, source, sender).await
}

// Texts that double in a loop are limited.
#[tokio::test]
async fn words_and_variables_have_an_end() {
    let device = Device::new();
    for script in [
        "x=aaaaaaaaaa; while true; do x=$x$x || break; done",
        "x=aaaaaaaaaa; while true; do x=\"$x$x\" || break; done",
        "while true; do export x=a$x$x || break; done",
        "i=0; while true; do i=$((i+1)); eval \"x$i=1\" || break; done",
        "seq 1 50000 > /sdcard/n; x=$(cat /sdcard/n); : $x$x$x$x$x$x$x$x$x$x $x$x$x$x",
    ] {
        let ran = device.run(script).await;
        let reported = ran.err.contains("out of memory") || ran.err.contains("too long");
        assert!(
            reported && ran.err.len() < 500,
            "{script}: {} {}",
            ran.code,
            ran.err
        );
    }
    let ran = device
        .run("f() { sleep 9 & f; }; f; sleep 1; echo done")
        .await;
    assert!(ran.err.len() < 20_000, "{}", ran.err.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_goes_as_far_as_it_can_before_the_script_goes_on() {
    let device = Device::new();
    let script = "settings put system a 1 & settings get system a; settings put system a 2 & sleep 5; settings get system a; wait";
    for _ in 0..50 {
        assert_eq!(device.run(script).await.out, "1\n2\n");
    }
}

#[tokio::test]
async fn nothing_hangs() {
    let device = Device::new();
    assert_eq!(device.run("while true; do :; done").await.code, 124);
    assert_ne!(device.run("f() { f; }; f").await.code, 0);
    assert_eq!(device.run("sleep 86400; echo late").await.out, "late\n");
    assert_eq!(device.run_with("cat", b"typed").await.out, "typed");
}

proptest::proptest! {
    #[test]
    fn quoted_text_is_one_word_unchanged(text in "[^\0]{0,40}") {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let script = format!("printf %s {}", runner_adb::quote(&text));
        let ran = runtime.block_on(async { Device::new().run(&script).await });
        proptest::prop_assert_eq!(ran.out, text);
    }

    #[test]
    fn any_text_is_read_without_panic(text in "[a-z'\"\\\\$`(){};&|<>#! \n=*\\[\\]0-9]{0,60}") {
        let _ = crate::shell::parse::parse(&text);
    }
}

#[tokio::test]
async fn standard_input_that_is_named_twice_is_read_once() {
    let device = Device::new();
    let ran = tokio::time::timeout(
        std::time::Duration::from_secs(10),
        device.run_with("cat - -; echo end", b"once\n"),
    );
    assert_eq!(ran.await.unwrap().out, "once\nend\n");
}

#[tokio::test]
async fn a_pattern_that_multiplies_what_it_finds_is_refused() {
    let device = Device::new();
    let folders = (0..30).map(|number| format!("/sdcard/many/f{number}"));
    let folders: Vec<String> = folders.collect();
    let script = format!(
        "mkdir -p {}; echo /sdcard/many/*{} | wc -c",
        folders.join(" "),
        "/../*".repeat(20)
    );
    let ran = tokio::time::timeout(std::time::Duration::from_mins(1), device.run(&script));
    assert!(!ran.await.unwrap().err.is_empty());
}
