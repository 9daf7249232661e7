// Numbers that come one batch after the other, nobody knows how many: kept in blocks, since one array that
// grows would be there twice while it is copied.

type Numbers = BigUint64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

const blockLength = 65_536;

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
      const at = this.#length % blockLength;
      if (at === 0) this.#blocks.push(new this.#Block(blockLength));
      const some = Math.min(count - from, blockLength - at);
      fill(this.#blocks[this.#blocks.length - 1] as A, at, from, some);
      this.#length += some;
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
  }
}
