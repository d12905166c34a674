//! The header of a dex file and its tables.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::bytes::{Cursor, Name};
use super::rows::{ClassDef, FieldId, MethodHandle, MethodId, Proto};
use crate::error::{DexError, Flaw, Partial};
use crate::limits::{MAX_DEX_BYTES, MAX_READS_PER_BYTE, MAX_STRING_REUSE, MAX_UTF8_BYTES};

/// Size of `header_item`, and its `endian_tag`, in the dex format.
const HEADER_BYTES: usize = 0x70;
const LITTLE_ENDIAN: u32 = 0x1234_5678;
/// Types of entries of `map_list` for call sites and method handles, in the dex format.
const CALL_SITES: u16 = 7;
const METHOD_HANDLES: u16 = 8;
/// Number for no super class or no source file, in the dex format.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Dex<'a> {
    pub(crate) bytes: &'a [u8],
    strings: Vec<Name<'a>>,
    types: Vec<u32>,
    protos: Vec<Proto>,
    fields: Vec<FieldId>,
    methods: Vec<MethodId>,
    handles: Vec<MethodHandle>,
    call_sites: Vec<usize>,
    /// Number of list entries that may still be read, since several places may share a list.
    budget: AtomicUsize,
    pub(crate) classes: Vec<ClassDef>,
}

const RANGE: Flaw = Flaw::new("a number leads past the end of its table");

impl<'a> Dex<'a> {
    /// Parses the dex files in one file: a single one, or all of a version 041 container, in order. `file` is
    /// the name for errors.
    ///
    /// # Errors
    /// Returns [`DexError::TooLarge`], [`DexError::Version`] for a version other than 035 to 041, or
    /// [`DexError::Damaged`].
    pub(crate) fn all(file: &str, bytes: &'a [u8]) -> Result<Vec<Self>, DexError> {
        let damaged = |flaw: Flaw| DexError::Damaged {
            file: file.to_owned(),
            what: flaw.0.into_owned(),
        };
        if bytes.len() as u64 > MAX_DEX_BYTES {
            return Err(DexError::TooLarge {
                what: file.to_owned(),
                limit: MAX_DEX_BYTES,
            });
        }
        let mut found = Vec::new();
        let mut at = 0;
        loop {
            let version = version(file, bytes, at)?;
            found.push(Self::read(bytes, at).map_err(damaged)?);
            let size = Cursor::new(bytes, at + 0x20).size().map_err(damaged)?;
            at = at.saturating_add(size.max(HEADER_BYTES));
            if version < 41 || at >= bytes.len() {
                return Ok(found);
            }
        }
    }

    /// Reads the dex file whose header is at `header`; its offsets count from the begin of `bytes`. Every number in
    /// its tables is checked to be in its table, so later look-ups of them do not fail. Numbers in call sites and
    /// method handles are not checked.
    fn read(bytes: &'a [u8], header: usize) -> Partial<Self> {
        let mut cursor = Cursor::new(bytes, header + 0x28);
        if cursor.u32()? != LITTLE_ENDIAN {
            return Err(Flaw::new("its byte order is unknown"));
        }
        cursor.take(8)?;
        let map = cursor.size()?;
        let mut table = |entry: usize| -> Partial<(usize, Cursor<'a>)> {
            let (count, at) = (cursor.size()?, cursor.size()?);
            let fits = count
                .checked_mul(entry)
                .and_then(|size| size.checked_add(at));
            match fits {
                Some(end) if count == 0 || end <= bytes.len() => {
                    Ok((count, Cursor::new(bytes, at)))
                }
                _ => Err(Flaw::new("a table leads past its end")),
            }
        };
        let tables = [
            table(4)?,
            table(4)?,
            table(12)?,
            table(8)?,
            table(8)?,
            table(32)?,
        ];
        let mut dex = Self {
            bytes,
            strings: strings(bytes, tables[0])?,
            types: Vec::new(),
            protos: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            handles: Vec::new(),
            call_sites: Vec::new(),
            budget: AtomicUsize::new(bytes.len().saturating_mul(MAX_READS_PER_BYTE)),
            classes: Vec::new(),
        };
        dex.types = rows(tables[1], Cursor::u32)?;
        for string in &dex.types {
            let name = dex.string(*string)?;
            if !descriptor(name) {
                return Err(Flaw::with_detail(format!(
                    "{:?} is no type",
                    String::from_utf8_lossy(name)
                )));
            }
        }
        dex.protos = rows(tables[2], |row| dex.proto_row(row))?;
        dex.fields = rows(tables[3], |row| dex.field_row(row))?;
        dex.methods = rows(tables[4], |row| dex.method_row(row))?;
        dex.classes = rows(tables[5], |row| dex.class_row(row))?;
        dex.map(map)?;
        Ok(dex)
    }

