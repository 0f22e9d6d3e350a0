import { describe, expect, it } from 'vitest';
import { runChaos } from '../support/chaos/run.ts';
import { needs } from '../support/runs/parts.ts';
import { isSoak, runs, seedOf } from '../support/runs/soak.ts';

const engines = await needs('postgres', 'redis');

/** How long something is done to the cluster: in a soak RALLYPOINT_CHAOS_SECONDS, if it is set. */
const ms = runs(6000, Number(process.env.RALLYPOINT_CHAOS_SECONDS ?? 300) * 1000);

describe.skipIf(engines.missing)(`three nodes, as processes, behind a balancer${engines.note}`, () => {
  it(
    'keep what they promise while nodes and engines are killed, frozen and restarted and links are cut and slow',
    async ({ signal }) => {
      const tell = (line: string) => void (isSoak && process.stderr.write(`${line}\n`));
      const report = await runChaos({ seed: seedOf(7), ms, share: isSoak ? 1 : 0.3, tell, signal });
      if (isSoak) tell(JSON.stringify(report.figures, null, 2));
      const { seed, violations, schedule, logs } = report;
      const replay = `npm run soak -- test/cluster/chaos.test.ts --seed ${seed}`;
      const said = `${violations.join('\n')}\n\nTo replay it: ${replay}\nLogs: ${logs}\nWhat was done:\n${schedule.join('\n')}`;
      expect(violations, said).toEqual([]);
      // It was a load, and it reached the clients.
      expect(report.figures.dispatches).toBeGreaterThan(50);
    },
    runs(120_000, 3_600_000),
  );
});
