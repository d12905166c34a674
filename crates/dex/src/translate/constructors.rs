//! Constructors that the JVM needs and dex does not.
//!
//! R8 makes a new object and calls the constructor of an ancestor on it, past the classes between. The JVM's
//! verifier requires a constructor of the object's own class, which calls one of its super class, and so on.
//! So each of these classes gets a constructor that only does this. Its last parameter, an array of five
//! dimensions of the ancestor, makes its descriptor unique.

use std::collections::{BTreeMap, BTreeSet};

use super::code_attribute::code_attribute;
use crate::class_table::{ClassId, ClassTable, ValueKind};
use crate::jvm::{Assembler, Attribute, ConstantPool, Frame, Member, op};

/// Access flags of methods (JVMS 4.6).
const SYNTHETIC: u16 = 0x1000;
const PUBLIC: u16 = 0x1;
/// Chosen: no constructor of an app has a parameter with five dimensions of its own ancestor.
const MARKER_DIMENSIONS: &[u8] = b"[[[[[";

/// A constructor that only calls the one of an ancestor, with the parameters that identify it in its class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SkipConstructor {
    /// The ancestor whose constructor is called in the end.
    pub(crate) ancestor: ClassId,
    /// Descriptor of the ancestor's constructor.
    pub(crate) descriptor: Vec<u8>,
}

/// Additions that classes need so that other classes pass the verifier.
#[derive(Debug, Default)]
pub(crate) struct Constructors {
    pub(crate) skipping: BTreeMap<ClassId, BTreeSet<SkipConstructor>>,
    /// Interfaces that a class must name because it calls their default methods.
    pub(crate) interfaces: BTreeMap<ClassId, BTreeSet<ClassId>>,
    /// Number of casts that were added because a type was not known well enough.
    pub(crate) casts: usize,
    /// Reasons why the JVM refuses classes, which cannot be fixed here.
    pub(crate) unverifiable: Vec<String>,
}

impl Constructors {
    /// Adds the needs that another part of the APK collected. Equal ones count once; the numbers of casts are
    /// added.
    pub(crate) fn merge(&mut self, other: Self) {
        for (class, constructors) in other.skipping {
            self.skipping.entry(class).or_default().extend(constructors);
        }
        for (class, interfaces) in other.interfaces {
            self.interfaces.entry(class).or_default().extend(interfaces);
        }
        self.casts += other.casts;
        self.unverifiable.extend(other.unverifiable);
    }

    /// Requests a constructor of `class` that leads to the one of `ancestor` past all constructors between,
    /// and one of each class between. Returns true if all of them can be written; false if a class between is
    /// not the APK's own, or `ancestor` is none. Requests before the failure stay.
    pub(crate) fn skip(
        &mut self,
        class_table: &ClassTable<'_>,
        class: ClassId,
        ancestor: ClassId,
        descriptor: &[u8],
    ) -> bool {
        let mut at = class;
        while at != ancestor {
            if class_table.defined(at).is_none() || !class_table.descends(at, ancestor) {
                return false;
            }
            self.skipping
                .entry(at)
                .or_default()
                .insert(SkipConstructor {
                    ancestor,
                    descriptor: descriptor.to_vec(),
                });
            let Some(parent) = class_table.super_class(at) else {
                return false;
            };
            at = parent;
        }
        true
    }
}

/// Returns the descriptor of a constructor that skips to the one of an ancestor: the same parameters and a
/// last one, an array of `ancestor` with five dimensions, which no constructor of an app has.
pub(super) fn skip_descriptor(
    class_table: &ClassTable<'_>,
    ancestor: ClassId,
    descriptor: &[u8],
) -> Vec<u8> {
    let parameters = descriptor.strip_suffix(b")V").unwrap_or(descriptor);
    [
        parameters,
        MARKER_DIMENSIONS,
        b"L",
        class_table.name(ancestor),
        b";)V",
    ]
    .concat()
}

/// Writes a constructor that skips to the one of an ancestor: it calls that one if `parent` is the ancestor,
/// else the skipping constructor of `parent`. `None` if it is too long.
pub(super) fn write(
    class_table: &ClassTable<'_>,
    pool: &mut ConstantPool,
    parent: ClassId,
    wanted: &SkipConstructor,
) -> Option<Member> {
    let SkipConstructor {
        ancestor,
        descriptor,
    } = wanted;
    let kinds = parameters(descriptor);
    let mut asm = Assembler::new(pool, false);
    asm.load(ValueKind::Object, 0);
    let mut local = 1;
    for kind in &kinds {
        asm.load(*kind, local);
        local += kind.width();
    }
    let called = if parent == *ancestor {
        descriptor.clone()
    } else {
        asm.op(op::ACONST_NULL, 1);
        skip_descriptor(class_table, *ancestor, descriptor)
    };
    let method = asm
        .pool
        .method(false, class_table.name(parent), b"<init>", &called);
    let taken = i32::from(local) + i32::from(parent != *ancestor);
    asm.op_u16(op::INVOKESPECIAL, method, -taken);
    asm.op(op::RETURN, 0);
    let code = asm.finish(&Frame {
        locals: Vec::new(),
        stack: None,
    })?;
    let own = skip_descriptor(class_table, *ancestor, descriptor);
    let code = code_attribute(pool, code, local + 1);
    Some(Member {
        flags: PUBLIC | SYNTHETIC,
        name: pool.utf8(b"<init>"),
        descriptor: pool.utf8(&own),
        attributes: Vec::<Attribute>::from([code]),
    })
}

/// Returns the kinds of a descriptor's parameters, in order. Empty if it has none, or begins with no
/// parenthesis.
fn parameters(descriptor: &[u8]) -> Vec<ValueKind> {
    let mut kinds = Vec::new();
    let mut rest = descriptor.strip_prefix(b"(").unwrap_or_default();
    while let Some(first) = rest.first().filter(|first| **first != b')') {
        let dimensions = rest.iter().take_while(|byte| **byte == b'[').count();
        let class = rest.get(dimensions) == Some(&b'L');
        kinds.push(if dimensions > 0 || class {
            ValueKind::Object
        } else {
            crate::analyse::kind_of(*first)
        });
        let end = if class {
            rest.iter()
                .position(|byte| *byte == b';')
                .unwrap_or(rest.len() - 1)
        } else {
            dimensions
        };
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    kinds
}
