import { pagesOf, pageTypes } from '../../pages/steps.js';
import { STANDARD_INPUT } from '../files/lists.js';
import { checkStandardInput } from '../files/questions.js';
import { checkTypeOptions, hashingOptions, readSecret } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';
import { hashList, keyOptions, keyRulesOf } from './keys.js';
import { excludeOption, pagesOption, typeOption } from './options.js';
import { formatClosing, formatRecords, thirdOf } from './records.js';

export const hash = command({
  usage: 'hash [LIST...]',
  summary: 'prints the page and the hash of each key',
  about:
    'Prints a line for each key in LIST: its page and its hash, in hexadecimal. The last line says that the run ended, and how many lines it printed. Sort the lines with LC_ALL=C sort -u, or with any data engine, for tamis pages.',
  operands: {
    LIST: 'a file with a key on each line, plain or gzip; without any, or with -, standard input',
  },
  expected: [0, Number.POSITIVE_INFINITY, 'lists'],
  options: {
    pages: { ...pagesOption, help: `${pagesOption.help}; needed`, required: true },
    type: {
      ...typeOption,
      help: `the type that pages will have, where exact and bloomier need a third field: ${pageTypes.join(', ')}`,
    },
    exclude: excludeOption,
    ...hashingOptions,
    ...keyOptions,
  },
  notes: [
    'A line of LIST for bloomier is a key, a tab and a value. Every run for one set of pages needs the same --pages, --seed and --secret-file.',
    'With --exclude and without LIST it prints the lines of LIST2 alone. An empty LIST prints only the last line. That is no error, because an engine may have no keys for one of its workers.',
  ],
  async run(values, operands, terminal) {
    const { pages, type, exclude, seed = 0n } = values;
    checkTypeOptions({ exclude: excludeOption }, type, values);
    if (seed >= 2n ** 64n) throw new UsageError('--seed: expected at most 64 bits');
    const rules = keyRulesOf(values);
    const lists = operands.length > 0 || exclude !== undefined ? operands : [STANDARD_INPUT];
    const others = exclude === undefined ? [] : [exclude];
    checkStandardInput('hash', [...lists, ...others]);
    const secret = await readSecret(values['secret-file']);
    const isMap = type === 'bloomier';
    let records = 0;
    for (const [i, path] of [...lists, ...others].entries()) {
      // For an exact filter, the third field is 1 for a key in LIST, and 0 for a key in LIST2.
      const flag = i < lists.length ? 1 : 0;
      for await (const batch of hashList(path, rules, { isMap, secret }, terminal)) {
        const thirdAt = (index: number) => batch.values?.[index] ?? flag;
        const routes = pagesOf(batch.hashes, { seed, pages });
        await terminal.send(formatRecords(routes, batch.hashes, thirdOf(type), thirdAt));
        if (!terminal.isRead) return;
        records += batch.hashes.length;
      }
    }
    await terminal.send(formatClosing(records));
  },
});
