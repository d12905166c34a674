//! Writes a review as a folder of files, which opens from disk and from any host of files. The person takes
//! the decisions along, for [`crate::ArchiveReview::apply`].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::answer;
use super::view::{self, PreparedCase};
use crate::{ArchiveReview, Queue, ReviewError, thumbnail};
use runner_base::own_folder::{FolderKind, OwnFolder};
use runner_pages::embed;
use runner_picture::Picture;

/// Files of the page's folder.
const PAGE: FolderKind = FolderKind {
    list: "review-files.txt",
    header: "Files of a review that `runner` made. The next review into this folder replaces them.",
    noun: "a review",
    files: &[
        "index.html",
        "style.css",
        "compare.js",
        "parts.js",
        "review.css",
        "review.js",
        "queue.js",
        "icon.svg",
        "summary.md",
    ],
    parts: &[],
    folders: &["cases", "pictures"],
};

/// Content security policy: scripts and pictures of the page itself only, from disk or a host.
const POLICY: &str = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:; \
    base-uri 'none'; form-action 'none'";

/// Script of the page that keeps decisions in the browser.
const SCRIPT: &str = answer::page_script!("../../web/static.js");

/// Characters of a change in a summary. Chosen: one long sentence; CI systems limit a summary's size.
const MAX_CHANGE_CHARS: usize = 300;
/// Changes of a group in a summary, and snapshots of it. Chosen: a summary stays on one screen for usual
/// runs.
const MAX_LISTED: usize = 10;

/// Origin of proposals, in the CI system's terms.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    pub run: Option<String>,
    /// Commit that the run tested.
    pub commit: Option<String>,
}

/// Writes the page of an archive into a folder, which is created if it is missing: the page, a picture and a script
/// for each pending snapshot, and `summary.md`. The page works without a server. Files of an earlier page there
/// that are not needed any more are removed at the end; after an error they stay. Returns the number of pending
/// snapshots, which may be 0.
///
/// # Errors
/// Returns an error if the folder is neither empty nor that of a review, if a pending snapshot cannot be read, or
/// if a file cannot be written.
pub fn write(
    archived: &ArchiveReview,
    folder: Utf8PathBuf,
    origin: &Origin,
) -> Result<usize, ReviewError> {
    let mut folder = OwnFolder::open(folder, PAGE)?;
    let review = archived.review();
    let queue = review.queue()?;
    let mut cases: BTreeMap<String, usize> = BTreeMap::new();
    let mut pictures: BTreeMap<String, String> = BTreeMap::new();
    for (number, item) in queue.items().enumerate() {
        let key = item.key.to_string();
        let case = PreparedCase::from_case(&review.case(&item.key)?, 0);
        for (side, bytes) in case.pictures() {
            // Not named by a hash, as two pictures could be made to have the same.
            let name = format!("pictures/{number}-{side}.png");
            folder.write(&name, bytes)?;
            pictures.insert(format!("{side} {key}"), name);
        }
        let sides = case.pictures().filter(|(side, _)| *side != "difference");
        // The last side is the actual one, if there is one.
        let shown = sides.last().map(|(_, bytes)| Picture::from_png(bytes));
        if let Some(bytes) = shown.as_ref().and_then(thumbnail::small) {
            folder.write(&format!("pictures/{number}-thumbnail.png"), &bytes)?;
        }
        let script = format!("takeCase({}, {});\n", script(&key)?, script(&case.json)?);
        folder.write(&format!("cases/{number}.js"), script.as_bytes())?;
        cases.insert(key, number);
    }
    let data = json!({
        "run": origin.run,
        "commit": origin.commit,
        "archive": archived.digest().to_string(),
        "queue": view::queue(&queue),
        "cases": cases,
        "sides": sides(archived)?,
    });
    folder.write(
        "queue.js",
        format!("const REVIEW = {};\n", script(&data)?).as_bytes(),
    )?;
    for (name, _, text) in answer::FILES {
        let text = if name == "review.js" { SCRIPT } else { text };
        folder.write(name, text.as_bytes())?;
    }
    folder.write("summary.md", summary(&queue, origin).as_bytes())?;
    // Written last, when all files that it loads are there.
    folder.write("index.html", index(&queue, &pictures).as_bytes())?;
    folder.remove_earlier()?;
    Ok(queue.len())
}

