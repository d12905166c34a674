//! Contents of the registers at one place of a method.

use crate::class_table::{ClassTable, Type, ValueKind};

/// Reference part of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// No reference.
    None,
    Null,
    /// A new object whose constructor has not run. The number is the instruction that made it.
    Uninitialized(u32),
    UninitializedThis,
    Instance(Type),
}

/// Contents of a register. It may have several kinds, since a constant may be read as a number or as null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Register {
    /// Kinds of numbers, as bits.
    pub(crate) numbers: u8,
    pub(crate) object: Object,
}

impl Register {
    pub(crate) const EMPTY: Self = Self {
        numbers: 0,
        object: Object::None,
    };

    /// Returns a register with a value of a type; empty for `void`. Of a wide value it is the first half.
    pub(crate) fn from_type(kind: Type) -> Self {
        match kind.kind() {
            Some(ValueKind::Object) => Self::object(Object::Instance(kind)),
            Some(number) => Self::number(number.bit()),
            None => Self::EMPTY,
        }
    }

    /// Returns a register that can be read as each kind of number in `numbers`, a set of bits.
    pub(crate) const fn number(numbers: u8) -> Self {
        Self {
            numbers,
            object: Object::None,
        }
    }

    pub(crate) const fn object(object: Object) -> Self {
        Self { numbers: 0, object }
    }

    /// Returns true if it can be read as a kind. Null and new objects can be read as an object.
    pub(crate) fn has(&self, kind: ValueKind) -> bool {
        match kind {
            ValueKind::Object => self.object != Object::None,
            _ => self.numbers & kind.bit() != 0,
        }
    }

    /// Returns true if it holds a value of two registers.
    fn wide(&self) -> bool {
        self.numbers & WIDE != 0
    }
}

const WIDE: u8 = ValueKind::Long.bit() | ValueKind::Double.bit();

/// Contents of all registers. The last one is extra: `this` of a constructor, which code cannot name and the
/// others may lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State(pub(crate) Vec<Register>);

impl State {
    /// Returns a register's contents, empty for a register that does not exist.
    pub(crate) fn get(&self, register: u16) -> Register {
        self.0
            .get(usize::from(register))
            .copied()
            .unwrap_or(Register::EMPTY)
    }

    /// Writes a register. A wide value whose second half it was is destroyed. A wide value also empties the
    /// next register, which is its second half.
    pub(crate) fn set(&mut self, register: u16, value: Register) {
        let place = usize::from(register);
        if place > 0 {
            self.0[place - 1].numbers &= !WIDE;
        }
        if value.wide()
            && let Some(half) = self.0.get_mut(place + 1)
        {
            *half = Register::EMPTY;
        }
        self.0[place] = value;
    }

    /// Marks every copy of the new object as one of type `kind` whose constructor has run.
    pub(crate) fn initialize(&mut self, object: Object, kind: Type) {
        for register in &mut self.0 {
            if register.object == object {
                register.object = Object::Instance(kind);
            }
        }
    }

    /// Merges the contents from another path to the same place: each register keeps the kinds of numbers that both
    /// have, and the common super type of their objects. Null takes the other's type. A new object stays only if both
    /// have the same one, else the reference is lost. Returns true if that changed anything.
    pub(crate) fn merge(&mut self, other: &Self, class_table: &ClassTable<'_>) -> bool {
        let mut changed = false;
        for (one, two) in self.0.iter_mut().zip(&other.0) {
            if one != two {
                let merged = Register {
                    numbers: one.numbers & two.numbers,
                    object: common(one.object, two.object, class_table),
                };
                changed |= merged != *one;
                *one = merged;
            }
        }
        changed
    }
}

/// Returns what both references are: equal ones stay, null takes the other's type, and two types become their common
/// super type. `None` for all others, such as a new object and another one.
fn common(one: Object, two: Object, class_table: &ClassTable<'_>) -> Object {
    match (one, two) {
        _ if one == two => one,
        (Object::Null, Object::Instance(kind)) | (Object::Instance(kind), Object::Null) => {
            Object::Instance(kind)
        }
        (Object::Instance(one), Object::Instance(two)) => {
            Object::Instance(class_table.common(one, two))
        }
        _ => Object::None,
    }
}
