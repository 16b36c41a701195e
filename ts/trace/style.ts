// Style of the page. Colours are told apart by lightness too; every state also has a word.
export const style = `
:root{--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d1d9e0;--panel:#f6f8fa;--done:#1f7a43;--error:#c0222f;--denied:#8a5a00;--cancelled:#6e7781;--approval:#b58a00;--link:#0757b5}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9aa4af;--line:#30363d;--panel:#161b22;--done:#3fb950;--error:#ff7b72;--denied:#e3b341;--cancelled:#8b949e;--approval:#d4a72c;--link:#7cb7ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.35rem;margin:0 0 .75rem}h2{font-size:1.05rem;margin:2rem 0 .5rem}h3{font-size:.8rem;margin:.75rem 0 .25rem;color:var(--dim)}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
.badge{font-size:.8rem;font-weight:600;padding:.15rem .55rem;border-radius:1rem;border:1px solid;vertical-align:middle}
.completed{color:var(--done)}.failed,.failure strong{color:var(--error)}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:0}.facts dt{color:var(--dim);font-size:.8rem}.facts dd{margin:0;font-variant-numeric:tabular-nums}
pre{margin:0;padding:.6rem .8rem;background:var(--panel);border:1px solid var(--line);border-radius:6px;overflow:auto;max-height:24rem;font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:0 0 .25rem;padding:0;font-size:.8rem;color:var(--dim)}
.note{color:var(--dim);font-size:.8rem;margin:0 0 .25rem}
.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.35rem;vertical-align:-1px}
.axis{display:grid;grid-template-columns:2.2rem minmax(6rem,14rem) 1fr 5rem 5.5rem;font-size:.75rem;color:var(--dim);height:1.3rem}
.axis span{grid-column:3;position:relative}.axis b{position:absolute;font-weight:400;transform:translateX(-50%);white-space:nowrap}
.axis b:first-child{transform:none}.axis b:last-child{transform:translateX(-100%)}
.calls{list-style:none;margin:0;padding:0;border-top:1px solid var(--line)}
.calls>li{border-bottom:1px solid var(--line);scroll-margin-top:1rem}
.calls>li:target{background:var(--panel)}
summary{display:grid;grid-template-columns:2.2rem minmax(6rem,14rem) 1fr 5rem 5.5rem;align-items:center;padding:.3rem 0;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary:hover{background:var(--panel)}
.n,.ms{color:var(--dim);font-size:.8rem;font-variant-numeric:tabular-nums;text-align:right;padding-right:.75rem}
.name{font:13px ui-monospace,monospace;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.track{position:relative;height:1rem;background:linear-gradient(90deg,var(--line) 1px,transparent 1px) 0 0/25% 100%;border-right:1px solid var(--line)}
.track i{position:absolute;top:.15rem;height:.7rem;min-width:3px;border-radius:2px}
i.done{background:var(--done)}i.error{background:var(--error)}i.denied{background:var(--denied)}i.cancelled,i.pending{background:var(--cancelled)}
i.approval{background:repeating-linear-gradient(45deg,var(--approval) 0 4px,var(--bg) 4px 7px);border:1px solid var(--approval)}
.status{font-size:.8rem}.status.done{color:var(--done)}.status.error{color:var(--error)}.status.denied{color:var(--denied)}.status.cancelled,.status.pending{color:var(--cancelled)}
.body{padding:0 0 .9rem 2.2rem}.body p{margin:.25rem 0;color:var(--dim);font-size:.85rem}
.source,.log{margin:0;padding:.5rem .8rem .5rem 3.2rem;background:var(--panel);border:1px solid var(--line);border-radius:6px;overflow:auto;font:13px/1.6 ui-monospace,monospace}
.source li::marker,.log li::marker{color:var(--dim)}
.source code{white-space:pre}.source li.makes{box-shadow:inset 3px 0 var(--done)}.source li.makes code{padding-left:.4rem}
.source li:target{background:var(--line)}
.made{margin-left:1rem}.made a{display:inline-block;min-width:1.4rem;text-align:center;margin-right:.2rem;padding:0 .25rem;border:1px solid currentColor;border-radius:3px;font-size:.75rem;text-decoration:none}
.made .error{color:var(--error)}.made .denied{color:var(--denied)}.made .cancelled{color:var(--cancelled)}
.log li{white-space:pre-wrap;overflow-wrap:anywhere}
@media (max-width:44rem){summary,.axis{grid-template-columns:1.8rem 7rem 1fr 4rem}.status{display:none}}
`.trim()
