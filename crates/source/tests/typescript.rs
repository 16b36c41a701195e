//! Types are blanked in place; what cannot be blanked is refused by name.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{body, refuse, squeezed};

/// Each pair ends with a return, so that no value is put in.
fn stripped(text: &str) -> String {
    let whole = squeezed(&format!("{text}\nreturn 0"));
    whole
        .strip_suffix("return 0")
        .unwrap_or_else(|| panic!("{whole}"))
        .trim_end()
        .to_owned()
}

fn assert_all(pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        assert_eq!(stripped(text), *expected, "{text:?}");
    }
}

#[test]
fn every_line_and_column_stays() {
    let text = "const n: number = (await tools.count({})).n as number;\nfunction f<T>(a?: T, ...b: T[]): a is U {\n  return a! }\nreturn f(n)";
    let blanked = body(text);
    assert_eq!(blanked.len(), text.len());
    for (line, original) in blanked.lines().zip(text.lines()) {
        for (at, (byte, before)) in line.bytes().zip(original.bytes()).enumerate() {
            assert!(byte == before || byte == b' ', "{at} of {line:?}");
        }
    }
}

#[test]
fn expressions() {
    assert_all(&[
        ("a = b as T", "a = b ;"),
        ("a = b as T;", "a = b ;"),
        ("a = b satisfies T", "a = b ;"),
        ("a = (b as T).c", "a = (b ).c"),
        ("a = <T>b", "a = ( b)"),
        ("a = <T>b.c", "a = ( b.c)"),
        ("a = () => <T>{}", "a = () => ( {})"),
        ("a!.b![0]!()", "a .b [0] ()"),
        ("a!++", "a ++"),
        ("f<T>(a)", "f (a)"),
        ("new A<B<C>>(a)", "new A (a)"),
        ("tag<T>`a`", "tag `a`"),
        ("a = [1] as const\n;[2]", "a = [1] ;[2]"),
        ("({ a: b as T, ...<U>c })", "({ a: b , ...( c) })"),
        ("`${a as T} as T`", "`${a } as T`"),
        ("for (const a of b as T[]) {}", "for (const a of b ) {}"),
    ]);
}

#[test]
fn statements_that_a_blank_would_join_stay_apart() {
    assert_all(&[
        ("let y = x as T\n(foo)", "let y = x ; (foo)"),
        ("let y = x as T\n[0].z", "let y = x ; [0].z"),
        ("let y = x satisfies T\n`a`", "let y = x ; `a`"),
        ("throw x as T\n(foo)", "throw x ; (foo)"),
        ("const f = () => x as T\n(foo)", "const f = () => x ; (foo)"),
        ("if (a) b as T\nelse c", "if (a) b ; else c"),
        ("const a = b\ninterface A {}\n(foo)", "const a = b ; (foo)"),
        ("const a = b\ntype A = string\n(foo)", "const a = b ; (foo)"),
        (
            "const a = b\ndeclare const c: T\n(foo)",
            "const a = b ; (foo)",
        ),
        (
            "const a = b\nfunction f(c: T): void\nfunction f(c: any) {}",
            "const a = b ; function f(c ) {}",
        ),
        (
            "class A { a = b as T\n[c] = 1 }",
            "class A { a = b ; [c] = 1 }",
        ),
        (
            "class A { a = 1\nreadonly ['b'] = 2 }",
            "class A { a = 1 ; ['b'] = 2 }",
        ),
        (
            "class A { a = 1\npublic *b() {} }",
            "class A { a = 1 ; *b() {} }",
        ),
        (
            "class A { a = 1\nprivate in = 2 }",
            "class A { a = 1 ; in = 2 }",
        ),
        ("class A { get: T\nfoo() {} }", "class A { get; foo() {} }"),
        (
            "class A { static?: T\nfoo() {} }",
            "class A { static; foo() {} }",
        ),
        ("type A = 1\n'use strict'", "; 'use strict'"),
    ]);
    assert_eq!(squeezed("return <\nT>x"), "return ( x)");
}

#[test]
fn arrow_heads_stay_on_one_line() {
    assert_all(&[
        ("f = (a): {\n b: T\n} => a", "f = (a ) => a"),
        ("f = async <\nT\n>(a: T) => a", "f = async ( a ) => a"),
        ("f = <T,>(a: T) => a", "f = (a ) => a"),
        (
            "f = (a = <T>b, { c }: D = {} as E): void => {}",
            "f = (a = ( b), { c } = {} ) => {}",
        ),
    ]);
    let text = "const f = (a): {\n b: T\n} => a\nreturn f";
    assert_eq!(body(text), "const f = (a    \n     \n) => a\nreturn f");
}

