/** The first argument of a program, a whole number from `least` to `most`. Any other argument ends the program. */
export function wholeNumber(what, byDefault, least, most) {
  const [given = String(byDefault)] = process.argv.slice(2);
  const number = Number(given);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  console.error(`${what}: expected a whole number from ${least} to ${most}, got ${given}`);
  return process.exit(2);
}
