//! `runner review`: shows pending changes in the terminal or a browser.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use clap::builder::TypedValueParser;
use tokio_util::sync::CancellationToken;

use super::error::CliError;
use super::output;
use super::page::Page;
use super::values::one_of;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::review::terminal::{ImagesChoice, Options};
use crate::review::{self, ArchiveReview, ImportResult, Merges, Queue, Review};
use crate::snapshot::{GoldenKey, KeyNames};

#[derive(Debug, Default, Args)]
pub struct ReviewArguments {
    /// Review in a browser instead of the terminal
    #[arg(long)]
    web: bool,
    /// Port of the page [default: a free one]
    #[arg(long, value_name = "PORT", requires = "web")]
    port: Option<u16>,
    /// Print the page's address, open no browser
    #[arg(long, requires = "web")]
    no_open: bool,
    /// How the terminal shows pictures: auto, kitty, iterm, sixel, blocks or none
    #[arg(
        long,
        default_value = ImagesChoice::default().name(),
        value_parser = images(),
        hide_possible_values = true,
        value_name = "HOW",
        conflicts_with = "web"
    )]
    images: ImagesChoice,
    /// First take what another run left: a ZIP archive of its artifacts, or their folder
    #[arg(long, value_name = "FILE|DIR")]
    from: Option<Utf8PathBuf>,
    /// Write the page into this folder, to decide from a file or any web server; changes nothing here
    #[arg(
        long = "static",
        value_name = "DIR",
        requires = "from",
        conflicts_with_all = ["web", "images"]
    )]
    page: Option<Utf8PathBuf>,
    /// The run that the page is about, for who reads the decisions
    #[arg(long, value_name = "ID", requires = "page")]
    run: Option<String>,
    /// The commit that the run tested
    #[arg(long, value_name = "SHA", requires = "page")]
    commit: Option<String>,
}

/// Returns the parser of the kinds of pictures, each with its help.
fn images() -> impl TypedValueParser<Value = ImagesChoice> {
    one_of(
        &ImagesChoice::ALL,
        ImagesChoice::name,
        |images| match images {
            ImagesChoice::Auto => "What the terminal can",
            ImagesChoice::Kitty => "Kitty's graphics protocol",
            ImagesChoice::Iterm => "iTerm2's inline images",
            ImagesChoice::Sixel => "Sixel",
            ImagesChoice::Blocks => "Half blocks",
            ImagesChoice::None => "Not at all",
        },
    )
}

/// Reviews pending changes in the terminal, or on a page until Ctrl-C, or writes the static page of an archive. With
/// `--from`, what the archive proposes becomes pending first, in place of what is pending for the same goldens; exits
/// with 2 if all of it was refused. During a git merge, their side of each golden in conflict becomes pending too,
/// unless something else is. Without a terminal, prints the queue and exits with 1; after a review, prints the git
/// commands for decided conflicts. An empty queue is a success unless a merge waits for git, and so is a review at whose end something is still
/// pending.
pub fn run(arguments: &ReviewArguments, context: &Context) -> Result<ExitCode, CliError> {
    let config = Config::resolve(context, &Overrides::default())?;
    if let (Some(folder), Some(archive)) = (&arguments.page, &arguments.from) {
        return page(folder, archive, arguments, &config, context);
    }
    let review = Review::open(&config)?;
    if let Some(archive) = &arguments.from {
        let imported = review::import(&config.store(), &context.working_folder.join(archive))?;
        imported.keep_evidence(&config.root)?;
        print_import(archive, &imported);
        if imported.is_all_refused() {
            output::error(&format!("all that {archive} proposes was refused"));
            return Ok(ExitCode::Usage);
        }
    }
    let merges = review::merges(&config);
    print_merges(&merges);
    let is_merging = !merges.notes.is_empty() || !merges.conflicts.is_empty();
    let keys: Vec<GoldenKey> = merges.conflicts.into_iter().collect();
    if arguments.web {
        let code = web(review, arguments, context)?;
        tell_git(&config, &keys)?;
        return Ok(code);
    }
    let queue = review.queue()?;
    if queue.is_empty() {
        // As `runner pending` does: the notes say what git waits for.
        if is_merging {
            return Ok(ExitCode::Failed);
        }
        output::note("nothing to review");
        return Ok(ExitCode::Passed);
    }
    if !(context.stdout_is_terminal && context.stderr_is_terminal) {
        print(&queue);
        return Ok(ExitCode::Failed);
    }
    review::terminal::run(&review, &Options::from_context(context, arguments.images))?;
    tell_git(&config, &keys)?;
    Ok(ExitCode::Passed)
}

/// Writes the static page of an archive into a folder, and prints the number of changes and its path. Files of an
/// earlier page there are replaced. The project is not changed. Exits with 2, and writes nothing, if all that the
/// archive proposes was refused.
fn page(
    folder: &Utf8Path,
    archive: &Utf8Path,
    arguments: &ReviewArguments,
    config: &Config,
    context: &Context,
) -> Result<ExitCode, CliError> {
    let archived = ArchiveReview::open(config, &context.working_folder.join(archive))?;
    let imported = archived.imported();
    print_import(archive, imported);
    if imported.is_all_refused() {
        output::error(&format!("all that {archive} proposes was refused"));
        return Ok(ExitCode::Usage);
    }
    let origin = review::web::Origin {
        run: arguments.run.clone(),
        commit: arguments.commit.clone(),
    };
    let count = review::web::write(&archived, context.working_folder.join(folder), &origin)?;
    output::line(&format!(
        "{} to review: {}",
        in_words(count, archived.patches().groups.len()),
        folder.join("index.html"),
    ));
    Ok(ExitCode::Passed)
}

