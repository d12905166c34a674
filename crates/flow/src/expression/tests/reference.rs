//! Compares results with those of minijinja.

use minijinja::{Environment, UndefinedBehavior};

use super::*;

/// Result if minijinja panicked.
const PANICKED: &str = "it panicked";

/// Evaluates with minijinja alone. Only for expressions that stay small.
fn theirs(expression: &str) -> Result<serde_json::Value, String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let sample = Sample::new();
    let names = sample.0.as_object().unwrap().keys();
    let context = Value::from_pairs(names.map(|name| (name.as_str(), sample.root(name).unwrap())));
    let evaluation = || {
        let value = environment
            .compile_expression(expression)
            .and_then(|compiled| compiled.eval(context))
            .map_err(|error| error.to_string())?;
        if value.is_undefined() {
            return Err("undefined".to_owned());
        }
        serde_json::to_value(&value).map_err(|error| error.to_string())
    };
    // minijinja panics for a backward slice of an empty value.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(evaluation))
        .unwrap_or_else(|_| Err(PANICKED.to_owned()))
}

/// Parts of our errors in cases where minijinja continues with something that a person did not mean.
const STRICTER: [&str; 27] = [
    "cannot compare",
    "needs an order",
    "needs true or false",
    "does not exist",
    "has no value",
    "there is no value",
    "stand behind each other",
    "side by side",
    "does not look into",
    "keys of a map are texts",
    "is for texts",
    "is for whole numbers",
    "value behind it",
    "is not a number",
    "`bool` takes",
    "without a test",
    "cannot take ",
    "an item has no",
    "multiplied with whole numbers",
    "can only sum",
    "what stands in `[…]`",
    "must be true or false",
    "` takes ",
    "has no items",
    "has no slices",
    "unable to calculate",
    "is no text",
];

/// Operators and filters that make texts of other values. Ours are JSON, minijinja's are Python.
const WRITING: [&str; 5] = ["~", "string", "join", "replace", "format"];

/// Returns true if both are the same but for the way in which values within a text are written.
fn is_same(expression: &str, ours: &serde_json::Value, theirs: &serde_json::Value) -> bool {
    let bare = |value: &serde_json::Value| {
        let text = value.to_string().to_lowercase().replace("none", "null");
        let is_kept = |char: &char| char.is_alphanumeric() || "-.".contains(*char);
        text.chars().filter(is_kept).collect::<String>()
    };
    let writes = WRITING.iter().any(|it| expression.contains(it));
    ours == theirs || writes && bare(ours) == bare(theirs)
}

/// Compares our result with minijinja's, and returns the difference. We may refuse an expression with an
/// error of [`STRICTER`]. An expression that minijinja refuses is not compared.
fn compare(expression: &str) -> Option<String> {
    let (ours, theirs) = (ours(expression, Limits::default()), theirs(expression));
    let is_stricter = |wrong: &String| STRICTER.iter().any(|words| wrong.contains(words));
    let differs = match (&ours, &theirs) {
        (_, Err(_)) => false,
        (Ok(ours), Ok(theirs)) => !is_same(expression, ours, theirs),
        (Err(wrong), Ok(_)) => !is_stricter(wrong),
    };
    differs.then(|| format!("{expression}: {ours:?}, but minijinja: {theirs:?}"))
}

/// Returns true for known differences: an undefined value is not an empty list, no value is not a name, no
/// two values are one, a boolean is no number, and `bool` reads a text.
fn differs(expression: &str) -> bool {
    let of_nothing = [
        "total.nope | chain",
        "total.nope | join",
        "total.nope | zip",
        "none_ | zip(",
    ];
    of_nothing.iter().any(|part| expression.starts_with(part))
        || expression.contains("attr(none)")
        // Case-sensitive, like `==` and `<`.
        || expression.starts_with("texts | unique")
        // A text is not a list of its characters.
        || expression.contains(" is iterable")
        || expression.contains(" is sameas")
        || expression.contains("yes is number")
        || expression.contains(" | bool")
}

