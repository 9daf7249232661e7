// A guard whose overrides are in files. Arguments: FOLDER add FIRST COUNT, which writes the number of each override
// that was stored, or FOLDER follow URL, which writes each new answer about the URL, and ends after 'safe' and 'maybe'.

import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileStorage, UrlGuard } from 'tamis/url';

const [folder, what, one, count] = process.argv.slice(2);
/** Every URL is on this list. */
const source = {
  check: () => 'maybe',
  verify: async () => ({ verdict: 'unsafe', from: 'list' }),
  status: {},
  update: async () => ({}),
  onUpdate: () => () => {},
};
const guard = await UrlGuard.open({
  lists: { all: { source, action: 'block' } },
  storage: fileStorage(folder),
  whenMissing: 'throw',
  whenUnconfirmed: 'throw',
});
// Synchronous, so that a kill loses no line.
const tell = (line) => writeSync(1, `${line}\n`);

if (what === 'add') {
  for (let i = Number(one); i < Number(one) + Number(count); i++) {
    await guard.overrides.add({ url: `https://h${i}.example/`, scope: 'host', verdict: 'allow' });
    tell(i);
  }
} else {
  let last;
  for (let isOpen = false; !isOpen || last !== 'maybe'; isOpen ||= last === 'safe') {
    const { answer } = guard.check(one);
    if (answer !== last) tell(answer);
    last = answer;
    await sleep(5);
  }
}
guard.close();
