//! Results of steps and tools: outcome and verdict.

use camino::Utf8PathBuf;
use serde_json::Value;

use super::{Failure, Reader, Resource, Words};
use runner_screen::{AbsenceProof, Rect};

/// Result of a tool when it is used as a step.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one per call, so its size does not matter"
)]
pub enum Verdict {
    Passed,
    /// The step failed although the tool answered (`found: false`, `AMBIGUOUS`, …).
    Failed(Failure),
}

/// Text of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerText {
    /// A text of its own.
    Words(Words),
    /// The answer's value as JSON.
    Value,
}

impl<T: Into<Words>> From<T> for AnswerText {
    fn from(words: T) -> Self {
        Self::Words(words.into())
    }
}

/// Result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Text for MCP clients; verbatim where a reference quotes it.
    pub text: AnswerText,
    /// Result for `as`: `${total.text}`. If it is null, `as` keeps the text.
    pub value: Value,
    /// Result as a step.
    pub verdict: Verdict,
    /// Pictures as encoded bytes with their media types.
    pub images: Vec<(String, Vec<u8>)>,
    /// Files of the call that a client may read.
    pub links: Vec<Resource>,
    /// Touched area, for reports.
    pub bounds: Option<Rect>,
    /// Text of a password field, which no output may show from now on.
    pub hidden: Option<String>,
    /// Sentences of the program within the value, whose words are not masked.
    pub sentences: Vec<Words>,
    /// File that the call wrote on this computer.
    pub file: Option<Utf8PathBuf>,
    /// Notes for people on a call that passed.
    pub notes: Vec<Words>,
}

impl Outcome {
    /// Builds a passed outcome with a text and no value.
    pub fn text(text: impl Into<Words>) -> Self {
        Self {
            text: AnswerText::Words(text.into()),
            value: Value::Null,
            verdict: Verdict::Passed,
            images: Vec::new(),
            links: Vec::new(),
            bounds: None,
            hidden: None,
            sentences: Vec::new(),
            file: None,
            notes: Vec::new(),
        }
    }

    /// Returns the text of the answer; if that is the result itself, as JSON.
    pub fn words(&self) -> Words {
        match &self.text {
            AnswerText::Words(words) => words.clone(),
            AnswerText::Value => self.value.to_string().into(),
        }
    }

    /// Builds a passed outcome for something that is absent. The proof of absence is required as an argument.
    pub fn absent(_: AbsenceProof, text: impl Into<Words>) -> Self {
        Self::text(text)
    }

    /// Sets the written file. Its path also becomes `path`, the first key of the result, if that is an object
    /// or null.
    #[must_use]
    pub fn wrote(mut self, file: Utf8PathBuf) -> Self {
        if self.value.is_null() {
            self.value = Value::Object(serde_json::Map::new());
        }
        if let Some(map) = self.value.as_object_mut() {
            map.shift_insert(0, "path".to_owned(), file.as_str().into());
        }
        self.file = Some(file);
        self
    }

    /// Sets a text that no output may show: it is masked wherever it occurs. `None` removes it.
    #[must_use]
    pub fn hiding(mut self, text: Option<&str>) -> Self {
        self.hidden = text.map(str::to_owned);
        self
    }

    /// Adds a sentence of this program that is contained in the value. Of its text only the inserted values
    /// are masked.
    #[must_use]
    pub fn saying(mut self, words: Words) -> Self {
        self.sentences.push(words);
        self
    }

    /// Adds a note for people, also behind the text, after `; `. `None` changes nothing.
    #[must_use]
    pub fn noting(mut self, note: Option<String>) -> Self {
        if let Some(note) = note {
            self.text = Words::format("{}; {}", &[&self.words(), &note]).into();
            self.notes.push(note.into());
        }
        self
    }

    /// Writes the advice of a call that failed as a step; see [`Failure::advise`].
    #[must_use]
    pub fn advise(mut self, reader: &dyn Reader) -> Self {
        self.verdict = match self.verdict {
            Verdict::Failed(failure) => Verdict::Failed(failure.advise(reader)),
            Verdict::Passed => Verdict::Passed,
        };
        self
    }

    /// Makes the call fail as a step, although it answered. Text and value stay.
    #[must_use]
    pub fn failed(mut self, failure: Failure) -> Self {
        self.verdict = Verdict::Failed(failure);
        self
    }

    /// Sets the touched area.
    #[must_use]
    pub fn at(mut self, bounds: Rect) -> Self {
        self.bounds = Some(bounds);
        self
    }

    /// Builds a passed outcome with a value, whose text is that value as JSON.
    pub fn json(value: Value) -> Self {
        Self {
            text: AnswerText::Value,
            value,
            ..Self::text("")
        }
    }

    /// Builds a passed outcome with a text and a result.
    pub fn value(text: impl Into<Words>, value: Value) -> Self {
        Self {
            value,
            ..Self::text(text)
        }
    }
}

/// Writes the advice of a call's failure, if it failed, for its reader; see [`Failure::advise`].
///
/// # Errors
///
/// The failure, if the call was an error.
pub fn advise(result: Result<Outcome, Failure>, reader: &dyn Reader) -> Result<Outcome, Failure> {
    match result {
        Ok(outcome) => Ok(outcome.advise(reader)),
        Err(failure) => Err(failure.advise(reader)),
    }
}
