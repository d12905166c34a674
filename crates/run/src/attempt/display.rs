//! Size of the display in expressions, as it is when they are evaluated.

use super::Attempt;
use runner_device::DeviceError;
use runner_engine::EngineError;
use runner_flow::Step;
use runner_tools::Failure;

impl Attempt<'_> {
    /// Updates `device.width` and `device.height` before expressions of a step are evaluated; does nothing if the step
    /// does not use them. Asks the device only if something was done since the last look. If the device does not tell
    /// its display, or shows recorded screens, they stay as they are.
    ///
    /// # Errors
    /// If the device does not answer.
    pub(super) async fn learn_display(&mut self, step: &Step) -> Result<(), Failure> {
        let file = &step.source.text;
        let written = file.get(step.span.clone()).unwrap_or(file);
        if step_uses_display(written, file) {
            self.ask_display().await?;
        }
        Ok(())
    }

    /// Same as [`Self::learn_display`], for the expressions of a whole file.
    pub(super) async fn learn_display_for(&mut self, file: &str) -> Result<(), Failure> {
        if uses_display(file) {
            self.ask_display().await?;
        }
        Ok(())
    }

    async fn ask_display(&mut self) -> Result<(), Failure> {
        let session = self.context.session;
        let display = if session.has_new_look() {
            session.last_screen().map(|screen| screen.display())
        } else {
            match session.display_now().await {
                Ok(display) => display,
                // A rehearsal goes by the screens that it shows.
                Err(EngineError::Device(DeviceError::Unsupported { .. })) => None,
                Err(error) => return Err(error.into()),
            }
        };
        if let Some(display) = display {
            self.stack.update_display(display);
        }
        Ok(())
    }
}

/// Returns true if a step of `file` may use the display: itself, or through an alias, as what that stands for is written
/// elsewhere in the file. Each `*` counts as one.
fn step_uses_display(written: &str, file: &str) -> bool {
    uses_display(written) || written.contains('*') && uses_display(file)
}

/// Returns true if a text has an expression that may use `device.width`, `device.height` or `device` as a whole. Words
/// beside the expression count too.
fn uses_display(text: &str) -> bool {
    const NAME: &str = "device";
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    text.contains("${")
        && text.match_indices(NAME).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + NAME.len()..]);
            match after.strip_prefix('.') {
                _ if before.ends_with(is_of_name) || after.starts_with(is_of_name) => false,
                Some(part) => part.starts_with("width") || part.starts_with("height"),
                None => true,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_expressions_with_the_display_use_it() {
        for (text, uses) in [
            ("assert: { that: \"${device.width == 720}\" }", true),
            ("assert: { that: \"${1 < device.height}\" }", true),
            ("set: { A: \"${device['width']}\", B: \"${device}\" }", true),
            ("type: \"${device.label}\"", false),
            ("set_device: { locale: \"${LOCALE}\" }", false),
            ("assert: { that: \"${my_device.width > 1}\" }", false),
            ("click: device", false),
        ] {
            assert_eq!(uses_display(text), uses, "{text}");
        }
    }

    #[test]
    fn an_alias_may_use_what_the_file_uses() {
        for written in ["swipe: *way", "touch: [*half, 100]", "<<: *step"] {
            let file = format!("set: {{ A: &half \"${{device.width}}\" }}\n{written}\n");
            assert!(step_uses_display(written, &file), "{written}");
            assert!(!step_uses_display(written, written), "{written}");
            assert!(!step_uses_display("home", &file), "{written}");
        }
    }
}
