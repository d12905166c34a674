//! The scene, kept until something changes, and the picture of it, which is kept by whoever uses it only: ten megabytes for
//! a screen that nobody may look at again.

use std::cell::OnceCell;
use std::sync::{Arc, Weak};

use super::Scene;
use crate::apps::ui::{Fonts, Metrics};
use runner_picture::Frame;

/// The scene and its picture.
pub(super) struct Drawing {
    pub fonts: Fonts,
    scene: OnceCell<Scene>,
    frame: Weak<Frame>,
    number: u64,
}

impl Drawing {
    pub fn new() -> Self {
        Self {
            fonts: Fonts::new(),
            scene: OnceCell::new(),
            frame: Weak::new(),
            number: 0,
        }
    }

    /// What is drawn is no longer true.
    pub fn forget(&mut self) {
        self.scene.take();
        self.frame = Weak::new();
        self.number += 1;
    }

    pub fn scene(&self, build: impl FnOnce() -> Scene) -> &Scene {
        self.scene.get_or_init(build)
    }

    /// The number of what is drawn: another after each change.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The picture of the scene, which must have been built.
    pub fn frame(&mut self, metrics: Metrics) -> Arc<Frame> {
        if let Some(frame) = self.frame.upgrade() {
            return frame;
        }
        let drawn = self.scene.get();
        let drawn = drawn.and_then(|scene| scene.draw(&self.fonts, metrics));
        let frame = Arc::new(drawn.unwrap_or_default());
        self.frame = Arc::downgrade(&frame);
        frame
    }
}
