//! Compares this program on the host with other clients of the same device: a tap, a dump read into TSV, an
//! annotated screenshot, and the start of a run.
//!
//! Serves a screen of about 300 nodes with `runner virtual`, reaches it directly and through a real adb
//! server, and runs `benches/peers/peers.py` against the same device. All are measured one after the other in
//! one run, so that only their ratios mean something on a busy machine.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use runner::device::adb::{AdbServer, connect_direct, connect_serial};
use runner::device::{Device, Input, LookOptions, PictureOptions, Script};
use runner::screen::{Point, Profile, annotate};
use runner::virtual_device::{VirtualDevice, VirtualDeviceOptions};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Path of the program, which `just` builds first: cargo tells a package outside the workspace no path.
const RUNNER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/release/runner");
const PACKAGE: &str = "com.example.grid";
/// Rows of the grid: with its columns about 300 nodes, the size of a full screen of an app.
const ROWS: usize = 29;
const COLUMNS: usize = 9;
/// Measurements per client. Chosen: medians become stable.
const ROUNDS: usize = 40;
/// Measured starts of a run. Chosen: fewer than rounds, as each starts a process.
const STARTS: usize = 15;
/// Limit for one call. Chosen: hit only if something hangs.
const LIMIT: Duration = Duration::from_secs(30);

fn main() -> Result<()> {
    // `cargo test --benches` only asks whether it runs.
    let is_test = std::env::args().any(|argument| argument == "--test");
    let (rounds, starts) = if is_test { (1, 1) } else { (ROUNDS, STARTS) };
    let project = Project::write()?;
    let served = Served::start(&project.folder.path().join("grid"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let server = AdbHost::start(served.port);
    let on_server = server.as_ref().map(AdbHost::server);
    // In a task, as a run is: the thread that hears of an answer goes on with it.
    let own = runtime.spawn(own(served.address(), on_server, rounds));
    let mut table = runtime.block_on(own)??;
    table.extend(peers(served.port, server.as_ref(), rounds)?);
    print_table(&table);
    starts_of_runs(&project, &served, starts)?;
    runtime.block_on(starts_of_devices(starts))
}

/// Measures this program on both ways to the device.
async fn own(address: String, server: Option<AdbServer>, rounds: usize) -> Result<Vec<Line>> {
    let direct = connect_direct(&address, &address).await?;
    let start = Script::raw(format!("am start -n {PACKAGE}/.Grid"), "am start");
    direct.shell(&start, LIMIT).await?;
    let mut table = vec![measure("runner, one connection", &direct, rounds).await?];
    if let Some(server) = server {
        let device = connect_serial(&server, &address).await?;
        table.push(measure("runner, adb server", &device, rounds).await?);
    } else {
        println!("missing: an `adb` program that connects; nothing is measured through a server");
    }
    Ok(table)
}

/// Medians of one client, in milliseconds.
struct Line {
    client: String,
    tap: f64,
    dump: f64,
    screenshot: f64,
    rows: usize,
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

async fn measure(client: &str, device: &Arc<dyn Device>, rounds: usize) -> Result<Line> {
    let options = LookOptions {
        all_windows: false,
        ..LookOptions::within(LIMIT)
    };
    let tap = [Input::Tap(Point { x: 540, y: 200 })];
    let screen = device.look(options).await?;
    device.input(&tap, LIMIT).await?;
    device.picture(PictureOptions::within(LIMIT)).await?;
    let (mut taps, mut dumps, mut screenshots) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let began = Instant::now();
        device.input(&tap, LIMIT).await?;
        taps.push(began.elapsed());
    }
    let mut rows = 0;
    for _ in 0..rounds {
        let began = Instant::now();
        let tsv = device.look(options).await?.tsv(Profile::Reference);
        dumps.push(began.elapsed());
        rows = tsv.lines().filter(|line| line.starts_with("node_")).count();
    }
    for _ in 0..rounds {
        let began = Instant::now();
        let picture = device.picture(PictureOptions::within(LIMIT)).await?;
        let pixels = picture.pixels()?;
        annotate::to_jpeg(&annotate::annotate(&pixels, &screen))?;
        screenshots.push(began.elapsed());
    }
    Ok(Line {
        client: client.to_owned(),
        tap: median(taps),
        dump: median(dumps),
        screenshot: median(screenshots),
        rows,
    })
}

/// Runs the Python clients, and prints which are missing.
fn peers(port: u16, server: Option<&AdbHost>, rounds: usize) -> Result<Vec<Line>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let own = [".venv/bin/python", ".venv/Scripts/python.exe"]
        .map(|python| folder.join(python))
        .into_iter()
        .find(|python| python.exists());
    let python = own.unwrap_or_else(|| PathBuf::from("python3"));
    let server = server.map_or_else(|| "-".to_owned(), |server| server.port.to_string());
    let ran = Command::new(&python)
        .arg(folder.join("peers.py"))
        .args([port.to_string(), server, rounds.to_string()])
        .stderr(Stdio::inherit())
        .output();
    let output = match ran {
        Ok(output) => output,
        Err(error) => {
            println!(
                "missing: {} ({error}); no peer is measured",
                python.display()
            );
            return Ok(Vec::new());
        }
    };
    let mut lines = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.split('\t').collect::<Vec<_>>().as_slice() {
            ["result", client, tap, dump, screenshot, rows] => lines.push(Line {
                client: (*client).to_owned(),
                tap: tap.parse()?,
                dump: dump.parse()?,
                screenshot: screenshot.parse()?,
                rows: rows.parse()?,
            }),
            ["missing", client, why] => println!("missing: {client} ({why})"),
            _ => println!("{line}"),
        }
    }
    Ok(lines)
}

