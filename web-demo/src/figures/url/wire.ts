// The messages on the wire when a link hits: the confirm protocol, FORMAT.md, section 8.
import { hexOf, integer, plural } from '../../format';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { listOf } from '../shared/words';
import { type Asked, type Exchange, HASH, HEAD, hashesOf, prefixesOf, verify } from './ask';
import { invalidStep } from './disguise';
import { type Drawn, drawCharacters, drawEntries, drawLegend, level, line, shorten } from './draw';
import { hex, makeBuilder } from './list';
import { type Looked, type LookUp, lookUp } from './look-up';

/** The contents of the three places in a step: the browser, the wire and the server. */
interface Stage {
  readonly browser: readonly number[];
  readonly toneOf: (prefix: number) => Tone;
  readonly wire?: readonly number[];
  readonly server?: readonly number[];
  /** The answer on the wire, instead of prefixes. */
  readonly answer?: Uint8Array;
}

/** The bytes of an answer in long rows. They are drawn as three paths, because there are about a thousand bytes. */
function drawAnswer(answer: Uint8Array, width: number, top: number): Drawn {
  const columns = width >= 640 ? 128 : 64;
  const size = Math.min(8, (width - 2) / columns);
  const pathOf = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => {
      const [x, y] = [
        ((from + i) % columns) * size + 1,
        top + Math.floor((from + i) / columns) * size,
      ];
      return `M${x.toFixed(2)} ${y.toFixed(2)}h${size - 1}v${size - 1}h${1 - size}z`;
    }).join('');
  const end = HEAD + HASH * hashesOf(answer).length;
  const part = (key: string, from: number, to: number, tone: Tone): Mark => ({
    kind: 'path',
    key,
    d: pathOf(from, to),
    tone,
    filled: true,
  });
  const rows = Math.ceil(answer.length / columns);
  const legend = drawLegend(
    [
      ['new', 'times and count'],
      ['hit', 'hashes'],
      ['off', 'zeros'],
    ],
    width,
    top + rows * size + 8,
  );
  return {
    marks: [
      part('head', 0, HEAD, 'new'),
      part('hashes', HEAD, end, 'hit'),
      part('padding', end, answer.length, 'off'),
      ...legend.marks,
    ],
    bottom: legend.bottom,
  };
}

function drawStage(look: LookUp, stage: Stage, width: number): Scene {
  const { browser, toneOf, wire = [], server = [], answer } = stage;
  const rule = (key: string, y: number): Mark => {
    return { kind: 'path', key, d: `M0 ${y}H${width}`, tone: 'faint' };
  };
  const yours = drawEntries(browser, { width, top: 54, name: 'yours' }, toneOf);
  const wireTop = Math.max(yours.bottom, 82) + 12;
  // The prefixes that are sent move on from the wire to the server.
  const place = { width, name: 'sent' };
  const moving = answer
    ? drawAnswer(answer, width, wireTop + 34)
    : drawEntries(wire, { ...place, top: wireTop + 34 }, () => 'on');
  const serverTop = Math.max(moving.bottom, wireTop + 62) + 12;
  const seen = drawEntries(server, { ...place, top: serverTop + 34 }, () => 'on');
  const way = answer
    ? `, back to you: ${integer(answer.length)} bytes`
    : wire.length > 0
      ? `, to the server: ${integer(4 * wire.length)} bytes`
      : ': nothing';
  return {
    height: Math.max(seen.bottom, serverTop + 62) + 4,
    marks: [
      line('browser', 1, 12, 'Your browser', true),
      line('link', 1, 34, shorten(look.canonical, width)),
      ...yours.marks,
      rule('rule1', wireTop),
      line('wire', 1, wireTop + 18, `On the wire${way}`, true),
      ...moving.marks,
      rule('rule2', serverTop),
      line('server', 1, serverTop + 18, 'The confirm server', true),
      ...seen.marks,
    ],
  };
}

function drawCompared(mine: string, theirs: string, width: number): Scene {
  // Digits after the first difference are equal only by chance, so they are not marked.
  const equal = [...mine].findIndex((digit, i) => digit !== theirs[i]);
  const toneOf = (i: number): Tone =>
    equal < 0 || i < equal ? 'second' : mine[i] === theirs[i] ? 'off' : 'wrong';
  const first = drawCharacters(mine, { name: 'mine', width, top: 28 }, toneOf);
  const top = first.bottom + 36;
  const second = drawCharacters(theirs, { name: 'theirs', width, top }, toneOf);
  return {
    height: second.bottom,
    marks: [
      line('title', 1, 12, 'The whole hash of your expression', true),
      ...first.marks,
      line('title2', 1, first.bottom + 20, 'The listed hash that came back', true),
      ...second.marks,
    ],
  };
}

/** The question, and the tones in which it is drawn. */
interface Question {
  readonly look: LookUp;
  readonly hits: readonly Looked[];
  /** All prefixes that are sent, and those of the hits. */
  readonly sent: readonly number[];
  readonly mine: readonly number[];
}

