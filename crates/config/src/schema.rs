//! The JSON Schema of `runner.yaml`.

use serde_json::{Value, json};

use super::record_mode::RecordMode;
use super::webdriver::MAX_SESSIONS;
use runner_device::DriverChoice;
use runner_flow::{MAX_RETRIES, Matrix, duration, limit};

fn text(about: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": about })
}

fn driver(about: &str) -> Value {
    let names = DriverChoice::ALL.map(DriverChoice::name);
    json!({ "type": "string", "enum": names, "description": about })
}

fn record_mode(about: &str) -> Value {
    // `on` and `off` are truth values to some who write YAML.
    let names = RecordMode::ALL.map(RecordMode::name);
    json!({ "type": "string", "enum": names, "description": about })
}

/// The schema of a map in `devices`.
fn device_schema() -> Value {
    map(
        "A device with more than its serial, or one of a WebDriver server.",
        json!({
            "serial": text("Serial as adb knows it, or `virtual`."),
            "render_class": text("Class of the goldens, where it is not to be found from the device."),
            "variant": { "type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$", "description": "Variant of the goldens it uses, instead of what `snapshot.variants` says." },
            "label": text("Name in reports; the serial by default."),
            "driver": driver("How it is looked at and touched, instead of what `driver` says."),
            "tags": { "type": "array", "items": { "type": "string", "minLength": 1 }, "description": "Words by which flows say what they need." },
            "webdriver": text("Address of the Appium server, Selenium Grid or cloud that has it, instead of a serial; `${os.NAME}` is a variable of the environment."),
            "capabilities": { "type": "object", "description": "What the server is asked for; names without a prefix are Appium's. `${os.NAME}` is a variable of the environment." },
            "app": text("The app that the server installs: a path or address as the server or cloud takes it (`appium:app`)."),
            "user": text("Whom the server knows, such as `${os.CLOUD_USER}`; secret."),
            "key": text("That user's key or password, such as `${os.CLOUD_KEY}`; secret."),
            "sessions": { "type": "integer", "minimum": 1, "maximum": MAX_SESSIONS, "description": "So many devices of the server, with the labels LABEL-1 and on; 1 by default." },
            "session": { "type": "string", "enum": ["run", "flow"], "description": "How long a session lasts: the whole run (the default), or one flow." },
            "cloud": { "type": "string", "enum": ["browserstack", "sauce", "lambdatest", "none"], "description": "Whose server it is, and so how it is told of the flows; its address tells it else." },
            "session_timeout": duration("How long a session is waited for where none is free; 2m by default."),
        }),
    )
}

/// The schema of an entry of `storage`.
fn storage_schema() -> Value {
    let mut storage = map(
        "A folder of the device, read-only unless it says otherwise.",
        json!({
            "path": text("Absolute path on the device."),
            "name": text("Name for people; the id by default."),
            "description": text("What it is for."),
            "allow_write": { "type": "boolean", "description": "Files in it may be written." },
            "allow_delete": { "type": "boolean", "description": "Files in it may be deleted." },
            "allow_http": { "type": "boolean", "description": "Downloads into it may come unencrypted, by `http://`." },
            "allow_unverified_https": { "type": "boolean", "description": "Downloads into it may come from servers whose certificate cannot be verified, such as one that is self-signed." },
            "download_timeout": duration("Longest time for a download into it; 60s by default."),
            "max_mb": { "type": "integer", "minimum": 1, "maximum": 1024, "description": "Largest file that is read, written or downloaded there, in MiB; 50 by default." },
        }),
    );
    storage["required"] = json!(["path"]);
    storage
}