/// Returns the digests that each decision is about, by key, as a pair: the golden's and the actual one's. Has the
/// archive's pending goldens and its groups of patches. Entries that cannot be read are left out, as they cannot be
/// accepted.
fn sides(archived: &ArchiveReview) -> Result<BTreeMap<String, Value>, ReviewError> {
    let mut sides = BTreeMap::new();
    for group in &archived.patches().groups {
        let found = &group.sides;
        sides.insert(group.key.to_string(), json!([found.golden, found.actual]));
    }
    for entry in archived.pending()? {
        // An unreadable entry cannot be accepted, and the page shows its error.
        let Ok(found) = archived.sides(&entry) else {
            continue;
        };
        sides.insert(entry.key.to_string(), json!([found.golden, found.actual]));
    }
    Ok(sides)
}

fn script(value: &impl serde::Serialize) -> Result<String, ReviewError> {
    Ok(embed::script(value).map_err(std::io::Error::from)?)
}

/// Builds the page of a folder, whose policy allows no server. Viewers without scripts, such as Jenkins, see a list
/// of the changes. The queue is not in the page; it loads `queue.js`.
fn index(queue: &Queue, pictures: &BTreeMap<String, String>) -> String {
    let page = include_str!("../../web/review.html");
    let (head, rest) = page
        .split_once("<meta name=\"viewport\"")
        .unwrap_or((page, ""));
    let (scripts, rest) = rest
        .split_once("<script src=\"review.js\"")
        .unwrap_or((rest, ""));
    let (body, end) = rest.split_once("</body>").unwrap_or((rest, ""));
    format!(
        "{head}<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\"{scripts}<script src=\"queue.js\" defer></script>\n\
         <script src=\"review.js\"{body}<noscript>\n{}</noscript>\n</body>{end}",
        without_scripts(queue, pictures),
    )
}

/// Returns the part of the page for viewers without scripts: all snapshots by group, with the golden and the actual
/// picture of each group's first, where there are some. Names are escaped. An empty queue gives only the advice to
/// open the page with scripts.
fn without_scripts(queue: &Queue, pictures: &BTreeMap<String, String>) -> String {
    let mut page = String::from(
        "<p>This viewer runs no scripts: download the folder and open index.html to decide.</p>\n",
    );
    for group in &queue.groups {
        let (kind, title) = (group.cause.kind.as_str(), embed::html(&group.cause.title));
        let _ = writeln!(page, "<h2>{kind}: {title}</h2>\n<ul>");
        for item in &group.items {
            let _ = writeln!(page, "<li>{}</li>", embed::html(&item.key.to_string()));
        }
        page.push_str("</ul>\n");
        let Some(first) = group.items.first() else {
            continue;
        };
        for side in ["golden", "actual"] {
            if let Some(name) = pictures.get(&format!("{side} {}", first.key)) {
                let _ = writeln!(page, "<img src=\"{name}\" alt=\"{side}\" width=\"240\">");
            }
        }
    }
    page
}

/// Builds a Markdown summary for the page of a CI job: the numbers of snapshots and groups, the commit if it is
/// known, and for each group its title, its changes but the first, which is the title, and its keys. At most
/// `MAX_LISTED` changes and keys of a group are listed, the others counted. An empty queue gives only the numbers.
fn summary(queue: &Queue, origin: &Origin) -> String {
    let text = |text: &str| embed::markdown(text, MAX_CHANGE_CHARS);
    let count =
        |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let mut summary = format!(
        "### {} in {} to review\n\n",
        count(queue.len(), "snapshot"),
        count(queue.groups.len(), "group"),
    );
    if let Some(commit) = &origin.commit {
        let _ = writeln!(summary, "Commit {}\n", text(commit));
    }
    for group in &queue.groups {
        let head = format!("{}: {}", group.cause.kind.as_str(), group.cause.title);
        let number = count(group.items.len(), "snapshot");
        let _ = writeln!(summary, "- **{}** ({number})", text(&head));
        let lines = group.cause.changes.iter().skip(1).cloned();
        write_list(&mut summary, lines.collect());
        write_list(
            &mut summary,
            group
                .items
                .iter()
                .map(|item| item.key.to_string())
                .collect(),
        );
    }
    summary
}

/// Appends the first `MAX_LISTED` lines as a list, each cut to `MAX_CHANGE_CHARS`, with the number of the others.
/// No lines give nothing.
fn write_list(summary: &mut String, lines: Vec<String>) {
    for line in lines.iter().take(MAX_LISTED) {
        let _ = writeln!(summary, "  - {}", embed::markdown(line, MAX_CHANGE_CHARS));
    }
    if lines.len() > MAX_LISTED {
        let _ = writeln!(summary, "  - and {} more", lines.len() - MAX_LISTED);
    }
}
