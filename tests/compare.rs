//! `runner compare`: two pictures without a project.

use image::{Rgba, RgbaImage};
use serde_json::Value;

use crate::common::{Project, Ran};

fn picture(project: &Project, name: &str, draw: impl FnOnce(&mut RgbaImage)) {
    let mut image = RgbaImage::from_pixel(200, 100, Rgba([250, 250, 250, 255]));
    draw(&mut image);
    image.save(project.path(name)).unwrap();
}

fn fill(image: &mut RgbaImage, (left, top): (u32, u32), side: u32) {
    for (x, y) in (left..left + side).flat_map(|x| (top..top + side).map(move |y| (x, y))) {
        image.put_pixel(x, y, Rgba([200, 20, 20, 255]));
    }
}

/// Two pictures with two changes: 100 pixels at (20, 20) and 16 at (150, 60).
fn pair() -> Project {
    let project = Project::empty();
    picture(&project, "a.png", |_| {});
    picture(&project, "b.png", |image| {
        fill(image, (20, 20), 10);
        fill(image, (150, 60), 4);
    });
    project
}

#[test]
fn the_exit_code_says_whether_they_differ() {
    let project = pair();
    let same = project.run(&["compare", "a.png", "a.png"]).expect(0);
    same.says("no pixel changed");
    let differ = project.run(&["compare", "a.png", "b.png"]).expect(1);
    differ
        .says("116 of 20000 pixels changed")
        .says("20,20,30,30  100 pixels")
        .says("150,60,154,64  16 pixels");
}

#[test]
fn masks_and_limits_leave_out_what_may_differ() {
    let project = pair();
    let masks = ["--mask", "0,0,40,40", "--mask", "150,60,154,64"];
    let ran = project.run(&[&["compare", "a.png", "b.png"][..], &masks].concat());
    ran.expect(0).says("no pixel changed");
    for (limits, code) in [
        (&["--cluster", "100", "--specks", "16"][..], 0),
        (&["--cluster", "99", "--specks", "16"], 1),
        (&["--cluster", "100", "--specks", "15"], 1),
    ] {
        let line = [&["compare", "a.png", "b.png"][..], limits].concat();
        project.run(&line).expect(code);
    }
    for wrong in ["1,2,3", "5,0,5,9", "a,b,c,d"] {
        let line = ["compare", "a.png", "b.png", "--mask", wrong];
        project.run(&line).expect(2).says("four numbers");
    }
}

#[test]
fn json_has_the_counts_and_the_places() {
    let project = pair();
    let ran = project
        .run(&["compare", "a.png", "b.png", "--json"])
        .expect(1);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["verdict"], "differs");
    assert_eq!(report["changed"], 116);
    assert_eq!(report["compared"], 20000);
    assert_eq!(report["places"][0]["pixels"], 100);
    assert_eq!(report["places"][1]["left"], 150);
    picture(&project, "small.png", |image| {
        *image = RgbaImage::new(10, 10);
    });
    let ran = project
        .run(&["compare", "a.png", "small.png", "--json"])
        .expect(1);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["verdict"], "other_size");
    assert_eq!(report["sizes"][1], serde_json::json!([10, 10]));
}

#[test]
fn the_difference_is_drawn_only_where_there_is_one() {
    let project = pair();
    project
        .run(&["compare", "a.png", "a.png", "--diff", "d.png"])
        .expect(0);
    assert!(!project.path("d.png").exists());
    project
        .run(&["compare", "a.png", "b.png", "--diff", "d.png"])
        .expect(1);
    let drawn = image::open(project.path("d.png")).unwrap().to_rgba8();
    assert_eq!(drawn.get_pixel(25, 25), &Rgba([255, 0, 0, 255]));
    assert_ne!(drawn.get_pixel(100, 50), &Rgba([255, 0, 0, 255]));
}

#[test]
fn what_is_no_picture_is_told() {
    let project = pair();
    project.write("text.png", "no picture");
    for (line, says) in [
        (["compare", "a.png", "text.png"], "text.png is no PNG"),
        (["compare", "none.png", "a.png"], "none.png is not there"),
        (["compare", "a.png", "."], "is a folder"),
    ] {
        let ran: Ran = project.run(&line).expect(2);
        ran.says(says);
    }
    project.write("notes.txt", "mine");
    let line = ["compare", "a.png", "b.png", "--diff", "notes.txt"];
    project.run(&line).expect(2);
    assert_eq!(project.read("notes.txt"), "mine");
}

#[test]
fn no_picture_that_is_compared_is_lost() {
    let project = pair();
    let pictures = || ["a.png", "b.png"].map(|name| std::fs::read(project.path(name)).unwrap());
    let before = pictures();
    for diff in ["a.png", "b.png", "./b.png", "none/../a.png"] {
        let line = ["compare", "a.png", "b.png", "--diff", diff];
        project
            .run(&line)
            .expect(2)
            .says("give --diff another path");
        assert_eq!(pictures(), before, "{diff}");
    }
}
