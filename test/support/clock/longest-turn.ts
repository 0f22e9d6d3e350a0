/**
 * Runs `work` and tells how much processor time the longest turn of the event loop took meanwhile, in milliseconds: for so
 * long nobody else was served. Time that other processes had the processor for does not count.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  let before = cpuMs();
  const watching = (async () => {
    while (!isOver) {
      await new Promise(resolve => setImmediate(resolve));
      const now = cpuMs();
      longest = Math.max(longest, now - before);
      before = now;
    }
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watching;
  return longest;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
