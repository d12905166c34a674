//! Processes of the virtual device's real apps, for blocking callers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use runner_text::temporary_folder::TemporaryFolder;
use runner_virtual_device::app_host::{
    AppHost, AppHosts, HostFailure, HostReply, HostRequest, HostedApp,
};
use serde_json::{Map, Value};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::pool::HostPool;
use crate::process::{HostError, HostProcess, HostSpec, START_LIMIT};
use crate::retrace::retrace;

/// Time limit for the thread dump of a process that does not answer. Chosen: the host answers it at once, so
/// longer means it is stuck.
const THREADS_LIMIT: Duration = Duration::from_secs(2);
/// Time for a process to end by itself before it is killed. Chosen: it only writes a list of classes.
const QUIT_LIMIT: Duration = Duration::from_secs(3);
/// Time that a wait here exceeds the limit of what it waits for. Chosen: the inner limit should fire first,
/// with the better message.
const GRACE: Duration = Duration::from_secs(5);

/// Returns the command for an app's process. It may translate the app first, which takes seconds.
pub type Launch = dyn Fn(&HostedApp, &LaunchFolders) -> Result<HostSpec, HostError> + Send + Sync;

/// Folders of a device's processes.
#[derive(Debug, Clone)]
pub struct LaunchFolders {
    /// Parent of the folders that processes create.
    pub processes: Utf8PathBuf,
    /// Folder of the app's data, which outlives a process.
    pub data: Utf8PathBuf,
}

/// Processes of one virtual device. Dropping it ends them, and removes the data of their apps.
pub struct DeviceHosts {
    launch: Box<Launch>,
    pools: Mutex<BTreeMap<String, AppPool>>,
    resources: Arc<SharedResources>,
}

/// Resources shared by all processes. They are released with the last process, after each was asked to end.
struct SharedResources {
    /// A runtime of its own: the device calls from threads of all kinds, and blocks for the answer.
    runtime: Option<Runtime>,
    folder: TemporaryFolder,
}

impl SharedResources {
    /// Returns a handle of the runtime. Fails only after the runtime was shut down.
    fn handle(&self) -> Result<Handle, HostFailure> {
        let runtime = self
            .runtime
            .as_ref()
            .map(|runtime| runtime.handle().clone());
        runtime.ok_or_else(|| HostFailure::Broken("the device has ended".to_owned()))
    }
}

impl Drop for SharedResources {
    /// Shuts the runtime down without waiting for its tasks.
    fn drop(&mut self) {
        // Dropping a runtime would block, which is forbidden inside another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Pool of an app's processes.
struct AppPool {
    /// Time of change and size of the APK that they run.
    built: Option<(std::time::SystemTime, u64)>,
    pool: Arc<HostPool>,
}

/// Returns the time of change and the size of a file, to notice a new build. `None` if the file cannot be
/// looked at.
fn stamp(file: &camino::Utf8Path) -> Option<(std::time::SystemTime, u64)> {
    let about = fs_err::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

impl DeviceHosts {
    /// Creates an empty set of processes; `launch` describes how to start them. Starts nothing but a thread
    /// for their connections.
    ///
    /// # Errors
    ///
    /// If the folder or a thread cannot be created.
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
            resources: Arc::new(SharedResources {
                runtime: Some(runtime),
                folder: TemporaryFolder::new().map_err(HostError::Folder)?,
            }),
        })
    }

    /// Returns the pool of an app, in which no process is started. The pool is new for an unknown app, and if the
    /// APK has another size or time of change than before. Then `launch` is called, which may take seconds, and the
    /// former pool is given up.
    ///
    /// # Errors
    ///
    /// If `launch` fails. The former pool stays then.
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

    /// Starts a spare process of each app, and waits until that of the first app in the list is ready or has failed, at
    /// most about a minute. A process that fails to start is no error: it is started again at its first use. The device
    /// does this before it reports that it is online.
    ///
    /// # Errors
    ///
    /// If `launch` fails for an app. Apps behind it are not started.
    pub fn warm_up(&self, apps: &[HostedApp]) -> Result<(), HostError> {
        let Ok(handle) = self.resources.handle() else {
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

    /// Returns the folders for an app's processes, which it does not create.
    fn folders(&self, package: &str) -> LaunchFolders {
        LaunchFolders {
            processes: self.resources.folder.path().join("processes"),
            data: self.resources.folder.path().join("data").join(package),
        }
    }
}

/// Starts a future on the runtime and blocks this thread until it ends. Returns `None` if it panics, or
/// takes more than 5 s longer than `limit`: a future with that limit can still return its own error. A
/// future that takes longer is not stopped, and its result is dropped.
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
    /// Takes the spare process from the app's pool or starts one, and blocks until it is ready, for about a minute
    /// at most. Creates the app's data folder. A further spare is started only once the app has been looked at.
    fn start(&self, app: &HostedApp) -> Result<Box<dyn AppHost>, HostFailure> {
        let broken = |error: HostError| HostFailure::Broken(error.to_string());
        let handle = self.resources.handle()?;
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
            _resources: Arc::clone(&self.resources),
        }))
    }

    /// Removes the app's data folder. A folder that does not exist is no error, and no process is ended.
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

/// An app's process on a device.
struct DeviceHost {
    process: Arc<HostProcess>,
    /// Pool in which to start the next process once this one shows its app. Started earlier, that would
    /// compete for the processor.
    pool: Option<Arc<HostPool>>,
    handle: Handle,
    data: Utf8PathBuf,
    /// Path as the person named it.
    apk: Utf8PathBuf,
    _resources: Arc<SharedResources>,
}

impl DeviceHost {
    /// Sends a request to the process and blocks for the answer. Ends in any case 5 s after `limit`.
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

    /// Returns the main thread's stack, innermost call first. Empty if the process does not answer in time.
    fn stack(&self) -> Vec<String> {
        let threads = self.ask("threads".to_owned(), Map::new(), THREADS_LIMIT);
        let main = threads.map(|reply| reply.answer.main).unwrap_or_default();
        main.lines().map(|line| line.trim().to_owned()).collect()
    }
}

impl Drop for DeviceHost {
    /// Asks the process to end, and blocks for its answer for at most eight seconds. The process then writes the
    /// list of classes that its app used, which the next one preloads.
    fn drop(&mut self) {
        let _ = self.ask("quit".to_owned(), Map::new(), QUIT_LIMIT);
    }
}

impl AppHost for DeviceHost {
    /// Sends a request. Translates the stack traces of crashes, and adds the data folder to `begin`. After the first
    /// `look` the next spare process is started. If the app does not answer in time, the error has the main thread's
    /// stack.
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
