//! The services `shell:`, `shell,v2` and `exec:`: a command's stdin, stdout and stderr over one stream of the
//! connection.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::stream::{StreamClosedError, StreamReader, StreamWriter};
use crate::Fault;
use crate::shell::{self, Output, StdinFeed};
use crate::state::DeviceState;
use runner_adb::wire::shell::{Decoder, FrameId, encode};

/// Most bytes of output in one frame of `shell,v2`. Chosen: a longer one reaches the client late, a shorter
/// one costs more headers.
const MAX_FRAME: usize = 32 * 1024;
/// Bytes of output that may wait for the peer before the command is stopped. Chosen: much more would let
/// `cat` fill the memory.
const MAX_WAITING: usize = 256 * 1024;

/// A warning that libraries of some makers print into every process's output.
const NOISE: &[u8] = b"WARNING: linker: libmiuixlog.so has text relocations\n";

pub(super) struct ShellService {
    pub(super) state: Arc<DeviceState>,
    pub(super) framed: bool,
    pub(super) terminal: bool,
    /// The device's time is reported after the command has ended, in microseconds since the device started.
    pub(super) clock: bool,
    pub(super) drop_connection: CancellationToken,
}

impl ShellService {
    /// Runs a command, or without one a shell that reads its input, and sends its output as it comes, then the clock
    /// and the exit code if the protocol has them. Output that background jobs print after the end is dropped. Each run
    /// counts as a command of the host for the faults, which may delay it, hang it, add noise, or cut the connection.
    pub(super) async fn run(
        &self,
        command: &str,
        reader: StreamReader,
        writer: StreamWriter,
    ) -> Result<(), StreamClosedError> {
        let faults = &self.state.faults;
        faults.begin_command();
        if faults.shows(Fault::DroppedConnection(0)) {
            self.drop_connection.cancel();
            return Err(StreamClosedError);
        }
        if let Some(Fault::SlowCommand(duration)) = faults.take(Fault::SlowCommand(Duration::ZERO))
        {
            tokio::time::sleep(duration).await;
        }
        if faults.shows(Fault::HungCommand) {
            std::future::pending::<()>().await;
        }
        let noise = faults.shows(Fault::Noise);
        let (feed, stdin) = shell::stdin();
        let (output_sender, mut output) = mpsc::channel(16);
        let state = Arc::clone(&self.state);
        let running = async {
            if command.is_empty() {
                shell::interactive(state, self.terminal, stdin, output_sender).await
            } else {
                shell::run(state, command, stdin, output_sender).await
            }
        };
        let serving = async {
            let mut running = std::pin::pin!(running);
            // Output that is printed before the peer has acknowledged the last bytes is sent together, as from a pipe.
            let mut waiting = Vec::new();
            for error in [false, true].into_iter().filter(|_| noise) {
                let bytes = NOISE.to_vec();
                self.add(Output { error, bytes }, &mut waiting, &writer)
                    .await?;
            }
            let code = loop {
                tokio::select! {
                    biased;
                    Some(chunk) = output.recv(), if waiting.len() < MAX_WAITING => {
                        self.add(chunk, &mut waiting, &writer).await?;
                    }
                    code = &mut running, if waiting.len() < MAX_WAITING => break code,
                    ready = writer.drained(), if !waiting.is_empty() => {
                        ready?;
                        writer.write(&std::mem::take(&mut waiting)).await?;
                    }
                }
            };
            // Later output of background jobs is dropped.
            while let Ok(chunk) = output.try_recv() {
                self.add(chunk, &mut waiting, &writer).await?;
            }
            if self.clock {
                let time = self.state.elapsed().as_micros() as u64;
                waiting.extend(encode(FrameId::Clock, &time.to_le_bytes()));
            }
            if self.framed {
                waiting.extend(encode(FrameId::Exit, &[code as u8]));
            }
            writer.write(&waiting).await
        };
        tokio::select! {
            served = serving => served,
            never = self.feed_stdin(reader, feed) => match never {},
        }
    }

    /// Appends a chunk of output to `waiting`, in frames if the protocol has them. A terminal gets `\r\n` line ends,
    /// and errors in its only stream. Sends nothing, except with [`Fault::DroppedOutput`]: then it sends `waiting` and
    /// half of the chunk, cuts the connection and fails. An empty chunk does not use up that fault.
    async fn add(
        &self,
        chunk: Output,
        waiting: &mut Vec<u8>,
        writer: &StreamWriter,
    ) -> Result<(), StreamClosedError> {
        let Output { error, mut bytes } = chunk;
        if self.terminal {
            bytes = with_carriage_returns(&bytes);
        }
        let cut = !bytes.is_empty() && self.state.faults.shows(Fault::DroppedOutput);
        if cut {
            bytes.truncate(bytes.len() / 2);
        }
        if self.framed {
            // A terminal has one stream for both.
            let id = if error && !self.terminal {
                FrameId::Stderr
            } else {
                FrameId::Stdout
            };
            for piece in bytes.chunks(MAX_FRAME) {
                waiting.extend(encode(id, piece));
            }
        } else {
            waiting.extend(bytes);
        }
        if cut {
            // The line is cut once the peer has the last bytes.
            writer.write(waiting).await?;
            writer.drained().await?;
            self.drop_connection.cancel();
            return Err(StreamClosedError);
        }
        Ok(())
    }

    /// Feeds the peer's input to the command. Input ends when the peer closes it, leaves, or sends a
    /// malformed frame; later bytes are read and dropped. It never returns: the caller drops it when the
    /// command ends.
    async fn feed_stdin(
        &self,
        mut reader: StreamReader,
        feed: StdinFeed,
    ) -> std::convert::Infallible {
        let mut feed = Some(feed);
        let mut decoder = Decoder::default();
        while let Ok(bytes) = reader.read().await {
            // Read on after the end of the input: a peer that sends more would wait for its `OKAY`.
            let Some(open) = &feed else {
                continue;
            };
            if !self.framed {
                open.push(bytes).await;
                continue;
            }
            decoder.push(&bytes);
            let mut ended = false;
            loop {
                match decoder.next_frame() {
                    Ok(Some(frame)) if frame.id == FrameId::Stdin => open.push(frame.data).await,
                    Ok(Some(frame)) if frame.id == FrameId::CloseStdin => ended = true,
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(_) => {
                        ended = true;
                        break;
                    }
                }
            }
            if ended {
                feed = None;
            }
        }
        drop(feed);
        std::future::pending().await
    }
}

/// Replaces each `\n` by `\r\n`, as a terminal does, even if a `\r` precedes it already.
fn with_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 16);
    for byte in bytes {
        if *byte == b'\n' {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}
