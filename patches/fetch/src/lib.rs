//! Nothing to build: this package only names what `scripts/patch-engine.mjs` fetches.
