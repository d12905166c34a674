//! Writes the operation of each instruction.

use super::constants::{push_class, push_string};
use super::emit::{Emitter, increments};
use crate::analyse::{Fact, Operand, kind_of};
use crate::class_table::{Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::jvm::{op, order};
use crate::read::{ArrayKind, Binary, Compare, Instruction as I, Unary};

impl<'c> Emitter<'c, '_, '_, '_> {
    /// Writes the operation of an instruction whose operands are on the stack. Returns the kind of the result that it
    /// leaves there; `None` if there is none, or if it was already stored. An instruction that always fails throws a
    /// `NullPointerException` instead.
    pub(super) fn operation(
        &mut self,
        index: usize,
        op: &'c I,
        fact: &Fact,
        read: &[Operand],
    ) -> Partial<Option<ValueKind>> {
        if fact.fails {
            self.asm.op(op::ACONST_NULL, 1);
            self.asm.op(op::ATHROW, -1);
            return Ok(None);
        }
        match op {
            I::Move { dst, .. } | I::MoveWide { dst, .. } => self.copy(*dst, read)?,
            I::Const { dst, value } => self.constant(*dst, *value, fact)?,
            I::ConstWide { dst, value } => self.wide_constant(*dst, *value, fact)?,
            I::MoveException { .. } => return Ok(Some(ValueKind::Object)),
            I::ReturnVoid => {
                if self.context.returns.kind().is_some() {
                    return Err(Flaw::new(
                        "it returns nothing where it should return a value",
                    ));
                }
                self.asm.op(op::RETURN, 0);
            }
            I::Return { .. } => {
                let kind = read[0].kind;
                self.asm
                    .op(op::IRETURN + order(kind), -i32::from(kind.width()));
            }
            I::ConstString { .. }
            | I::ConstClass { .. }
            | I::ConstMethodHandle { .. }
            | I::ConstMethodType { .. } => return self.object_constant(op),
            I::Monitor { enter, .. } => {
                self.asm.op(
                    if *enter {
                        op::MONITORENTER
                    } else {
                        op::MONITOREXIT
                    },
                    -1,
                );
            }
            I::Throw { .. } => self.asm.op(op::ATHROW, -1),
            I::Goto { target } => {
                let target = self.source.flow.block_at(self.context, *target)?;
                if !self.is_next(target) {
                    self.asm.jump(op::GOTO, self.labels[target], 0);
                }
            }
            I::Switch { table, .. } => self.switch(*table),
            I::If {
                condition,
                b,
                target,
                ..
            } => {
                let target = self.source.flow.block_at(self.context, *target)?;
                let jump = condition_opcode(read[0].kind, b.is_some(), *condition as u8)?;
                self.asm
                    .jump(jump, self.labels[target], -(read.len() as i32));
            }
            I::Compare { kind, .. } => return Ok(Some(self.compare(*kind))),
            I::Unary { op, .. } => return Ok(Some(self.unary(*op))),
            I::Binary { op, of, .. } => return Ok(Some(self.binary(*op, kind_of(*of)))),
            I::BinaryNumber { .. } => return self.binary_number(op, read),
            I::InstanceGet { field, .. }
            | I::InstancePut { field, .. }
            | I::StaticGet { field, .. }
            | I::StaticPut { field, .. } => return self.field(op, *field),
            I::Invoke { .. } | I::InvokePolymorphic { .. } | I::InvokeCustom { .. } => {
                return self.call(op, read);
            }
            I::Nop => {}
            _ => return self.object_operation(index, op, fact, read),
        }
        Ok(None)
    }

    /// Writes operations on classes and arrays. Returns the kind of the result that it leaves on the stack,
    /// if any.
    ///
    /// # Errors
    /// Fails if a primitive or an array stands for a class, or something else for an array.
    fn object_operation(
        &mut self,
        index: usize,
        op: &I,
        fact: &Fact,
        read: &[Operand],
    ) -> Partial<Option<ValueKind>> {
        match op {
            I::CheckCast { class, .. } | I::InstanceOf { class, .. } => {
                let cast = matches!(op, I::CheckCast { .. });
                let class = self.context.object_kind(*class)?;
                let class = self.class(class);
                self.asm
                    .op_u16(if cast { op::CHECKCAST } else { op::INSTANCEOF }, class, 0);
                Ok(Some(if cast {
                    ValueKind::Object
                } else {
                    ValueKind::Int
                }))
            }
            I::ArrayLength { .. } => {
                self.asm.op(op::ARRAYLENGTH, 0);
                Ok(Some(ValueKind::Int))
            }
            I::NewInstance { class, .. } => {
                let kind = self.context.object_kind(*class)?;
                if kind.dimensions > 0 {
                    return Err(Flaw::new("an array is made as an object"));
                }
                let class = self.class(kind);
                if let Some(label) = self.frames.allocations.get(&(index as u32)).copied() {
                    self.asm.bind(label);
                }
                self.asm.op_u16(op::NEW, class, 1);
                Ok(Some(ValueKind::Object))
            }
            I::NewArray { class, .. } => {
                let kind = self.context.kind(*class)?;
                self.new_array(kind)?;
                Ok(Some(ValueKind::Object))
            }
            I::FilledNewArray { class, .. } => {
                self.filled_array(self.context.kind(*class)?, read)?;
                Ok(Some(ValueKind::Object))
            }
            I::FillArrayData { data, .. } => {
                self.fill_array(*data, read[0])?;
                Ok(None)
            }
            I::ArrayGet { kind, .. } => {
                let of = fact.kind.unwrap_or(ValueKind::Object);
                self.asm
                    .op(array_opcode(*kind, of), i32::from(of.width()) - 2);
                Ok(Some(of))
            }
            I::ArrayPut { kind, .. } => {
                let of = fact.kind.unwrap_or(ValueKind::Object);
                let store = array_opcode(*kind, of) + op::ARRAY_STORE;
                self.asm.op(store, -2 - i32::from(of.width()));
                Ok(None)
            }
            _ => Err(Flaw::new("it has an instruction that nothing translates")),
        }
    }

    /// Returns true if a block is written right after the current one: all between are never reached.
    fn is_next(&self, target: usize) -> bool {
        let entries = &self.source.inferred.entries;
        target > self.block && entries[self.block + 1..target].iter().all(Option::is_none)
    }

    /// Stores a copied value in `dst`, in each kind that was loaded.
    fn copy(&mut self, dst: u16, read: &[Operand]) -> Partial<()> {
        // The values were loaded in order, and are on the stack with the last one on top.
        for operand in read.iter().rev() {
            self.store(dst, operand.kind)?;
        }
        Ok(())
    }

    /// Stores a constant in `dst`, once for each kind in which it is read later. Writes nothing if it is not read.
    fn constant(&mut self, dst: u16, value: i32, fact: &Fact) -> Partial<()> {
        for kind in ValueKind::ALL
            .into_iter()
            .filter(|kind| fact.live & kind.bit() != 0)
        {
            match kind {
                ValueKind::Float => self.asm.push_float(value as u32),
                ValueKind::Object => self.asm.op(op::ACONST_NULL, 1),
                _ => self.asm.push_int(value),
            }
            self.store(dst, kind)?;
        }
        Ok(())
    }

    /// Stores a constant in `dst` as long and double, as far as it is read later.
    fn wide_constant(&mut self, dst: u16, value: i64, fact: &Fact) -> Partial<()> {
        for kind in [ValueKind::Long, ValueKind::Double] {
            if fact.live & kind.bit() != 0 {
                match kind {
                    ValueKind::Double => self.asm.push_double(value as u64),
                    _ => self.asm.push_long(value),
                }
                self.store(dst, kind)?;
            }
        }
        Ok(())
    }

    /// Pushes a string, class, method handle or method type. `None`, and nothing pushed, for other instructions.
    fn object_constant(&mut self, op: &I) -> Partial<Option<ValueKind>> {
        match op {
            I::ConstString { string, .. } => {
                let text = self.context.dex.string(*string)?;
                push_string(&mut self.asm, text);
            }
            I::ConstClass { class, .. } => {
                let kind = self.context.kind(*class)?;
                self.push_class(kind);
            }
            I::ConstMethodHandle { handle, .. } => {
                let constant = self.handle(*handle)?;
                self.asm.push_constant(constant);
            }
            I::ConstMethodType { proto, .. } => {
                let descriptor = self.context.dex.descriptor(*proto)?;
                let constant = self.asm.pool.method_type(&descriptor);
                self.asm.push_constant(constant);
            }
            _ => return Ok(None),
        }
        Ok(Some(ValueKind::Object))
    }

    pub(super) fn push_class(&mut self, kind: Type) {
        push_class(&mut self.asm, self.context.class_table, kind);
    }

    /// Writes a switch by the number on the stack. A number without a case goes on with the next block.
    fn switch(&mut self, table: u32) {
        let cases: Vec<_> = self.source.flow.switches[table as usize]
            .iter()
            .map(|(key, block)| (*key, self.labels[*block]))
            .collect();
        self.asm.switch(&cases, self.labels[self.block + 1]);
    }

    /// Writes a comparison of the two numbers on the stack, which leaves an int, and returns its kind.
    fn compare(&mut self, kind: Compare) -> ValueKind {
        let (opcode, width) = match kind {
            Compare::LessFloat => (op::FCMPL, 1),
            Compare::GreaterFloat => (op::FCMPG, 1),
            Compare::LessDouble => (op::DCMPL, 2),
            Compare::GreaterDouble => (op::DCMPG, 2),
            Compare::Long => (op::LCMP, 2),
        };
        self.asm.op(opcode, 1 - 2 * width);
        ValueKind::Int
    }

    /// Writes an operation on the value on the stack, and returns the result's kind.
    fn unary(&mut self, unary: Unary) -> ValueKind {
        let (from, to) = unary.kinds();
        let (from, to) = (kind_of(from), kind_of(to));
        match unary {
            Unary::NotInt => {
                self.asm.push_int(-1);
                self.asm.op(op::IXOR, -1);
            }
            Unary::NotLong => {
                self.asm.push_long(-1);
                self.asm.op(op::LXOR, -2);
            }
            Unary::NegInt | Unary::NegLong | Unary::NegFloat | Unary::NegDouble => {
                self.asm.op(op::INEG + order(from), 0);
            }
            conversion => {
                let opcode = op::I2L + (conversion as u8 - Unary::IntToLong as u8);
                self.asm
                    .op(opcode, i32::from(to.width()) - i32::from(from.width()));
            }
        }
        to
    }

    /// Writes an operation on the two values on the stack, the right one on top. Returns the result's kind. The right
    /// operand of a shift is an int.
    fn binary(&mut self, binary: Binary, kind: ValueKind) -> ValueKind {
        let shift = matches!(binary, Binary::Shl | Binary::Shr | Binary::Ushr);
        let right = if shift { 1 } else { i32::from(kind.width()) };
        self.asm.op(binary_opcode(binary, kind), -right);
        kind
    }

    /// Writes an operation with a number in the code. An addition to the same register becomes an increment, whose
    /// result is stored already, so it returns `None`. A reversed operation loads its operand itself.
    fn binary_number(&mut self, instruction: &I, read: &[Operand]) -> Partial<Option<ValueKind>> {
        let I::BinaryNumber {
            op: binary,
            dst,
            a,
            number,
            reverse,
        } = instruction
        else {
            return Ok(None);
        };
        if increments(instruction) {
            let local = self.local(*dst, ValueKind::Int)?;
            self.asm.increment(local, *number);
            if let Some(range) = &mut self.range {
                range.broken = true;
            }
            return Ok(None);
        }
        if *reverse {
            self.asm.push_int((*number).into());
            self.load(
                read.first()
                    .copied()
                    .ok_or(Flaw::new("a number is missing"))?,
            )?;
        } else {
            self.asm.push_int((*number).into());
        }
        debug_assert_eq!(read.first().map(|operand| operand.register), Some(*a));
        Ok(Some(self.binary(*binary, ValueKind::Int)))
    }

    /// Writes a read or write of a field. Returns the kind of what it read; `None` after a write.
    fn field(&mut self, op: &I, number: u32) -> Partial<Option<ValueKind>> {
        let (field, of) = self.context.field(number)?;
        let owner = self.context.dex.class_name(field.class)?;
        let name = self.context.dex.string(field.name)?;
        let descriptor = self.context.dex.type_name(field.kind)?;
        let constant = self.asm.pool.field(owner, name, descriptor);
        let kind = of.kind().ok_or(Flaw::new("a field is void"))?;
        let width = i32::from(kind.width());
        let (opcode, stack) = match op {
            I::InstanceGet { .. } => (op::GETFIELD, width - 1),
            I::InstancePut { .. } => (op::PUTFIELD, -1 - width),
            I::StaticGet { .. } => (op::GETSTATIC, width),
            _ => (op::PUTSTATIC, -width),
        };
        self.asm.op_u16(opcode, constant, stack);
        Ok(matches!(op, I::InstanceGet { .. } | I::StaticGet { .. }).then_some(kind))
    }
}