/// Formats the number `count` of pending changes, `patches` of which are patches, such as "2 snapshots and 1
/// selector". Without patches names only the snapshots; without snapshots they are named as 0. `patches` must not
/// be more than `count`.
fn in_words(count: usize, patches: usize) -> String {
    let plural = |count, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let snapshots = plural(count - patches, "snapshot");
    match patches {
        0 => snapshots,
        patches => format!("{snapshots} and {}", plural(patches, "selector")),
    }
}

/// Prints, to standard error, the git commands for those of these goldens that had conflicts and are decided now.
/// Runs none of them. Prints nothing for others, without goldens, and outside a repository.
pub(super) fn tell_git(config: &Config, keys: &[GoldenKey]) -> Result<(), CliError> {
    if !keys.is_empty() {
        for note in review::after_decision(config, keys)? {
            output::note(&note);
        }
    }
    Ok(())
}

/// Prints to standard error the notes about a merge, the keys of goldens in conflict, and that accept takes their side
/// and reject keeps ours. Prints nothing if there is no merge.
fn print_merges(merges: &Merges) {
    for note in &merges.notes {
        output::note(note);
    }
    if !merges.conflicts.is_empty() {
        output::note(&format!(
            "in conflict: {}. The golden is ours, what waits is theirs: accept takes theirs, reject keeps ours",
            list(&merges.conflicts)
        ));
    }
}

/// Prints to standard error the goldens that a merge left undecided, and notes about them, and changes nothing.
/// Returns true if there is anything, even a note alone.
pub(super) fn print_unmerged(config: &Config) -> bool {
    let merges = review::unmerged(config);
    for note in &merges.notes {
        output::note(note);
    }
    if !merges.conflicts.is_empty() {
        output::note(&format!(
            "a merge waits for a decision about {}; `runner review` shows both sides",
            list(&merges.conflicts)
        ));
    }
    !merges.conflicts.is_empty() || !merges.notes.is_empty()
}

fn list(keys: &BTreeSet<GoldenKey>) -> String {
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    keys.join(", ")
}

/// Reviews in the terminal what is pending, whichever run left it. Only prints a note if there is no terminal. The
/// exit code of the review is ignored, an error is not.
pub fn after_run(context: &Context) -> Result<(), CliError> {
    if context.stdout_is_terminal && context.stderr_is_terminal {
        run(&ReviewArguments::default(), context)?;
    } else {
        output::note("note: --review opens at a terminal only");
    }
    Ok(())
}

/// Serves the page on this machine until Ctrl-C, which is a success, and opens it in a browser unless `--no-open` is
/// given. The end of the queue is told in a note, and the page goes on. An error if the port is taken.
fn web(
    review: Review,
    arguments: &ReviewArguments,
    context: &Context,
) -> Result<ExitCode, CliError> {
    super::runtime::runtime()?.block_on(async {
        let (port, opens) = (arguments.port.unwrap_or(0), !arguments.no_open);
        let mut requests = crate::interrupt::Requests::new()?;
        let (page, listener) = Page::announce("Review", port, opens, context).await?;
        let stop = CancellationToken::new();
        let reviewed = || {
            output::note(
                "Everything is reviewed. The page goes on showing what comes; Ctrl-C ends it.",
            );
        };
        let served = review::web::serve(review, listener, page.keys(), stop.clone(), reviewed);
        tokio::pin!(served);
        tokio::select! {
            ended = &mut served => return Ok(ended?),
            requested = requests.next() => requested?,
        }
        // Pages that wait for news hear that it is over before their connections are cut.
        stop.cancel();
        Ok::<(), CliError>(served.await?)
    })?;
    Ok(ExitCode::Passed)
}

/// Prints the queue for a script or a log: each group with all its changes, then its goldens with the steps that
/// take them, then, to standard error, the commands to decide. Steps are named by file, line and column, if they
/// are known.
fn print(queue: &Queue) {
    let names = KeyNames::new(queue.items().map(|item| &item.key));
    for group in &queue.groups {
        output::line(&format!(
            "{}: {}",
            group.cause.kind.as_str(),
            group.cause.title
        ));
        for change in group.cause.changes.iter().skip(1) {
            output::line(&format!("    and {change}"));
        }
        for item in &group.items {
            let place = item
                .place
                .as_ref()
                .map(|place| format!("  {}:{}:{}", place.file, place.line, place.column));
            let key = names.name(&item.key);
            output::line(&format!("    {key}{}", place.unwrap_or_default()));
        }
    }
    output::note(
        "accept with `runner accept KEY…` or `--all`, reject with `runner reject KEY…` or `--all`; `runner prune --apply` removes obsolete goldens, `runner review --web` shows a page",
    );
}

/// Prints to standard error what an import refused, with reasons, what changed since its run, what it replaced, what
/// was the golden already, and how much it took, also if that is nothing.
fn print_import(archive: &Utf8Path, imported: &ImportResult) {
    for (name, why) in &imported.refused {
        output::note(&format!("refused {name:?}: {why}"));
    }
    for key in &imported.changed {
        output::note(&format!(
            "{key}: its golden is not the one this run compared with; it cannot be accepted, run the flow on today's version"
        ));
    }
    for key in &imported.replaced {
        output::note(&format!(
            "{key}: another proposal waited, and this one replaced it; a run here proposes its own again"
        ));
    }
    if !imported.already.is_empty() {
        output::note(&format!("already the golden: {}", list(&imported.already)));
    }
    let count = imported.keys.len();
    let goldens = if count == 1 { "golden" } else { "goldens" };
    let selectors = match imported.selectors {
        0 => String::new(),
        1 => " and 1 selector that matched nothing".to_owned(),
        several => format!(" and {several} selectors that matched nothing"),
    };
    output::note(&format!(
        "{count} {goldens}{selectors} taken from {archive}"
    ));
}
