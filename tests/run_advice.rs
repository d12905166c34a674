//! Tests of what a failed step says of the device: apps, activities, links, fields and states in place of those named.

use crate::common::Project;

/// Steps that fail, each with what the failure says.
const TOLD: &[(&str, &[&str])] = &[
    (
        "launch: com.example.note",
        &[
            "com.example.note is not installed on the device",
            "com.example.notes is installed, which is nearly the same name; write that",
        ],
    ),
    (
        "stop: com.example.note",
        &["com.example.note is not installed on the device"],
    ),
    (
        "clear: com.example.note",
        &["com.example.note is not installed on the device"],
    ),
    (
        "uninstall: com.example.nothing",
        &[
            "com.example.nothing is not installed on the device",
            "com.example.notes, the flow's app, is installed; a step that names no app acts on it",
            "install it first, such as with `install: build/app.apk`",
        ],
    ),
    (
        "grant: { app: com.example.note, permission: POST_NOTIFICATIONS }",
        &["com.example.note is not installed on the device"],
    ),
    (
        "open_link: { link: \"notes://inbox\", app: com.example.note }",
        &["com.example.note is not installed on the device"],
    ),
    (
        "launch: { activity: .InboxActivity }",
        &[
            "com.example.notes has no activity .InboxActivity",
            "it has .Inbox; write `activity: .Inbox`",
        ],
    ),
    (
        "launch: { activity: .Nowhere }",
        &["activities that it offers: .Inbox, .Note, .SignIn"],
    ),
    (
        "open_link: note://inbox",
        &[
            "no app on the device takes the link note://inbox",
            "begin with `notes:`; write `notes://inbox`",
        ],
    ),
    (
        "open_link: { link: \"notes://nowhere\", app: com.example.notes }",
        &[
            "com.example.notes does not take the link notes://nowhere",
            "but not this host or path",
        ],
    ),
    (
        "install: flows",
        &[
            "flows is a folder without an `app.yaml`",
            "`install: build/app.apk`",
        ],
    ),
    (
        "{ click: Sign in, timeout: 1s }",
        &[
            "com.example.notes, the flow's app, is not in front, and no step before this one launched it; write `launch` first",
        ],
    ),
    (
        "group: [ launch, back, { click: Sign in, timeout: 1s } ]",
        &[
            "`back` may have left it",
            "`hide_keyboard` never leaves a screen",
        ],
    ),
    (
        "group: [ launch, stop, { click: Sign in, timeout: 1s } ]",
        &["a step before this one ended it; write `launch` between the two"],
    ),
    (
        "group: [ launch, clear, { assert visible: Sign in, timeout: 1s } ]",
        &["a step before this one ended it; write `launch` between the two"],
    ),
    (
        "group: [ launch, { type: { into: { id: username }, text: ada } }, { press: ENTER }, { assert visible: \"Hello, *\", timeout: 1s } ]",
        &["ENTER, pressed before this step, changed no element and no text of the app"],
    ),
    (
        "group: [ launch: { activity: .Settings }, { assert: { id: sync, selected: true }, timeout: 1s } ]",
        &["it is one that is checked: write `checked: true`"],
    ),
    (
        "group: [ launch: { activity: .Settings }, { assert: { id: sync, text: 'on' }, timeout: 1s } ]",
        &["whether it is checked is no text: write `checked: true`"],
    ),
    (
        "launch: { permissions: { CAMERA: true } }",
        &["CAMERA is not in the app's manifest: leave it out of `permissions`"],
    ),
    (
        "open_link: notes://notes/3",
        &["but not this host or path; those that it takes: notes://inbox, notes://note/*"],
    ),
    (
        "group: [ launch: { activity: .Form }, { type: { into: { id: priority }, text: '8' }, timeout: 1s } ]",
        &[
            "a SeekBar takes a drag and no text: `drag: { from: { id: priority }, to: { on: { id: priority }, at: { x: 90%, y: 50% } }, hold: 0ms }`",
        ],
    ),
    (
        "group: [ launch: { activity: .Form }, { click: Travel, timeout: 1s } ]",
        &[
            "{ id: folder } is a closed list: what it offers is shown after `click: { id: folder }` before this step",
        ],
    ),
    (
        "group: [ launch: { activity: .Inbox }, { find: { id: inbox_count, inside: { id: notes } }, timeout: 1s } ]",
        &["there, but not inside { id: notes }: TextView"],
    ),
    (
        "group: [ launch: { activity: .Inbox }, { assert visible: { id: inbox_count, above: { id: greeting } }, timeout: 1s } ]",
        &["there, but not above { id: greeting }: TextView"],
    ),
    (
        "group: [ launch: { activity: .Inbox }, { scroll_to: { text: Letter to Grace, in: { id: top } } } ]",
        &[
            "what `in` names does not scroll down; RecyclerView#notes does: leave `in` out, or name that",
        ],
    ),
    (
        "group: [ launch: { activity: .Inbox }, { assert: { id: note, count: 40 }, timeout: 1s } ]",
        &["only elements on the screen count, and what holds these scrolls"],
    ),
    ("grant: CAMERA", &["CAMERA is not in the app's manifest"]),
    (
        "grant: FLY",
        &["no permission FLY of Android's is known here: correct its name"],
    ),
    (
        "group: [ launch, { type: { into: Welcome to Notes, text: ada } } ]",
        &["text fields of the screen: { id: username } | { id: password }"],
    ),
    (
        "group: [ launch, { type: ada } ]",
        &[
            "no text field has the focus",
            "text fields of the screen: { id: username }",
        ],
    ),
    (
        "group: [ launch, { erase: { id: sign_in }, timeout: 1s } ]",
        &[
            "did not take the focus as a text field",
            "text fields of the screen",
        ],
    ),
    (
        "group: [ launch: { activity: .Inbox }, { assert: { id: greeting, text: { contains: welcome } }, timeout: 1s } ]",
        &["only the letter case differs", "(?i)welcome"],
    ),
    (
        "group: [ launch: { activity: .Inbox }, { assert: { id: greeting, text: \"welcome, ada\" }, timeout: 1s } ]",
        &["write text: { ignore_case: "],
    ),
    (
        "group: [ launch, { type: { into: { id: username }, text: ada } }, { type: { into: { id: username }, text: grace } }, { assert: { id: username, text: grace }, timeout: 1s } ]",
        &["`type: { clear: true, text: … }`"],
    ),
    (
        "group: [ launch, { assert: { id: sign_in, checked: true }, timeout: 1s } ]",
        &["the device does not call it `checkable`"],
    ),
    (
        "group: [ launch, { type: { into: { id: password }, text: lovelace } }, { assert: { id: password, text: lovelace }, timeout: 1s } ]",
        &["the device does not tell what a password field holds; leave `text` out"],
    ),
];

