//! A method that is being translated, with what it belongs to.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Flaw, Partial};
use crate::read::{Code, CodeItem, Dex, FieldId, MethodId, Name};
use crate::world::{ClassId, Kind, Type, World};

/// Steps that are left for all methods together, so that no file takes time without end.
#[derive(Debug)]
pub(crate) struct Fuel(AtomicU64);

impl Fuel {
    pub(crate) fn new(steps: u64) -> Self {
        Self(AtomicU64::new(steps))
    }

    /// Takes some steps.
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

/// What analysis found of an instruction.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fact {
    /// The kind of value, where the instruction does not tell.
    pub(crate) kind: Option<Kind>,
    /// It always fails, because what it needs is null.
    pub(crate) fails: bool,
    /// The kinds in which its result is read later, as bits.
    pub(crate) live: u8,
    /// Its first operand is not read again.
    pub(crate) first_dies: bool,
}

/// A method with its code and what it belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'w, 'a> {
    pub(crate) world: &'w World<'a>,
    pub(crate) dex: &'w Dex<'a>,
    /// The number of that dex file.
    pub(crate) number: u32,
    pub(crate) class: ClassId,
    pub(crate) item: &'w CodeItem<'a>,
    pub(crate) code: &'w Code,
    /// The types of the arguments, with `this`.
    pub(crate) arguments: &'w [Type],
    pub(crate) returns: Type,
    pub(crate) constructor: bool,
    pub(crate) fuel: &'w Fuel,
}

/// A method that code calls.
#[derive(Debug, Clone)]
pub(crate) struct Callee<'a> {
    pub(crate) owner: Type,
    pub(crate) name: Name<'a>,
    pub(crate) proto: u32,
}

impl<'a> Context<'_, 'a> {
    /// A type of the dex file.
    pub(crate) fn kind(&self, number: u32) -> Partial<Type> {
        self.dex.type_name(number)?;
        Ok(self.world.type_of(self.number, number))
    }

    /// A type that objects have: a class or an array.
    pub(crate) fn object_kind(&self, number: u32) -> Partial<Type> {
        let kind = self.kind(number)?;
        if kind.is_primitive() {
            return Err(Flaw::new("a primitive type stands for a class"));
        }
        Ok(kind)
    }

    /// A field that code names, and its type.
    pub(crate) fn field(&self, number: u32) -> Partial<(FieldId, Type)> {
        let field = self.dex.field(number)?;
        Ok((field, self.kind(field.kind)?))
    }

    /// A method that code names.
    pub(crate) fn callee(&self, number: u32) -> Partial<Callee<'a>> {
        let MethodId { class, proto, name } = self.dex.method(number)?;
        Ok(Callee {
            owner: self.object_kind(class)?,
            name: self.dex.string(name)?,
            proto,
        })
    }
}
