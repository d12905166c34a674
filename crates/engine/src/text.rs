//! Text into fields: it arrives whole, which is read back, or it is refused.

use std::sync::Arc;
use std::time::Duration;

use super::act::{Aim, Readiness, click_target, touch_point};
use super::arrival::arrived;
use super::step_clock::DeviceRequest;
use super::wait::describe;
use super::{EngineError, InputGuard, Session};
use runner_device::{DeviceError, INPUT_LIMIT, Input, Key, text};
use runner_screen::{Node, NodeIndex, Screen, Selector};

/// Deletions for a field whose length nobody may know.
const BLIND_DELETIONS: usize = 128;
/// Longest text that is deleted key by key.
const MOST_DELETIONS: usize = 10_000;

/// Most characters that are typed with pauses in one round trip, so that none takes too long.
const CHARACTERS_AT_ONCE: usize = 20;

/// Which field is meant.
#[derive(Debug, Clone)]
pub enum Focus<'a> {
    /// The one that has the focus.
    Current(Readiness),
    /// The one that matches; it is clicked unless it has the focus.
    On(&'a Selector, Readiness),
    /// An element by an id of this session.
    Id(&'a str),
    /// An element of a look that was just taken.
    At(&'a Arc<Screen>, NodeIndex),
}

/// How text is typed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Typing {
    /// Empty the field first.
    pub clear: bool,
    /// Neither text nor contents go into errors.
    pub secret: bool,
    /// Character by character: the pause, and by how much it varies.
    pub speed: Option<(Duration, Duration)>,
    /// With keys, also where the device can put a text in at once.
    pub keys: bool,
}

/// A field after text was typed.
#[derive(Debug, Clone)]
pub struct TypedField {
    /// What is in it; `None` where it cannot be read: a password field, or one that went away.
    pub content: Option<String>,
    /// What was in it before, where it could be read.
    pub before: String,
    /// The screen before, and the field on it; `None` where text went into what has focus and is not a text field.
    pub field: Option<(Arc<Screen>, NodeIndex)>,
    /// The field shows dots for what is typed: it says so, or was seen to.
    pub is_password: bool,
}

impl TypedField {
    /// The text, where it went into a password field.
    pub fn hidden<'a>(&self, text: &'a str) -> Option<&'a str> {
        (self.is_password && !text.is_empty()).then_some(text)
    }
}

/// What an insertion came to.
#[derive(Debug)]
pub enum Insertion {
    /// The text stands in the field.
    Typed(TypedField),
    /// The field's text is shorter than where the insertion was to be; nothing was typed.
    BeyondEnd {
        /// UTF-16 units of the field's text.
        length: usize,
    },
}

/// Where in the field the text goes.
#[derive(Debug, Clone, Copy)]
struct CaretPosition {
    /// Characters (code points) before the caret.
    caret: usize,
    /// How many of them to delete just before it.
    delete: usize,
}

impl Session {
    /// Types at the end of a field.
    pub async fn type_text(
        &self,
        focus: Focus<'_>,
        text: &str,
        typing: Typing,
        timeout: Duration,
    ) -> Result<TypedField, EngineError> {
        let turn = self.lock_input().await;
        let mut field = Field::locate(self, &turn, &focus, timeout).await?;
        let old = if typing.clear { "" } else { &field.content };
        let whole = format!("{old}{text}");
        let known = typing.clear || !field.secret || field.masked == Some(0);
        if known && self.put_in(&turn, &mut field, text, &whole, typing).await? {
            return self.verify(&turn, field, text, &whole, typing).await;
        }
        let mut prelude = field.focusing()?;
        if typing.clear {
            prelude.extend(field.clearing());
        } else if field.may_hold_text() {
            prelude.push(press("MOVE_END"));
        }
        self.enter(&turn, prelude, text, typing).await?;
        self.verify(&turn, field, text, &whole, typing).await
    }

    /// Types before the character at `offset` (UTF-16 units).
    pub async fn insert_text(
        &self,
        focus: Focus<'_>,
        offset: usize,
        text: &str,
        typing: Typing,
        timeout: Duration,
    ) -> Result<Insertion, EngineError> {
        let turn = self.lock_input().await;
        let field = Field::locate(self, &turn, &focus, timeout).await?;
        let length = match field.masked.filter(|_| field.secret) {
            // Nobody reads what is in it, but it shows how much that is.
            Some(characters) => characters,
            None => field.content.encode_utf16().count(),
        };
        if offset > length {
            return Ok(Insertion::BeyondEnd { length });
        }
        let at = byte_at_utf16(&field.content, offset);
        let (head, tail) = field.content.split_at(at);
        let whole = format!("{head}{text}{tail}");
        let before = if field.secret {
            offset
        } else {
            head.chars().count()
        };
        let place = CaretPosition {
            caret: before,
            delete: 0,
        };
        self.rewrite(&turn, field, place, text, &whole, typing)
            .await
            .map(Insertion::Typed)
    }

