// Makes one function that sends commands through any supported Redis client.

import { mustBe, TamisError, typeError } from '../core/errors.js';
import { unavailableError } from '../core/requests.js';

/** A word of a command. */
export type RedisWord = string | Uint8Array;

/** A client or cluster object of node-redis: the packages `redis` and `@redis/client`, version 4 or later. */
export interface NodeRedisClient {
  sendCommand(...args: never[]): Promise<unknown>;
}

/** An object of `Redis` or `Cluster` of ioredis, version 5 or later. */
export interface IoRedisClient {
  getrangeBuffer(...args: never[]): Promise<unknown>;
}

/**
 * Another client. `call` sends a command and resolves to its reply: a number, an array, bytes as a `Uint8Array`, or
 * `null`. In a cluster, `call` must follow MOVED and ASK, and send every command to a master.
 */
export interface CallingClient {
  call(args: RedisWord[]): Promise<unknown>;
}

/** The clients that RedisFilter accepts. */
export type RedisClient = NodeRedisClient | IoRedisClient | CallingClient;

/** Sends a command about `key`. With `wantsBytes`, which only GETRANGE uses, it resolves to a Uint8Array. */
export type Send = (key: string, words: RedisWord[], wantsBytes?: boolean) => Promise<unknown>;

/** Converts bytes to Buffers, which Node's clients need. */
const forNode = (words: RedisWord[]): RedisWord[] =>
  words.map((word) =>
    typeof word === 'string'
      ? word
      : globalThis.Buffer.from(word.buffer, word.byteOffset, word.length),
  );

const isFunction = (value: unknown): value is (...args: unknown[]) => Promise<unknown> =>
  typeof value === 'function';

/** Makes the function that sends commands through a client. Throws TypeError if the value is not a client. */
export function sendBy(client: unknown): Send {
  const members: Readonly<Record<string, unknown>> = Object(client);
  const { getrangeBuffer, sendCommand, call } = members;
  const isIoRedis = isFunction(getrangeBuffer) && isFunction(call);
  if (isIoRedis) {
    const { scaleReads = 'master' }: { scaleReads?: unknown } = Object(members.options);
    if (scaleReads !== 'master') {
      const name = 'RedisFilter.open: client.options.scaleReads';
      throw mustBe("'master', as replicas lag", name, scaleReads);
    }
    return (_, words, wantsBytes) =>
      // callBuffer would lose the command's name if auto-pipelining is on. getrangeBuffer adds the name itself.
      wantsBytes
        ? getrangeBuffer.apply(client, words.slice(1))
        : call.apply(client, forNode(words));
  }
  if (isFunction(sendCommand)) {
    if (isFunction(members.getSentinelNode) || isFunction(members.getMasterNode)) {
      throw typeError('RedisFilter.open: client is a sentinel of node-redis; pass { call(args) }');
    }
    const isCluster = isFunction(members.nodeClient) || Array.isArray(members.masters);
    return (key, words, wantsBytes) => {
      // A cluster needs the key, and `false` for "not read-only", because it may send read-only commands to a replica.
      const route = isCluster ? [key, false] : [];
      // With both options, every version returns bytes. 36 is `$`, RESP's type code of a string.
      const bytes = { returnBuffers: true, typeMapping: { 36: globalThis.Buffer } };
      const options = wantsBytes ? [bytes] : [];
      return sendCommand.call(client, ...route, forNode(words), ...options);
    };
  }
  if (isFunction(call)) return (_, words) => call.call(client, words);
  const what = 'a client of node-redis or ioredis, or { call(args) }';
  throw mustBe(what, 'RedisFilter.open: client', client);
}

/** True if the server lacks the command, or does not allow this user to run it. */
export const isNoCommand = (cause: unknown): boolean =>
  /^(ERR unknown command|NOPERM)/i.test(messageOf(cause));

const messageOf = (cause: unknown): string => String(Object(cause).message);

/** The error for a failed command, which Redis may nevertheless have run. */
export function failureOf(cause: unknown, key: string): TamisError {
  if (cause instanceof TamisError) return cause;
  const message = messageOf(cause);
  if (message.startsWith('WRONGTYPE')) {
    const text = `${key} has another type in Redis`;
    return new TamisError('ERR_TAMIS_INCOMPATIBLE', text, { cause });
  }
  return unavailableError(`a command about ${key} failed: ${message}`, cause);
}
