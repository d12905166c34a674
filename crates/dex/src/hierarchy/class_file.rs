//! Reads from a class file what the verifier needs to know about a class outside of the APK.

/// Access flag of interfaces (JVMS 4.1).
const INTERFACE: u16 = 0x200;

/// Facts about a class from its class file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LibraryClass {
    pub(crate) name: Vec<u8>,
    pub(crate) super_class: Option<Vec<u8>>,
    pub(crate) interface: bool,
}

/// Returns the name, super class and flag "interface" of a class file, or `None` if it is malformed. The
/// super class is `None` for `Object`. Nothing behind it, such as members, is read.
pub(super) fn read(bytes: &[u8]) -> Option<LibraryClass> {
    let mut rest = bytes.strip_prefix(&[0xca, 0xfe, 0xba, 0xbe])?;
    take(&mut rest, 4)?;
    let count = u16_of(&mut rest)?;
    // Of each constant its bytes: only names and classes are asked for.
    let mut constants: Vec<&[u8]> = vec![&[]; usize::from(count)];
    let mut index = 1;
    while index < count {
        let tag = take(&mut rest, 1)?[0];
        let size = match tag {
            1 => usize::from(u16_of(&mut rest)?),
            3 | 4 | 9..=12 | 17 | 18 => 4,
            5 | 6 => 8,
            7 | 8 | 16 | 19 | 20 => 2,
            15 => 3,
            _ => return None,
        };
        constants[usize::from(index)] = take(&mut rest, size)?;
        index = index.checked_add(if matches!(tag, 5 | 6) { 2 } else { 1 })?;
    }
    let flags = u16_of(&mut rest)?;
    let mut class = || -> Option<Option<Vec<u8>>> {
        let index = usize::from(u16_of(&mut rest)?);
        if index == 0 {
            return Some(None);
        }
        let name = u16::from_be_bytes((*constants.get(index)?).try_into().ok()?);
        Some(Some(constants.get(usize::from(name))?.to_vec()))
    };
    Some(LibraryClass {
        name: class()??,
        super_class: class()?,
        interface: flags & INTERFACE != 0,
    })
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn u16_of(rest: &mut &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(take(rest, 2)?.try_into().ok()?))
}
