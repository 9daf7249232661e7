// The DNS server js/examples/dns-server.mjs, before a real unbound. It gets 10,000 names, and packets
// that are not questions. Run by `npm run test:engines`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decode } from 'dns-packet';
import { randomBelow } from '../../js/examples/random.mjs';
import { settles } from '../../tests/e2e/patience.mjs';
import {
  endOf,
  labelsOf,
  mapAtOnce,
  questionOf,
  serveUdp,
  startClient,
  TYPES,
  withBytes,
} from './dns-client.mjs';
import { addressOf, HOSTS, hostOf, lengthen, listed, longest, others } from './dns-names.mjs';
import { later, startLists, startProgram, startUpstream, stopAll } from './dns-program.mjs';
import { openAddress, startResolver } from './resolvers.mjs';

/** The answers that unbound gives itself. It caches nothing, so that no time to live counts down. */
const resolverConfig = `
server:
  cache-max-ttl: 0
  cache-max-negative-ttl: 0
  local-zone: "data.example" static
  local-data: "text.data.example TXT short"
  local-data: "text.data.example MX 10 mail.data.example"
  local-data: "text.data.example A 192.0.2.1"
${Array.from({ length: 40 }, (_, i) => `  local-data: "large.data.example TXT ${i}-${'x'.repeat(80)}"`).join('\n')}
  local-zone: "gone.example" always_nxdomain
`;

let lists;
let unbound;
let server;
before(async () => {
  const hosts = Array.from({ length: HOSTS }, (_, i) => [hostOf(i), addressOf(i)]).flat();
  lists = await startLists([...hosts, '[2001:db8::1]']);
  unbound = await startResolver('unbound', resolverConfig);
  later(unbound.stop);
  server = await startProgram(lists, unbound.port);
});
after(stopAll);

/** Checks an answer of the program itself: the question, with a code and without records. */
function assertOwn(answer, packet, code, end = endOf(packet)) {
  const counts = [0, end > 12 ? 1 : 0, 0, 0, 0, 0, 0, 0];
  const own = withBytes(packet.subarray(0, end), 2, 0x81, 0x80 | code, ...counts);
  assert.equal(answer.subarray(2).toString('hex'), own.subarray(2).toString('hex'));
}
const noSuchName = 3;
const serverFailure = 2;
const formatError = 1;

/** The variables of a program that waits only briefly for its upstream. */
const impatient = { WAIT_MS: '4000' };

const listedPacket = questionOf(labelsOf(hostOf(0)));
const goodPacket = questionOf(labelsOf('good.example'));

test('what is listed has no answer, and all else that of unbound, byte for byte', async (t) => {
  const types = Object.keys(TYPES);
  const packets = Object.entries({ ...listed, ...others }).flatMap(([kind, labels]) =>
    Array.from({ length: HOSTS }, (_, i) => {
      const type = types[i % types.length];
      return { kind, type, packet: questionOf(labels(hostOf(i), i), type, i % 2 === 1) };
    }),
  );
  assert.equal(packets.length, 10_000);
  const alone = await startClient(unbound.port);
  t.after(alone.stop);
  const counts = { blocked: 0, passed: 0, addresses: 0, truncated: 0, absent: 0 };
  await mapAtOnce(packets, 64, async ({ kind, type, packet }) => {
    const [said, wanted] = await Promise.all([server.ask(packet), alone.ask(packet)]);
    if (kind in listed) {
      assertOwn(said, packet, noSuchName);
      // For unbound alone, it is a name like any other.
      assert.equal(wanted[3] & 15, 0, kind);
      counts.blocked++;
      return;
    }
    assert.equal(said.subarray(2).toString('hex'), wanted.subarray(2).toString('hex'), kind);
    counts.passed++;
    if (type === 'A' && wanted.includes(Buffer.from(openAddress.split('.')))) counts.addresses++;
    if (wanted[2] & 2) counts.truncated++;
    if ((wanted[3] & 15) === noSuchName) counts.absent++;
  });
  t.diagnostic(JSON.stringify(counts));
  assert.equal(counts.blocked, HOSTS * Object.keys(listed).length);
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 20, what);
  assert.deepEqual([server.strays, alone.strays], [[], []]);
});

test('dns-packet reads an answer to what is listed', async () => {
  const { type, rcode, questions, answers, flag_qr, flag_ra } = decode(
    await server.ask(listedPacket),
  );
  assert.deepEqual(
    { type, rcode, questions, answers, flag_qr, flag_ra },
    {
      type: 'response',
      rcode: 'NXDOMAIN',
      questions: [{ name: hostOf(0), type: 'A', class: 'IN' }],
      answers: [],
      flag_qr: true,
      flag_ra: true,
    },
  );
});