const drawerOf =
  ({ look, sent, mine }: Question) =>
  (stage: Partial<Stage>) =>
  (width: number): Scene =>
    drawStage(
      look,
      { browser: sent, toneOf: (prefix) => (mine.includes(prefix) ? 'hit' : 'second'), ...stage },
      width,
    );

function asking(question: Question): Step[] {
  const { hits, sent, mine } = question;
  const decoys = sent.filter((prefix) => !mine.includes(prefix));
  const draw = drawerOf(question);
  const all = sent.map(hex).join(' ');
  return [
    {
      caption:
        `The list in your browser has the 4 bytes of ${listOf(hits.map(({ expression }) => expression))}. ` +
        'That is a maybe, and nobody but you knows of it.',
      answer: { verdict: 'probable', words: 'maybe' },
      scene: draw({ browser: mine }),
      text: [`Hits: ${mine.map(hex).join(' ')}.`, 'Sent so far: nothing.'],
    },
    {
      caption:
        `The package adds ${plural(decoys.length, 'decoy')}: random entries of the list. ` +
        'It sorts all prefixes, so that their order tells nothing.',
      scene: draw({}),
      text: [`Yours: ${mine.map(hex).join(' ')}.`, `Decoys: ${decoys.map(hex).join(' ')}.`],
    },
    {
      caption: `These ${4 * sent.length} bytes are the whole question. No URL, no cookie and no referrer go along.`,
      scene: draw({ wire: sent }),
      text: [`The body of the POST request, ${4 * sent.length} bytes: ${all}.`],
    },
    {
      caption:
        `The server sees ${sent.length} prefixes, and not which of them is yours. ` +
        'It could still guess a well-known host.',
      scene: draw({ server: sent }),
      text: [
        `The server sees: ${all}.`,
        'It does not see the URL, the host, or which prefixes are decoys.',
      ],
    },
  ];
}

function answering(question: Question, { verification, exchange }: Asked): Step[] {
  const { hits, sent } = question;
  const draw = drawerOf(question);
  const { answer } = exchange as Exchange;
  const hashes = hashesOf(answer);
  const mine = hits.map(({ hash }) => hexOf(hash));
  const listed = mine.find((hash) => hashes.includes(hash));
  const own = listed ?? (mine[0] as string);
  const theirs = hashes.find((hash) => hash.startsWith(own.slice(0, 8))) as string;
  const isUnsafe = verification.verdict === 'unsafe';
  const words = `verify gives '${verification.verdict}', from the ${verification.from}.`;
  return [
    {
      caption:
        `The answer has ${hashes.length} whole hashes: all listed ones with these prefixes. ` +
        `Zeros fill it to ${integer(answer.length)} bytes, so its length tells nothing.`,
      scene: draw({ server: sent, answer }),
      text: [
        `${integer(answer.length)} bytes: ${HEAD} of times and a count, ${HASH * hashes.length} of hashes, then zeros.`,
        `The hashes: ${hashes.join(' ')}.`,
      ],
    },
    {
      caption: isUnsafe
        ? 'Your browser compares whole hashes. All 32 bytes are equal, so the link is listed.'
        : 'Your browser compares whole hashes. Only the first 4 bytes are equal, so the link is not listed.',
      answer: { verdict: isUnsafe ? 'refused' : 'absent', words },
      scene: (width) => drawCompared(own, theirs, width),
      text: [words, `Your hash: ${own}.`, `The listed hash: ${theirs}.`],
    },
  ];
}

/** The steps of a link that does not hit. */
function silence(look: LookUp, { verification }: Asked): Step {
  return {
    caption:
      'None of its expressions hits. Nothing crosses the wire, and no server learns of the link.',
    answer: {
      verdict: 'absent',
      words: `verify gives '${verification.verdict}'. Nothing was sent.`,
    },
    scene: (width) => drawStage(look, { browser: [], toneOf: () => 'off' }, width),
    text: [
      `verify gives '${verification.verdict}', from the ${verification.from}.`,
      'Sent: 0 bytes.',
    ],
  };
}

/** The steps of verifying a link. */
export async function wireSteps(text: string): Promise<readonly Step[]> {
  const builder = makeBuilder();
  const list = builder.build();
  try {
    const look = lookUp(list, text);
    if (look === undefined) return [invalidStep(text, list.check(text))];
    const asked = await verify(builder, text);
    if (asked.exchange === undefined) return [silence(look, asked)];
    const hits = look.looked.filter(({ hit }) => hit);
    const sent = prefixesOf(asked.exchange.question);
    const mine = [...new Set(hits.map(({ prefix }) => prefix))];
    const question: Question = { look, hits, sent, mine };
    return level([...asking(question), ...answering(question, asked)]);
  } finally {
    list.dispose();
  }
}