/// Prints the medians, with their ratios to the runner's on the same way to the device.
fn print_table(table: &[Line]) {
    println!("medians in ms, and how many times runner's on the same way to the device");
    println!(
        "{:<34}{:>16}{:>18}{:>20}{:>7}",
        "client", "tap", "dump to TSV", "screenshot, boxes", "rows"
    );
    for line in table {
        let same_way = |own: &&Line| {
            own.client.starts_with("runner")
                && own.client.ends_with("server") == line.client.ends_with("server")
        };
        let own = table.iter().find(same_way);
        let cell = |value: f64, of: fn(&Line) -> f64| {
            own.map_or_else(
                || format!("{value:.2}"),
                |own| format!("{value:.2} ({:.2}x)", value / of(own)),
            )
        };
        println!(
            "{:<34}{:>16}{:>18}{:>20}{:>7}",
            line.client,
            cell(line.tap, |line| line.tap),
            cell(line.dump, |line| line.dump),
            cell(line.screenshot, |line| line.screenshot),
            line.rows
        );
    }
}

/// Measures runs of a flow, from the start of the process to its first service on the device, and to its end.
fn starts_of_runs(project: &Project, served: &Served, rounds: usize) -> Result<()> {
    let (mut first_services, mut runs, mut with_device) = (Vec::new(), Vec::new(), Vec::new());
    let watched = Watched::before(served.port)?;
    // Once for the caches of the system.
    for round in 0..=rounds {
        let began = Instant::now();
        let ok = project.test(&watched.address())?;
        let took = began.elapsed();
        let first = watched.first_service()?;
        if round > 0 && ok {
            runs.push(took);
            first_services.push(first.saturating_duration_since(began));
        }
        let began = Instant::now();
        if project.test("virtual")? && round > 0 {
            with_device.push(began.elapsed());
        }
    }
    println!(
        "start of the process to the first service: {:.1} ms",
        median(first_services)
    );
    println!(
        "`runner test` of one key press, device running: {:.1} ms",
        median(runs)
    );
    println!(
        "`runner test` of one key press, own virtual device: {:.1} ms",
        median(with_device)
    );
    Ok(())
}

async fn starts_of_devices(rounds: usize) -> Result<()> {
    let mut starts = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        let device = VirtualDevice::start(VirtualDeviceOptions::default()).await?;
        starts.push(began.elapsed());
        drop(device);
    }
    println!("a virtual device without apps: {:.1} ms", median(starts));
    Ok(())
}

/// Temporary project with an app that shows a grid, and a flow.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn write() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = |name: &str, text: &str| fs_err::write(folder.path().join(name), text);
        fs_err::create_dir(folder.path().join("grid"))?;
        file(
            "grid/app.yaml",
            &format!(
                "package: {PACKAGE}\nlabel: Grid\nversion: \"1.0\"\nactivities:\n  .Grid: {{ surface: grid.yaml, launchable: true }}\n"
            ),
        )?;
        file("grid/grid.yaml", &grid())?;
        file("key.yaml", "name: One key\nsteps:\n  - back\n")?;
        file("runner.yaml", "flows: [key.yaml]\n")?;
        Ok(Self { folder })
    }

    fn test(&self, device: &str) -> Result<bool> {
        let output = Command::new(RUNNER)
            .args(["test", "key.yaml", "--device", device])
            .current_dir(self.folder.path())
            .output()?;
        if !output.status.success() {
            println!("{}", String::from_utf8_lossy(&output.stdout));
        }
        Ok(output.status.success())
    }
}

