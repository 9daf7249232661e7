//! The crate xorf. Its fields are written in the layout of Go's `Save`, and those of its Xor8 in the layout of C's
//! `xor8_serialize`.
//!
//!   build DUMP KEYS int64 KIND    builds a filter of the numbers in a file, one a line, and writes it to DUMP
//!   ask DUMP KEYS int64 KIND      reads DUMP, and prints 1 or 0 for each number of the file
//!
//! KIND is 8, 16 or 32, the bits of a fingerprint of a binary fuse filter, or xor8.

use std::{env, fs};
use xorf::{BinaryFuse16, BinaryFuse32, BinaryFuse8, Descriptor, Filter, Xor8};

fn read_keys(path: &str) -> Vec<u64> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.parse::<i64>().unwrap() as u64).collect()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Go has two fields more: the number of segments, and that of fingerprints.
fn header(descriptor: &Descriptor, fingerprints: usize) -> Vec<u8> {
    let mut bytes = descriptor.seed.to_le_bytes().to_vec();
    for field in [
        descriptor.segment_length,
        descriptor.segment_length_mask,
        descriptor.segment_count_length / descriptor.segment_length,
        descriptor.segment_count_length,
        fingerprints as u32,
    ] {
        bytes.extend(field.to_le_bytes());
    }
    bytes
}

const HEADER: usize = 28;

fn descriptor(bytes: &[u8]) -> Descriptor {
    Descriptor {
        seed: long(bytes, 0),
        segment_length: word(bytes, 8),
        segment_length_mask: word(bytes, 12),
        segment_count_length: word(bytes, 20),
    }
}

fn write(dump: &str, mut bytes: Vec<u8>, fingerprints: impl Iterator<Item = Vec<u8>>) {
    bytes.extend(fingerprints.flatten());
    fs::write(dump, bytes).unwrap();
}

fn answer(keys: &[u64], filter: impl Filter<u64>) {
    let answers = keys.iter().map(|key| if filter.contains(key) { '1' } else { '0' });
    print!("{}", answers.collect::<String>());
}

macro_rules! run_fuse {
    ($filter:ident, $print:ty, $verb:expr, $dump:expr, $keys:expr) => {{
        if $verb == "build" {
            let filter = $filter::try_from(&$keys).unwrap();
            let head = header(&filter.descriptor, filter.fingerprints.len());
            write($dump, head, filter.fingerprints.iter().map(|print| print.to_le_bytes().to_vec()));
        } else {
            let bytes = fs::read($dump).unwrap();
            let prints = bytes[HEADER..].chunks_exact(size_of::<$print>());
            let fingerprints = prints.map(|print| <$print>::from_le_bytes(print.try_into().unwrap()));
            answer(&$keys, $filter { descriptor: descriptor(&bytes), fingerprints: fingerprints.collect() });
        }
    }};
}

fn run_xor8(verb: &str, dump: &str, keys: Vec<u64>) {
    if verb == "build" {
        let filter = Xor8::from(&keys);
        let mut head = filter.seed.to_le_bytes().to_vec();
        head.extend((filter.block_length as u64).to_le_bytes());
        write(dump, head, filter.fingerprints.iter().map(|print| vec![*print]));
    } else {
        let bytes = fs::read(dump).unwrap();
        let block_length = long(&bytes, 8) as usize;
        answer(&keys, Xor8 { seed: long(&bytes, 0), block_length, fingerprints: bytes[16..].into() });
    }
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let [_, verb, dump, list, _, kind] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        panic!("expected build|ask DUMP KEYS int64 KIND");
    };
    let keys = read_keys(list);
    match kind {
        "8" => run_fuse!(BinaryFuse8, u8, verb, dump, keys),
        "16" => run_fuse!(BinaryFuse16, u16, verb, dump, keys),
        "32" => run_fuse!(BinaryFuse32, u32, verb, dump, keys),
        "xor8" => run_xor8(verb, dump, keys),
        _ => panic!("unknown kind {kind}"),
    }
}
