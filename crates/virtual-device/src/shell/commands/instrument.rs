//! `am instrument` and `app_process`: start of the testing tools' servers, which this device has built in.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::package::short_class;
use super::screen::SLOT_TAKEN;
use super::{Call, Outcome, RunningCommand};
use crate::Fault;
use crate::automation::MISSING_SERVERS;
use crate::instrumentation::{EndReason, InstrumentedProcess, SlotInUse, U2Error, U2Process};
use crate::shell::run::Streams;

/// Package whose code is Appium's server.
const UIA2_TEST: &str = "io.appium.uiautomator2.server.test";
/// Class that is the server of `uiautomator2`.
const U2_MAIN: &str = "com.wetest.uia2.Main";
/// Virtual time that the server's start takes. Chosen: close to a phone.
const START_TIME: Duration = Duration::from_secs(2);

const CRASHED: &str =
    "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";
const TEST: &str = "io.appium.uiautomator2.server.test.AppiumUiAutomator2Server";

/// Arguments of `am instrument`.
#[derive(Debug, Default)]
struct Words {
    wait: bool,
    raw: bool,
    component: String,
}

impl Words {
    /// Reads the arguments of `am instrument`. Unknown flags are ignored, and the last free word is the component,
    /// empty if there is none.
    fn parse(args: &[String]) -> Self {
        let mut parsed = Self::default();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-w" => parsed.wait = true,
                "-r" => parsed.raw = true,
                "-e" => {
                    words.next();
                    words.next();
                }
                "-p" | "--user" | "--abi" => {
                    words.next();
                }
                flag if flag.starts_with('-') => {}
                component => component.clone_into(&mut parsed.component),
            }
        }
        parsed
    }
}

/// `am instrument [FLAGS] PACKAGE/CLASS`: starts Appium's server if the package is its test package, and with `-w`
/// runs until that ends. The target's processes end first, an earlier server among them. An unknown instrumentation
/// or target gives 1, a malformed name 255. Any other package, and a slot that another tool holds, are refused with
/// exit code 0.
pub(super) fn instrument(call: &mut Call, args: &[String]) -> Outcome {
    let words = Words::parse(args);
    let Some((package, class)) = words.component.split_once('/') else {
        return call.fail(
            255,
            format!(
                "Error: Bad component name: {}",
                if words.component.is_empty() {
                    "null"
                } else {
                    &words.component
                }
            ),
        );
    };
    let class = match class.strip_prefix('.') {
        Some(short) => format!("{package}.{short}"),
        None => class.to_owned(),
    };
    let packages = call.device.phone().packages();
    let target = packages
        .iter()
        .find(|known| known.package == package)
        .and_then(|known| known.apk.as_ref())
        .and_then(|apk| {
            apk.instrumentation
                .iter()
                .find(|known| known.class == class)
        })
        .map(|known| known.target.clone());
    let component = format!("{package}/{}", short_class(package, &class));
    let problem = match &target {
        None => Some(format!(
            "Unable to find instrumentation info for: ComponentInfo{{{package}/{class}}}"
        )),
        Some(target) if packages.iter().all(|known| known.package != *target) => Some(format!(
            "Unable to find instrumentation target package: {target}"
        )),
        Some(_) => None,
    };
    let (None, Some(target)) = (&problem, target) else {
        call.say(format!(
            "INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS: Error={}\nINSTRUMENTATION_STATUS_CODE: -1",
            problem.unwrap_or_default()
        ));
        return call.fail(
            1,
            format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {component}\n\tat com.android.commands.am.Instrument.run(Instrument.java:543)"),
        );
    };
    let servers = call.device.servers.filter(|_| package == UIA2_TEST);
    let Some(servers) = servers else {
        // The device cannot run the code of other packages.
        call.say("INSTRUMENTATION_RESULT: shortMsg=java.lang.UnsupportedOperationException");
        call.say(format!("INSTRUMENTATION_RESULT: longMsg=java.lang.UnsupportedOperationException: a virtual device runs no code of {package}; it has a server of its own for {UIA2_TEST}"));
        call.say("INSTRUMENTATION_CODE: 0");
        return Outcome::Exit(0);
    };
    let acquired = call.device.faults.shows(Fault::SlotTaken);
    let started = if acquired {
        Err(SlotInUse)
    } else {
        InstrumentedProcess::start(&call.device, servers.uia2, &target, package)
    };
    match started {
        Ok(instrumented) => Outcome::Running(RunningCommand::Instrument(InstrumentCommand {
            instrumented,
            words,
            fails: call.device.faults.shows(Fault::Uia2NoStart),
            start: if call.device.realistic {
                START_TIME
            } else {
                Duration::ZERO
            },
        })),
        Err(SlotInUse) => {
            let first = SLOT_TAKEN.lines().next().unwrap_or_default();
            call.say("INSTRUMENTATION_RESULT: shortMsg=java.lang.IllegalStateException");
            call.say(format!("INSTRUMENTATION_RESULT: longMsg={first}"));
            call.say("INSTRUMENTATION_CODE: 0");
            Outcome::Exit(0)
        }
    }
}

/// A running `am instrument` of Appium's server.
pub(in super::super) struct InstrumentCommand {
    instrumented: InstrumentedProcess,
    words: Words,
    /// A fault: the process ends at its start.
    fails: bool,
    start: Duration,
}

impl std::fmt::Debug for InstrumentCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InstrumentCommand").finish_non_exhaustive()
    }
}

