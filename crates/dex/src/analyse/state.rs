//! What the registers hold at one place of a method.

use crate::world::{Kind, Type, World};

/// A reference in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// There is none.
    None,
    Null,
    /// What an instruction made, before its constructor ran.
    Uninitialized(u32),
    UninitializedThis,
    Of(Type),
}

/// What a register holds: any of several, where a constant may be read as more than one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Register {
    /// The kinds of numbers, as bits.
    pub(crate) numbers: u8,
    pub(crate) object: Object,
}

impl Register {
    pub(crate) const EMPTY: Self = Self {
        numbers: 0,
        object: Object::None,
    };

    /// A value of a type.
    pub(crate) fn of(kind: Type) -> Self {
        match kind.kind() {
            Some(Kind::Object) => Self::object(Object::Of(kind)),
            Some(number) => Self::number(number.bit()),
            None => Self::EMPTY,
        }
    }

    pub(crate) const fn number(numbers: u8) -> Self {
        Self {
            numbers,
            object: Object::None,
        }
    }

    pub(crate) const fn object(object: Object) -> Self {
        Self { numbers: 0, object }
    }

    /// Whether it can be read as a kind.
    pub(crate) fn has(&self, kind: Kind) -> bool {
        match kind {
            Kind::Object => self.object != Object::None,
            _ => self.numbers & kind.bit() != 0,
        }
    }

    /// Whether it holds two registers' worth.
    fn wide(&self) -> bool {
        self.numbers & WIDE != 0
    }
}

const WIDE: u8 = Kind::Long.bit() | Kind::Double.bit();

/// What all registers hold. Behind them is one that code cannot name: `this` of a constructor, which the others may lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State(pub(crate) Vec<Register>);

impl State {
    pub(crate) fn get(&self, register: u16) -> Register {
        self.0
            .get(usize::from(register))
            .copied()
            .unwrap_or(Register::EMPTY)
    }

    /// Writes a register. The other half of a wide value that it breaks is gone.
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

    /// Every copy of a new object becomes one whose constructor ran.
    pub(crate) fn initialize(&mut self, object: Object, kind: Type) {
        for register in &mut self.0 {
            if register.object == object {
                register.object = Object::Of(kind);
            }
        }
    }

    /// Takes in what another way to the same place holds. Says whether that changed anything.
    pub(crate) fn merge(&mut self, other: &Self, world: &World<'_>) -> bool {
        let mut changed = false;
        for (one, two) in self.0.iter_mut().zip(&other.0) {
            if one != two {
                let merged = Register {
                    numbers: one.numbers & two.numbers,
                    object: common(one.object, two.object, world),
                };
                changed |= merged != *one;
                *one = merged;
            }
        }
        changed
    }
}

fn common(one: Object, two: Object, world: &World<'_>) -> Object {
    match (one, two) {
        _ if one == two => one,
        (Object::Null, Object::Of(kind)) | (Object::Of(kind), Object::Null) => Object::Of(kind),
        (Object::Of(one), Object::Of(two)) => Object::Of(world.common(one, two)),
        _ => Object::None,
    }
}
