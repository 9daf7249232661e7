// Makes files of other libraries with 10 MB of bits or slots, and measures how much the core's memory grows to decode
// one.

const memories = [];
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, given) {
    const instance = new target(...given);
    for (const made of Object.values(instance.exports)) {
      if (made instanceof WebAssembly.Memory && !memories.includes(made)) memories.push(made);
    }
    return instance;
  },
});
const { init } = await import('tamis');
const interop = await import('tamis/interop');

const size = 10_000_000;

/** A header of this many bytes, followed by `rest` bytes whose lowest bit is set. */
function file(headerBytes, write, rest = size) {
  const bytes = new Uint8Array(headerBytes + rest);
  for (let i = headerBytes; i < bytes.length; i++) bytes[i] = ((i * 0x9e3779b1) >>> 13) | 1;
  write(new DataView(bytes.buffer), bytes);
  return bytes;
}

/** Parquet's header in Thrift: the size of the blocks, and three choices. */
function parquetHeader() {
  const bytes = [0x15];
  let rest = 2 * size;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  const choice = [0x1c, 0x1c, 0, 0];
  return [...bytes, rest, ...choice, ...choice, ...choice, 0];
}

/** The slots for 9,000,000 keys, in 309 segments. */
const segment = 2 ** 15;
const slots = 309 * segment;

/** A packed fuse filter with 1-byte fingerprints, in which every eighth slot is 0 and not in the file. */
function packedFile() {
  const map = slots / 8;
  return file(
    12,
    (view, bytes) => {
      view.setUint32(8, 9_000_000, true);
      bytes.fill(0x7f, 12, 12 + map);
    },
    map + 7 * map,
  );
}

const files = {
  guava: () =>
    file(6, (view, bytes) => {
      bytes.set([1, 7]);
      view.setInt32(2, size / 8);
    }),
  goBloom: () =>
    file(24, (view) => {
      view.setBigUint64(0, BigInt(8 * size));
      view.setBigUint64(8, 7n);
      view.setBigUint64(16, BigInt(8 * size));
    }),
  spark: () =>
    file(12, (view) => {
      for (const [i, word] of [1, 7, size / 8].entries()) view.setInt32(4 * i, word);
    }),
  dataSketches: () =>
    file(32, (view, bytes) => {
      bytes.set([4, 1, 21, 0]);
      view.setUint16(4, 7, true);
      view.setUint32(16, size / 8, true);
      view.setBigInt64(24, -1n, true);
    }),
  redisBitmap: () => file(0, () => {}),
  redisBloom: () =>
    file(73, (view) => {
      view.setBigUint64(0, 1000n, true);
      for (const [i, word] of [1, 13, 2].entries()) view.setUint32(8 + 4 * i, word, true);
      view.setBigUint64(20, BigInt(size), true);
      view.setBigUint64(28, BigInt(8 * size), true);
      view.setBigUint64(36, 1000n, true);
      view.setFloat64(44, 0.01, true);
      view.setFloat64(52, -Math.log(0.01) / 0.480453013918201, true);
      view.setUint32(60, 7, true);
      view.setBigUint64(64, 8_000_000n, true);
    }),
  parquet: () => {
    const header = parquetHeader();
    return file(header.length, (_, bytes) => bytes.set(header));
  },
  redisCuckoo: () =>
    file(
      38,
      (view) => {
        view.setBigUint64(0, 100n, true);
        view.setBigUint64(8, 2n ** 22n, true);
        view.setBigUint64(24, 1n, true);
        for (const [i, word] of [2, 20, 1].entries()) view.setUint16(32 + 2 * i, word, true);
      },
      2 ** 23,
    ),
  binaryFuse: () =>
    file(
      28,
      (view) => {
        const words = [9_000_000, segment, 307, 307 * segment, slots];
        for (const [i, word] of words.entries()) view.setUint32(8 + 4 * i, word, true);
      },
      slots,
    ),
  packed: packedFile,
};
const others = {
  redisBitmap: [interop.redisBitmap, { bits: 8 * size, hashes: 7 }],
  packed: [interop.binaryFuse, { layout: 'pack' }],
};

/** The bytes of the file, and by how many bytes the memory of a new core grows. */
export async function measure(name) {
  const [codec, options] = others[name] ?? [interop[name]];
  const data = files[name]();
  await init();
  const [memory] = memories;
  const before = memory.buffer.byteLength;
  const filter = codec.decode(data, options);
  const grown = memory.buffer.byteLength - before;
  if (filter.sizeBytes < 2 ** 23) throw new Error(`${name}: ${filter.sizeBytes} bytes`);
  return { bytes: data.length, grown };
}

/** Faults that only the core finds, when it has the bytes: set bits without keys, or an incomplete block. */
const damages = {
  redisBloom: (bytes) => {
    bytes.fill(0, 0, 8);
    bytes.fill(0, 36, 44);
  },
  parquet: (bytes) => bytes.fill(0, bytes.length - 4),
};

/** By how many bytes the memory grows if a file is refused this often, and the codes of the refusals. */
export async function measureRefusals(name, times) {
  const data = files[name]();
  damages[name](data);
  await init();
  const [memory] = memories;
  const before = memory.buffer.byteLength;
  const codes = new Set();
  for (let i = 0; i < times; i++) {
    try {
      interop[name].decode(data);
    } catch ({ code }) {
      codes.add(code);
    }
  }
  const grown = memory.buffer.byteLength - before;
  return { bytes: data.length, grown, codes: [...codes] };
}
