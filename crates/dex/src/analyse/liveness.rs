//! Liveness analysis: the variables that are read later.

use super::context::{Context, Fact};
use super::flow::Flow;
use super::infer::Inference;
use super::operands::{Operand, operands};
use crate::class_table::ValueKind;
use crate::error::Partial;
use crate::read::Instruction;

/// A set of variables, of which each register has five.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variables(Vec<u64>);

/// Numbers the variable of a register and a kind. Each register has five, in the order of [`ValueKind::ALL`].
pub(crate) fn variable(register: u16, kind: ValueKind) -> usize {
    usize::from(register) * ValueKind::ALL.len() + kind as usize
}

impl Variables {
    fn new(registers: u16) -> Self {
        let count = usize::from(registers) * ValueKind::ALL.len();
        Self(vec![0; count.div_ceil(64)])
    }

    pub(crate) fn has(&self, variable: usize) -> bool {
        self.0
            .get(variable / 64)
            .is_some_and(|word| word >> (variable % 64) & 1 != 0)
    }

    fn add(&mut self, variable: usize) {
        self.0[variable / 64] |= 1 << (variable % 64);
    }

    fn remove(&mut self, variable: usize) {
        if let Some(word) = self.0.get_mut(variable / 64) {
            *word &= !(1 << (variable % 64));
        }
    }

    /// Adds all variables of another set. Returns true if that changed the set.
    fn add_all(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (one, two) in self.0.iter_mut().zip(&other.0) {
            changed |= *two & !*one != 0;
            *one |= two;
        }
        changed
    }

    /// Iterates over the variables in the set, in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(place, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                (bit < 64).then(|| {
                    left &= left - 1;
                    place * 64 + bit
                })
            })
        })
    }

    /// Returns the kinds in which a register is in the set, as bits.
    fn kinds(&self, register: u16) -> u8 {
        let kinds = ValueKind::ALL
            .into_iter()
            .filter(|kind| self.has(variable(register, *kind)));
        kinds.fold(0, |bits, kind| bits | kind.bit())
    }
}

/// Variables that are live at the start of each block.
#[derive(Debug)]
pub(crate) struct Liveness {
    pub(crate) entries: Vec<Variables>,
}

/// Computes the variables that are read later (are live) at the start of each block. Adds to the fact of each
/// instruction which kinds of its result are read, and whether its first operand is read again. Blocks that are never
/// reached have none. Fails if the steps of the whole app are used up.
pub(crate) fn analyse_liveness(
    context: &Context<'_, '_>,
    flow: &Flow,
    inferred: &mut Inference,
) -> Partial<Liveness> {
    let empty = Variables::new(context.item.registers);
    let mut liveness = Liveness {
        entries: vec![empty; flow.blocks.len()],
    };
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); flow.blocks.len()];
    for (number, block) in flow.blocks.iter().enumerate() {
        let handlers = block
            .try_block
            .map_or(&[][..], |tried| &flow.handlers[tried]);
        let handlers = handlers.iter().map(|(_, handler)| *handler);
        for next in block.next.iter().copied().chain(handlers) {
            before[next].push(number);
        }
    }
    let mut there: Vec<bool> = inferred.entries.iter().map(Option::is_some).collect();
    let mut waiting: Vec<usize> = (0..there.len()).filter(|block| there[*block]).collect();
    let mut scratch = Vec::new();
    while let Some(number) = waiting.pop() {
        there[number] = false;
        let entry = live_at_start(context, flow, inferred, &liveness, number, &mut scratch)?;
        if liveness.entries[number].add_all(&entry) {
            for block in &before[number] {
                if inferred.entries[*block].is_some()
                    && !std::mem::replace(&mut there[*block], true)
                {
                    waiting.push(*block);
                }
            }
        }
    }
    Ok(liveness)
}

