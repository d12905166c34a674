//! Pushes strings and classes.

use crate::class_table::{OBJECT, Type};
use crate::jvm::{Assembler, op};
use crate::limits::MAX_UTF8_BYTES;
use crate::read::Name;

/// Pushes a string. A string that is too long for one constant is joined from several, cut between
/// characters, and interned, as constants are.
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

/// Pushes the class object of a type. For primitives and `void` it reads the field `TYPE` of their wrappers.
pub(super) fn push_class(
    asm: &mut Assembler<'_>,
    class_table: &crate::class_table::ClassTable<'_>,
    kind: Type,
) {
    if !kind.is_primitive() {
        let constant = asm.pool.class(&class_table.class_constant(kind));
        asm.push_constant(constant);
        return;
    }
    let wrapper: &[u8] = match class_table.name(kind.base) {
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

/// Returns the JVM letter of an array's elements `of`, `L` for classes and arrays.
pub(super) fn element_letter(class_table: &crate::class_table::ClassTable<'_>, of: Type) -> u8 {
    if of.is_primitive() {
        class_table.name(of.base).first().copied().unwrap_or(b'I')
    } else {
        debug_assert!(of.base >= OBJECT || of.dimensions > 0);
        b'L'
    }
}
