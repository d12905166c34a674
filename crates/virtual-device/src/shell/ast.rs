//! A script as it is read.

/// Commands in order.
pub(super) type List = Vec<Item>;

/// One command of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) node: Node,
    /// Ended with `&`.
    pub(super) background: bool,
}

/// A command, simple or compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Simple(Simple),
    /// Stages joined by `|`.
    Pipeline(Vec<Node>),
    Not(Box<Node>),
    /// Commands joined by `&&` and `||`, which bind alike and from the left: a list, as a script may join thousands.
    AndOr {
        first: Box<Node>,
        rest: Vec<(ChainOperator, Node)>,
    },
    If {
        /// Conditions with what follows each.
        branches: Vec<(List, List)>,
        otherwise: List,
    },
    While {
        condition: List,
        body: List,
        /// `until`.
        negated: bool,
    },
    For {
        name: String,
        /// `None` is `"$@"`.
        words: Option<Vec<Word>>,
        body: List,
    },
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, List)>,
    },
    Subshell(List),
    Group(List),
    Function {
        name: String,
        body: Box<Node>,
    },
    /// A compound command with redirections.
    Redirected(Box<Node>, Vec<Redirect>),
}

/// When the next command of a chain runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainOperator {
    /// `&&`: after a success.
    And,
    /// `||`: after a failure.
    Or,
}

/// Assignments, words and redirections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<(String, Word)>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
}

/// `2>file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    pub(super) descriptor: u8,
    pub(super) kind: RedirectKind,
    pub(super) target: Word,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectKind {
    Read,
    Write,
    Append,
    /// `>&`, `<&`.
    Duplicate,
    /// `<<`; the target is the text.
    Here,
}

/// A word: parts without space between them.
pub(super) type Word = Vec<WordPart>;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPart {
    Text {
        text: String,
        quoted: bool,
    },
    Variable {
        name: String,
        change: Change,
        quoted: bool,
    },
    Command {
        list: List,
        quoted: bool,
    },
    Arithmetic {
        text: Word,
        quoted: bool,
    },
}

/// What `${NAME…}` does to the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    None,
    /// `${#NAME}`
    Length,
    /// `${NAME:-word}`; without the colon only when unset.
    Default {
        word: Word,
        empty_too: bool,
    },
    /// `${NAME:=word}`
    Assign {
        word: Word,
        empty_too: bool,
    },
    /// `${NAME:+word}`
    Alternative {
        word: Word,
        empty_too: bool,
    },
    /// `${NAME#pattern}`, `##`, `%`, `%%`
    Trim {
        pattern: Word,
        end: bool,
        longest: bool,
    },
}