/// Computes the live variables at the start of a block from those at the start of its successors and handlers. Code
/// behind an instruction that always fails does not count. Updates the facts of the block's instructions.
fn live_at_start(
    context: &Context<'_, '_>,
    flow: &Flow,
    inferred: &mut Inference,
    liveness: &Liveness,
    number: usize,
    scratch: &mut Vec<Operand>,
) -> Partial<Variables> {
    let block = &flow.blocks[number];
    let handlers = block.try_block.map(|tried| &flow.handlers[tried]);
    let mut caught = Variables::new(context.item.registers);
    for (_, handler) in handlers.into_iter().flatten() {
        caught.add_all(&liveness.entries[*handler]);
    }
    context
        .fuel
        .burn((block.end - block.start) + caught.0.len() * (block.next.len() + 1))?;
    let mut live = Variables::new(context.item.registers);
    // Code behind an instruction that always fails is never run.
    let facts = &inferred.facts[block.start..block.end];
    let fails = facts.iter().position(|fact| fact.fails);
    let end = fails.map_or(block.end, |place| block.start + place + 1);
    if fails.is_none() {
        for next in &block.next {
            live.add_all(&liveness.entries[*next]);
        }
    }
    for index in (block.start..end).rev() {
        let op = &context.code.insns[index].op;
        let tried = handlers.is_some() && op.throws();
        let fact = &mut inferred.facts[index];
        back(
            context,
            op,
            fact,
            &mut live,
            tried.then_some(&caught),
            scratch,
        )?;
    }
    Ok(live)
}

/// Steps back over an instruction: removes from `live` what it writes, and adds what it reads and what its handlers
/// read (`caught`). Notes in `fact` which kinds of its result are live, and whether its first operand dies.
fn back(
    context: &Context<'_, '_>,
    op: &Instruction,
    fact: &mut Fact,
    live: &mut Variables,
    caught: Option<&Variables>,
    scratch: &mut Vec<Operand>,
) -> Partial<()> {
    if let Some(dst) = written(op) {
        fact.live = live.kinds(dst);
        for kind in ValueKind::ALL {
            live.remove(variable(dst, kind));
        }
    }
    if let Some(caught) = caught {
        live.add_all(caught);
    }
    operands(context, op, fact, scratch)?;
    if let Some((first, rest)) = scratch.split_first() {
        let first_read = variable(first.register, first.kind);
        let again = rest
            .iter()
            .any(|operand| variable(operand.register, operand.kind) == first_read);
        fact.first_dies = !again && !live.has(first_read);
    }
    for operand in scratch.iter() {
        live.add(variable(operand.register, operand.kind));
    }
    Ok(())
}

/// Returns the register that an instruction writes; the first of two for a wide value. `None` if it writes
/// none, or a call's result is not kept.
pub(crate) fn written(op: &Instruction) -> Option<u16> {
    use Instruction as I;
    match op {
        I::Move { dst, .. }
        | I::MoveWide { dst, .. }
        | I::MoveException { dst }
        | I::Const { dst, .. }
        | I::ConstWide { dst, .. }
        | I::ConstString { dst, .. }
        | I::ConstClass { dst, .. }
        | I::ConstMethodHandle { dst, .. }
        | I::ConstMethodType { dst, .. }
        | I::CheckCast { reg: dst, .. }
        | I::InstanceOf { dst, .. }
        | I::ArrayLength { dst, .. }
        | I::NewInstance { dst, .. }
        | I::NewArray { dst, .. }
        | I::Compare { dst, .. }
        | I::ArrayGet { dst, .. }
        | I::InstanceGet { dst, .. }
        | I::StaticGet { dst, .. }
        | I::Unary { dst, .. }
        | I::Binary { dst, .. }
        | I::BinaryNumber { dst, .. } => Some(*dst),
        I::FilledNewArray { dst, .. }
        | I::Invoke { dst, .. }
        | I::InvokePolymorphic { dst, .. }
        | I::InvokeCustom { dst, .. } => *dst,
        _ => None,
    }
}
