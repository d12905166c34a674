//! Stack map frames of blocks: the types of the live locals.

use std::collections::HashMap;

use super::locals::{Locals, kind_at};
use crate::analyse::{Context, Object, State, Variables};
use crate::class_table::{Type, ValueKind};
use crate::jvm::{ConstantPool, Frame, Label, VerificationType};

pub(super) struct Frames<'c, 'w, 'a> {
    pub(super) context: &'c Context<'w, 'a>,
    pub(super) locals: &'c Locals,
    /// Label of the `new` of each object whose constructor has not run yet.
    pub(super) allocations: HashMap<u32, Label>,
}

impl Frames<'_, '_, '_> {
    /// Returns the frame at a method's start: its arguments in the first locals, and nothing on the stack.
    /// `this` of a constructor is not initialized yet.
    pub(super) fn first(&self, pool: &mut ConstantPool) -> Frame {
        let mut slots = vec![VerificationType::Top; usize::from(self.locals.count)];
        let mut at = 0;
        for (index, argument) in self.context.arguments.iter().enumerate() {
            let kind = argument.kind().unwrap_or(ValueKind::Int);
            slots[at] = if index == 0 && self.context.constructor {
                VerificationType::UninitializedThis
            } else {
                match kind {
                    ValueKind::Object => self.object(Object::Instance(*argument), pool),
                    number => primitive(number),
                }
            };
            at += usize::from(kind.width());
        }
        frame(slots, None)
    }

    /// Returns the frame at a block's start: the locals of the live variables with their types, all others unusable. If
    /// `catches` is a type, the stack holds an exception of that type. In a constructor, `this` stays in the frame
    /// until its super constructor has run, even if nothing reads it.
    pub(super) fn block(
        &self,
        entry: &State,
        live: &Variables,
        catches: Option<Type>,
        pool: &mut ConstantPool,
    ) -> Frame {
        let mut slots = vec![VerificationType::Top; usize::from(self.locals.count)];
        let kept = entry.get(self.context.item.registers).object;
        // The verifier requires an object whose constructor has not run in the frame, even if nothing reads it any more.
        if kept == Object::UninitializedThis {
            let place = self.locals.this.unwrap_or(0);
            slots[usize::from(place)] = VerificationType::UninitializedThis;
        }
        for variable in live.iter() {
            let Some(local) = self.locals.get(variable) else {
                continue;
            };
            let register = entry.get((variable / ValueKind::ALL.len()) as u16);
            let kind = kind_at(variable);
            if register.has(kind) {
                slots[usize::from(local)] = match kind {
                    ValueKind::Object => self.object(register.object, pool),
                    number => primitive(number),
                };
            }
        }
        frame(
            slots,
            catches.map(|kind| self.object(Object::Instance(kind), pool)),
        )
    }

    /// Returns the verifier's type of a reference. A register without a reference is `Top`; a new object whose label is
    /// not known is `Top` too.
    fn object(&self, object: Object, pool: &mut ConstantPool) -> VerificationType {
        match object {
            Object::None => VerificationType::Top,
            Object::Null => VerificationType::Null,
            Object::UninitializedThis => VerificationType::UninitializedThis,
            Object::Uninitialized(index) => match self.allocations.get(&index) {
                Some(label) => VerificationType::Uninitialized(*label),
                None => VerificationType::Top,
            },
            Object::Instance(kind) => {
                VerificationType::Object(pool.class(&self.context.class_table.class_constant(kind)))
            }
        }
    }
}

/// Returns the verifier's type of a kind of number; `Top` for objects.
fn primitive(kind: ValueKind) -> VerificationType {
    match kind {
        ValueKind::Int => VerificationType::Integer,
        ValueKind::Float => VerificationType::Float,
        ValueKind::Long => VerificationType::Long,
        ValueKind::Double => VerificationType::Double,
        ValueKind::Object => VerificationType::Top,
    }
}

/// Makes a frame without the second halves of wide values, and without unused locals at the end.
fn frame(slots: Vec<VerificationType>, stack: Option<VerificationType>) -> Frame {
    let mut locals = Vec::with_capacity(slots.len());
    let mut slots = slots.into_iter();
    while let Some(slot) = slots.next() {
        if matches!(slot, VerificationType::Long | VerificationType::Double) {
            slots.next();
        }
        locals.push(slot);
    }
    while locals.last() == Some(&VerificationType::Top) {
        locals.pop();
    }
    Frame { locals, stack }
}
