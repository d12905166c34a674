//! Assigns the variables of a method to JVM locals.

use crate::analyse::{Context, Inference, Operand, operands, variable, written};
use crate::class_table::ValueKind;
use crate::error::{Flaw, Partial};

const NO_LOCAL: u16 = u16::MAX;

/// Local of each variable.
#[derive(Debug)]
pub(super) struct Locals {
    places: Vec<u16>,
    /// Number of locals, with two for each long or double.
    pub(super) count: u16,
    /// Local that keeps `this` in a constructor whose code overwrites it.
    pub(super) this: Option<u16>,
}

impl Locals {
    /// Assigns the JVM's locals to the registers, one for each kind of value that a register holds. Arguments stay
    /// where they arrive. The others are sorted by use, since low locals have the shortest instructions; unused ones
    /// get none. If the method overwrites `this`, the last local keeps it.
    ///
    /// # Errors
    /// Fails if there are more than a method of the JVM can have.
    pub(super) fn new(context: &Context<'_, '_>, inferred: &Inference) -> Partial<Self> {
        let registers = context.item.registers;
        let mut uses = vec![0_u32; usize::from(registers) * ValueKind::ALL.len()];
        let mut scratch: Vec<Operand> = Vec::new();
        for (insn, fact) in context.code.insns.iter().zip(&inferred.facts) {
            operands(context, &insn.op, fact, &mut scratch)?;
            for operand in &scratch {
                uses[variable(operand.register, operand.kind)] += 1;
            }
            if let Some(register) = written(&insn.op) {
                for kind in ValueKind::ALL
                    .into_iter()
                    .filter(|kind| fact.live & kind.bit() != 0)
                {
                    uses[variable(register, kind)] += 1;
                }
            }
        }
        let mut places = vec![NO_LOCAL; uses.len()];
        let (mut register, mut count) = (registers - context.item.ins, 0_u16);
        for argument in context.arguments {
            let kind = argument.kind().unwrap_or(ValueKind::Int);
            places[variable(register, kind)] = count;
            count += kind.width();
            register += kind.width();
        }
        let mut others: Vec<usize> = (0..uses.len())
            .filter(|variable| uses[*variable] > 0 && places[*variable] == NO_LOCAL)
            .collect();
        others.sort_by_key(|variable| (std::cmp::Reverse(uses[*variable]), *variable));
        for variable in others {
            places[variable] = count;
            count = count
                .checked_add(kind_at(variable).width())
                .filter(|count| *count < NO_LOCAL - 1)
                .ok_or(Flaw::new("it has more variables than a method of the JVM"))?;
        }
        let this = overwrites_this(context).then_some(count);
        count += u16::from(this.is_some());
        Ok(Self {
            places,
            count,
            this,
        })
    }

    /// Returns the local of a variable, or `None` for one that is never used and is no argument.
    pub(super) fn get(&self, variable: usize) -> Option<u16> {
        self.places
            .get(variable)
            .copied()
            .filter(|place| *place != NO_LOCAL)
    }
}

/// Returns true if a constructor overwrites the register of `this`, also by the second half of a wide value.
fn overwrites_this(context: &Context<'_, '_>) -> bool {
    let this = context.item.registers - context.item.ins;
    let mut ops = context.code.insns.iter().map(|insn| &insn.op);
    context.constructor
        && ops.any(|op| written(op).is_some_and(|dst| dst == this || dst + 1 == this))
}

/// Returns the kind of a variable.
pub(super) fn kind_at(variable: usize) -> ValueKind {
    ValueKind::ALL[variable % ValueKind::ALL.len()]
}
