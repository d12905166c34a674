//! Apps of a few texts, each on its own line of a file, so that git can merge them.

use fastrand::Rng;

use crate::common::Project;

/// Number of apps, each with a screen and a flow.
const APPS: usize = 4;
const WORDS: [&str; 8] = [
    "Save",
    "Open",
    "Later",
    "Ada",
    "7 days",
    "Nothing new",
    "Delivery by Friday",
    "A text that is longer than the others",
];

fn word(random: &mut Rng) -> String {
    format!(
        "{} {}",
        WORDS[random.usize(0..WORDS.len())],
        random.u8(1..60)
    )
}

/// Writes the apps, their flows and `runner.yaml`.
pub fn write(project: &Project, random: &mut Rng) {
    let mut folders = Vec::new();
    for number in 0..APPS {
        let ids: Vec<String> = (0..6).map(|at| format!("t{at}")).collect();
        let children: String = ids.iter().map(|id| format!("          - {id}\n")).collect();
        let texts: String = ids.iter().map(|id| text_line(id, &word(random))).collect();
        let catalogue = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json";
        project.write(
            &format!("apps/c{number}/s.yaml"),
            &format!(
                "- version: v0.9\n  createSurface: {{ surfaceId: s, catalogId: \"{catalogue}\" }}\n- version: v0.9\n  updateComponents:\n    surfaceId: s\n    components:\n      - id: root\n        component: Column\n        children:\n{children}{texts}"
            ),
        );
        project.write(
            &format!("apps/c{number}/app.yaml"),
            &format!("package: com.example.c{number}\nlabel: Case\nactivities:\n  .Main: {{ surface: s.yaml, title: Home, launchable: true }}\n"),
        );
        project.write(
            &format!("flows/c{number}.yaml"),
            &format!("app: com.example.c{number}\nsteps: [ launch, {{ snapshot: home }} ]\n"),
        );
        folders.push(format!("apps/c{number}"));
    }
    project.write(
        "runner.yaml",
        &format!("devices: [virtual]\napps: [{}]\n", folders.join(", ")),
    );
}

fn text_line(id: &str, text: &str) -> String {
    format!("      - {{ id: {id}, component: Text, text: \"{text}\" }}\n")
}

/// Changes an app: edits, adds or removes a text, or changes the title.
pub fn edit(project: &Project, random: &mut Rng) {
    let number = random.usize(0..APPS);
    if random.u8(0..8) == 0 {
        let path = format!("apps/c{number}/app.yaml");
        let old = project.read(&path);
        let (before, rest) = old.split_once("title: ").expect("a title");
        let (_, after) = rest.split_once(',').expect("more");
        project.write(&path, &format!("{before}title: {},{after}", word(random)));
        return;
    }
    let path = format!("apps/c{number}/s.yaml");
    let old = project.read(&path);
    let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
    let is_text = |line: &&str| line.contains("component: Text");
    let ids: Vec<String> = old
        .lines()
        .filter(is_text)
        .map(|line| id(line).to_owned())
        .collect();
    let chosen = ids[random.usize(0..ids.len())].clone();
    let child = lines
        .iter()
        .position(|line| line.trim() == format!("- {chosen}"));
    let text = lines
        .iter()
        .position(|line| line.contains(&format!("id: {chosen},")));
    let (Some(child), Some(text)) = (child, text) else {
        // A merge of sides left one of the two.
        return;
    };
    match random.u8(0..4) {
        0 | 1 => lines[text] = text_line(&chosen, &word(random)).trim_end().to_owned(),
        2 => {
            let new = format!("n{}", random.u32(..));
            lines.insert(
                text + 1,
                text_line(&new, &word(random)).trim_end().to_owned(),
            );
            lines.insert(child + 1, format!("          - {new}"));
        }
        _ if ids.len() > 3 => {
            lines.remove(text);
            lines.remove(child);
        }
        _ => {}
    }
    project.write(&path, &(lines.join("\n") + "\n"));
}

fn id(line: &str) -> &str {
    let rest = line.split_once("id: ").map_or("", |parts| parts.1);
    rest.split_once(',').map_or(rest, |parts| parts.0)
}
