//! Writes the instructions of a method.

use std::collections::HashMap;

use super::constructors::Constructors;
use super::frames::Frames;
use super::locals::Locals;
use crate::analyse::{
    Context, Fact, Flow, Inferred, Liveness, Object, Operand, State, Variables, kind_of, operands,
    step, variable, written,
};
use crate::error::{Flaw, Partial};
use crate::jvm::{Assembled, Assembler, ConstantPool, Label, op, order};
use crate::limits::MAX_UTF8_BYTES;
use crate::read::{ArrayKind, Binary, Compare, Instruction as I, Name, Unary};
use crate::world::{Kind, OBJECT, Type};

/// What a method is written from.
pub(super) struct Source<'c, 'w, 'a> {
    pub(super) context: &'c Context<'w, 'a>,
    pub(super) flow: &'c Flow,
    pub(super) inferred: &'c Inferred,
    pub(super) liveness: &'c Liveness,
    pub(super) locals: &'c Locals,
    pub(super) lines: &'c [(u32, u16)],
}

/// Instructions whose exceptions are handled in one way, as they are being written.
struct Range {
    tried: usize,
    block: usize,
    start: u32,
    end: u32,
    /// Something was written since that a handler reads.
    broken: bool,
}

pub(super) struct Emitter<'c, 'w, 'a, 'p> {
    pub(super) context: &'c Context<'w, 'a>,
    source: &'c Source<'c, 'w, 'a>,
    pub(super) asm: Assembler<'p>,
    frames: Frames<'c, 'w, 'a>,
    labels: Vec<Label>,
    /// For each block that handles exceptions and does not take them: a place that drops them.
    droppers: Vec<(Label, usize)>,
    pub(super) state: State,
    pub(super) constructors: &'c mut Constructors,
    range: Option<Range>,
    scratch: Vec<Operand>,
    block: usize,
}