    /// Reads a prototype. Fails for more than 255 parameters, for one of type `void`, and for a type that does not
    /// exist.
    fn proto_row(&self, row: &mut Cursor<'a>) -> Partial<Proto> {
        row.u32()?;
        let (returns, parameters) = (row.u32()?, row.size()?);
        self.type_name(returns)?;
        let parameters = self.type_list(parameters)?;
        if parameters.len() > 255 {
            return Err(Flaw::new("a method takes more than 255 parameters"));
        }
        if parameters.iter().any(|kind| {
            self.types
                .get(*kind as usize)
                .is_some_and(|name| self.strings[*name as usize] == b"V")
        }) {
            return Err(Flaw::new("a parameter is void"));
        }
        Ok(Proto {
            returns,
            parameters: parameters.into(),
        })
    }

    /// Reads a field. Fails if its owner is no class, or its type is `void`.
    fn field_row(&self, row: &mut Cursor<'a>) -> Partial<FieldId> {
        let (class, kind, name) = (row.u16()?.into(), row.u16()?.into(), row.u32()?);
        self.class_name(class)?;
        if self.type_name(kind)? == b"V" {
            return Err(Flaw::new("a field is void"));
        }
        self.string(name)?;
        Ok(FieldId { class, kind, name })
    }

    /// Reads a method, whose owner may be an array. Fails if owner, prototype or name does not exist.
    fn method_row(&self, row: &mut Cursor<'a>) -> Partial<MethodId> {
        let (class, proto, name) = (row.u16()?.into(), row.u16()?.into(), row.u32()?);
        self.type_name(class)?;
        self.proto(proto)?;
        self.string(name)?;
        Ok(MethodId { class, proto, name })
    }

    /// Reads a class definition. Fails if its super class or an interface is no class; whether anything defines it is
    /// not asked.
    fn class_row(&self, row: &mut Cursor<'a>) -> Partial<ClassDef> {
        let (class, flags, super_class) = (row.u32()?, row.u32()?, row.u32()?);
        self.class_name(class)?;
        let super_class = (super_class != NONE).then_some(super_class);
        if let Some(super_class) = super_class {
            self.class_name(super_class)?;
        }
        let interfaces = self.type_list(row.size()?)?;
        for interface in &interfaces {
            self.class_name(*interface)?;
        }
        let source_file = row.u32()?;
        let source_file = (source_file != NONE).then_some(source_file);
        if let Some(source_file) = source_file {
            self.string(source_file)?;
        }
        Ok(ClassDef {
            class,
            flags,
            super_class,
            interfaces,
            source_file,
            annotations: row.size()?,
            data: row.size()?,
            static_values: row.size()?,
        })
    }

    /// Reads the map at an offset for the two tables that the header does not list: call sites and method handles.
    /// Other entries are skipped; at zero there is no map. Fails if a table leads past the end of the file.
    fn map(&mut self, at: usize) -> Partial<()> {
        if at == 0 {
            return Ok(());
        }
        let mut map = Cursor::new(self.bytes, at);
        for _ in 0..map.u32()? {
            let kind = map.u16()?;
            map.u16()?;
            let (count, at) = (map.size()?, map.size()?);
            let entry = match kind {
                CALL_SITES => 4,
                METHOD_HANDLES => 8,
                _ => continue,
            };
            let fits = count
                .checked_mul(entry)
                .and_then(|size| size.checked_add(at));
            if fits.is_none_or(|end| end > self.bytes.len()) {
                return Err(RANGE);
            }
            let table = (count, Cursor::new(self.bytes, at));
            if kind == CALL_SITES {
                self.call_sites = rows(table, Cursor::size)?;
            } else {
                self.handles = rows(table, |row| {
                    let kind = row.u16()?;
                    row.u16()?;
                    let member = row.u16()?.into();
                    row.u16()?;
                    Ok(MethodHandle { kind, member })
                })?;
            }
        }
        Ok(())
    }

    /// Returns the list of types at an offset, by their numbers; empty at zero. Fails if one does not exist,
    /// or if its entries exceed what is left of the file's budget ([`Self::spend`]).
    pub(crate) fn type_list(&self, at: usize) -> Partial<Vec<u32>> {
        if at == 0 {
            return Ok(Vec::new());
        }
        let mut cursor = Cursor::new(self.bytes, at);
        let count = cursor.size()?;
        self.spend(count)?;
        let mut list = Vec::new();
        for _ in 0..count {
            let kind = cursor.u16()?.into();
            self.type_name(kind)?;
            list.push(kind);
        }
        Ok(list)
    }