/// Expressions to compare, several in a line, separated by `;;`.
const TABLE: &str = "\
USER ;; USER ~ 1 ;; 1 ~ none_ ~ yes ~ f ~ list ;; 'a' 'b' ;; n + 1 ;; n - f ;; n * 2 ;; n / 2 ;; n // 2
-n // 2 ;; n % 4 ;; -n % 4 ;; n % -4 ;; f % 2 ;; -f // 2 ;; 7.5 // 2 ;; 2 ** 10 ;; 2 ** -1 ;; 0 ** -1
2.0 ** 0.5 ;; 10 ** 40 ;; 9223372036854775807 + 1 ;; 1 / 0 ;; 1 // 0 ;; 1 % 0 ;; 1.0 / 0 ;; yes + 1 ;; -f
-list ;; -USER ;; 'a' + 'b' ;; 'a' + 1 ;; 1 + 'a' ;; [1] + [2] ;; (1, 2) + (3,) ;; [1] + (2,) ;; 'ab' * 3
3 * 'ab' ;; [1, 2] * 2 ;; (1, 2) * 2 ;; 'a' * -1 ;; list * 0 ;; {'a': 1} + 1 ;; USER < 'b'
list == [3, 1, 2] ;; 1 < 2 < 3 ;; 1 < 2 > 5 ;; 1 in list ;; 9 not in list ;; 'd' in USER ;; 'text' in total
1 in USER ;; 1 in 5 ;; 1 < 3 in [3] == [3] ;; not yes ;; not EMPTY ;; yes and USER ;; EMPTY or USER
none_ or 0 ;; none_ and 1 ;; 'x' if yes else 'y' ;; 'x' if EMPTY else 'y' ;; 'x' if EMPTY
('x' if EMPTY) ~ 'b' ;; ('x' if EMPTY) or 'c' ;; total.bounds.left ;; total['bounds']['left']
total.items[0] ;; total.items[-1] ;; total.items[9] ;; total.nope ;; total.nope.x ;; USER[0] ;; USER[-1]
USER[9] ;; list.0 ;; USER.x ;; none_.x ;; [1, [2, 3]][1][0] ;; {'b': 1, 'a': [1]} ;; {1: 2}
{'a': {'b': 1}}.a.b ;; (1, 2) ;; (1,) ;; () ;; [] ;; {} ;; true ;; none ;; USER[1:] ;; USER[:-1] ;; USER[::2]
list[1:] ;; list[:2] ;; list[::-1] ;; USER[::-1] ;; list[-2:] ;; list[5:] ;; list[1:99] ;; (1, 2, 3)[1:]
none_[1:] ;; 5[1:] ;; list[::0] ;; USER | upper | lower | capitalize | title ;; 'x y' | title
COUNT | int > 3 ;; COUNT | int + 1 ;; 'x' | int ;; 'x' | int(9) ;; 'x' | int(default=9) ;; 'ff' | int(base=16)
'1.5' | float ;; 'x' | float(1) ;; f | round ;; 2.567 | round(1) ;; 2.5 | round(0, 'ceil') ;; 1234 | round(-2)
-3 | abs ;; USER | length ;; list | length ;; 5 | length ;; list | first ;; list | last ;; [] | first
list | min ;; list | max ;; texts | max ;; rows | min(attribute='id') ;; list | sort ;; texts | sort
texts | sort(case_sensitive=true) ;; list | sort(reverse=true) ;; rows | sort(attribute='id,t')
texts | unique(case_sensitive=true) ;; rows | unique(attribute='id') ;; list | sum ;; rows | sum(attribute='id')
rows | sum('id', 5) ;; list | sum(start=1) ;; texts | sum ;; list | reverse ;; USER | reverse ;; list | join
list | join(', ') ;; list | join(d='-') ;; rows | join('+', 't') ;; rows | join(',', attribute='t')
USER | join('.') ;; 5 | join ;; USER | list ;; total | list ;; none_ | list ;; USER | replace('a', 'bb')
USER | replace('', '-') ;; 5 | replace(5, 6) ;; USER | replace('z', 'y') ;; '  x ' | trim
'xaxbx' | trim('x') ;; lines_ | lines ;; lines_ | split ;; lines_ | indent ;; lines_ | indent(2)
lines_ | indent(2, true) ;; lines_ | indent(2, true, true) ;; lines_ | indent(width=1, first=true)
'' | indent ;; 'a' | indent(2, true) ;; 'a,b,c' | split(',') ;; 'a,b,c' | split(',', 1)
'a b  c ' | split(none, 1) ;; ' a b  c' | split(none, 9) ;; 'a,b' | split(',', -1) ;; 'abc' | split('')
'abc' | split('', 1) ;; ('a,b' | split(','))[-1] ;; list | batch(2) ;; list | batch(2, 0) ;; list | batch(0) ;; list | batch(9, 'x')
list | slice(2) ;; list | slice(2, 0) ;; list | slice(5, 'x') ;; list | slice(0) ;; list | chain([9])
{'a': 1} | chain({'b': 2}) ;; list | chain('ab') ;; list | zip(texts) ;; list | zip ;; list | zip(5)
rows | map(attribute='t') ;; rows | map(attribute='nope') ;; rows | map(attribute='nope', default='d')
rows | map(attribute='t.x', default=1) ;; texts | map('upper') ;; ['1', '2'] | map('int') | sum
texts | map('nope') ;; texts | map ;; list | select('odd') ;; list | reject('odd') ;; [0, 1] | select
[0, 1] | reject ;; rows | selectattr('id', 'eq', 2) | map(attribute='t') ;; rows | rejectattr('id', '==', 2)
rows | selectattr('id') ;; rows | selectattr('nope') ;; list | select('gt', 1) ;; list | select('in', [1, 2])
rows | groupby('id') | map(attribute='grouper') ;; rows | groupby('id') | map(attribute='list')
rows | groupby('id') ;; total | items ;; total.bounds | dictsort ;; total.bounds | dictsort(by='value')
USER | string ;; list | string ;; yes | string ;; list | bool ;; USER | default('x')
total.nope | default('x') ;; total.nope | d ;; EMPTY | default('x', true) ;; total | attr('text') ;; '<a>' | e
'<a>' | escape ~ '<' ;; USER | safe ;; list | pprint ;; total | pprint ;; '%s-%s' | format(1, 'x')
'%05.1f|%x|%+d' | format(f, 255, n) ;; '%(a)s %(b)d' | format(a='x', b=2) ;; '%(text)s' | format(total)
'100%%' | format ;; '%s' | format ;; '%q' | format(1) ;; '%' | format(1) ;; '%-5s|' | format(USER)
'%5s|%.2s' | format(USER, USER) ;; '%c' | format(65) ;; range(3) ;; range(1, 4) ;; range(4, 0, -2)
range(0, 5, 2) ;; range(3, 1) ;; range(1, 2, 0) ;; range('x') ;; range(3) | list | length ;; dict(a=1)
dict(total.bounds, left=9) ;; dict(5) ;; dict(**total.bounds) ;; range(*[1, 3]) ;; USER | nope ;; USER is nope
nope(1) ;; USER.upper() ;; list.append(1) ;; USER is string ;; n is number ;; n is odd ;; n is divisibleby 7
n is divisibleby(2) ;; total.nope is defined ;; USER is defined ;; total.nope is undefined ;; none_ is none
list is iterable ;; total is mapping ;; USER is not lower ;; USER is startingwith 'a'
USER is endingwith('b') ;; n is eq 7 ;; n is in list ;; 1 is in [1] ;; yes is true ;; f is float
n is integer ;; list is sequence ;; yes is boolean ;; n is sameas n ;; n is gt 3 ;; n is ge(7)
total.nope ~ 'x' ;; total.nope == 1 ;; total.nope + 1 ;; total.nope | upper ;; total.nope | list
not total.nope ;; total.nope[1:] ;; upper | x ;; (((((1))))) ;; 1 if total.nope else 2
[1,2,3]|map('string')|join ;; 1.0 ;; 1e3 ;; 5 | upper ;; none_ | upper ;; list | upper ;; list | trim
'é' | length ;; 'é'[0] ;; '日本' | reverse ;; [3, 'a'] | sort ;; [1, [2]] | string ;; {'a': 'b'} | string
(1,) | string ;; 1.5 ~ '' ;; f | int";

