//! Encodes the queue and cases for the page: JSON, and pictures as PNG.

use axum::body::Bytes;
use image::RgbaImage;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Case, FlowPlace, Item, Queue};
use runner_device::Picture;
use runner_screen::Rect;
use runner_snapshot::{GoldenKey, MASK_LIMIT_PERCENT, MaskCoverage, Row, RowLine, words};

/// Case as it is sent to the page.
pub struct PreparedCase {
    pub key: GoldenKey,
    /// Version of the folder that it was read from.
    pub version: u64,
    /// All but the pictures.
    pub json: Value,
    pictures: [Option<(String, Bytes)>; 3],
}

/// Names of a case's sides in addresses.
const SIDES: [&str; 3] = ["golden", "actual", "difference"];

impl PreparedCase {
    /// Encodes a case as JSON, with its pictures as PNG. The sides are the golden, the actual picture and their
    /// difference. Pictures that the case lacks or that cannot be encoded are left out. `version` is the folder's; the
    /// JSON holds the pending item's own version in its place.
    pub fn from_case(case: &Case, version: u64) -> Self {
        let diff = &case.diff;
        let images = [
            diff.golden.as_deref(),
            diff.proposed.as_deref(),
            diff.difference.as_ref(),
        ];
        let pictures = images.map(|image| image.and_then(|image| encoded(image)));
        let key = case.item.key.to_string();
        let sides: serde_json::Map<String, Value> = SIDES
            .iter()
            .zip(images)
            .zip(&pictures)
            .filter_map(|((side, image), picture)| {
                let (image, (tag, _)) = (image?, picture.as_ref()?);
                let size = [image.width(), image.height()];
                Some(((*side).to_owned(), json!({ "tag": tag, "size": size })))
            })
            .collect();
        let covered = diff.covered();
        let json = json!({
            "key": key,
            "version": case.item.version,
            "kind": case.item.kind.as_str(),
            "title": diff.cause.title,
            "cause": diff.cause.id,
            "causes": diff.cause.changes,
            "count": diff.cause.count(),
            "place": case.item.place.as_ref().map(place),
            "error": case.item.error,
            "isNew": diff.is_new,
            "changes": diff.rows,
            "pixels": diff.pixels,
            "rows": diff.lines.iter().map(|one| line(&covered, one)).collect::<Vec<_>>(),
            "places": diff.places.iter().map(|place| json!({ "bounds": bounds(place.bounds), "name": place.name, "pixels": place.pixels })).collect::<Vec<_>>(),
            "masks": diff.masks.iter().map(|mask| bounds(*mask)).collect::<Vec<_>>(),
            "moved": diff.moved.iter().map(|moved| json!({ "below": moved.below, "by": [moved.by.0, moved.by.1], "label": moved.to_string() })).collect::<Vec<_>>(),
            "pictures": sides,
        });
        Self {
            key: case.item.key.clone(),
            version,
            json,
            pictures,
        }
    }

    /// Returns the pictures as PNG, each with its side (`golden`, `actual`, `difference`), in this order.
    /// Those that the case lacks are left out.
    pub fn pictures(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        let pictures = SIDES.into_iter().zip(&self.pictures);
        pictures.filter_map(|(side, picture)| Some((side, picture.as_ref()?.1.as_ref())))
    }

    /// Returns a picture with the hash of its contents, for the `ETag`. `None` for an unknown side or if the
    /// case lacks it.
    pub fn picture(&self, side: &str) -> Option<&(String, Bytes)> {
        let at = SIDES.iter().position(|name| *name == side)?;
        self.pictures[at].as_ref()
    }
}

/// Encodes the queue as JSON. Its version is a text, as JavaScript's numbers have no 64 bits. Groups and their
/// items stay in order.
pub fn queue(queue: &Queue) -> Value {
    let groups: Vec<Value> = queue
        .groups
        .iter()
        .map(|group| {
            json!({
                "id": group.cause.id,
                "kind": group.cause.kind.as_str(),
                "title": group.cause.title,
                "changes": group.cause.changes,
                "count": group.cause.count(),
                "items": group.items.iter().map(item).collect::<Vec<_>>(),
            })
        })
        .collect();
    // As text: JavaScript's numbers have no 64 bits.
    json!({ "version": queue.version.to_string(), "total": queue.len(), "groups": groups })
}

/// Encodes an item as JSON, with its flow and name apart from its key too; unknown class, place and error are
/// `null`.
fn item(item: &Item) -> Value {
    json!({
        "key": item.key.to_string(),
        "flow": item.key.flow().as_str(),
        "name": item.key.name().to_string(),
        "class": item.key.class().map(ToString::to_string),
        "kind": item.kind.as_str(),
        "place": item.place.as_ref().map(place),
        "error": item.error,
        "version": item.version,
    })
}

/// Encodes a place in a flow as JSON: file and line, without the column.
pub fn place(place: &FlowPlace) -> Value {
    json!({ "file": place.file.as_str(), "line": place.line })
}

/// Encodes a line of rows as JSON, with the rows of both sides, their changes and changed words. A row that a side
/// lacks is `null`. The line is maskable if a mask of it would keep the covered part within the limit; a line
/// without an actual row, or whose row has no bounds, covers nothing and is maskable.
fn line(covered: &MaskCoverage, line: &RowLine) -> Value {
    let side = |row: &Option<(usize, Row)>| row.as_ref().map(|(number, row)| cells(*number, row));
    let area = line.actual.as_ref().and_then(|(_, row)| row.bounds);
    let percent = area.map_or(0, |area| covered.percent_with(area));
    json!({
        "golden": side(&line.golden),
        "actual": side(&line.actual),
        "changes": line.changes,
        "words": changed_words(line),
        "maskable": percent <= MASK_LIMIT_PERCENT,
        "same": line.is_same(),
    })
}

/// Returns an object with the words that changed in each cell (`text`, `desc` and `hint`), as pairs of the old and
/// the new part. Equal cells are left out. An empty object if one side lacks the row.
fn changed_words(line: &RowLine) -> Value {
    let (Some((_, before)), Some((_, after))) = (&line.golden, &line.actual) else {
        return json!({});
    };
    let cells = [
        ("text", &before.text, &after.text),
        ("desc", &before.desc, &after.desc),
        ("hint", &before.hint, &after.hint),
    ];
    let changed = cells.into_iter().filter(|(_, old, new)| old != new);
    let words = changed.map(|(name, old, new)| {
        let parts = words(old, new).into_iter();
        let parts: Vec<Value> = parts.map(|part| json!([part.before, part.after])).collect();
        (name.to_owned(), Value::Array(parts))
    });
    Value::Object(words.collect())
}

/// Encodes a row with its number as JSON; unknown bounds are `null`. Bounds are left, top, right and bottom.
fn cells(number: usize, row: &Row) -> Value {
    json!({
        "number": number,
        "name": row.name(number),
        "class": row.class,
        "text": row.text,
        "desc": row.desc,
        "id": row.res_id,
        "hint": row.hint,
        "flags": row.flags,
        "bounds": row.bounds.map(bounds),
        "masked": row.is_masked(),
        "window": row.is_window(),
    })
}

fn bounds(rect: Rect) -> [i32; 4] {
    [rect.left, rect.top, rect.right, rect.bottom]
}

fn encoded(image: &RgbaImage) -> Option<(String, Bytes)> {
    let picture = Picture::from_pixels(image.clone()).ok()?;
    let bytes = Bytes::copy_from_slice(picture.png());
    Some((tag(&bytes), bytes))
}

fn tag(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}
