//! Restores a class of the instrumented framework as far as a compiler needs: Robolectric removes `final`
//! from constants, and adds an interface whose methods compilers do not see.

/// Interface that Robolectric adds to each class.
const ADDED_INTERFACE: &[u8] = b"org/robolectric/internal/bytecode/ShadowedObject";
const CONSTANT_VALUE: &[u8] = b"ConstantValue";
// `ACC_STATIC` and `ACC_FINAL` of the JVM specification.
const STATIC: u16 = 0x0008;
const FINAL: u16 = 0x0010;

/// Returns the class with `final` constants and without the interface that Robolectric adds. All else stays;
/// `None` if the bytes are no class file.
pub(super) fn restore(class: &[u8]) -> Option<Vec<u8>> {
    let pool = Pool::read(class)?;
    let interfaces = pool.end + 6;
    let count = usize::from(u16_at(class, interfaces)?);
    let mut kept = Vec::new();
    for place in 0..count {
        let interface = u16_at(class, interfaces + 2 + 2 * place)?;
        if pool.class_name(class, interface) != Some(ADDED_INTERFACE) {
            kept.push(interface);
        }
    }
    let fields = interfaces + 2 + 2 * count;
    let mut out = class.get(..interfaces)?.to_vec();
    out.extend((kept.len() as u16).to_be_bytes());
    out.extend(kept.iter().flat_map(|interface| interface.to_be_bytes()));
    let shift = out.len();
    out.extend(class.get(fields..)?);
    for constant in constants(class, fields, &pool)? {
        let flags = u16_at(class, constant)? | FINAL;
        let at = constant - fields + shift;
        out.get_mut(at..at + 2)?
            .copy_from_slice(&flags.to_be_bytes());
    }
    Some(out)
}

/// Returns the positions of the flags of static fields with a constant value. `fields` is the position of
/// their count. `None` if the bytes end too early.
fn constants(class: &[u8], fields: usize, pool: &Pool) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    let mut at = fields + 2;
    for _ in 0..u16_at(class, fields)? {
        let flags = u16_at(class, at)?;
        let begin = at;
        let attributes = u16_at(class, at + 6)?;
        at += 8;
        for _ in 0..attributes {
            let name = pool.text(class, u16_at(class, at)?);
            if name == Some(CONSTANT_VALUE) && flags & STATIC != 0 {
                found.push(begin);
            }
            at = at.checked_add(6 + u32_at(class, at + 2)? as usize)?;
        }
    }
    Some(found)
}

/// Positions of a class file's constants by index; 0 for unused indices.
struct Pool {
    begins: Vec<usize>,
    end: usize,
}

impl Pool {
    /// Finds the constants of a class file. `None` if the bytes are none, end too early, or have an unknown constant.
    fn read(class: &[u8]) -> Option<Self> {
        if class.get(..4)? != [0xca, 0xfe, 0xba, 0xbe] {
            return None;
        }
        let count = usize::from(u16_at(class, 8)?);
        let mut begins = vec![0; count];
        let (mut number, mut at) = (1, 10);
        while number < count {
            begins[number] = at;
            let tag = *class.get(at)?;
            at += match tag {
                1 => 3 + usize::from(u16_at(class, at + 1)?),
                3 | 4 | 9..=12 | 17 | 18 => 5,
                5 | 6 => 9,
                7 | 8 | 16 | 19 | 20 => 3,
                15 => 4,
                _ => return None,
            };
            // A long or a double takes two numbers.
            number += if matches!(tag, 5 | 6) { 2 } else { 1 };
        }
        Some(Self { begins, end: at })
    }

    fn text<'a>(&self, class: &'a [u8], number: u16) -> Option<&'a [u8]> {
        let at = *self.begins.get(usize::from(number))?;
        let length = usize::from(u16_at(class, at + 1)?);
        (*class.get(at)? == 1).then(|| class.get(at + 3..at + 3 + length))?
    }

    fn class_name<'a>(&self, class: &'a [u8], number: u16) -> Option<&'a [u8]> {
        let at = *self.begins.get(usize::from(number))?;
        (*class.get(at)? == 7).then(|| self.text(class, u16_at(class, at + 1)?))?
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds `class a implements ShadowedObject, b { static int C = 7; int d; }`.
    fn class(interfaces: &[u16], flags: u16) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        let text = |text: &[u8]| [&[1, 0, text.len() as u8], text].concat();
        let pool = [
            text(b"a"),
            vec![7, 0, 1],
            text(ADDED_INTERFACE),
            vec![7, 0, 3],
            text(b"b"),
            vec![7, 0, 5],
            text(CONSTANT_VALUE),
            vec![3, 0, 0, 0, 7],
            // A long: the number after it is skipped.
            vec![5, 0, 0, 0, 0, 0, 0, 0, 1],
        ];
        bytes.extend([0, 11]);
        bytes.extend(pool.concat());
        let mut numbers = vec![0x21, 2, 2, interfaces.len() as u16];
        numbers.extend(interfaces);
        numbers.extend([2, flags, 1, 1, 1, 7, 0, 2, 8, 0x0001, 1, 1, 0, 0, 0]);
        bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        bytes
    }

    #[test]
    fn constants_are_final_again_and_the_interface_is_gone() {
        assert_eq!(restore(&class(&[4, 6], 0x0009)), Some(class(&[6], 0x0019)));
        assert_eq!(restore(&class(&[6], 0x0019)), Some(class(&[6], 0x0019)));
        // No field of a class is a constant without `static`.
        assert_eq!(restore(&class(&[], 0x0001)), Some(class(&[], 0x0001)));
    }

    #[test]
    fn what_is_damaged_is_refused_and_nothing_worse() {
        let whole = class(&[4, 6], 0x0009);
        for end in 0..whole.len() {
            let _ = restore(&whole[..end]);
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = whole.clone();
                changed[at] = value;
                let _ = restore(&changed);
            }
        }
        assert_eq!(restore(b"no class"), None);
    }
}
