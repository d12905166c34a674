//! Arithmetic and comparisons.

use super::Decoder;
use crate::error::Partial;
use crate::read::instruction::{Binary, Compare, Condition, Instruction as I, Unary};

impl Decoder<'_> {
    /// Decodes a comparison with a number as result, into the size in code units and the instruction. Fails for a
    /// register that the method does not have.
    pub(super) fn compare(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let second = self.unit(self.at + 1)?;
        let (a, b) = (second & 0xff, second >> 8);
        let kind = match opcode {
            0x2d => Compare::LessFloat,
            0x2e => Compare::GreaterFloat,
            0x2f => Compare::LessDouble,
            0x30 => Compare::GreaterDouble,
            _ => Compare::Long,
        };
        let (a, b) = if matches!(kind, Compare::LessFloat | Compare::GreaterFloat) {
            (self.reg(a)?, self.reg(b)?)
        } else {
            (self.pair(a)?, self.pair(b)?)
        };
        Ok((
            2,
            I::Compare {
                kind,
                dst: self.reg(high)?,
                a,
                b,
            },
        ))
    }

    /// Decodes a conditional jump, into the size in code units and the instruction. Those from opcode 0x38 on
    /// compare with zero. Fails for a register that the method does not have, and for a jump out of the method.
    pub(super) fn condition(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        const CONDITIONS: [Condition; 6] = [
            Condition::Eq,
            Condition::Ne,
            Condition::Lt,
            Condition::Ge,
            Condition::Gt,
            Condition::Le,
        ];
        let target = self.target(i32::from(self.unit(self.at + 1)? as i16))?;
        let condition = CONDITIONS[usize::from(opcode - 0x32) % 6];
        let (a, b) = if opcode < 0x38 {
            (self.reg(high & 0xf)?, Some(self.reg(high >> 4)?))
        } else {
            (self.reg(high)?, None)
        };
        Ok((
            2,
            I::If {
                condition,
                a,
                b,
                target,
            },
        ))
    }

    /// Decodes an operation on one value, into the size in code units and the instruction. `a` is the target, `b`
    /// the source. Fails for a register that the method does not have.
    pub(super) fn unary(&self, opcode: u8, a: u16, b: u16) -> Partial<(usize, I)> {
        let op = UNARY[usize::from(opcode - 0x7b)];
        let (from, to) = op.kinds();
        let wide = |kind| matches!(kind, b'J' | b'D');
        let dst = if wide(to) {
            self.pair(a)?
        } else {
            self.reg(a)?
        };
        let src = if wide(from) {
            self.pair(b)?
        } else {
            self.reg(b)?
        };
        Ok((1, I::Unary { op, dst, src }))
    }

    /// Decodes an operation on two values, into the size in code units and the instruction. From opcode 0xb0 on the
    /// first operand is the target too, and from 0xd0 on the second is a number. Fails for a register that the
    /// method does not have.
    pub(super) fn binary(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        if opcode >= 0xd0 {
            return self.binary_number(opcode, high);
        }
        let two = opcode >= 0xb0;
        let (op, of) = match (opcode - 0x90) % 0x20 {
            index @ 0..11 => (BINARY[usize::from(index)], b'I'),
            index @ 11..22 => (BINARY[usize::from(index - 11)], b'J'),
            index @ 22..27 => (BINARY[usize::from(index - 22)], b'F'),
            index => (BINARY[usize::from(index - 27)], b'D'),
        };
        let (dst, a, b) = if two {
            (high & 0xf, high & 0xf, high >> 4)
        } else {
            let second = self.unit(self.at + 1)?;
            (high, second & 0xff, second >> 8)
        };
        let shift = matches!(op, Binary::Shl | Binary::Shr | Binary::Ushr);
        let wide = matches!(of, b'J' | b'D');
        let value = |number| {
            if wide {
                self.pair(number)
            } else {
                self.reg(number)
            }
        };
        let (dst, a) = (value(dst)?, value(a)?);
        let b = if shift { self.reg(b)? } else { value(b)? };
        Ok((if two { 1 } else { 2 }, I::Binary { op, of, dst, a, b }))
    }

    /// Decodes an operation on an int and a number in the code, into the size in code units and the instruction.
    /// The number has 16 bits, from opcode 0xd8 on 8. The second opcode of each form subtracts from the number
    /// (`reverse`).
    pub(super) fn binary_number(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let second = self.unit(self.at + 1)?;
        let small = opcode >= 0xd8;
        let index = usize::from(if small { opcode - 0xd8 } else { opcode - 0xd0 });
        let (dst, a, number) = if small {
            (high, second & 0xff, i16::from((second >> 8) as i8))
        } else {
            (high & 0xf, high >> 4, second as i16)
        };
        let reverse = index == 1;
        let op = BINARY[index];
        Ok((
            2,
            I::BinaryNumber {
                op,
                dst: self.reg(dst)?,
                a: self.reg(a)?,
                number,
                reverse,
            },
        ))
    }
}

const UNARY: [Unary; 21] = [
    Unary::NegInt,
    Unary::NotInt,
    Unary::NegLong,
    Unary::NotLong,
    Unary::NegFloat,
    Unary::NegDouble,
    Unary::IntToLong,
    Unary::IntToFloat,
    Unary::IntToDouble,
    Unary::LongToInt,
    Unary::LongToFloat,
    Unary::LongToDouble,
    Unary::FloatToInt,
    Unary::FloatToLong,
    Unary::FloatToDouble,
    Unary::DoubleToInt,
    Unary::DoubleToLong,
    Unary::DoubleToFloat,
    Unary::IntToByte,
    Unary::IntToChar,
    Unary::IntToShort,
];

const BINARY: [Binary; 11] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Shr,
    Binary::Ushr,
];

impl Unary {
    /// Returns the kinds of its operand and its result, as JVM type letters.
    pub(crate) fn kinds(self) -> (u8, u8) {
        match self {
            Self::NegInt | Self::NotInt | Self::IntToByte | Self::IntToChar | Self::IntToShort => {
                (b'I', b'I')
            }
            Self::NegLong | Self::NotLong => (b'J', b'J'),
            Self::NegFloat => (b'F', b'F'),
            Self::NegDouble => (b'D', b'D'),
            Self::IntToLong => (b'I', b'J'),
            Self::IntToFloat => (b'I', b'F'),
            Self::IntToDouble => (b'I', b'D'),
            Self::LongToInt => (b'J', b'I'),
            Self::LongToFloat => (b'J', b'F'),
            Self::LongToDouble => (b'J', b'D'),
            Self::FloatToInt => (b'F', b'I'),
            Self::FloatToLong => (b'F', b'J'),
            Self::FloatToDouble => (b'F', b'D'),
            Self::DoubleToInt => (b'D', b'I'),
            Self::DoubleToLong => (b'D', b'J'),
            Self::DoubleToFloat => (b'D', b'F'),
        }
    }
}