describe('a packet that is no question', () => {
  const end = endOf(listedPacket);
  const cut = Array.from({ length: end - 12 }, (_, i) => listedPacket.subarray(0, 12 + i));
  const packets = {
    'ends too early': cut,
    'has no question, or several': [
      withBytes(listedPacket, 4, 0, 0),
      withBytes(goodPacket, 4, 0, 0),
      withBytes(listedPacket, 4, 0, 2),
      withBytes(listedPacket, 4, 255, 255),
      Buffer.concat([withBytes(goodPacket, 4, 0, 2), listedPacket.subarray(12)]),
    ],
    'has labels of other kinds': [0x40, 0x41, 0x80, 0xbf, 0xc0].map((kind) =>
      withBytes(listedPacket, 12, kind),
    ),
    'points elsewhere': [0, 4, 11, 12, 200].map((to) =>
      Buffer.concat([listedPacket.subarray(0, 12), Buffer.from([0xc0, to, 0, 1, 0, 1])]),
    ),
    'points behind a label': [
      Buffer.concat([goodPacket.subarray(0, 17), Buffer.from([0xc0, 4, 0, 1, 0, 1])]),
    ],
    'has a name that is too long': [
      questionOf(labelsOf(`${`${longest}.`.repeat(4)}${hostOf(0)}`)),
      questionOf(labelsOf(`a${lengthen('bad-0.example')}`)),
    ],
  };
  for (const [what, all] of Object.entries(packets)) {
    test(what, async () => {
      for (const packet of all) assertOwn(await server.ask(packet), packet, formatError, 12);
    });
  }

  test('gets no answer where it is one, or has no header', async () => {
    const asked = new Set();
    const port = await startUpstream((message, reply) => {
      asked.add(message.toString('latin1', 2));
      reply(withBytes(message, 2, 0x81));
    });
    const program = await startProgram(lists, port);
    const silent = [listedPacket, goodPacket].map((packet) => withBytes(packet, 2, 0x81));
    for (let i = 0; i < 12; i++) silent.push(listedPacket.subarray(0, i));
    for (const packet of silent) program.send(packet);
    // The program answers in order, so if it answered the packets above, the answers would come first.
    assertOwn(await program.ask(listedPacket), listedPacket, noSuchName);
    await program.ask(goodPacket);
    assert.deepEqual([program.strays, asked.size], [[], 1]);
  });

  test('made at random, hangs nothing', async () => {
    const below = randomBelow(1);
    const packets = Array.from({ length: 1000 }, (_, i) => {
      const from = [listedPacket, goodPacket, questionOf(labelsOf('good.example'), 'A', true)][
        i % 3
      ];
      const packet = Buffer.from(from);
      for (let n = 1 + (i % 5); n > 0; n--) packet[2 + below(packet.length - 2)] = below(256);
      packet[2] &= 0x7f;
      return packet.subarray(0, 12 + below(2 * packet.length));
    });
    const program = await startProgram(lists, unbound.port, impatient);
    // If unbound does not answer a question, `ask` fails in the end.
    const answers = await mapAtOnce(packets, 200, program.ask);
    assert.ok(answers.every((answer) => answer[2] > 127));
    assertOwn(await program.ask(listedPacket), listedPacket, noSuchName);
  });
});

