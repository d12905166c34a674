//! Log of the device: lines by time, tag, level and app.

mod follow;
mod lines;
mod timestamp;

pub use follow::{FollowOptions, FollowedLine, LogFollower, follow, processes};
pub use lines::{Level, LogLine, LogQuery, clear, now, parse, read, read_within, started};
pub use timestamp::LogTime;
