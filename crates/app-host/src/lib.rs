#![doc = include_str!("../README.md")]

pub mod apk;
pub mod classes;
pub mod client;
<<<<<<< HEAD
pub mod device;
=======
pub mod conf;
pub mod host_jar;
mod jar;
pub mod jdk;
pub mod parts;
pub mod places;
>>>>>>> parts
pub mod pool;
pub mod process;
