//! Expansion of words: variables, command substitution, field splitting, file names.

use super::ast::{Change, Word, WordPart};
use super::pattern::{self, PatternElement};
use super::run::{Shell, Streams};
use crate::storage::Storage;

/// Most fields of one command. Chosen: with 100 bytes each they fill [`MAX_TEXT`].
const MAX_FIELDS: usize = 20_000;

/// Most bytes of one command's words, and of all variables. Chosen: as Linux's longest argument list with the
/// usual stack of 8 MiB; a text that a loop doubles must end.
const MAX_TEXT: usize = 2 * 1024 * 1024;
/// Most variables. Chosen: without a limit a script could fill the memory.
const MAX_VARIABLES: usize = 5000;
/// Longest text that `${NAME#pattern}` is applied to. Chosen: the time grows with the square of the length,
/// as each beginning is tried.
const MAX_TRIMMED: usize = 4096;

/// Characters of a field, each with true if it was quoted.
#[derive(Debug, Clone, Default)]
struct Field {
    chars: Vec<(char, bool)>,
    /// The field exists even if it is empty, because of quotes.
    present: bool,
}

impl Field {
    fn push(&mut self, text: &str, quoted: bool) {
        self.present |= quoted || !text.is_empty();
        self.chars.extend(text.chars().map(|c| (c, quoted)));
    }

    fn text(&self) -> String {
        self.chars.iter().map(|(c, _)| c).collect()
    }
}

impl Shell {
    /// Expands words to fields, split and with file names. Returns `Err` after an error message, also for
    /// more than [`MAX_FIELDS`] fields or [`MAX_TEXT`] bytes.
    pub(super) async fn fields(
        &mut self,
        words: &[Word],
        streams: &Streams,
    ) -> Result<Vec<String>, ()> {
        let mut texts = Vec::new();
        let mut length = 0;
        for word in words {
            let before = texts.len();
            for field in self.split(word, streams).await? {
                self.file_names(&field, &mut texts);
            }
            length += texts[before..].iter().map(String::len).sum::<usize>();
            if texts.len() > MAX_FIELDS || length > MAX_TEXT {
                self.too_long(streams).await;
                return Err(());
            }
        }
        Ok(texts)
    }

    /// Reports that a command's words are too long, and sets the status to 1.
    async fn too_long(&mut self, streams: &Streams) {
        self.complain("argument list too long", streams).await;
        self.status = 1;
    }

    /// Sets a variable. Returns false, after an error message and with status 1, if there is no room for it.
    /// Readonly variables do not exist. Any name is accepted.
    pub(super) async fn assign(&mut self, name: &str, value: String, streams: &Streams) -> bool {
        let others = self.variables.iter().filter(|(other, _)| *other != name);
        let acquired: usize = others.map(|(name, value)| name.len() + value.len()).sum();
        let is_new = !self.variables.contains_key(name);
        if acquired + value.len() > MAX_TEXT || (is_new && self.variables.len() >= MAX_VARIABLES) {
            self.complain(&format!("{name}: out of memory"), streams)
                .await;
            self.status = 1;
            return false;
        }
        self.variables.insert(name.to_owned(), value);
        true
    }

    /// Expands a word to one text without splitting and file names, for assignments and redirections. Returns
    /// `Err` after an error message, also above [`MAX_TEXT`] bytes.
    pub(super) async fn one_text(&mut self, word: &Word, streams: &Streams) -> Result<String, ()> {
        let mut text = String::new();
        for part in word {
            let (more, _) = self.part(part, streams).await?;
            text.push_str(&more);
            if text.len() > MAX_TEXT {
                self.too_long(streams).await;
                return Err(());
            }
        }
        Ok(text)
    }

    /// Expands a word to a pattern, in which quoted characters stand for themselves. Returns `Err` after an
    /// error message.
    pub(super) async fn pattern(
        &mut self,
        word: &Word,
        streams: &Streams,
    ) -> Result<Vec<PatternElement>, ()> {
        let mut field = Field::default();
        for part in word {
            let (text, quoted) = self.part(part, streams).await?;
            field.push(&text, quoted);
        }
        Ok(pattern::compile(&field.chars))
    }