/// Returns the opcode of a conditional jump, on one value or on two. Fails if references are compared by order.
fn condition_opcode(kind: ValueKind, two: bool, condition: u8) -> Partial<u8> {
    match (kind, two) {
        (ValueKind::Object, _) if condition > 1 => Err(Flaw::new("references are put in an order")),
        (ValueKind::Object, true) => Ok(op::IF_ACMPEQ + condition),
        (ValueKind::Object, false) => Ok(op::IFNULL + condition),
        (_, true) => Ok(op::IF_ICMPEQ + condition),
        (_, false) => Ok(op::IFEQ + condition),
    }
}

/// Returns the opcode of an operation on a kind of number. Bits and shifts exist for ints and longs only; for other
/// kinds the opcode is a wrong one.
fn binary_opcode(binary: Binary, kind: ValueKind) -> u8 {
    let number = binary as u8;
    match binary {
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem => {
            op::IADD + number * 4 + order(kind)
        }
        Binary::And | Binary::Or | Binary::Xor => {
            op::IAND + (number - Binary::And as u8) * 2 + order(kind)
        }
        Binary::Shl | Binary::Shr | Binary::Ushr => {
            op::ISHL + (number - Binary::Shl as u8) * 2 + order(kind)
        }
    }
}

/// Returns the opcode that reads an element. Int, long, float and double are told apart by `of`, the kind of
/// the elements; the other kinds by the instruction.
fn array_opcode(kind: ArrayKind, of: ValueKind) -> u8 {
    match (kind, of) {
        (ArrayKind::Object, _) => op::AALOAD,
        (ArrayKind::Boolean | ArrayKind::Byte, _) => op::BALOAD,
        (ArrayKind::Char, _) => op::CALOAD,
        (ArrayKind::Short, _) => op::SALOAD,
        (_, ValueKind::Float) => op::FALOAD,
        (_, ValueKind::Double) => op::DALOAD,
        (_, ValueKind::Long) => op::LALOAD,
        _ => op::IALOAD,
    }
}
