//! Acts from calls, and flows from acts.
