/** Reads a wasm number, which has seven bits in each byte. Returns its value and its end. */
function numberAt(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, end: at };
  }
}

/** The same module with a maximum for its memory, in pages of 64 KiB. The maximum must be below 2^14. */
export function withMaxPages(module, pages) {
  const memorySection = 5;
  for (let at = 8; at < module.length; ) {
    const id = module[at];
    const { value: size, end: content } = numberAt(module, at + 1);
    if (id === memorySection) {
      // The module has one memory, with a minimum and a maximum.
      if (module[content] !== 1 || module[content + 1] !== 1) break;
      const from = numberAt(module, content + 2).end;
      const { end } = numberAt(module, from);
      const copy = new Uint8Array(module);
      // The number keeps its length: all bytes but the last have the continuation bit.
      for (let i = from, rest = pages; i < end; i++, rest >>= 7) {
        copy[i] = (rest & 127) | (i < end - 1 ? 128 : 0);
      }
      return copy;
    }
    at = content + size;
  }
  throw new Error('no memory with a maximum');
}
