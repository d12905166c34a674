//! Reads and checks the project's file, `runner.yaml`, with the place of each value. Merging with other
//! sources is the task of [`Config`](super::Config).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use camino::Utf8Path;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::advice;
use super::dialogs::{self, ProjectDialog};
use super::doubts;
use super::impact::{ImpactEntry, ImpactMap};
use super::schema::schema;
use super::table::RawSettings;
use runner_engine::DialogRule;
use runner_flow::document::{self, ByteRange};
use runner_flow::{STAR_HELP, STAR_IN_ID, check_name};
use runner_snapshot::{Mask, Redaction, RedactionError, Variants};
use runner_text::diagnostic::{self, Code, Diagnostic, Source};
use runner_text::secret::Scrubber;
use runner_text::source_file::{self, ContainmentError};

/// Contents of `runner.yaml`. A missing key is `None` or empty. The schema has already refused unknown keys.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ProjectFile {
    /// Text of the file, with the path under which messages show it.
    #[serde(skip)]
    pub source: Option<Arc<Source>>,
    /// Range of bytes of each value, by its dotted path: `snapshot.bars`, `devices.0.serial`.
    #[serde(skip)]
    pub places: BTreeMap<String, Range<usize>>,
    /// Warnings about values without effect.
    #[serde(skip)]
    pub warnings: Vec<Diagnostic>,
    #[serde(skip)]
    pub settings: RawSettings,
    /// Variables for expressions. Flows and the command line override them.
    pub env: IndexMap<String, String>,
    /// Names of variables whose values are masked.
    pub secrets: Vec<String>,
    /// Steps before those of each flow. They are parsed together with the flows.
    pub setup: Option<Value>,
    /// Steps after those of each flow.
    pub teardown: Option<Value>,
    /// Steps after a failure of a flow.
    pub on_failure: Option<Value>,
    /// Steps before the first flow of a device and after its last. They are parsed together with the flows.
    pub on_device: Option<Value>,
    /// Rules for dialogs that hide the app.
    pub on_dialog: Vec<ProjectDialog>,
    pub snapshot: SnapshotDefaults,
    /// Map from files of the project's code to the flows that test them.
    pub impact: IndexMap<String, ImpactEntry>,
}

/// Defaults of all snapshots. `tolerance` and `masks` have the syntax of a `snapshot:` step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotDefaults {
    pub tolerance: Option<Value>,
    /// Selectors, or maps with `rect`.
    pub masks: Vec<Value>,
    /// True if the system's bars are compared too.
    pub bars: Option<bool>,
    /// `app` or `all`: the windows that are compared.
    pub windows: Option<String>,
    /// `annotated`, `raw` or `none`: the kind of pictures that goldens have.
    pub image: Option<String>,
    /// Rules that replace texts that differ from run to run.
    pub redactions: Vec<Redaction>,
    /// Variants of goldens: names, each with patterns for the devices that have it.
    pub variants: IndexMap<String, Patterns>,
}

/// One pattern, or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    One(String),
    Several(Vec<String>),
}

impl Patterns {
    /// Returns the patterns; a single one is a list of one.
    pub fn list(&self) -> &[String] {
        match self {
            Self::One(pattern) => std::slice::from_ref(pattern),
            Self::Several(patterns) => patterns,
        }
    }
}

impl SnapshotDefaults {
    /// Compiles `variants` in the order of the file.
    ///
    /// # Errors
    /// The dotted path of each bad variant, such as `snapshot.variants.NAME`, and a message.
    pub fn variants(&self) -> Result<Variants, Vec<(String, String)>> {
        let mut variants = Variants::default();
        let wrong: Vec<(String, String)> = self
            .variants
            .iter()
            .filter_map(|(name, patterns)| {
                let error = variants.add(name, patterns.list()).err()?;
                Some((format!("snapshot.variants.{name}"), error.to_string()))
            })
            .collect();
        if wrong.is_empty() {
            Ok(variants)
        } else {
            Err(wrong)
        }
    }

