//! `XPath` 1.0 over the tree of nodes, with those string functions of 2.0 that testers use.
//!
//! Supports all axes but `namespace`, all operators, unions, and predicates of all but attributes. Variables, `for`,
//! `if`, sequences and types of 2.0 are syntax errors. Lengths, depth and steps are limited, as expressions come from
//! outside.

mod attributes;
mod error;
mod evaluate;
mod expression;
mod function;
mod parse;
mod value;

pub(crate) use attributes::Attributes;
pub(crate) use error::XPathError;

use crate::tree::Tree;

/// Returns matching elements in document order. With a context, the document is that element and what is
/// below it; otherwise all roots inside an element `hierarchy`.
pub(crate) fn find(
    expression: &str,
    tree: &Tree<'_>,
    context: Option<usize>,
    attributes: &dyn Attributes,
) -> Result<Vec<usize>, XPathError> {
    let expression = parse::parse(expression)?;
    evaluate::elements(&expression, tree, context, attributes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeOptions;
    use runner_screen::Rect;
    use runner_virtual_device::{NodeDump, WindowDump};

    struct PlainAttributes;

    impl Attributes for PlainAttributes {
        fn list(&self, tree: &Tree<'_>, at: usize) -> Vec<(&'static str, String)> {
            let node = &tree.nodes[at];
            let mut attributes = vec![
                ("index", node.index.to_string()),
                ("text", node.text().to_owned()),
                ("class", node.dump.class.clone()),
            ];
            if !node.dump.desc.is_empty() {
                attributes.push(("content-desc", node.dump.desc.clone()));
            }
            attributes
        }
    }

    fn node(class: &str, text: &str, children: Vec<NodeDump>) -> NodeDump {
        NodeDump {
            class: class.to_owned(),
            text: text.to_owned(),
            children,
            ..NodeDump::default()
        }
    }

    fn found(expression: &str, context: Option<usize>) -> Result<String, XPathError> {
        let mut rows = vec![
            node(
                "a.Row",
                "",
                vec![node("a.Text", "one", vec![]), node("a.Button", "1", vec![])],
            ),
            node(
                "a.Row",
                "",
                vec![node("a.Text", "two", vec![]), node("a.Button", "2", vec![])],
            ),
            node("a.Text", "It's  three ", vec![]),
        ];
        rows[2].desc = "third".to_owned();
        let window = WindowDump {
            id: 1,
            kind: "APPLICATION",
            title: String::new(),
            package: "p".to_owned(),
            activity: None,
            layer: 0,
            focused: true,
            bounds: Rect::new(0, 0, 1, 1),
            root: Some(node("a.Root", "root", rows)),
        };
        let windows = [window];
        let tree = Tree::new(&windows, TreeOptions::default());
        let found = find(expression, &tree, context, &PlainAttributes)?;
        let texts: Vec<&str> = found
            .into_iter()
            .map(|at| match tree.nodes[at].dump.text.as_str() {
                "" => "row",
                text => text.trim(),
            })
            .collect();
        Ok(texts.join(","))
    }

    #[test]
    fn expressions_find_what_they_say() {
        for (expression, expected) in [
            ("//*[@text=\"two\"]", "two"),
            ("//a.Text", "one,two,It's  three"),
            ("//a.Row/a.Text", "one,two"),
            ("//a.Row[2]/a.Button", "2"),
            ("//a.Row/a.Text[1]", "one,two"),
            ("(//a.Text)[2]", "two"),
            ("//a.Text[last()]", "one,two,It's  three"),
            ("(//a.Text)[last()]", "It's  three"),
            ("/hierarchy/a.Root/a.Row[1]//a.Button", "1"),
            ("//*[@class='a.Text' and @text!='one']", "two,It's  three"),
            ("//a.Row[a.Text[@text='two']]/a.Button", "2"),
            ("//a.Text[@text='one']/following-sibling::a.Button", "1"),
            ("//a.Button[@text='2']/preceding-sibling::*", "two"),
            ("//a.Button[@text='2']/../a.Text", "two"),
            ("//a.Button/ancestor::a.Root", "root"),
            ("//a.Text[contains(@text, 'w')] | //a.Button[1]", "1,two,2"),
            ("//*[starts-with(@text,'t')]", "two"),
            ("//*[normalize-space(@text)=\"It's three\"]", "It's  three"),
            ("//*[@content-desc]", "It's  three"),
            ("//*[not(@content-desc)][position()=2]", "1,row,2"),
            ("//*[@index > 0 and number(@index) < 2]", "1,row,2"),
            ("//*[matches(@text, '^t.o$')]", "two"),
            ("//*[lower-case(@text)='one']", "one"),
            ("//a.Root[count(a.Row)=2]", "root"),
            ("//a.Root[count(.//a.Button) = 1 + 1]", "root"),
            ("//*[name()='a.Button'][2]", ""),
            ("//*[substring(@text, 1, 2) = 'tw']", "two"),
            ("//a.Text[@text='two']/following::*", "2,It's  three"),
            ("//a.Text[@text='two']/preceding::*", "row,one,1"),
            ("//a.Text[@text='two']/preceding::*[1]", "1"),
            ("//*[@*='third']", "It's  three"),
            ("//nothing", ""),
            ("//a.Row[@index='1']/descendant-or-self::*", "row,two,2"),
            (
                "//*[string-length(@text) = 3 or concat(@text,'x')='1x']",
                "one,1,two",
            ),
        ] {
            assert_eq!(
                found(expression, None).as_deref(),
                Ok(expected),
                "{expression}"
            );
        }
        let second = Some(4);
        assert_eq!(found("//a.Text", second).as_deref(), Ok("two"));
        assert_eq!(found(".//a.Button", second).as_deref(), Ok("2"));
        assert_eq!(found("a.Row/*", second).as_deref(), Ok("two,2"));
        assert_eq!(found("//a.Root", second).as_deref(), Ok(""));
    }

    #[test]
    fn what_does_not_read_is_said() {
        for wrong in [
            "",
            "//*[",
            "//*[@text='a]",
            "//*[foo()]",
            "$x",
            "//a b",
            "for $x in //a return $x",
            "//*[@]",
            "//*]",
            "contains(",
        ] {
            assert!(
                matches!(found(wrong, None), Err(XPathError::Syntax(_))),
                "{wrong}"
            );
        }
        let deep = "(".repeat(10_000);
        assert!(matches!(found(&deep, None), Err(XPathError::Syntax(_))));
        for no_answer in ["1 + 1", "//*[@text[.='two']]"] {
            let ends = found(no_answer, None);
            assert!(matches!(ends, Err(XPathError::Evaluation(_))), "{ends:?}");
        }
        let long = "1+".repeat(8_000) + "1";
        assert!(matches!(found(&long, None), Err(XPathError::Syntax(_))));
        let chained = format!("//*[{}1]", "1=".repeat(199));
        assert!(found(&chained, None).is_ok());
        let nested = format!("{}1{}", "//*[".repeat(55), "]".repeat(55));
        let ends = found(&nested, None);
        assert!(matches!(ends, Err(XPathError::Evaluation(_))), "{ends:?}");
        let slow = "//*".repeat(500);
        assert!(found(&slow, None).is_ok());
    }
}