/// Writes the code of a method; none where it is too long, or a jump is and `far` is not set.
pub(super) fn emit(
    source: &Source<'_, '_, '_>,
    pool: &mut ConstantPool,
    constructors: &mut Constructors,
    prologue: impl FnOnce(&mut Assembler<'_>),
    far: bool,
) -> Partial<Option<Assembled>> {
    let mut asm = Assembler::new(pool, far);
    let labels = source.flow.blocks.iter().map(|_| asm.label()).collect();
    let mut made = HashMap::new();
    for (index, insn) in source.context.code.insns.iter().enumerate() {
        if matches!(insn.op, I::NewInstance { .. }) {
            made.insert(index as u32, asm.label());
        }
    }
    let mut emitter = Emitter {
        context: source.context,
        source,
        frames: Frames {
            context: source.context,
            locals: source.locals,
            made,
        },
        labels,
        droppers: Vec::new(),
        state: State(Vec::new()),
        constructors,
        range: None,
        scratch: Vec::new(),
        block: 0,
        asm,
    };
    prologue(&mut emitter.asm);
    let first = emitter.frames.first(emitter.asm.pool);
    // No frame may stand at the very beginning.
    if (source.flow.blocks[0].jumped || far) && emitter.asm.at() == 0 {
        emitter.asm.op(0, 0);
    }
    emitter.blocks()?;
    emitter.drop_exceptions();
    Ok(emitter.asm.finish(&first))
}

impl<'c> Emitter<'c, '_, '_, '_> {
    fn blocks(&mut self) -> Partial<()> {
        let source = self.source;
        let mut lines = source.lines.iter().peekable();
        for (number, block) in source.flow.blocks.iter().enumerate() {
            let Some(entry) = &source.inferred.entries[number] else {
                continue;
            };
            self.block = number;
            self.state = entry.clone();
            let takes = matches!(
                self.context.code.insns[block.start].op,
                I::MoveException { .. }
            );
            let caught = block.catches.filter(|_| takes);
            if takes && (block.jumped || self.fallen_into(number)) {
                return Err(Flaw::new("an exception is taken where none may be"));
            }
            self.asm.bind(self.labels[number]);
            if block.jumped || caught.is_some() || self.asm.far || self.dropped(number) {
                let live = &source.liveness.entries[number];
                let frame = self.frames.block(entry, live, caught, self.asm.pool);
                self.asm.frame(frame);
            }
            self.asm.set_stack(i32::from(caught.is_some()));
            for index in block.start..block.end {
                let pc = self.context.code.insns[index].pc;
                while let Some((_, line)) = lines.next_if(|(at, _)| *at <= pc) {
                    self.asm.line(*line);
                }
                self.instruction(index, caught)?;
                if source.inferred.facts[index].fails {
                    break;
                }
            }
        }
        self.close_range();
        Ok(())
    }

    /// Whether the code before a block goes on in it.
    fn fallen_into(&self, number: usize) -> bool {
        number > 0
            && self.source.flow.blocks[number - 1].falls
            && self.source.inferred.entries[number - 1].is_some()
    }

    /// Whether a block handles exceptions and does not take them.
    fn dropped(&self, number: usize) -> bool {
        self.source.flow.blocks[number].catches.is_some()
    }

    fn instruction(&mut self, index: usize, caught: Option<Type>) -> Partial<()> {
        let op = &self.context.code.insns[index].op;
        let fact = self.source.inferred.facts[index];
        let unused = !op.throws() && written(op).is_some() && fact.live == 0;
        if !(unused && !matches!(op, I::MoveException { .. }) || self.is_cast_to_itself(op)) {
            self.write(index, op, &fact)?;
        }
        if !fact.fails {
            let mut scratch = std::mem::take(&mut self.scratch);
            step(
                self.context,
                index,
                &fact,
                caught,
                &mut self.state,
                &mut scratch,
            )?;
            self.scratch = scratch;
        }
        Ok(())
    }

    fn is_cast_to_itself(&self, op: &I) -> bool {
        let I::CheckCast { reg, class } = op else {
            return false;
        };
        let kind = self.context.kind(*class).ok();
        kind.is_some_and(|kind| self.state.get(*reg).object == Object::Of(kind))
    }

    fn write(&mut self, index: usize, op: &'c I, fact: &Fact) -> Partial<()> {
        let mut read = std::mem::take(&mut self.scratch);
        operands(self.context, op, fact, &mut read)?;
        let taken = match read.first() {
            Some(first) if fact.first_dies && loads_first(op, fact) => {
                let local = self.local(first.register, first.kind)?;
                self.asm.take_back(first.kind, local)
            }
            _ => false,
        };
        let start = self.asm.at();
        if loads_first(op, fact) {
            for (place, operand) in read.iter().enumerate() {
                if place > 0 || !taken {
                    self.load(*operand)?;
                }
                self.cast(*operand);
            }
        }
        let result = self.operation(index, op, fact, &read);
        self.scratch = read;
        let result = result?;
        if op.throws() || fact.fails {
            self.cover(start);
        }
        if let Some(kind) = result {
            self.keep(op, fact, kind)?;
        }
        Ok(())
    }

    pub(super) fn local(&self, register: u16, kind: Kind) -> Partial<u16> {
        let local = self.source.locals.get(variable(register, kind));
        local.ok_or(Flaw::new("a variable has no place"))
    }

    pub(super) fn load(&mut self, operand: Operand) -> Partial<()> {
        let local = self.local(operand.register, operand.kind)?;
        self.asm.load(operand.kind, local);
        Ok(())
    }

    /// Casts the value on the stack where the verifier would not take its type.
    pub(super) fn cast(&mut self, operand: Operand) {
        let (Some(wanted), Object::Of(kind)) =
            (operand.wanted, self.state.get(operand.register).object)
        else {
            return;
        };
        if operand.kind == Kind::Object && !self.context.world.assignable(kind, wanted) {
            self.constructors.casts += 1;
            let class = self.class(wanted);
            self.asm.op_u16(op::CHECKCAST, class, 0);
        }
    }

    /// The constant of a class.
    pub(super) fn class(&mut self, kind: Type) -> u16 {
        let name = self.context.world.class_constant(kind);
        self.asm.pool.class(&name)
    }

    fn store(&mut self, register: u16, kind: Kind) -> Partial<()> {
        let local = self.local(register, kind)?;
        self.asm.store(kind, local);
        let read = |entry: &Variables| entry.has(variable(register, kind));
        if let Some(range) = &mut self.range {
            let handlers = &self.source.flow.handlers[range.tried];
            let entries = &self.source.liveness.entries;
            range.broken |= handlers.iter().any(|(_, handler)| read(&entries[*handler]));
        }
        Ok(())
    }

    /// Stores what an instruction left on the stack, or drops it.
    fn keep(&mut self, op: &I, fact: &Fact, kind: Kind) -> Partial<()> {
        match written(op) {
            Some(register) if fact.live & kind.bit() != 0 => self.store(register, kind),
            _ => {
                let drop = if kind.width() == 2 { op::POP2 } else { op::POP };
                self.asm.op(drop, -i32::from(kind.width()));
                Ok(())
            }
        }
    }

    /// The exceptions of what was written since a place are handled by the block's handlers.
    fn cover(&mut self, start: u32) {
        let end = self.asm.at();
        let Some(tried) = self.source.flow.blocks[self.block].tried else {
            return self.close_range();
        };
        if let Some(range) = &mut self.range
            && range.tried == tried
            && (range.end == start || range.block == self.block && !range.broken)
        {
            (range.end, range.block, range.broken) = (end, self.block, false);
            return;
        }
        self.close_range();
        self.range = Some(Range {
            tried,
            block: self.block,
            start,
            end,
            broken: false,
        });
    }

    fn close_range(&mut self) {
        let Some(range) = self.range.take() else {
            return;
        };
        for (kind, block) in &self.source.flow.handlers[range.tried] {
            let class = kind.map_or(0, |kind| self.class(kind));
            let start = self.source.flow.blocks[*block].start;
            let label = if matches!(self.context.code.insns[start].op, I::MoveException { .. }) {
                self.labels[*block]
            } else {
                self.dropper(*block)
            };
            self.asm.handle(range.start, range.end, label, class);
        }
    }

    fn dropper(&mut self, block: usize) -> Label {
        if let Some((label, _)) = self.droppers.iter().find(|(_, known)| *known == block) {
            return *label;
        }
        let label = self.asm.label();
        self.droppers.push((label, block));
        label
    }

    fn drop_exceptions(&mut self) {
        for (label, number) in std::mem::take(&mut self.droppers) {
            let block = &self.source.flow.blocks[number];
            let Some(entry) = &self.source.inferred.entries[number] else {
                continue;
            };
            let live = &self.source.liveness.entries[number];
            self.asm.bind(label);
            let frame = self.frames.block(entry, live, block.catches, self.asm.pool);
            self.asm.frame(frame);
            self.asm.set_stack(1);
            self.asm.op(op::POP, -1);
            self.asm.jump(op::GOTO, self.labels[number], 0);
        }
    }

    /// Writes what an instruction does with its operands, which are on the stack. Says what it leaves there.
    fn operation(
        &mut self,
        index: usize,
        op: &'c I,
        fact: &Fact,
        read: &[Operand],
    ) -> Partial<Option<Kind>> {
        if fact.fails {
            self.asm.op(op::ACONST_NULL, 1);
            self.asm.op(op::ATHROW, -1);
            return Ok(None);
        }
        match op {
            I::Move { dst, .. } | I::MoveWide { dst, .. } => self.copy(*dst, read)?,
            I::Const { dst, value } => self.constant(*dst, *value, fact)?,
            I::ConstWide { dst, value } => self.wide_constant(*dst, *value, fact)?,
            I::MoveException { .. } => return Ok(Some(Kind::Object)),
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

    /// Operations on classes and arrays.
    fn object_operation(
        &mut self,
        index: usize,
        op: &I,
        fact: &Fact,
        read: &[Operand],
    ) -> Partial<Option<Kind>> {
        match op {
            I::CheckCast { class, .. } | I::InstanceOf { class, .. } => {
                let cast = matches!(op, I::CheckCast { .. });
                let class = self.context.object_kind(*class)?;
                let class = self.class(class);
                self.asm
                    .op_u16(if cast { op::CHECKCAST } else { op::INSTANCEOF }, class, 0);
                Ok(Some(if cast { Kind::Object } else { Kind::Int }))
            }
            I::ArrayLength { .. } => {
                self.asm.op(op::ARRAYLENGTH, 0);
                Ok(Some(Kind::Int))
            }
            I::NewInstance { class, .. } => {
                let kind = self.context.object_kind(*class)?;
                if kind.dimensions > 0 {
                    return Err(Flaw::new("an array is made as an object"));
                }
                let class = self.class(kind);
                if let Some(label) = self.frames.made.get(&(index as u32)).copied() {
                    self.asm.bind(label);
                }
                self.asm.op_u16(op::NEW, class, 1);
                Ok(Some(Kind::Object))
            }
            I::NewArray { class, .. } => {
                let kind = self.context.kind(*class)?;
                self.new_array(kind)?;
                Ok(Some(Kind::Object))
            }
            I::FilledNewArray { class, .. } => {
                self.filled_array(self.context.kind(*class)?, read)?;
                Ok(Some(Kind::Object))
            }
            I::FillArrayData { data, .. } => {
                self.fill_array(*data, read[0])?;
                Ok(None)
            }
            I::ArrayGet { kind, .. } => {
                let of = fact.kind.unwrap_or(Kind::Object);
                self.asm
                    .op(array_opcode(*kind, of), i32::from(of.width()) - 2);
                Ok(Some(of))
            }
            I::ArrayPut { kind, .. } => {
                let of = fact.kind.unwrap_or(Kind::Object);
                let store = array_opcode(*kind, of) + op::ARRAY_STORE;
                self.asm.op(store, -2 - i32::from(of.width()));
                Ok(None)
            }
            _ => Err(Flaw::new("it has an instruction that nothing translates")),
        }
    }

    /// Whether a block is the next one that is written.
    fn is_next(&self, target: usize) -> bool {
        let entries = &self.source.inferred.entries;
        target > self.block && entries[self.block + 1..target].iter().all(Option::is_none)
    }

    fn copy(&mut self, dst: u16, read: &[Operand]) -> Partial<()> {
        // The values were loaded in order, and are on the stack with the last one on top.
        for operand in read.iter().rev() {
            self.store(dst, operand.kind)?;
        }
        Ok(())
    }

    fn constant(&mut self, dst: u16, value: i32, fact: &Fact) -> Partial<()> {
        for kind in Kind::ALL
            .into_iter()
            .filter(|kind| fact.live & kind.bit() != 0)
        {
            match kind {
                Kind::Float => self.asm.push_float(value as u32),
                Kind::Object => self.asm.op(op::ACONST_NULL, 1),
                _ => self.asm.push_int(value),
            }
            self.store(dst, kind)?;
        }
        Ok(())
    }

    fn wide_constant(&mut self, dst: u16, value: i64, fact: &Fact) -> Partial<()> {
        for kind in [Kind::Long, Kind::Double] {
            if fact.live & kind.bit() != 0 {
                match kind {
                    Kind::Double => self.asm.push_double(value as u64),
                    _ => self.asm.push_long(value),
                }
                self.store(dst, kind)?;
            }
        }
        Ok(())
    }

    fn object_constant(&mut self, op: &I) -> Partial<Option<Kind>> {
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
        Ok(Some(Kind::Object))
    }

    fn push_class(&mut self, kind: Type) {
        push_class(&mut self.asm, self.context.world, kind);
    }

    fn switch(&mut self, table: u32) {
        let cases: Vec<_> = self.source.flow.switches[table as usize]
            .iter()
            .map(|(key, block)| (*key, self.labels[*block]))
            .collect();
        self.asm.switch(&cases, self.labels[self.block + 1]);
    }

    fn compare(&mut self, kind: Compare) -> Kind {
        let (opcode, width) = match kind {
            Compare::LessFloat => (op::FCMPL, 1),
            Compare::GreaterFloat => (op::FCMPG, 1),
            Compare::LessDouble => (op::DCMPL, 2),
            Compare::GreaterDouble => (op::DCMPG, 2),
            Compare::Long => (op::LCMP, 2),
        };
        self.asm.op(opcode, 1 - 2 * width);
        Kind::Int
    }

    fn unary(&mut self, unary: Unary) -> Kind {
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

    fn binary(&mut self, binary: Binary, kind: Kind) -> Kind {
        let shift = matches!(binary, Binary::Shl | Binary::Shr | Binary::Ushr);
        let right = if shift { 1 } else { i32::from(kind.width()) };
        self.asm.op(binary_opcode(binary, kind), -right);
        kind
    }

    fn binary_number(&mut self, instruction: &I, read: &[Operand]) -> Partial<Option<Kind>> {
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
            let local = self.local(*dst, Kind::Int)?;
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
        Ok(Some(self.binary(*binary, Kind::Int)))
    }

    fn field(&mut self, op: &I, number: u32) -> Partial<Option<Kind>> {
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

/// Whether the operands of an instruction are loaded before it; others load theirs where they want them.
fn loads_first(op: &I, fact: &Fact) -> bool {
    !fact.fails
        && match op {
            I::FilledNewArray { .. } | I::FillArrayData { .. } => false,
            I::BinaryNumber { reverse, .. } => !reverse && !increments(op),
            _ => true,
        }
}

/// Whether an instruction adds a number to a variable.
fn increments(op: &I) -> bool {
    matches!(op, I::BinaryNumber { op: Binary::Add, dst, a, .. } if dst == a)
}

fn condition_opcode(kind: Kind, two: bool, condition: u8) -> Partial<u8> {
    match (kind, two) {
        (Kind::Object, _) if condition > 1 => Err(Flaw::new("references are put in an order")),
        (Kind::Object, true) => Ok(op::IF_ACMPEQ + condition),
        (Kind::Object, false) => Ok(op::IFNULL + condition),
        (_, true) => Ok(op::IF_ICMPEQ + condition),
        (_, false) => Ok(op::IFEQ + condition),
    }
}

fn binary_opcode(binary: Binary, kind: Kind) -> u8 {
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

/// The opcode that reads an element.
fn array_opcode(kind: ArrayKind, of: Kind) -> u8 {
    match (kind, of) {
        (ArrayKind::Object, _) => op::AALOAD,
        (ArrayKind::Boolean | ArrayKind::Byte, _) => op::BALOAD,
        (ArrayKind::Char, _) => op::CALOAD,
        (ArrayKind::Short, _) => op::SALOAD,
        (_, Kind::Float) => op::FALOAD,
        (_, Kind::Double) => op::DALOAD,
        (_, Kind::Long) => op::LALOAD,
        _ => op::IALOAD,
    }
}

/// Pushes a string. One that is too long for a constant is joined from several.
pub(super) fn push_string(asm: &mut Assembler<'_>, text: Name<'_>) {
    let mut rest = text;
    let mut first = true;
    while first || !rest.is_empty() {
        let mut length = rest.len().min(MAX_UTF8_BYTES);
        while length > 0 && rest.get(length).is_some_and(|byte| byte & 0xc0 == 0x80) {
            length -= 1;
        }
        // What is no text has no place to be cut.
        let (part, after) = rest.split_at(if length == 0 {
            rest.len().min(MAX_UTF8_BYTES)
        } else {
            length
        });
        let constant = asm.pool.string(part);
        asm.push_constant(constant);
        if !first {
            let concat = asm.pool.method(
                false,
                b"java/lang/String",
                b"concat",
                b"(Ljava/lang/String;)Ljava/lang/String;",
            );
            asm.op_u16(op::INVOKEVIRTUAL, concat, -1);
        }
        (rest, first) = (after, false);
    }
    if text.len() > MAX_UTF8_BYTES {
        let intern = asm.pool.method(
            false,
            b"java/lang/String",
            b"intern",
            b"()Ljava/lang/String;",
        );
        asm.op_u16(op::INVOKEVIRTUAL, intern, 0);
    }
}

/// Pushes the class object of a type. Those of primitives are in fields of their wrappers.
pub(super) fn push_class(asm: &mut Assembler<'_>, world: &crate::world::World<'_>, kind: Type) {
    if !kind.is_primitive() {
        let constant = asm.pool.class(&world.class_constant(kind));
        asm.push_constant(constant);
        return;
    }
    let wrapper: &[u8] = match world.name(kind.base) {
        b"Z" => b"java/lang/Boolean",
        b"B" => b"java/lang/Byte",
        b"S" => b"java/lang/Short",
        b"C" => b"java/lang/Character",
        b"I" => b"java/lang/Integer",
        b"J" => b"java/lang/Long",
        b"F" => b"java/lang/Float",
        b"D" => b"java/lang/Double",
        _ => b"java/lang/Void",
    };
    let field = asm.pool.field(wrapper, b"TYPE", b"Ljava/lang/Class;");
    asm.op_u16(op::GETSTATIC, field, 1);
}

/// The letter of an array's elements, for those of objects `L`.
pub(super) fn element_letter(world: &crate::world::World<'_>, of: Type) -> u8 {
    if of.is_primitive() {
        world.name(of.base).first().copied().unwrap_or(b'I')
    } else {
        debug_assert!(of.base >= OBJECT || of.dimensions > 0);
        b'L'
    }
}
