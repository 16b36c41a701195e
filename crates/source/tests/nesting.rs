//! Deep and long programs: an answer, never an overflowing stack. Every program runs on a thread of 1 MiB.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use codemode_source::prepare;

const SMALL_STACK: usize = 1 << 20;

/// Head, repeated part, middle, repeated tail.
const SHAPES: &[(&str, &str, &str, &str)] = &[
    ("return ", "(", "1", ")"),
    ("return ", "[", "", "]"),
    ("return ", "{a:", "1", "}"),
    ("", "{", "", "}"),
    ("return ", "a=>", "1", ""),
    ("return ", "async a=>", "1", ""),
    ("return ", "async()=>", "1", ""),
    ("return ", "(a=", "1", ")=>1"),
    ("return ", "()=>{return ", "1", "}"),
    ("return ", "async () => { await ", "1", "}"),
    ("return ", "function(){return ", "1", "}"),
    ("return ", "!", "1", ""),
    ("return ", "- ", "1", ""),
    ("return ", "~", "1", ""),
    ("return ", "+-", "1", ""),
    ("return ", "typeof ", "1", ""),
    ("return ", "void ", "1", ""),
    ("return ", "await ", "1", ""),
    ("return ", "await\n", "1", ""),
    ("return ", "new ", "A", ""),
    ("return ", "new (", "A", ")"),
    ("return ", "a?", "1", ":1"),
    ("return ", "a?b:", "1", ""),
    ("", "a=", "1", ""),
    ("", "a??=", "1", ""),
    ("return ", "a**", "1", ""),
    ("return ", "1+", "1", ""),
    ("return ", "1 + ", "1", ""),
    ("return ", "a&&", "1", ""),
    ("return ", "a.b.", "c", ""),
    ("return a", ".b", "", ""),
    ("return a", "?.b", "", ""),
    ("return a", "\n.b()", "", ""),
    ("return f", "()", "", ""),
    ("return a", "[0]", "", ""),
    ("return a", "``", "", ""),
    ("return a", "!", "", ""),
    ("return a", " as A", "", ""),
    ("return a", " satisfies A", "", ""),
    ("return ", "<A>", "1", ""),
    ("return ", "`${", "1", "}`"),
    ("return ", "`a${`${1}", "", "`}`"),
    ("return ", "f(", "1", ")"),
    ("return ", "f(a, b)(", "1", ")"),
    ("", "if(a)", "b", ""),
    ("", "if(a)b;else ", "c", ""),
    ("", "if(a){}else ", "{}", ""),
    ("", "if(q)l:l:a,b;else ", "c", ""),
    ("", "if (q)\nif (q)\nreturn 1\nelse ", "c", ""),
    ("", "for(;;)", "b", ""),
    ("", "for(a of b)", "b", ""),
    ("", "while(a)", "b", ""),
    ("", "do ", "a", ""),
    ("", "do ", "a", ";while(b)"),
    ("", "with(a)", "b", ""),
    ("", "l:", "a", ""),
    ("", "l:\n", "a", ""),
    ("", "try{", "", "}catch{}"),
    ("", "switch(a){case ", "1", ":}"),
    ("", "class A extends ", "B{}", ""),
    ("return ", "class extends ", "B", "{}"),
    ("return ", "class { a = ", "1", "}"),
    ("return ", "class { static {", "", "}}"),
    ("let x: ", "A<", "B", ">"),
    ("let x: ", "A<B,", "C", ">"),
    ("let x: ", "(", "A", ")"),
    ("let x: ", "[", "A", "]"),
    ("let x: ", "{a:", "A", "}"),
    ("let x: A", "[]", "", ""),
    ("let x: ", "keyof ", "A", ""),
    ("let x: ", "keyof\n", "A", ""),
    ("let x: ", "readonly ", "A[]", ""),
    ("let x: ", "()=>", "A", ""),
    ("let x: ", "new()=>", "A", ""),
    ("let x: ", "A extends B?C:", "D", ""),
    ("let x: ", "A extends B?", "C", ":D"),
    ("let x: ", "|A", "", ""),
    ("let x: ", "A&", "A", ""),
    ("let x: ", "A.", "B", ""),
    ("let x: ", "`${", "A", "}`"),
    ("let x: typeof ", "a.", "b", ""),
    ("let ", "[", "a", "] = b"),
    ("let ", "{a:", "b", "} = c"),
    ("", "[", "a", "] = b"),
    ("function f(", "[", "a", "]) {}"),
    ("function f(", "{a=", "1", "}) {}"),
    ("", "@", "a class A {}", ""),
    ("", "async ", "a", ""),
    ("", "let ", "a", ""),
    ("", "yield ", "a", ""),
    ("function* f(){", "yield ", "a", "}"),
    ("", "namespace A{", "", "}"),
    ("", "namespace A.", "B{}", ""),
    ("", "declare ", "let a", ""),
    ("", "export default ", "1", ""),
    ("export default ", "(", "1", ")"),
    ("export default ", "a=>", "1", ""),
    ("", "import(", "a", ")"),
    ("return ", "<a>", "b", "</a>"),
    ("return ", "<a b={", "1", "}/>"),
    ("x! ", "/(", "a", ")/"),
    ("a++\n", "/(", "a", "/"),
    ("if (a) {} ", "/(/;(", "a", ")"),
    ("x as void /", "(", "1", ")"),
    ("a = b / c; d = ", "(", "1", ")"),
    ("await /", "(", "1", ")/"),
    ("return\u{a0}", "new\u{a0}", "A", ""),
    ("return /[/]\"/.x, ", "(", "1", ")"),
    ("x = '\\\n", "(", "'", ""),
    ("x = `\\`", "(", "`", ""),
    ("/* ' */ return ", "(", "1", ")"),
    ("// '\nreturn ", "(", "1", ")"),
    ("a <!-- ", "))", "\n;", "(("),
    ("a\n--> ))))\n", "(", "", ")"),
    ("return 1", "<A", "", ""),
    ("return 1", ">A", "", ""),
    ("return a", "<B>(1)", "", ""),
    ("f<", "(a:", "b", ")=>c"),
    ("return (", "a, b = ", "1", ")"),
    ("return [", "a, b = ", "1", "]"),
    ("", "a\n", "", ""),
    ("", "a()\n", "", ""),
    ("", "const a = b\n", "", ""),
    ("", "if (a) { b() }\n", "", ""),
];

