//! Builds the text of the page: the index with its summary, the scripts of flows, and the shared files.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest as _, Sha256};

use super::view::{Detail, EntryStatus, Summary};
use crate::ReportError;
use crate::text::count;
use runner_event::ResultKey;
use runner_pages::{embed, web};

/// Returns the files that are the same in every report: path below the report's folder, and text. Styles come
/// first; the scripts are in the order in which they must be loaded.
pub(super) fn assets() -> [(&'static str, &'static str); 7] {
    [
        ("assets/style.css", web::STYLE),
        (
            "assets/report.css",
            concat!(
                include_str!("../../../pages/web/walk/walk.css"),
                include_str!("../../web/report.css"),
            ),
        ),
        ("assets/compare.js", web::COMPARE),
        ("assets/parts.js", web::PARTS),
        ("assets/time.js", web::TIME),
        ("assets/words.js", web::WORDS),
        ("assets/report.js", SCRIPT),
    ]
}

/// Script of the page, joined from one file for each purpose.
const SCRIPT: &str = concat!(
    include_str!("../../web/dom.js"),
    include_str!("../../../pages/web/walk/elements.js"),
    include_str!("../../../pages/web/walk/rows.js"),
    include_str!("../../../pages/web/walk/failure.js"),
    include_str!("../../../pages/web/walk/walk.js"),
    include_str!("../../web/embedded.js"),
    include_str!("../../web/state.js"),
    include_str!("../../web/list.js"),
    include_str!("../../web/screen.js"),
    include_str!("../../web/source.js"),
    include_str!("../../web/steps.js"),
    include_str!("../../web/film.js"),
    include_str!("../../web/flow.js"),
    include_str!("../../web/timeline.js"),
    include_str!("../../web/overview.js"),
    include_str!("../../web/main.js"),
);

/// Builds the script that passes a flow's data to the page.
pub(super) fn flow_script(key: &ResultKey, detail: &Detail) -> Result<String, ReportError> {
    let key = embed::script(&(&key.id.flow, &key.device, key.id.distinction()))?;
    Ok(format!("Report.take({key}, {});\n", embed::script(detail)?))
}

/// Builds `index.html` of a report in a folder, with the summary as JSON and a plain list for viewers without
/// scripts. The data of flows is in files of its own. Fails only if the summary cannot be written as JSON.
pub(super) fn index(summary: &Summary) -> Result<String, ReportError> {
    let data = embed::script(summary)?;
    let (title, plain) = (embed::html(&title(summary)), plain_html(summary));
    let places = [
        ("{{title}}", title.as_str()),
        ("{{plain}}", &plain),
        ("{{summary}}", &data),
    ];
    Ok(fill(include_str!("../../web/index.html"), &places))
}

/// Builds the start of a report of one file, up to the flows' data: title, all styles, the plain list, and a content
/// policy that allows each style and script by its hash. The scripts themselves are in [`tail`].
pub(super) fn head(summary: &Summary) -> String {
    let (styles, scripts): (Vec<_>, Vec<_>) =
        assets().into_iter().partition(|(name, _)| is_style(name));
    let hashes = |texts: &[(&str, &str)]| {
        let hashes = texts.iter().map(|(_, text)| {
            let hash = BASE64_STANDARD.encode(Sha256::digest(text));
            format!("'sha256-{hash}'")
        });
        hashes.collect::<Vec<_>>().join(" ")
    };
    let (title, plain) = (embed::html(&title(summary)), plain_html(summary));
    let places = [
        ("{{scripts}}", hashes(&scripts)),
        ("{{styles}}", hashes(&styles)),
        ("{{title}}", title),
        ("{{style}}", elements("style", &styles)),
        ("{{plain}}", plain),
    ];
    let places = places
        .each_ref()
        .map(|(place, text)| (*place, text.as_str()));
    fill(include_str!("../../web/one-file.html"), &places)
}

/// Builds the end of a report of one file, after the flows' data: the summary as JSON, then the scripts, which read
/// the data before them. Fails only if the summary cannot be written as JSON.
pub(super) fn tail(summary: &Summary) -> Result<String, ReportError> {
    let scripts = assets().into_iter().filter(|(name, _)| !is_style(name));
    let scripts = elements("script", &scripts.collect::<Vec<_>>());
    let data = embed::script(summary)?;
    Ok(format!(
        "<script type=\"application/json\" id=\"summary\">{data}</script>\n{scripts}</body>\n</html>\n"
    ))
}

fn is_style(name: &str) -> bool {
    name.ends_with(".css")
}

/// Returns an element for the text of each pair, in order, each with a line end; the first part of a pair is not
/// used. The text is not escaped.
fn elements(name: &str, texts: &[(&str, &str)]) -> String {
    let elements = texts
        .iter()
        .map(|(_, text)| format!("<{name}>{text}</{name}>\n"));
    elements.collect()
}

/// Replaces each of the places in a template by its text, once and one after another, so that text filled in is never
/// taken for a place. `places` must be in the order of the template. If a place is missing, its text goes to the end
/// of the page, and so do those of all places after it.
fn fill(template: &str, places: &[(&str, &str)]) -> String {
    let length = places.iter().map(|(_, text)| text.len()).sum::<usize>();
    let mut page = String::with_capacity(template.len() + length);
    let mut rest = template;
    for (place, text) in places {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Returns the title of the page: totals, name of the project's folder, and `runner`, joined by ` · `. Without flows
/// it says `Test report`; without a project that part is missing. It is not escaped.
fn title(summary: &Summary) -> String {
    let totals: Vec<String> = summary
        .totals()
        .into_iter()
        .map(|(status, number)| match status {
            EntryStatus::Error => count(number as u64, "error"),
            status => format!("{number} {}", status.words()),
        })
        .collect();
    // Both separators, as the run may have been on another system.
    let project = summary.root.rsplit(['/', '\\']).next().unwrap_or_default();
    let totals = totals.join(", ");
    let told = if totals.is_empty() {
        "Test report"
    } else {
        &totals
    };
    let parts = [told, project, "runner"];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// Builds HTML for viewers that run no scripts, such as Jenkins by default: the title, failures of the run,
/// unreadable flows, and each flow that neither passed nor was skipped, with its place and message. The list is empty
/// if all passed. All text is escaped.
fn plain_html(summary: &Summary) -> String {
    let mut html = format!("<h1>{}</h1>\n", embed::html(&title(summary)));
    html.push_str("<p>This viewer runs no scripts: download the report and open it in a browser to see steps, pictures and differences.</p>\n<ul>\n");
    for why in &summary.because {
        html.push_str(&format!("<li>{}</li>\n", embed::html(why)));
    }
    for bad in &summary.unreadable {
        html.push_str(&format!(
            "<li>{}: does not read</li>\n",
            embed::html(bad.flow.as_str())
        ));
    }
    for flow in &summary.flows {
        if matches!(flow.status, EntryStatus::Passed | EntryStatus::Skipped) {
            continue;
        }
        let place = flow.at.as_ref().map_or_else(String::new, |at| {
            format!(" ({}:{}:{})", at.file, at.line, at.column)
        });
        let line = format!(
            "{}: {} {}{place}",
            flow.status.words(),
            flow.label(),
            flow.message.as_deref().unwrap_or_default(),
        );
        html.push_str(&format!("<li>{}</li>\n", embed::html(&line)));
    }
    html.push_str("</ul>");
    html
}
