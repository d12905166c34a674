//! Caches of the scene and its picture.
//!
//! The scene is kept until something changes. The picture is kept only while somebody uses it: it takes ten
//! megabytes.

use std::cell::OnceCell;
use std::sync::{Arc, Weak};

use super::Scene;
use crate::apps::ui::{Fonts, Metrics};
use runner_picture::Frame;

pub(super) struct Drawing {
    pub fonts: Fonts,
    scene: OnceCell<Scene>,
    frame: Weak<Frame>,
    number: u64,
}

impl Drawing {
    /// Reads the fonts. Nothing is cached yet.
    pub fn new() -> Self {
        Self {
            fonts: Fonts::new(),
            scene: OnceCell::new(),
            frame: Weak::new(),
            number: 0,
        }
    }

    /// Drops scene and picture because something changed.
    pub fn invalidate(&mut self) {
        self.scene.take();
        self.frame = Weak::new();
        self.number += 1;
    }

    pub fn scene(&self, build: impl FnOnce() -> Scene) -> &Scene {
        self.scene.get_or_init(build)
    }

    /// Returns the number of changes so far, also of those that left the scene as it was.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the picture of the scene, which must have been built; it is empty otherwise. The same picture
    /// is returned as long as someone holds it and nothing has changed.
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
