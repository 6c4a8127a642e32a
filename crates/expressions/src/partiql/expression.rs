//! Reads expressions. Tightest first: paths and calls; `*`; `+`; comparisons, IS, IN, BETWEEN and
//! LIKE; NOT; AND; OR.

use super::parser::{OPERATORS, Parser, RESERVED};
use super::syntax::{Expr, IsType, Kind};
use super::token::{TokenKind, unquoted};
use crate::condition::Comparator;
use crate::error::{Place, Syntax};
use values::AttributeType;

/// How many operators of one level may follow each other, other than AND and OR: each makes the
/// expression one level deeper.
const CHAIN_MAX: usize = 16;

const COMPARATORS: [(&str, Comparator); 7] = [
    ("=", Comparator::Equal),
    ("<>", Comparator::NotEqual),
    ("!=", Comparator::NotEqual),
    ("<", Comparator::Less),
    ("<=", Comparator::LessOrEqual),
    (">", Comparator::Greater),
    (">=", Comparator::GreaterOrEqual),
];

impl Parser<'_> {
    /// A whole expression.
    pub fn expression(&mut self) -> Result<Expr, Syntax> {
        self.nested(|parser| parser.chain("OR", Kind::Any, Parser::conjunction))
    }

    fn conjunction(&mut self) -> Result<Expr, Syntax> {
        self.chain("AND", Kind::All, Parser::negation)
    }

    /// Expressions joined by one word, side by side however many they are.
    fn chain(
        &mut self,
        word: &str,
        join: fn(Vec<Expr>) -> Kind,
        part: fn(&mut Self) -> Result<Expr, Syntax>,
    ) -> Result<Expr, Syntax> {
        let place = self.place();
        let mut parts = vec![part(self)?];
        while self.take_word(word) {
            self.right_hand_side()?;
            parts.push(part(self)?);
        }
        match parts.pop() {
            Some(only) if parts.is_empty() => Ok(only),
            last => {
                parts.extend(last);
                Ok(Expr { kind: join(parts), place })
            }
        }
    }

    fn negation(&mut self) -> Result<Expr, Syntax> {
        let place = self.place();
        let mut count = 0_usize;
        while self.take_word("NOT") {
            count += 1;
        }
        let operand = self.predicate()?;
        let negated = |operand| Expr { kind: Kind::Not(count, Box::new(operand)), place };
        Ok(if count == 0 { operand } else { negated(operand) })
    }

    /// Comparisons and what else stands between operands and gives a truth value.
    fn predicate(&mut self) -> Result<Expr, Syntax> {
        let place = self.place();
        let mut left = self.sum()?;
        for _ in 0..CHAIN_MAX {
            if !self.at_predicate() {
                return Ok(left);
            }
            let operand = Box::new(left);
            let comparator = COMPARATORS.iter().find(|(sign, _)| self.take_sign(sign));
            let kind = match comparator {
                Some((_, comparator)) => {
                    self.right_hand_side()?;
                    Kind::Compare(*comparator, operand, Box::new(self.sum()?))
                }
                None => self.word_predicate(operand, place)?,
            };
            left = Expr { kind, place };
        }
        Err(Syntax::TooDeep)
    }

    fn at_predicate(&self) -> bool {
        match self.peek() {
            Some(TokenKind::Sign(sign)) => COMPARATORS.iter().any(|(text, _)| *text == sign),
            Some(TokenKind::Word) => {
                self.at_word(&["IS", "IN", "LIKE", "BETWEEN"])
                    || self.at_word(&["NOT"]) && self.is_word_at(1, &["IN", "LIKE", "BETWEEN"])
            }
            _ => false,
        }
    }

    fn word_predicate(&mut self, operand: Box<Expr>, place: Place) -> Result<Kind, Syntax> {
        if self.take_word("IS") {
            let negated = self.take_word("NOT");
            let kind = Kind::Is(operand, self.is_type()?);
            return Ok(Kind::negated_if(negated, kind, place));
        }
        let negated = self.take_word("NOT");
        let word = self.advance();
        self.right_hand_side()?;
        let first = Box::new(self.sum()?);
        let kind = if word.eq_ignore_ascii_case("IN") {
            Kind::In(operand, first)
        } else if word.eq_ignore_ascii_case("LIKE") {
            Kind::Like(operand, first)
        } else {
            if !self.take_word("AND") {
                return Err(Syntax::MissingAnd);
            }
            if self.at_end() {
                return Err(Syntax::MissingUpperBound);
            }
            Kind::Between(operand, first, Box::new(self.sum()?))
        };
        Ok(Kind::negated_if(negated, kind, place))
    }

    fn sum(&mut self) -> Result<Expr, Syntax> {
        self.arithmetic(&["+", "-", "||"], |parser| {
            parser.arithmetic(&["*", "/", "%"], Parser::signed)
        })
    }

    fn arithmetic(
        &mut self,
        signs: &[&'static str],
        part: fn(&mut Self) -> Result<Expr, Syntax>,
    ) -> Result<Expr, Syntax> {
        let place = self.place();
        let mut left = part(self)?;
        for _ in 0..CHAIN_MAX {
            let Some(sign) = signs.iter().find(|sign| self.at_sign(sign)) else {
                return Ok(left);
            };
            self.advance();
            self.right_hand_side()?;
            let kind = Kind::Arithmetic(sign, Box::new(left), Box::new(part(self)?));
            left = Expr { kind, place };
        }
        Err(Syntax::TooDeep)
    }

    /// A sign belongs to the number behind it; before anything else it is an operator.
    fn signed(&mut self) -> Result<Expr, Syntax> {
        let place = self.place();
        let Some(sign) = ["+", "-"].into_iter().find(|sign| self.at_sign(sign)) else {
            return self.term();
        };
        self.advance();
        self.right_hand_side()?;
        if self.peek() == Some(TokenKind::Number) {
            let number = format!("{sign}{}", self.advance());
            return Ok(Expr { kind: Kind::Number(number), place });
        }
        let operand = self.nested(Parser::signed)?;
        let zero = Expr { kind: Kind::Number("0".to_owned()), place };
        Ok(Expr { kind: Kind::Arithmetic(sign, Box::new(zero), Box::new(operand)), place })
    }

    fn term(&mut self) -> Result<Expr, Syntax> {
        let place = self.place();
        let kind = match self.peek() {
            None => return Err(Syntax::UnexpectedTerm),
            Some(TokenKind::Text) => Kind::Text(unquoted(self.advance())),
            Some(TokenKind::Number) => Kind::Number(self.advance().to_owned()),
            Some(TokenKind::Ion) => {
                Kind::Ion(super::ion::type_of(self.advance()).ok_or(Syntax::Unreadable)?)
            }
            Some(TokenKind::Quoted) => Kind::Path(self.path()?),
            Some(TokenKind::Word) => self.word_term()?,
            Some(TokenKind::Sign(sign)) => return self.sign_term(sign, place),
        };
        Ok(Expr { kind, place })
    }

    fn word_term(&mut self) -> Result<Kind, Syntax> {
        if self.at_word(&OPERATORS) {
            return Err(Syntax::UnexpectedOperator);
        }
        let calls = self.peek_at(1) == Some(TokenKind::Sign("("));
        if self.at_word(&["EXISTS"]) && calls {
            return self.call();
        }
        for (word, kind) in [
            ("TRUE", Kind::Bool(true)),
            ("FALSE", Kind::Bool(false)),
            ("NULL", Kind::Null),
            ("MISSING", Kind::Missing),
        ] {
            if self.take_word(word) {
                return Ok(kind);
            }
        }
        if self.at_word(&["FROM"])
            && matches!(self.peek_at(1), Some(TokenKind::Quoted | TokenKind::Word))
        {
            return Err(Syntax::MissingVerb);
        }
        if self.at_word(&RESERVED) {
            return Err(Syntax::UnexpectedKeyword);
        }
        if calls { self.call() } else { Ok(Kind::Path(self.path()?)) }
    }

    fn call(&mut self) -> Result<Kind, Syntax> {
        let name = self.advance().to_owned();
        self.advance();
        // COUNT(*) is read so that it can be refused as a call.
        if self.at_sign("*") && self.peek_at(1) == Some(TokenKind::Sign(")")) {
            self.advance();
            self.advance();
            return Ok(Kind::Call(name, Vec::new()));
        }
        Ok(Kind::Call(name, self.elements(")", Parser::argument)?))
    }

    /// An argument of a call, which may be a subquery.
    fn argument(&mut self) -> Result<Expr, Syntax> {
        let place = self.place();
        if self.take_word("SELECT") {
            self.nested(Parser::select)?;
            return Ok(Expr { kind: Kind::Subquery, place });
        }
        self.expression()
    }

    fn sign_term(&mut self, sign: &'static str, place: Place) -> Result<Expr, Syntax> {
        let kind = match sign {
            "?" => {
                self.advance();
                self.parameters += 1;
                Kind::Parameter(self.parameters - 1)
            }
            "[" => {
                self.advance();
                Kind::List(self.elements("]", Parser::expression)?)
            }
            "<<" => {
                self.advance();
                Kind::Bag(self.elements(">>", Parser::expression)?)
            }
            "{" => {
                self.advance();
                Kind::Map(self.elements("}", Parser::entry)?)
            }
            "(" => {
                self.advance();
                let place = self.place();
                let mut elements = self.elements(")", Parser::argument)?;
                return match elements.pop() {
                    None => Err(Syntax::UnexpectedTerm),
                    Some(only) if elements.is_empty() => Ok(only),
                    Some(last) => {
                        elements.push(last);
                        Ok(Expr { kind: Kind::Sequence(elements), place })
                    }
                };
            }
            "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" => return Err(Syntax::UnexpectedOperator),
            _ => return Err(Syntax::UnexpectedTerm),
        };
        Ok(Expr { kind, place })
    }

    fn entry(&mut self) -> Result<(Expr, Expr), Syntax> {
        let name = self.expression()?;
        if !self.take_sign(":") {
            return Err(Syntax::UnexpectedTerm);
        }
        Ok((name, self.expression()?))
    }

    /// Elements with commas between them, up to a closing sign.
    fn elements<T>(
        &mut self,
        close: &'static str,
        element: fn(&mut Self) -> Result<T, Syntax>,
    ) -> Result<Vec<T>, Syntax> {
        let mut elements = Vec::new();
        if self.take_sign(close) {
            return Ok(elements);
        }
        loop {
            elements.push(element(self)?);
            if self.take_sign(close) {
                return Ok(elements);
            }
            if !self.take_sign(",") {
                return Err(Syntax::Unclosed(close.chars().next().unwrap_or_default()));
            }
        }
    }

    /// Something must follow an operator.
    fn right_hand_side(&self) -> Result<(), Syntax> {
        if self.at_end() { Err(Syntax::MissingRightHandSide) } else { Ok(()) }
    }

    fn at_end(&self) -> bool {
        self.peek().is_none() || self.at_sign(";")
    }

    fn is_type(&mut self) -> Result<IsType, Syntax> {
        let of = IsType::Of;
        for (word, is_type) in [
            ("MISSING", IsType::Missing),
            ("NULL", of(AttributeType::Null)),
            ("BOOL", of(AttributeType::Bool)),
            ("BOOLEAN", of(AttributeType::Bool)),
            ("BLOB", of(AttributeType::B)),
            ("STRING", of(AttributeType::S)),
            ("NUMERIC", of(AttributeType::N)),
            ("STRUCT", of(AttributeType::M)),
            ("TUPLE", of(AttributeType::M)),
            ("LIST", of(AttributeType::L)),
        ] {
            if self.take_word(word) {
                return Ok(is_type);
            }
        }
        self.other_is_type()
    }

    /// The types that PartiQL has and DynamoDB has not, with the names of the service.
    fn other_is_type(&mut self) -> Result<IsType, Syntax> {
        let name = if self.at_word(&["DOUBLE"]) && self.is_word_at(1, &["PRECISION"]) {
            self.advance();
            "DoublePrecisionType"
        } else if self.at_word(&["CHARACTER"]) && self.is_word_at(1, &["VARYING"]) {
            self.advance();
            "CharacterVaryingType"
        } else {
            let found = OTHER_TYPES.iter().find(|(word, _)| self.at_word(&[word]));
            found.ok_or(Syntax::MissingTypeName)?.1
        };
        self.advance();
        if self.take_sign("(") {
            self.elements(")", Parser::expression)?;
        }
        Ok(IsType::Other(name))
    }
}

const OTHER_TYPES: [(&str, &str); 20] = [
    ("SMALLINT", "SmallintType"),
    ("INT", "IntegerType"),
    ("INTEGER", "IntegerType"),
    ("INT4", "Integer4Type"),
    ("INT8", "Integer8Type"),
    ("BIGINT", "Integer8Type"),
    ("FLOAT", "FloatType"),
    ("REAL", "RealType"),
    ("DECIMAL", "DecimalType"),
    ("TIMESTAMP", "TimestampType"),
    ("DATE", "DateType"),
    ("TIME", "TimeType"),
    ("CHAR", "CharacterType"),
    ("CHARACTER", "CharacterType"),
    ("VARCHAR", "CharacterVaryingType"),
    ("SYMBOL", "SymbolType"),
    ("CLOB", "ClobType"),
    ("SEXP", "SexpType"),
    ("BAG", "BagType"),
    ("ANY", "AnyType"),
];

impl Kind {
    fn negated_if(negated: bool, kind: Kind, place: Place) -> Kind {
        if negated { Kind::Not(1, Box::new(Expr { kind, place })) } else { kind }
    }
}
