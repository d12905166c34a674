//! Running services of packages, which are processes without a screen.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most running services. Chosen: an app has a few; without a limit a script could fill the memory.
const MAX_SERVICES: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunningService {
    pub(crate) package: String,
    pub(crate) class: String,
    /// A foreground service: it has a notification, so the system does not end it.
    pub(crate) foreground: bool,
    pub(crate) pid: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Background {
    running: Mutex<Vec<RunningService>>,
}

impl Background {
    /// Starts a service. If it runs already, nothing starts; it becomes a foreground service if `foreground` is
    /// true, and otherwise stays what it is. Services of a package share a process: `next_pid` is called for its
    /// first one only. Beyond [`MAX_SERVICES`] of all packages a new one is silently left out.
    pub(crate) fn start(
        &self,
        package: &str,
        class: &str,
        foreground: bool,
        next_pid: impl FnOnce() -> u32,
    ) {
        let mut running = self.lock();
        let same = |service: &&mut RunningService| service.package == package;
        if let Some(service) = running
            .iter_mut()
            .find(|service| service.package == package && service.class == class)
        {
            service.foreground |= foreground;
            return;
        }
        let pid = running.iter_mut().find(same).map(|service| service.pid);
        if running.len() < MAX_SERVICES {
            running.push(RunningService {
                package: package.to_owned(),
                class: class.to_owned(),
                foreground,
                pid: pid.unwrap_or_else(next_pid),
            });
        }
    }

    /// Stops a service. Returns false if it does not run. Other services of its package keep running.
    pub(crate) fn stop(&self, package: &str, class: &str) -> bool {
        let mut running = self.lock();
        let before = running.len();
        running.retain(|service| service.package != package || service.class != class);
        running.len() < before
    }

    /// Ends all services of a package, if any run.
    pub(crate) fn end(&self, package: &str) {
        self.lock().retain(|service| service.package != package);
    }

    pub(crate) fn services(&self) -> Vec<RunningService> {
        self.lock().clone()
    }

    /// Returns the process ids of running services by package.
    pub(crate) fn processes(&self) -> BTreeMap<String, u32> {
        self.lock()
            .iter()
            .map(|service| (service.package.clone(), service.pid))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RunningService>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_of_a_package_share_a_process_and_end_with_it() {
        let background = Background::default();
        background.start("a.b", "a.b.One", false, || 7);
        background.start("a.b", "a.b.Two", true, || 8);
        background.start("c.d", "c.d.One", false, || 9);
        background.start("a.b", "a.b.One", true, || 10);
        let reported: Vec<_> = background
            .services()
            .into_iter()
            .map(|service| (service.class, service.foreground, service.pid))
            .collect();
        let expected = [
            ("a.b.One", true, 7),
            ("a.b.Two", true, 7),
            ("c.d.One", false, 9),
        ];
        assert_eq!(
            reported,
            expected.map(|(class, on, pid)| (class.to_owned(), on, pid))
        );
        assert!(background.stop("c.d", "c.d.One") && !background.stop("c.d", "c.d.One"));
        background.end("a.b");
        assert_eq!(background.services(), []);
    }
}
