//! Files that a run leaves, one folder an attempt: `<artifacts>/<flow>/<device>-<attempt>/…`.

use std::collections::{HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Artifact, ArtifactKind, FlowId};
use crate::files::{hash, normal_parts};
use crate::secret::Scrubber;

/// Folder of a run's proposals, one folder a device: what would become goldens where the run itself may write none.
pub const PROPOSED_GOLDENS: &str = "proposed-goldens";

/// The folders of a run's flows and devices. Those that would share one, or lie in one that is emptied, are told apart by
/// a hash; all others have the plain name.
#[derive(Debug, Default)]
pub struct ArtifactNames {
    flows: HashMap<Utf8PathBuf, Utf8PathBuf>,
    devices: HashMap<String, String>,
}

impl ArtifactNames {
    /// The names for all flows and all devices of a run.
    pub fn new(flows: &[&Utf8Path], labels: &[&str]) -> Self {
        let mut plain_devices: HashMap<String, usize> = HashMap::new();
        for label in labels {
            *plain_devices.entry(plain_device(label)).or_default() += 1;
        }
        let devices = labels.iter().filter_map(|label| {
            let plain = plain_device(label);
            let is_taken = plain != **label && plain_devices.get(&plain) > Some(&1);
            is_taken.then(|| ((*label).to_owned(), with_hash(&plain, label)))
        });
        let devices: HashMap<String, String> = devices.collect();

        let mut plain_flows: HashMap<Utf8PathBuf, usize> = HashMap::new();
        for flow in flows {
            *plain_flows.entry(plain_flow(flow)).or_default() += 1;
        }
        let attempts: Vec<String> = labels
            .iter()
            .map(|label| devices.get(*label).cloned())
            .zip(labels)
            .map(|(name, label)| name.unwrap_or_else(|| plain_device(label)))
            .collect();
        let is_attempt = |name: &str| {
            let number = |device: &String| name.strip_prefix(device.as_str())?.strip_prefix('-');
            let mut numbers = attempts.iter().filter_map(number);
            numbers.any(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        // `shop.yaml` on `virtual` empties `shop/virtual-1`, where `shop/virtual-1.yaml` would keep its own.
        let holders: HashSet<&Utf8Path> = plain_flows
            .keys()
            .flat_map(|flow| flow.ancestors())
            .filter(|folder| folder.file_name().is_some_and(is_attempt))
            .filter_map(Utf8Path::parent)
            .collect();
        let flows = flows.iter().filter_map(|flow| {
            let plain = plain_flow(flow);
            let is_taken = plain_flows.get(&plain) > Some(&1) || holders.contains(plain.as_path());
            let named = || with_hash(plain.as_str(), flow.as_str()).into();
            is_taken.then(|| ((*flow).to_owned(), named()))
        });
        Self {
            flows: flows.collect(),
            devices,
        }
    }

    fn flow(&self, path: &Utf8Path) -> Utf8PathBuf {
        let name = self.flows.get(path);
        name.cloned().unwrap_or_else(|| plain_flow(path))
    }

    fn device(&self, label: &str) -> String {
        let name = self.devices.get(label);
        name.cloned().unwrap_or_else(|| plain_device(label))
    }
}

/// A flow may stand outside the root; what it leaves does not.
fn plain_flow(path: &Utf8Path) -> Utf8PathBuf {
    normal_parts(&path.with_extension(""))
}

/// A label may hold what a file name may not: a serial such as `10.0.0.7:5555` has a colon.
fn plain_device(label: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    label.chars().map(plain).collect()
}

fn with_hash(plain: &str, whole: &str) -> String {
    let hash = hash(whole.as_bytes());
    format!("{plain}-{}", hash.get(..8).unwrap_or(&hash))
}

/// The folder of one attempt; made when the first file is written.
#[derive(Debug, Clone)]
pub struct ArtifactFolder {
    base: Utf8PathBuf,
    folder: Utf8PathBuf,
    proposed: Utf8PathBuf,
    scrubber: Scrubber,
}

impl ArtifactFolder {
    /// The folder of `id` below `base`.
    pub fn new(base: &Utf8Path, names: &ArtifactNames, id: &FlowId, scrubber: Scrubber) -> Self {
        let (flow, device) = (names.flow(&id.flow), names.device(&id.device));
        let folder = base.join(flow).join(format!("{device}-{}", id.attempt));
        Self {
            base: base.to_owned(),
            folder,
            proposed: base.join(PROPOSED_GOLDENS).join(device),
            scrubber,
        }
    }

    /// The folder, for tools that write files themselves.
    pub fn path(&self) -> &Utf8Path {
        &self.folder
    }

    /// Removes what an earlier run left for the same identity.
    ///
    /// # Errors
    /// The file system's.
    pub fn clean(&self) -> std::io::Result<()> {
        match fs_err::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes bytes under `name`.
    ///
    /// # Errors
    /// The file system's.
    pub fn write(&self, kind: ArtifactKind, name: &str, bytes: &[u8]) -> std::io::Result<Artifact> {
        fs_err::create_dir_all(&self.folder)?;
        let path = self.folder.join(name);
        crate::files::write_atomic(&path, bytes)?;
        Ok(self.describe(kind, &path, bytes))
    }

    /// Writes text under `name`, scrubbed.
    ///
    /// # Errors
    /// The file system's.
    pub fn write_text(
        &self,
        kind: ArtifactKind,
        name: &str,
        text: &str,
    ) -> std::io::Result<Artifact> {
        self.write(kind, name, self.scrubber.scrub(text).as_bytes())
    }

    /// Writes what would become a golden, by its path below the folder of goldens.
    ///
    /// # Errors
    /// The file system's.
    pub fn write_proposal(&self, below: &Utf8Path, bytes: &[u8]) -> std::io::Result<Artifact> {
        let path = self.proposed.join(normal_parts(below));
        crate::files::write_atomic(&path, bytes)?;
        Ok(self.describe(ArtifactKind::Proposal, &path, bytes))
    }

    /// Removes what an earlier attempt or run proposed.
    ///
    /// # Errors
    /// The file system's.
    pub fn remove_proposal(&self, below: &Utf8Path) -> std::io::Result<()> {
        match fs_err::remove_file(self.proposed.join(normal_parts(below))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// An artifact that a tool has written into the folder.
    pub fn adopt(&self, path: &Utf8Path) -> std::io::Result<Artifact> {
        let kind = match path.extension() {
            Some("png" | "jpg") => ArtifactKind::Screenshot,
            Some("tsv") => ArtifactKind::Tsv,
            Some("mp4") => ArtifactKind::Video,
            Some("log") => ArtifactKind::Log,
            _ => ArtifactKind::File,
        };
        let bytes = fs_err::read(path)?;
        Ok(self.describe(kind, path, &bytes))
    }

    fn describe(&self, kind: ArtifactKind, path: &Utf8Path, bytes: &[u8]) -> Artifact {
        let below = path.strip_prefix(&self.base).unwrap_or(path);
        Artifact {
            kind,
            // The same on every system: reports are made again elsewhere from the stream.
            path: Utf8PathBuf::from(below.as_str().replace('\\', "/")),
            hash: hash(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(flows: &[&str], labels: &[&str]) -> Vec<Utf8PathBuf> {
        let paths: Vec<&Utf8Path> = flows.iter().map(|flow| Utf8Path::new(*flow)).collect();
        let names = ArtifactNames::new(&paths, labels);
        let folder = |flow: &&str, label: &&str| {
            let id = FlowId {
                flow: (*flow).into(),
                device: (*label).to_owned(),
                attempt: 1,
            };
            let base = Utf8Path::new("out");
            ArtifactFolder::new(base, &names, &id, Scrubber::default()).folder
        };
        let of_flow = |flow| labels.iter().map(move |label| folder(flow, label));
        flows.iter().flat_map(of_flow).collect()
    }

    #[test]
    fn names_that_do_not_collide_are_plain() {
        assert_eq!(
            folders(
                &["flows/a.yaml", "../b.yml", "flows/a/b-1.yaml"],
                &["10.0.0.7:5555"]
            ),
            [
                "out/flows/a/10_0_0_7_5555-1",
                "out/b/10_0_0_7_5555-1",
                "out/flows/a/b-1/10_0_0_7_5555-1",
            ]
        );
        assert_eq!(
            folders(&["a.yaml"], &["p-1", "p_1"]),
            ["out/a/p-1-1", "out/a/p_1-1"]
        );
    }

    #[test]
    fn no_attempt_lies_in_the_folder_of_another() {
        for (flows, labels) in [
            (&["a.yaml", "a.yml"][..], &["virtual"][..]),
            (&["a.yaml", "../a.yaml"], &["virtual"]),
            (&["a.yaml"], &["p.1", "p_1", "p:1"]),
            (&["shop.yaml", "shop/virtual-1.yaml"], &["other", "virtual"]),
            (&["shop.yaml", "shop/virtual-12/pay.yaml"], &["virtual"]),
        ] {
            let folders = folders(flows, labels);
            assert_eq!(folders.len(), flows.len() * labels.len());
            for (at, folder) in folders.iter().enumerate() {
                for (other_at, other) in folders.iter().enumerate() {
                    assert!(
                        at == other_at || !other.starts_with(folder),
                        "{other} lies in {folder}"
                    );
                }
            }
        }
    }
}
