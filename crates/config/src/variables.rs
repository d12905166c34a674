//! Environment variables that begin as this program's own do, and are none: what was probably meant.

use runner_base::context::Context;
use runner_text::suggest::nearest;

use super::table::rows;

/// Beginning of this program's variables. CI systems have some of the same beginning, such as `RUNNER_OS` and
/// `RUNNER_TEMP`, so a name that is near to none is left alone.
const PREFIX: &str = "RUNNER_";

/// Variables outside of the table of settings. The last is of this program's own tests.
const OTHERS: [&str; 8] = [
    "RUNNER_LOG",
    "RUNNER_SHARDS",
    "RUNNER_ANDROID_PARTS",
    "RUNNER_JAVA_HOME",
    "RUNNER_ALLOW_TIMEOUT",
    "RUNNER_MCP_TOKEN",
    "RUNNER_MCP_TOKEN_ACTION",
    "RUNNER_LONG",
];

/// Advice, and names without [`PREFIX`] that people try instead. None of them is a variable of a CI system.
const MEANT: [(&str, &str); 16] = [
    ("`RUNNER_RETRIES`", "RETRY MAX_RETRIES RETRY_COUNT RERUNS"),
    (
        "`RUNNER_DEVICE`",
        "DEVICES SERIAL UDID EMULATOR DEVICE_ID DEVICE_SERIAL DEVICE_NAME AVD",
    ),
    ("`RUNNER_JUNIT`", "JUNIT_XML JUNIT_FILE JUNIT_REPORT REPORT"),
    ("`RUNNER_HTML`", "HTML_REPORT REPORT_DIR HTML_DIR"),
    (
        "`RUNNER_ARTIFACTS`",
        "OUTPUT OUTPUT_DIR OUT RESULTS RESULTS_DIR SCREENSHOTS ARTIFACTS_DIR",
    ),
    (
        "`RUNNER_UPDATE`",
        "UPDATE_SNAPSHOTS UPDATE_GOLDENS SNAPSHOT_UPDATE",
    ),
    (
        "`RUNNER_STEP_TIMEOUT`",
        "DEFAULT_TIMEOUT WAIT_TIMEOUT ELEMENT_TIMEOUT",
    ),
    ("`RUNNER_TIMEOUT`", "FLOW_TIMEOUT TEST_TIMEOUT"),
    ("`RUNNER_SPREAD`", "WORKERS PARALLEL JOBS"),
    ("`RUNNER_LOG`", "LOG_LEVEL LOGLEVEL LOGGING"),
    ("`RUNNER_VIDEO`", "RECORD_VIDEO VIDEOS"),
    ("`runner test --tag TAG`", "TAG TAGS INCLUDE_TAGS"),
    ("`runner test --exclude-tag TAG`", "EXCLUDE_TAGS SKIP_TAGS"),
    ("`runner test --shard K/N`", "SHARD_INDEX SHARD_COUNT"),
    ("`runner test --app APK`", "APP APK APP_PATH"),
    ("`runner test --grep PATTERN`", "GREP FILTER PATTERN"),
];

/// Returns a sentence for each variable of the environment that is none of this program's and near to one.
/// Values are not told: they may be secrets.
pub fn mistaken_variables(context: &Context) -> Vec<String> {
    let names = context.variables().keys();
    let said = names.filter_map(|name| {
        let ours = meant(name)?;
        Some(format!("the variable `{name}` says nothing: write {ours}"))
    });
    said.collect()
}

/// Returns what to write in place of a variable that begins with `RUNNER_`. `None` for one of this program's, for
/// others that are near to none, and for other beginnings.
fn meant(name: &str) -> Option<String> {
    let rest = name.strip_prefix(PREFIX)?;
    let of_settings = rows().into_iter().filter_map(|row| row.variable);
    let known: Vec<&str> = of_settings.chain(OTHERS).collect();
    if known.contains(&name) {
        return None;
    }
    let mut listed = MEANT.iter();
    let listed = listed.find(|(_, words)| words.split(' ').any(|word| word == rest));
    let listed = listed.map(|(ours, _)| (*ours).to_owned());
    listed.or_else(|| nearest(name, known).map(|near| format!("`{near}`")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_variable_near_to_one_is_told_and_those_of_ci_systems_are_not() {
        for (name, expected) in [
            ("RUNNER_RETRY", Some("`RUNNER_RETRIES`")),
            ("RUNNER_RETRYS", Some("`RUNNER_RETRIES`")),
            ("RUNNER_DEVICES", Some("`RUNNER_DEVICE`")),
            ("RUNNER_TAGS", Some("`runner test --tag TAG`")),
            ("RUNNER_ARTEFACTS", Some("`RUNNER_ARTIFACTS`")),
            ("RUNNER_DEVICEWAIT", Some("`RUNNER_DEVICE_WAIT`")),
        ] {
            assert_eq!(meant(name).as_deref(), expected, "{name}");
        }
        // Of GitHub, Gitea and GitLab.
        for name in "OS ARCH NAME ENVIRONMENT TEMP TOOL_CACHE WORKSPACE DEBUG TRACKING_ID PERFLOG USER EXECUTOR TAG_LIST ENV SHELL TOKEN LIMIT OUTPUT_LIMIT BUILDS_DIR CACHE_DIR SCRIPT_TIMEOUT AFTER_SCRIPT_TIMEOUT MAXIMUM_TIMEOUT REQUEST_CONCURRENCY ALLOW_RUNASROOT".split(' ') {
            assert_eq!(meant(&format!("{PREFIX}{name}")), None, "{name}");
        }
        for name in OTHERS {
            assert_eq!(meant(name), None, "{name}");
        }
    }

    #[test]
    fn no_value_of_a_variable_is_told() {
        let variables = BTreeMap::from([("RUNNER_RETRY".to_owned(), "hunter2".to_owned())]);
        let context = Context::fixed("/".into(), variables);
        let said = mistaken_variables(&context);
        assert_eq!(
            said,
            ["the variable `RUNNER_RETRY` says nothing: write `RUNNER_RETRIES`"]
        );
    }
}