fn program(shape: &(&str, &str, &str, &str), times: usize) -> String {
    [
        shape.0,
        &shape.1.repeat(times),
        shape.2,
        &shape.3.repeat(times),
    ]
    .concat()
}

/// Prepares on a small stack; an overflow kills the test process.
fn on_small_stack(text: String) -> Result<(), String> {
    let work = move || prepare(&text).map(drop).map_err(|error| error.message);
    let thread = std::thread::Builder::new()
        .stack_size(SMALL_STACK)
        .spawn(work)
        .unwrap();
    thread.join().expect("no panic")
}

#[test]
fn every_shape_at_every_size_is_answered() {
    for shape in SHAPES {
        let most = 131_072 / (shape.1.len() + shape.3.len());
        for times in [
            10, 40, 75, 100, 150, 200, 300, 700, 1_400, 2_900, 30_000, most,
        ] {
            if times <= most {
                eprintln!("{:?} {times}", shape.1);
                let _ = on_small_stack(program(shape, times));
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused_with_a_sentence() {
    for shape in ["(", "[", "a=>", "!", "`${", "new ", "if(a)", "a?"] {
        let message = on_small_stack(format!("return {}1", shape.repeat(30_000))).unwrap_err();
        assert!(message.contains("nested too deeply"), "{shape}: {message}");
    }
    let message = on_small_stack(format!("return 1{}", "+1".repeat(60_000))).unwrap_err();
    assert!(message.contains("too long"), "{message}");
}

#[test]
fn honest_depth_and_length_are_accepted() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a:", "}"),
        ("`${", "}`"),
        ("f(", ")"),
    ] {
        let text = format!("return {}1{}", open.repeat(100), close.repeat(100));
        assert_eq!(on_small_stack(text), Ok(()), "{open}");
    }
    for part in ["+ 'abc'", ".trim()", " && a", "|| b.c"] {
        assert_eq!(
            on_small_stack(format!("return a{}", part.repeat(500))),
            Ok(()),
            "{part}"
        );
    }
    let data = format!(
        "return [{}]",
        "{ id: 1, tags: ['a', 'b'], size: -1.5e3 },\n".repeat(2_500)
    );
    assert_eq!(on_small_stack(data), Ok(()));
    let lines = "const a = f(b.c)\nif (a && !b) { d(a) }\nlist.push(a + 1)\n".repeat(1_500);
    assert_eq!(on_small_stack(lines.replace("const a", "var a")), Ok(()));
    let chain = "if (a === 1) { b() } else ".repeat(300);
    assert_eq!(on_small_stack(format!("{chain}{{ c() }}")), Ok(()));
}
