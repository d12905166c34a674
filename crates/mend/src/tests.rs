//! Tests of mending: every byte except the selector stays, a group holds the steps that share the selector,
//! and evidence that does not fit yields no patch.

mod edits;
mod evidence;
mod grouping;

use camino::{Utf8Path, Utf8PathBuf};
use runner_flow::{ReadOptions, SelectorRole, read_flow};
use runner_screen::{DisplayContext, Screen};
use runner_text::diagnostic::line_column;

use crate::{Evidence, FlowSelectors, GreenRun, Look, Project};

/// Project in a temporary folder.
pub(crate) struct TestProject {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
    flows: Vec<String>,
}

impl TestProject {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        for (name, text) in files {
            let path = root.join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        let is_flow = |name: &&str| !name.split('/').any(|part| part.starts_with('_'));
        let flows = files.iter().map(|(name, _)| *name).filter(is_flow);
        Self {
            flows: flows.map(str::to_owned).collect(),
            _folder: folder,
            root,
        }
    }

    pub(crate) fn read(&self) -> Project {
        let options = ReadOptions {
            root: self.root.clone(),
            ..ReadOptions::default()
        };
        Project::new(self.flows.iter().map(|name| {
            let (flow, problems) = read_flow(Utf8Path::new(name), &options);
            FlowSelectors::new(&flow.unwrap_or_else(|| panic!("{name}: {problems:?}")))
        }))
    }

    /// Returns evidence of the step with this title and selector that fails in `flow`.
    pub(crate) fn evidence(
        &self,
        flow: &str,
        title: &str,
        before: &Screen,
        after: &Screen,
    ) -> Evidence {
        let project = self.read();
        let flow = project.flow(Utf8Path::new(flow)).unwrap();
        let is_it = |one: &&runner_flow::SelectorUse| {
            one.title == title && one.role == SelectorRole::Needed
        };
        let used = flow
            .uses
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{title}"));
        let element = used.selector.selected(before).expect("it matched");
        let plain = |text: &str| text.to_owned();
        Evidence::new(
            (
                flow.file.clone(),
                used.source.path.clone(),
                line_column(&used.source.text, used.span.start),
            ),
            used.selector.to_string(),
            GreenRun::default(),
            (Look::new(before, plain), element),
            Look::new(after, plain),
        )
    }
}

/// Returns a form with a title, a field and two buttons, each with its id and its text.
pub(crate) fn screen(buttons: &[(&str, &str)]) -> Screen {
    let mut rows = String::new();
    for (place, (id, words)) in buttons.iter().enumerate() {
        let (top, bottom) = (200 + place * 100, 280 + place * 100);
        rows.push_str(&format!(
            "<node class=\"android.widget.Button\" resource-id=\"com.example:id/{id}\" text=\"{words}\" content-desc=\"\" package=\"com.example\" clickable=\"true\" enabled=\"true\" bounds=\"[0,{top}][400,{bottom}]\"/>"
        ));
    }
    let dump = format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" package=\"com.example\" enabled=\"true\" bounds=\"[0,0][400,800]\"><node class=\"android.widget.TextView\" resource-id=\"com.example:id/title\" text=\"Welcome\" package=\"com.example\" enabled=\"true\" bounds=\"[0,0][400,100]\"/>{rows}</node></hierarchy>"
    );
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

/// Returns the form before the rename.
pub(crate) fn before() -> Screen {
    screen(&[("sign_in", "Sign in"), ("help", "Help")])
}

/// Returns the form after the rename of an id.
pub(crate) fn after() -> Screen {
    screen(&[("login_button", "Sign in"), ("help", "Help")])
}
