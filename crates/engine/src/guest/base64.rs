//! `btoa` and `atob`: RFC 4648 section 4, with the white space and padding rules of the HTML standard.

use super::Js;
use crate::js::{Ctx, Value};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn encode(ctx: Ctx, value: &Value) -> Js<Value> {
    let text = value.text()?;
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(u32::from(character)) {
            Ok(byte) => bytes.push(byte),
            Err(_) => return Err(invalid(ctx, "btoa takes characters up to U+00FF only")),
        }
    }
    let mut encoded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0u32, |group, byte| group << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for index in 0..4 {
            let digit = (group >> (18 - 6 * index)) & 63;
            let letter = if index > chunk.len() {
                b'='
            } else {
                letter(digit)
            };
            encoded.push(char::from(letter));
        }
    }
    ctx.string(&encoded)
}

pub(super) fn decode(ctx: Ctx, value: &Value) -> Js<Value> {
    let text = value.text()?;
    let mut digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    if digits.len().is_multiple_of(4) {
        for _ in 0..2 {
            if digits.last() == Some(&b'=') {
                digits.pop();
            }
        }
    }
    let invalid_text = || invalid(ctx, "atob: the text is not base64");
    if digits.len() % 4 == 1 {
        return Err(invalid_text());
    }
    let mut decoded = String::with_capacity(digits.len());
    for chunk in digits.chunks(4) {
        let mut group = 0u32;
        for digit in chunk {
            let Some(value) = ALPHABET.iter().position(|letter| letter == digit) else {
                return Err(invalid_text());
            };
            group = group << 6 | value as u32;
        }
        group <<= 6 * (4 - chunk.len());
        for index in 0..chunk.len().saturating_sub(1) {
            let byte = (group >> (16 - 8 * index)) & 0xff;
            decoded.push(char::from(byte as u8));
        }
    }
    ctx.string(&decoded)
}

fn letter(digit: u32) -> u8 {
    ALPHABET.get(digit as usize).copied().unwrap_or(b'=')
}

fn invalid(ctx: Ctx, message: &str) -> crate::js::Thrown {
    ctx.throw_type_error(message)
}