    /// Replaces the first occurrence of `search`. `None`: it does not occur.
    pub async fn replace_text(
        &self,
        focus: Focus<'_>,
        search: &str,
        new_text: &str,
        typing: Typing,
        timeout: Duration,
    ) -> Result<Option<TypedField>, EngineError> {
        let turn = self.lock_input().await;
        let field = Field::locate(self, &turn, &focus, timeout).await?;
        let Some((head, tail)) = field.content.split_once(search) else {
            return Ok(None);
        };
        let whole = format!("{head}{new_text}{tail}");
        let place = CaretPosition {
            caret: head.chars().count() + search.chars().count(),
            delete: search.chars().count(),
        };
        self.rewrite(&turn, field, place, new_text, &whole, typing)
            .await
            .map(Some)
    }

    /// Makes `whole` the text of a field at once, where the device can; `text` is what is new of it. Line feeds at its end
    /// are ENTER, as they are where it is typed. `false`: nothing but a touch was sent.
    async fn put_in(
        &self,
        turn: &InputGuard<'_>,
        field: &mut Field,
        text: &str,
        whole: &str,
        typing: Typing,
    ) -> Result<bool, EngineError> {
        let enters = if whole.ends_with(text) {
            text.len() - text.trim_end_matches('\n').len()
        } else {
            0
        };
        let (body, start) = (&whole[..whole.len() - enters], &text[..text.len() - enters]);
        // A key within the text may do anything, such as going to the next field.
        let presses_keys = start.contains(['\n', '\t']) && text::has_keys(start);
        if typing.keys
            || typing.speed.is_some()
            || presses_keys
            || field.at.is_none()
            || !self.device().sets_text()
        {
            return Ok(false);
        }
        turn.send(&field.focusing()?).await?;
        field.focused = true;
        // Not by keys, so there is no input to report.
        self.notify_input(&[]).await;
        let watch = self.clock.watch(DeviceRequest::Input, Duration::ZERO);
        let limit = self.clock.bound(INPUT_LIMIT);
        self.note_typing();
        let put = self.device().set_text(body, limit).await;
        watch.done();
        if !put? {
            return Ok(false);
        }
        let enters: Vec<Input> = presses("ENTER", enters).collect();
        turn.send(&enters).await?;
        Ok(true)
    }

    /// Empties a field, or deletes `count` characters before its end.
    pub async fn erase(
        &self,
        focus: Focus<'_>,
        count: Option<usize>,
        timeout: Duration,
    ) -> Result<TypedField, EngineError> {
        let turn = self.lock_input().await;
        let mut field = Field::locate(self, &turn, &focus, timeout).await?;
        let keep = match count {
            Some(count) => {
                let length = field.content.chars().count();
                field
                    .content
                    .chars()
                    .take(length.saturating_sub(count))
                    .collect()
            }
            None => String::new(),
        };
        // A password field reads as empty, whatever it holds.
        if field.content == keep && (!field.secret || field.masked == Some(0)) {
            return Ok(field.typed(Some(keep)));
        }
        let typing = Typing::default();
        let known = count.is_none() || !field.secret;
        if known && self.put_in(&turn, &mut field, "", &keep, typing).await? {
            return self.verify(&turn, field, "", &keep, typing).await;
        }
        let mut inputs = field.focusing()?;
        match count {
            Some(count) => {
                inputs.push(press("MOVE_END"));
                inputs.extend(presses("DEL", count.min(MOST_DELETIONS)));
            }
            None => inputs.extend(field.clearing()),
        }
        turn.send(&inputs).await?;
        self.verify(&turn, field, "", &keep, typing).await
    }

    /// What a password field shows of what is in it: a dot a character. Nothing where it went away.
    pub async fn dots_in(&self, typed: &TypedField) -> Result<String, EngineError> {
        let Some((before, index)) = &typed.field else {
            return Ok(String::new());
        };
        let screen = self.look().await?;
        let index = self.find_again(before, *index, &screen);
        let dots = index.map_or(0, |index| {
            let node = screen.node(index);
            if node.flags().password {
                node.masked_characters()
            } else {
                node.text().chars().count()
            }
        });
        Ok("•".repeat(dots))
    }

