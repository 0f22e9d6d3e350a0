import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../../src/service/index.ts';
import { openPostgres } from '../../src/service/store/postgres/postgres.ts';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

const engines = await needs('postgres', 'redis');
const [before, after] = ['the secret of last year', 'the secret of this year'] as const;
const [app] = starfall.applications;

describe.skipIf(engines.missing)(`the secret of a cluster${engines.note}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start(0);
  });
  afterAll(() => cluster?.close());

  const start = (secret: ServiceOptions['secret'], store = cluster.engines.store) =>
    startService({ ...cluster.engines, store, fixtures: starfall, limits: 'off', ...(secret && { secret }) });

  /** What needs the private keys: the application's, and that of the issuer. */
  async function keysOf(node: Service): Promise<readonly [string, string]> {
    const { verify_key } = (await callApi(node, 'GET', '/applications/@me')).body as { verify_key: string };
    const jwks = (await (await fetch(`${node.webBase}/api/oauth2/keys`)).json()) as { keys: { kid: string }[] };
    return [verify_key, jwks.keys.map(({ kid }) => kid).join()];
  }

  it('changes node by node, and every node can read all keys at every step', async () => {
    const nodes = [await start(before), await start(before)];
    const keys = await Promise.all(nodes.map(keysOf));
    expect(keys[1]).toEqual(keys[0]);
    for (const step of [[before, after], [after, before], [after]]) {
      for (const at of [0, 1]) {
        await nodes[at]?.close();
        nodes[at] = await start(step);
        // An application whose key is made while the nodes have different secrets.
        for (const node of nodes) {
          const made = await fetch(`${node.controlBase}/fixtures`, {
            method: 'POST',
            headers: { authorization: `Bearer ${node.controlToken}` },
            body: JSON.stringify({ applications: [{ name: `Made with ${step}`, owner_id: app.owner_id }] }),
          });
          expect(made.status).toBe(200);
        }
        for (const node of nodes) expect(await keysOf(node)).toEqual(keys[0]);
      }
    }
    await Promise.all(nodes.map(node => node.close()));
    const postgres = await openPostgres(cluster.engines.store);
    const rows = await postgres.query('SELECT body FROM rallypoint.applications');
    const ids = rows.map(
      ({ body }) => String((JSON.parse(String(body)) as { signing_key: string }).signing_key).split(':')[1],
    );
    expect([rows.length, new Set(ids).size]).toEqual([13, 1]);
    await postgres.close();
    await expect(start(before)).rejects.toMatchObject({ code: 'wrong_secret' });
  });
});
