//! Syntax tree of a script.

/// Commands in order.
pub(super) type List = Vec<ListItem>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListItem {
    pub(super) node: Node,
    /// Ended with `&`.
    pub(super) background: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Simple(SimpleCommand),
    /// Stages joined by `|`.
    Pipeline(Vec<Node>),
    Not(Box<Node>),
    /// Commands joined by `&&` and `||`, which have the same precedence. They are a list, since a script may
    /// join thousands.
    AndOr {
        first: Box<Node>,
        rest: Vec<(ChainOperator, Node)>,
    },
    If {
        /// Conditions with the commands that follow each.
        branches: Vec<(List, List)>,
        otherwise: List,
    },
    While {
        condition: List,
        body: List,
        /// `until` instead of `while`.
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

/// Operator before the next command of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainOperator {
    /// `&&`: run it after a success.
    And,
    /// `||`: run it after a failure.
    Or,
}

/// A simple command: assignments, words and redirections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SimpleCommand {
    pub(super) assignments: Vec<(String, Word)>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
}

/// A redirection such as `2>file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    pub(super) descriptor: u8,
    pub(super) kind: RedirectKind,
    pub(super) target: Word,
}

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

/// Operator of `${NAME…}`.
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