#[test]
fn expressions_come_to_what_minijinja_makes_of_them() {
    let mut differ = Vec::new();
    for expression in TABLE.lines().flat_map(|line| line.split(" ;; ")) {
        differ.extend(compare(expression));
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn every_filter_takes_every_kind_of_value_as_minijinjas_does() {
    let mut all = Vec::new();
    for filter in filters::filter_names() {
        for value in VALUES {
            all.extend(GIVEN.map(|given| format!("{value} | {filter}{given}")));
        }
    }
    for op in OPERATORS {
        for left in VALUES {
            for right in VALUES {
                all.push(format!("{left} {op} {right}"));
            }
        }
    }
    for test in predicates::names() {
        for value in VALUES.into_iter().chain([MIN_INT]) {
            for given in ["", "(1)", "('a')", "(list)", "(0)", "(-1)", "(0.0)"] {
                all.push(format!("{value} is {test}{given}"));
            }
        }
    }
    for value in VALUES {
        for slice in SLICES {
            all.push(format!("{value}[{slice}]"));
        }
    }
    let differ: Vec<String> = all
        .iter()
        .filter(|it| !differs(it))
        .filter_map(|it| compare(it))
        .collect();
    assert!(
        differ.is_empty(),
        "{} of {}:\n{}",
        differ.len(),
        all.len(),
        differ.join("\n")
    );
}
