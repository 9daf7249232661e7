// The list of the URL figure, and the contents of its bytes: FORMAT.md, sections 5.18 and 5.19.
import { type UrlList, UrlListBuilder } from 'tamis/url';
import { payloadOf, readBit, readField } from '../shared/bytes';

/** Made-up hosts. Nobody may register a name below `.example`. */
const hosts: readonly string[] = [
  'wallet-pay.example',
  'secure-login.example',
  'free-coins.example',
  'bank-verify.example',
  'parcel-fee.example',
  'prize-claim.example',
  'tax-refund.example',
  'account-unlock.example',
  'gift-card.example',
  'crypto-double.example',
  'login-update.example',
  'support-chat.example',
  'mail-upgrade.example',
  'photo-share.example',
  'invoice-due.example',
  'seed-phrase.example',
  'airdrop-now.example',
  'reset-code.example',
  'stream-free.example',
  'card-check.example',
  'id-renewal.example',
  'toll-payment.example',
  'lucky-spin.example',
  'loan-today.example',
  'ticket-resale.example',
  'update-flash.example',
  'codec-pack.example',
  'pills-cheap.example',
  'watch-outlet.example',
  'rental-deal.example',
  'job-offer.example',
  'visa-fast.example',
  'charity-now.example',
  'game-skins.example',
  'phone-winner.example',
  'cloud-storage-full.example',
  'voice-mail.example',
  'hr-payroll.example',
  'doc-sign.example',
  'wifi-portal.example',
  '192.0.2.45',
];

/** One folder, and one page with its query. */
const others: readonly string[] = ['good.example/~mallory/', 'shop.example/pay?to=mallory'];

/** The listed entries, as expressions. */
export const entries: readonly string[] = [...hosts.map((host) => `${host}/`), ...others];

export const makeList = (): UrlList => new UrlListBuilder().addExpressions(entries).build();

/** A sorted list of integers of 4 bytes (section 5.18) at a place of a payload, and the place after its last byte. */
function readIntegers(view: DataView, at: number, count: number, k: number) {
  const values = [view.getUint32(at)];
  let bit = 0;
  while (values.length < count) {
    let quotient = 0;
    while (readBit(view, at + 4, bit++)) quotient++;
    let rest = 0;
    for (let i = 0; i < k; i++) if (readBit(view, at + 4, bit++)) rest += 2 ** i;
    values.push((values.at(-1) as number) + quotient * 2 ** k + rest);
  }
  return { values, end: at + 4 + Math.ceil(bit / 8) };
}

export interface ListBytes {
  /** The prefixes in ascending order. */
  readonly prefixes: readonly number[];
  /** The shapes of expressions that the list may hold, with one bit for each. */
  readonly shapes: number;
}

/** The number of bytes of a list's record, before its prefixes. */
const RECORD = 80;

/** Reads the bytes of a list. Throws if the package reads different prefixes. */
export function readList(list: UrlList): ListBytes {
  const view = payloadOf(list.toBytes());
  const k = view.getUint32(4, true);
  const { values, end } = readIntegers(view, RECORD, list.count, k);
  const known = list.prefixes();
  const isSame = values.every((value, i) => new DataView(known.buffer).getUint32(4 * i) === value);
  if (!isSame || end !== view.byteLength) throw new Error('the bytes give a different list');
  return { prefixes: values, shapes: readField(view, 12, 0, 6) };
}

/** The shape of an expression, as its bit: section 5.19. */
export function shapeOf(expression: string): number {
  if (expression.includes('?')) return 1 << 5;
  const depth = expression.split('/').length - 2;
  return 1 << (expression.endsWith('/') && depth < 4 ? depth : 4);
}

/** A prefix in hexadecimal. */
export const hex = (prefix: number): string => prefix.toString(16).padStart(8, '0');

/** The number with its noun: '1 entry', '2 entries'. */
export const entriesOf = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;
