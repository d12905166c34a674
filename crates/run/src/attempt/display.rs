//! Size and density of the display in expressions, as they are when they are evaluated.

use super::Attempt;
use runner_device::DeviceError;
use runner_engine::EngineError;
use runner_flow::Step;
use runner_tools::Failure;

impl Attempt<'_> {
    /// Updates `device.width`, `device.height` and `device.density` before expressions of a step are evaluated; does
    /// nothing if the step does not use them. Asks the device only if something was done since the last look, or for the
    /// density, which the look of a server does not have. If the device does not tell its display, or shows recorded
    /// screens, they are those of the last look, or stay as they are.
    ///
    /// # Errors
    /// If the device does not answer.
    pub(super) async fn learn_display(&mut self, step: &Step) -> Result<(), Failure> {
        let file = &step.source.text;
        let written = file.get(step.span.clone()).unwrap_or(file);
        self.learn_display_for(text_with_aliases(written, file))
            .await
    }

    /// Same as [`Self::learn_display`], for the expressions of a whole file.
    pub(super) async fn learn_display_for(&mut self, file: &str) -> Result<(), Failure> {
        let needs_density = uses_device(file, &["density"]);
        if !needs_density && !uses_device(file, &["width", "height"]) {
            return Ok(());
        }
        let session = self.context.session;
        let looked = session.last_screen().filter(|_| session.has_new_look());
        let looked = looked.map(|screen| screen.display());
        let display = if looked.is_some() && !needs_density {
            looked
        } else {
            match session.display_now().await {
                Ok(display) => display,
                // A rehearsal goes by the screens that it shows.
                Err(EngineError::Device(DeviceError::Unsupported { .. })) => looked,
                Err(error) => return Err(error.into()),
            }
        };
        if let Some(display) = display {
            self.stack.update_display(display);
        }
        Ok(())
    }
}

/// Returns the text in which the expressions of a step of `file` stand: the step's own, or the whole file if the step may
/// have an alias, as what that stands for is written elsewhere in the file. Each `*` counts as one.
fn text_with_aliases<'a>(written: &'a str, file: &'a str) -> &'a str {
    if written.contains('*') { file } else { written }
}

/// Returns true if a text has an expression that may use one of these `parts` of `device`, or `device` as a whole. Words
/// beside the expression count too.
fn uses_device(text: &str, parts: &[&str]) -> bool {
    const NAME: &str = "device";
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    text.contains("${")
        && text.match_indices(NAME).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + NAME.len()..]);
            match after.strip_prefix('.') {
                _ if before.ends_with(is_of_name) || after.starts_with(is_of_name) => false,
                Some(part) => parts.iter().any(|wanted| part.starts_with(wanted)),
                None => true,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_expressions_with_a_part_of_the_device_use_it() {
        for (text, size, density) in [
            ("assert: { that: \"${device.width == 720}\" }", true, false),
            ("assert: { that: \"${1 < device.height}\" }", true, false),
            (
                "assert: { that: \"${device.density == 320}\" }",
                false,
                true,
            ),
            (
                "set: { A: \"${device['width']}\", B: \"${device}\" }",
                true,
                true,
            ),
            ("type: \"${device.label}\"", false, false),
            ("set_device: { locale: \"${LOCALE}\" }", false, false),
            ("assert: { that: \"${my_device.width > 1}\" }", false, false),
            ("click: device", false, false),
        ] {
            assert_eq!(uses_device(text, &["width", "height"]), size, "{text}");
            assert_eq!(uses_device(text, &["density"]), density, "{text}");
        }
    }

    #[test]
    fn an_alias_may_use_what_the_file_uses() {
        for written in ["swipe: *way", "touch: [*half, 100]", "<<: *step"] {
            let file = format!("set: {{ A: &half \"${{device.width}}\" }}\n{written}\n");
            assert_eq!(text_with_aliases(written, &file), file, "{written}");
        }
        assert_eq!(text_with_aliases("home", "*"), "home");
    }
}
