//! All classes that an APK defines or names, and their inheritance.

use std::collections::HashMap;

use crate::hierarchy::LibraryClass;
use crate::limits::MAX_SUPER_CLASSES;
use crate::read::{Dex, Name};

/// Letters of the primitive types, by their numbers.
const PRIMITIVES: [&[u8]; 9] = [b"Z", b"B", b"S", b"C", b"I", b"J", b"F", b"D", b"V"];
const FIRST_CLASS: u32 = PRIMITIVES.len() as u32;
/// `java.lang.Object`.
pub(crate) const OBJECT: ClassId = ClassId(FIRST_CLASS);
/// `java.lang.Throwable`.
pub(crate) const THROWABLE: ClassId = ClassId(FIRST_CLASS + 1);
/// Access flag of interfaces in the dex format.
const INTERFACE: u32 = 0x200;

/// A class or a primitive type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClassId(pub(crate) u32);

/// A class or a primitive type, or an array of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Type {
    pub(crate) dimensions: u8,
    pub(crate) base: ClassId,
}

/// Kind of a value: one of the five that the JVM distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Int = 0,
    Float = 1,
    Object = 2,
    Long = 3,
    Double = 4,
}

impl ValueKind {
    /// All kinds, in the order of their numbers.
    pub(crate) const ALL: [Self; 5] = [
        Self::Int,
        Self::Float,
        Self::Object,
        Self::Long,
        Self::Double,
    ];

    /// Returns its bit in a set of kinds.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Returns the number of JVM locals or stack slots that it fills.
    pub(crate) const fn width(self) -> u16 {
        match self {
            Self::Long | Self::Double => 2,
            _ => 1,
        }
    }
}

impl Type {
    /// Returns the type of a class or a primitive, which is no array.
    pub(crate) const fn class(base: ClassId) -> Self {
        Self {
            dimensions: 0,
            base,
        }
    }

    /// Returns the kind of its values, or `None` for `void`. Boolean, byte, short and char are ints; arrays
    /// and classes are objects.
    pub(crate) fn kind(self) -> Option<ValueKind> {
        if self.dimensions > 0 {
            return Some(ValueKind::Object);
        }
        match self.base.0 {
            0..=4 => Some(ValueKind::Int),
            5 => Some(ValueKind::Long),
            6 => Some(ValueKind::Float),
            7 => Some(ValueKind::Double),
            8 => None,
            _ => Some(ValueKind::Object),
        }
    }

    /// Returns true for primitives and `void`.
    pub(crate) fn is_primitive(self) -> bool {
        self.dimensions == 0 && self.base < OBJECT
    }

    /// Returns the type of an array's elements, of one dimension less; `None` for a type that is no array.
    pub(crate) fn component(self) -> Option<Self> {
        Some(Self {
            dimensions: self.dimensions.checked_sub(1)?,
            base: self.base,
        })
    }
}

/// Facts about a class.
#[derive(Debug, Clone, Copy)]
struct ClassInfo {
    known: bool,
    interface: bool,
    super_class: Option<ClassId>,
    depth: u16,
    /// The dex file that defines it, and its index there.
    defined: Option<(u32, u32)>,
}

/// All classes, by number and by name.
#[derive(Debug)]
pub(crate) struct ClassTable<'a> {
    names: Vec<Name<'a>>,
    ids: HashMap<Name<'a>, ClassId>,
    classes: Vec<ClassInfo>,
    /// Types in the table of each dex file.
    types: Vec<Vec<Type>>,
}

