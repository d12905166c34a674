//! The services `tcp:` and `localabstract:`: bytes to and from a listener on the device.

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::stream::{StreamClosedError, StreamReader, StreamWriter};

/// Bytes that are read at a time. Chosen: a few reads fill a packet of adb.
const READ_BYTES: usize = 64 * 1024;

/// Copies bytes both ways until the device's side closes its socket or the peer leaves. A device's side that
/// only stops reading does not end it, since its last bytes must still be sent.
pub(super) async fn run(
    socket: DuplexStream,
    mut reader: StreamReader,
    writer: StreamWriter,
) -> Result<(), StreamClosedError> {
    let (mut from_device, mut to_device) = tokio::io::split(socket);
    let sending = async {
        let mut piece = vec![0; READ_BYTES];
        loop {
            match from_device.read(&mut piece).await {
                Ok(0) | Err(_) => return Ok(()),
                Ok(length) => writer.write(&piece[..length]).await?,
            }
        }
    };
    let receiving = async {
        loop {
            let bytes = reader.read().await?;
            if to_device.write_all(&bytes).await.is_err() {
                // The listener is gone, but its last bytes must still be read.
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        ended = sending => ended,
        ended = receiving => ended,
    }
}
