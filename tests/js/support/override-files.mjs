// A guard that stores its overrides in files. Arguments: FOLDER add FIRST COUNT, which prints the number of each
// override that was stored; or FOLDER follow URL, which prints each new answer about the URL, and ends after 'safe' and
// 'maybe'.

import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileStorage, UrlGuard } from 'tamis/url';

const [folder, what, one, count] = process.argv.slice(2);
/** A list that contains every URL. */
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
// Synchronous, so that no line is lost if the process is killed.
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
