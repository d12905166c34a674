//! Requests to an app host and its answers. Their JSON is described in `crates/app-host/PROTOCOL.md`.

mod reply;
mod request;

pub use reply::{
    Bars, HostAnswer, HostEvent, HostFrame, HostIme, HostRefusal, HostReply, HostState, HostWindow,
    HostWindowKind, RefusalKind,
};
pub use request::{
    HostConfig, HostExtra, HostIntent, HostRequest, Insets, NodeAction, Pointer, PointerAction,
    PointerEvent, TextMode,
};
