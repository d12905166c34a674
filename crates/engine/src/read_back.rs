//! The check of a field after text was sent to it: what it holds is the evidence.

use std::time::Duration;

use super::arrival::holds;
use super::field::{Field, content, dots, focused_field};
use super::text::{TypedField, Typing};
use super::{EngineError, InputGuard, Session};
use runner_screen::{Node, Screen};

/// How long a field may take to show a text that was sent: frameworks draw it some frames later.
const SHOW_LIMIT: Duration = Duration::from_secs(2);

/// What a field should hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// What was sent.
    pub(super) text: &'a str,
    /// The whole text.
    pub(super) whole: &'a str,
    /// Dots of a password field beside those of `text`, where they are known.
    pub(super) dots: Option<usize>,
    /// No error holds a text.
    pub(super) secret: bool,
    /// How long the step waits.
    pub(super) timeout: Duration,
}

impl Wanted<'_> {
    /// Whether a password field that held `before` shows as many dots as it should. `None` where it shows none.
    fn shows_in_dots(&self, before: Option<usize>, now: Option<usize>) -> Option<bool> {
        let (Some(expected), Some(now)) = (self.dots, now) else {
            // A field that showed its hint shows it no more, or shows no dots at all.
            let is_unmoved = !self.text.is_empty() && before.is_some() && before == now;
            return is_unmoved.then_some(false);
        };
        // Frameworks count UTF-16 units, or characters.
        let lengths = [self.text.chars().count(), self.text.encode_utf16().count()];
        Some(lengths.iter().any(|length| expected + length == now))
    }
}

/// What a look shows of the field.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// The text, as the field writes it.
    Text(String),
    /// As many dots as there should be.
    Dots,
    /// A field for passwords, which shows nothing of what is in it.
    Nothing,
    /// The field is not on the screen.
    Gone,
    /// Something else.
    Other(String),
}

impl Session {
    /// Reads the field back until it holds what it should; what never comes is erased and typed anew once.
    pub(super) async fn verify(
        &self,
        turn: &InputGuard<'_>,
        mut field: Field,
        wanted: Wanted<'_>,
    ) -> Result<TypedField, EngineError> {
        if field.at.is_none() {
            return Ok(field.typed(None));
        }
        let other = match self.read_back(&field, wanted).await? {
            Shown::Other(other) => other,
            shown => return Ok(field.showing(shown)),
        };
        field.content = other;
        let mut again = field;
        // Nobody knows what is in a password field that is typed into anew.
        if again.secret && wanted.dots != Some(0) {
            return Err(again.not_typed(&wanted));
        }
        // What was sent may still arrive, or stand anywhere.
        turn.send(&again.clearing_after(wanted.whole)).await?;
        let left = again.content.clone();
        if holds(wanted.whole, &again.before) {
            // What it held before looks like the text: the field has to show that it takes keys.
            match self
                .read_back(
                    &again,
                    Wanted {
                        text: "",
                        whole: "",
                        ..wanted
                    },
                )
                .await?
            {
                Shown::Other(unmoved) if unmoved == again.before => {
                    again.content = unmoved;
                    return Err(again.not_typed(&wanted));
                }
                _ => again.before.clear(),
            }
        }
        self.enter(turn, Vec::new(), wanted.whole, Typing::default())
            .await?;
        match self.read_back(&again, wanted).await? {
            // An old release: what stands there once all is deleted, and cannot be deleted, is the hint.
            Shown::Other(hint)
                if wanted.whole.is_empty()
                    && hint == left
                    && !again.marks_hints()
                    && !again.secret
                    && !again.before.contains(&hint) =>
            {
                Ok(again.showing(Shown::Text(String::new())))
            }
            Shown::Other(other) => {
                again.content = other;
                Err(again.not_typed(&wanted))
            }
            shown => Ok(again.showing(shown)),
        }
    }

    /// Returns true if the driver reports, without a look, that the field has the focus and holds what it should. Only a look
    /// shows dots, a hint, or a field that another one opened.
    async fn is_confirmed_by_focus(
        &self,
        field: &Field,
        wanted: Wanted<'_>,
    ) -> Result<bool, EngineError> {
        let Some((screen, index)) = field.at.as_ref() else {
            return Ok(false);
        };
        let node = screen.node(*index);
        let says_nothing = field.secret
            || wanted.whole.is_empty()
            || [node.hint(), node.text(), &field.before].contains(&wanted.whole);
        if says_nothing {
            return Ok(false);
        }
        let limit = SHOW_LIMIT.min(wanted.timeout);
        let asked = self.device().focused_element(limit).await?;
        Ok(asked.is_some_and(|focused| {
            let (old, now) = (node.bounds(), focused.bounds);
            // A keyboard moves a field up and down.
            let is_same = old.left == now.left && old.right == now.right;
            let is_same = is_same && focused.class == node.class();
            is_same && !focused.is_password && focused.text == wanted.whole
        }))
    }

