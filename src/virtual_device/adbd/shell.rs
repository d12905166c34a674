//! The services `shell:`, `shell,v2` and `exec:`: one command's streams over one stream of the connection.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::stream::{Gone, StreamReader, StreamWriter};
use crate::virtual_device::Fault;
use crate::virtual_device::shell::{self, Output, StdinFeed};
use crate::virtual_device::state::DeviceState;
use crate::wire::shell::{Decoder, FrameId, encode};

/// Greatest data of one frame.
const MAX_FRAME: usize = 32 * 1024;

pub(super) struct ShellService {
    pub(super) state: Arc<DeviceState>,
    pub(super) framed: bool,
    pub(super) terminal: bool,
    pub(super) drop_connection: CancellationToken,
}

impl ShellService {
    pub(super) async fn run(
        &self,
        command: &str,
        reader: StreamReader,
        writer: StreamWriter,
    ) -> Result<(), Gone> {
        let faults = &self.state.faults;
        if faults.shows(Fault::DroppedConnection(0)) {
            self.drop_connection.cancel();
            return Err(Gone);
        }
        if let Some(Fault::SlowCommand(duration)) = faults.take(Fault::SlowCommand(Duration::ZERO))
        {
            tokio::time::sleep(duration).await;
        }
        if faults.shows(Fault::HungCommand) {
            std::future::pending::<()>().await;
        }
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
            let code = loop {
                tokio::select! {
                    biased;
                    Some(chunk) = output.recv() => self.forward(chunk, &writer).await?,
                    code = &mut running => break code,
                }
            };
            // What background jobs print after this has nowhere to go.
            while let Ok(chunk) = output.try_recv() {
                self.forward(chunk, &writer).await?;
            }
            Ok(code)
        };
        let code = tokio::select! {
            code = serving => code?,
            never = self.feed_stdin(reader, feed) => match never {},
        };
        if self.framed {
            writer.write(&encode(FrameId::Exit, &[code as u8])).await?;
        }
        Ok(())
    }

    async fn forward(&self, chunk: Output, writer: &StreamWriter) -> Result<(), Gone> {
        let Output { error, mut bytes } = chunk;
        if self.terminal {
            bytes = with_carriage_returns(&bytes);
        }
        let cut = !bytes.is_empty() && self.state.faults.shows(Fault::DroppedOutput);
        if cut {
            bytes.truncate(bytes.len() / 2);
        }
        if self.framed {
            let id = if error && !self.terminal {
                FrameId::Stderr
            } else {
                FrameId::Stdout
            };
            for piece in bytes.chunks(MAX_FRAME) {
                writer.write(&encode(id, piece)).await?;
            }
        } else {
            writer.write(&bytes).await?;
        }
        if cut {
            // The line is cut once the peer has the last bytes.
            writer.drained().await?;
            self.drop_connection.cancel();
            return Err(Gone);
        }
        Ok(())
    }

    /// Feeds what the peer types to the command; goes on until the command ends.
    async fn feed_stdin(
        &self,
        mut reader: StreamReader,
        feed: StdinFeed,
    ) -> std::convert::Infallible {
        let mut feed = Some(feed);
        let mut decoder = Decoder::default();
        while let Ok(bytes) = reader.read().await {
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

/// A terminal ends its lines with both characters.
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
