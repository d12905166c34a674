//! Merges of generated screens, beside what a run on the merged app would give.
//!
//! A screen is a tree, an app's change a list of edits of it by element, never by row. The truth applies both lists to the
//! tree, in either order: where the order matters or an edit finds nothing to edit, people would have to decide. Rows and
//! their places are drawn from the tree: a list shows as many as fit, a title counts them, one element has the focus.

use fastrand::Rng;

use super::*;
use crate::Row;
use crate::tsv::Metadata;
use runner_screen::Rect;

const WORDS: [&str; 8] = [
    "Save",
    "Open",
    "Open",
    "A longer text that breaks",
    "Ada",
    "7 days",
    "",
    "",
];
const FLAGS: [&str; 4] = ["clk", "ena", "chk", "sel"];

#[derive(Debug, Clone)]
struct Element {
    number: u32,
    class: &'static str,
    id: String,
    text: String,
    desc: String,
    flags: Vec<&'static str>,
    /// As many rows below it are shown as fit so much height.
    fits: Option<i32>,
    /// It counts the elements of another.
    counts: Option<u32>,
    children: Vec<Element>,
}

#[derive(Debug, Clone)]
struct Screen {
    root: Element,
    focus: Option<u32>,
    app_version: Option<String>,
}

#[derive(Debug, Clone)]
enum Edit {
    Text(u32, String),
    Desc(u32, String),
    Flag(u32, &'static str),
    Focus(u32),
    Version(String),
    Remove(u32),
    /// Into which element, below which of its children.
    Insert(u32, Option<u32>, Box<Element>),
    Move(u32, u32, Option<u32>),
}

impl Edit {
    /// The element; none where it is about the whole screen.
    fn element(&self) -> Option<u32> {
        match self {
            Self::Text(number, _)
            | Self::Desc(number, _)
            | Self::Flag(number, _)
            | Self::Remove(number)
            | Self::Move(number, ..) => Some(*number),
            Self::Insert(_, _, element) => Some(element.number),
            Self::Focus(_) | Self::Version(_) => None,
        }
    }
}

impl Element {
    fn find(&mut self, number: u32) -> Option<&mut Self> {
        if self.number == number {
            return Some(self);
        }
        self.children.iter_mut().find_map(|it| it.find(number))
    }

    fn take(&mut self, number: u32) -> Option<Self> {
        if let Some(at) = self.children.iter().position(|it| it.number == number) {
            return Some(self.children.remove(at));
        }
        self.children.iter_mut().find_map(|it| it.take(number))
    }

    fn put(&mut self, into: u32, below: Option<u32>, element: Self) -> Option<()> {
        let parent = self.find(into)?;
        let at = match below {
            None => 0,
            Some(below) => parent.children.iter().position(|it| it.number == below)? + 1,
        };
        parent.children.insert(at, element);
        Some(())
    }

    fn numbers(&self, into: &mut Vec<u32>) {
        into.push(self.number);
        self.children.iter().for_each(|it| it.numbers(into));
    }
}

impl Screen {
    /// `None` where an edit finds nothing to edit.
    fn edited(&self, edits: &[Edit]) -> Option<Self> {
        let mut screen = self.clone();
        for edit in edits {
            let root = &mut screen.root;
            match edit {
                Edit::Text(number, text) => root.find(*number)?.text.clone_from(text),
                Edit::Desc(number, desc) => root.find(*number)?.desc.clone_from(desc),
                Edit::Flag(number, flag) => {
                    let flags = &mut root.find(*number)?.flags;
                    match flags.iter().position(|own| own == flag) {
                        Some(at) => drop(flags.remove(at)),
                        None => flags.push(flag),
                    }
                }
                Edit::Focus(number) => {
                    root.find(*number)?;
                    screen.focus = Some(*number);
                }
                Edit::Version(version) => screen.app_version = Some(version.clone()),
                // Gone with what it was in, it is gone.
                Edit::Remove(number) => drop(root.take(*number)),
                Edit::Insert(into, below, element) => {
                    root.put(*into, *below, (**element).clone())?;
                }
                Edit::Move(number, into, below) => {
                    let element = root.take(*number)?;
                    root.put(*into, *below, element)?;
                }
            }
        }
        Some(screen)
    }

    fn rows(&self) -> Vec<Row> {
        let mut drawn = vec![(0, Row::window("APPLICATION", "com.example"))];
        self.draw(&self.root, 0, 0, &mut drawn);
        drawn.into_iter().map(|(_, row)| row).collect()
    }

