//! The protocol: transports, access, sessions, bad input.
