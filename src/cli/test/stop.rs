//! Ends a run at requests to stop, such as Ctrl-C.

use tokio_util::sync::CancellationToken;

use crate::cli::output;
use crate::exit_code::ExitCode;
use crate::interrupt;

/// Returns a token that the first request to stop cancels. The second ends the process at once. If requests
/// cannot be listened for, the token is never cancelled.
pub(super) fn cancelled_by_interrupt() -> CancellationToken {
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    // Listens before the first output.
    let Ok(mut requests) = interrupt::Requests::new() else {
        return cancel;
    };
    tokio::spawn(async move {
        if requests.next().await.is_ok() {
            token.cancel();
            output::note(
                "\ninterrupted: ending the flow and putting settings back; once more to stop at once",
            );
        }
        if requests.next().await.is_ok() {
            exit_now();
        }
    });
    cancel
}

#[expect(
    clippy::exit,
    reason = "a second Ctrl-C means at once; clean ends were tried after the first"
)]
pub(in crate::cli) fn exit_now() {
    std::process::exit(i32::from(ExitCode::Interrupted as u8));
}