    /// Returns the dotted path and a message for each variant, each mask and each redaction that the schema allows
    /// but that cannot be used.
    fn problems(&self) -> Vec<(String, String)> {
        let mut wrong = self.variants().err().unwrap_or_default();
        for (index, mask) in self.masks.iter().enumerate() {
            if let Err(error) = serde_json::from_value::<Mask>(mask.clone()) {
                wrong.push((format!("snapshot.masks.{index}"), error.to_string()));
            }
        }
        for (index, rule) in self.redactions.iter().enumerate() {
            if let Err(error) = rule.compile() {
                let key = match error {
                    RedactionError::Alias(_) => "alias",
                    _ => "pattern",
                };
                let path = format!("snapshot.redactions.{index}.{key}");
                wrong.push((path, error.to_string()));
            }
        }
        wrong
    }
}

impl ProjectFile {
    /// Reads and parses the file at `path`. Messages call it `displayed`.
    ///
    /// # Errors
    /// A file that cannot be read or that a link puts outside of its folder; else all problems, with values
    /// of secrets masked, as in the warnings. A file with any error gives no value.
    pub fn read(path: &Utf8Path, displayed: &Utf8Path) -> Result<Self, Vec<Diagnostic>> {
        let folder = path.parent().unwrap_or(path);
        // The text is left out, because a file outside of the root is not the project's.
        if let Err(why @ ContainmentError::Outside) = source_file::inside(path, folder) {
            return Err(vec![document::problem(
                &Source::unread(displayed),
                None,
                Code::Unreadable,
                why.to_string(),
            )]);
        }
        let source = source_file::load(path, displayed).map_err(|wrong| vec![*wrong])?;
        // The quoted lines may contain values of secrets.
        let masked = |found| diagnostic::without_secrets(found, &[], &Scrubber::default());
        let mut file = Self::parse(&source).map_err(masked)?;
        file.warnings = masked(file.warnings);
        Ok(file)
    }

    /// Parses the text of a file. Warnings, such as for a `*` in an id, are in the result.
    ///
    /// # Errors
    /// All problems that the schema finds; only without any of those, all that it cannot find, such as
    /// invalid names, patterns and selectors.
    pub fn parse(source: &Arc<Source>) -> Result<Self, Vec<Diagnostic>> {
        let document = document::read(source, &schema());
        let mut document = document.map_err(|wrong| advice::improve(source, wrong))?;
        let mut diagnostics = Vec::new();
        let fail = |path: &str, message: String, places: &BTreeMap<String, ByteRange>| {
            // The only item of a list in its short form has the place of the list.
            let outer = || places.get(path.rsplit_once('.')?.0);
            let place = places.get(path).or_else(outer);
            document::problem(source, place, Code::RunnerYaml, message)
        };
        // After the check: the schema allows short and long forms, the types only long ones.
        expand_short_forms(&mut document.value);
        let settings = RawSettings::from_document(&document.value);
        let file = settings.and_then(|settings| {
            let file = serde_json::from_value(document.value)?;
            Ok(Self { settings, ..file })
        });
        let mut file = match file {
            Ok(file) => file,
            Err(error) => return Err(vec![fail("", error.to_string(), &document.places)]),
        };
        for name in file.env.keys() {
            if let Err(wrong) = check_name(name) {
                let path = format!("env.{name}");
                diagnostics.push(fail(&path, wrong.to_string(), &document.places));
            }
        }
        for (path, wrong) in file.settings.problems() {
            diagnostics.push(fail(&path, wrong, &document.places));
        }
        for (path, wrong) in dialogs::rules(&file.on_dialog, &document.places)
            .err()
            .unwrap_or_default()
        {
            diagnostics.push(fail(&path, wrong, &document.places));
        }
        for (path, wrong) in file.snapshot.problems() {
            diagnostics.push(fail(&path, wrong, &document.places));
        }
        for (path, wrong) in ImpactMap::from_entries(&file.impact, &document.places)
            .err()
            .unwrap_or_default()
        {
            diagnostics.push(fail(&path, wrong, &document.places));
        }
        if !diagnostics.is_empty() {
            return Err(advice::improve(source, diagnostics));
        }
        file.warnings = stars_in_ids(source, &document.places);
        file.warnings
            .extend(masks_of_bars(source, &file.snapshot, &document.places));
        let variables = (&file.env, file.secrets.as_slice());
        let doubts = doubts::doubts(source, &file.settings, variables, &document.places);
        file.warnings.extend(doubts);
        file.source = Some(Arc::clone(source));
        file.places = document.places;
        Ok(file)
    }

