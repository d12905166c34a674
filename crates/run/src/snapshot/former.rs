//! Finds the golden of a new snapshot where it lay with another list of `flows` in `runner.yaml`.

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::named_path::PATTERN_SIGNS;
use runner_config::flow_folders;
use runner_snapshot::{FileKind, Golden, GoldenKey, UpdateMode};
use runner_text::shell::operands_to_copy;

use crate::context::AttemptContext;
use crate::evaluate::picture_work;
use crate::golden_uses::golden_uses;
use crate::settings::golden_folder;

impl AttemptContext<'_> {
    /// Returns the mode in which a snapshot is stored: that of the run, but a new one whose golden lies where another
    /// list of `flows` puts it is not stored as new beside it. Warns of such a golden in any mode.
    pub(super) fn update_mode(&self, golden: &Golden) -> UpdateMode {
        let mode = self.settings.config.update.value;
        if golden.shared.is_some() {
            return mode;
        }
        let Some(line) = picture_work(|| self.former_place(&golden.key)) else {
            return mode;
        };
        self.reporter
            .warn(format!("snapshot {}: {line}", golden.key));
        if mode == UpdateMode::New {
            UpdateMode::None
        } else {
            mode
        }
    }

    /// Returns a line about a golden that no flow names, and that would be that of `key` with another list of `flows`,
    /// with what moves all goldens of the flow. `None` if there is none, or the project's flows cannot be read.
    fn former_place(&self, key: &GoldenKey) -> Option<String> {
        let config = &self.settings.config;
        let now = self.settings.golden_folder(&self.flow.key);
        let below = key.flow().strip_prefix(&now).ok()?;
        let (folder, former) = former_folders(&config.flows.value, &self.flow.key, &now)
            .into_iter()
            .find_map(|folder| {
                let flow: Utf8PathBuf = folder.components().chain(below.components()).collect();
                let former = GoldenKey::new(&flow, key.name(), key.variant(), key.class()).ok()?;
                let golden = self.settings.store.load(&former).ok()?;
                golden.shared.is_some().then_some((folder, former))
            })?;
        // It may be the golden of a flow that lies there.
        if golden_uses(config).ok()?.keeps(&former) {
            return None;
        }
        let [from, to] = [&folder, &now].map(|folder| config.snapshots.value.join(folder));
        let file = self
            .settings
            .store
            .path(&former.shared(), FileKind::Rows, false);
        let how = how_to_move(&config.root, &from, &to);
        let others = other_owners(&config.root, &config.flows.value, &self.flow.key, &folder);
        let said = format!(
            "no flow names the golden {file}, which was this one's if `flows` of runner.yaml was another list"
        );
        Some(if others.is_empty() {
            format!("{said}; {how}, or store the new one with `--update`")
        } else {
            let others = others.join(" or ");
            format!(
                "{said}, or that of {others}; if it was this one's, {how}, else store the new one with `--update`"
            )
        })
    }
}

/// Returns the folders of a flow's goldens with other lists of `flows`: with several folders, and with each of these
/// alone, or that of a pattern. Leaves out the present one.
fn former_folders(flows: &[Utf8PathBuf], flow: &Utf8Path, now: &Utf8Path) -> Vec<Utf8PathBuf> {
    let alone = flows
        .iter()
        .flat_map(|only| [only.clone(), before_pattern(only)])
        .map(|only| golden_folder(&[only], flow));
    let mut folders: Vec<Utf8PathBuf> = alone.chain([flow.to_owned()]).collect();
    // A flow that lies where the folder of flows is has no folder of its own.
    folders.retain(|folder| folder != now && !folder.as_str().is_empty());
    folders.dedup();
    folders
}

/// Returns the folder that a pattern begins with, and another entry of `flows` as it is.
fn before_pattern(entry: &Utf8Path) -> Utf8PathBuf {
    let parts = entry.components().map(|part| part.as_str());
    parts
        .take_while(|part| !part.contains(PATTERN_SIGNS))
        .collect()
}

/// Returns the files of other flows that had the folder of goldens `former` if their folder was the only one in `flows`.
fn other_owners(
    root: &Utf8Path,
    flows: &[Utf8PathBuf],
    flow: &Utf8Path,
    former: &Utf8Path,
) -> Vec<String> {
    let keys = flow_folders(flows)
        .into_iter()
        .map(|folder| folder.join(former));
    let files = keys
        .filter(|key| key != flow)
        .flat_map(|key| ["yaml", "yml"].map(|extension| format!("{key}.{extension}")));
    files.filter(|file| root.join(file).is_file()).collect()
}

/// Returns what moves the files of one folder below the root to another, with the command if that does not exist yet.
fn how_to_move(root: &Utf8Path, from: &Utf8Path, to: &Utf8Path) -> String {
    if root.join(to).is_dir() {
        return format!("move the files of {from} into {to}");
    }
    let operands = operands_to_copy([from.as_str(), to.as_str()]);
    let folder = to.parent().filter(|folder| !root.join(folder).is_dir());
    match folder {
        Some(folder) => {
            let folder = operands_to_copy([folder.as_str()]);
            format!("move its folder with `mkdir -p {folder} && git mv {operands}`")
        }
        None => format!("move its folder with `git mv {operands}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_has_a_former_folder_for_each_other_list_of_flows() {
        for (flows, flow, expected) in [
            (&["flows"][..], "flows/a", &["flows/a"][..]),
            (&["flows", "more"][..], "flows/a", &["a"][..]),
            (&["flows", "more"][..], "more/a", &["a"][..]),
            (&["flows"][..], "other/a", &[][..]),
            (&["flows/*.yaml"][..], "flows/a", &["a"][..]),
            (&["flows/*.yaml", "more"][..], "flows/a", &["a"][..]),
            (&["flows/**/*.x.yaml"][..], "flows/s/a.x", &["s/a.x"][..]),
            (&["*.yaml"][..], "a", &[][..]),
        ] {
            let flows: Vec<Utf8PathBuf> = flows.iter().map(Utf8PathBuf::from).collect();
            let flow = Utf8Path::new(flow);
            let now = golden_folder(&flows, flow);
            assert_eq!(former_folders(&flows, flow, &now), expected, "{flow}");
        }
    }

    #[test]
    fn flows_of_one_name_in_two_folders_may_both_have_had_a_golden() {
        let root = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(root.path()).unwrap();
        for file in ["flows/a.yaml", "more/a.yml", "more/b.yaml"] {
            let path = root.join(file);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "").unwrap();
        }
        let flows = ["flows/", "./more/**/*.yml"].map(Utf8PathBuf::from);
        for (flow, former, others) in [
            ("flows/a", "a", &["more/a.yml"][..]),
            ("more/a", "a", &["flows/a.yaml"][..]),
            ("more/b", "b", &[][..]),
        ] {
            let found = other_owners(root, &flows, Utf8Path::new(flow), Utf8Path::new(former));
            assert_eq!(found, others, "{flow}");
        }
    }

    #[test]
    fn a_folder_is_moved_where_none_is() {
        let root = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(root.path()).unwrap();
        let how = |to: &str| how_to_move(root, Utf8Path::new("snapshots/a"), Utf8Path::new(to));
        let command = "mkdir -p snapshots/flows && git mv snapshots/a snapshots/flows/a";
        assert!(how("snapshots/flows/a").contains(command));
        fs_err::create_dir_all(root.join("snapshots/flows")).unwrap();
        assert!(how("snapshots/flows/a").ends_with("`git mv snapshots/a snapshots/flows/a`"));
        assert!(how("snapshots/flows").starts_with("move the files of snapshots/a into"));
    }
}