fn grid() -> String {
    let mut components = String::new();
    let rows: Vec<String> = (0..ROWS).map(|row| format!("row{row}")).collect();
    let _ = writeln!(
        components,
        "      - {{ id: root, component: Column, children: [{}] }}",
        rows.join(", ")
    );
    for row in 0..ROWS {
        let cells: Vec<String> = (0..COLUMNS)
            .map(|column| format!("c{row}_{column}"))
            .collect();
        let _ = writeln!(
            components,
            "      - {{ id: row{row}, component: Row, children: [{}] }}",
            cells.join(", ")
        );
        for (column, cell) in cells.iter().enumerate() {
            let _ = writeln!(
                components,
                "      - {{ id: {cell}, component: Text, text: \"{row}.{column}\", variant: caption, weight: 1 }}"
            );
        }
    }
    format!(
        "- version: v0.9\n  createSurface: {{ surfaceId: grid, catalogId: \"https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json\" }}\n- version: v0.9\n  updateComponents:\n    surfaceId: grid\n    components:\n{components}"
    )
}

/// `runner virtual` in its own process.
struct Served {
    child: Child,
    port: u16,
}

impl Served {
    fn start(app: &Path) -> Result<Self> {
        let mut child = Command::new(RUNNER)
            .args(["virtual", "--port", "0", "--app"])
            .arg(app)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().ok_or("no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let port = line
            .split("127.0.0.1:")
            .nth(1)
            .and_then(|rest| rest.split(':').next()?.parse().ok())
            .ok_or_else(|| format!("`runner virtual` said {line:?}"))?;
        Ok(Self { child, port })
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Our own adb server, connected to the device.
struct AdbHost {
    port: u16,
}

impl AdbHost {
    fn start(device: u16) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0")
            .ok()?
            .local_addr()
            .ok()?
            .port();
        let server = Self { port };
        let serial = format!("127.0.0.1:{device}");
        let connected = server.adb(&["connect", &serial])?;
        server.adb(&["-s", &serial, "wait-for-device"])?;
        connected.contains("connected").then_some(server)
    }

    fn adb(&self, arguments: &[&str]) -> Option<String> {
        let port = self.port.to_string();
        let output = Command::new("adb")
            .args(["-P", &port])
            .args(arguments)
            .output();
        Some(String::from_utf8_lossy(&output.ok()?.stdout).into_owned())
    }

    fn server(&self) -> AdbServer {
        AdbServer {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            program: None,
        }
    }
}

impl Drop for AdbHost {
    fn drop(&mut self) {
        self.adb(&["kill-server"]);
    }
}

/// TCP proxy to the device that reports when a client first opens a service.
struct Watched {
    port: u16,
    opened: Receiver<Instant>,
}

impl Watched {
    fn before(device: u16) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let (sender, opened) = channel();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let sender = sender.clone();
                std::thread::spawn(move || pass_on(client, device, &sender));
            }
        });
        Ok(Self { port, opened })
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn first_service(&self) -> Result<Instant> {
        Ok(self.opened.recv_timeout(LIMIT)?)
    }
}

fn pass_on(mut client: TcpStream, device: u16, opened: &Sender<Instant>) -> Option<()> {
    let mut upstream = TcpStream::connect(("127.0.0.1", device)).ok()?;
    for socket in [&client, &upstream] {
        socket.set_nodelay(true).ok()?;
    }
    let (mut from, mut to) = (upstream.try_clone().ok()?, client.try_clone().ok()?);
    let back = std::thread::spawn(move || std::io::copy(&mut from, &mut to));
    let mut buffer = vec![0; 1 << 16];
    let mut told = false;
    loop {
        let length = client.read(&mut buffer).ok().filter(|length| *length > 0);
        let Some(length) = length else { break };
        let bytes = buffer.get(..length)?;
        if !told && bytes.starts_with(b"OPEN") {
            told = true;
            opened.send(Instant::now()).ok()?;
        }
        upstream.write_all(bytes).ok()?;
    }
    upstream.shutdown(std::net::Shutdown::Both).ok()?;
    back.join().ok()?.ok()?;
    Some(())
}
