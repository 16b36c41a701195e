//! What to do instead, for globals that models reach for and that are not here.

/// The message of the `ReferenceError` for `name`, where there is more to say than that it is not defined.
pub(super) fn undefined(name: &str) -> Option<String> {
    let advice = match name {
        "setTimeout"
        | "setInterval"
        | "setImmediate"
        | "clearTimeout"
        | "clearInterval"
        | "requestAnimationFrame" => {
            "there are no timers; await a tool call, or return and let the next program go on"
        }
        "fetch" | "XMLHttpRequest" | "WebSocket" | "axios" | "EventSource" => {
            "there is no network; call one of the tools"
        }
        "require" | "module" | "exports" => {
            "there are no modules and no require(); use the language and the tools"
        }
        "process" | "__dirname" | "__filename" | "global" | "Deno" | "Bun" | "window" | "self"
        | "document" | "navigator" | "localStorage" | "sessionStorage" => {
            "the program runs in a bare JavaScript engine; use the tools, or globalThis"
        }
        "Buffer" => "use strings, atob() and btoa(), or arrays of numbers",
        "Intl" => "format with toFixed(), toISOString() and string methods",
        "URL" | "URLSearchParams" => "use string methods and encodeURIComponent()",
        "TextEncoder" | "TextDecoder" => "strings cross as they are; use encodeURIComponent()",
        "crypto" => "there is no crypto; call a tool for ids and hashes",
        "performance" => "use Date.now()",
        "eval" | "Function" => "code cannot be made at run time; write it out",
        "WebAssembly" => "there is no WebAssembly",
        "Atomics" | "SharedArrayBuffer" => "there is no shared memory",
        "WeakRef" | "FinalizationRegistry" | "WeakMap" | "WeakSet" => {
            "use Map or Set; the program's memory is freed when it ends"
        }
        "ArrayBuffer" | "DataView" | "Uint8Array" | "Int8Array" | "Uint8ClampedArray"
        | "Uint16Array" | "Int16Array" | "Uint32Array" | "Int32Array" | "Float16Array"
        | "Float32Array" | "Float64Array" | "BigInt64Array" | "BigUint64Array" => {
            "typed arrays are off; use arrays of numbers"
        }
        "alert" | "prompt" | "confirm" => "return a value, or use console.log()",
        "print" | "input" => "use console.log(); the input is in the program itself",
        "None" => "this is JavaScript: write null",
        "True" => "this is JavaScript: write true",
        "False" => "this is JavaScript: write false",
        _ => return None,
    };
    Some(format!("{name} is not defined: {advice}"))
}