    async fn rewrite(
        &self,
        turn: &InputGuard<'_>,
        mut field: Field,
        place: CaretPosition,
        text: &str,
        whole: &str,
        typing: Typing,
    ) -> Result<TypedField, EngineError> {
        let at_end = whole.ends_with(text);
        if !field.secret
            && (at_end || !text.ends_with('\n'))
            && self.put_in(turn, &mut field, text, whole, typing).await?
        {
            return self.verify(turn, field, text, whole, typing).await;
        }
        let mut prelude = field.focusing()?;
        prelude.extend(field.caret_to(place));
        self.enter(turn, prelude, text, typing).await?;
        self.verify(turn, field, text, whole, typing).await
    }

    /// Sends the prelude and the text: in one round trip where every character has a key.
    async fn enter(
        &self,
        turn: &InputGuard<'_>,
        mut prelude: Vec<Input>,
        characters: &str,
        typing: Typing,
    ) -> Result<(), EngineError> {
        let Some((pause, variance)) = typing.speed else {
            if let Some(keys) = text::inputs(characters) {
                prelude.extend(keys);
                return turn.send(&prelude).await;
            }
            turn.send(&prelude).await?;
            return self.commit(characters).await;
        };
        let mut inputs = prelude;
        for (count, character) in characters.chars().enumerate() {
            if count > 0 && count % CHARACTERS_AT_ONCE == 0 {
                turn.send(&std::mem::take(&mut inputs)).await?;
            }
            let character = character.to_string();
            match text::inputs(&character) {
                Some(keys) => inputs.extend(keys),
                // Keys and broadcasts reach the field by different ways: what comes first is sent first.
                None => {
                    turn.send(&std::mem::take(&mut inputs)).await?;
                    self.commit(&character).await?;
                }
            }
            inputs.push(Input::Pause(varied(pause, variance)));
        }
        turn.send(&inputs).await
    }

    /// Text that has characters without a key.
    pub(super) async fn commit(&self, characters: &str) -> Result<(), EngineError> {
        let watch = self.clock.watch(DeviceRequest::Input, Duration::ZERO);
        let bound = |usual| self.clock.bound(usual);
        self.note_typing();
        let committed = text::commit(self.device(), characters, &bound).await;
        watch.done();
        Ok(committed?)
    }

    /// Reads the field back; what is not as it should be is typed anew once.
    async fn verify(
        &self,
        turn: &InputGuard<'_>,
        field: Field,
        text: &str,
        whole: &str,
        typing: Typing,
    ) -> Result<TypedField, EngineError> {
        if field.secret || field.at.is_none() {
            return Ok(field.typed(None));
        }
        let Some(content) = self.read_back(&field, whole).await? else {
            return Ok(field.typed(None));
        };
        if is_masked(whole, &content) {
            return Ok(Field {
                secret: true,
                ..field
            }
            .typed(None));
        }
        if arrived(&field.content, text, whole, &content) || field.was_hint(text, &content) {
            return Ok(field.typed(Some(content)));
        }
        // All of it anew: where the caret is and what arrived is not known.
        let again = Field {
            content,
            focused: true,
            ..field
        };
        let prelude = if again.content.is_empty() {
            Vec::new()
        } else {
            again.clearing()
        };
        self.enter(turn, prelude, whole, Typing::default()).await?;
        match self.read_back(&again, whole).await? {
            // An old release: what stands there once all is deleted, and cannot be deleted, is the hint.
            Some(content)
                if whole.is_empty() && content == again.content && content != again.before =>
            {
                Ok(again.typed(Some(String::new())))
            }
            Some(content) if !arrived("", whole, whole, &content) => {
                let displayed = |text: String| (!typing.secret).then_some(text);
                Err(EngineError::NotTyped {
                    element: again.name,
                    expected: displayed(whole.to_owned()),
                    actual: displayed(content),
                })
            }
            content => Ok(again.typed(content)),
        }
    }

    /// What is in the field now. Where it may hold `whole` or nothing, since that is its hint too, it holds `whole`.
    async fn read_back(&self, field: &Field, whole: &str) -> Result<Option<String>, EngineError> {
        let screen = self.look().await?;
        // The field with the focus first: a search bar may have opened another one, which took the text.
        let index = focused_field(&screen).map(Node::index).or_else(|| {
            let (old, index) = field.at.as_ref()?;
            self.find_again(old, *index, &screen)
        });
        Ok(index.map(|index| {
            let node = screen.node(index);
            let is_whole = node.shows_hint() && node.hint() == whole;
            if is_whole { whole } else { content(node) }.to_owned()
        }))
    }
}

