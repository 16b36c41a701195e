//! Link settings of the addon.

fn main() {
    napi_build::setup();
    // Node unloads an addon when the last worker_thread that loaded it ends, while our threads may still run in it.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete,-z,relro,-z,now");
    }
}