#[test]
fn declarations() {
    assert_all(&[
        ("let a: T = c, b!: U", "let a = c, b"),
        (
            "function f(this: A, b?: C, ...d: E[]): asserts b is C {}",
            "function f( b , ...d ) {}",
        ),
        ("function f(this: A) {}", "function f( ) {}"),
        ("try {} catch (e: unknown) {}", "try {} catch (e ) {}"),
        (
            "abstract class A<T> extends B<T> implements C, D<E> {}",
            "class A extends B {}",
        ),
        ("const a = class<T> implements B {}", "const a = class {}"),
        (
            "class A { declare a: T; abstract b(): void; [k: string]: any; override c?: T = 1 }",
            "class A { ; ; ; ; c = 1 }",
        ),
        (
            "class A { constructor(a: string)\nconstructor(a: any) {} }",
            "class A { ; constructor(a ) {} }",
        ),
        (
            "class A { private static async m?<T>(a: T): Promise<void> {} }",
            "class A { ; static async m (a ) {} }",
        ),
        (
            "class A { readonly: T = 1; declare; static readonly [x] = 2 }",
            "class A { readonly = 1; declare; static [x] = 2 }",
        ),
        ("namespace N { export type A = 1; interface B {} }", ";"),
        ("declare module 'm' { const a: 1 }", ";"),
        ("declare enum E { A }", ";"),
        ("import type { A } from 'a'", ";"),
        ("import { type A } from 'a'", ";"),
        ("export type { A } from 'a'", ";"),
        ("export interface A {}", ";"),
        (
            "let type = 1, declare = 2\ntype\ndeclare",
            "let type = 1, declare = 2 type declare",
        ),
    ]);
}

#[test]
fn plain_javascript_wins_where_both_could_be_meant() {
    for text in [
        "return a < b > (c)",
        "return a < B",
        "return f(a < b, c > (d))",
        "return x ? (y) : (z) => 1",
    ] {
        assert_eq!(body(text), text);
    }
    for (text, expected) in [
        ("return new Set<string>(a).size", "return new Set (a).size"),
        (
            "return f(new Map<string, number>(a))",
            "return f(new Map (a))",
        ),
        (
            "return await tools.get<Foo>({})",
            "return await tools.get ({})",
        ),
        (
            "return await tools.get<{ a: 1 }>({})",
            "return await tools.get ({})",
        ),
        ("return new Set<Array<number>>(a)", "return new Set (a)"),
        ("return f<[string, number]>(a)", "return f (a)"),
    ] {
        assert_eq!(squeezed(text), expected);
    }
    // A variable that is called like a type stays one.
    assert_eq!(
        body("const number = 5; return 3 < number"),
        "const number = 5; return 3 < number"
    );
}

#[test]
fn literals_and_comments_are_never_touched() {
    for text in [
        "const a: T = 'b as T; c: D' // x as T\nreturn a",
        "const a: T = `interface A {} ${1 as T} enum E {}` /* : T */\nreturn a",
        "const a: T = /as T|<T>x/.test(b)\nreturn a",
    ] {
        let blanked = body(text);
        for kept in [
            "'b as T; c: D' // x as T",
            "interface A {} ",
            "enum E {}",
            "/* : T */",
            "/as T|<T>x/",
        ] {
            assert_eq!(blanked.contains(kept), text.contains(kept), "{text:?}");
        }
    }
}

#[test]
fn constructs_with_code_behind_them_are_refused_by_name() {
    for (text, named, column) in [
        ("enum A { X }", "TypeScript `enum`", 1),
        ("const enum A { X }", "TypeScript `enum`", 1),
        ("export enum A { X }", "TypeScript `enum`", 1),
        (
            "namespace N { export const a = 1 }",
            "TypeScript `namespace`",
            1,
        ),
        (
            "class A { constructor(private a: T) {} }",
            "TypeScript parameter property",
            23,
        ),
        (
            "class A { constructor(readonly a) {} }",
            "TypeScript parameter property",
            23,
        ),
        ("import a = require('b')", "TypeScript `import =`", 1),
        ("export = a", "TypeScript `export =`", 1),
        ("class A { @b c: T }", "decorator", 11),
        ("@b class A {}", "decorator", 1),
        ("class A { accessor a = 1 }", "`accessor`", 11),
        ("const a = <b>c</b>; return a", "JSX", 11),
    ] {
        let error = refuse(text);
        assert!(error.message.contains(named), "{text:?}: {error}");
        assert_eq!((error.line, error.column), (1, column), "{text:?}: {error}");
        assert!(error.hint.is_some_and(|hint| hint.len() > 20), "{text:?}");
    }
}
