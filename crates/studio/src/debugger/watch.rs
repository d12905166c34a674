//! Runs on save: what `runner test --watch` does, for the flow of the page.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::messages::RunMessage;
use crate::run::{self, RunRequest};
use crate::{Studio, StudioError};
use runner_run::watch::{Index, Touched, WatchedFiles};
use runner_tools::blocking;

/// Nothing may change for so long before a run begins: editors write, remove and rename.
const SETTLE: Duration = Duration::from_millis(100);

/// Where files never come to rest, a run begins all the same.
const LONGEST_SETTLE: Duration = Duration::from_secs(2);

/// How often it is looked for files that are new.
const REFRESH: Duration = Duration::from_secs(1);

/// Files of a project, as they were when they were last looked at.
#[derive(Default)]
struct Saves {
    /// Of which flow; none of one without a file.
    path: Option<String>,
    /// The text of a flow without a file.
    version: String,
    files: WatchedFiles,
    index: Index,
    refreshed: Option<Instant>,
}

impl Saves {
    /// What was saved since this was last asked.
    fn look(&mut self, studio: &Studio) -> Result<Touched, StudioError> {
        let path = studio.file.path();
        let is_new = path != self.path || self.refreshed.is_none();
        if is_new {
            *self = Self {
                path: path.clone(),
                version: studio.file.read()?.version,
                ..Self::default()
            };
        }
        let mut touched = Touched::default();
        let Some(path) = path else {
            self.refreshed = Some(Instant::now());
            let version = studio.file.read()?.version;
            if version != self.version {
                self.version = version;
                touched.flows.insert(studio.file.assumed());
            }
            return Ok(touched);
        };
        let mut config = studio.workspace.config.clone();
        config.paths = vec![config.root.join(path)];
        let changed = self.files.changed();
        touched.and(self.index.touched_by(&changed, &config.root));
        if self.refreshed.is_none_or(|last| last.elapsed() > REFRESH) {
            touched.and(self.index.refresh(&config, None));
            self.refreshed = Some(Instant::now());
        }
        if is_new || !touched.is_empty() {
            self.files.follow(self.index.files());
        }
        Ok(if is_new { Touched::default() } else { touched })
    }
}

/// Runs the flow when it is saved, while a page wants that. Never ends.
pub(crate) async fn watch(studio: &Arc<Studio>) {
    let mut wanted = studio.debugger.runs_on_save.subscribe();
    loop {
        // The sender is in the studio, so that this cannot fail.
        let _ = wanted.wait_for(|wanted| *wanted).await;
        tokio::select! {
            () = run_saves(studio) => {}
            _ = wanted.wait_for(|wanted| !*wanted) => {}
        }
    }
}

async fn run_saves(studio: &Arc<Studio>) {
    let mut saves = Saves::default();
    let mut touched = Touched::default();
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
        // One that cannot be read now is reported where the flow is read for the pages.
        let found = found.unwrap_or_default();
        let is_still = found.is_empty();
        touched.and(found);
        if touched.is_empty() {
            continue;
        }
        let first = *since.get_or_insert_with(Instant::now);
        if !is_still && first.elapsed() < LONGEST_SETTLE {
            continue;
        }
        // What is saved while a run is paused is what mends it.
        if studio.run.is_paused() {
            touched = Touched::default();
            since = None;
            continue;
        }
        if studio.run.is_active() {
            continue;
        }
        since = None;
        let touched = std::mem::take(&mut touched);
        if !has_run(studio, &touched) {
            run_saved(studio, &touched).await;
        }
    }
}

/// Whether all that was saved is a text of the flow with which a run began, or went on at a pause, since.
fn has_run(studio: &Studio, touched: &Touched) -> bool {
    let own = studio.workspace.config.root.join(studio.file.assumed());
    !touched.everything
        && touched.saved.iter().all(|file| *file == own)
        && touched.gone.is_empty()
        && (studio.file.read()).is_ok_and(|content| studio.debugger.runs(&content.text))
}

async fn run_saved(studio: &Arc<Studio>, touched: &Touched) {
    if touched.everything {
        let connection = &studio.workspace.connection;
        let _alone = connection.alone().await;
        connection.close().await;
        let text = "Settings or an app were saved. The device is opened anew; settings of runner.yaml hold from the next start of `runner studio`.";
        run::notify(studio, &RunMessage::Log { message: text });
    }
    if touched.flows.is_empty() && !touched.everything {
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
