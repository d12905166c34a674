//! Runs the page's flow when files are saved, like `runner test --watch`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::messages::RunMessage;
use crate::run::{self, RunRequest};
use crate::{Studio, StudioError};
use runner_run::watch::{AffectedFlows, Index, WatchedFiles};
use runner_tools::blocking;

/// Time without changes before a run begins: editors write, remove and rename a file when they save. Chosen:
/// editors take some milliseconds.
const SETTLE: Duration = Duration::from_millis(100);

/// Time after which a run begins even if files keep changing. Chosen: a person waits no longer.
const MAX_SETTLE: Duration = Duration::from_secs(2);

/// Interval of searching for new files. Chosen: a search of a large project costs some time.
const REFRESH_INTERVAL: Duration = Duration::from_secs(1);

/// Files of a project as of the last look.
#[derive(Default)]
struct Saves {
    /// Path of the flow that is watched. `None` for one without a file.
    path: Option<String>,
    /// Version of the text of a flow without a file.
    version: String,
    files: WatchedFiles,
    index: Index,
    refreshed: Option<Instant>,
}

impl Saves {
    /// Returns what was saved since the last call: the flow, or files that it uses. Empty at the first call and
    /// after the page opened another flow. New files are searched at most once in [`REFRESH_INTERVAL`]. For a flow
    /// without a file, another text counts as a save. An error if the flow cannot be read, at the first call and
    /// without a file.
    fn look(&mut self, studio: &Studio) -> Result<AffectedFlows, StudioError> {
        let path = studio.file.path();
        let is_new = path != self.path || self.refreshed.is_none();
        if is_new {
            *self = Self {
                path: path.clone(),
                version: studio.file.read()?.version,
                ..Self::default()
            };
        }
        let mut affected = AffectedFlows::default();
        let Some(path) = path else {
            self.refreshed = Some(Instant::now());
            let version = studio.file.read()?.version;
            if version != self.version {
                self.version = version;
                affected.flows.insert(studio.file.assumed());
            }
            return Ok(affected);
        };
        let mut config = studio.workspace.config.clone();
        config.paths = vec![config.root.join(path)];
        let changed = self.files.changed();
        affected.and(self.index.affected_by(&changed, &config.root));
        if self
            .refreshed
            .is_none_or(|last| last.elapsed() > REFRESH_INTERVAL)
        {
            affected.and(self.index.refresh(&config, None));
            self.refreshed = Some(Instant::now());
        }
        if is_new || !affected.is_empty() {
            self.files.follow(self.index.files());
        }
        Ok(if is_new {
            AffectedFlows::default()
        } else {
            affected
        })
    }
}

/// Runs the flow on saves while the switch for it is on. Saves before it was turned on do not count. After a save
/// during a run, the flow runs again at its end. A save during a pause starts no run, as it is to fix the paused one.
/// Never ends.
pub(crate) async fn watch(studio: &Arc<Studio>) {
    let mut wanted = studio.debugger.runs_on_save.subscribe();
    loop {
        // Cannot fail, as the studio holds the sender.
        let _ = wanted.wait_for(|wanted| *wanted).await;
        tokio::select! {
            () = run_saves(studio) => {}
            _ = wanted.wait_for(|wanted| !*wanted) => {}
        }
    }
}

/// Runs the flow after each save that affects it, once the files rest for `SETTLE`, or have changed for
/// `MAX_SETTLE`. Saves during a pause are dropped, those during a run wait for its end. Ends only if the look at
/// the files panics.
async fn run_saves(studio: &Arc<Studio>) {
    let mut saves = Saves::default();
    let mut affected = AffectedFlows::default();
    let mut since: Option<Instant> = None;
    loop {
        tokio::time::sleep(SETTLE).await;
        let work = Arc::clone(studio);
        let looked = blocking(move || {
            let found = saves.look(&work);
            (saves, found)
        });
        let Ok((stored, found)) = looked.await else {
            return;
        };
        saves = stored;
        // Errors are reported where the file is read for the pages.
        let found = found.unwrap_or_default();
        let is_still = found.is_empty();
        affected.and(found);
        if affected.is_empty() {
            continue;
        }
        let first = *since.get_or_insert_with(Instant::now);
        if !is_still && first.elapsed() < MAX_SETTLE {
            continue;
        }
        // Edits during a pause are to fix the paused run.
        if studio.run.is_paused() {
            affected = AffectedFlows::default();
            since = None;
            continue;
        }
        if studio.run.is_active() {
            continue;
        }
        since = None;
        let affected = std::mem::take(&mut affected);
        if !has_run(studio, &affected) {
            run_saved(studio, &affected).await;
        }
    }
}

/// Returns true if nothing but the flow was saved, with a text that a run has begun with since, or continued with after
/// a pause. The flow need not run again then. False if the file cannot be read.
fn has_run(studio: &Studio, affected: &AffectedFlows) -> bool {
    let own = studio.workspace.config.root.join(studio.file.assumed());
    !affected.everything
        && affected.saved.iter().all(|file| *file == own)
        && affected.gone.is_empty()
        && (studio.file.read()).is_ok_and(|content| studio.debugger.runs(&content.text))
}

/// Runs the flow after a save, and tells the pages if it does not begin, unless a run is under way. Saved settings
/// or apps first close the device and say so. If the flow is gone, nothing runs, which is told.
async fn run_saved(studio: &Arc<Studio>, affected: &AffectedFlows) {
    if affected.everything {
        let connection = &studio.workspace.connection;
        let _alone = connection.lock_exclusive().await;
        connection.close().await;
        let text = "Settings or an app were saved. The device is opened anew; settings of runner.yaml hold from the next start of `runner studio`.";
        run::notify(studio, &RunMessage::Log { message: text });
    }
    if affected.flows.is_empty() && !affected.everything {
        let reported = "The flow's file is gone. It runs when it is there again.";
        run::notify(studio, &RunMessage::Failed { message: reported });
        return;
    }
    let message = match run::begin(studio, RunRequest::all()).await {
        Ok(_) | Err(StudioError::Running) => return,
        Err(StudioError::DoesNotRead) => {
            "Saved, but the flow does not read: mend what is marked. It runs when it reads again."
                .to_owned()
        }
        Err(error) => format!("Saved, but not run: {error}"),
    };
    run::notify(studio, &RunMessage::Failed { message: &message });
}
