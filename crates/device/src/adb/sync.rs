//! Transfers files by the service `sync:`, in its second version if the device has it.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use super::super::DeviceError;
use runner_adb::client::{BoxStream, Features, Transport};
use runner_adb::wire::sync::{MAX_CHUNK, MAX_PATH, SyncId, head, message, word};
use runner_text::secret::from_outside;

/// File type bits of a regular file (`S_IFREG`), which `SEND` expects beside the permissions.
const REGULAR_FILE: u32 = 0o100_000;

/// Writes `data` to the file `remote`, and replaces an existing one. Only the permission bits of `mode` count. Sets
/// no limit of time.
///
/// # Errors
/// Returns [`DeviceError::Command`] if the path cannot be sent, or with the device's reason if it refuses the file;
/// [`DeviceError::Lost`] if the connection ends, [`DeviceError::Protocol`] for an unexpected answer.
pub(super) async fn push(
    transport: &Transport,
    features: &Features,
    data: &[u8],
    remote: &str,
    mode: u32,
) -> Result<(), DeviceError> {
    check_path(remote)?;
    let mode = REGULAR_FILE | (mode & 0o777);
    let mut stream = transport.open("sync:").await?;
    let mut begin = if features.has("sendrecv_v2") {
        let mut begin = message(SyncId::Send2, remote.as_bytes());
        begin.extend(word(SyncId::Send2, mode));
        begin.extend(0u32.to_le_bytes());
        begin
    } else {
        message(SyncId::Send, format!("{remote},{mode}").as_bytes())
    };
    let serial = transport.serial();
    for chunk in data.chunks(MAX_CHUNK) {
        begin.extend(message(SyncId::Data, chunk));
        if let Err(cause) = stream.write_all(&begin).await {
            // The device may have sent the reason before it closed.
            return Err(read_failure(&mut stream, remote)
                .await
                .unwrap_or_else(|| lost(serial, &cause)));
        }
        begin.clear();
    }
    let modified = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() as u32);
    begin.extend(word(SyncId::Done, modified));
    send(&mut stream, &begin, serial).await?;
    let (id, length) = read_head(&mut stream, serial).await?;
    match id {
        SyncId::Okay => Ok(()),
        SyncId::Fail => Err(failure(&mut stream, length, remote, serial).await),
        other => Err(unexpected(other)),
    }
}

/// Reads the file `remote`. Sets no limit of time.
///
/// # Errors
/// Returns [`DeviceError::Command`] once more than `max` bytes arrive, if the path cannot be sent, or with the
/// device's reason if it refuses; [`DeviceError::Lost`] if the connection ends, [`DeviceError::Protocol`] for an
/// unexpected answer.
pub(super) async fn pull(
    transport: &Transport,
    features: &Features,
    remote: &str,
    max: u64,
) -> Result<Vec<u8>, DeviceError> {
    check_path(remote)?;
    let mut stream = transport.open("sync:").await?;
    let begin = if features.has("sendrecv_v2") {
        let mut begin = message(SyncId::Recv2, remote.as_bytes());
        begin.extend(word(SyncId::Recv2, 0));
        begin
    } else {
        message(SyncId::Recv, remote.as_bytes())
    };
    let serial = transport.serial();
    send(&mut stream, &begin, serial).await?;
    let mut data = Vec::new();
    loop {
        let (id, length) = read_head(&mut stream, serial).await?;
        match id {
            // The device chooses the length, so memory is taken only up to the protocol's limit.
            SyncId::Data if length as usize > MAX_CHUNK => {
                return Err(DeviceError::Protocol(format!(
                    "a chunk of {length} bytes, more than the {MAX_CHUNK} of sync"
                )));
            }
            SyncId::Data => {
                if data.len() as u64 + u64::from(length) > max {
                    return Err(failed(
                        remote,
                        &format!("it is larger than the {max} bytes allowed"),
                    ));
                }
                let start = data.len();
                data.resize(start + length as usize, 0);
                read_exact(&mut stream, &mut data[start..], serial).await?;
            }
            SyncId::Done => return Ok(data),
            SyncId::Fail => return Err(failure(&mut stream, length, remote, serial).await),
            other => return Err(unexpected(other)),
        }
    }
}

/// Refuses paths that the protocol cannot carry with [`DeviceError::Command`]: empty, too long, or with a NUL.
fn check_path(remote: &str) -> Result<(), DeviceError> {
    if remote.is_empty() || remote.len() > MAX_PATH || remote.contains('\0') {
        return Err(failed(
            remote,
            &format!("a path has 1 to {MAX_PATH} bytes and no NUL"),
        ));
    }
    Ok(())
}

/// Writes all bytes; an error is that of a lost device.
async fn send(stream: &mut BoxStream, bytes: &[u8], serial: &str) -> Result<(), DeviceError> {
    stream
        .write_all(bytes)
        .await
        .map_err(|cause| lost(serial, &cause))
}

async fn read_head(stream: &mut BoxStream, serial: &str) -> Result<(SyncId, u32), DeviceError> {
    let mut bytes = [0; 8];
    read_exact(stream, &mut bytes, serial).await?;
    head(bytes).map_err(|error| DeviceError::Protocol(error.to_string()))
}

/// Fills `bytes`; an error or an earlier end is that of a lost device.
async fn read_exact<R: AsyncRead + Unpin>(
    stream: &mut R,
    bytes: &mut [u8],
    serial: &str,
) -> Result<(), DeviceError> {
    stream
        .read_exact(bytes)
        .await
        .map(|_| ())
        .map_err(|cause| lost(serial, &cause))
}

/// Reads the text of a `FAIL` whose head was read, and builds the error from it. If the text cannot be read,
/// returns the error of the reading.
async fn failure(stream: &mut BoxStream, length: u32, remote: &str, serial: &str) -> DeviceError {
    // The device may announce any length.
    let mut text = vec![0; (length as usize).min(MAX_CHUNK)];
    match read_exact(stream, &mut text, serial).await {
        Ok(()) => failed(remote, &from_outside(&text)),
        Err(error) => error,
    }
}

/// Reads a `FAIL` that the device sent before it closed the stream; `None` if there is none or it is not
/// whole.
async fn read_failure(stream: &mut BoxStream, remote: &str) -> Option<DeviceError> {
    // The serial appears only in errors that are dropped here, as the caller's says more.
    match read_head(stream, "").await {
        Ok((SyncId::Fail, length)) => match failure(stream, length, remote, "").await {
            error @ DeviceError::Command { .. } => Some(error),
            _ => None,
        },
        _ => None,
    }
}

/// Builds the [`DeviceError::Command`] of a refused transfer.
fn failed(remote: &str, reason: &str) -> DeviceError {
    DeviceError::Command {
        command: format!("sync {remote}"),
        exit_code: None,
        output: reason.to_owned(),
    }
}

fn unexpected(id: SyncId) -> DeviceError {
    DeviceError::Protocol(format!("sync answered {id:?} at the wrong moment"))
}

/// Builds the error of a connection that ended during a transfer.
fn lost(serial: &str, cause: &std::io::Error) -> DeviceError {
    DeviceError::Lost {
        serial: serial.to_owned(),
        cause: format!("the connection ended during a file transfer ({cause})"),
    }
}
