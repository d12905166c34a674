//! Natural mistakes in `app.yaml`, and what is advised.

use super::{MANIFEST, TEXT, diagnostics, diagnostics_of, head};

const LABEL: &str = "label: A\n";
const ICON: &str = "icon: edit\n";
const ACTIVITY: &str = "  .Main: { surface: main.yaml, launchable: true }\n";
const STEP: &str = "    - toast: Saved\n";

/// Line of the manifest, what is written in its place, and a part of the advice.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        LABEL,
        "label: A\nscreens: { home: main.yaml }\n",
        "`activities: { .Main: {",
    ),
    (LABEL, "label: A\nstate: { name: x }\n", "`updateDataModel`"),
    (
        LABEL,
        "label: A\ntheme: dark\n",
        "`set_device: { dark: true }`",
    ),
    (
        "package: com.example.a\n",
        "appId: com.example.a\n",
        "`package: com.example.a`",
    ),
    (ICON, "icon: pencil\n", "write `edit`"),
    (ICON, "icon: icon.png\n", "no file"),
    (
        ACTIVITY,
        "  .Main: { surface: main.yaml, launcher: true }\n",
        "`launchable: true`",
    ),
    (
        ACTIVITY,
        "  .Main: main.yaml\n",
        "`{ surface: main.yaml, launchable: true }`",
    ),
    (
        ACTIVITY,
        "  .Main: { surface: main.yml, launchable: true }\n",
        "did you mean `main.yaml`?",
    ),
    (
        ACTIVITY,
        "  - surface: main.yaml\n",
        "`activities: { .Main: {",
    ),
    (STEP, "    - goto: .Main\n", "`navigate: .Main`"),
    (STEP, "    - wait: 500\n", "`after: { ms: 500, do: [ … ] }`"),
    (STEP, "    - snackbar: Saved\n", "`toast: Saved`"),
    (STEP, "    - finish\n", "write `back`"),
    (STEP, "    - crash\n", "`crash: …`, with its value"),
    (
        STEP,
        "    - set: { name: Ada }\n",
        "`set: { path: /NAME, value: … }`",
    ),
    (STEP, "    - log: { tag: x, msg: y }\n", "`message: y`"),
    (
        STEP,
        "    - log: { tag: x, message: y, level: info }\n",
        "write `I`",
    ),
    (
        STEP,
        "    - if: { value: { path: /a }, is: x, then: [ back ] }\n",
        "`equals: x`",
    ),
    (
        STEP,
        "    - if: { condition: x, then: [ back ] }\n",
        "`value: { path: … }`",
    ),
    (
        STEP,
        "    - after: { delay: 500, do: [ goto: .Main ] }\n",
        "`ms: 500`",
    ),
    (
        STEP,
        "    - after: { delay: 400ms, do: [ back ] }\n",
        "`ms: 400`",
    ),
    (
        STEP,
        "    - after: { timeout: 2 s, do: [ back ] }\n",
        "`ms: 2000`",
    ),
    (
        STEP,
        "    - after: { ms: 2s, do: [ back ] }\n",
        "write `2000`",
    ),
    (
        STEP,
        "    - after: { ms: 2, do: [ sleep: 3 ] }\n",
        "`after: { ms: 500",
    ),
    (
        STEP,
        "    - request: { name: android.permission.CAMERA }\n",
        "`permission: android.permission.CAMERA`",
    ),
    (STEP, "    - toast: { text: Saved }\n", "`toast: TEXT`"),
    (
        STEP,
        "    - push: { path: /list, value: 1 }\n",
        "`append: { path: …, value: … }`",
    ),
    (STEP, "    - push: .Main\n", "`navigate: .Main`"),
    (
        STEP,
        "    - toast: \"saved ${/title}\"\n",
        "`{ call: formatString, args: { value: \"saved ${/title}\" } }`",
    ),
    (
        STEP,
        "    - set: { path: /a, value: \"{{ /title }}\" }\n",
        "`{ path: /title }`",
    ),
];

