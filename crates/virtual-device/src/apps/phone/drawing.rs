//! The scene and the picture of it, kept until something changes.

use std::cell::OnceCell;
use std::sync::Arc;

use image::RgbaImage;

use super::Scene;
use crate::apps::ui::{Fonts, Metrics};

/// The scene and its picture.
pub(super) struct Drawing {
    pub fonts: Fonts,
    scene: OnceCell<Scene>,
    frame: Option<Arc<RgbaImage>>,
}

impl Drawing {
    pub fn new() -> Self {
        Self {
            fonts: Fonts::new(),
            scene: OnceCell::new(),
            frame: None,
        }
    }

    /// What is drawn is no longer true.
    pub fn forget(&mut self) {
        self.scene.take();
        self.frame = None;
    }

    pub fn scene(&self, build: impl FnOnce() -> Scene) -> &Scene {
        self.scene.get_or_init(build)
    }

    /// The picture of the scene, which must have been built.
    pub fn frame(&mut self, metrics: Metrics) -> Arc<RgbaImage> {
        let (fonts, scene) = (&self.fonts, &self.scene);
        let frame = self.frame.get_or_insert_with(|| {
            let drawn = scene.get().and_then(|scene| scene.draw(fonts, metrics));
            Arc::new(drawn.unwrap_or_default())
        });
        Arc::clone(frame)
    }
}
