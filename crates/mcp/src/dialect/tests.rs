use camino::Utf8PathBuf;

use super::*;
use runner_base::context::Context;
use runner_config::{Config, Overrides};

#[test]
fn every_call_of_a_tool_is_one_of_its_caller() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    let context = Context::fixed(root, std::collections::BTreeMap::default());
    let config = Config::resolve(&context, &Overrides::default()).unwrap();
    let workspace = Arc::new(Workspace::new(config, context, false));
    let toolbox = DialectToolbox::new(workspace, DialectOptions::default());
    let before = Instant::now();
    for caller in [None, Some(&Caller::that_ends())] {
        let called = toolbox.call_context(caller, &Progress::default()).caller;
        // Its first call comes after a long pause.
        assert!(called.paused_since(before), "{caller:?}");
    }
}
