//! Attribute `Code` of a class file, made from assembled code.

use crate::jvm::{AssembledCode, Attribute, ConstantPool};

/// Makes the attribute `Code`: instructions, exception handlers, and the tables of lines and frames if there are any.
/// `locals` is the number of locals that the method needs.
pub(super) fn code_attribute(
    pool: &mut ConstantPool,
    code: AssembledCode,
    locals: u16,
) -> Attribute {
    let mut body = code.max_stack.to_be_bytes().to_vec();
    body.extend(locals.to_be_bytes());
    body.extend((code.code.len() as u32).to_be_bytes());
    body.extend(code.code);
    body.extend((code.exceptions.len() as u16).to_be_bytes());
    body.extend(
        code.exceptions
            .iter()
            .flatten()
            .flat_map(|number| number.to_be_bytes()),
    );
    let mut attributes = Vec::new();
    if !code.lines.is_empty() {
        let mut table = (code.lines.len() as u16).to_be_bytes().to_vec();
        for (at, line) in &code.lines {
            table.extend(at.to_be_bytes());
            table.extend(line.to_be_bytes());
        }
        attributes.push(Attribute::new(pool, "LineNumberTable", table));
    }
    if let Some(frames) = code.frames {
        attributes.push(Attribute::new(pool, "StackMapTable", frames));
    }
    Attribute::write_all(&attributes, &mut body);
    Attribute::new(pool, "Code", body)
}