/// A field that was found.
#[derive(Debug, Clone)]
struct Field {
    at: Option<(Arc<Screen>, NodeIndex)>,
    name: String,
    content: String,
    before: String,
    focused: bool,
    secret: bool,
    /// How many characters a password field holds, where the dump shows it.
    masked: Option<usize>,
}

impl Field {
    async fn locate(
        session: &Session,
        turn: &InputGuard<'_>,
        focus: &Focus<'_>,
        timeout: Duration,
    ) -> Result<Self, EngineError> {
        let (screen, index) = match focus {
            Focus::On(selector, readiness) => {
                let aim = Aim {
                    selector,
                    readiness: *readiness,
                    target: text_target,
                };
                session.find_to_act(aim, timeout).await?
            }
            Focus::Id(id) => session.element(id).await?,
            Focus::At(screen, index) => (Arc::clone(screen), *index),
            Focus::Current(readiness) => {
                let screen = focused(session, *readiness, timeout).await?;
                let Some(index) = focused_field(&screen).map(Node::index) else {
                    return Self::unseen(&screen);
                };
                (screen, index)
            }
        };
        let index = editable_part(screen.node(index)).index();
        let (screen, index) = if screen.node(index).is_editable() {
            (screen, index)
        } else {
            opened_by(session, turn, screen.node(index)).await?
        };
        let node = screen.node(index);
        let content = content(node).to_owned();
        Ok(Self {
            name: describe(node),
            before: content.clone(),
            content,
            focused: node.flags().focused,
            secret: node.flags().password,
            masked: match node.masked_characters() {
                0 => node.shows_hint().then_some(0),
                some => Some(some),
            },
            at: Some((screen, index)),
        })
    }

    /// Something else may take text: a game, a terminal. It cannot be read back.
    fn unseen(screen: &Screen) -> Result<Self, EngineError> {
        let takes_text = screen.keyboard_shown()
            // A focused button takes no text.
            || screen.nodes().any(|node| {
                let flags = node.flags();
                flags.focused && !flags.clickable
            });
        if !takes_text {
            return Err(EngineError::NoFocus);
        }
        Ok(Self {
            at: None,
            name: "what has the focus".to_owned(),
            content: String::new(),
            before: String::new(),
            focused: true,
            secret: false,
            masked: None,
        })
    }

    /// The touch that gives it the focus, if it needs one.
    fn focusing(&self) -> Result<Vec<Input>, EngineError> {
        let Some((screen, index)) = self.at.as_ref().filter(|_| !self.focused) else {
            return Ok(Vec::new());
        };
        let node = screen.node(*index);
        let point = touch_point(node, node).ok_or_else(|| EngineError::Hidden {
            element: self.name.clone(),
        })?;
        Ok(vec![Input::Tap(point)])
    }

    /// Whether there may be an end to go to: what is in a password field is not read.
    fn may_hold_text(&self) -> bool {
        !self.content.is_empty() || (self.secret && self.masked != Some(0))
    }

    /// The keys that empty it, wherever the caret is.
    fn clearing(&self) -> Vec<Input> {
        let length = if self.secret {
            self.masked.unwrap_or(BLIND_DELETIONS).min(MOST_DELETIONS)
        } else {
            self.content.chars().count().min(MOST_DELETIONS)
        };
        let mut inputs = vec![press("MOVE_END")];
        inputs.extend(presses("DEL", length));
        if self.content.contains('\n') {
            // The end of a line is not the end of the text.
            inputs.extend(presses("FORWARD_DEL", length));
        }
        inputs
    }

    fn caret_to(&self, place: CaretPosition) -> Vec<Input> {
        // In several lines, MOVE_HOME alone goes to the beginning of its line.
        let mut inputs = vec![if self.content.contains('\n') {
            Input::Combination(vec![Key::named("CTRL_LEFT"), Key::named("MOVE_HOME")])
        } else {
            press("MOVE_HOME")
        }];
        inputs.extend(presses("DPAD_RIGHT", place.caret));
        inputs.extend(presses("DEL", place.delete));
        inputs
    }

    /// Whether what was read as its content was a hint: a release that does not mark hints shows just the text now.
    fn was_hint(&self, text: &str, content: &str) -> bool {
        let tells_hints = |(screen, index): &(Arc<Screen>, NodeIndex)| {
            let node = screen.node(*index);
            !node.hint().is_empty()
        };
        !text.is_empty() && content == text && !self.at.as_ref().is_some_and(tells_hints)
    }

    fn typed(self, content: Option<String>) -> TypedField {
        TypedField {
            is_password: self.secret,
            content,
            before: self.before,
            field: self.at,
        }
    }
}

