//! Goldens of the demo as dumps: their rows become nodes without a tree.

use quick_xml::escape::escape;

/// Returns each golden that holds bounds, with its name.
pub(super) fn dumps() -> Vec<(String, Vec<u8>)> {
    let folder = runner_testing::root().join("snapshots");
    let files = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten();
    let goldens = files.filter(|file| file.file_name().to_string_lossy().ends_with("-light.tsv"));
    let read = |file: walkdir::DirEntry| {
        let text = fs_err::read_to_string(file.path()).expect("a golden");
        let name = format!("snapshots/{}", file.file_name().to_string_lossy());
        (name, dump(&text).into_bytes())
    };
    goldens.map(read).collect()
}

fn dump(golden: &str) -> String {
    let mut out = String::from("<hierarchy rotation=\"0\">");
    let mut package = String::new();
    for line in golden.lines().skip(2) {
        let cell = |cell: &str| {
            if cell == "-" {
                String::new()
            } else {
                escape(cell).into_owned()
            }
        };
        let cells: Vec<String> = line.split('\t').map(cell).collect();
        let [class, text, desc, id, hint, bounds, flags] = &cells[..] else {
            panic!("not seven cells: {line}");
        };
        if class.starts_with("window:") {
            package.clone_from(text);
            continue;
        }
        let edges: Vec<&str> = bounds.split(',').collect();
        let bounds = format!("[{},{}][{},{}]", edges[0], edges[1], edges[2], edges[3]);
        let clickable = flags.split(',').any(|flag| flag == "clk");
        let password = flags.split(',').any(|flag| flag == "pwd");
        out.push_str(&format!(
            "<node text=\"{text}\" resource-id=\"{id}\" class=\"android.widget.{class}\" package=\"{package}\" \
             content-desc=\"{desc}\" hint=\"{hint}\" clickable=\"{clickable}\" enabled=\"true\" \
             password=\"{password}\" bounds=\"{bounds}\"/>"
        ));
    }
    out.push_str("</hierarchy>");
    out
}
