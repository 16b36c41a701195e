//! Seeded random programs: every one gets an answer, and what is accepted keeps the promises of the crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use codemode_source::{check, prepare};

/// A small generator with a fixed seed, so that a failure comes back.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }
}

const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "`",
    "${",
    "'",
    "\"",
    "/",
    "*",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    "\r",
    " ",
    ";",
    ",",
    ".",
    "?.",
    "?",
    ":",
    "=>",
    "=",
    "==",
    "<",
    ">",
    ">>",
    "<!--",
    "-->",
    "!",
    "~",
    "+",
    "-",
    "++",
    "--",
    "**",
    "&&",
    "|",
    "??",
    "...",
    "@",
    "#",
    "#a",
    "\\",
    "\\u{61}",
    "a",
    "b",
    "f",
    "T",
    "1",
    "1.5",
    "0x1",
    "'s'",
    "\"s\"",
    "`t`",
    "/r/g",
    "/[/]/",
    "if",
    "else",
    "for",
    "while",
    "do",
    "with",
    "switch",
    "case",
    "default",
    "try",
    "catch",
    "finally",
    "throw",
    "return",
    "break",
    "continue",
    "function",
    "function*",
    "async",
    "await",
    "yield",
    "class",
    "extends",
    "implements",
    "static",
    "get",
    "set",
    "new",
    "typeof",
    "void",
    "delete",
    "in",
    "of",
    "instanceof",
    "let",
    "const",
    "var",
    "import",
    "export",
    "from",
    "as",
    "satisfies",
    "keyof",
    "infer",
    "readonly",
    "unique",
    "is",
    "asserts",
    "abstract",
    "declare",
    "namespace",
    "module",
    "type",
    "interface",
    "enum",
    "public",
    "private",
    "override",
    "this",
    "super",
    "null",
    "true",
    "string",
    "number",
    "any",
    "tools",
    "tools.a(",
    "console",
    "```",
    "```js\n",
    "~~~",
    "“",
    "’",
    "\u{feff}",
    "\u{2028}",
    "\u{a0}",
    "\0",
    "é",
    "😀",
    "if(a)",
    "a=>",
    "()=>",
    "(a)=>{",
    "l:",
    "as const",
    "A<B>",
    "<T>",
    ": T",
    "?: T",
    "!:",
    "f()",
    "a.b",
    "return 1",
    "use strict",
    "'use strict'",
];

const SEEDS: &[&str] = &[
    "const p = await tools.get_price({ item: 'plum' });\nreturn p.usd * 2;",
    "```ts\nconst n: number = (await tools.count({})).n;\nreturn n + 1;\n```",
    "class A<T> extends B<T> implements C { readonly x?: number = 1; static *gen(): any {} get y(): T { return 1 as T } }",
    "export default async function main({ tools }: { tools: any }): Promise<void> {\n  await tools.a()\n}",
    "interface P { a: string; [k: string]: any }\ntype U = 'a' | `b${string}`\nlet y = x as unknown\n(foo)\nreturn y!",
    "const f = async <T,>(a: T, b?: string, ...c: T[]): Promise<{\n  d: T\n}> => ({ d: a })\nawait f<number>(1)",
    "for (const [k, v] of Object.entries(m as Record<string, number>)) { if (v! > 1) tools.b({ k }); else continue }\ntry { x } catch (e: unknown) { (e as Error).message }",
    "const t = `a${b ? `c${d}` : /[`}]/.test(e)}f`; // done\n/* ' */ return t satisfies string",
    "import type { A } from 'a'\nenum E { X }\nnamespace N { export type Y = 1 }\ndeclare const z: A",
    "function g(a: string): void\nfunction g(a: any) { return <any>a }\nabstract class Q { abstract r(): void; private s = g('x') }",
];

fn mutate(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len() + 1);
        match random.below(4) {
            0 if !chars.is_empty() => {
                let end = (at + 1 + random.below(6)).min(chars.len());
                chars.drain(at.min(end)..end);
            }
            1 => {
                let from = random.below(chars.len() + 1);
                let to = (from + random.below(30)).min(chars.len());
                let part: Vec<char> = chars[from..to].to_vec();
                chars.splice(at..at, part);
            }
            2 => chars.truncate(at.max(1)),
            _ => {
                let token: Vec<char> = random.pick(TOKENS).chars().collect();
                chars.splice(at..at, token);
            }
        }
    }
    chars.into_iter().collect()
}

/// What must hold of any answer.
fn examine(text: &str) {
    let lines = text.matches('\n').count() + text.matches('\r').count() + 1;
    match prepare(text) {
        Err(error) => {
            assert!(!error.message.is_empty(), "{text:?}");
            assert!(
                (1..=lines).contains(&(error.line as usize)),
                "{text:?}: {error}"
            );
            assert!(error.column >= 1, "{text:?}: {error}");
        }
        Ok(prepared) => {
            let program = &prepared.program;
            assert!(program.starts_with("(async () => {"), "{text:?}");
            assert!(program.ends_with("\n})"), "{text:?}");
            let body = &program["(async () => {".len()..program.len() - 3];
            let feeds = |text: &str| {
                text.replace("\r\n", "\n")
                    .replace('\r', "\n")
                    .matches('\n')
                    .count()
            };
            assert_eq!(feeds(body), feeds(text), "lines of {text:?}");
            // A program is a program: as the source of another it is one expression, called.
            let again =
                prepare(program).unwrap_or_else(|e| panic!("{text:?} gave {program:?}: {e}"));
            assert!(again.program.contains(body), "{text:?}");
            for line in 0..=lines as u32 + 2 {
                for column in [0, 1, 2, 7, 40, 10_000] {
                    let (row, place) = prepared.original(line, column);
                    assert!(row >= 1 && row as usize <= lines && place >= 1, "{text:?}");
                }
            }
        }
    }
    let _ = check(text);
}

#[test]
fn mutated_programs_are_answered() {
    let mut random = Random(0x5EED_0001);
    for _ in 0..6_000 {
        let seed = random.pick(SEEDS);
        examine(&mutate(&mut random, seed));
    }
}

#[test]
fn token_soup_is_answered() {
    let mut random = Random(0x5EED_0002);
    for _ in 0..6_000 {
        let count = 1 + random.below(14);
        let gap = random.pick(&["", " ", "\n"]);
        let tokens: Vec<&str> = (0..count).map(|_| random.pick(TOKENS)).collect();
        examine(&tokens.join(gap));
    }
}

#[test]
fn repeated_soup_never_overflows() {
    let rounds = std::env::var("SOUP_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_500);
    let seed = std::env::var("SOUP_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0x5EED_0003);
    let mut random = Random(seed);
    for _ in 0..rounds {
        let part = |random: &mut Random| -> String {
            let gap = random.pick(&["", " ", "\n", " "]);
            (0..=random.below(5))
                .map(|_| random.pick(TOKENS))
                .collect::<Vec<_>>()
                .join(gap)
                + gap
        };
        let head = if random.below(2) == 0 {
            String::new()
        } else {
            part(&mut random)
        };
        let times = [150, 1_000, 20_000][random.below(3)];
        let (body, tail) = (part(&mut random), part(&mut random));
        let text = [
            head,
            body.repeat(times.min(120_000 / body.len().max(1))),
            tail,
        ]
        .concat();
        if std::env::var_os("SOUP_PRINT").is_some() {
            eprintln!("{:?}", &text.chars().take(100).collect::<String>());
        }
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        let _ = thread
            .spawn(move || prepare(&text).is_ok())
            .unwrap()
            .join()
            .expect("no panic");
    }
}
