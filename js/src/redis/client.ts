// The supported Redis clients, behind one function.

import { mustBe, TamisError, typeError } from '../core/errors.js';
import { unavailableError } from '../core/requests.js';

/** A word of a command. */
export type RedisWord = string | Uint8Array;

/** A client or a cluster of node-redis: the packages `redis` and `@redis/client`, version 4 or later. */
export interface NodeRedisClient {
  sendCommand(...args: never[]): Promise<unknown>;
}

/** `Redis` or `Cluster` of ioredis, version 5 or later. */
export interface IoRedisClient {
  getrangeBuffer(...args: never[]): Promise<unknown>;
}

/**
 * Any other client. `call` sends a command and resolves to its reply: a number, an array, bytes as a `Uint8Array`, or
 * `null`. The client of a cluster must follow MOVED and ASK, and must send every command to a master.
 */
export interface CallingClient {
  call(args: RedisWord[]): Promise<unknown>;
}

/** The clients that RedisFilter takes. */
export type RedisClient = NodeRedisClient | IoRedisClient | CallingClient;

/** Sends a command about the string `key`. With `wantsBytes`, which only GETRANGE uses, the reply is a Uint8Array. */
export type Send = (key: string, words: RedisWord[], wantsBytes?: boolean) => Promise<unknown>;

/** Options that make any version of node-redis return bytes. 36 is `$`, RESP's type code of a string. */
function bytesOptions(): object {
  const { Buffer } = globalThis as { Buffer?: unknown };
  return { returnBuffers: true, typeMapping: { 36: Buffer } };
}

interface BufferClass {
  from(buffer: ArrayBufferLike, offset: number, length: number): Uint8Array;
}

/** Converts bytes to Buffers, which the clients of Node need. */
function forNode(words: RedisWord[]): RedisWord[] {
  const { Buffer } = globalThis as unknown as { Buffer: BufferClass };
  return words.map((word) =>
    typeof word === 'string' ? word : Buffer.from(word.buffer, word.byteOffset, word.length),
  );
}

type Sender = (...args: unknown[]) => Promise<unknown>;
type Members = Readonly<Record<string, unknown>>;

const isFunction = (value: unknown): value is Sender => typeof value === 'function';

function senderOf(client: Members): Send | undefined {
  const { getrangeBuffer, sendCommand, call } = client;
  if (isFunction(getrangeBuffer) && isFunction(call)) {
    const { scaleReads = 'master' }: { scaleReads?: unknown } = Object(client.options);
    if (scaleReads !== 'master') {
      throw mustBe(
        "'master', as a replica lags",
        'RedisFilter.open: client.options.scaleReads',
        scaleReads,
      );
    }
    return (_, words, wantsBytes) =>
      // ioredis's callBuffer loses the command's name if auto-pipelining is on.
      wantsBytes
        ? getrangeBuffer.apply(client, words.slice(1))
        : call.apply(client, forNode(words));
  }
  if (isFunction(sendCommand)) {
    if (isFunction(client.getSentinelNode) || isFunction(client.getMasterNode)) {
      throw typeError("RedisFilter.open: client is node-redis's sentinel; give { call(args) }");
    }
    const isCluster = isFunction(client.nodeClient) || Array.isArray(client.masters);
    return (key, words, wantsBytes) => {
      // Never marked as a read, because reads may go to a replica.
      const route = isCluster ? [key, false] : [];
      const options = wantsBytes ? [bytesOptions()] : [];
      return sendCommand.call(client, ...route, forNode(words), ...options);
    };
  }
  return isFunction(call) ? (_, words) => call.call(client, words) : undefined;
}

/** True if the server does not know the command, or does not allow it to this user. */
export const isNoCommand = (cause: unknown): boolean =>
  /^(ERR unknown command|NOPERM)/i.test(messageOf(cause));

const messageOf = (cause: unknown): string => String(Object(cause).message);

/** The error for a failed command. Nothing is known of its effect. */
export function failureOf(cause: unknown, key: string): TamisError {
  if (cause instanceof TamisError) return cause;
  const message = messageOf(cause);
  if (message.startsWith('WRONGTYPE')) {
    return new TamisError('ERR_TAMIS_INCOMPATIBLE', `${key} is of another type in Redis`, {
      cause,
    });
  }
  return unavailableError(`Redis gave no answer about ${key}: ${message}`, cause);
}

/** Makes the one function behind a client. Throws TypeError for anything else. */
export function sendBy(client: unknown): Send {
  const isObject = Object(client) === client;
  const send = isObject ? senderOf(client as Members) : undefined;
  if (send !== undefined) return send;
  const what = 'a client of node-redis or ioredis, or { call(args) }';
  throw mustBe(what, 'RedisFilter.open: client', client);
}
