//! Times the preparation of a short and of a fifty-line program: `cargo run --release --example time`.
#![allow(clippy::print_stdout, reason = "prints its measurements")]

use std::{hint::black_box, time::Instant};

use codemode_source::prepare;

const FIFTY_LINES: &str = r"interface Price { item: string; usd: number | null; history?: Array<{ at: string; usd: number }> }
type Summary = { total: number; cheapest?: Price; missing: string[] }
type Sort = 'asc' | 'desc'

const items: string[] = ['apple', 'pear', 'plum', 'fig', 'quince']
const seen = new Map<string, Price>()
const order: Sort = 'asc'

async function load(item: string): Promise<Price | undefined> {
  if (seen.has(item)) return seen.get(item)!
  try {
    const price = (await tools.get_price({ item, currency: 'USD' })) as Price
    seen.set(item, price)
    return price
  } catch (error: unknown) {
    console.warn(`no price for ${item}: ${(error as Error).message}`)
    return undefined
  }
}

function byPrice(a: Price, b: Price): number {
  const left = a.usd ?? Number.POSITIVE_INFINITY
  const right = b.usd ?? Number.POSITIVE_INFINITY
  return order === 'asc' ? left - right : right - left
}

const isPriced = (price: Price | undefined): price is Price => price?.usd !== null && price !== undefined

const loaded = await Promise.all(items.map((item) => load(item)))
const prices = loaded.filter(isPriced).sort(byPrice)
const missing = items.filter((item) => !prices.some((price) => price.item === item))

let total = 0
for (const { usd } of prices) {
  total += usd as number
}

const summary: Summary = {
  total: Math.round(total * 100) / 100,
  cheapest: prices[0],
  missing,
}

if (missing.length > 0) {
  const found = await tools.search_items({ query: missing.join(' OR '), limit: 5 })
  for (const entry of found.items as Array<{ name: string; score: number }>) {
    if (entry.score > 0.8) console.log(`${entry.name} (${entry.score.toFixed(2)})`)
  }
}

return { ...summary, checkedAt: new Date(0).toISOString() } satisfies Summary & { checkedAt: string }
";

/// The shortest of several means, in microseconds.
fn time(text: &str) -> f64 {
    const TIMES: u32 = 2_000;
    let mean = |_| {
        let start = Instant::now();
        for _ in 0..TIMES {
            black_box(prepare(black_box(text)).is_ok());
        }
        start.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
    };
    (0..7).map(mean).fold(f64::MAX, f64::min)
}

fn main() {
    let first = Instant::now();
    let answer = prepare(FIFTY_LINES);
    println!("first   {:>7.1} us", first.elapsed().as_secs_f64() * 1e6);
    if let Err(error) = answer {
        println!("failed: {error}");
        return;
    }
    let plain = FIFTY_LINES.lines().skip(50).collect::<Vec<_>>().join("\n");
    let deep = format!("return {}1{}", "[".repeat(200), "]".repeat(200));
    for (name, text) in [
        ("1 + 1", "return 1 + 1"),
        ("50 lines", FIFTY_LINES),
        ("1 line", &plain),
        ("deep", &deep),
    ] {
        println!("{name:<8}{:>7.1} us", time(text));
    }
}
