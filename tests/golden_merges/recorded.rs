//! Screens of other people's apps, as phones and emulators dumped them: elements are changed, added, removed and moved, and
//! what lies below moves with them.

use fastrand::Rng;
use runner::screen::{DisplayContext, NodeIndex, Profile, Row, Screen};

use super::{Case, Golden};

/// An element with its children.
#[derive(Debug, Clone, PartialEq)]
struct Element {
    number: usize,
    cells: [String; 5],
    flags: Vec<String>,
    /// Left, top, right, bottom.
    bounds: [i32; 4],
    children: Vec<Element>,
}

#[derive(Debug, Clone)]
enum Edit {
    Text(usize, String),
    Desc(usize, String),
    Flag(usize),
    /// Selects one child of an element, and unselects the others.
    Select(usize, usize),
    Remove(usize),
    /// Inserts an element below the numbered one.
    Insert(usize, Element),
    /// Moves an element before the one above it.
    Rise(usize),
}

impl Element {
    fn new(number: usize, row: &Row<'_>) -> Self {
        let cell = |text: &str| {
            if text.is_empty() {
                "-".to_owned()
            } else {
                text.to_owned()
            }
        };
        let bounds = row.bounds.unwrap_or_default();
        Self {
            number,
            cells: [
                &row.class,
                &row.text,
                &row.desc,
                &row.res_id,
                &row.hint.clone().unwrap_or_default(),
            ]
            .map(|it| cell(it)),
            flags: row.flags.iter().map(|it| (*it).to_owned()).collect(),
            bounds: [bounds.left, bounds.top, bounds.right, bounds.bottom],
            children: Vec::new(),
        }
    }

    fn find(&mut self, number: usize) -> Option<&mut Self> {
        if self.number == number {
            return Some(self);
        }
        self.children.iter_mut().find_map(|it| it.find(number))
    }

    fn numbers(&self, into: &mut Vec<usize>) {
        into.push(self.number);
        self.children.iter().for_each(|it| it.numbers(into));
    }

    fn height(&self) -> i32 {
        self.bounds[3] - self.bounds[1]
    }

    fn scrolls(&self) -> bool {
        self.flags.iter().any(|it| it == "scr")
    }

    fn shift(&mut self, by: i32) {
        self.bounds[1] += by;
        self.bounds[3] += by;
        self.children.iter_mut().for_each(|it| it.shift(by));
    }

    /// Calls `change` with the siblings of an element and its index. Moves what lies below by the returned
    /// pixels, up to the nearest scrolling container.
    fn among(
        &mut self,
        number: usize,
        change: &mut dyn FnMut(&mut Vec<Self>, usize) -> Option<i32>,
    ) -> Option<i32> {
        let own = self.children.iter().position(|it| it.number == number);
        let (at, by) = match own {
            Some(at) => (at, change(&mut self.children, at)?),
            None => {
                let at = self
                    .children
                    .iter()
                    .position(|it| it.clone().find(number).is_some())?;
                (at, self.children[at].among(number, change)?)
            }
        };
        let from = self
            .children
            .get(at)
            .map_or(self.bounds[3], |it| it.bounds[1]);
        for (place, child) in self.children.iter_mut().enumerate() {
            if place > at && child.bounds[1] > from && !(own.is_some() && by > 0 && place == at + 1)
            {
                child.shift(by);
            }
        }
        if self.scrolls() || by == 0 {
            return Some(0);
        }
        self.bounds[3] += by;
        Some(by)
    }

