//! Serves one client over standard input and output.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::message::Problem;
use super::{Server, Toolbox, message};

/// Bytes of the pipes between the streams and the protocol's library. Chosen: one usual message fits; more
/// only holds memory, less only switches tasks more often.
const PIPE_BYTES: usize = 64 * 1024;

/// Serves on standard input and output until the client closes its end or `stop` fires, also before the handshake.
/// Returns once all answers are written.
///
/// # Errors
/// The client does not speak the protocol, or the output cannot be written.
pub async fn serve_stdio(
    toolbox: Arc<dyn Toolbox>,
    stop: CancellationToken,
) -> Result<(), std::io::Error> {
    let (requests, input) = tokio::io::duplex(PIPE_BYTES);
    let (output, answers) = tokio::io::duplex(PIPE_BYTES);
    let (complaints, complained) = mpsc::channel(16);
    let reading = tokio::spawn(read(requests, complaints));
    let writing = tokio::spawn(write(answers, complained));

    let served = Server::new(toolbox)
        .serve_with_ct((input, output), stop.clone())
        .await;
    match served {
        Ok(service) => {
            service.waiting().await.map_err(std::io::Error::other)?;
        }
        // A client that closes, or a stop before the handshake, is no error.
        Err(error) if stop.is_cancelled() || reading.is_finished() => drop(error),
        Err(error) => return Err(std::io::Error::other(error.to_string())),
    }
    // It would wait for the next line of input.
    reading.abort();
    // The last answers are still on their way.
    writing.await.map_err(std::io::Error::other)?
}

/// Reads messages line by line until standard input ends or fails, or nobody takes them. Valid ones go to the
/// protocol's library, which would silently ignore most others; those are answered through `complaints` with an error.
/// Blank lines are skipped, and lines longer than 16 MiB refused.
async fn read(mut requests: DuplexStream, complaints: mpsc::Sender<String>) {
    let mut lines = BufReader::new(tokio::io::stdin());
    let mut line = Vec::new();
    loop {
        line.clear();
        let longest = message::MAX_MESSAGE_BYTES as u64 + 1;
        let read = (&mut lines)
            .take(longest)
            .read_until(b'\n', &mut line)
            .await;
        if !matches!(read, Ok(1..)) {
            return;
        }
        let problem = if line.len() > message::MAX_MESSAGE_BYTES {
            if !line.ends_with(b"\n") && skip_line(&mut lines).await.is_err() {
                return;
            }
            Problem::too_long()
        } else if line.trim_ascii().is_empty() {
            continue;
        } else if let Err(problem) = message::read(&line) {
            problem
        } else {
            if !line.ends_with(b"\n") {
                line.push(b'\n');
            }
            if requests.write_all(&line).await.is_err() {
                return;
            }
            continue;
        };
        let complaint = problem.answer().to_string();
        if complaints.send(complaint).await.is_err() {
            return;
        }
    }
}

/// Discards the rest of a line that is too long to keep, up to its line feed or the end of the input.
async fn skip_line(lines: &mut BufReader<tokio::io::Stdin>) -> std::io::Result<()> {
    loop {
        let waiting = lines.fill_buf().await?;
        let end = waiting.iter().position(|byte| *byte == b'\n');
        let passed = end.map_or(waiting.len(), |end| end + 1);
        lines.consume(passed);
        if end.is_some() || passed == 0 {
            return Ok(());
        }
    }
}

/// Writes answers and complaints as whole lines, so that two never mix. Each is flushed at once. Returns when there are
/// no more answers, whether or not there are complaints, and with an error if the output cannot be written.
async fn write(
    answers: DuplexStream,
    mut complained: mpsc::Receiver<String>,
) -> Result<(), std::io::Error> {
    let mut output = tokio::io::stdout();
    let mut answers = BufReader::new(answers).lines();
    let mut complaining = true;
    loop {
        let line = tokio::select! {
            line = answers.next_line() => match line? {
                Some(line) => line,
                None => return Ok(()),
            },
            line = complained.recv(), if complaining => match line {
                Some(line) => line,
                None => {
                    complaining = false;
                    continue;
                }
            },
        };
        output.write_all(line.as_bytes()).await?;
        output.write_all(b"\n").await?;
        output.flush().await?;
    }
}
