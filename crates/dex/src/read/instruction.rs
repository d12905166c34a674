//! Instructions of dex, in groups that are translated in the same way.

/// Comparison of two values, or of one with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

/// A comparison whose result is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    LessFloat,
    GreaterFloat,
    LessDouble,
    GreaterDouble,
    Long,
}

/// Type of an array's elements, as far as its instructions say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArrayKind {
    /// `int` or `float`.
    Single,
    /// `long` or `double`.
    Wide,
    Object,
    Boolean,
    Byte,
    Char,
    Short,
}

/// Dispatch of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InvokeKind {
    Virtual,
    Super,
    Direct,
    Static,
    Interface,
}

/// An operation on one value. The order is that of the opcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    NegInt,
    NotInt,
    NegLong,
    NotLong,
    NegFloat,
    NegDouble,
    IntToLong,
    IntToFloat,
    IntToDouble,
    LongToInt,
    LongToFloat,
    LongToDouble,
    FloatToInt,
    FloatToLong,
    FloatToDouble,
    DoubleToInt,
    DoubleToLong,
    DoubleToFloat,
    IntToByte,
    IntToChar,
    IntToShort,
}

/// An operation on two values of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Ushr,
}

/// Registers of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Args {
    List([u16; 5], u8),
    Range(u16, u8),
}

impl Args {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::List(_, count) | Self::Range(_, count) => usize::from(*count),
        }
    }

    /// Returns the register of an argument, or `None` if there are fewer.
    pub(crate) fn get(&self, index: usize) -> Option<u16> {
        match self {
            Self::List(list, count) => list
                .get(index)
                .filter(|_| index < usize::from(*count))
                .copied(),
            Self::Range(first, count) => {
                (index < usize::from(*count)).then(|| first.wrapping_add(index as u16))
            }
        }
    }
}

/// An instruction. Registers and targets are checked by the decoder; table indexes are checked when they are
/// used.
#[derive(Debug, Clone)]
pub(crate) enum Instruction {
    Nop,
    /// A copy of 32 bits: a number or a reference.
    Move {
        dst: u16,
        src: u16,
    },
    MoveWide {
        dst: u16,
        src: u16,
    },
    MoveException {
        dst: u16,
    },
    ReturnVoid,
    Return {
        src: u16,
    },
    Const {
        dst: u16,
        value: i32,
    },
    ConstWide {
        dst: u16,
        value: i64,
    },
    ConstString {
        dst: u16,
        string: u32,
    },
    ConstClass {
        dst: u16,
        class: u32,
    },
    ConstMethodHandle {
        dst: u16,
        handle: u32,
    },
    ConstMethodType {
        dst: u16,
        proto: u32,
    },
    Monitor {
        enter: bool,
        src: u16,
    },
    CheckCast {
        reg: u16,
        class: u32,
    },
    InstanceOf {
        dst: u16,
        src: u16,
        class: u32,
    },
    ArrayLength {
        dst: u16,
        src: u16,
    },
    NewInstance {
        dst: u16,
        class: u32,
    },
    NewArray {
        dst: u16,
        length: u16,
        class: u32,
    },
    FilledNewArray {
        dst: Option<u16>,
        class: u32,
        args: Args,
    },
    /// The data is at a code unit.
    FillArrayData {
        array: u16,
        data: u32,
    },
    Throw {
        src: u16,
    },
    Goto {
        target: u32,
    },
    /// A number among the method's switches.
    Switch {
        src: u16,
        table: u32,
    },
    Compare {
        kind: Compare,
        dst: u16,
        a: u16,
        b: u16,
    },
    /// Compares with zero if `b` is `None`.
    If {
        condition: Condition,
        a: u16,
        b: Option<u16>,
        target: u32,
    },
    ArrayGet {
        kind: ArrayKind,
        dst: u16,
        array: u16,
        index: u16,
    },
    ArrayPut {
        kind: ArrayKind,
        src: u16,
        array: u16,
        index: u16,
    },
    InstanceGet {
        dst: u16,
        object: u16,
        field: u32,
    },
    InstancePut {
        src: u16,
        object: u16,
        field: u32,
    },
    StaticGet {
        dst: u16,
        field: u32,
    },
    StaticPut {
        src: u16,
        field: u32,
    },
    Invoke {
        kind: InvokeKind,
        method: u32,
        args: Args,
        dst: Option<u16>,
    },
    InvokePolymorphic {
        method: u32,
        proto: u32,
        args: Args,
        dst: Option<u16>,
    },
    InvokeCustom {
        call_site: u32,
        args: Args,
        dst: Option<u16>,
    },
    Unary {
        op: Unary,
        dst: u16,
        src: u16,
    },
    /// On the kind of value that a letter of the JVM names: `I`, `J`, `F` or `D`.
    Binary {
        op: Binary,
        of: u8,
        dst: u16,
        a: u16,
        b: u16,
    },
    /// The number is the left operand if `reverse` is set.
    BinaryNumber {
        op: Binary,
        dst: u16,
        a: u16,
        number: i16,
        reverse: bool,
    },
}

/// An instruction with its place.
#[derive(Debug, Clone)]
pub(crate) struct Insn {
    /// The code unit at which it begins.
    pub(crate) pc: u32,
    pub(crate) op: Instruction,
}

impl Instruction {
    /// Returns true if it can throw an exception. Of calculations only the division and remainder of ints and
    /// longs can; a return cannot.
    pub(crate) fn throws(&self) -> bool {
        match self {
            Self::Nop
            | Self::Move { .. }
            | Self::MoveWide { .. }
            | Self::MoveException { .. }
            | Self::ReturnVoid
            | Self::Return { .. }
            | Self::Const { .. }
            | Self::ConstWide { .. }
            | Self::Goto { .. }
            | Self::Switch { .. }
            | Self::Compare { .. }
            | Self::If { .. }
            | Self::Unary { .. } => false,
            Self::Binary { op, of, .. } => {
                matches!(op, Binary::Div | Binary::Rem) && matches!(of, b'I' | b'J')
            }
            Self::BinaryNumber { op, .. } => matches!(op, Binary::Div | Binary::Rem),
            _ => true,
        }
    }

    /// Returns true if it never continues to the next instruction: a return, a throw or an unconditional
    /// jump. A switch may continue.
    pub(crate) fn ends(&self) -> bool {
        matches!(
            self,
            Self::ReturnVoid | Self::Return { .. } | Self::Throw { .. } | Self::Goto { .. }
        )
    }
}
