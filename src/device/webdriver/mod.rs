//! A device that a WebDriver server lends: Appium, a Selenium Grid, a device cloud.

pub mod cloud;
