//! Warnings of values of `runner.yaml` that read and are probably meant in another way: devices that no device has as
//! its serial, values of `env` that stand for a variable in other tools, reports by the extension of another format,
//! and a version in place of a folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use runner_base::output_file::Form;
use runner_flow::document::{self, ByteRange};
use runner_text::diagnostic::{Code, Diagnostic, Source};
use runner_text::suggest::nearest;
use runner_text::wide_signs;

use super::project_device::ProjectDevice;
use super::table::RawSettings;

/// Returns the warnings of a file that reads: devices that no device has as its serial, addresses of servers without a
/// scheme, values of `env` that stand for a variable in other tools, reports with the extension of another format, and
/// a version in place of a folder. Values of `secrets` are not looked at.
pub(super) fn doubts(
    source: &Arc<Source>,
    settings: &RawSettings,
    (env, secrets): (&IndexMap<String, String>, &[String]),
    places: &BTreeMap<String, ByteRange>,
) -> Vec<Diagnostic> {
    let warning = |paths: &[String], message: &str, help: String| {
        let place = paths.iter().find_map(|path| places.get(path));
        Diagnostic {
            help: Some(help),
            ..document::problem(source, place, Code::Doubtful, message.to_owned())
        }
    };
    let mut found = Vec::new();
    let devices = settings.devices.iter().flatten();
    for (index, device) in devices.enumerate() {
        let serials = ["devices.N.serial", "devices.N", "devices"];
        let serials = serials.map(|path| path.replace('N', &index.to_string()));
        if let Some(help) = serial(&device.serial) {
            found.push(warning(&serials, "no device has this serial", help));
        }
        if is_no_address(device) {
            let path = format!("devices.{index}.webdriver");
            let help = "write the whole address, such as `http://localhost:4723`".to_owned();
            found.push(warning(&[path], "this is no address of a server", help));
        }
    }
    for (name, value) in env {
        let variable = variable(value).filter(|_| !secrets.contains(name));
        if let Some(variable) = variable {
            let is_beside = variable != name && env.contains_key(variable);
            let help = if is_beside && !value.contains("os.") {
                format!("write out the value of `{variable}`, which is set beside it")
            } else {
                format!(
                    "take `{name}` out, and write `${{os.{variable}}}` in the flow for a variable of the environment"
                )
            };
            let message = "nothing is expanded in `env`: the value is this text";
            found.push(warning(&[format!("env.{name}")], message, help));
        }
    }
    for (path, message, help) in report_files(settings).chain(version(settings)) {
        found.push(warning(&[path.to_owned()], message, help));
    }
    found
}

/// Path in the file, message and help.
type Doubt = (&'static str, &'static str, String);

/// Returns a doubt for each of `reports.junit` and `reports.json` whose extension says another format. A run refuses to
/// begin such a file.
fn report_files(settings: &RawSettings) -> impl Iterator<Item = Doubt> {
    let reports = [
        ("reports.junit", &settings.junit, Form::Junit),
        ("reports.json", &settings.json, Form::Events),
    ];
    reports.into_iter().filter_map(|(key, path, form)| {
        let renamed = form.rename_foreign(path.as_deref()?)?;
        let message = "this extension is of another format than the report";
        Some((key, message, format!("write `{renamed}`")))
    })
}

