//! Type inference for registers: follows the code until nothing changes.

use super::context::{Context, Fact};
use super::flow::Flow;
use super::operands::{Operand, callee, decide, element_type, int, kind_of, operands};
use super::state::{Object, Register, State};
use crate::class_table::{Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::limits::MAX_ANALYSIS_CELLS;
use crate::read::{Instruction, InvokeKind};

/// Result of the inference for a method.
#[derive(Debug)]
pub(crate) struct Inference {
    /// Contents of the registers at each block's start. `None` for unreachable blocks.
    pub(crate) entries: Vec<Option<State>>,
    /// Result for each instruction.
    pub(crate) facts: Vec<Fact>,
}

/// Infers the types in a method: the registers at the start of each block, and the facts about each instruction. A
/// block that is never reached has no registers. Code behind an instruction that always fails is not followed, and its
/// facts are the default.
///
/// # Errors
/// Fails if the method is malformed as to its types, runs past its end in code that is reached, or is too large to
/// analyse, alone or together with the others ([`Fuel`](super::context::Fuel)).
pub(crate) fn infer(context: &Context<'_, '_>, flow: &Flow) -> Partial<Inference> {
    let registers = usize::from(context.item.registers);
    if flow.blocks.len().saturating_mul(registers) > MAX_ANALYSIS_CELLS {
        return Err(Flaw::new("it has too many registers and jumps"));
    }
    let mut found = Inference {
        entries: vec![None; flow.blocks.len()],
        facts: vec![Fact::default(); context.code.insns.len()],
    };
    found.entries[0] = Some(first(context)?);
    let mut waiting = Worklist::new(flow.blocks.len());
    waiting.push(0);
    let mut scratch = Vec::new();
    while let Some(number) = waiting.pop() {
        let block = &flow.blocks[number];
        let Some(mut state) = found.entries[number].clone() else {
            continue;
        };
        context.fuel.burn(block.end - block.start + registers)?;
        let mut told = false;
        let mut fails = false;
        for index in block.start..block.end {
            let op = &context.code.insns[index].op;
            if op.throws()
                && !told
                && let Some(try_block) = block.try_block
            {
                context
                    .fuel
                    .burn(registers * flow.handlers[try_block].len())?;
                for (_, handler) in &flow.handlers[try_block] {
                    found.join(context, *handler, &state, &mut waiting);
                }
                told = true;
            }
            let fact = decide(context, op, &state)?;
            found.facts[index] = fact;
            if fact.fails {
                fails = true;
                break;
            }
            told &= !step(
                context,
                index,
                &fact,
                block.catches,
                &mut state,
                &mut scratch,
            )?;
        }
        if !fails {
            if block.falls_through && number + 1 == flow.blocks.len() {
                return Err(Flaw::new("it runs past its end"));
            }
            context.fuel.burn(registers * block.next.len())?;
            for next in &block.next {
                found.join(context, *next, &state, &mut waiting);
            }
        }
    }
    Ok(found)
}

impl Inference {
    /// Merges registers into those at the start of block `to`. Queues the block if that changed them.
    fn join(
        &mut self,
        context: &Context<'_, '_>,
        to: usize,
        state: &State,
        waiting: &mut Worklist,
    ) {
        let changed = match &mut self.entries[to] {
            Some(entry) => entry.merge(state, context.class_table),
            none => {
                *none = Some(state.clone());
                true
            }
        };
        if changed {
            waiting.push(to);
        }
    }
}

/// Blocks to be followed. The first in the code comes first, since most edges lead forward.
#[derive(Debug)]
struct Worklist {
    heap: std::collections::BinaryHeap<std::cmp::Reverse<usize>>,
    there: Vec<bool>,
}

impl Worklist {
    /// Creates an empty list for that many blocks.
    fn new(blocks: usize) -> Self {
        Self {
            heap: std::collections::BinaryHeap::new(),
            there: vec![false; blocks],
        }
    }

    fn push(&mut self, block: usize) {
        if !std::mem::replace(&mut self.there[block], true) {
            self.heap.push(std::cmp::Reverse(block));
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let std::cmp::Reverse(block) = self.heap.pop()?;
        self.there[block] = false;
        Some(block)
    }
}

/// Returns the registers at the method's start: the arguments are in the last ones, and `this` of a
/// constructor in an extra one behind them. All others are empty.
///
/// # Errors
/// Fails if the arguments do not fill the registers that the method has for them.
fn first(context: &Context<'_, '_>) -> Partial<State> {
    let registers = context.item.registers;
    let mut state = State(vec![Register::EMPTY; usize::from(registers) + 1]);
    let mut at = registers - context.item.ins;
    for (index, argument) in context.arguments.iter().enumerate() {
        let width = argument.kind().map_or(0, ValueKind::width);
        if at + width > registers {
            return Err(Flaw::new("its arguments have no registers"));
        }
        let value = if index == 0 && context.constructor {
            Register::object(Object::UninitializedThis)
        } else {
            Register::from_type(*argument)
        };
        state.set(at, value);
        at += width;
    }
    if at != registers {
        return Err(Flaw::new("it has registers for other arguments"));
    }
    if context.constructor {
        state.set(registers, Register::object(Object::UninitializedThis));
    }
    Ok(state)
}

/// Applies an instruction to the registers. `catches` is the type of the exception that a handler's block begins
/// with. Returns true if it wrote any.
///
/// # Errors
/// Fails if it reads a register that holds something else. Moves may copy anything.
pub(crate) fn step(
    context: &Context<'_, '_>,
    index: usize,
    fact: &Fact,
    catches: Option<Type>,
    state: &mut State,
    scratch: &mut Vec<Operand>,
) -> Partial<bool> {
    use Instruction as I;
    let insn = &context.code.insns[index];
    let op = &insn.op;
    operands(context, op, fact, scratch)?;
    let missing = scratch
        .iter()
        .find(|operand| !state.get(operand.register).has(operand.kind));
    if let Some(operand) = missing.filter(|_| !matches!(op, I::Move { .. } | I::MoveWide { .. })) {
        let (register, kind) = (operand.register, operand.kind);
        return Err(Flaw::with_detail(format!(
            "the register v{register} is read as {kind:?} at {:#06x} and holds something else",
            insn.pc
        )));
    }
    let class = |name: &[u8]| {
        let found = context.class_table.find(name);
        Register::from_type(Type::class(found.unwrap_or(crate::class_table::OBJECT)))
    };
    let (dst, value) = match op {
        I::Move { dst, src } | I::MoveWide { dst, src } => (*dst, state.get(*src)),
        I::MoveException { dst } => {
            let caught = catches.ok_or(Flaw::new("it takes an exception where none is"))?;
            (*dst, Register::from_type(caught))
        }
        I::Const { dst, value } => (*dst, constant(*value)),
        I::ConstWide { dst, .. } => (
            *dst,
            Register::number(ValueKind::Long.bit() | ValueKind::Double.bit()),
        ),
        I::ConstString { dst, .. } => (*dst, class(b"java/lang/String")),
        I::ConstClass { dst, .. } => (*dst, class(b"java/lang/Class")),
        I::ConstMethodHandle { dst, .. } => (*dst, class(b"java/lang/invoke/MethodHandle")),
        I::ConstMethodType { dst, .. } => (*dst, class(b"java/lang/invoke/MethodType")),
        I::CheckCast { reg, class } => (*reg, Register::from_type(context.object_kind(*class)?)),
        I::InstanceOf { dst, .. } | I::ArrayLength { dst, .. } | I::Compare { dst, .. } => {
            (*dst, Register::from_type(int()))
        }
        I::NewInstance { dst, .. } => {
            // What an earlier round of a loop made and never initialized is lost.
            let new = Object::Uninitialized(index as u32);
            for register in state.0.iter_mut().filter(|register| register.object == new) {
                register.object = Object::None;
            }
            (*dst, Register::object(new))
        }
        I::NewArray { dst, class, .. } => (*dst, Register::from_type(context.object_kind(*class)?)),
        I::ArrayGet { dst, array, .. } => {
            let of = element_type(op, state.get(*array).object);
            (*dst, of.map_or(Register::EMPTY, Register::from_type))
        }
        I::InstanceGet { dst, field, .. } | I::StaticGet { dst, field } => {
            (*dst, Register::from_type(context.field(*field)?.1))
        }
        I::Invoke { dst, .. }
        | I::InvokePolymorphic { dst, .. }
        | I::InvokeCustom { dst, .. }
        | I::FilledNewArray { dst, .. } => return call(context, op, *dst, state),
        I::Unary { op, dst, .. } => (*dst, Register::number(kind_of(op.kinds().1).bit())),
        I::Binary { of, dst, .. } => (*dst, Register::number(kind_of(*of).bit())),
        I::BinaryNumber { dst, .. } => (*dst, Register::from_type(int())),
        _ => return Ok(false),
    };
    state.set(dst, value);
    Ok(true)
}

/// Returns a register with a constant. It can be read as an int and a float, and zero as null too.
fn constant(value: i32) -> Register {
    Register {
        numbers: ValueKind::Int.bit() | ValueKind::Float.bit(),
        object: if value == 0 {
            Object::Null
        } else {
            Object::None
        },
    }
}

/// Applies a call or a filled array: a constructor initializes its object, and the result goes into `dst`. Returns
/// true if it changed a register. Fails if a constructor is called on no new object, or the result of `void` is
/// taken.
fn call(
    context: &Context<'_, '_>,
    op: &Instruction,
    dst: Option<u16>,
    state: &mut State,
) -> Partial<bool> {
    let mut wrote = false;
    if let Instruction::Invoke {
        kind: InvokeKind::Direct,
        method,
        args,
        ..
    } = op
        && context.callee(*method)?.name == b"<init>"
    {
        let made = state.get(args.get(0).unwrap_or(0)).object;
        let kind = constructed_class(context, made)?;
        state.initialize(made, kind);
        wrote = true;
    }
    if let Some(dst) = dst {
        let kind = callee(context, op)?.filter(|kind| kind.kind().is_some());
        let kind = kind.ok_or(Flaw::new("it takes the result of a call that has none"))?;
        state.set(dst, Register::from_type(kind));
        wrote = true;
    }
    Ok(wrote)
}

/// Returns the class of a new object whose constructor is called: that of the method for `this`, else that of
/// the instruction that made the object. Fails for all other objects.
pub(crate) fn constructed_class(context: &Context<'_, '_>, made: Object) -> Partial<Type> {
    match made {
        Object::UninitializedThis => Ok(Type::class(context.class)),
        Object::Uninitialized(index) => match &context.code.insns[index as usize].op {
            Instruction::NewInstance { class, .. } => context.object_kind(*class),
            _ => Err(Flaw::new("a constructor is called on no new object")),
        },
        _ => Err(Flaw::new("a constructor is called on no new object")),
    }
}
