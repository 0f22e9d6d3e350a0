import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/service/index.ts';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { needs } from '../support/runs/parts.ts';
import { starfall } from '../support/service/starfall.ts';

const engines = await needs('postgres', 'redis');
const first = 'the first of all secrets';
const second = 'the second of all secrets';

describe.skipIf(engines.missing)(`the secret of a cluster${engines.note}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start(0, { limits: 'off', fixtures: starfall });
  });
  afterAll(() => cluster?.close());

  async function stored(): Promise<string> {
    const client = new pg.Client(cluster.engines.store);
    await client.connect();
    try {
      const { rows } = await client.query(
        'SELECT body FROM rallypoint.settings UNION ALL SELECT body FROM rallypoint.applications',
      );
      return rows.map(({ body }) => body).join('\n');
    } finally {
      await client.end();
    }
  }

  const keyOf = async (node: Service) => (await fetch(`${node.apiBase}/v10/oauth2/keys`)).json();
  const snapshotOf = async (node: Service) => {
    const headers = { authorization: `Bearer ${node.controlToken}` };
    return (await fetch(`${node.controlBase}/snapshot`, { headers })).text();
  };

  it('comes later, encrypts every private key, and is replaced node by node without another key', async () => {
    const open = await cluster.add();
    const keys = await keyOf(open);
    expect(await stored()).toMatch(/"signing_key":"MC4CAQAwBQYDK2VwBCIEI/);
    expect(await stored()).toContain('"qi":');

    const guarded = await cluster.add({ secret: first });
    const sealed = await stored();
    expect(sealed).not.toMatch(/MC4CAQAwBQYDK2VwBCIEI|"qi":/);
    expect(await keyOf(guarded)).toEqual(keys);
    await expect(cluster.add()).rejects.toMatchObject({ code: 'wrong_secret' });
    await expect(cluster.add({ secret: second })).rejects.toMatchObject({ code: 'wrong_secret' });

    const both = await cluster.add({ secret: [first, second] });
    expect(await keyOf(both)).toEqual(keys);
    const turned = await cluster.add({ secret: [second, first] });
    expect(await stored()).not.toBe(sealed);
    // Whoever has both, in any order, reads on.
    for (const node of [both, turned]) expect(await keyOf(node)).toEqual(keys);
    const last = await cluster.add({ secret: second });
    expect(await keyOf(last)).toEqual(keys);
    // A snapshot can be loaded elsewhere, so its keys are in clear.
    expect(await snapshotOf(last)).toMatch(/"signing_key":"MC4CAQAwBQYDK2VwBCIEI/);
  });
});
