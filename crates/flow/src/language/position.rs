//! Finds the cursor's position in the structure of a flow: the maps and lists around it, and the word before
//! it.
//!
//! Uses only the text before the cursor, line by line, because that hardly ever parses as YAML.

/// Map or list around the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Level {
    /// Keys so far, and the one whose value is not finished.
    Map {
        keys: Vec<String>,
        current: Option<String>,
    },
    List,
}

impl Level {
    fn new_map() -> Self {
        Self::Map {
            keys: Vec::new(),
            current: None,
        }
    }
}

/// Part of an entry that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryPart {
    Key,
    Value,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Position<'a> {
    /// Levels from the flow to the innermost.
    pub(super) levels: Vec<Level>,
    pub(super) part: EntryPart,
    /// Text of the key or the value before the cursor.
    pub(super) prefix: &'a str,
}

/// Returns the position of the end of `before`; `None` in a comment, in a block scalar and behind the last closing
/// bracket. Works on unfinished text that YAML could not parse. An empty text is a key of the outermost map.
pub(super) fn position(before: &str) -> Option<Position<'_>> {
    let mut reader = Reader::default();
    let mut lines = before.split('\n').peekable();
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        let found = reader.line(line, is_last);
        if is_last {
            let (part, prefix) = found?;
            let levels = reader.levels.into_iter().map(|open| open.level).collect();
            return Some(Position {
                levels,
                part,
                prefix,
            });
        }
    }
    None
}

/// Level that is not closed yet.
struct OpenLevel {
    /// Indent of a block's lines; `None` for a level in brackets.
    indent: Option<usize>,
    level: Level,
}

#[derive(Default)]
struct Reader {
    levels: Vec<OpenLevel>,
    /// Indent of the line that starts a block scalar. Deeper lines belong to it.
    text_below: Option<usize>,
}