/// Returns a doubt for a version or a word such as `latest` in place of the folder of `uia2`.
fn version(settings: &RawSettings) -> Option<Doubt> {
    const WORDS: [&str; 7] = [
        "latest", "newest", "stable", "auto", "default", "bundled", "builtin",
    ];
    let text = settings.uia2.as_deref()?.as_str();
    let number = text.trim_start_matches('v');
    let is_number = number.starts_with(|first: char| first.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let help =
        "leave it out: `runner driver install uia2` gets the APKs, and `driver: uia2` takes them";
    (is_number || WORDS.contains(&text)).then(|| {
        let message = "this is a folder of APKs, and no version";
        ("uia2", message, help.to_owned())
    })
}

/// Returns true for a server's device whose address has no scheme. `${os.NAME}` may be a whole address.
fn is_no_address(device: &ProjectDevice) -> bool {
    let url = device.webdriver.as_deref();
    url.is_some_and(|url| !url.contains("://") && !url.contains("${"))
}

/// Returns advice for a text that no device has as its serial; `None` for one that may be a serial, for `virtual` and
/// for an empty one.
pub(super) fn serial(text: &str) -> Option<String> {
    const ONLY: &str = "any auto first default connected device phone android usb real physical";
    const ALL: &str = "all every each *";
    const EMULATOR: &str = "emulator avd simulator";
    /// Ports of Appium and of Selenium Grid.
    const SERVERS: [&str; 2] = [":4723", ":4444"];
    const LISTED: &str = "as `runner devices` lists it";
    let word = text.to_lowercase();
    let is = |words: &str| words.split(' ').any(|it| it == word);
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if text.is_empty() || text == "virtual" {
        return None;
    }
    if let Some(help) = wide_signs::in_name(text) {
        return Some(help.to_owned());
    }
    if text.contains("://") || SERVERS.iter().any(|port| text.ends_with(port)) {
        return Some(
            "write `devices: [ { webdriver: ADDRESS } ]` in runner.yaml for a device of a server"
                .to_owned(),
        );
    }
    if text.contains(',') {
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        return Some(format!("write a list: `devices: [{}]`", names.join(", ")));
    }
    if text.contains(" - ") {
        return Some("begin each `-` of the list in the same column".to_owned());
    }
    if is(ONLY) {
        return Some("leave it out: the only device that is connected is taken".to_owned());
    }
    if is(ALL) {
        return Some("write the serial of each, as `runner devices` lists them".to_owned());
    }
    if word.starts_with("virtual") || nearest(text, ["virtual"]).is_some() {
        return Some(
            "write `virtual`, once for each that is wanted: `devices: [virtual, virtual]`"
                .to_owned(),
        );
    }
    if is(EMULATOR) || word.contains("_api_") {
        return Some(format!(
            "write its serial {LISTED}, such as `emulator-5554`"
        ));
    }
    if let Some(host) = host_of_wrong_port(text) {
        return Some(format!(
            "write the port as a number from 1 to 65535: `{host}:5555`"
        ));
    }
    if is_digits && text.len() <= 3 {
        return Some("write the serial of each device: a number of them is no setting".to_owned());
    }
    if is_digits && text.len() <= 5 {
        return Some(format!("write `emulator-{text}`, or `localhost:{text}`"));
    }
    if text.contains(' ') {
        return Some(format!(
            "write the serial {LISTED}, and a name beside it: `{{ serial: …, label: {text} }}`"
        ));
    }
    if word.starts_with("android-") {
        return Some(format!(
            "write the serial {LISTED}; `needs` in the header of a flow says what its device must be"
        ));
    }
    let is_path = text.contains('/') || text.ends_with(".yaml") || text.ends_with(".yml");
    is_path.then(|| format!("write the serial {LISTED}: a device is no path"))
}

/// Returns the host of an address whose port is no number from 1 to 65535, such as `localhost:5600x`. `None` for other
/// texts. Only `localhost` and numbers count as a host: a label may have a colon too.
pub fn host_of_wrong_port(text: &str) -> Option<&str> {
    let (host, port) = text.split_once(':')?;
    let is_numeric = host.contains('.') && host.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_host = host == "localhost" || is_numeric;
    let is_port = port.parse::<u16>().is_ok_and(|port| port != 0);
    (is_host && !is_port).then_some(host)
}

/// Returns the name of a variable of the environment that a value stands for in other tools: `$HOME`, `${HOME}`,
/// `%HOME%` and `{{ HOME }}`. Only names in upper case count, and the value may have nothing else. `None` for other
/// values.
pub(super) fn variable(value: &str) -> Option<&str> {
    const SIGNS: [(&str, &str); 4] = [("${", "}"), ("{{", "}}"), ("%", "%"), ("$", "")];
    let text = value.trim();
    let mut signs = SIGNS.iter();
    let inner = signs.find_map(|(begin, end)| text.strip_prefix(*begin)?.strip_suffix(*end))?;
    let inner = inner.trim();
    let name = ["os.", "env.", "process.env."]
        .iter()
        .find_map(|prefix| inner.strip_prefix(*prefix))
        .unwrap_or(inner);
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_name = name.len() > 1
        && name.chars().all(is_upper)
        && name.starts_with(|first: char| first.is_ascii_uppercase());
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::ProjectFile;

    /// Returns the help of each warning of a file.
    fn helps(text: &str) -> Vec<String> {
        let source = Source {
            path: "runner.yaml".into(),
            text: format!("{text}\n"),
        };
        let file = ProjectFile::parse(&Arc::new(source)).unwrap();
        let warnings = file.warnings.into_iter();
        warnings.filter_map(|warning| warning.help).collect()
    }

    #[test]
    fn a_variable_of_the_same_file_is_written_out() {
        for (text, says) in [
            ("env: { USER: '${NAME}', NAME: ada }", "write out the value"),
            ("env: { USER: $NAME, NAME: ada }", "write out the value"),
            ("env: { USER: '${os.NAME}', NAME: ada }", "`${os.NAME}`"),
            ("env: { USER: '${NAME}' }", "`${os.NAME}`"),
            ("env: { USER: '${USER}' }", "`${os.USER}`"),
        ] {
            let said = helps(text);
            assert!(
                said.len() == 1 && said[0].contains(says),
                "{text}: {said:?}"
            );
            assert!(!said[0].contains("ada"), "{said:?}");
        }
    }

    #[test]
    fn a_device_without_a_serial_is_told_how_it_is_named() {
        for (text, says) in [
            ("devices: any", "leave it out: the only device"),
            ("devices: a, b", "`devices: [a, b]`"),
            ("devices: '2'", "a number of them is no setting"),
            ("devices: [all]", "the serial of each"),
            ("devices: [Pixel 7]", "label: Pixel 7"),
            ("devices: [Pixel_7_API_34]", "`emulator-5554`"),
            ("devices: [emulator]", "`emulator-5554`"),
            ("devices: ['5554']", "`emulator-5554`"),
            ("devices: [virtual, 'virtual:2']", "[virtual, virtual]"),
            ("devices: [virtaul]", "write `virtual`"),
            ("devices:\n- virtual\n  - emulator-5554", "same column"),
            ("devices: ['localhost:5600x']", "`localhost:5555`"),
            ("devices: [ { serial: '192.168.1.5:' } ]", "1 to 65535"),
            ("devices: ['localhost:4723']", "webdriver"),
            ("devices: ['http://grid.example.com/wd/hub']", "webdriver"),
            (
                "devices: [ { webdriver: localhost } ]",
                "`http://localhost:4723`",
            ),
            ("devices: [android-34]", "`needs`"),
            ("devices: [ { serial: flows/a.yaml } ]", "no path"),
        ] {
            let said = helps(text);
            assert!(
                said.len() == 1 && said[0].contains(says),
                "{text}: {said:?}"
            );
        }
    }

    #[test]
    fn a_file_of_another_format_and_a_version_are_told() {
        for (text, says) in [
            ("reports: { junit: out/junit.html }", "`out/junit.xml`"),
            ("reports: { json: out/events.xml }", "`out/events.ndjson`"),
            ("uia2: latest", "`driver: uia2`"),
            ("uia2: v7.1.2", "`driver: uia2`"),
        ] {
            let said = helps(text);
            assert!(
                said.len() == 1 && said[0].contains(says),
                "{text}: {said:?}"
            );
        }
        let right = "reports: { junit: out/junit.xml, json: out/a.json }\nuia2: tools/7.1.2";
        assert_eq!(helps(right), Vec::<String>::new());
    }

    #[test]
    fn a_serial_is_left_alone() {
        for text in [
            "virtual",
            "emulator-5554",
            "R58N1234567",
            "0123456789ABCDEF",
            "00112233",
            "192.168.1.5:5555",
            "localhost:5600",
            "adb-R58N1234567-AbCdEf._adb-tls-connect._tcp",
            "my-farm.example.com:5555",
        ] {
            assert_eq!(serial(text), None, "{text}");
        }
        assert_eq!(
            helps("devices: [ { webdriver: '${os.GRID}' }, { serial: virtual, label: any } ]"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_value_that_is_a_variable_elsewhere_is_told() {
        for (value, name) in [
            ("$HOME", Some("HOME")),
            ("${HOME}", Some("HOME")),
            ("${os.HOME}", Some("HOME")),
            ("${env.HOME}", Some("HOME")),
            ("{{ HOME }}", Some("HOME")),
            ("%HOME%", Some("HOME")),
            ("$5", None),
            ("$ecret", None),
            ("100%", None),
            ("a ${HOME}", None),
            ("HOME", None),
        ] {
            assert_eq!(variable(value), name, "{value}");
        }
        let said = helps("env: { A: $HOME }");
        assert!(said[0].contains("`${os.HOME}` in the flow"), "{said:?}");
        assert_eq!(helps("env: { A: $HOME }\nsecrets: [A]").len(), 0);
    }
}