impl InstrumentCommand {
    /// Runs the server: prints the test's start and end with `-w`, and otherwise returns once it listens. A server
    /// that crashes or cannot listen prints so, with exit code 0. Returns 130 if interrupted; the server then goes
    /// on without the slot.
    pub(super) async fn run_to_end(self, interrupt: &CancellationToken, streams: &Streams) -> i32 {
        let running = async {
            let say = async |text: String| {
                let _ = streams.out.write(text.into_bytes()).await;
            };
            tokio::select! {
                _ = self.instrumented.ended() => {
                    say(CRASHED.to_owned()).await;
                    return 0;
                }
                () = tokio::time::sleep(self.start) => {}
            }
            if self.fails || self.instrumented.listen().is_err() {
                self.instrumented.kill();
                say(CRASHED.to_owned()).await;
                return 0;
            }
            if !self.words.wait {
                // `am` returns at once. The process continues without the accessibility layer.
                return 0;
            }
            say(if self.words.raw {
                format!("INSTRUMENTATION_STATUS: class={TEST}\nINSTRUMENTATION_STATUS: current=1\nINSTRUMENTATION_STATUS: id=AndroidJUnitRunner\nINSTRUMENTATION_STATUS: numtests=1\nINSTRUMENTATION_STATUS: stream=\n{TEST}:\nINSTRUMENTATION_STATUS: test=startServer\nINSTRUMENTATION_STATUS_CODE: 1\n")
            } else {
                format!("\n{TEST}:")
            })
            .await;
            let began = std::time::Instant::now();
            let end = match self.instrumented.ended().await {
                EndReason::Stopped => CRASHED.to_owned(),
                EndReason::Passed => {
                    let seconds = began.elapsed().as_secs_f64();
                    let ok = format!("\n\nTime: {seconds:.3}\n\nOK (1 test)\n\n");
                    if self.words.raw {
                        format!(
                            "INSTRUMENTATION_STATUS: class={TEST}\nINSTRUMENTATION_STATUS: current=1\nINSTRUMENTATION_STATUS: id=AndroidJUnitRunner\nINSTRUMENTATION_STATUS: numtests=1\nINSTRUMENTATION_STATUS: stream=.\nINSTRUMENTATION_STATUS: test=startServer\nINSTRUMENTATION_STATUS_CODE: 0\nINSTRUMENTATION_RESULT: stream={ok}\nINSTRUMENTATION_CODE: -1\n"
                        )
                    } else {
                        format!(".{ok}\n")
                    }
                }
            };
            say(end).await;
            0
        };
        // A shell's exit code after SIGINT.
        interrupt.run_until_cancelled(running).await.unwrap_or(130)
    }
}

/// `CLASSPATH=FILE app_process FOLDER CLASS [ARGS]`: starts the server of Python's `uiautomator2` on the port
/// of `-p`, 9008 by default, if it is the class and any file of the class path exists. Any other class gives
/// 134. A bad or used port, a taken slot, or a build without this server gives 1.
pub(super) fn app_process(call: &mut Call) -> Outcome {
    let words: Vec<String> = call
        .owned_args()
        .into_iter()
        .skip_while(|word| word.starts_with('-'))
        // The folder, which nothing reads.
        .skip(1)
        .skip_while(|word| word.starts_with("--"))
        .collect();
    let Some((class, args)) = words.split_first() else {
        return call.fail(
            1,
            "Usage: app_process [java-options] cmd-dir start-class-name [options]",
        );
    };
    let classpath = call.classpath.clone();
    let there = classpath
        .split(':')
        .any(|path| !path.is_empty() && call.device.stat(&call.path(path)).is_ok());
    let servers = call.device.servers.filter(|_| class == U2_MAIN && there);
    let Some(servers) = servers else {
        // The device cannot run the code of other classes.
        return call.fail(
            134,
            format!("Error: could not find class '{class}'\njava.lang.ClassNotFoundException: Didn't find class \"{class}\" on path: DexPathList[[zip file \"{classpath}\"]]\nAborted "),
        );
    };
    let Some(server) = servers.u2 else {
        return call.fail(1, MISSING_SERVERS);
    };
    let port = args
        .iter()
        .position(|arg| arg == "-p")
        .and_then(|at| args.get(at + 1));
    let port = match port.map_or(Ok(9008), |port| port.parse::<u16>()) {
        Ok(port) if port > 0 => port,
        _ => return call.fail(1, "java.lang.IllegalArgumentException: bad port"),
    };
    if call.device.faults.shows(Fault::SlotTaken) {
        return call.fail(1, SLOT_TAKEN);
    }
    match U2Process::start(&call.device, server, port) {
        Ok(process) => Outcome::Running(RunningCommand::U2(U2Command(process))),
        Err(U2Error::Slot) => call.fail(1, SLOT_TAKEN),
        Err(U2Error::Port(error)) => call.fail(
            1,
            format!("java.net.BindException: bind failed: EADDRINUSE ({error})"),
        ),
    }
}

/// The running server of `uiautomator2`.
pub(in super::super) struct U2Command(U2Process);

impl std::fmt::Debug for U2Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("U2Command").finish_non_exhaustive()
    }
}

impl U2Command {
    pub(super) async fn run_to_end(self, interrupt: &CancellationToken) -> i32 {
        let ended = interrupt.run_until_cancelled(self.0.ended()).await;
        if ended.is_some() { 0 } else { 130 }
    }
}
