/** Reads a number of WebAssembly, with seven bits a byte. Returns its value and its end. */
function numberAt(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, end: at };
  }
}

/** The same module with a limit on its memory, in pages of 64 KiB. The limit is below 2^14. */
export function withMaxPages(module, pages) {
  const memorySection = 5;
  for (let at = 8; at < module.length; ) {
    const id = module[at];
    const { value: size, end: content } = numberAt(module, at + 1);
    if (id === memorySection) {
      // The module has one memory with a maximum. The minimum comes first.
      if (module[content] !== 1 || module[content + 1] !== 1) break;
      const from = numberAt(module, content + 2).end;
      const { end } = numberAt(module, from);
      const copy = new Uint8Array(module);
      // The number keeps its length in bytes. Only the last byte ends it.
      for (let i = from, rest = pages; i < end; i++, rest >>= 7) {
        copy[i] = (rest & 127) | (i < end - 1 ? 128 : 0);
      }
      return copy;
    }
    at = content + size;
  }
  throw new Error('no memory with a maximum');
}