    /// The elements that are shown.
    fn visible(&self) -> Vec<u32> {
        let mut drawn = Vec::new();
        self.draw(&self.root, 0, 0, &mut drawn);
        drawn.into_iter().map(|(number, _)| number).collect()
    }

    /// Draws an element and all in it from `top` on, and gives its height.
    fn draw(&self, element: &Element, left: i32, top: i32, rows: &mut Vec<(u32, Row)>) -> i32 {
        let mut text = element.text.clone();
        if let Some(counted) = element.counts
            && let Some(counted) = self.root.clone().find(counted)
        {
            text = format!("{} of them", counted.children.len());
        }
        let mut flags: Vec<&str> = ["clk", "ena", "chk", "sel"]
            .into_iter()
            .filter(|flag| element.flags.contains(flag))
            .collect();
        flags.extend(element.fits.map(|_| "scr"));
        flags.extend((self.focus == Some(element.number)).then_some("fcs"));
        let at = rows.len();
        let length = i32::try_from(text.len()).unwrap();
        let row = Row {
            class: element.class.to_owned(),
            res_id: element.id.clone(),
            desc: element.desc.clone(),
            flags: flags.join(","),
            on: Some(true),
            text,
            ..Row::default()
        };
        rows.push((element.number, row));
        let mut height = 20 + 10 * (length / 12);
        let own = height;
        for child in &element.children {
            if element.fits.is_some_and(|fits| height - own >= fits) {
                break;
            }
            height += self.draw(child, left + 4, top + height, rows);
        }
        if let Some(fits) = element.fits {
            height = own + fits;
        }
        rows[at].1.bounds = Some(Rect::new(
            left,
            top,
            left + 10 + 6 * length.min(12),
            top + height,
        ));
        height
    }

    fn table(&self, has_bounds: bool) -> String {
        let pairs = [("app", "com.example"), ("masks", "none"), ("schema", "1")];
        let mut header: Metadata = pairs.map(|(key, value)| (key.into(), value.into())).into();
        let version = self.app_version.clone();
        header.extend(version.map(|version| ("app_version".to_owned(), version)));
        tsv::write(&header, &self.rows(), has_bounds)
    }
}

struct Generator {
    random: Rng,
    last: u32,
    has_bounds: bool,
}

impl Generator {
    fn element(&mut self, depth: u32) -> Element {
        self.last += 1;
        let number = self.last;
        let id = match self.random.u8(0..10) {
            0..5 => format!("id/e{number}"),
            5..7 => "id/item".to_owned(),
            _ => String::new(),
        };
        let children = if depth == 0 { 0 } else { self.random.u32(0..4) };
        Element {
            number,
            class: if children > 0 { "Group" } else { "Text" },
            id,
            text: self.word(),
            desc: String::new(),
            flags: vec!["ena"],
            fits: (children > 1 && self.random.u8(0..8) == 0).then(|| 20 * self.random.i32(1..4)),
            counts: None,
            children: (0..children).map(|_| self.element(depth - 1)).collect(),
        }
    }

    fn word(&mut self) -> String {
        WORDS[self.random.usize(0..WORDS.len())].to_owned()
    }

    fn screen(&mut self) -> Screen {
        let mut root = self.element(0);
        root.children = (0..self.random.u32(2..6))
            .map(|_| self.element(2))
            .collect();
        let mut numbers = Vec::new();
        root.numbers(&mut numbers);
        if self.random.bool() {
            let counted = self.one_of(&numbers);
            root.children[0].counts = Some(counted);
        }
        let focus = self.random.bool().then(|| self.one_of(&numbers));
        Screen {
            root,
            focus,
            app_version: None,
        }
    }

    fn one_of(&mut self, numbers: &[u32]) -> u32 {
        numbers[self.random.usize(0..numbers.len())]
    }