    /// Splits a word's unquoted expansions at the characters of `IFS`; its own text is not split. Separators in a row
    /// count as one, so no field is empty without quotes. `"$@"` gives a field for each argument. A word that expands
    /// to nothing gives no field, unless it has quotes. Returns `Err` after an error message.
    async fn split(&mut self, word: &Word, streams: &Streams) -> Result<Vec<Field>, ()> {
        let mut fields = Vec::new();
        let mut field = Field::default();
        let mut length = 0;
        for part in word {
            if let WordPart::Variable {
                name,
                quoted: true,
                change: Change::None,
            } = part
                && name == "@"
            {
                for (index, argument) in self.arguments.iter().enumerate() {
                    if index > 0 {
                        fields.push(std::mem::take(&mut field));
                    }
                    field.push(argument, true);
                }
                continue;
            }
            let (text, quoted) = self.part(part, streams).await?;
            length += text.len();
            if length > MAX_TEXT {
                self.too_long(streams).await;
                return Err(());
            }
            if quoted || matches!(part, WordPart::Text { .. }) {
                field.push(&text, quoted);
                continue;
            }
            let separators = self.variables.get("IFS").cloned();
            let separators = separators.as_deref().unwrap_or(" \t\n");
            for c in text.chars() {
                if !separators.contains(c) {
                    field.push(c.encode_utf8(&mut [0; 4]), false);
                } else if field.present {
                    fields.push(std::mem::take(&mut field));
                }
            }
        }
        if field.present {
            fields.push(field);
        }
        Ok(fields)
    }

    /// Expands a part of a word. Returns its text, and true if it is quoted. Commands in it are run and set the
    /// status. Returns `Err` after an error message.
    async fn part(&mut self, part: &WordPart, streams: &Streams) -> Result<(String, bool), ()> {
        match part {
            WordPart::Text { text, quoted } => Ok((text.clone(), *quoted)),
            WordPart::Command { list, quoted } => Ok((self.captured(list, streams).await, *quoted)),
            WordPart::Arithmetic { text, quoted } => {
                let text = Box::pin(self.one_text(text, streams)).await?;
                let variable = |name: &str| self.variable(name).unwrap_or_default();
                match super::arithmetic::evaluate(&text, &variable) {
                    Ok(value) => Ok((value.to_string(), *quoted)),
                    Err(error) => {
                        self.complain(&error.to_string(), streams).await;
                        self.status = 1;
                        Err(())
                    }
                }
            }
            WordPart::Variable {
                name,
                change,
                quoted,
            } => {
                let text = Box::pin(self.changed(name, change, streams)).await?;
                Ok((text, *quoted))
            }
        }
    }