    /// Returns the map `impact`. It was checked when the file was read.
    pub fn impact(&self) -> ImpactMap {
        ImpactMap::from_entries(&self.impact, &self.places).unwrap_or_default()
    }

    /// Returns the rules of `on_dialog`. They were checked when the file was read.
    pub fn dialogs(&self) -> Arc<[DialogRule]> {
        dialogs::rules(&self.on_dialog, &self.places).unwrap_or_default()
    }
}

/// Rewrites short forms before deserializing: a text in place of the list `devices`, `flows` or `apps` is its
/// only item, and a device's text is its serial. All else stays.
fn expand_short_forms(file: &mut Value) {
    for key in ["devices", "flows", "apps"] {
        if let Some(value) = file.get_mut(key)
            && value.is_string()
        {
            *value = json!([value.take()]);
        }
    }
    let devices = file.get_mut("devices").and_then(Value::as_array_mut);
    for device in devices.into_iter().flatten() {
        if device.is_string() {
            *device = json!({ "serial": device.take() });
        }
    }
}

/// Returns a warning for each text with a `*` in the `id` of selectors in `on_dialog` and `snapshot.masks`,
/// in anchors too. `lint` has the same warning for flows.
fn stars_in_ids(source: &Arc<Source>, places: &BTreeMap<String, ByteRange>) -> Vec<Diagnostic> {
    let is_id = |path: &str| {
        let is_selector = ["on_dialog.", "snapshot.masks."]
            .iter()
            .any(|list| path.starts_with(list));
        is_selector && path.ends_with(".id")
    };
    let with_star = places.iter().filter(|(path, place)| {
        is_id(path)
            && source
                .text
                .get(place.start..place.end)
                .is_some_and(|text| text.contains('*'))
    });
    let warning = |(_, place): (&String, &ByteRange)| Diagnostic {
        help: Some(STAR_HELP.to_owned()),
        ..document::problem(source, Some(place), Code::StarInId, STAR_IN_ID.to_owned())
    };
    with_star.map(warning).collect()
}