    /// Edits of what `taken` are not about, each of something else: who takes back what was done leaves no trace of it.
    fn edits(&mut self, screen: &Screen, taken: &[Edit], most: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        for _ in 0..self.random.usize(1..=most) {
            let Some(mut now) = screen.edited(&edits) else {
                break;
            };
            // What nobody sees no golden can tell.
            let numbers = now.visible();
            let number = self.one_of(&numbers);
            let parent = self.one_of(&numbers);
            let siblings: Vec<u32> = {
                let parent = now.root.find(parent).unwrap();
                let children = parent.children.iter().map(|it| it.number);
                children.filter(|it| numbers.contains(it)).collect()
            };
            let below =
                (!siblings.is_empty() && self.random.u8(0..4) > 0).then(|| self.one_of(&siblings));
            let edit = match self.random.u8(0..14) {
                0..3 => Edit::Text(number, self.word()),
                3..6 => Edit::Desc(number, self.word()),
                6 => Edit::Flag(number, FLAGS[self.random.usize(0..4)]),
                7 => Edit::Focus(number),
                8 => Edit::Version(self.random.u8(1..4).to_string()),
                9..11 => Edit::Remove(number),
                11..13 => Edit::Insert(parent, below, Box::new(self.element(1))),
                _ => Edit::Move(number, parent, below),
            };
            let mut about = Vec::new();
            match edit.element() {
                Some(number) => match now.root.find(number) {
                    Some(element) => element.numbers(&mut about),
                    None => about.push(number),
                },
                None => about.push(0),
            }
            let is_taken = |it: &Edit| about.contains(&it.element().unwrap_or(0));
            if taken.iter().chain(&edits).any(is_taken) {
                continue;
            }
            let placed = match &edit {
                Edit::Insert(_, _, element) => Some(element.number),
                Edit::Move(number, ..) => Some(*number),
                _ => None,
            };
            edits.push(edit);
            let is_seen = |then: Screen| {
                then.table(self.has_bounds) != now.table(self.has_bounds)
                    && placed.is_none_or(|placed| then.visible().contains(&placed))
            };
            if !screen.edited(&edits).is_some_and(is_seen) {
                edits.pop();
            }
        }
        edits
    }
}

/// What a case came to.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    Merged,
    Conflict,
    /// Git would not have asked.
    Unasked,
}

fn compare(seed: u64, has_bounds: bool) -> Came {
    let mut generator = Generator {
        random: Rng::with_seed(seed),
        last: 0,
        has_bounds,
    };
    let base = generator.screen();
    // What both have already, as after a cherry-pick.
    let common = if generator.random.u8(0..4) == 0 {
        generator.edits(&base, &[], 2)
    } else {
        Vec::new()
    };
    let begin = base.edited(&common).unwrap();
    let (ours, theirs) = [(); 2].map(|()| generator.edits(&begin, &common, 3)).into();
    let draw = |edits: &[Edit]| begin.edited(edits).unwrap().table(has_bounds);
    let [old, mine, other] = [base.table(has_bounds), draw(&ours), draw(&theirs)];
    if mine == other || mine == old || other == old {
        return Came::Unasked;
    }
    // What both did is done once.
    let both = |one: &[Edit], then: &[Edit]| {
        let is_done = |edit: &&Edit| {
            one.iter()
                .any(|it| format!("{it:?}") == format!("{edit:?}"))
        };
        let rest: Vec<Edit> = then.iter().filter(|edit| !is_done(edit)).cloned().collect();
        begin.edited(&[one, &rest].concat())
    };
    let truth = both(&ours, &theirs).zip(both(&theirs, &ours));
    let truth = truth.map(|(one, other)| (one.table(has_bounds), other.table(has_bounds)));
    let truth = truth.filter(|(one, other)| one == other).map(|it| it.0);
    let explain = |got: &str| {
        format!(
            "seed {seed}\ncommon {common:#?}\nours {ours:#?}\ntheirs {theirs:#?}\nbase\n{old}\nours\n{mine}\ntheirs\n{other}\ngot\n{got}\ntruth\n{truth:?}"
        )
    };
    let got = match merge(old.as_bytes(), mine.as_bytes(), other.as_bytes()) {
        Err(_) => return Came::Conflict,
        Ok(Merge::Ours) => mine.clone(),
        Ok(Merge::Written(bytes)) => String::from_utf8(bytes).unwrap(),
    };
    let unmarked = got.replacen(" merged=yes", "", 1);
    let is_new = unmarked != mine && unmarked != other;
    assert_eq!(got != unmarked, is_new, "{}", explain(&got));
    assert_eq!(Some(&unmarked), truth.as_ref(), "{}", explain(&got));
    Came::Merged
}

#[test]
fn a_merge_is_what_a_run_would_give_or_a_conflict() {
    for has_bounds in [false, true] {
        let cases = runner_testing::long(3_000, 300_000) as u64;
        let came: Vec<Came> = (0..cases).map(|seed| compare(seed, has_bounds)).collect();
        let count = |wanted: &Came| came.iter().filter(|came| *came == wanted).count();
        let (merged, conflicts) = (count(&Came::Merged), count(&Came::Conflict));
        // Conflicts alone would be no merge.
        assert!(
            merged * 8 > conflicts,
            "{merged} merged, {conflicts} conflicts"
        );
        println!("{merged} merged, {conflicts} conflicts, bounds: {has_bounds}");
    }
}
