/** Milliseconds of the processor that `act` took: waiting for a turn on a busy machine is not counted. */
export function cpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