    fn edit(&mut self, edit: &Edit) -> Option<()> {
        match edit {
            Edit::Text(number, text) => {
                let element = self.find(*number)?;
                // The more letters, the wider.
                let [before, after] = [&element.cells[1], text]
                    .map(|it| i32::try_from(it.chars().count()).unwrap_or(1));
                let width = element.bounds[2] - element.bounds[0];
                element.bounds[2] = element.bounds[0] + (width * after / before.max(1)).min(1000);
                element.cells[1].clone_from(text);
            }
            Edit::Desc(number, desc) => self.find(*number)?.cells[2].clone_from(desc),
            Edit::Flag(number) => {
                let flags = &mut self.find(*number)?.flags;
                match flags.iter().position(|it| it == "ena") {
                    Some(at) => drop(flags.remove(at)),
                    None => flags.push("ena".to_owned()),
                }
            }
            Edit::Select(parent, number) => {
                let children = &mut self.find(*parent)?.children;
                children.iter().find(|it| it.number == *number)?;
                for child in children {
                    child.flags.retain(|it| it != "sel");
                    if child.number == *number {
                        child.flags.push("sel".to_owned());
                    }
                }
            }
            // What both removed is gone.
            Edit::Remove(number) => {
                self.among(*number, &mut |children, at| {
                    let gone = children.remove(at);
                    let by = -gone.height();
                    // `among` moves what is below the place: the one that took it moves too.
                    if let Some(next) = children.get_mut(at)
                        && next.bounds[1] >= gone.bounds[3]
                    {
                        next.shift(by);
                        return Some(by);
                    }
                    Some(if at == children.len() { by } else { 0 })
                });
            }
            Edit::Insert(below, element) => {
                self.among(*below, &mut |children, at| {
                    let mut new = element.clone();
                    let by = new.height();
                    new.shift(children[at].bounds[3] - new.bounds[1]);
                    children.insert(at + 1, new);
                    Some(by)
                })?;
            }
            Edit::Rise(number) => {
                self.among(*number, &mut |children, at| {
                    let above = at.checked_sub(1)?;
                    let (up, down) = (children[at].height(), children[above].height());
                    children[at].shift(-down);
                    children[above].shift(up);
                    children.swap(above, at);
                    Some(0)
                })?;
            }
        }
        Some(())
    }

    fn edited(&self, edits: &[Edit]) -> Option<Self> {
        let mut screen = self.clone();
        edits.iter().try_for_each(|edit| screen.edit(edit))?;
        Some(screen)
    }

    fn lines(&self, has_bounds: bool, into: &mut Vec<String>) {
        let mut flags: Vec<&str> = self
            .flags
            .iter()
            .map(String::as_str)
            .filter(|it| has_bounds || !matches!(*it, "on" | "off"))
            .collect();
        if flags.is_empty() {
            flags.push("-");
        }
        let mut cells = self.cells.to_vec();
        if has_bounds {
            cells.push(self.bounds.map(|it| it.to_string()).join(","));
        }
        cells.push(flags.join(","));
        into.push(cells.join("\t"));
        for child in &self.children {
            // What scrolls shows what fits.
            if !self.scrolls() || child.bounds[1] < self.bounds[3] {
                child.lines(has_bounds, into);
            }
        }
    }

    fn golden(&self) -> Golden {
        let header =
            "# app=com.example masks=none redactions=none runner=0.1.0 schema=2".to_owned();
        let [shared, of_class] = [false, true].map(|has_bounds| {
            let mut lines = Vec::new();
            self.lines(has_bounds, &mut lines);
            lines
        });
        // Nobody sees a description.
        let seen: Vec<String> = of_class
            .iter()
            .map(|line| {
                line.split('\t')
                    .enumerate()
                    .filter(|(at, _)| !matches!(at, 2 | 3))
                    .map(|(_, cell)| cell)
                    .collect()
            })
            .collect();
        Golden {
            files: [(header.clone(), shared), (header, of_class)],
            picture: seen.concat().into_bytes(),
        }
    }
}

/// The screens of these dumps.
fn screens(dumps: impl IntoIterator<Item = Vec<u8>>) -> Vec<Element> {
    dumps.into_iter().filter_map(|dump| screen(&dump)).collect()
}