/// The field that has the focus after a click on an element that takes no text itself, such as a search bar.
async fn opened_by(
    session: &Session,
    turn: &InputGuard<'_>,
    node: Node<'_>,
) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
    let element = describe(node);
    let point = touch_point(node, click_target(node)).ok_or_else(|| EngineError::Hidden {
        element: element.clone(),
    })?;
    turn.send(&[Input::Tap(point)]).await?;
    let screen = session.look().await?;
    // A field that had the focus before was not opened by the click: text meant for the element is not for it.
    let had_focus = focused_field(node.screen())
        .and_then(|field| session.find_again(node.screen(), field.index(), &screen));
    match focused_field(&screen).map(Node::index) {
        Some(index) if had_focus != Some(index) => Ok((screen, index)),
        _ => Err(EngineError::NotEditable { element }),
    }
}

/// The screen, as soon as the field with the focus, where there is one, may be typed into.
async fn focused(
    session: &Session,
    readiness: Readiness,
    timeout: Duration,
) -> Result<Arc<Screen>, EngineError> {
    let is_off = |screen: &Screen| focused_field(screen).is_some_and(|it| !readiness.allows(it));
    let screen = session.look().await?;
    if !is_off(&screen) {
        return Ok(screen);
    }
    let waited = session
        .wait_until(timeout, |screen| (!is_off(screen)).then_some(()))
        .await?;
    let screen = waited.screen.unwrap_or(screen);
    if waited.found.is_some() {
        return Ok(screen);
    }
    Err(EngineError::Disabled {
        selector: "the field with the focus".to_owned(),
        element: focused_field(&screen).map(describe).unwrap_or_default(),
        waited: waited.elapsed,
    })
}

/// The text field that has the focus.
pub(super) fn focused_field(screen: &Screen) -> Option<Node<'_>> {
    screen
        .nodes()
        .find(|node| node.flags().focused && node.is_editable())
}

/// The element itself where it takes text, else the only field inside it: a labelled box is often named, not its field.
fn editable_part(node: Node<'_>) -> Node<'_> {
    if node.is_editable() {
        return node;
    }
    let mut fields = node.descendants().filter(|node| node.is_editable());
    match (fields.next(), fields.next()) {
        (Some(field), None) => field,
        _ => node,
    }
}

/// What takes the touch that is to give the focus to a field.
fn text_target(node: Node<'_>) -> Node<'_> {
    let part = editable_part(node);
    if part.is_editable() {
        part
    } else {
        click_target(part)
    }
}

/// What is in a field, as far as it may be read.
fn content(node: Node<'_>) -> &str {
    if node.flags().password {
        ""
    } else {
        node.text()
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

fn byte_at_utf16(text: &str, offset: usize) -> usize {
    let mut units = 0;
    for (at, character) in text.char_indices() {
        if units >= offset {
            return at;
        }
        units += character.len_utf16();
    }
    text.len()
}

fn varied(pause: Duration, variance: Duration) -> Duration {
    // A pause cannot be shorter than nothing.
    let variance = variance.min(pause).as_millis() as u64;
    let base = pause.as_millis() as u64;
    Duration::from_millis(fastrand::u64(base - variance..=base + variance))
}

/// One short press.
fn press(name: &'static str) -> Input {
    Input::Key {
        key: Key::named(name),
        long: false,
    }
}

fn presses(name: &'static str, count: usize) -> impl Iterator<Item = Input> {
    std::iter::repeat_n(press(name), count)
}

impl Session {
    /// Puts a character in that has a key of another meaning, where the device takes text without keys; else the key.
    pub async fn commit_or_press(&self, text: &str, key: &'static str) -> Result<(), EngineError> {
        let turn = self.lock_input().await;
        match self.commit(text).await {
            Err(EngineError::Device(DeviceError::Unsupported { .. })) => {
                turn.send(&[press(key)]).await
            }
            result => result,
        }
    }

    /// Presses one key of this program's own choice.
    pub async fn press(&self, name: &'static str) -> Result<(), EngineError> {
        self.input(&[press(name)]).await
    }

    /// Hides the keyboard with the back key, only where one is shown; `false` where none was.
    pub async fn hide_keyboard(&self, limit: Duration) -> Result<bool, EngineError> {
        let turn = self.lock_input().await;
        if !self.look().await?.keyboard_shown() {
            return Ok(false);
        }
        turn.send(&[press("BACK")]).await?;
        let waited = self
            .wait_until(limit, |screen| (!screen.keyboard_shown()).then_some(()))
            .await?;
        match waited.found {
            Some(()) => Ok(true),
            None => Err(EngineError::StillThere {
                selector: "the keyboard".to_owned(),
                waited: waited.elapsed,
                candidates: Vec::new(),
            }),
        }
    }
}