impl<'a> ClassTable<'a> {
    /// Collects the classes of dex files and those of `library`. A class of the dex files replaces one of the library;
    /// of several definitions in dex files the first counts. Classes that are only named are in it too, but unknown.
    pub(crate) fn new(dexes: &[Dex<'a>], library: &'a [LibraryClass]) -> Self {
        let mut class_table = Self {
            names: Vec::new(),
            ids: HashMap::new(),
            classes: Vec::new(),
            types: Vec::new(),
        };
        for name in PRIMITIVES {
            class_table.names.push(name);
            class_table.classes.push(UNKNOWN);
        }
        class_table.id(b"java/lang/Object");
        class_table.id(b"java/lang/Throwable");
        for class in library {
            let id = class_table.id(&class.name);
            let super_class = class
                .super_class
                .as_deref()
                .map(|name| class_table.id(name));
            class_table.classes[id.0 as usize] = ClassInfo {
                known: true,
                interface: class.interface,
                super_class,
                ..UNKNOWN
            };
        }
        for (number, dex) in dexes.iter().enumerate() {
            class_table.add(number as u32, dex);
        }
        class_table.measure();
        class_table
    }

    /// Adds the types of a dex file and the classes that it defines. A class that an earlier dex file defines stays.
    /// The super class of an interface is `Object`.
    fn add(&mut self, number: u32, dex: &Dex<'a>) {
        let mut types = Vec::with_capacity(dex.type_count() as usize);
        for kind in 0..dex.type_count() {
            types.push(self.parse(dex.type_name(kind).unwrap_or_default()));
        }
        for (place, class) in dex.classes.iter().enumerate() {
            let id = types[class.class as usize].base;
            if self.classes[id.0 as usize].defined.is_none() {
                let interface = class.flags & INTERFACE != 0;
                let super_class = class.super_class.map(|name| types[name as usize].base);
                self.classes[id.0 as usize] = ClassInfo {
                    known: true,
                    interface,
                    super_class: if interface { Some(OBJECT) } else { super_class },
                    depth: 0,
                    defined: Some((number, place as u32)),
                };
            }
        }
        self.types.push(types);
    }

    /// Returns the class of a name. A new one is added as unknown.
    fn id(&mut self, name: Name<'a>) -> ClassId {
        let next = ClassId(self.names.len() as u32);
        let id = *self.ids.entry(name).or_insert(next);
        if id == next {
            self.names.push(name);
            self.classes.push(UNKNOWN);
        }
        id
    }

    /// Returns the type of a valid descriptor, and adds its class if it is new. An invalid one becomes
    /// `void`.
    fn parse(&mut self, descriptor: Name<'a>) -> Type {
        let dimensions = descriptor.iter().take_while(|byte| **byte == b'[').count();
        let base = match &descriptor[dimensions..] {
            [b'L', name @ .., b';'] => self.id(name),
            letter => {
                let place = PRIMITIVES.iter().position(|known| *known == letter);
                ClassId(place.unwrap_or(8) as u32)
            }
        };
        Type {
            dimensions: dimensions as u8,
            base,
        }
    }

    /// Counts the super classes of each class. `Object` becomes the super class of a class without one, and of the
    /// class at which a cycle or a chain of more than [`MAX_SUPER_CLASSES`] is cut.
    fn measure(&mut self) {
        let mut done = vec![false; self.classes.len()];
        let mut chain = Vec::new();
        for start in FIRST_CLASS as usize..self.classes.len() {
            let mut at = start;
            while !done[at] {
                chain.push(at);
                done[at] = true;
                let short = chain.len() < MAX_SUPER_CLASSES;
                match self.classes[at].super_class {
                    _ if at == OBJECT.0 as usize => break,
                    Some(parent) if short && !chain.contains(&(parent.0 as usize)) => {
                        at = parent.0 as usize;
                    }
                    _ => {
                        self.classes[at].super_class = Some(OBJECT);
                        at = OBJECT.0 as usize;
                    }
                }
            }
            while let Some(class) = chain.pop() {
                let parent = self.classes[class]
                    .super_class
                    .filter(|_| class != OBJECT.0 as usize);
                let depth = parent.map_or(0, |parent| {
                    self.classes[parent.0 as usize].depth.saturating_add(1)
                });
                self.classes[class].depth = depth;
            }
        }
        self.classes[OBJECT.0 as usize].super_class = None;
    }

    fn info(&self, class: ClassId) -> &ClassInfo {
        &self.classes[class.0 as usize]
    }

    pub(crate) fn name(&self, class: ClassId) -> Name<'a> {
        self.names[class.0 as usize]
    }

    /// Returns the class of a name; `None` if neither the APK nor the library names it.
    pub(crate) fn find(&self, name: &[u8]) -> Option<ClassId> {
        self.ids.get(name).copied()
    }

    /// Returns a type of a dex file's table. Panics if the table lacks the number.
    pub(crate) fn type_of(&self, dex: u32, number: u32) -> Type {
        self.types[dex as usize][number as usize]
    }

    /// Returns true if a class is in the APK or the library.
    pub(crate) fn is_known(&self, class: ClassId) -> bool {
        self.info(class).known
    }

    /// Returns true if `Throwable` is defined, as by every library. Without a library, an unknown class means
    /// nothing.
    pub(crate) fn has_library(&self) -> bool {
        self.is_known(THROWABLE)
    }

    pub(crate) fn is_interface(&self, class: ClassId) -> bool {
        self.info(class).interface
    }

    pub(crate) fn super_class(&self, class: ClassId) -> Option<ClassId> {
        self.info(class).super_class
    }

