//! Writes the creation and filling of arrays.

use super::constants::{element_letter, push_string};
use super::emit::Emitter;
use crate::analyse::Operand;
use crate::class_table::{Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::jvm::op;
use crate::read::array_data;

/// Most values of an array that are stored one by one. More are decoded from a string: each single value
/// takes about seven bytes of code.
const MAX_SINGLE_VALUES: usize = 24;
/// The encoding whose characters are the 256 values of a byte.
const LATIN: &[u8] = b"ISO-8859-1";

impl Emitter<'_, '_, '_, '_> {
    /// Writes code that makes an array, whose length is on the stack. `array` is the type of the array, not
    /// of its elements.
    ///
    /// # Errors
    /// Fails if the type is no array.
    pub(super) fn new_array(&mut self, array: Type) -> Partial<()> {
        let of = array
            .component()
            .ok_or(Flaw::new("what is made as an array is none"))?;
        if of.is_primitive() {
            self.asm.op(op::NEWARRAY, 0);
            self.asm
                .u8(match element_letter(self.context.class_table, of) {
                    b'Z' => 4,
                    b'C' => 5,
                    b'F' => 6,
                    b'D' => 7,
                    b'B' => 8,
                    b'S' => 9,
                    b'J' => 11,
                    _ => 10,
                });
        } else {
            let class = self.class(of);
            self.asm.op_u16(op::ANEWARRAY, class, 0);
        }
        Ok(())
    }

    /// Writes code that makes an array of `values`, in their order, and leaves it on the stack.
    ///
    /// # Errors
    /// Fails if the type is no array, or a value has no local.
    pub(super) fn filled_array(&mut self, array: Type, values: &[Operand]) -> Partial<()> {
        self.asm.push_int(values.len() as i32);
        self.new_array(array)?;
        let of = array
            .component()
            .ok_or(Flaw::new("what is made as an array is none"))?;
        for (index, value) in values.iter().enumerate() {
            self.asm.op(op::DUP, 1);
            self.asm.push_int(index as i32);
            self.load(*value)?;
            self.cast(*value);
            let width = i32::from(value.kind.width());
            self.asm.op(
                store_opcode(element_letter(self.context.class_table, of)),
                -2 - width,
            );
        }
        Ok(())
    }

    /// Writes code that fills an array with the data at the code unit `data`. More than [`MAX_SINGLE_VALUES`]
    /// values, other than booleans, come from a string. Without values it only checks for null.
    ///
    /// # Errors
    /// Fails if the register holds no array, or the data's values have another width than its elements.
    pub(super) fn fill_array(&mut self, data: u32, array: Operand) -> Partial<()> {
        let (width, bytes) = array_data(self.context.item, data)?;
        let crate::analyse::Object::Instance(kind) = self.state.get(array.register).object else {
            return Err(Flaw::new("what is filled is no array"));
        };
        let of = kind
            .component()
            .ok_or(Flaw::new("what is filled is no array"))?;
        let letter = element_letter(self.context.class_table, of);
        let size = match letter {
            b'Z' | b'B' => 1,
            b'C' | b'S' => 2,
            b'J' | b'D' => 8,
            _ => 4,
        };
        if size != width {
            return Err(Flaw::new(
                "the values of an array have another size than the array",
            ));
        }
        let count = bytes.len() / width;
        if count > MAX_SINGLE_VALUES && letter != b'Z' {
            return self.fill_from_string(letter, bytes, count, array);
        }
        self.load(array)?;
        for (index, value) in bytes.chunks_exact(width).enumerate() {
            self.asm.op(op::DUP, 1);
            self.asm.push_int(index as i32);
            let wide = self.push_value(letter, value);
            self.asm
                .op(store_opcode(letter), -2 - i32::from(wide.width()));
        }
        if count == 0 {
            // What is null must fail.
            self.asm.op(op::ARRAYLENGTH, 0);
        }
        self.asm.op(op::POP, -1);
        Ok(())
    }

    /// Pushes a value of an array's data as an element of the type `letter`, and returns its kind. `value` is little
    /// endian.
    fn push_value(&mut self, letter: u8, value: &[u8]) -> ValueKind {
        let mut little = [0; 8];
        little[..value.len()].copy_from_slice(value);
        let unsigned = u64::from_le_bytes(little);
        match letter {
            b'J' => {
                self.asm.push_long(unsigned as i64);
                ValueKind::Long
            }
            b'D' => {
                self.asm.push_double(unsigned);
                ValueKind::Double
            }
            b'F' => {
                self.asm.push_float(unsigned as u32);
                ValueKind::Float
            }
            _ => {
                self.asm.push_int(match letter {
                    b'Z' | b'B' => i32::from(unsigned as i8),
                    b'S' => i32::from(unsigned as i16),
                    _ => unsigned as i32,
                });
                ValueKind::Int
            }
        }
    }

    /// Writes code that fills an array from a string in which each character is a byte of `bytes`, little endian.
    /// `letter` is that of its elements, `count` their number.
    ///
    /// # Errors
    /// Fails for booleans and objects, after a part of the code is written.
    fn fill_from_string(
        &mut self,
        letter: u8,
        bytes: &[u8],
        count: usize,
        array: Operand,
    ) -> Partial<()> {
        push_string(&mut self.asm, &latin(bytes));
        push_string(&mut self.asm, LATIN);
        self.method(
            op::INVOKEVIRTUAL,
            b"java/lang/String",
            b"getBytes",
            b"(Ljava/lang/String;)[B",
            -1,
        );
        if letter == b'B' {
            self.asm.push_int(0);
            self.load(array)?;
            self.asm.push_int(0);
            self.asm.push_int(count as i32);
            let copy = b"(Ljava/lang/Object;ILjava/lang/Object;II)V";
            self.method(
                op::INVOKESTATIC,
                b"java/lang/System",
                b"arraycopy",
                copy,
                -5,
            );
            return Ok(());
        }
        let (buffer, view): (&[u8], &[u8]) = match letter {
            b'C' => (b"java/nio/CharBuffer", b"asCharBuffer"),
            b'S' => (b"java/nio/ShortBuffer", b"asShortBuffer"),
            b'J' => (b"java/nio/LongBuffer", b"asLongBuffer"),
            b'F' => (b"java/nio/FloatBuffer", b"asFloatBuffer"),
            b'D' => (b"java/nio/DoubleBuffer", b"asDoubleBuffer"),
            b'I' => (b"java/nio/IntBuffer", b"asIntBuffer"),
            _ => {
                return Err(Flaw::new(
                    "the values of an array have another size than the array",
                ));
            }
        };
        let bytes = b"java/nio/ByteBuffer";
        self.method(
            op::INVOKESTATIC,
            bytes,
            b"wrap",
            b"([B)Ljava/nio/ByteBuffer;",
            0,
        );
        let order = b"Ljava/nio/ByteOrder;";
        let little = self
            .asm
            .pool
            .field(b"java/nio/ByteOrder", b"LITTLE_ENDIAN", order);
        self.asm.op_u16(op::GETSTATIC, little, 1);
        let order = b"(Ljava/nio/ByteOrder;)Ljava/nio/ByteBuffer;";
        self.method(op::INVOKEVIRTUAL, bytes, b"order", order, -1);
        let viewed = [b"()L", buffer, b";"].concat();
        self.method(op::INVOKEVIRTUAL, bytes, view, &viewed, 0);
        self.load(array)?;
        self.asm.push_int(0);
        self.asm.push_int(count as i32);
        let get = [b"([", &[letter][..], b"II)L", buffer, b";"].concat();
        self.method(op::INVOKEVIRTUAL, buffer, b"get", &get, -3);
        self.asm.op(op::POP, -1);
        Ok(())
    }

    fn method(&mut self, opcode: u8, owner: &[u8], name: &[u8], descriptor: &[u8], stack: i32) {
        let method = self.asm.pool.method(false, owner, name, descriptor);
        self.asm.op_u16(opcode, method, stack);
    }
}

/// Encodes bytes as characters of the same numbers (Latin-1), in the modified UTF-8 of class files: 0 and
/// those from 128 on take two bytes.
fn latin(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len() * 2);
    for byte in bytes {
        match byte {
            1..=0x7f => text.push(*byte),
            _ => text.extend([0xc0 | byte >> 6, 0x80 | byte & 0x3f]),
        }
    }
    text
}

/// Returns the opcode that stores an element of the type `letter`; any other letter stands for an object.
fn store_opcode(letter: u8) -> u8 {
    op::ARRAY_STORE
        + match letter {
            b'J' => op::LALOAD,
            b'F' => op::FALOAD,
            b'D' => op::DALOAD,
            b'Z' | b'B' => op::BALOAD,
            b'C' => op::CALOAD,
            b'S' => op::SALOAD,
            b'I' => op::IALOAD,
            _ => op::AALOAD,
        }
}
