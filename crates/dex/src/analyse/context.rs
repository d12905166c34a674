//! Context of a method that is being translated: its class, its dex file and the tables it refers to.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::class_table::{ClassId, ClassTable, Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::read::{Code, CodeItem, Dex, FieldId, MethodId, Name};

/// Steps of analysis that are left for all methods together. They bound the time for any file.
#[derive(Debug)]
pub(crate) struct Fuel(AtomicU64);

impl Fuel {
    pub(crate) fn new(steps: u64) -> Self {
        Self(AtomicU64::new(steps))
    }

    /// Takes steps from the budget of the whole app. Fails if too few are left; then none is taken.
    pub(crate) fn burn(&self, steps: usize) -> Partial<()> {
        let steps = steps as u64;
        let taken = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(steps)
            });
        taken.map(|_| ()).map_err(|_| {
            Flaw::new("the methods of this app take longer to analyse than those of any app known")
        })
    }
}

/// Result of the analysis of one instruction.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fact {
    /// Kind of value, if the instruction itself does not say.
    pub(crate) kind: Option<ValueKind>,
    /// The instruction always throws, because its object is null.
    pub(crate) fails: bool,
    /// Kinds in which its result is read later, as bits.
    pub(crate) live: u8,
    /// Its first operand is not read again.
    pub(crate) first_dies: bool,
}

/// A method with its code, its class and its dex file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'w, 'a> {
    pub(crate) class_table: &'w ClassTable<'a>,
    pub(crate) dex: &'w Dex<'a>,
    /// Number of that dex file.
    pub(crate) number: u32,
    pub(crate) class: ClassId,
    pub(crate) item: &'w CodeItem<'a>,
    pub(crate) code: &'w Code,
    /// Types of the arguments, with `this`.
    pub(crate) arguments: &'w [Type],
    pub(crate) returns: Type,
    pub(crate) constructor: bool,
    pub(crate) fuel: &'w Fuel,
}

/// A method that is called.
#[derive(Debug, Clone)]
pub(crate) struct Callee<'a> {
    pub(crate) owner: Type,
    pub(crate) name: Name<'a>,
    pub(crate) proto: u32,
}

impl<'a> Context<'_, 'a> {
    /// Returns the type with this number. Fails if it does not exist.
    pub(crate) fn kind(&self, number: u32) -> Partial<Type> {
        self.dex.type_name(number)?;
        Ok(self.class_table.type_of(self.number, number))
    }

    /// Returns the class or array type with this number. Fails for a primitive, and for a number that does
    /// not exist.
    pub(crate) fn object_kind(&self, number: u32) -> Partial<Type> {
        let kind = self.kind(number)?;
        if kind.is_primitive() {
            return Err(Flaw::new("a primitive type stands for a class"));
        }
        Ok(kind)
    }

    /// Returns the field with this number and its type. Fails if either does not exist.
    pub(crate) fn field(&self, number: u32) -> Partial<(FieldId, Type)> {
        let field = self.dex.field(number)?;
        Ok((field, self.kind(field.kind)?))
    }

    /// Returns the method with this number: owner (a class or array), name and prototype. Fails if any of
    /// them does not exist.
    pub(crate) fn callee(&self, number: u32) -> Partial<Callee<'a>> {
        let MethodId { class, proto, name } = self.dex.method(number)?;
        Ok(Callee {
            owner: self.object_kind(class)?,
            name: self.dex.string(name)?,
            proto,
        })
    }
}