describe('an upstream', () => {
  const goods = Array.from({ length: 1500 }, (_, i) => questionOf(labelsOf(`good-${i}.example`)));

  test('that is silent fails all that wait for it, and nothing else', async () => {
    let isSilent = true;
    const waiting = new Set();
    const port = await startUpstream((message, reply) => {
      waiting.add(message.toString('latin1', 2));
      if (!isSilent) reply(withBytes(message, 2, 0x81));
    });
    const program = await startProgram(lists, port, impatient);
    const failures = [];
    for (let i = 0; i < goods.length; i += 50) {
      const asked = goods
        .slice(i, i + 50)
        .map(async (packet) => assertOwn(await program.ask(packet), packet, serverFailure));
      failures.push(...asked);
      assertOwn(await program.ask(listedPacket), listedPacket, noSuchName);
    }
    await Promise.all(failures);
    assert.equal(waiting.size, goods.length);
    isSilent = false;
    await settles(async () => {
      const answer = await program.ask(goodPacket);
      assert.deepEqual(answer.subarray(2), withBytes(goodPacket, 2, 0x81).subarray(2));
    });
  });

  test('that answers many at once in another order', async () => {
    const held = [];
    const port = await startUpstream((message, reply) => {
      held.push(() => reply(withBytes(message, 2, 0x81)));
      // The upstream collects 60 questions, and then answers them in reverse order.
      if (held.length === 60) for (const send of held.splice(0).reverse()) send();
    });
    const program = await startProgram(lists, port);
    // Two clients with the same ids and the same names.
    const other = await startClient(program.port);
    later(other.stop);
    const packets = goods.slice(0, 30);
    const ask = (client) => Promise.all(packets.map((packet) => client.ask(packet)));
    for (const answers of await Promise.all([ask(program), ask(other)])) {
      answers.forEach((answer, i) => {
        assert.deepEqual(answer.subarray(2), withBytes(packets[i], 2, 0x81).subarray(2));
      });
    }
    assert.deepEqual([program.strays, other.strays], [[], []]);
  });

  test('before whose answer others come', async () => {
    const stranger = await serveUdp();
    const port = await startUpstream((message, reply, from) => {
      const right = withBytes(message, 2, 0x81, 0x85);
      const forged = withBytes(message, 2, 0x81, 0x80);
      // One answer comes from another address. Another is forged, but comes from the upstream's own address.
      stranger.send(forged, from, '127.0.0.1', () => {
        for (let i = 0; i < forged.length; i++) reply(forged.subarray(0, i));
        reply(message);
        reply(withBytes(forged, 0, forged[0] ^ 1));
        reply(withBytes(forged, 1, forged[1] ^ 1));
        reply(withBytes(forged, 13, forged[13] ^ 1));
        reply(right);
      });
    });
    const program = await startProgram(lists, port);
    for (const packet of goods.slice(0, 50)) {
      const answer = await program.ask(packet);
      assert.deepEqual(answer.subarray(2), withBytes(packet, 2, 0x81, 0x85).subarray(2));
    }
    assert.deepEqual(program.strays, []);
  });

  test('that says what is wrong without the question', async () => {
    const refused = [0x81, 0x85, 0, 0, 0, 0, 0, 0, 0, 0];
    const port = await startUpstream((message, reply) =>
      reply(withBytes(message, 2, ...refused).subarray(0, 12)),
    );
    const program = await startProgram(lists, port);
    assert.deepEqual([...(await program.ask(goodPacket)).subarray(2)], refused);
  });

  test('that is not there', async () => {
    const nobody = 1;
    const program = await startProgram(lists, nobody);
    for (const packet of goods.slice(0, 10)) {
      // The system reports the closed port, so nobody waits for the timeout, after which the client gives up.
      assertOwn(await program.ask(packet), packet, serverFailure);
    }
    assertOwn(await program.ask(listedPacket), listedPacket, noSuchName);
  });

  test('must be an address, or the program does not start', async () => {
    const start = startProgram(lists, unbound.port, { UPSTREAM: 'localhost' });
    await assert.rejects(start, /UPSTREAM must be an IP address/);
  });
});

describe('without a list', () => {
  const missing = () => ({ MANIFEST: `${lists.url}/none/manifest.json` });
  const noHost = questionOf(labelsOf('198.51.100.7'));

  test('hosts get a failure, and what is no host the answer of the upstream', async () => {
    const program = await startProgram(lists, unbound.port, missing());
    for (const packet of [listedPacket, goodPacket]) {
      assertOwn(await program.ask(packet), packet, serverFailure);
    }
    assert.ok((await program.ask(noHost)).includes(Buffer.from(openAddress.split('.'))));
    assert.match(program.printed(), /404/);
  });

  test('all pass, where that is wanted', async () => {
    const program = await startProgram(lists, unbound.port, {
      ...missing(),
      WITHOUT_LIST: 'forward',
    });
    for (const packet of [listedPacket, goodPacket, noHost]) {
      assert.ok((await program.ask(packet)).includes(Buffer.from(openAddress.split('.'))));
    }
  });

  test('on the network, the one that is stored answers', async (t) => {
    const { folder } = await startProgram(lists, unbound.port);
    lists.isDown = true;
    t.after(() => {
      lists.isDown = false;
    });
    const program = await startProgram(lists, unbound.port, {}, folder);
    assertOwn(await program.ask(listedPacket), listedPacket, noSuchName);
    assert.equal((await program.ask(goodPacket))[3] & 15, 0);
  });

  test('of 8 bytes an entry, the program says so', async () => {
    const program = await startProgram(lists, unbound.port, {
      MANIFEST: `${lists.url}/4/manifest.json`,
    });
    assert.match(program.printed(), /8 bytes/);
  });
});