fn screen(dump: &[u8]) -> Option<Element> {
    let screen = Screen::parse(dump, &DisplayContext::default()).ok()?;
    let rows: Vec<Row<'_>> = screen
        .rows(Profile::Golden)
        .into_iter()
        .filter(|row| row.window == 0)
        .collect();
    let known: Vec<NodeIndex> = rows.iter().map(|row| row.node).collect();
    let mut elements: Vec<Option<Element>> = rows
        .iter()
        .enumerate()
        .map(|(number, row)| Some(Element::new(number + 1, row)))
        .collect();
    let mut root = Element {
        number: 0,
        cells: ["window:APPLICATION", "com.example", "-", "-", "-"].map(str::to_owned),
        flags: Vec::new(),
        bounds: [0, 0, 1080, 2400],
        children: Vec::new(),
    };
    // Children come after their parents.
    for at in (0..rows.len()).rev() {
        let mut element = elements[at].take()?;
        element.children.reverse();
        let above = screen
            .node(rows[at].node)
            .ancestors()
            .find_map(|it| known.iter().position(|known| *known == it.index()));
        match above {
            Some(above) => elements[above].as_mut()?.children.push(element),
            None => root.children.push(element),
        }
    }
    root.children.reverse();
    (rows.len() > 5).then_some(root)
}

/// Draws edits for one side, each of another element.
fn edits(random: &mut Rng, screen: &Element, side: usize, most: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    for count in 0..random.usize(1..=most) {
        let mut now = screen.edited(&edits).expect("its own edits");
        let mut numbers = Vec::new();
        now.numbers(&mut numbers);
        if numbers.len() < 3 {
            break;
        }
        let number = numbers[random.usize(1..numbers.len())];
        let word = format!(
            "{} {}",
            ["New", "Another text", "Total", "A longer line of words"][random.usize(0..4)],
            random.u8(0..30)
        );
        let element = now.find(number).cloned().expect("it is there");
        let edit = match random.u8(0..12) {
            0..4 if element.cells[1] != "-" => Edit::Text(number, word),
            4 => Edit::Desc(number, word),
            5 => Edit::Flag(number),
            6 if !element.children.is_empty() => Edit::Select(
                number,
                element.children[random.usize(0..element.children.len())].number,
            ),
            7..9 => Edit::Remove(number),
            9..11 => {
                let mut new = element;
                let start = 10_000 * (side + 1) + 1_000 * count;
                renumber(&mut new, start, &word, random.bool());
                Edit::Insert(number, new)
            }
            11 => Edit::Rise(number),
            _ => continue,
        };
        edits.push(edit);
        if screen.edited(&edits).is_none() {
            edits.pop();
        }
    }
    edits
}

fn renumber(element: &mut Element, start: usize, word: &str, keeps_ids: bool) {
    element.number = start + element.number % 1_000;
    if element.cells[1] != "-" {
        word.clone_into(&mut element.cells[1]);
    }
    if !keeps_ids && element.cells[3] != "-" {
        element.cells[3].push_str(&start.to_string());
    }
    element
        .children
        .iter_mut()
        .for_each(|it| renumber(it, start, word, keeps_ids));
}

/// Draws pairs of changes of these screens.
pub fn cases(
    dumps: impl IntoIterator<Item = Vec<u8>>,
    seed: u64,
    count: usize,
    most: usize,
) -> Vec<Case> {
    let screens = screens(dumps);
    let mut random = Rng::with_seed(seed);
    let mut cases = Vec::new();
    while cases.len() < count {
        let base = &screens[random.usize(0..screens.len())];
        let [ours, theirs] = [0, 1].map(|side| edits(&mut random, base, side, most));
        let both = |one: &[Edit], other: &[Edit]| {
            Some(base.edited(&[one, other].concat())?.golden().files)
        };
        let orders = both(&ours, &theirs).zip(both(&theirs, &ours));
        let truth = |file: usize| {
            orders
                .as_ref()
                .filter(|(one, other)| one[file] == other[file])
                .map(|it| it.0[file].1.clone())
        };
        let (Some(mine), Some(other)) = (base.edited(&ours), base.edited(&theirs)) else {
            continue;
        };
        cases.push(Case {
            base: base.golden(),
            ours: mine.golden(),
            theirs: other.golden(),
            both: [truth(0), truth(1)],
        });
    }
    cases
}
