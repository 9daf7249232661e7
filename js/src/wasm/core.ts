// The types of the functions that bindings/ exports from the wasm: raw exports for data, and embind's for the rest.

/** The handle of a structure; 0 for none. js/src/core/border/lifetime.ts keeps handles. */
export type Handle = number;

export interface RawExports {
  _malloc(size: number): number;
  _free(address: number): void;
  _tamis_scratch(part: number): number;
  _tamis_has(handle: Handle, address: number, size: number): number;
  _tamis_ask(handle: Handle, operation: number, address: number, size: number): number;
  _tamis_ask_many(
    handle: Handle,
    operation: number,
    offset: number,
    size: number,
    count: number,
  ): number;
  _tamis_ask_hashes(handle: Handle, operation: number, count: number): number;
  _tamis_hash_many(sipKey: number, offset: number, size: number, count: number): number;
  _tamis_hash(sipKey: number, address: number, size: number): void;
  _tamis_route(seed: bigint, isShard: number, places: number, count: number): number;
  _tamis_route_blocks(seed: bigint, blocks: number, count: number): number;
  _tamis_bit(handle: Handle, operation: number, index: number): number;
  _tamis_print(handle: Handle, from: number, count: number): number;
  _tamis_split_lines(
    size: number,
    offset: number,
    separator: number,
    isFirst: number,
    isLast: number,
  ): number;
  _tamis_prepare_bits(
    size: number,
    bits: number,
    hashes: number,
    hash: number,
    seedLow: number,
    seedHigh: number,
    at: number,
    status: number,
  ): Handle;
  _tamis_adopt_bits(handle: Handle, order: number, count: number): number;
  _tamis_prepare_blocks(size: number, hash: number, at: number, status: number): Handle;
  _tamis_adopt_blocks(handle: Handle, count: number): number;
  _tamis_foreign(record: number, at: number, status: number): Handle;
  _tamis_unpack(slots: number, size: number, packed: number, map: number, width: number): number;
  _tamis_url_parse(address: number, size: number): number;
  _tamis_url_finish(host: number, size: number): number;
  _tamis_url_expressions(registrableBytes: number): number;
  _tamis_url_hits(handle: Handle, registrableBytes: number, shapes: number): number;
  _tamis_url_check(handle: Handle, address: number, size: number): number;
  _tamis_url_check_many(handle: Handle, offset: number, size: number, count: number): number;
  _tamis_url_check_lists(set: number, count: number, address: number, size: number): number;
  _tamis_url_image_write(handle: Handle, out: number): number;
  _tamis_url_image_open(
    image: number,
    size: number,
    out: number,
    room: number,
    status: number,
  ): Handle;
  _tamis_sha256(address: number, size: number): void;
  _tamis_rice_encode(values: number, size: number, valueBytes: number): number;
  _tamis_rice_decode(
    bytes: number,
    size: number,
    valueBytes: number,
    parameter: number,
    entriesCount: number,
  ): number;
  _tamis_rice_decode_v4(
    bytes: number,
    size: number,
    valueBytes: number,
    parameter: number,
    entriesCount: number,
    arePrefixes: number,
  ): number;
  _tamis_rice_release(): void;
}

/** On an error, functions return a negative status, or write the status to the address `status`. */
export interface Core extends RawExports {
  create(type: number, fields: number, key: number, status: number): Handle;
  build(
    type: number,
    fields: number,
    key: number,
    hashes: number,
    count: number,
    others: number,
    otherCount: number,
    conflicts: number,
    status: number,
  ): Handle;
  sizeFor(type: number, fields: number, key: number, status: number): number;
  open(bytes: number, size: number, type: number, maxBytes: number): number;
  decode(payload: number, size: number, key: number, scheme: number, status: number): Handle;
  copy(handle: Handle, status: number): Handle;
  emptyCopy(handle: Handle, status: number): Handle;
  dispose(handle: Handle): void;
  figure(handle: Handle, which: number, status: number): number;
  header(handle: Handle, out: number): number;
  validate(handle: Handle): number;
  clear(handle: Handle): number;
  encodeInto(handle: Handle, address: number, size: number): number;
  merge(into: Handle, from: Handle): number;
  intersect(into: Handle, from: Handle): number;
  bloomBits(capacity: number, fpr: number): number;
  bloomSizeHashes(capacity: number, fpr: number): number;
  bloomHashes(bits: number, capacity: number): number;
  bloomFpr(bits: number, hashes: number, count: number): number;
  bloomFilterEstimateUnion(handle: Handle, other: Handle, out: number): number;
  bitArrayNext(handle: Handle, from: number): number;
  bloomFilterFill(handle: Handle): number;
  bloomFilterPositions(handle: Handle, address: number, size: number, out: number): number;
  countingBloomFilterToBloom(handle: Handle, status: number): Handle;
  invertibleBloomTableSubtract(handle: Handle, other: Handle, status: number): Handle;
  invertibleBloomTableDecode(handle: Handle, keys: number, size: number, counts: number): number;
  rotatingBloomFilterRotate(handle: Handle): number;
  rotatingBloomFilterAdvance(handle: Handle, nowMs: number, out: number): number;
  urlListEmpty(prefixBytes: number, rule: number, ruleSize: number, status: number): Handle;
  urlListUpdate(
    handle: Handle,
    changes: number,
    removals: number,
    additions: number,
    shapes: number,
    status: number,
  ): Handle;
  urlListDiff(older: Handle, newer: Handle, status: number): Handle;
  urlListApply(list: Handle, delta: Handle, status: number): Handle;
  urlListChecksum(handle: Handle, out: number): number;
  urlListRule(handle: Handle, out: number): number;
  urlListPrefixes(handle: Handle, out: number): number;
}
