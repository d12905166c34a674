//! The server of the Python package `uiautomator2`.
