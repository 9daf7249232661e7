// Numbers that come one batch after the other, nobody knows how many. They are kept in blocks: one array that grows
// would be there twice while it is copied.

type Numbers = BigUint64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** Numbers of the first block; each is twice as long as the last, up to the longest. */
const shortest = 1024;
const longest = 65_536;

interface BlockClass<A> {
  new (length: number): A;
  readonly BYTES_PER_ELEMENT: number;
}

/** A growing list; `Block` is the class of its blocks. */
export class Blocks<A extends Numbers> {
  readonly bytesEach: number;
  readonly #Block: BlockClass<A>;
  #blocks: A[] = [];
  #length = 0;
  /** Places that are free in the last block. */
  #room = 0;

  constructor(Block: BlockClass<A>) {
    this.#Block = Block;
    this.bytesEach = Block.BYTES_PER_ELEMENT;
  }

  get length(): number {
    return this.#length;
  }

  /** Keeps `count` more; `fill` puts those from `from` on into a block, `at` being the first's place. */
  take(count: number, fill: (block: A, at: number, from: number, count: number) => void): void {
    for (let from = 0; from < count; ) {
      const last = this.#blocks.at(-1);
      if (last === undefined || this.#room === 0) {
        this.#room = last === undefined ? shortest : Math.min(2 * last.length, longest);
        this.#blocks.push(new this.#Block(this.#room));
        continue;
      }
      const some = Math.min(count - from, this.#room);
      fill(last, last.length - this.#room, from, some);
      this.#length += some;
      this.#room -= some;
      from += some;
    }
  }

  /** Gives every block away, in order, with the place of its first number; the list is empty then. */
  drain(give: (part: A, at: number) => void): void {
    const blocks = this.#blocks.reverse();
    this.#blocks = [];
    let at = 0;
    for (let block = blocks.pop(); block !== undefined; block = blocks.pop()) {
      const part = block.subarray(0, this.#length - at) as A;
      give(part, at);
      at += part.length;
    }
    this.#length = 0;
    this.#room = 0;
  }
}
