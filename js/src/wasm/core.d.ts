// The Emscripten module, as bindings/ makes it: embind's control plane and the raw data plane.

/** Where a structure of the core lives on the C++ side; js/src/core/structure.ts owns it. */
export interface NativeStructure {
  handle(): number;
  figure(which: number): number;
  seedLow(): number;
  seedHigh(): number;
  hashId(): number;
  validate(): number;
  clear(): number;
  encodedBytes(): number;
  encodeInto(address: number, size: number): number;
  copy(status: number): NativeStructure | null;
  emptyCopy(status: number): NativeStructure | null;
  merge(other: NativeStructure): number;
  intersect(other: NativeStructure): number;
  delete(): void;
}

export interface RawExports {
  _malloc(size: number): number;
  _free(address: number): void;
  _tamis_scratch(part: number): number;
  _tamis_add(handle: number, address: number, size: number): number;
  _tamis_has(handle: number, address: number, size: number): number;
  _tamis_add_many(handle: number, offset: number, size: number, count: number): number;
  _tamis_has_many(handle: number, offset: number, size: number, count: number): number;
  _tamis_add_hashes(handle: number, count: number): number;
  _tamis_has_hashes(handle: number, count: number): number;
  _tamis_hash_many(sipKey: number, offset: number, size: number, count: number): number;
  _tamis_hash(sipKey: number, address: number, size: number): void;
  _tamis_key_operation(handle: number, operation: number, address: number, size: number): number;
  _tamis_bit(handle: number, operation: number, index: number): number;
  _tamis_print(handle: number, from: number, count: number): number;
  _tamis_split_lines(
    size: number,
    offset: number,
    separator: number,
    isFirst: number,
    isLast: number,
  ): number;
}

export interface Core extends RawExports {
  create(type: number, fields: number, key: number, status: number): NativeStructure | null;
  sizeFor(type: number, fields: number, key: number, status: number): number;
  decode(
    type: number,
    bytes: number,
    size: number,
    key: number,
    maxBytes: number,
    status: number,
  ): NativeStructure | null;
  inspect(
    bytes: number,
    size: number,
    type: number,
    maxBytes: number,
    payloadBytes: number,
  ): number;
  bloomBits(capacity: number, fpr: number): number;
  bloomSizeHashes(capacity: number, fpr: number): number;
  bloomHashes(bits: number, capacity: number): number;
  bloomFpr(bits: number, hashes: number, count: number): number;
  bloomFilterEstimateUnion(filter: NativeStructure, other: NativeStructure, status: number): number;
  bloomFilterFill(filter: NativeStructure): void;
  bloomFilterPositions(filter: NativeStructure, address: number, size: number, out: number): void;
  countingBloomFilterToBloom(filter: NativeStructure, status: number): NativeStructure | null;
  invertibleBloomTableSubtract(
    table: NativeStructure,
    other: NativeStructure,
    status: number,
  ): NativeStructure | null;
  invertibleBloomTableDecode(
    table: NativeStructure,
    keys: number,
    counts: number,
    status: number,
  ): number;
  rotatingBloomFilterRotate(filter: NativeStructure): void;
  rotatingBloomFilterAdvance(filter: NativeStructure, nowMs: number, status: number): number;
}

export interface CoreOptions {
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports;
}

/** Instantiates at once: the module that it returns is ready. */
export default function createCore(options: CoreOptions): Core;
