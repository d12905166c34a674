//! Commands for text, keys, and the text that `copyTextFrom` remembers.

use std::sync::Arc;
use std::time::Duration;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::find::USUAL;
use runner_device::{Input, Key};
use runner_engine::MIN_REQUEST_LIMIT;
use runner_flow::maestro::{self, MaestroCommand, RandomKind};
use runner_screen::{Node, Rect, Screen};
use runner_tools::Failure;

/// Characters that `eraseText` deletes without a number: `MAX_ERASE_CHARACTERS` of `Orchestra.kt`.
const DEFAULT_ERASED_CHARS: u32 = 50;
/// Chosen: keeps a mistyped number from pressing the delete key for hours.
const MAX_ERASED_CHARS: usize = 10_000;

/// Returns the field that has the focus.
fn field(screen: &Screen) -> Option<Node<'_>> {
    let mut nodes = screen.nodes();
    nodes.find(|node| node.flags().focused && (node.is_editable() || node.flags().password))
}

#[derive(Debug, Clone, Copy)]
struct TypingField {
    is_password: bool,
    bounds: Rect,
}

impl TypingField {
    fn new(field: Node<'_>) -> Self {
        Self {
            is_password: field.flags().password,
            bounds: field.bounds(),
        }
    }
}

impl Interpreter<'_, '_> {
    /// Runs a command that types, erases, copies or presses a key; any other one presses back once if a keyboard is
    /// shown, and fails if that stays for 3 s. `eraseText` without a number deletes up to 50 characters. `pasteText`
    /// without a copied text does nothing. `setClipboard` sets Maestro's own clipboard, not the device's.
    pub(super) async fn input_command(
        &mut self,
        command: &MaestroCommand,
        optional: bool,
    ) -> Result<StepResult, FailedTry> {
        match command {
            MaestroCommand::InputText(raw) => {
                let text = self.words(raw).await?;
                self.type_words(&text).await
            }
            MaestroCommand::InputRandom { kind, length } => {
                let text = self.random_text(*kind, *length)?;
                self.type_words(&text).await
            }
            MaestroCommand::PasteText => match self.state().scope.copied_text() {
                Some(text) => {
                    let text = text.to_owned();
                    self.type_words(&text).await
                }
                None => Ok(StepResult::default()),
            },
            MaestroCommand::EraseText(count) => {
                self.erase(count.unwrap_or(DEFAULT_ERASED_CHARS)).await
            }
            MaestroCommand::CopyTextFrom(selector) => self.copy_text(selector, optional).await,
            MaestroCommand::SetClipboard(raw) => {
                let text = self.words(raw).await?;
                self.state().scope.set_copied_text(text);
                Ok(StepResult::default())
            }
            MaestroCommand::Back => self.press_key(maestro::PressedKey::Back).await,
            MaestroCommand::PressKey(key) => self.press_key(*key).await,
            _ => {
                let session = self.context.session;
                session.begin_step(USUAL);
                session
                    .hide_keyboard(Duration::from_secs(3))
                    .await
                    .map_err(Failure::from)?;
                Ok(StepResult::default())
            }
        }
    }

    /// Presses a key once. Unless a look since the last act has shown the window in front, it waits before until the
    /// screen rests, for at most ten looks.
    async fn press_key(&mut self, key: maestro::PressedKey) -> Result<StepResult, FailedTry> {
        // A key has no place. It goes to the window in front, which a look since the last act has shown.
        if !self.context.session.has_new_look() {
            self.wait_for_idle().await?;
        }
        let key: Key = key
            .code()
            .to_string()
            .parse()
            .map_err(|error: runner_device::KeyError| Failure::from(error))?;
        let session = self.context.session;
        session.begin_step(USUAL);
        let input = Input::Key { key, long: false };
        session.input(&[input]).await.map_err(Failure::from)?;
        Ok(StepResult::default())
    }

    /// Types, with ENTER for line feeds, even if no field is known to have the focus. Dialogs are answered before, by
    /// the project's rules. Like Maestro it does not read back: fields that format their text or pass the focus on would
    /// seem broken. Text for a password field is masked from now on. Returns the field's bounds if one is known.
    async fn type_words(&mut self, text: &str) -> Result<StepResult, FailedTry> {
        let session = self.context.session;
        self.answer_dialogs_before_text().await?;
        let field = self.field_to_type_into().await?;
        if field.is_some_and(|field| field.is_password) && !text.is_empty() {
            self.context.reporter.scrubber().add_typed(text);
        }
        self.context.typed_secrets.note(text);
        session.begin_step(USUAL);
        session.type_blind(text).await.map_err(Failure::from)?;
        Ok(StepResult {
            bounds: field.map(|field| field.bounds),
            ..StepResult::default()
        })
    }

    /// Answers dialogs by the project's rules, as text would go to them. A dialog whose own field has the focus is left.
    async fn answer_dialogs_before_text(&self) -> Result<(), FailedTry> {
        let session = self.context.session;
        if session.has_dialog_rules() {
            session.begin_step(USUAL);
            let answered = session.answer_dialogs_before_text().await;
            answered.map_err(Failure::from)?;
        }
        Ok(())
    }

