/** The forms of issues: GitHub accepts them, and they ask for the facts that a fix needs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { addressIn } from '../../js/scripts/release/address.mjs';
import { manifestOf } from '../../js/scripts/release/checks.mjs';

const root = new URL('../../', import.meta.url);
const folder = new URL('.github/ISSUE_TEMPLATE/', root);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const forms = readdirSync(folder).filter((name) => name !== 'config.yml');

interface Element {
  readonly type: string;
  readonly id?: string;
  readonly attributes?: {
    readonly label?: string;
    readonly value?: string;
    readonly options?: readonly (
      | string
      | { readonly label: string; readonly required?: boolean }
    )[];
  };
  readonly validations?: { readonly required?: boolean };
}
interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Element[];
}

const repeated = (all: readonly unknown[]) => all.filter((one, i) => all.indexOf(one) !== i);
const labelOf = (option: string | { readonly label: string }) =>
  typeof option === 'string' ? option : option.label;

/** Returns the faults for which GitHub would refuse a form, as sentences. */
function problemsOf({ name, description, body, ...others }: Form): string[] {
  const problems: string[] = [];
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  if (!isText(name) || !isText(description)) problems.push('it has no name or description');
  const known = ['labels', 'title', 'assignees', 'projects', 'type'];
  for (const key of Object.keys(others)) if (!known.includes(key)) problems.push(`it has ${key}`);
  const asked = body.filter(({ type }) => type !== 'markdown');
  if (asked.length === 0) problems.push('it asks for nothing');
  for (const { type, id, attributes = {} } of body) {
    if (type === 'markdown') {
      if (!isText(attributes.value)) problems.push('a text is empty');
      continue;
    }
    if (!['input', 'textarea', 'dropdown', 'checkboxes'].includes(type))
      problems.push(`${id} has the type ${type}`);
    if (!/^[\w-]+$/.test(id ?? '')) problems.push(`${id} is no id`);
    if (!isText(attributes.label)) problems.push(`${id} has no label`);
    if (type !== 'dropdown' && type !== 'checkboxes') continue;
    const options = (attributes.options ?? []).map(labelOf);
    if (options.length === 0 || !options.every(isText)) problems.push(`${id} has no options`);
    if (repeated(options).length > 0) problems.push(`${id} has an option twice`);
  }
  for (const twice of repeated(asked.map(({ id }) => id))) problems.push(`${twice} is there twice`);
  for (const twice of repeated(asked.map(({ attributes }) => attributes?.label)))
    problems.push(`the label ${twice} is there twice`);
  return problems;
}

const requiredIn = ({ body }: Form): string[] =>
  body.flatMap(({ id, validations }) => (id && validations?.required ? [id] : []));

test('are these', () => {
  expect(forms.sort()).toEqual(['bug.yml', 'wish.yml', 'wrong-answer.yml']);
});

describe.each(forms)('%s', (file) => {
  const form: Form = parse(read(file));

  test('is one that GitHub takes', () => expect(problemsOf(form)).toEqual([]));

  test('sends faults that attackers use to SECURITY.md', () => {
    if (file === 'wish.yml') return;
    const texts = form.body.filter(({ type }) => type === 'markdown');
    expect(texts.map(({ attributes }) => attributes?.value).join()).toContain('SECURITY.md');
  });
});

test('a bug comes with versions, a program, and both outcomes', () => {
  const form: Form = parse(read('bug.yml'));
  expect(requiredIn(form)).toEqual(['version', 'runtime', 'program', 'expected', 'actual']);
});

test('a wrong answer comes with the filter too', () => {
  const form: Form = parse(read('wrong-answer.yml'));
  const asked = ['kind', 'version', 'runtime', 'filter', 'program', 'expected', 'actual'];
  expect(requiredIn(form)).toEqual(asked);
});

test('config.yml leads reports of vulnerabilities to SECURITY.md, and no issue is without a form', () => {
  const { blank_issues_enabled: isBlankAllowed, contact_links: links } = parse(read('config.yml'));
  expect(isBlankAllowed).toBe(false);
  const address = addressIn(manifestOf(fileURLToPath(root)));
  const [security] = links;
  expect(security.url).toBe(`${address}/blob/main/SECURITY.md`);
  expect(existsSync(new URL('SECURITY.md', root))).toBe(true);
  for (const { name, about, url } of links)
    expect([typeof name, typeof about, new URL(url).protocol]).toEqual([
      'string',
      'string',
      'https:',
    ]);
});

test('what GitHub refuses is found', () => {
  const text = { type: 'markdown', attributes: {} };
  const input = { type: 'input', id: 'a', attributes: { label: 'A' } };
  const options = { type: 'dropdown', id: 'b c', attributes: { label: 'B', options: ['x', 'x'] } };
  const form = { name: 'n', description: '', body: [text, input, input, options], about: '' };
  expect(problemsOf(form)).toEqual([
    'it has no name or description',
    'it has about',
    'a text is empty',
    'b c is no id',
    'b c has an option twice',
    'a is there twice',
    'the label A is there twice',
  ]);
  expect(problemsOf({ name: 'n', description: 'd', body: [] })).toEqual(['it asks for nothing']);
});
