//! A game tree in an arena: no recursion, however deep it is.

/// Place of a node in its tree.
pub type NodeId = usize;

/// A property with its values as they stand in the file, escapes included.
#[derive(Clone, Debug)]
pub struct Property {
    pub ident: String,
    /// Raw values; [`Property::text`] undoes the escapes.
    pub values: Vec<String>,
    /// Where it stood in the file it was read from (1-based); zero when it was made here.
    pub line: usize,
    pub column: usize,
}

/// Equal in content, wherever they stood.
impl PartialEq for Property {
    fn eq(&self, other: &Property) -> bool {
        self.ident == other.ident && self.values == other.values
    }
}

impl Eq for Property {}

impl Property {
    /// A property with values that need no escapes.
    pub fn new(ident: &str, values: Vec<String>) -> Property {
        Property { ident: ident.to_owned(), values, line: 0, column: 0 }
    }

    /// The first value with its escapes undone and its line ends as `\n` (SGF type Text).
    pub fn text(&self) -> String {
        self.values.first().map(|v| unescape(v)).unwrap_or_default()
    }

    /// The first value on one line (SGF type SimpleText).
    pub fn simple_text(&self) -> String {
        self.text().replace(['\n', '\t'], " ").trim().to_owned()
    }
}

/// Writes `text` so that it can stand in `[]`.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | ']') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Undoes escapes: `\` before a line end takes both away, before anything else it takes itself away.
/// All kinds of line ends become `\n`, other white space a space.
fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        let (c, escaped) = match c {
            '\\' => match chars.next() {
                Some(next) => (next, true),
                None => break,
            },
            c => (c, false),
        };
        match c {
            '\r' | '\n' => {
                // "\r\n" and "\n\r" are one line end
                if chars.peek().is_some_and(|&next| matches!(next, '\r' | '\n') && next != c) {
                    chars.next();
                }
                if !escaped {
                    text.push('\n');
                }
            }
            '\t' | '\u{b}' | '\u{c}' => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// A node: properties in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub properties: Vec<Property>,
    pub children: Vec<NodeId>,
    pub parent: Option<NodeId>,
}

impl Node {
    pub fn get(&self, ident: &str) -> Option<&Property> {
        self.properties.iter().find(|p| p.ident == ident)
    }

    /// Adds a property, or more values to one that is there.
    pub fn add(&mut self, ident: &str, values: Vec<String>) {
        match self.properties.iter_mut().find(|p| p.ident == ident) {
            Some(property) => property.values.extend(values),
            None => self.properties.push(Property::new(ident, values)),
        }
    }

    /// Sets a text property, escaped.
    pub fn set_text(&mut self, ident: &str, text: &str) {
        self.properties.retain(|p| p.ident != ident);
        self.properties.push(Property::new(ident, vec![escape(text)]));
    }
}

/// One game: its root is node 0.
#[derive(Clone, Debug)]
pub struct GameTree {
    nodes: Vec<Node>,
}

impl Default for GameTree {
    fn default() -> GameTree {
        GameTree { nodes: vec![Node::default()] }
    }
}

impl GameTree {
    pub const ROOT: NodeId = 0;

    pub fn root(&self) -> &Node {
        &self.nodes[GameTree::ROOT]
    }

    /// Panics on an id of another tree.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id]
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: a tree has its root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A new last child of `parent`.
    pub fn add_node(&mut self, parent: NodeId) -> NodeId {
        let id = self.nodes.len();
        self.nodes.push(Node { parent: Some(parent), ..Node::default() });
        self.nodes[parent].children.push(id);
        id
    }

    /// The root and the first child of every node since.
    pub fn main_line(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(Some(self.root()), |node| node.children.first().map(|&id| &self.nodes[id]))
    }

    /// Text of a root property, on one line; empty if it is not there.
    pub fn info(&self, ident: &str) -> String {
        self.root().get(ident).map(Property::simple_text).unwrap_or_default()
    }
}

/// The same nodes with the same properties in the same shape, whatever their ids.
impl PartialEq for GameTree {
    fn eq(&self, other: &GameTree) -> bool {
        let mut pairs = vec![(GameTree::ROOT, GameTree::ROOT)];
        while let Some((a, b)) = pairs.pop() {
            let (a, b) = (self.node(a), other.node(b));
            if a.properties != b.properties || a.children.len() != b.children.len() {
                return false;
            }
            pairs.extend(a.children.iter().copied().zip(b.children.iter().copied()));
        }
        true
    }
}

impl Eq for GameTree {}
