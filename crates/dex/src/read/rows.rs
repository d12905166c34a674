//! Rows of the tables of a dex file.

/// Types of a method's arguments and result, as indexes into the table of types.
#[derive(Debug, Clone)]
pub(crate) struct Proto {
    pub(crate) returns: u32,
    pub(crate) parameters: Box<[u32]>,
}

/// A reference to a field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldId {
    pub(crate) class: u32,
    pub(crate) kind: u32,
    pub(crate) name: u32,
}

/// A reference to a method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodId {
    pub(crate) class: u32,
    pub(crate) proto: u32,
    pub(crate) name: u32,
}

/// A handle of a field or a method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodHandle {
    pub(crate) kind: u16,
    /// Index into the table of fields or of methods, depending on the kind.
    pub(crate) member: u32,
}

/// A class that a dex file defines.
#[derive(Debug, Clone)]
pub(crate) struct ClassDef {
    pub(crate) class: u32,
    pub(crate) flags: u32,
    pub(crate) super_class: Option<u32>,
    pub(crate) interfaces: Vec<u32>,
    pub(crate) source_file: Option<u32>,
    pub(crate) annotations: usize,
    /// Offset of its fields and methods; zero if it has none.
    pub(super) data: usize,
    pub(crate) static_values: usize,
}
