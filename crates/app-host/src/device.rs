//! The processes of the virtual device's real apps: what the device asks of them, from threads that may block.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use runner_text::temporary_folder::TemporaryFolder;
use runner_virtual_device::hosted::{
    AppHost, AppHosts, HostFailure, HostReply, HostRequest, HostedApp,
};
use serde_json::{Map, Value};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::pool::HostPool;
use crate::process::{HostError, HostProcess, HostSpec, START_LIMIT};
use crate::retrace::retrace;

/// How long a process that does not answer may take to say what it is doing.
const THREADS_LIMIT: Duration = Duration::from_secs(2);
/// How long a process may take to end by itself before it is ended.
const QUIT_LIMIT: Duration = Duration::from_secs(3);
/// What a wait here has beyond the limit of what it waits for.
const GRACE: Duration = Duration::from_secs(5);

/// Says with what the process of an app is started. It may translate the app first, and so take seconds.
pub type Launch = dyn Fn(&HostedApp, &LaunchFolders) -> Result<HostSpec, HostError> + Send + Sync;

/// Where the processes of a device have their files.
#[derive(Debug, Clone)]
pub struct LaunchFolders {
    /// Of processes; each makes its own in it.
    pub processes: Utf8PathBuf,
    /// What the app stores: it outlives a process.
    pub data: Utf8PathBuf,
}

/// The processes of one virtual device. Dropping it ends them, and removes what their apps have stored.
pub struct DeviceHosts {
    launch: Box<Launch>,
    pools: Mutex<BTreeMap<String, AppPool>>,
    ground: Arc<Ground>,
}

/// What processes stand on. It goes with the last of them: each is asked to end first.
struct Ground {
    /// Its own: the device asks from threads of all kinds, and waits for the answer.
    runtime: Option<Runtime>,
    folder: TemporaryFolder,
}

impl Ground {
    fn handle(&self) -> Result<Handle, HostFailure> {
        let runtime = self
            .runtime
            .as_ref()
            .map(|runtime| runtime.handle().clone());
        runtime.ok_or_else(|| HostFailure::Broken("the device has ended".to_owned()))
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // A runtime may not be dropped where it would wait, such as in another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The processes of an app.
struct AppPool {
    /// When the APK was made that they run.
    built: Option<(std::time::SystemTime, u64)>,
    pool: Arc<HostPool>,
}

/// When a file was written, and its size.
fn stamp(file: &camino::Utf8Path) -> Option<(std::time::SystemTime, u64)> {
    let about = fs_err::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

impl DeviceHosts {
    /// Processes that `launch` describes.
    ///
    /// # Errors
    /// Where the folder or a thread cannot be had.
    pub fn new(launch: Box<Launch>) -> Result<Self, HostError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("app-host")
            .enable_all()
            .build()
            .map_err(HostError::Folder)?;
        Ok(Self {
            launch,
            pools: Mutex::default(),
            ground: Arc::new(Ground {
                runtime: Some(runtime),
                folder: TemporaryFolder::new().map_err(HostError::Folder)?,
            }),
        })
    }

    /// The processes of an app, as its APK is now: a build may have replaced it.
    fn pool(&self, app: &HostedApp) -> Result<Arc<HostPool>, HostError> {
        let package = &app.manifest.package;
        let built = stamp(&app.apk);
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = pools.get(package).filter(|known| known.built == built) {
            return Ok(Arc::clone(&known.pool));
        }
        let spec = (self.launch)(app, &self.folders(package))?;
        let pool = Arc::new(HostPool::new(spec));
        let known = AppPool {
            built,
            pool: Arc::clone(&pool),
        };
        pools.insert(package.clone(), known);
        Ok(pool)
    }

    /// Begins a spare process of each app, and waits until the first of them is ready: what a device does before it says that
    /// it is there.
    ///
    /// # Errors
    /// What is wrong with an app's code, or with what it runs in.
    pub fn warm_up(&self, apps: &[HostedApp]) -> Result<(), HostError> {
        let Ok(handle) = self.ground.handle() else {
            return Ok(());
        };
        let _entered = handle.enter();
        let mut first = None;
        for app in apps {
            let pool = self.pool(app)?;
            pool.begin_spare();
            first.get_or_insert(pool);
        }
        if let Some(pool) = first {
            wait(&handle, START_LIMIT, async move { pool.ready().await });
        }
        Ok(())
    }

    fn folders(&self, package: &str) -> LaunchFolders {
        LaunchFolders {
            processes: self.ground.folder.path().join("processes"),
            data: self.ground.folder.path().join("data").join(package),
        }
    }
}

/// Waits for a future that runs elsewhere.
fn wait<T: Send + 'static>(
    handle: &Handle,
    limit: Duration,
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let (sender, answer) = mpsc::sync_channel(1);
    handle.spawn(async move {
        let _ = sender.send(work.await);
    });
    answer.recv_timeout(limit + GRACE).ok()
}

impl AppHosts for DeviceHosts {
    fn start(&self, app: &HostedApp) -> Result<Box<dyn AppHost>, HostFailure> {
        let broken = |error: HostError| HostFailure::Broken(error.to_string());
        let handle = self.ground.handle()?;
        let pool = self.pool(app).map_err(broken)?;
        let data = self.folders(&app.manifest.package).data;
        fs_err::create_dir_all(&data).map_err(|error| broken(HostError::Folder(error)))?;
        let next = Arc::clone(&pool);
        let process = wait(&handle, START_LIMIT, async move { pool.take().await })
            .ok_or_else(|| HostFailure::Broken("its process does not start".to_owned()))?
            .map_err(broken)?;
        Ok(Box::new(DeviceHost {
            process: Arc::new(process),
            pool: Some(next),
            handle,
            data,
            apk: app.apk.clone(),
            _ground: Arc::clone(&self.ground),
        }))
    }

