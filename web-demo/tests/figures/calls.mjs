import assert from 'node:assert/strict';

const CALL = /^(add|delete|has)\('(.*)'\) (?:is (true|false)|throws (\w+))\.$/;

/** The calls in a step's text, such as: has('Ada') is true. */
export function callsIn(step) {
  const calls = step.text.map((line) => line.match(CALL)).filter(Boolean);
  return calls.map(([, name, key, result, code]) => ({
    name,
    key,
    result: result === 'true',
    code,
  }));
}

/** The verdict that a look-up must have. */
export function verdictOf(result, really) {
  if (result !== really) return 'wrong';
  return result ? 'probable' : 'absent';
}

/**
 * Makes the calls of the steps on the given filter. Checks their results, the verdicts, and the actual contents of the
 * set. `check` is called after each step with the step and its call.
 */
export function replay(steps, filter, check) {
  const copies = new Map();
  const verdicts = [];
  for (const step of steps) {
    const [call, ...more] = callsIn(step);
    assert.deepEqual(more, []);
    if (call) {
      const { name, key, result, code } = call;
      if (code) assert.throws(() => filter[name](key), { code });
      else assert.equal(filter[name](key), result, `${name}('${key}')`);
      const change = code ? 0 : { add: 1, delete: -1, has: 0 }[name];
      copies.set(key, Math.max(0, (copies.get(key) ?? 0) + change));
      const verdict = code
        ? 'refused'
        : name === 'has'
          ? verdictOf(result, copies.get(key) > 0)
          : 'none';
      assert.equal(step.verdict, verdict, `${name}('${key}')`);
      verdicts.push(verdict);
      const held = [...copies].filter(([, count]) => count > 0);
      const items = held.map(([name, count]) => (count > 1 ? `${name} ${count} times` : name));
      const said = step.text.find((line) => line.startsWith('Really in the set: '));
      const list = said.replace('Really in the set: ', '').replace(/\.$/, '');
      assert.deepEqual(list === 'nothing' ? [] : list.split(/, | and /), items);
    }
    check(step, call);
  }
  return verdicts;
}
