import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeCodes } from '../../src/model/gateway.ts';
import type { Service } from '../../src/service/index.ts';
import { hashSecret } from '../../src/service/support/secret.ts';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerTokens } from '../support/service/tokens.ts';

const engines = await needs('postgres', 'redis');
const [ada] = starfall.users;
const [app] = starfall.applications;

/** As an earlier version may have stored, which knew no bound. */
const former = 3000;

const control = (node: Service, method: string, path: string, body?: unknown) =>
  fetch(node.controlBase + path, {
    method,
    headers: { authorization: `Bearer ${node.controlToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const statusOf = async (node: Service, token: string) =>
  (await callApi(node, 'GET', '/oauth2/@me', undefined, { authorization: `Bearer ${token}` })).status;

describe.skipIf(engines.missing)(`a player with thousands of tokens, on two nodes${engines.note}`, () => {
  let cluster: TestCluster;
  let nodes: readonly [Service, Service];

  beforeAll(async () => {
    cluster = await TestCluster.start(2, { fixtures: starfall, limits: 'off' });
    nodes = [cluster.node(0), cluster.node(1)];
  });
  afterAll(() => cluster?.close());

  it.each([
    [
      'a revocation',
      (token: string) =>
        fetch(`${nodes[0].apiBase}/v10/oauth2/token/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ client_id: app.id, token }),
        }),
    ],
    ['DELETE /control/users/{id}/tokens', () => control(nodes[0], 'DELETE', `/users/${ada.id}/tokens`)],
    ['a ban', () => control(nodes[0], 'POST', '/fixtures', { users: [{ ...ada, banned: true }] })],
  ])('loses all of them, and the gateway session of each, immediately by %s', async (_, end) => {
    const [a, b] = nodes;
    await control(a, 'POST', '/fixtures', { users: [{ ...ada, banned: false }] });
    const pair = await playerTokens(a, ada.id, 'sdk.social_layer');
    const snapshot = await (await control(a, 'GET', '/snapshot')).json();
    const { tokens } = snapshot.content as { tokens: { hash: string; serial?: string }[] };
    const issued = tokens.find(({ hash }) => hash === hashSecret(pair.access_token));
    if (!issued) throw new Error('The store does not have the token that was issued.');
    const { serial: _serial, ...one } = issued;
    const secrets = Array.from({ length: former }, () => randomUUID());
    for (const secret of secrets) tokens.push({ ...one, hash: hashSecret(secret) });
    expect((await control(a, 'PUT', '/snapshot', snapshot)).status).toBe(204);
    const sampled = [pair.access_token, ...[0, former >> 1, former - 1].map(at => String(secrets[at]))];
    for (const token of sampled) expect(await statusOf(b, token)).toBe(200);
    const session = await GatewayClient.identified(b.gateway, { token: `Bearer ${pair.access_token}` });
    expect((await end(pair.access_token)).status).toBeLessThan(300);
    for (const node of nodes) for (const token of sampled) expect(await statusOf(node, token)).toBe(401);
    expect((await session.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
  });
});
