//! Running commands of the shell, with ids of processes.

use tokio_util::sync::CancellationToken;

use super::{DeviceState, Job, lock};

impl DeviceState {
    /// Returns a new process id.
    pub(crate) fn next_pid(&self) -> u32 {
        let mut jobs = lock(&self.jobs);
        jobs.next += 1;
        jobs.next
    }

    /// Registers a running command. Returns its process id and its interrupt.
    pub(crate) fn begin_job(&self, name: &str) -> (u32, CancellationToken) {
        let id = self.next_pid();
        (id, self.begin_job_as(id, name))
    }

    /// Registers a running command under the id of a process whose place it takes; a command with that id is
    /// forgotten, not stopped. Returns the token by which a signal or the device's end interrupts it.
    pub(crate) fn begin_job_as(&self, id: u32, name: &str) -> CancellationToken {
        let interrupt = self.stop.child_token();
        let job = Job {
            name: name.to_owned(),
            interrupt: interrupt.clone(),
        };
        lock(&self.jobs).running.insert(id, job);
        interrupt
    }

    /// Removes a command that has ended.
    pub(crate) fn end_job(&self, id: u32) {
        lock(&self.jobs).running.remove(&id);
    }

    /// Returns the running commands with their process ids, in the order of the ids.
    pub(crate) fn jobs(&self) -> Vec<(u32, Job)> {
        let jobs = lock(&self.jobs);
        jobs.running
            .iter()
            .map(|(id, job)| (*id, job.clone()))
            .collect()
    }
}