    /// Looks until the field holds what it should, or time is up.
    async fn read_back(&self, field: &Field, wanted: Wanted<'_>) -> Result<Shown, EngineError> {
        let limit = SHOW_LIMIT.min(wanted.timeout);
        if self.is_confirmed_by_focus(field, wanted).await? {
            return Ok(Shown::Text(wanted.whole.to_owned()));
        }
        let mut last = Shown::Gone;
        let waited = self
            .wait_until(limit, |screen| {
                last = self.read_field(field, screen, &wanted);
                let is_open = matches!(last, Shown::Other(_) | Shown::Gone);
                (!is_open).then(|| last.clone())
            })
            .await?;
        Ok(waited.found.unwrap_or(last))
    }

    fn read_field(&self, field: &Field, screen: &Screen, wanted: &Wanted<'_>) -> Shown {
        let Some(node) = self.field_on(field, screen) else {
            return Shown::Gone;
        };
        if field.secret || node.flags().password {
            let now = dots(node);
            return match wanted.shows_in_dots(field.masked, now) {
                None => Shown::Nothing,
                Some(true) => Shown::Dots,
                Some(false) => Shown::Other("•".repeat(now.unwrap_or(0))),
            };
        }
        // Where it may hold the text or nothing, since that is its hint too, it holds the text.
        let is_hint = node.shows_hint() && node.hint() == wanted.whole;
        let shown = if is_hint { wanted.whole } else { content(node) };
        if is_masked(wanted.whole, shown) {
            return Shown::Dots;
        }
        let changed = shown != field.before;
        // What was read before may have been the hint of a release that does not mark hints.
        let was_hint =
            || !wanted.text.is_empty() && !field.marks_hints() && holds(wanted.text, shown);
        if shown == wanted.whole || changed && (holds(wanted.whole, shown) || was_hint()) {
            Shown::Text(shown.to_owned())
        } else {
            Shown::Other(shown.to_owned())
        }
    }

    /// The field on a later screen, or another one that it opened and that took the focus, as search bars do.
    fn field_on<'a>(&self, field: &Field, screen: &'a Screen) -> Option<Node<'a>> {
        let (old, index) = field.at.as_ref()?;
        let same = self.find_again(old, *index, screen);
        let opened = focused_field(screen)
            .map(Node::index)
            .filter(|focused| same.is_none() || self.find_again(screen, *focused, old).is_none());
        opened.or(same).map(|index| screen.node(index))
    }
}

impl Field {
    /// The field as it was found, with what is in it now.
    pub(super) fn typed(self, content: Option<String>) -> TypedField {
        TypedField {
            is_password: self.secret,
            is_confirmed: content.is_some(),
            content,
            before: self.before,
            field: self.at,
        }
    }

    fn showing(self, shown: Shown) -> TypedField {
        match shown {
            Shown::Text(content) => self.typed(Some(content)),
            Shown::Dots => TypedField {
                is_password: true,
                is_confirmed: true,
                ..self.typed(None)
            },
            Shown::Nothing | Shown::Gone | Shown::Other(_) => self.typed(None),
        }
    }

    fn not_typed(self, wanted: &Wanted<'_>) -> EngineError {
        let is_hidden = wanted.secret || self.secret;
        let displayed = |text: String| (!is_hidden).then_some(text);
        EngineError::NotTyped {
            element: self.name,
            expected: displayed(wanted.whole.to_owned()),
            actual: displayed(self.content),
        }
    }
}

/// Whether the field shows a mark for every character, the last perhaps as it is: a password field that does not say so.
fn is_masked(whole: &str, content: &str) -> bool {
    const MARKS: [char; 4] = ['•', '●', '∗', '*'];
    let (mut wanted, mut displayed) = (whole.chars(), content.chars());
    let mut marks = 0;
    loop {
        match (wanted.next(), displayed.next()) {
            (None, None) => return marks > 0 && content != whole,
            (Some(_), Some(mark)) if MARKS.contains(&mark) => marks += 1,
            (Some(last), Some(same)) if last == same && wanted.as_str().is_empty() => {}
            _ => return false,
        }
    }
}
