//! Translates a method.

use super::code_attribute::code_attribute;
use super::constants::push_string;
use super::constructors::Constructors;
use super::emit::{Source, emit};
use super::locals::Locals;
use crate::analyse::{Context, Flow, analyse_liveness, infer};
use crate::class_table::{Type, ValueKind};
use crate::error::{Flaw, Partial};
use crate::jvm::{Assembler, Attribute, ConstantPool, Frame, op};
use crate::read::lines;

/// Returns the code of a method, translated. Its lines are those of the debug info; without any they are the
/// places of the instructions that can throw. Malformed debug info gives no lines.
///
/// # Errors
/// Fails if the method is malformed, or does not fit into the JVM even with long jumps. The caller may use
/// [`throwing_code`] then.
pub(super) fn translate(
    context: &Context<'_, '_>,
    pool: &mut ConstantPool,
    constructors: &mut Constructors,
    prologue: impl Fn(&mut Assembler<'_>),
) -> Partial<Attribute> {
    let flow = Flow::new(context)?;
    let mut inferred = infer(context, &flow)?;
    let liveness = analyse_liveness(context, &flow, &mut inferred)?;
    let locals = Locals::new(context, &inferred)?;
    let lines = match lines(context.dex, context.item.debug_info, context.code.units) {
        // Without lines Android tells the place of the instruction, which R8's map has for them.
        Ok(lines) if lines.is_empty() => {
            let places = context.code.insns.iter().filter(|insn| insn.op.throws());
            places
                .map(|insn| (insn.pc, u16::try_from(insn.pc).unwrap_or(0)))
                .collect()
        }
        Ok(lines) => lines,
        Err(_) => Vec::new(),
    };
    let source = Source {
        context,
        flow: &flow,
        inferred: &inferred,
        liveness: &liveness,
        locals: &locals,
        lines: &lines,
    };
    for far in [false, true] {
        if let Some(code) = emit(&source, pool, constructors, &prologue, far)? {
            return Ok(code_attribute(pool, code, locals.count));
        }
    }
    Err(Flaw::new("its code is longer than 65,535 bytes on the JVM"))
}

/// Returns code that throws a `VerifyError` with the reason as message. `arguments` are those of the method, for the
/// number of locals. `None` if the code is too long.
pub(super) fn throwing_code(
    pool: &mut ConstantPool,
    arguments: &[Type],
    reason: &str,
) -> Option<Attribute> {
    let mut asm = Assembler::new(pool, false);
    let class = asm.pool.class(b"java/lang/VerifyError");
    asm.op_u16(op::NEW, class, 1);
    asm.op(op::DUP, 1);
    push_string(&mut asm, reason.as_bytes());
    let constructor = asm.pool.method(
        false,
        b"java/lang/VerifyError",
        b"<init>",
        b"(Ljava/lang/String;)V",
    );
    asm.op_u16(op::INVOKESPECIAL, constructor, -2);
    asm.op(op::ATHROW, -1);
    let empty = Frame {
        locals: Vec::new(),
        stack: None,
    };
    let locals = arguments
        .iter()
        .filter_map(|argument| argument.kind())
        .map(ValueKind::width)
        .sum();
    asm.finish(&empty)
        .map(|code| code_attribute(pool, code, locals))
}

/// Returns the code of an initializer that only sets fields: that of `prologue` and a return. `None` if it is
/// too long.
pub(super) fn initializer_code(
    pool: &mut ConstantPool,
    prologue: impl Fn(&mut Assembler<'_>),
) -> Option<Attribute> {
    let mut asm = Assembler::new(pool, false);
    prologue(&mut asm);
    asm.op(op::RETURN, 0);
    let empty = Frame {
        locals: Vec::new(),
        stack: None,
    };
    asm.finish(&empty).map(|code| code_attribute(pool, code, 0))
}
