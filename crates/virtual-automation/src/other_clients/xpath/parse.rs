//! Parses expressions.

mod token;

use self::token::{Token, tokens};
use super::error::XPathError;
use super::expression::{
    Arithmetic, Axis, Comparison, Expression, NodeTest, Path, PathStart, Step,
};
use super::function::Function;

/// Limit for an expression, in bytes. Chosen: generated expressions have a few kilobytes.
const MAX_BYTES: usize = 16 * 1024;
/// Limit for nested brackets. Chosen: bounds recursion.
const MAX_DEPTH: usize = 60;
/// Limit for operators, each of which may nest in the one before. Chosen: bounds recursion.
const MAX_OPERATORS: usize = 200;

/// Parses the whole text; an error if something is left, and for more than `MAX_BYTES`.
pub(super) fn parse(text: &str) -> Result<Expression, XPathError> {
    if text.len() > MAX_BYTES {
        return Err(XPathError::Syntax(format!(
            "the expression is longer than {MAX_BYTES} bytes"
        )));
    }
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
        operators: 0,
    };
    let expression = parser.expression()?;
    match parser.tokens.get(parser.at) {
        None => Ok(expression),
        Some(token) => Err(unexpected(Some(token))),
    }
}

/// Returns the error for a token that does not fit; for the end without one.
fn unexpected(token: Option<&Token>) -> XPathError {
    XPathError::Syntax(match token {
        None => "the expression ends too early".to_owned(),
        Some(Token::Name(name)) => format!("`{name}` is not expected here"),
        Some(Token::Text(text)) => format!("the text '{text}' is not expected here"),
        Some(Token::Number(number)) => format!("`{number}` is not expected here"),
        Some(Token::Sign(sign)) => format!("`{sign}` is not expected here"),
    })
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    operators: usize,
}

type ParseResult<T = Expression> = Result<T, XPathError>;

