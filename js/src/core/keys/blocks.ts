// A list for numbers that arrive in batches, without a known total. It consists of blocks, because one growing array
// would need its memory twice while it is copied.

type Numbers = BigUint64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** The length of the first block. Each next block is twice as long, up to the longest. */
const shortest = 1024;
const longest = 65_536;

interface BlockClass<A> {
  new (length: number): A;
  readonly BYTES_PER_ELEMENT: number;
}

/** A growing list of numbers; `Block` is the class of its blocks. */
export class Blocks<A extends Numbers> {
  readonly Block: BlockClass<A>;
  readonly #blocks: A[] = [];
  length = 0;
  /** The free places in the last block. */
  #room = 0;

  constructor(Block: BlockClass<A>) {
    this.Block = Block;
  }

  /** Appends `count` numbers. Each `fill` writes some of them, from number `from` on, to `block` from index `at` on. */
  add(count: number, fill: (block: A, at: number, from: number, count: number) => void): void {
    for (let from = 0; from < count; ) {
      const last = this.#blocks.at(-1);
      if (last === undefined || this.#room === 0) {
        this.#room = last === undefined ? shortest : Math.min(2 * last.length, longest);
        this.#blocks.push(new this.Block(this.#room));
        continue;
      }
      const size = Math.min(count - from, this.#room);
      fill(last, last.length - this.#room, from, size);
      this.length += size;
      this.#room -= size;
      from += size;
    }
  }

  /** Calls `take` with each block, in order, and with the list index of its first number. Empties the list. */
  drain(take: (part: A, at: number) => void): void {
    let at = 0;
    for (let block = this.#blocks.shift(); block !== undefined; block = this.#blocks.shift()) {
      const part = block.subarray(0, this.length - at) as A; // without the free places of the last block
      take(part, at);
      at += part.length;
    }
    this.length = 0;
  }
}

/** Returns the numbers of a list in one array, and empties the list. */
export function joinBlocks<A extends Numbers>(blocks: Blocks<A>): A {
  const joined = new blocks.Block(blocks.length);
  blocks.drain((part, at) => joined.set(part as never, at));
  return joined;
}
