//! Copies, constants, objects, arrays and fields.

use super::Decoder;
use crate::error::Partial;
use crate::read::instruction::{ArrayKind, Instruction as I};

impl Decoder<'_> {
    /// Decodes copies of registers (opcodes up to 0x09, and `nop`) into the size in code units and the
    /// instruction. `high` is the upper byte of the first unit. Fails for a register that the method does not
    /// have.
    pub(super) fn moves(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let (at, a, b) = (self.at, high & 0xf, high >> 4);
        Ok(match opcode {
            0x00 => (1, I::Nop),
            0x01 | 0x07 => (
                1,
                I::Move {
                    dst: self.reg(a)?,
                    src: self.reg(b)?,
                },
            ),
            0x02 | 0x08 => (
                2,
                I::Move {
                    dst: self.reg(high)?,
                    src: self.reg(self.unit(at + 1)?)?,
                },
            ),
            0x03 | 0x09 => (
                3,
                I::Move {
                    dst: self.reg(self.unit(at + 1)?)?,
                    src: self.reg(self.unit(at + 2)?)?,
                },
            ),
            0x04 => (
                1,
                I::MoveWide {
                    dst: self.pair(a)?,
                    src: self.pair(b)?,
                },
            ),
            0x05 => (
                2,
                I::MoveWide {
                    dst: self.pair(high)?,
                    src: self.pair(self.unit(at + 1)?)?,
                },
            ),
            _ => (
                3,
                I::MoveWide {
                    dst: self.pair(self.unit(at + 1)?)?,
                    src: self.pair(self.unit(at + 2)?)?,
                },
            ),
        })
    }

    /// Decodes constants (opcodes 0x13 to 0x1c: numbers, strings, classes) into the size in code units and the
    /// instruction. `high` is the register. Short numbers are extended by their sign, or are the upper 16 bits.
    /// Strings and classes are not looked up; a register that the method does not have fails.
    pub(super) fn constant(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let (at, dst) = (self.at, high);
        let short = || Ok(self.unit(at + 1)? as i16);
        Ok(match opcode {
            0x13 => (
                2,
                I::Const {
                    dst: self.reg(dst)?,
                    value: short()?.into(),
                },
            ),
            0x14 => (
                3,
                I::Const {
                    dst: self.reg(dst)?,
                    value: self.int(at + 1)?,
                },
            ),
            0x15 => (
                2,
                I::Const {
                    dst: self.reg(dst)?,
                    value: i32::from(short()?) << 16,
                },
            ),
            0x16 => (
                2,
                I::ConstWide {
                    dst: self.pair(dst)?,
                    value: short()?.into(),
                },
            ),
            0x17 => (
                3,
                I::ConstWide {
                    dst: self.pair(dst)?,
                    value: self.int(at + 1)?.into(),
                },
            ),
            0x18 => {
                let low = i64::from(self.int(at + 1)? as u32);
                let value = low | i64::from(self.int(at + 3)?) << 32;
                (
                    5,
                    I::ConstWide {
                        dst: self.pair(dst)?,
                        value,
                    },
                )
            }
            0x19 => (
                2,
                I::ConstWide {
                    dst: self.pair(dst)?,
                    value: i64::from(short()?) << 48,
                },
            ),
            0x1a => (
                2,
                I::ConstString {
                    dst: self.reg(dst)?,
                    string: self.unit(at + 1)?.into(),
                },
            ),
            0x1b => (
                3,
                I::ConstString {
                    dst: self.reg(dst)?,
                    string: self.int(at + 1)? as u32,
                },
            ),
            _ => (
                2,
                I::ConstClass {
                    dst: self.reg(dst)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
        })
    }

    /// Decodes instructions for objects and arrays (locks, casts, new objects, lengths, throws) into the size in
    /// code units and the instruction. `high` is the upper byte of the first unit. A new filled array takes the
    /// `move-result` behind it. Fails for a register that the method does not have.
    pub(super) fn object(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        let (at, a, b) = (self.at, high & 0xf, high >> 4);
        Ok(match opcode {
            0x1d | 0x1e => (
                1,
                I::Monitor {
                    enter: opcode == 0x1d,
                    src: self.reg(high)?,
                },
            ),
            0x1f => (
                2,
                I::CheckCast {
                    reg: self.reg(high)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
            0x20 => (
                2,
                I::InstanceOf {
                    dst: self.reg(a)?,
                    src: self.reg(b)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
            0x21 => (
                1,
                I::ArrayLength {
                    dst: self.reg(a)?,
                    src: self.reg(b)?,
                },
            ),
            0x22 => (
                2,
                I::NewInstance {
                    dst: self.reg(high)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
            0x23 => (
                2,
                I::NewArray {
                    dst: self.reg(a)?,
                    length: self.reg(b)?,
                    class: self.unit(at + 1)?.into(),
                },
            ),
            0x24 | 0x25 => {
                let (args, class) = (self.args(opcode == 0x25, high)?, self.unit(at + 1)?.into());
                let (size, dst) = self.result(3)?;
                (size, I::FilledNewArray { dst, class, args })
            }
            0x26 => (
                3,
                I::FillArrayData {
                    array: self.reg(high)?,
                    data: self.target(self.int(at + 1)?)?,
                },
            ),
            _ => (
                1,
                I::Throw {
                    src: self.reg(high)?,
                },
            ),
        })
    }

    /// Decodes reads and writes of arrays and fields into the size in code units and the instruction. `high`
    /// is the upper byte of the first unit. The field is not looked up. Fails for a register that the method
    /// does not have.
    pub(super) fn memory(&self, opcode: u8, high: u16) -> Partial<(usize, I)> {
        const KINDS: [ArrayKind; 7] = [
            ArrayKind::Single,
            ArrayKind::Wide,
            ArrayKind::Object,
            ArrayKind::Boolean,
            ArrayKind::Byte,
            ArrayKind::Char,
            ArrayKind::Short,
        ];
        let second = self.unit(self.at + 1)?;
        let kind = KINDS[usize::from(opcode - 0x44) % 7];
        let value = |number| {
            if kind == ArrayKind::Wide {
                self.pair(number)
            } else {
                self.reg(number)
            }
        };
        let field = u32::from(second);
        let op = match opcode {
            0x44..=0x51 => {
                let (value, array, index) = (
                    value(high)?,
                    self.reg(second & 0xff)?,
                    self.reg(second >> 8)?,
                );
                if opcode < 0x4b {
                    I::ArrayGet {
                        kind,
                        dst: value,
                        array,
                        index,
                    }
                } else {
                    I::ArrayPut {
                        kind,
                        src: value,
                        array,
                        index,
                    }
                }
            }
            0x52..=0x58 => I::InstanceGet {
                dst: value(high & 0xf)?,
                object: self.reg(high >> 4)?,
                field,
            },
            0x59..=0x5f => I::InstancePut {
                src: value(high & 0xf)?,
                object: self.reg(high >> 4)?,
                field,
            },
            0x60..=0x66 => I::StaticGet {
                dst: value(high)?,
                field,
            },
            _ => I::StaticPut {
                src: value(high)?,
                field,
            },
        };
        Ok((2, op))
    }
}
