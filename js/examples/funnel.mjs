// Objects as keys: a funnel defines the bytes of a value, and the same funnel on both sides makes the same key.
import { strict as assert } from 'node:assert';
import { BloomFilter, funnel, withFunnel } from 'tamis';

const visitKey = funnel((visit, sink) =>
  // prefixedString writes the length first. Else user 'ab' on 'c' and user 'a' on 'bc' would be one key.
  sink.prefixedString(visit.user).prefixedString(visit.page).int32(visit.day),
);

const visits = Array.from({ length: 10_000 }, (_, i) => ({
  user: `user-${i % 100}`,
  page: `/page/${Math.floor(i / 100)}`,
  day: i % 7,
}));

const filter = new BloomFilter({ capacity: visits.length, fpr: 2 ** -20 });
const seen = withFunnel(filter, visitKey);

for (const visit of visits) assert.equal(seen.add(visit), true, 'a new visit');
for (const visit of visits)
  assert.equal(seen.has({ ...visit }), true, 'equal, not the same object');
assert.equal(seen.has({ ...visits[0], day: 5 }), false, 'another day is another key');

seen.add({ user: 'ab', page: 'c', day: 0 });
assert.equal(seen.has({ user: 'a', page: 'bc', day: 0 }), false, 'no seam between the strings');

// The filter itself is an ordinary one, with the funnel's bytes as keys.
assert.equal(filter.has(visitKey(visits[0])), true);
console.log(`funnel: ${filter.count} visits seen, in ${filter.sizeBytes} bytes`);
