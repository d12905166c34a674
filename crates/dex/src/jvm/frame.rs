//! Stack map frames (JVMS 4.7.4): the types of locals at jump targets.

/// Target of jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) u32);

/// The verifier's type of a local.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerificationType {
    Top,
    Integer,
    Float,
    Long,
    Double,
    Null,
    UninitializedThis,
    /// A class of the constant pool.
    Object(u16),
    /// The object made by `new` at a label, before its constructor has run.
    Uninitialized(Label),
}

/// The types at a jump target. The stack is empty, or holds an exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Types without trailing `Top`s, and without the second halves of wide values.
    pub(crate) locals: Vec<VerificationType>,
    pub(crate) stack: Option<VerificationType>,
}

/// Types of frames (JVMS 4.7.4).
const SAME: u16 = 0;
const SAME_ONE_ITEM: u16 = 64;
const SAME_ONE_ITEM_EXTENDED: u8 = 247;
const CHOP_BASE: u8 = 251;
const SAME_EXTENDED: u8 = 251;
const FULL: u8 = 255;

/// Writes the table of frames, with their count in front. They must be in ascending order of their offsets,
/// each at another one. `first` is the frame at the method's start, which is not written; `offset` gives the
/// place of a label.
pub(super) fn write(
    first: &Frame,
    frames: &[(u16, Frame)],
    offset: impl Fn(Label) -> u16,
) -> Vec<u8> {
    let mut out = (frames.len() as u16).to_be_bytes().to_vec();
    let (mut last, mut locals) = (None, &first.locals);
    for (at, frame) in frames {
        let delta = last.map_or(*at, |last: u16| at - last - 1);
        write_one(&mut out, delta, locals, frame, &offset);
        (last, locals) = (Some(*at), &frame.locals);
    }
    out
}

/// Writes a frame in the shortest form that `before`, the locals of the last frame, allows. `delta` is the distance
/// from it. Short forms are for equal locals, and without an exception on the stack for up to three fewer or more.
fn write_one(
    out: &mut Vec<u8>,
    delta: u16,
    before: &[VerificationType],
    frame: &Frame,
    offset: &impl Fn(Label) -> u16,
) {
    let locals = &frame.locals;
    let common = before
        .iter()
        .zip(locals)
        .take_while(|(one, two)| one == two)
        .count();
    match frame.stack {
        Some(thrown) if before == locals => {
            if delta < 64 {
                out.push((SAME_ONE_ITEM + delta) as u8);
            } else {
                out.push(SAME_ONE_ITEM_EXTENDED);
                out.extend(delta.to_be_bytes());
            }
            write_type(out, thrown, offset);
        }
        None if before == locals && delta < 64 => out.push((SAME + delta) as u8),
        None if before == locals => {
            out.push(SAME_EXTENDED);
            out.extend(delta.to_be_bytes());
        }
        None if common == locals.len() && before.len() - common <= 3 => {
            out.push(CHOP_BASE - (before.len() - common) as u8);
            out.extend(delta.to_be_bytes());
        }
        None if common == before.len() && locals.len() - common <= 3 => {
            out.push(SAME_EXTENDED + (locals.len() - common) as u8);
            out.extend(delta.to_be_bytes());
            for local in &locals[common..] {
                write_type(out, *local, offset);
            }
        }
        _ => {
            out.push(FULL);
            out.extend(delta.to_be_bytes());
            out.extend((locals.len() as u16).to_be_bytes());
            for local in locals {
                write_type(out, *local, offset);
            }
            out.extend(u16::from(frame.stack.is_some()).to_be_bytes());
            if let Some(thrown) = frame.stack {
                write_type(out, thrown, offset);
            }
        }
    }
}

/// Writes a type: its tag, and behind it the number of a class or the place of a `new`.
fn write_type(out: &mut Vec<u8>, kind: VerificationType, offset: &impl Fn(Label) -> u16) {
    out.push(match kind {
        VerificationType::Top => 0,
        VerificationType::Integer => 1,
        VerificationType::Float => 2,
        VerificationType::Double => 3,
        VerificationType::Long => 4,
        VerificationType::Null => 5,
        VerificationType::UninitializedThis => 6,
        VerificationType::Object(_) => 7,
        VerificationType::Uninitialized(_) => 8,
    });
    match kind {
        VerificationType::Object(class) => out.extend(class.to_be_bytes()),
        VerificationType::Uninitialized(label) => out.extend(offset(label).to_be_bytes()),
        _ => {}
    }
}