    /// Returns the field to type into, once it takes keys: it was touched and has the focus, or was seen with
    /// the focus since the last act. Otherwise it returns the field that has the focus once the screen rests.
    /// `None` if no field has it then. Keys follow the focus, so the field itself need not rest.
    async fn field_to_type_into(&mut self) -> Result<Option<TypingField>, FailedTry> {
        let session = self.context.session;
        let touched = self.state().touched_before;
        let seen = session.last_screen().filter(|_| session.has_new_look());
        let screen = match (seen, touched) {
            (Some(seen), _) => Some(seen),
            (None, Some(touched)) => {
                session.begin_step(USUAL);
                let focused = session.device().focused_element(MIN_REQUEST_LIMIT).await;
                let focused = focused
                    .map_err(Failure::from)?
                    .filter(|it| it.class.ends_with("EditText") && it.bounds.contains(touched));
                if let Some(focused) = focused {
                    return Ok(Some(TypingField {
                        is_password: focused.is_password,
                        bounds: focused.bounds,
                    }));
                }
                session.look().await.ok()
            }
            (None, None) => None,
        };
        let in_focus = |screen: &Arc<Screen>| {
            let field = field(screen);
            let field = field.filter(|it| touched.is_none_or(|at| it.bounds().contains(at)));
            field.map(TypingField::new)
        };
        if let Some(found) = screen.as_ref().and_then(in_focus) {
            return Ok(Some(found));
        }
        let rested = self.wait_for_idle().await?;
        let screen = rested.or_else(|| session.last_screen());
        Ok(screen.as_deref().and_then(field).map(TypingField::new))
    }

    /// Waits until the screen rests, for at most ten looks, and deletes `count` characters before the end of what has
    /// the focus, wherever the cursor is: at most [`MAX_ERASED_CHARS`], and no more than the field holds. For a
    /// password field, or without a focused field, it sends all. Dialogs are answered before, by the project's rules.
    /// Fails if the screen cannot be read. The field is not read back.
    async fn erase(&mut self, count: u32) -> Result<StepResult, FailedTry> {
        self.wait_for_idle().await?;
        let session = self.context.session;
        session.begin_step(USUAL);
        self.answer_dialogs_before_text().await?;
        let screen = session.look().await.map_err(Failure::from)?;
        let mut count = (count as usize).min(MAX_ERASED_CHARS);
        let mut bounds = None;
        if let Some(field) = field(&screen) {
            bounds = Some(field.bounds());
            if !field.flags().password {
                count = count.min(field.text().chars().count());
            }
        }
        if count > 0 {
            session.delete_blind(count).await.map_err(Failure::from)?;
        }
        Ok(StepResult {
            bounds,
            ..StepResult::default()
        })
    }

    /// Copies the element's text, else its hint, else its description, to Maestro's own clipboard. Waits for the
    /// element as [`Self::find`] does. An element without all three, and a toast, are failures.
    async fn copy_text(
        &mut self,
        selector: &maestro::RawSelector,
        optional: bool,
    ) -> Result<StepResult, FailedTry> {
        let found = self.find(selector, optional).await?;
        let place = found.place()?;
        let text = found.node().and_then(|node| {
            [node.text(), node.hint(), node.desc()]
                .into_iter()
                .find(|text| !text.is_empty())
                .map(str::to_owned)
        });
        let text = text.ok_or_else(|| Failure::assertion("the element has no text to copy"))?;
        self.state().scope.set_copied_text(text);
        Ok(StepResult {
            bounds: Some(place),
            ..StepResult::default()
        })
    }

    /// Makes random data, the same for the same seed, flow, device and attempt. `length` counts for texts and numbers
    /// only; 0 means 8. A person's name is a first and a last one. A program without the feature `maestro` fails.
    #[cfg(feature = "maestro")]
    fn random_text(&mut self, kind: RandomKind, length: u32) -> Result<String, Failure> {
        let length = if length == 0 { 8 } else { length };
        let names: &[&str] = match kind {
            RandomKind::Text => &["text.text"],
            RandomKind::Number => &["number.randomNumber"],
            RandomKind::Email => &["internet.emailAddress"],
            RandomKind::PersonName => &["name.firstName", "name.lastName"],
            RandomKind::CityName => &["address.cityName"],
            RandomKind::CountryName => &["address.country"],
            RandomKind::ColorName => &["color.name"],
        };
        let takes_length = matches!(kind, RandomKind::Text | RandomKind::Number);
        let arguments: Vec<String> = takes_length
            .then(|| length.to_string())
            .into_iter()
            .collect();
        let random = &mut self.state().random;
        let words = names
            .iter()
            .map(|name| random.make(name, &arguments).map(|value| value.to_string()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Failure::usage(error.to_string()))?;
        Ok(words.join(" "))
    }

    #[cfg(not(feature = "maestro"))]
    #[expect(
        clippy::unused_self,
        reason = "the version with the feature `maestro` uses it, and callers are the same"
    )]
    fn random_text(&mut self, _: RandomKind, _: u32) -> Result<String, Failure> {
        Err(Failure::unsupported(
            "this program was built without the feature `maestro`, which random data needs",
        ))
    }
}