/// The JSON Schema of `runner.yaml`: for editors, and what the file is checked against.
pub fn schema() -> Value {
    let (device, storage) = (device_schema(), storage_schema());
    let reports = map(
        "Where reports are written.",
        json!({
            "junit": text("JUnit XML."),
            "html": text("Folder of the HTML report."),
            "json": text("Events, one JSON object a line."),
            "artifacts": text("Folder of screenshots, logs and differences."),
            "history": text("Folder of the history of runs; `.runner/history` by default."),
        }),
    );
    let snapshot = snapshot_schema();
    let steps = |about: &str| {
        json!({
            "type": "array",
            "items": { "type": ["object", "string"] },
            "description": about,
        })
    };
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A project of runner",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "flows": names("Files, folders and patterns of flows; `flows` by default."),
            "snapshots": text("Folder of the goldens; `snapshots` by default."),
            "devices": {
                "description": "Devices to run on.",
                "anyOf": [
                    { "type": "string", "minLength": 1 },
                    { "type": "array", "items": { "anyOf": [{ "type": "string", "minLength": 1 }, device] } },
                ],
            },
            "env": { "type": "object", "additionalProperties": { "type": "string" }, "description": "Names and values for expressions." },
            "secrets": { "type": "array", "items": { "type": "string", "minLength": 1 }, "description": "Names of env values that no output may show." },
            "timeout": limit("Limit of each flow."),
            "step_timeout": duration("How long a step looks for its element."),
            "teardown_timeout": limit("Limit of each flow's teardown."),
            "retries": { "type": "integer", "minimum": 0, "maximum": MAX_RETRIES, "description": "Further runs after a failure." },
            "trace": record_mode("When flows are traced, so that the HTML report walks through them; `off` by default."),
            "video": record_mode("When videos of flows are made; `off` by default."),
            "slow_after": duration("A flow that takes longer is named in the run's output."),
            "matrix": Matrix::schema(),
            "spread": { "type": "boolean", "description": "Each flow runs once, on the next free device that fits, instead of on every device." },
            "device_wait": duration("Maximum wait for a busy or lost device; 60s by default."),
            "setup": steps("Steps before the setup of each flow."),
            "teardown": steps("Steps after the teardown of each flow."),
            "on_device": map(
                "Steps once a device: around all its flows.",
                json!({
                    "setup": steps("Steps before the first flow of the device."),
                    "teardown": steps("Steps after the last flow of the device."),
                }),
            ),
            "on_dialog": super::dialogs::schema(),
            "reports": reports,
            "snapshot": snapshot,
            "apps": names("Folders of the virtual device's apps."),
            "storage": { "type": "object", "additionalProperties": storage, "description": "Folders of the device that the file tools may use, by id." },
            "allow_shell": { "type": "boolean", "description": "Flows may run commands in the device's shell." },
            "http": map(
                "What flows may reach by HTTP.",
                json!({
                    "hosts": {
                        "type": "array",
                        "maxItems": 100,
                        "items": { "type": "string", "pattern": r"^[A-Za-z0-9._-]+(:\d{1,5})?$" },
                        "description": "Hosts, each alone for every port or with its port.",
                    },
                }),
            ),
            "maestro": map(
                "How Maestro's flows are run.",
                json!({
                    "screenshots": { "enum": ["artifacts", "goldens"], "description": "What `takeScreenshot` makes: an artifact, or a snapshot that is compared with its golden; artifacts by default." },
                }),
            ),
            "driver": driver("How devices are looked at and touched; `auto` by default."),
            "uia2": text("Folder of the UiAutomator2 server's APKs; by default they are looked for."),
        },
    })
}

/// The schema of `snapshot`.
fn snapshot_schema() -> Value {
    let mut redaction = map(
        "A text that is replaced on both sides before comparing.",
        json!({
            "pattern": { "type": "string", "minLength": 1, "maxLength": 1000, "format": "regex", "description": "Regular expression, anywhere in the cell." },
            "alias": { "type": "string", "minLength": 1, "maxLength": 100, "description": "What stands there instead; `{n}` numbers the different values of a screen." },
            "columns": { "type": "array", "items": { "enum": ["text", "desc", "res_id", "hint", "class"] }, "description": "Columns of the golden; text, desc and hint by default." },
        }),
    );
    redaction["required"] = json!(["pattern", "alias"]);
    map(
        "Defaults of every snapshot.",
        json!({
            "tolerance": map(
                "What a picture may differ by.",
                json!({
                    "cluster": { "type": "integer", "minimum": 0, "description": "Pixels of the largest cluster." },
                    "specks": { "type": "integer", "minimum": 0, "description": "Pixels of all smaller specks together." },
                }),
            ),
            "masks": { "type": "array", "description": "What is left out: selectors, or maps with `rect`." },
            "bars": { "type": "boolean", "description": "The system's bars are compared too." },
            "windows": { "enum": ["app", "all"], "description": "Whose windows count." },
            "image": { "enum": ["annotated", "raw", "none"], "description": "Which pictures are kept: also one with boxes, the screenshot alone, or none." },
            "redactions": {
                "type": "array",
                "maxItems": 100,
                "description": "What differs from run to run in texts.",
                "items": redaction,
            },
            "variants": {
                "type": "object",
                "description": "Variants of goldens by what a device is; the first that fits.",
                "additionalProperties": names("`virtual`, `emulator` or `phone`, `android-34`, a model, a render class; `*` stands for any text."),
            },
        }),
    )
}

/// One text, or a list of them.
fn names(about: &str) -> Value {
    json!({
        "description": about,
        "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string", "minLength": 1 } },
        ],
    })
}

fn map(about: &str, properties: Value) -> Value {
    let mut map = json!({ "type": "object", "description": about });
    map["properties"] = properties;
    map["additionalProperties"] = json!(false);
    map
}
