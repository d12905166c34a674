//! Serves the project's resources: flows, the last run's report and files, the flow language's documentation.

use serde_json::{Value, json};

use super::documents::{DOCUMENTS, Document};
use super::links::{ARTIFACTS, REPORT, resource};
use super::list_flows::Index;
use super::{Workspace, artifacts, flow_files};
use runner_text::input_file::{MAX_TEXT, read_text};
use runner_tools::{Contents, Failure, Reading, Resource};

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
const YAML: &str = "application/yaml";

/// URI template of all flows.
pub(super) const FLOWS: &str = "runner://flows/{path}";

/// Returns the resources and URI templates, as they are listed.
pub fn resources(workspace: &Workspace) -> Vec<Resource> {
    let folders = flow_files::folders(&workspace.config);
    let folders: Vec<&str> = folders.iter().map(|folder| folder.as_str()).collect();
    let mut all = vec![
        resource(
            "runner://flows",
            "flows",
            "The project's flows: path, name, app, tags; and sub-flows.",
            JSON,
        ),
        Resource {
            template: true,
            ..resource(
                FLOWS,
                "flow",
                &format!(
                    "The YAML of a flow, by its path as the index gives it, below {}.",
                    folders.join(" or ")
                ),
                YAML,
            )
        },
        Resource {
            template: true,
            ..resource(
                ARTIFACTS,
                "artifact",
                "A picture or text that a run left, by its path below the artifact folder.",
                "application/octet-stream",
            )
        },
        resource(
            REPORT,
            "last-report",
            "The last run: of this server, else of the events file that runner.yaml names.",
            JSON,
        ),
        resource(
            "runner://schema/flow",
            "flow-schema",
            "The JSON Schema of a flow.",
            JSON,
        ),
    ];
    all.extend(DOCUMENTS.iter().map(|document| {
        resource(
            &format!("runner://docs/{}", document.name),
            &format!("docs-{}", document.name),
            document.description,
            MARKDOWN,
        )
    }));
    all
}

/// Reads a resource; `None` if there is none of this URI, also for an artifact that does not exist. Flows, the index
/// and the last report are read anew each time. It may hold secrets, which the code that sends it to a client masks.
///
/// # Errors
/// A flow of the path does not exist or cannot be read, an artifact is of a kind that is not served or is too large, or
/// the file of the last run's events is wrong.
pub async fn read(workspace: &Workspace, uri: &str) -> Reading {
    Ok(match uri.strip_prefix("runner://") {
        Some("flows") => Some(json_contents(&Index::read(workspace, None).await?.value())),
        Some("schema/flow") => Some(json_contents(&runner_flow::schema_with_tools()).lasting()),
        Some("report/last") => Some(json_contents(&last_report(workspace)?)),
        Some(other) => match other.split_once('/') {
            Some(("flows", path)) => Some(flow(workspace, path)?),
            Some(("docs", name)) => Document::find(name)
                .map(|document| Contents::text(MARKDOWN, document.text().to_owned()).lasting()),
            Some(("artifacts", path)) => artifacts::read(workspace, &decoded(path)).await?,
            _ => None,
        },
        None => None,
    })
}

fn json_contents(value: &Value) -> Contents {
    Contents::text(JSON, format!("{value:#}"))
}

/// Returns the report of the last run. Without one it says how to run a flow, and is no failure. Fails for an events
/// file that cannot be read.
fn last_report(workspace: &Workspace) -> Result<Value, Failure> {
    Ok(match workspace.runs.report(&workspace.config)? {
        Value::Null => json!({
            "source": null,
            "note": "nothing was run yet; run a flow with runner_run_flow",
        }),
        report => report,
    })
}

/// Reads a flow's text, by its escaped path below a folder of flows. A file that is no flow by its name is
/// refused like a missing one.
fn flow(workspace: &Workspace, path: &str) -> Result<Contents, Failure> {
    let path = decoded(path);
    let file = flow_files::resolve(workspace, &path)?;
    if !flow_files::is_flow_name(&file) || !file.is_file() {
        return Err(Failure::usage(format!(
            "there is no flow `{path}`; runner_list_flows names those that there are"
        )));
    }
    let text = read_text(file, MAX_TEXT)
        .map_err(|error| Failure::usage(format!("{path} {}", error.problem)))?;
    Ok(Contents::text(YAML, text))
}

/// Decodes the `%XX` of a URI's path. A `%` without two hexadecimal digits stays. If the result is not UTF-8,
/// the path stays as it was.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes
            .get(at + 1..at + 3)
            .filter(|_| bytes[at] == b'%')
            // `from_str_radix` takes a sign too.
            .filter(|hex| hex.iter().all(u8::is_ascii_hexdigit))
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| path.to_owned())
}