/// Returns a warning for each mask of the system's bars, which no screen has as a text.
fn masks_of_bars(
    source: &Arc<Source>,
    snapshot: &SnapshotDefaults,
    places: &BTreeMap<String, ByteRange>,
) -> Vec<Diagnostic> {
    let are_compared = snapshot.bars == Some(true);
    let masks = snapshot.masks.iter().enumerate();
    let warnings = masks.filter_map(|(index, mask)| {
        let [message, help] = advice::mask_of_bars(mask, are_compared)?;
        let place = places.get(&format!("snapshot.masks.{index}"));
        Some(Diagnostic {
            help: Some(help),
            ..document::problem(source, place, Code::Doubtful, message)
        })
    });
    warnings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_text::diagnostic::render_line;

    fn parse(text: &str) -> Result<ProjectFile, Vec<String>> {
        let source = Arc::new(Source {
            path: "runner.yaml".into(),
            text: text.to_owned(),
        });
        ProjectFile::parse(&source).map_err(|found| found.iter().map(render_line).collect())
    }

    /// Returns values that the schema allows and that contain a text, each with `@@` in the place of the
    /// text.
    fn texts(schema: &Value) -> Vec<String> {
        let mut found = Vec::new();
        let types = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            only => only.as_str().into_iter().collect::<Vec<_>>(),
        };
        if types.contains(&"string") || schema.get("enum").is_some() {
            found.push("@@".to_owned());
        }
        let forms = ["anyOf", "oneOf"]
            .into_iter()
            .filter_map(|key| schema[key].as_array());
        found.extend(forms.flatten().flat_map(texts));
        let items = schema.get("items").into_iter().flat_map(texts);
        found.extend(items.map(|inner| format!("[ {inner} ]")));
        for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
            found.extend(
                texts(schema)
                    .iter()
                    .map(|inner| format!("{{ {key}: {inner} }}")),
            );
        }
        let others = schema
            .get("additionalProperties")
            .into_iter()
            .flat_map(texts);
        found.extend(others.map(|inner| format!("{{ KEY: {inner} }}")));
        found
    }

    #[test]
    fn no_key_takes_a_null_for_a_text() {
        let mut cells = 0;
        for (key, schema) in schema()["properties"].as_object().unwrap() {
            for inner in texts(schema) {
                for null in ["~", "null", "Null", "NULL"] {
                    cells += 1;
                    let text = format!("{key}: {}\n", inner.replace("@@", null));
                    let found = parse(&text).map(|_| ()).unwrap_err();
                    let is_told = found.iter().any(|it| it.contains("missing-value"));
                    assert!(is_told, "{text}{found:?}");
                }
            }
        }
        assert!(cells > 200, "{cells}");
        let found = parse("reports: { junit: ~ }\n").map(|_| ()).unwrap_err();
        assert!(found[0].starts_with("runner.yaml:1:19"), "{found:?}");
    }

    #[test]
    fn a_whole_file_reads() {
        let file = parse(
            "flows: tests\nsnapshots: goldens\ndevices:\n  - virtual\n  - { serial: R58, render_class: lab, label: phone }\nenv: { PIN: 0042, ON: yes }\nsecrets: [PIN]\ntimeout: 5m\nstep_timeout: 10s\nteardown_timeout: 20s\nretries: 1\nreports: { junit: out/junit.xml, html: out/html, json: out/events.ndjson, artifacts: out }\nsnapshot: { tolerance: { cluster: 3 }, masks: [ { id: clock }, Date ], bars: true }\napps: [demo]\nallow_shell: true\n",
        )
        .unwrap();
        assert_eq!(file.settings.flows, Some(vec!["tests".into()]));
        let devices = file.settings.devices.unwrap();
        assert_eq!(devices[0].serial, "virtual");
        assert_eq!(devices[1].render_class.as_deref(), Some("lab"));
        assert_eq!(
            (file.env["PIN"].as_str(), file.env["ON"].as_str()),
            ("0042", "yes")
        );
        assert_eq!(file.settings.step_timeout.unwrap().0.as_secs(), 10);
        assert_eq!(file.settings.teardown_timeout.unwrap().0.as_secs(), 20);
        assert_eq!(
            file.snapshot.masks,
            [json!({ "id": "clock" }), json!("Date")]
        );
        assert_eq!(file.settings.allow_shell, Some(true));
        let source = file.source.unwrap();
        for (path, text) in [
            ("timeout", "5m"),
            ("devices.1.label", "phone"),
            ("env.PIN", "0042"),
            ("snapshot.tolerance.cluster", "3"),
        ] {
            assert_eq!(&source.text[file.places[path].clone()], text);
        }
    }

    #[test]
    fn redactions_and_variants_read_or_name_their_place() {
        let file = parse(
            "devices: [ { serial: R58, variant: tablet } ]\nsnapshot:\n  image: raw\n  redactions:\n    - { pattern: '\\d+', alias: '[n]', columns: [text, class] }\n  variants:\n    tablet: '*Tablet*'\n    old: [android-28, android-29]\n",
        )
        .unwrap();
        let devices = file.settings.devices.unwrap();
        assert_eq!(devices[0].variant.as_deref(), Some("tablet"));
        assert_eq!(file.snapshot.redactions[0].alias, "[n]");
        assert_eq!(
            file.snapshot.variants().unwrap().describe(),
            "tablet: *Tablet*; old: android-28, android-29"
        );
        let found = parse(
            "snapshot:\n  image: big\n  redactions:\n    - { pattern: '(', alias: x }\n    - { pattern: x, alias: y, columns: [flags] }\n",
        )
        .unwrap_err();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("runner.yaml:2:10: "), "{found:?}");
        assert!(
            found[1].starts_with("runner.yaml:4:18: error[regex]: "),
            "{found:?}"
        );
        assert!(found[2].starts_with("runner.yaml:5:"), "{found:?}");
        assert_eq!(
            parse("snapshot:\n  redactions: [ { pattern: 'a*', alias: x } ]\n  variants: { 'a b': virtual }\n").unwrap_err(),
            [
                "runner.yaml:3:22: error[runner-yaml]: variant \"a b\" cannot be used: only letters A-Z a-z, digits, `_` and `-` are allowed, at most 128",
                "runner.yaml:2:28: error[runner-yaml]: the pattern `a*` matches the empty text; write `+` instead of `*`",
            ]
        );
    }

    #[test]
    fn an_empty_file_is_a_project() {
        for text in ["", "# only a comment\n", "{}\n"] {
            assert_eq!(parse(text).unwrap().settings.flows, None);
        }
    }

    #[test]
    fn all_errors_are_told_with_their_place() {
        assert_eq!(
            parse("flow: x\ntimeout: 5\nretries: many\nallow_shell: yes\nreports: { junt: x }\n")
                .unwrap_err(),
            [
                "runner.yaml:1:1: error[unknown-key]: `flow` is not known here",
                "runner.yaml:2:10: error[duration]: `5` is not a duration; write a number with a unit, such as `500ms`, `10s` or `2m`",
                "runner.yaml:3:10: error[wrong-type]: a whole number is expected here, not text",
                "runner.yaml:4:14: error[wrong-type]: `true` or `false` is expected here, not text",
                "runner.yaml:5:12: error[unknown-key]: `junt` is not known here",
            ]
        );
        assert_eq!(
            parse("env: { os: x }\nsnapshots: ../goldens\nflows: [ok, /etc]\n").unwrap_err(),
            [
                "runner.yaml:1:12: error[runner-yaml]: `os` already means something in expressions; choose another name",
                "runner.yaml:3:13: error[runner-yaml]: `/etc` leaves the project; paths are relative to runner.yaml",
                "runner.yaml:2:12: error[runner-yaml]: `../goldens` leaves the project; paths are relative to runner.yaml",
            ]
        );
        assert_eq!(
            parse("- x\n").unwrap_err(),
            ["runner.yaml:1:1: error[wrong-type]: a map is expected here, not a list"]
        );
    }

    #[test]
    fn a_device_has_a_serial_or_a_server() {
        for (device, says) in [
            ("{ label: x }", "`serial` is missing, or `webdriver`"),
            ("{ serial: R58, webdriver: 'http://a' }", "not both"),
            (
                "{ serial: R58, sessions: 2 }",
                "are for devices with `webdriver`",
            ),
            ("{ webdriver: 'http://a', user: ada }", "belong together"),
            (
                "{ webdriver: 'http://a', driver: stock }",
                "`driver` is for devices with `serial`",
            ),
            ("{ webdriver: 'http://a', sessions: 0 }", "1"),
            ("{ webdriver: 'http://a', session: week }", "run"),
        ] {
            let found = parse(&format!("devices: [ {device} ]\n")).unwrap_err();
            assert!(
                found.len() == 1 && found[0].starts_with("runner.yaml:1:"),
                "{found:?}"
            );
            assert!(found[0].contains(says), "{found:?}");
        }
        let file = parse("devices: [ { webdriver: 'http://a', sessions: 2, session: flow, session_timeout: 30s } ]\n").unwrap();
        assert_eq!(file.settings.devices.unwrap()[0].sessions, Some(2));
    }
}