impl Reader {
    /// Reads a line, and updates the open maps and lists. Returns the unfinished key or value if it is the
    /// last, and `None` for all others, comments and lines of a block scalar.
    fn line<'a>(&mut self, line: &'a str, is_last: bool) -> Option<(EntryPart, &'a str)> {
        if self.levels.last().is_some_and(|open| open.indent.is_none()) {
            return self.brackets(line, is_last);
        }
        let content = line.trim_start_matches(' ');
        let mut indent = line.len() - content.len();
        if let Some(above) = self.text_below {
            if content.is_empty() && !is_last || indent > above {
                return None;
            }
            self.text_below = None;
        }
        if content.starts_with('#') || content.is_empty() && !is_last {
            return None;
        }
        self.leave(indent + 1);
        let mut content = content;
        while let Some(rest) = content.strip_prefix('-') {
            if !rest.is_empty() && !rest.starts_with(' ') {
                break;
            }
            self.list_at(indent);
            let item = rest.trim_start_matches(' ');
            indent += content.len() - item.len();
            self.leave(indent);
            content = item;
        }
        if self.is_list_at(indent) {
            // A key at the indent of a list ends the list.
            self.levels.pop();
        }
        self.entry(content, indent, is_last)
    }

    /// Closes the blocks with this indent or a deeper one.
    fn leave(&mut self, indent: usize) {
        let is_over = |open: &OpenLevel| open.indent.is_some_and(|own| own >= indent);
        while self.levels.last().is_some_and(is_over) {
            self.levels.pop();
        }
    }

    fn is_list_at(&self, indent: usize) -> bool {
        self.levels
            .last()
            .is_some_and(|open| open.indent == Some(indent) && open.level == Level::List)
    }

    /// Opens a list at this indent, unless the innermost level is one already.
    fn list_at(&mut self, indent: usize) {
        if !self.is_list_at(indent) {
            self.open(Some(indent), Level::List);
        }
    }

    /// Returns the keys and the current key of the innermost level if it is a map with this indent; else opens an
    /// empty map there. It is never `None`.
    fn map_at(&mut self, indent: usize) -> Option<(&mut Vec<String>, &mut Option<String>)> {
        let is_there = self.levels.last().is_some_and(|open| {
            open.indent == Some(indent) && matches!(open.level, Level::Map { .. })
        });
        if !is_there {
            self.open(Some(indent), Level::new_map());
        }
        self.map()
    }

    /// Returns the keys and the current key of the innermost level; `None` if it is a list, or no level is open.
    fn map(&mut self) -> Option<(&mut Vec<String>, &mut Option<String>)> {
        match &mut self.levels.last_mut()?.level {
            Level::Map { keys, current } => Some((keys, current)),
            Level::List => None,
        }
    }

    /// Reads `key: value`, an opening bracket, or an unfinished key, and adds a finished key to the map at `indent`.
    /// Returns the unfinished part if the line is the last. A plain item of a list counts as an unfinished key.
    fn entry<'a>(
        &mut self,
        content: &'a str,
        indent: usize,
        is_last: bool,
    ) -> Option<(EntryPart, &'a str)> {
        if content.starts_with(['{', '[']) {
            return self.brackets(content, is_last);
        }
        let Some((key, value)) = key_and_value(content) else {
            let (_, current) = self.map_at(indent)?;
            *current = None;
            return is_last.then_some((EntryPart::Key, content));
        };
        let (keys, current) = self.map_at(indent)?;
        keys.push(key.to_owned());
        *current = Some(key.to_owned());
        self.value(value, indent, is_last)
    }

    /// Reads the value behind a key: opens its brackets or its block scalar. Returns the unfinished part if the line
    /// is the last; `None` if its end is in a comment or begins a block scalar.
    fn value<'a>(
        &mut self,
        value: &'a str,
        indent: usize,
        is_last: bool,
    ) -> Option<(EntryPart, &'a str)> {
        if value.starts_with(['{', '[']) {
            return self.brackets(value, is_last);
        }
        if value.starts_with(['|', '>']) {
            self.text_below = Some(indent);
            return None;
        }
        let is_in_comment = !value.starts_with(['"', '\'']) && value.contains(" #");
        (is_last && !is_in_comment && !value.starts_with('#')).then_some((EntryPart::Value, value))
    }

    /// Reads a line, or the rest of one, inside of `{}` or `[]`, and opens and closes their levels. Returns the
    /// unfinished key or value if the line is the last; `None` in a comment and behind the last closing bracket.
    /// Brackets in quotes and `${` do not count.
    fn brackets<'a>(&mut self, line: &'a str, is_last: bool) -> Option<(EntryPart, &'a str)> {
        let mut begin = 0;
        let mut quote = None;
        let mut previous = ' ';
        // True if there are only spaces since `begin`.
        let mut is_blank = true;
        for (at, character) in line.char_indices() {
            let rest = &line[at + character.len_utf8()..];
            match character {
                _ if quote.is_some() => {
                    let is_end =
                        quote == Some(character) && (character == '\'' || previous != '\\');
                    quote = quote.filter(|_| !is_end);
                }
                '"' | '\'' if is_blank => quote = Some(character),
                '#' if previous == ' ' => return None,
                '{' if previous != '$' => {
                    self.open(None, Level::new_map());
                    begin = at + 1;
                }
                '[' => {
                    self.open(None, Level::List);
                    begin = at + 1;
                }
                '}' | ']' => {
                    self.levels.pop();
                    begin = at + 1;
                    if self.levels.last().is_none_or(|open| open.indent.is_some()) {
                        // Nothing may follow the last bracket.
                        return None;
                    }
                }
                ',' => {
                    if let Some((_, current)) = self.map() {
                        *current = None;
                    }
                    begin = at + 1;
                }
                ':' if rest.is_empty() || rest.starts_with(' ') => {
                    if let Some((keys, current)) =
                        self.map().filter(|(_, current)| current.is_none())
                    {
                        let key = line[begin..at].trim().trim_matches(['"', '\'']);
                        keys.push(key.to_owned());
                        *current = Some(key.to_owned());
                        begin = at + 1;
                    }
                }
                _ => {}
            }
            previous = character;
            is_blank = begin > at || is_blank && character == ' ';
        }
        let written = line[begin..].trim_start();
        let part = match &self.levels.last()?.level {
            Level::Map { current: None, .. } => EntryPart::Key,
            _ => EntryPart::Value,
        };
        is_last.then_some((part, written))
    }

    fn open(&mut self, indent: Option<usize>, level: Level) {
        self.levels.push(OpenLevel { indent, level });
    }
}

/// Splits `key: value` at the first colon before a blank or the end; `None` without one. Quotes around the key and
/// blanks before the value are removed. A colon inside of quotes counts too.
fn key_and_value(content: &str) -> Option<(&str, &str)> {
    let colon = content.match_indices(':').find(|(at, _)| {
        let rest = &content[at + 1..];
        rest.is_empty() || rest.starts_with(' ')
    });
    let (key, value) = content.split_at(colon?.0);
    let key = key.trim_matches(['"', '\'']);
    Some((key, value[1..].trim_start_matches(' ')))
}