    /// Returns the dex file that defines a class of the APK, and its index there; `None` for other classes.
    pub(crate) fn defined(&self, class: ClassId) -> Option<(u32, u32)> {
        self.info(class).defined
    }

    /// Returns the names, such as `com/example/Main`, of the classes that the APK names and neither it nor the library
    /// defines. The annotations of `dalvik/annotation/` are left out. The order is not certain.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = Name<'a>> {
        let all = self
            .classes
            .iter()
            .zip(&self.names)
            .skip(FIRST_CLASS as usize);
        // System annotations become attributes, so their types need not exist.
        let system = |name: &[u8]| name.starts_with(b"dalvik/annotation/");
        all.filter(move |(class, name)| !class.known && !system(name))
            .map(|(_, name)| *name)
    }

    /// Returns true if a class is `from` or descends from it by super classes. Interfaces that a class
    /// implements do not count.
    pub(crate) fn descends(&self, mut class: ClassId, from: ClassId) -> bool {
        let depth = self.info(from).depth;
        while self.info(class).depth > depth {
            let Some(parent) = self.info(class).super_class else {
                return false;
            };
            class = parent;
        }
        class == from
    }

    /// Returns the nearest common super class. If one of them is an interface and they differ, it is
    /// `Object`, as in the JVM's verifier.
    fn common_class(&self, mut one: ClassId, mut two: ClassId) -> ClassId {
        if self.is_interface(one) || self.is_interface(two) {
            return if one == two { one } else { OBJECT };
        }
        while one != two {
            let deeper = if self.info(one).depth >= self.info(two).depth {
                &mut one
            } else {
                &mut two
            };
            match self.info(*deeper).super_class {
                Some(parent) => *deeper = parent,
                None => return OBJECT,
            }
        }
        one
    }

    /// Returns the nearest common super type: an array with the lower number of dimensions. Its base is the common
    /// super class, or `Object` if the numbers differ. If the base of a type with that number is a primitive, it is an
    /// array of `Object` with one dimension less. An array and a class give `Object`.
    pub(crate) fn common(&self, one: Type, two: Type) -> Type {
        if one == two {
            return one;
        }
        let dimensions = one.dimensions.min(two.dimensions);
        // An array of primitives is an object one dimension below.
        let lift = |kind: Type| match kind.dimensions - dimensions {
            0 if kind.base >= OBJECT => Some(kind.base),
            0 => None,
            _ => Some(OBJECT),
        };
        match (lift(one), lift(two)) {
            (Some(a), Some(b)) => Type {
                dimensions,
                base: self.common_class(a, b),
            },
            _ => Type {
                dimensions: dimensions.saturating_sub(1),
                base: OBJECT,
            },
        }
    }

    /// Returns true if the JVM's verifier accepts a value of type `from` for type `to`. The verifier accepts any
    /// value for an interface and for `Object`. False if `to` or a class that it compares is unknown, as the JVM
    /// could not load it.
    pub(crate) fn assignable(&self, from: Type, to: Type) -> bool {
        if from == to || (to.base == OBJECT && to.dimensions == 0) {
            return true;
        }
        if from.dimensions < to.dimensions || !self.is_known(to.base) {
            return false;
        }
        if from.dimensions > to.dimensions {
            return to.base == OBJECT || (to.base > OBJECT && self.is_interface(to.base));
        }
        if from.base < OBJECT || to.base < OBJECT {
            return false;
        }
        self.is_interface(to.base)
            || (self.is_known(from.base) && self.descends(from.base, to.base))
    }

    /// Returns the name by which class files refer to a type as a class: `java/lang/String`, `[I`. A primitive gives
    /// its letter.
    pub(crate) fn class_constant(&self, kind: Type) -> Vec<u8> {
        if kind.dimensions == 0 && kind.base >= OBJECT {
            return self.name(kind.base).to_vec();
        }
        self.descriptor(kind)
    }

    /// Returns the descriptor of a type, such as `[I` or `Ljava/lang/String;`.
    pub(crate) fn descriptor(&self, kind: Type) -> Vec<u8> {
        let mut text = vec![b'['; usize::from(kind.dimensions)];
        let name = self.name(kind.base);
        if kind.base < OBJECT {
            text.extend_from_slice(name);
        } else {
            text.push(b'L');
            text.extend_from_slice(name);
            text.push(b';');
        }
        text
    }
}

const UNKNOWN: ClassInfo = ClassInfo {
    known: false,
    interface: false,
    super_class: None,
    depth: 0,
    defined: None,
};
