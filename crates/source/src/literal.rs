//! What the text itself says about a value: the part of an argument that can be checked without running anything.

use oxc_ast::ast::{
    ArrayExpression, ArrayExpressionElement, Expression, ObjectExpression, ObjectPropertyKind,
    PropertyKind,
};
use oxc_span::GetSpan;
use oxc_syntax::operator::{BinaryOperator, UnaryOperator};

/// Deepest nesting that is read; what is below counts as not known.
const MAX_DEPTH: usize = 32;
/// Most values of one argument that are read.
const MAX_VALUES: usize = 2_000;

/// A value in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// Where it stands: an offset for [`Inspection::locate`](crate::Inspection::locate).
    pub at: u32,
    /// What is known of it.
    pub shape: Shape,
}

/// What is known of a value before the program runs, as JSON will see it: functions and `undefined` are no members.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Nothing.
    Unknown,
    /// A string whose text is made when the program runs.
    Text,
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A finite number.
    Number(f64),
    /// A string.
    String(String),
    /// A list; `whole` where no item is hidden in a spread.
    Array {
        /// The items that are written out.
        items: Vec<Literal>,
        /// Whether those are all.
        whole: bool,
    },
    /// An object; `whole` where no key is computed or hidden in a spread.
    Object {
        /// The members that are written out, each key once.
        fields: Vec<Field>,
        /// Whether those are all.
        whole: bool,
    },
}

/// A member of an object in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its key.
    pub name: String,
    /// Where the key stands.
    pub at: u32,
    /// Its value.
    pub value: Literal,
}

/// Reads values out of a parsed text; `origin` leads an offset of that back to the model's text.
pub(crate) struct Reader<'r> {
    pub(crate) origin: &'r dyn Fn(u32) -> u32,
    pub(crate) left: usize,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(origin: &'r dyn Fn(u32) -> u32) -> Self {
        Self {
            origin,
            left: MAX_VALUES,
        }
    }

    /// The value of an expression; none where JSON leaves it out.
    pub(crate) fn read(&mut self, it: &Expression<'_>, depth: usize) -> Option<Literal> {
        let at = (self.origin)(it.span().start);
        let shape = self.shape(it.without_parentheses(), depth)?;
        Some(Literal { at, shape })
    }

    fn shape(&mut self, it: &Expression<'_>, depth: usize) -> Option<Shape> {
        self.left = self.left.saturating_sub(1);
        if depth >= MAX_DEPTH || self.left == 0 {
            return Some(Shape::Unknown);
        }
        Some(match it {
            Expression::NullLiteral(_) => Shape::Null,
            Expression::BooleanLiteral(value) => Shape::Boolean(value.value),
            Expression::NumericLiteral(value) => number(value.value),
            Expression::StringLiteral(value) => Shape::String(value.value.to_string()),
            Expression::TemplateLiteral(text) => {
                match (text.expressions.is_empty(), text.quasis.first()) {
                    (true, Some(only)) => match &only.value.cooked {
                        Some(cooked) => Shape::String(cooked.to_string()),
                        None => Shape::Unknown,
                    },
                    _ => Shape::Text,
                }
            }
            Expression::UnaryExpression(unary) => {
                match (
                    unary.operator,
                    self.shape(unary.argument.without_parentheses(), depth + 1),
                ) {
                    (UnaryOperator::UnaryNegation, Some(Shape::Number(n))) => number(-n),
                    (UnaryOperator::UnaryPlus, Some(Shape::Number(n))) => number(n),
                    (UnaryOperator::Void, _) => return None,
                    (UnaryOperator::Typeof, _) => Shape::Text,
                    _ => Shape::Unknown,
                }
            }
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                let mut is_text = |side: &Expression<'_>| {
                    let shape = self.shape(side.without_parentheses(), depth + 1);
                    matches!(shape, Some(Shape::String(_) | Shape::Text))
                };
                if is_text(&sum.left) || is_text(&sum.right) {
                    Shape::Text
                } else {
                    Shape::Unknown
                }
            }
            Expression::ArrayExpression(list) => self.array(list, depth),
            Expression::ObjectExpression(object) => self.object(object, depth),
            Expression::Identifier(name) if name.name == "undefined" => return None,
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                return None;
            }
            _ => Shape::Unknown,
        })
    }

    fn array(&mut self, list: &ArrayExpression<'_>, depth: usize) -> Shape {
        let mut items = Vec::with_capacity(list.elements.len().min(self.left));
        for element in &list.elements {
            if self.left == 0 {
                return Shape::Array {
                    items,
                    whole: false,
                };
            }
            let null = |at: u32| Literal {
                at,
                shape: Shape::Null,
            };
            let at = (self.origin)(element.span().start);
            match element {
                // What follows has no index that is known.
                ArrayExpressionElement::SpreadElement(_) => {
                    return Shape::Array {
                        items,
                        whole: false,
                    };
                }
                ArrayExpressionElement::Elision(_) => items.push(null(at)),
                other => {
                    if let Some(value) = other.as_expression() {
                        items.push(self.read(value, depth + 1).unwrap_or_else(|| null(at)));
                    }
                }
            }
        }
        Shape::Array { items, whole: true }
    }

    fn object(&mut self, object: &ObjectExpression<'_>, depth: usize) -> Shape {
        let mut fields: Vec<Field> = Vec::with_capacity(object.properties.len().min(self.left));
        let mut whole = true;
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                // A spread may replace what stands before it.
                forget(&mut fields);
                whole = false;
                continue;
            };
            let Some(name) = property.key.static_name().filter(|_| self.left > 0) else {
                forget(&mut fields);
                whole = false;
                continue;
            };
            if name == "toJSON" {
                return Shape::Unknown;
            }
            if name == "__proto__" && !property.computed && !property.shorthand && !property.method
            {
                whole = false;
                continue;
            }
            let at = (self.origin)(property.span.start);
            let value = if property.kind == PropertyKind::Init {
                self.read(&property.value, depth + 1)
            } else {
                Some(Literal {
                    at,
                    shape: Shape::Unknown,
                })
            };
            fields.retain(|field| field.name != name);
            if let Some(value) = value {
                fields.push(Field {
                    name: name.into_owned(),
                    at,
                    value,
                });
            }
        }
        Shape::Object { fields, whole }
    }
}

/// The keys stay, their values are not known any more.
fn forget(fields: &mut [Field]) {
    for field in fields {
        field.value.shape = Shape::Unknown;
    }
}

fn number(value: f64) -> Shape {
    if value.is_finite() {
        Shape::Number(value)
    } else {
        Shape::Null
    }
}