impl Parser {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(0), Some(Token::Sign(found)) if *found == sign)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(0), Some(Token::Name(name)) if name == word);
        self.at += usize::from(is);
        is
    }

    /// Returns both sides of an operator, and counts it. Fails beyond 200 operators of the expression.
    fn sides(&mut self, left: Expression, right: Expression) -> ParseResult<Box<[Expression; 2]>> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            return Err(XPathError::Syntax(
                "the expression has too many operators".to_owned(),
            ));
        }
        Ok(Box::new([left, right]))
    }

    /// Takes the sign; an error if another token is there.
    fn expect(&mut self, sign: &str) -> ParseResult<()> {
        if self.takes(sign) {
            return Ok(());
        }
        Err(unexpected(self.peek(0)))
    }

    /// Parses an expression with `or`; an error beyond `MAX_DEPTH`.
    fn expression(&mut self) -> ParseResult {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(XPathError::Syntax(
                "the expression has too many brackets in brackets".to_owned(),
            ));
        }
        let mut left = self.conjunction()?;
        while self.takes_word("or") {
            let right = self.conjunction()?;
            left = Expression::Or(self.sides(left, right)?);
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Parses an expression with `and`.
    fn conjunction(&mut self) -> ParseResult {
        let mut left = self.comparison(0)?;
        while self.takes_word("and") {
            let right = self.comparison(0)?;
            left = Expression::And(self.sides(left, right)?);
        }
        Ok(left)
    }

    /// Parses comparisons from left to right. Level 0 is equality, level 1 is order, which binds closer;
    /// below that are sums.
    fn comparison(&mut self, level: usize) -> ParseResult {
        const LEVELS: [&[(&str, Comparison)]; 2] = [
            &[("=", Comparison::Equal), ("!=", Comparison::NotEqual)],
            &[
                ("<=", Comparison::LessOrEqual),
                (">=", Comparison::GreaterOrEqual),
                ("<", Comparison::Less),
                (">", Comparison::Greater),
            ],
        ];
        let Some(operators) = LEVELS.get(level) else {
            return self.sum();
        };
        let mut left = self.comparison(level + 1)?;
        while let Some((_, comparison)) = operators.iter().find(|(sign, _)| self.is(sign)) {
            self.at += 1;
            let right = self.comparison(level + 1)?;
            left = Expression::Compare(*comparison, self.sides(left, right)?);
        }
        Ok(left)
    }

    /// Parses a sum, from left to right.
    fn sum(&mut self) -> ParseResult {
        let mut left = self.product()?;
        loop {
            let operator = if self.takes("+") {
                Arithmetic::Add
            } else if self.takes("-") {
                Arithmetic::Subtract
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = Expression::Compute(operator, self.sides(left, right)?);
        }
    }

    /// Parses a product, from left to right.
    fn product(&mut self) -> ParseResult {
        let mut left = self.negation()?;
        loop {
            let operator = if self.takes("*") {
                Arithmetic::Multiply
            } else if self.takes_word("div") {
                Arithmetic::Divide
            } else if self.takes_word("mod") {
                Arithmetic::Modulo
            } else {
                return Ok(left);
            };
            let right = self.negation()?;
            left = Expression::Compute(operator, self.sides(left, right)?);
        }
    }

    /// Parses a value with any number of minus signs before it; an even number makes none.
    fn negation(&mut self) -> ParseResult {
        let mut negative = None;
        while self.takes("-") {
            negative = Some(!negative.unwrap_or(false));
        }
        let value = self.union()?;
        Ok(match negative {
            Some(true) => Expression::Negate(Box::new(value)),
            _ => value,
        })
    }

    /// Parses paths with `|` or `union`.
    fn union(&mut self) -> ParseResult {
        let mut left = self.path()?;
        while self.takes("|") || self.takes_word("union") {
            let right = self.path()?;
            left = Expression::Union(self.sides(left, right)?);
        }
        Ok(left)
    }

    /// Parses a path, or a single value if no path follows. `//` becomes a step along all descendants.
    fn path(&mut self) -> ParseResult {
        let mut path = Path {
            start: PathStart::Context,
            steps: Vec::new(),
        };
        if self.is("/") || self.is("//") {
            path.start = PathStart::Document;
            if self.takes("/") && !self.begins_step() {
                return Ok(Expression::Path(path));
            }
        } else if let Some(primary) = self.primary()? {
            let predicates = self.predicates()?;
            if predicates.is_empty() && !self.is("/") && !self.is("//") {
                return Ok(primary);
            }
            path.start = PathStart::Expression(Box::new(primary), predicates);
            if !self.is("/") && !self.is("//") {
                return Ok(Expression::Path(path));
            }
            self.takes("/");
        }
        loop {
            if self.takes("//") {
                path.steps.push(Step {
                    axis: Axis::DescendantOrSelf,
                    test: NodeTest::Node,
                    predicates: Vec::new(),
                });
            }
            let step = self.step()?;
            path.steps.push(step);
            if !self.takes("/") && !self.is("//") {
                return Ok(Expression::Path(path));
            }
        }
    }

    /// Parses an expression that is not a path: a text, a number, a call, brackets. `None` if none comes
    /// next; then nothing is consumed.
    fn primary(&mut self) -> ParseResult<Option<Expression>> {
        let primary = match self.peek(0) {
            Some(Token::Text(text)) => Expression::Text(text.clone()),
            Some(Token::Number(number)) => Expression::Number(*number),
            Some(Token::Sign("(")) => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(Some(inner));
            }
            Some(Token::Name(name))
                if self.peek(1) == Some(&Token::Sign("("))
                    && !matches!(name.as_str(), "node" | "text" | "comment") =>
            {
                return self.call().map(Some);
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(primary))
    }

    /// Parses a call; an error for an unknown function or number of arguments.
    fn call(&mut self) -> ParseResult {
        let Some(Token::Name(name)) = self.peek(0).cloned() else {
            return Err(unexpected(self.peek(0)));
        };
        self.at += 2;
        let mut arguments = Vec::new();
        if !self.takes(")") {
            loop {
                arguments.push(self.expression()?);
                if self.takes(")") {
                    break;
                }
                self.expect(",")?;
            }
        }
        let function = Function::find(&name, arguments.len())?;
        Ok(Expression::Call(function, arguments))
    }

    /// Returns true if a step begins here.
    fn begins_step(&self) -> bool {
        matches!(
            self.peek(0),
            Some(Token::Name(_) | Token::Sign("." | ".." | "@" | "*"))
        )
    }

    /// Parses a step with its predicates. Without an axis it leads to children. Any test with brackets but `node()`
    /// counts as `text()`, which finds nothing.
    fn step(&mut self) -> ParseResult<Step> {
        for (sign, axis) in [(".", Axis::This), ("..", Axis::Parent)] {
            if self.takes(sign) {
                return Ok(Step {
                    axis,
                    test: NodeTest::Node,
                    predicates: self.predicates()?,
                });
            }
        }
        let axis = if self.takes("@") {
            Axis::Attribute
        } else if let (Some(Token::Name(name)), Some(Token::Sign("::"))) =
            (self.peek(0), self.peek(1))
        {
            let axis = axis(name)?;
            self.at += 2;
            axis
        } else {
            Axis::Child
        };
        let test = match self.peek(0) {
            Some(Token::Sign("*")) => NodeTest::Any,
            Some(Token::Name(name)) => NodeTest::Name(name.clone()),
            other => return Err(unexpected(other)),
        };
        self.at += 1;
        let test = match test {
            NodeTest::Name(name) if self.takes("(") => {
                self.expect(")")?;
                if name == "node" {
                    NodeTest::Node
                } else {
                    NodeTest::Text
                }
            }
            test => test,
        };
        let predicates = self.predicates()?;
        Ok(Step {
            axis,
            test,
            predicates,
        })
    }

    /// Parses predicates; empty if there are none.
    fn predicates(&mut self) -> ParseResult<Vec<Expression>> {
        let mut predicates = Vec::new();
        while self.takes("[") {
            predicates.push(self.expression()?);
            self.expect("]")?;
        }
        Ok(predicates)
    }
}

/// Returns the axis of this name, or an error.
fn axis(name: &str) -> ParseResult<Axis> {
    Ok(match name {
        "ancestor" => Axis::Ancestor,
        "ancestor-or-self" => Axis::AncestorOrSelf,
        "attribute" => Axis::Attribute,
        "child" => Axis::Child,
        "descendant" => Axis::Descendant,
        "descendant-or-self" => Axis::DescendantOrSelf,
        "following" => Axis::Following,
        "following-sibling" => Axis::FollowingSibling,
        "parent" => Axis::Parent,
        "preceding" => Axis::Preceding,
        "preceding-sibling" => Axis::PrecedingSibling,
        "self" => Axis::This,
        other => return Err(XPathError::Syntax(format!("there is no axis `{other}`"))),
    })
}
