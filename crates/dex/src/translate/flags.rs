//! Access flags that the JVM allows (JVMS 4.1, 4.5, 4.6). Dex has more flags and checks less.

pub(super) const PUBLIC: u16 = 0x1;
const PRIVATE: u16 = 0x2;
const PROTECTED: u16 = 0x4;
pub(super) const STATIC: u16 = 0x8;
const FINAL: u16 = 0x10;
const SUPER: u16 = 0x20;
const SYNCHRONIZED: u16 = 0x20;
const VOLATILE: u16 = 0x40;
const BRIDGE: u16 = 0x40;
const TRANSIENT: u16 = 0x80;
const VARARGS: u16 = 0x80;
pub(super) const NATIVE: u16 = 0x100;
pub(super) const INTERFACE: u16 = 0x200;
pub(super) const ABSTRACT: u16 = 0x400;
const STRICT: u16 = 0x800;
const SYNTHETIC: u16 = 0x1000;
const ANNOTATION: u16 = 0x2000;
const ENUM: u16 = 0x4000;

/// Returns the flags of a class that the JVM accepts. An interface is abstract, and neither final nor an
/// enum; an abstract class is not final; a class is no annotation and has the flag `SUPER`. Private,
/// protected and static are dropped.
pub(super) fn class(flags: u32) -> u16 {
    let flags = flags as u16;
    let kept = flags & (PUBLIC | FINAL | INTERFACE | ABSTRACT | SYNTHETIC | ANNOTATION | ENUM);
    if flags & INTERFACE != 0 {
        return kept & !(FINAL | ENUM) | ABSTRACT;
    }
    let kept = kept & !ANNOTATION | SUPER;
    if kept & ABSTRACT != 0 {
        kept & !FINAL
    } else {
        kept
    }
}

/// Returns the flags of a class in the attribute `InnerClasses`. Unlike the flags of the class itself, these keep
/// static and private, and never have `SUPER`; protected becomes public.
pub(super) fn inner(flags: i32) -> u16 {
    let flags = flags as u16;
    let others = flags & (STATIC | FINAL | INTERFACE | ABSTRACT | SYNTHETIC | ANNOTATION | ENUM);
    let others = if others & INTERFACE != 0 {
        others & !(FINAL | ENUM) | ABSTRACT
    } else if others & ABSTRACT != 0 {
        others & !(FINAL | ANNOTATION)
    } else {
        others & !ANNOTATION
    };
    others | access(flags)
}

/// Keeps at most one of public and private. Protected becomes public: shrunk code uses such members of other
/// classes' objects, which Android allows and the JVM's verifier does not.
fn access(flags: u16) -> u16 {
    match flags & (PUBLIC | PROTECTED | PRIVATE) {
        0 => 0,
        PRIVATE => PRIVATE,
        _ => PUBLIC,
    }
}

/// Returns the flags of a field that the JVM accepts. In an interface it is public, static and final; else a
/// final one is not volatile, and protected becomes public.
pub(super) fn field(flags: u32, interface: bool) -> u16 {
    let flags = flags as u16;
    if interface {
        return flags & SYNTHETIC | PUBLIC | STATIC | FINAL;
    }
    let kept = flags & (STATIC | FINAL | VOLATILE | TRANSIENT | SYNTHETIC | ENUM) | access(flags);
    if kept & FINAL != 0 {
        kept & !VOLATILE
    } else {
        kept
    }
}

/// Returns the flags of a method that the JVM accepts. `synchronized` is dropped except from native methods, since code
/// locks the object itself. A class initializer is only static; a constructor keeps its access and the flags varargs,
/// strict and synthetic; protected becomes public. In an interface a method is public unless private, and neither final
/// nor native; an abstract one is not private, static or final.
pub(super) fn method(flags: u32, interface: bool, name: &[u8]) -> u16 {
    let flags = flags as u16;
    match name {
        b"<clinit>" => return STATIC,
        b"<init>" => return flags & (VARARGS | STRICT | SYNTHETIC) | access(flags),
        _ => {}
    }
    let mut kept = flags
        & (STATIC | FINAL | BRIDGE | VARARGS | NATIVE | ABSTRACT | STRICT | SYNTHETIC)
        | access(flags);
    if flags & NATIVE != 0 {
        kept |= flags & SYNCHRONIZED;
    }
    if interface {
        kept &= !(FINAL | NATIVE);
        if kept & PRIVATE == 0 {
            kept |= PUBLIC;
        }
    }
    if kept & ABSTRACT != 0 {
        kept &= !(FINAL | NATIVE | STATIC | STRICT | PRIVATE);
    }
    kept
}
