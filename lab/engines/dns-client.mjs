// Builds and sends DNS questions. Labels may be any bytes, and a packet need not be a valid question.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Readable } from 'node:stream';

/** Numbers of record types; 65 is HTTPS. */
export const TYPES = { A: 1, MX: 15, TXT: 16, AAAA: 28, HTTPS: 65 };

/** The labels of a host, as bytes. */
export const labelsOf = (host) => host.split('.').map((label) => Buffer.from(label));

/**
 * A question with id 0. `labels` are strings or bytes, in order. With `edns`, it states room for 1232 bytes and asks
 * for signatures.
 */
export function questionOf(labels, type = 'A', edns = false) {
  const header = Buffer.from([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, edns ? 1 : 0]);
  const name = labels.flatMap((label) => {
    const bytes = Buffer.from(label);
    return [Buffer.from([bytes.length]), bytes];
  });
  const end = Buffer.from([0, 0, TYPES[type], 0, 1]);
  const record = Buffer.from([0, 0, 41, 1232 >> 8, 1232 & 255, 0, 0, 0x80, 0, 0, 0]);
  return Buffer.concat([header, ...name, end, ...(edns ? [record] : [])]);
}

/** The end of the only question of a packet. */
export function endOf(packet) {
  let at = 12;
  while (packet[at] > 0) at += packet[at] + 1;
  return at + 5;
}

/** A copy with other bytes, starting at `at`. */
export function withBytes(packet, at, ...bytes) {
  const copy = Buffer.from(packet);
  copy.set(bytes, at);
  return copy;
}

/**
 * Starts a UDP server on 127.0.0.1, until the process ends. `listener` gets each packet, a function that replies to it,
 * and the sender's port.
 */
export async function serveUdp(listener = () => {}) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1').unref();
  await once(socket, 'listening');
  socket.on('message', (message, { port }) => {
    listener(message, (answer) => socket.send(answer, port, '127.0.0.1'), port);
  });
  return socket;
}

/** After this many milliseconds a packet is sent again, because UDP may have lost it. */
const resendMs = 5000;
/** How often a packet is sent at most. That takes ten minutes, within which even a slow server answers. */
const mostTries = 120;

/** A client for the server on a port of 127.0.0.1. It can ask 65,536 questions at a time, from its own address. */
export async function startClient(port, ownAddress = '127.0.0.1') {
  const socket = createSocket('udp4').bind(0, ownAddress);
  await once(socket, 'listening');
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const open = new Map();
  /** Ids of packets that were sent twice, and may have two answers. */
  const repeated = new Set();
  const strays = [];
  let id = 0;
  let isStopped = false;
  socket.on('message', (answer) => {
    const to = answer.readUInt16BE(0);
    if (open.has(to)) open.get(to).resolve(answer);
    else if (!repeated.has(to)) strays.push(answer);
  });

  /** Sends a packet with a new id, again if necessary, and returns the answer. */
  async function ask(packet) {
    do id = (id + 1) & 0xffff;
    while (open.has(id));
    if (isStopped) throw new Error('the client is stopped');
    const own = id;
    const sent = withBytes(packet, 0, own >> 8, own & 255);
    let tries = 1;
    let timer;
    const answered = new Promise((resolve, reject) => {
      open.set(own, { resolve, reject });
      timer = setInterval(() => {
        if (++tries > mostTries) reject(new Error(`no answer to ${packet.toString('latin1')}`));
        repeated.add(own);
        socket.send(sent);
      }, resendMs);
    });
    socket.send(sent);
    try {
      return await answered;
    } finally {
      clearInterval(timer);
      open.delete(own);
    }
  }

  return {
    ask,
    /** Sends a packet as it is. */
    send: (packet) => socket.send(packet),
    /** Answers that belong to none of the questions. */
    strays,
    /** Rejects every question without an answer. */
    stop() {
      isStopped = true;
      socket.close();
      for (const { reject } of open.values()) reject(new Error('the client is stopped'));
    },
  };
}

/** Calls `act` for each item, at most `atOnce` at a time, and returns the results in order. A failure ends all. */
export const mapAtOnce = (items, atOnce, act) =>
  Readable.from(items).map(act, { concurrency: atOnce }).toArray();