/// Commands of Maestro's, each with what is said of them.
const TOLD_OF_COMMANDS: &[(&str, &[&str])] = &[
    (
        "- tapOn: Sign in",
        &["no step before this one launched it; write `launchApp` first"],
    ),
    (
        "- launchApp\n- back\n- tapOn: Sign in",
        &[
            "`back` may have left it",
            "`hideKeyboard` never leaves a screen",
        ],
    ),
    (
        "- launchApp\n- stopApp\n- tapOn: Sign in",
        &["a step before this one ended it; write `launchApp` between the two"],
    ),
    (
        "- launchApp: com.example.note",
        &["com.example.notes is installed, which is nearly the same name; write that"],
    ),
    ("- openLink: note://inbox", &["write `notes://inbox`"]),
    // These pass, as they do in Maestro, and warn.
    (
        "- stopApp: com.example.note",
        &["com.example.note is not installed on the device; com.example.notes is installed"],
    ),
    (
        "- clearState: com.example.note",
        &["com.example.note is not installed on the device; com.example.notes is installed"],
    ),
];

/// Runs all flows, and checks what the events of each say.
fn check_told(project: &Project, told: &[(&str, &[&str])]) {
    project.run(&["test", "--json", "events.ndjson"]).expect(1);
    let events = project.read("events.ndjson");
    for (number, (step, told)) in told.iter().enumerate() {
        let flow = format!("\"flow\":\"flows/f{number:02}.yaml\"");
        let lines: Vec<&str> = events.lines().filter(|line| line.contains(&flow)).collect();
        let lines = lines.join("\n");
        for words in *told {
            assert!(lines.contains(words), "{step}: {words}\n{lines}");
        }
    }
}

#[test]
fn a_failed_step_says_what_the_device_has() {
    let project = Project::with_demo_app();
    for (number, (step, _)) in TOLD.iter().enumerate() {
        project.flow(&format!("f{number:02}"), &format!("steps:\n  - {step}\n"));
    }
    check_told(&project, TOLD);
}

#[test]
fn a_failed_command_says_what_the_device_has() {
    let project = Project::with_demo_app();
    for (number, (commands, _)) in TOLD_OF_COMMANDS.iter().enumerate() {
        project.write(
            &format!("flows/f{number:02}.yaml"),
            &format!("appId: com.example.notes\n---\n{commands}\n"),
        );
    }
    check_told(&project, TOLD_OF_COMMANDS);
}

#[test]
fn what_passes_asks_and_says_nothing_of_it() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - stop\n  - stop: com.example.notes\n  - launch\n  - stop: com.example.notes\n  - open_link: notes://inbox\n",
    );
    let ran = project.run(&["test", "-v"]).expect(0);
    ran.never_says("installed").never_says("in front");
}

/// The next command is about the file that does not read, as nothing is the matter with the device.
#[test]
fn an_app_that_does_not_read_is_told_as_a_file() {
    let project = Project::with_demo_app();
    project.flow("a", "steps:\n  - launch\n");
    project.write("apps/demo/app.yaml", "package: [\n");
    let ran = project.run(&["test"]).expect(3);
    ran.says("apps/demo/app.yaml:1:10: error[yaml]")
        .says("runner lint says what is wrong with the files")
        .never_says("runner doctor");
}