    /// Takes from the file's budget of list entries, values and lines. Fails if too few are left, so that
    /// parts which name one place often cannot fill memory.
    pub(crate) fn spend(&self, count: usize) -> Partial<()> {
        let budget = &self.budget;
        let spent = budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(count)
        });
        spent
            .map(|_| ())
            .map_err(|_| Flaw::new("its parts name one place too often"))
    }

    pub(crate) fn string(&self, number: u32) -> Partial<Name<'a>> {
        self.strings.get(number as usize).copied().ok_or(RANGE)
    }

    /// Returns the number of types.
    pub(crate) fn type_count(&self) -> u32 {
        self.types.len() as u32
    }

    /// Returns a type's descriptor, such as `Ljava/lang/String;`. Fails for a number that does not exist.
    pub(crate) fn type_name(&self, number: u32) -> Partial<Name<'a>> {
        self.string(*self.types.get(number as usize).ok_or(RANGE)?)
    }

    /// Returns the internal name of the class with this type number: without `L` and `;`. Fails for an array
    /// or a primitive.
    pub(crate) fn class_name(&self, number: u32) -> Partial<Name<'a>> {
        match self.type_name(number)? {
            [b'L', name @ .., b';'] => Ok(name),
            _ => Err(Flaw::new("an array or a primitive stands for a class")),
        }
    }

    pub(crate) fn proto(&self, number: u32) -> Partial<&Proto> {
        self.protos.get(number as usize).ok_or(RANGE)
    }

    pub(crate) fn field(&self, number: u32) -> Partial<FieldId> {
        self.fields.get(number as usize).copied().ok_or(RANGE)
    }

    pub(crate) fn method(&self, number: u32) -> Partial<MethodId> {
        self.methods.get(number as usize).copied().ok_or(RANGE)
    }

    pub(crate) fn handle(&self, number: u32) -> Partial<MethodHandle> {
        self.handles.get(number as usize).copied().ok_or(RANGE)
    }

    /// Returns the offset of a call site's values. Fails for a number that does not exist.
    pub(crate) fn call_site(&self, number: u32) -> Partial<usize> {
        self.call_sites.get(number as usize).copied().ok_or(RANGE)
    }

    /// Returns the descriptor of the prototype with this number, such as `(ILjava/lang/String;)V`. Fails if a
    /// type does not exist, or it is too long for a class file.
    pub(crate) fn descriptor(&self, proto: u32) -> Partial<Vec<u8>> {
        let proto = self.proto(proto)?;
        let mut text = vec![b'('];
        for parameter in &proto.parameters {
            text.extend_from_slice(self.type_name(*parameter)?);
            if text.len() > MAX_UTF8_BYTES {
                return Err(Flaw::new("the names of a method's types are too long"));
            }
        }
        text.push(b')');
        text.extend_from_slice(self.type_name(proto.returns)?);
        Ok(text)
    }
}

/// Returns the version of the dex file at an offset, from 35 to 41.
///
/// # Errors
/// Returns [`DexError::Damaged`] without a whole header, and [`DexError::Version`] for another version.
fn version(file: &str, bytes: &[u8], at: usize) -> Result<u32, DexError> {
    let magic = bytes.get(at..).and_then(|rest| rest.get(..8));
    let (Some([b'd', b'e', b'x', b'\n', version @ .., 0]), true) =
        (magic, bytes.len() >= at.saturating_add(HEADER_BYTES))
    else {
        return Err(DexError::Damaged {
            file: file.to_owned(),
            what: "it has no header of a dex file".to_owned(),
        });
    };
    let text = String::from_utf8_lossy(version).into_owned();
    match text.parse() {
        Ok(number @ 35..=41) => Ok(number),
        _ => Err(DexError::Version {
            file: file.to_owned(),
            version: text,
        }),
    }
}

/// Reads `count` rows one after another, up to the first failure. Reserves memory for all, so the caller must have
/// checked that they fit into the file.
fn rows<'a, T>(
    (count, mut cursor): (usize, Cursor<'a>),
    mut read: impl FnMut(&mut Cursor<'a>) -> Partial<T>,
) -> Partial<Vec<T>> {
    let mut rows = Vec::with_capacity(count);
    for _ in 0..count {
        rows.push(read(&mut cursor)?);
    }
    Ok(rows)
}

/// Reads all strings in the order of their table: the bytes up to the zero byte, which are not checked. Ignores the
/// stored lengths. Fails if one of them lies outside the file or has no end, or if all together exceed
/// [`MAX_STRING_REUSE`] times the file's size, as entries may overlap.
fn strings<'a>(bytes: &'a [u8], table: (usize, Cursor<'a>)) -> Partial<Vec<Name<'a>>> {
    let mut room = bytes.len().saturating_mul(MAX_STRING_REUSE);
    rows(table, |row| {
        let mut data = Cursor::new(bytes, row.size()?);
        data.uleb()?;
        let rest = bytes.get(data.at()..).unwrap_or_default();
        let length = rest.iter().take(room).position(|byte| *byte == 0);
        let length = length.ok_or(Flaw::new("a string has no end"))?;
        room -= length;
        data.take(length)
    })
}

/// Returns true if a text is a type descriptor: a primitive, `void`, a class, or an array of a primitive or a
/// class. Too many dimensions and too long names are none. A class name has no `.`, `;` or `[`.
fn descriptor(name: Name<'_>) -> bool {
    let dimensions = name.iter().take_while(|byte| **byte == b'[').count();
    if dimensions > crate::limits::MAX_DIMENSIONS || name.len() > MAX_UTF8_BYTES {
        return false;
    }
    match &name[dimensions..] {
        [b'Z' | b'B' | b'S' | b'C' | b'I' | b'J' | b'F' | b'D'] => true,
        [b'V'] => dimensions == 0,
        [b'L', class @ .., b';'] => {
            !class.is_empty() && !class.iter().any(|byte| matches!(byte, b';' | b'[' | b'.'))
        }
        _ => false,
    }
}
