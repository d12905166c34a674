//! Processes of an app.

use std::time::Duration;

use super::{Device, DeviceError, NoAnswer, Script, quote, reading};
use runner_text::secret::OutsideText;

/// Returns the ids of the processes whose name is exactly the package; empty if the app does not run. Asks `pidof`,
/// or `ps` where that is missing, up to three times, each time for at most `limit`, also on a device behind a
/// server. The questions count as reading only.
///
/// # Errors
/// Returns [`DeviceError::NotAnswered`] if the last output is neither a list of numbers nor a table of processes.
pub async fn process_ids(
    device: &dyn Device,
    package: &str,
    limit: Duration,
) -> Result<Vec<u32>, DeviceError> {
    let name = quote(package);
    let ask = |table: &str| Script::raw(format!("pidof {name} 2>/dev/null || {table}"), "pidof");
    let mut script = ask("ps -A 2>/dev/null || ps");
    let mut tries_left = reading::TRIES;
    loop {
        device.counters().mark_read_only();
        let output = device.shell(&script, limit).await?;
        if let Some(ids) = read_process_ids(&output.text(), package) {
            return Ok(ids);
        }
        tries_left -= 1;
        if tries_left == 0 {
            // Without the table, a missing process proves nothing.
            return Err(not_answered("ps", output.message()));
        }
        // Android 5, which has no `pidof`, takes `-A` for the name of a process, and prints only the table's heading
        // (openstf/stf#806). Newer releases list all processes only with it.
        script = ask("{ ps -A 2>/dev/null; ps; }");
        tokio::time::sleep(reading::PAUSE).await;
    }
}

/// Parses the output of `pidof` (numbers) or `ps` (a table whose columns differ by release). Of a table,
/// returns the ids of the lines whose last word is exactly the package; `Some` of an empty list if there are
/// none. `None` if no line is a list of numbers or a heading with `PID`, and for a heading without any process, as
/// `ps` lists at least itself. Further headings do not count.
///
/// Assumes that the heading names the column `PID`, that no cell before it is empty or has a space in it, and
/// that the name stands last (toybox `ps.c`; recordings of API 18, 25 and 34 `ps--mlopatkin__andlogview__*`,
/// of which 18 has a column without cells behind it). If a shell has one stream, warnings of the linker may
/// stand before either.
pub(super) fn read_process_ids(text: &str, package: &str) -> Option<Vec<u32>> {
    let is_head = |word: &str| word == "PID";
    let mut lines = text.lines();
    let column = loop {
        let line = lines.next()?;
        let numbers: Result<Vec<u32>, _> = line.split_whitespace().map(str::parse).collect();
        if let Ok(numbers) = numbers.as_deref()
            && !numbers.is_empty()
        {
            return Some(numbers.to_vec());
        }
        if let Some(column) = line.split_whitespace().position(is_head) {
            break column;
        }
    };
    let is_process = |line: &&str| !line.trim().is_empty() && !line.split_whitespace().any(is_head);
    let mut processes = lines.filter(is_process).peekable();
    processes.peek()?;
    let of_package = processes.filter(|line| line.split_whitespace().next_back() == Some(package));
    Some(
        of_package
            .filter_map(|line| line.split_whitespace().nth(column)?.parse().ok())
            .collect(),
    )
}

/// Builds the [`DeviceError::NotAnswered`] of a question that got no answer, or one in another form.
pub(super) fn not_answered(question: &'static str, answer: OutsideText) -> DeviceError {
    let why = NoAnswer {
        question: question.into(),
        answer,
    };
    DeviceError::NotAnswered(why.to_string())
}
