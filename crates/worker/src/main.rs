//! Started by the addon, never by hand: see the crate's documentation.

fn main() {
    codemode_worker::main();
}
