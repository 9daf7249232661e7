import { textOptions } from '../files/key-encodings.js';
import { listOptions } from '../files/lists.js';
import {
  answerKeys,
  checkStandardInput,
  keyAnswerOptions,
  keyExitCodes,
  keyOperand,
} from '../files/questions.js';
import { readSecret, secretOption } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { CommandError, codeOf } from '../frame/errors.js';
import { isAskable } from './figures.js';
import { formatOptions, fromOption, loadFrom } from './formats.js';

/** The messages for types that have nothing to look up, by type. */
const unasked: Readonly<Record<string, string>> = {
  'bit-array': 'a bit-array has no keys to look up: try inspect',
  iblt: 'an iblt has no keys to look up, only the differences of two sets: try inspect',
  'url-list': 'a url-list contains URLs: try tamis url check',
  'url-delta': 'a url-delta has no keys to look up, only the change between two lists: try inspect',
};

export const filterCheck = command({
  usage: 'check FILE [KEY...]',
  summary: 'looks keys up in a filter',
  about: 'Looks keys up in a filter, and prints an answer for each.',
  operands: {
    FILE: 'a filter that tamis build wrote, or with --from another program',
    KEY: keyOperand,
  },
  expected: [1, Infinity, 'FILE, which tamis build wrote'],
  options: {
    from: fromOption,
    ...textOptions,
    'secret-file': secretOption,
    ...listOptions,
    ...keyAnswerOptions,
    ...formatOptions,
  },
  notes: [
    ...keyExitCodes,
    'Two hyphens end the options:',
    { 'tamis check FILE -- -key': 'looks up a key that begins with a hyphen' },
  ],
  async run(values, [path, ...keys]: readonly [string, ...string[]], terminal) {
    checkStandardInput('check', keys);
    const { structure } = await loadFrom(path, values, await readSecret(values['secret-file']));
    if (!isAskable(structure)) {
      const { type } = structure;
      throw new CommandError(`${path}: ${unasked[type] ?? `a ${type} has no keys to look up`}`);
    }
    const code = await answerKeys(keys, values, terminal, (batch) => {
      try {
        return structure.hasMany(batch);
      } catch (error) {
        // Some filters of other programs accept only keys of 8 bytes, as --keys int64 makes them.
        if (codeOf(error) !== 'ERR_TAMIS_INVALID_KEY') throw error;
        const what = 'the keys of this filter have another form: pass --keys';
        throw new CommandError(`${path}: ${what} (ERR_TAMIS_INVALID_KEY)`, { cause: error });
      }
    });
    structure.dispose();
    return code;
  },
});