    /// Returns the value of a variable or parameter, or `None` if it is not set, such as `$!` without a job. `$0` is
    /// always `/system/bin/sh`. `$@` and `$*` are one text with spaces, and `None` without arguments. `$$` takes a
    /// process id when it is first read. `$-` is empty and `$RANDOM` differs each time.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        match name {
            "?" => Some(self.status.to_string()),
            "$" => {
                let id = self.own_id.get_or_init(|| self.device.next_pid());
                Some(id.to_string())
            }
            "!" => self.last_job.map(|id| id.to_string()),
            "#" => Some(self.arguments.len().to_string()),
            "@" | "*" => (!self.arguments.is_empty()).then(|| self.arguments.join(" ")),
            "-" => Some(String::new()),
            "0" => Some("/system/bin/sh".to_owned()),
            "PWD" => Some(self.cwd.clone()),
            "RANDOM" => Some(fastrand::u16(..32768).to_string()),
            _ => match name.parse::<usize>() {
                Ok(number) => self.arguments.get(number.checked_sub(1)?).cloned(),
                Err(_) => self.variables.get(name).cloned(),
            },
        }
    }

    /// Returns the value of `${NAME…}`; a variable that is not set is empty, unless the change says otherwise.
    /// `${#NAME}` counts characters, and `=` also sets the variable, any name. Returns `Err` after an error message,
    /// also if a value of over [`MAX_TRIMMED`] bytes is to be trimmed.
    async fn changed(
        &mut self,
        name: &str,
        change: &Change,
        streams: &Streams,
    ) -> Result<String, ()> {
        let value = self.variable(name);
        let missing = |empty_too: bool| match &value {
            Some(value) => empty_too && value.is_empty(),
            None => true,
        };
        match change {
            Change::None => Ok(value.unwrap_or_default()),
            Change::Length => Ok(value.unwrap_or_default().chars().count().to_string()),
            Change::Default { word, empty_too } if missing(*empty_too) => {
                self.one_text(word, streams).await
            }
            Change::Assign { word, empty_too } if missing(*empty_too) => {
                let text = self.one_text(word, streams).await?;
                if self.assign(name, text.clone(), streams).await {
                    Ok(text)
                } else {
                    Err(())
                }
            }
            Change::Alternative { empty_too, .. } if missing(*empty_too) => Ok(String::new()),
            Change::Alternative { word, .. } => self.one_text(word, streams).await,
            Change::Default { .. } | Change::Assign { .. } => Ok(value.unwrap_or_default()),
            Change::Trim {
                pattern,
                end,
                longest,
            } => {
                let pieces = self.pattern(pattern, streams).await?;
                if value
                    .as_ref()
                    .is_some_and(|value| value.len() > MAX_TRIMMED)
                {
                    self.too_long(streams).await;
                    return Err(());
                }
                Ok(trim(&value.unwrap_or_default(), &pieces, *end, *longest))
            }
        }
    }

    /// Adds the existing files that match a field's pattern, sorted in each folder, or the field itself if it is
    /// no pattern or nothing matches. Hidden files need a part that begins with a dot.
    fn file_names(&self, field: &Field, texts: &mut Vec<String>) {
        let pieces = pattern::compile(&field.chars);
        if !pattern::is_pattern(&pieces) {
            texts.push(field.text());
            return;
        }
        let parts: Vec<Vec<(char, bool)>> = field
            .chars
            .split(|(c, _)| *c == '/')
            .map(<[(char, bool)]>::to_vec)
            .collect();
        let mut found = vec![String::new()];
        for (index, part) in parts.iter().enumerate() {
            let mut next = Vec::new();
            for base in found {
                let joined = |name: &str| {
                    if index == 0 {
                        name.to_owned()
                    } else {
                        format!("{base}/{name}")
                    }
                };
                let pieces = pattern::compile(part);
                if !pattern::is_pattern(&pieces) {
                    let plain: String = part.iter().map(|(c, _)| c).collect();
                    next.push(joined(&plain));
                    continue;
                }
                let folder = if index == 0 {
                    ".".to_owned()
                } else {
                    // With the slash: the base of an absolute path is empty.
                    format!("{base}/")
                };
                let folder = Storage::absolute(&self.cwd, &folder);
                let names = self.device.list(&folder);
                // Each level may multiply the matches of the one before, so they are limited here too.
                if next.len() > MAX_FIELDS {
                    break;
                }
                let hidden = part.first().is_some_and(|(c, _)| *c == '.');
                for name in names.unwrap_or_default() {
                    let chars: Vec<char> = name.chars().collect();
                    if (hidden || !name.starts_with('.')) && pattern::matches(&pieces, &chars) {
                        next.push(joined(&name));
                    }
                }
            }
            found = next;
        }
        let mut names = Vec::new();
        for name in found {
            let path = Storage::absolute(&self.cwd, &name);
            if self.device.stat(&path).is_ok() {
                names.push(name);
            }
        }
        if names.is_empty() {
            texts.push(field.text());
        }
        texts.extend(names);
    }
}

/// Applies `${NAME#pattern}`, `##`, `%` or `%%`: cuts the shortest or longest match off the start or the
/// `end`. Without a match the text is unchanged.
fn trim(text: &str, pieces: &[PatternElement], end: bool, longest: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut lengths: Vec<usize> = (0..=chars.len()).collect();
    if longest {
        lengths.reverse();
    }
    for length in lengths {
        let (cut, rest) = if end {
            let (rest, cut) = chars.split_at(chars.len() - length);
            (cut, rest)
        } else {
            chars.split_at(length)
        };
        if pattern::matches(pieces, cut) {
            return rest.iter().collect();
        }
    }
    text.to_owned()
}