/// Component of a surface, and a part of the advice.
const COMPONENTS: &[(&str, &str)] = &[
    ("{ id: a, component: Label, text: x }", "write `Text`"),
    ("{ id: a, component: ImageView, url: x }", "write `Image`"),
    (
        "{ id: a, component: UITextField, label: x }",
        "write `TextField`",
    ),
    (
        "{ id: a, component: UITextView, label: x }",
        "write `TextField`",
    ),
    ("{ id: a, component: UIButton }", "write `Button`"),
    ("{ id: a, component: UILabel, text: x }", "write `Text`"),
    ("{ id: a, component: UISwitch }", "write `CheckBox`"),
    ("{ id: a, component: UIImageView, url: x }", "write `Image`"),
    ("{ id: a, component: UITableView }", "write `List`"),
    ("{ id: a, component: UIStackView }", "write `Column`"),
    ("{ id: a, component: MaterialButton }", "write `Button`"),
    (
        "{ id: a, component: AppCompatEditText }",
        "write `TextField`",
    ),
    (
        "{ id: a, component: android.widget.TextView, text: x }",
        "write `Text`",
    ),
    (
        "{ id: a, component: Text, text: { call: isEmail, args: { value: x } } }",
        "write `email`",
    ),
    (
        "{ id: a, component: Text, text: { call: isNumeric, args: { value: 1 } } }",
        "write `numeric`",
    ),
    (
        "{ id: a, component: Text, text: { call: isRequired, args: { value: x } } }",
        "write `required`",
    ),
    (
        "{ id: a, component: Text, text: { call: isEmpty, args: { value: x } } }",
        "`not`, with a call of `required`",
    ),
    (
        "{ id: a, component: Button, text: Shop }",
        "`child: ID`, and beside the Button `{ id: ID, component: Text, text: Shop }`",
    ),
    (
        "{ id: a, component: Button, child: root, onClick: pay }",
        "`action: { event: { name: NAME } }`",
    ),
    (
        "{ id: a, component: Button, child: Pay now }",
        "`{ id: ID, component: Text, text: Pay now }`",
    ),
    (
        "{ id: a, component: TextField, hint: Name }",
        "`label: Name`",
    ),
    ("{ id: a, component: Text, value: Hi }", "`text: Hi`"),
    ("{ id: a, component: Image, src: a.png }", "`url: a.png`"),
    (
        "{ id: a, component: Card, children: [ root ] }",
        "`child: ID`",
    ),
    (
        "{ id: a, component: Column, items: [ root ] }",
        "`children: [ ID, … ]`",
    ),
    (
        "{ id: a, component: Text, text: x, color: red }",
        "leave it out",
    ),
    ("{ id: a, component: RecyclerView }", "write `List`"),
    (
        "{ id: a, component: Button, child: root, action: save }",
        "`action: { event: { name: save } }`",
    ),
    (
        "{ id: a, component: Button, child: root, action: { event: save } }",
        "`event: { name: save }`",
    ),
    (
        "{ id: a, component: Button, child: root, action: { functionCall: save } }",
        "`event: { name: save }`",
    ),
    (
        "{ id: a, component: Button, child: root, action: { functionCall: openUrl } }",
        "`functionCall: { call: openUrl, args: { … } }`",
    ),
    (
        "{ id: a, component: Button, child: root, action: { name: save } }",
        "`event: { name: save }`",
    ),
    (
        "{ id: a, component: Button, child: root, action: { navigate: .Main } }",
        "`actions: { NAME: [ … ] }`",
    ),
    (
        "{ id: a, component: Card, child: { id: t, component: Text, text: Hi } }",
        "write `t` alone",
    ),
    (
        "{ id: a, component: Row, children: [ { id: t, component: Text, text: Hi } ] }",
        "write `t` alone",
    ),
    ("{ id: a, component: Row, children: t }", "`children: [t]`"),
    (
        "{ id: a, component: Text, text: \"{{ /name }}\" }",
        "`{ path: /name }`",
    ),
];

#[test]
fn a_permission_of_another_name_is_told_at_the_list() {
    const ASKED: &str = "    - request: { permission: NAME }\n";
    const LONG: &str = "android.permission.POST_NOTIFICATIONS";
    let check = |listed: &str, asked: &str| {
        let text = MANIFEST
            .replace(LABEL, &format!("label: A\npermissions: [{listed}]\n"))
            .replace(STEP, &ASKED.replace("NAME", asked));
        let root = head("      - { id: root, component: Text, text: x }\n");
        diagnostics(&[("app.yaml", &text), ("main.yaml", &root)])
    };
    let at_list = "app/app.yaml:3:15: error[unknown-name]: an action asks for `android.permission.POST_NOTIFICATIONS`, and `notifications` is another name | write `android.permission.POST_NOTIFICATIONS`";
    assert_eq!(check("notifications", LONG), [at_list]);
    let short = check("CAMERA", "CAMERA");
    assert!(
        short.len() == 1 && short[0].contains("write `android.permission.CAMERA`"),
        "{short:?}"
    );
    let in_action = check(LONG, "notifications");
    assert!(
        in_action.len() == 1
            && in_action[0].ends_with("| write `android.permission.POST_NOTIFICATIONS`"),
        "{in_action:?}"
    );
    assert_eq!(check(LONG, LONG), Vec::<String>::new());
}

#[test]
fn components_of_other_tools_are_told_what_to_write() {
    for (component, says) in COMPONENTS {
        let found = diagnostics_of(&format!("{TEXT}      - {component}\n"));
        assert!(
            found.iter().any(|line| line.contains(says)),
            "{component} needs {says}\n{found:#?}"
        );
    }
    // What `formatString` fills in is no mistake.
    let text = "{ id: a, component: Text, text: { call: formatString, args: { value: \"Hi ${/name}\" } } }";
    let found = diagnostics_of(&format!("{TEXT}      - {text}\n"));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn words_of_other_tools_are_told_what_to_write() {
    for (line, instead, says) in MISTAKES {
        let manifest = MANIFEST.replace(line, instead);
        assert_ne!(manifest, MANIFEST, "{line}");
        let surface = head(&format!(
            "{TEXT}      - {{ id: a, component: Text, text: x }}\n"
        ));
        let found = diagnostics(&[("app.yaml", &manifest), ("main.yaml", &surface)]);
        assert!(
            found.iter().any(|line| line.contains(says)),
            "{instead} needs {says}\n{found:#?}"
        );
        // The keys of one step are judged as those of this step.
        assert!(
            !found.iter().any(|line| line.contains("`set` is missing")),
            "{found:#?}"
        );
    }
}