    fn clear(&self, package: &str) -> Result<(), HostFailure> {
        let data = self.folders(package).data;
        match fs_err::remove_dir_all(&data) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(HostFailure::Broken(
                format!("what {package} has stored cannot be removed: {error}"),
            )),
            _ => Ok(()),
        }
    }
}

/// The process of an app on a device.
struct DeviceHost {
    process: Arc<HostProcess>,
    /// Where the next process is begun once this one shows its app: before, it would take the processor from it.
    pool: Option<Arc<HostPool>>,
    handle: Handle,
    data: Utf8PathBuf,
    /// As the person named it.
    apk: Utf8PathBuf,
    _ground: Arc<Ground>,
}

impl DeviceHost {
    fn ask(
        &self,
        op: String,
        fields: Map<String, Value>,
        limit: Duration,
    ) -> Result<HostReply, HostError> {
        let process = Arc::clone(&self.process);
        let asked = op.clone();
        let call = async move { process.client().call(&op, fields, limit).await };
        let began = Instant::now();
        let reply = wait(&self.handle, limit, call);
        let ms = began.elapsed().as_millis() as u64;
        let now = reply
            .as_ref()
            .and_then(|reply| Some(reply.as_ref().ok()?.state.now));
        tracing::debug!(target: "app-host", op = %asked, ms, now, "answered");
        reply.unwrap_or(Err(HostError::TimedOut { op: asked, limit }))
    }

    /// The calls of the main thread, innermost first.
    fn stack(&self) -> Vec<String> {
        let threads = self.ask("threads".to_owned(), Map::new(), THREADS_LIMIT);
        let main = threads.map(|reply| reply.answer.main).unwrap_or_default();
        main.lines().map(|line| line.trim().to_owned()).collect()
    }
}

impl Drop for DeviceHost {
    /// A process that is asked to end leaves the list of the classes that its app used, which the next one loads early.
    fn drop(&mut self) {
        let _ = self.ask("quit".to_owned(), Map::new(), QUIT_LIMIT);
    }
}

impl AppHost for DeviceHost {
    fn call(&mut self, request: &HostRequest) -> Result<HostReply, HostFailure> {
        let broken = |message: String| HostFailure::Broken(message);
        let written = serde_json::to_value(request).map_err(|error| broken(error.to_string()))?;
        let Value::Object(mut fields) = written else {
            return Err(broken("a request is no object".to_owned()));
        };
        let op = fields.remove("op");
        let op = op.as_ref().and_then(Value::as_str).unwrap_or_default();
        if op == "begin" {
            fields.insert("data_dir".to_owned(), self.data.as_str().into());
        }
        match self.ask(op.to_owned(), fields, request.limit()) {
            Ok(mut reply) => {
                for event in &mut reply.events {
                    retrace(event, &self.apk);
                }
                if op == "look"
                    && let Some(pool) = self.pool.take()
                {
                    let _entered = self.handle.enter();
                    pool.begin_spare();
                }
                Ok(reply)
            }
            Err(HostError::TimedOut { limit, .. }) => Err(HostFailure::NotResponding {
                limit,
                stack: self.stack(),
            }),
            Err(error) => Err(broken(error.to_string())),
        }
    }
}
