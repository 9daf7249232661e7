// A question to the confirm server, as the package asks and answers it: FORMAT.md, section 8.
import {
  createConfirmHandler,
  memoryStorage,
  publishList,
  UrlChecker,
  type UrlListBuilder,
  type Verification,
} from 'tamis/url';
import { hexOf } from '../../format';

const DECOYS = 4;
const ORIGIN = 'https://lists.example/';

/** The bytes that were sent to the confirm server, and the bytes that came back. */
export interface Exchange {
  readonly question: Uint8Array;
  readonly answer: Uint8Array;
}

export interface Asked {
  readonly verification: Verification;
  /** The exchange, or undefined if no server was asked. */
  readonly exchange: Exchange | undefined;
}

/** The same numbers each time, so that all readers see the same figure. */
function makeRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** Verifies a link in this page, with a publisher, a confirm server and a checker of the package. */
export async function verify(builder: UrlListBuilder, text: string): Promise<Asked> {
  const keys = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const folder = memoryStorage();
  const list = builder.build();
  await publishList(list, { name: 'phish', storage: folder, keys });
  list.dispose();
  const confirm = createConfirmHandler(builder.fullHashes, {
    cacheSeconds: 300,
    negativeSeconds: 1800,
  });
  let exchange: Exchange | undefined;
  const checker = await UrlChecker.open({
    manifest: `${ORIGIN}manifest.json`,
    list: 'phish',
    publicKeys: [keys.publicKey],
    storage: 'memory',
    confirm: `${ORIGIN}confirm`,
    onMissing: 'throw',
    onConfirmError: 'throw',
    updateEveryMs: 0,
    decoys: DECOYS,
    random: makeRandom(),
    // Nothing leaves this page.
    fetch: async (url, init) => {
      const name = url.slice(ORIGIN.length);
      if (name !== 'confirm') return new Response(folder.get(name));
      const request = new Request(url, init);
      const question = new Uint8Array(await request.clone().arrayBuffer());
      const response = await confirm(request);
      exchange = { question, answer: new Uint8Array(await response.clone().arrayBuffer()) };
      return response;
    },
  });
  try {
    await checker.update();
    return { verification: await checker.verify(text), exchange };
  } finally {
    checker.close();
  }
}

/** The prefixes of a question: section 8.1. */
export function prefixesOf(question: Uint8Array): number[] {
  const view = new DataView(question.buffer, question.byteOffset, question.byteLength);
  return Array.from({ length: question.length / 4 }, (_, i) => view.getUint32(4 * i));
}

/** The sizes in bytes of an answer's numbers, and of a hash. */
export const HEAD = 12;
export const HASH = 32;

/** The hashes of an answer: section 8.2. */
export function hashesOf(answer: Uint8Array): string[] {
  const count = new DataView(answer.buffer, answer.byteOffset).getUint32(8, true);
  return Array.from({ length: count }, (_, i) =>
    hexOf(answer.subarray(HEAD + HASH * i, HEAD + HASH * (i + 1))),
  );
}
