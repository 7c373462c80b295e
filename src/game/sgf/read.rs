//! Text to game trees.

use super::{GameTree, NodeId, Property, SgfError, SgfProblem};

/// Variations may be nested so deep; real files stay below a hundred.
const MAX_DEPTH: usize = 100_000;

/// Reads a collection. What stands before the first `(;` and after the last game is passed over, as SGF asks.
/// Lower-case letters in property names (FF[3] and before) are dropped.
pub fn read(text: &str) -> Result<Vec<GameTree>, SgfError> {
    let mut parser = Parser { rest: text, line: 1, column: 1 };
    let mut games = Vec::new();
    while parser.find_game(games.is_empty())? {
        games.push(parser.game()?);
    }
    Ok(games)
}

/// The same from bytes: UTF-8 with or without a byte order mark; bytes that are none are replaced by U+FFFD.
pub fn read_bytes(bytes: &[u8]) -> Result<Vec<GameTree>, SgfError> {
    read(&String::from_utf8_lossy(bytes))
}

struct Parser<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|c| c.is_whitespace() || c == '\0' || c == '\u{feff}') {
            self.next();
        }
    }

    fn here(&self) -> (usize, usize) {
        (self.line, self.column)
    }

    fn error<T>(&self, (line, column): (usize, usize), what: SgfProblem) -> Result<T, SgfError> {
        Err(SgfError { line, column, what })
    }

    /// Goes to the next `(` that a `;` follows. Whether there is one; there must be a `first`.
    fn find_game(&mut self, first: bool) -> Result<bool, SgfError> {
        let start = self.here();
        while let Some(c) = self.peek() {
            if c == '(' && self.rest[1..].trim_start().starts_with(';') {
                return Ok(true);
            }
            self.next();
        }
        if first { self.error(start, SgfProblem::NoGame) } else { Ok(false) }
    }

    /// A game, from its `(` to its `)`.
    fn game(&mut self) -> Result<GameTree, SgfError> {
        let start = self.here();
        let mut tree = GameTree::default();
        let mut root_taken = false;
        // For every open '(': the node that its first node hangs on.
        let mut open: Vec<Option<NodeId>> = Vec::new();
        let mut at: Option<NodeId> = None;
        // A '(' has been read, and its ';' has not.
        let mut awaits_node = false;
        loop {
            self.skip_space();
            let here = self.here();
            match self.peek() {
                None => return self.error(start, SgfProblem::Unclosed),
                Some('(') => {
                    if awaits_node {
                        return self.error(here, SgfProblem::NoNode);
                    }
                    if open.len() == MAX_DEPTH {
                        return self.error(here, SgfProblem::TooDeep(MAX_DEPTH));
                    }
                    self.next();
                    open.push(at);
                    awaits_node = true;
                }
                Some(')') => {
                    if awaits_node {
                        return self.error(here, SgfProblem::NoNode);
                    }
                    self.next();
                    at = open.pop().flatten();
                    if open.is_empty() {
                        return Ok(tree);
                    }
                }
                Some(';') => {
                    self.next();
                    awaits_node = false;
                    at = Some(match at {
                        Some(parent) => tree.add_node(parent),
                        None if !root_taken => {
                            root_taken = true;
                            GameTree::ROOT
                        }
                        None => return self.error(here, SgfProblem::Unexpected(';')),
                    });
                }
                Some(c) if c.is_ascii_alphabetic() && !awaits_node => {
                    let property = self.property()?;
                    let Some(id) = at else { return self.error(here, SgfProblem::NoNode) };
                    let node = tree.node_mut(id);
                    // A property twice in a node is an error of the file; its values belong together.
                    match node.properties.iter_mut().find(|p| p.ident == property.ident) {
                        Some(same) => same.values.extend(property.values),
                        None => node.properties.push(property),
                    }
                }
                Some(c) => {
                    let what = if awaits_node { SgfProblem::NoNode } else { SgfProblem::Unexpected(c) };
                    return self.error(here, what);
                }
            }
        }
    }

    /// A name and its values.
    fn property(&mut self) -> Result<Property, SgfError> {
        let (line, column) = self.here();
        let mut written = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_alphanumeric) {
            written.push(c);
            self.next();
        }
        let mut ident: String = written.chars().filter(|c| !c.is_ascii_lowercase()).collect();
        // a name begins with a letter; one in small letters only is taken as it is meant
        if !ident.starts_with(|c: char| c.is_ascii_uppercase()) {
            ident = written.to_ascii_uppercase();
        }
        let mut values = Vec::new();
        loop {
            self.skip_space();
            if self.peek() != Some('[') {
                break;
            }
            values.push(self.value()?);
        }
        if values.is_empty() {
            return self.error((line, column), SgfProblem::NoValue(ident));
        }
        Ok(Property { ident, values, line, column })
    }

    /// What stands between `[` and `]`, escapes left in.
    fn value(&mut self) -> Result<String, SgfError> {
        let start = self.here();
        self.next();
        let begin = self.rest;
        let mut length = 0;
        while let Some(c) = self.next() {
            match c {
                ']' => return Ok(begin[..length].to_owned()),
                '\\' => {
                    length += 1;
                    if let Some(escaped) = self.next() {
                        length += escaped.len_utf8();
                    }
                }
                c => length += c.len_utf8(),
            }
        }
        self.error(start, SgfProblem::UnclosedValue)
    }
}
