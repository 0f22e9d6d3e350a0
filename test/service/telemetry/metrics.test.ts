import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { intents } from '../../../src/model/gateway.ts';
import { limitProfiles } from '../../../src/model/limits/limit-profiles.ts';
import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { type Metric, metricTable } from '../../../src/service/telemetry/metric-table.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { startLoopbackServer } from '../../support/http/loopback-server.ts';
import { callApi, starfall } from '../../support/service/starfall.ts';
import { playerToken, sessionToken } from '../../support/service/tokens.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ fixtures: starfall, limits: 'off', ...options });
  closing.push(() => service.close());
  return service;
}

/** Series → value, as Prometheus' text has them. */
async function read(service: Service): Promise<Map<string, number>> {
  const lines = (await service.metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
}

const [ada, grace] = starfall.users;
const [app] = starfall.applications;

/** Rows of the table of docs/service.md. */
function documented(): { name: string; type: string; labels: string[]; help: string }[] {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/service.md'), 'utf8');
  const rows = text.matchAll(/^\| `(rallypoint_\w+)` \| (\w+) \| (.*?) \| (.+?) \|$/gm);
  return [...rows].map(([, name = '', type = '', labels = '', help = '']) => ({
    ...{ name, type, help },
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  }));
}

describe('the table of metrics', () => {
  const table = Object.entries<Metric>(metricTable).map(([name, { type, labels, help }]) => ({
    ...{ name, type, help },
    labels: [...labels],
  }));

  it('is what docs/service.md lists', () => {
    expect(documented()).toEqual(table);
  });

  it('is what a service exports, beside what docs/service.md says of the process', async () => {
    const service = await start();
    await callApi(service, 'POST', '/lobbies', {});
    const text = await service.metrics();
    const exported = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
    const own = exported.filter(({ name }) => name.startsWith('rallypoint_'));
    expect(own).toEqual(table.map(({ name, type }) => ({ name, type })));
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/service.md'), 'utf8');
    const ofProcess = new Set([...docs.matchAll(/`((?:process|nodejs)_\w+)`/g)].map(([, name = '']) => name));
    const others = exported.filter(({ name }) => !name.startsWith('rallypoint_')).map(({ name }) => name);
    // Some are there on Linux alone.
    if (process.platform === 'linux') expect(new Set(others)).toEqual(ofProcess);
    else expect([...ofProcess]).toEqual(expect.arrayContaining(others));
    // Prometheus rejects a text in which a series stands twice.
    const series = text
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => line.split(' ')[0]);
    expect(new Set(series).size).toBe(series.length);
  });
});

describe('metrics', () => {
  it('count requests by the template of their path and their status, never by what callers choose', async () => {
    const service = await start();
    for (const id of ['1', '2', '3']) await callApi(service, 'GET', `/lobbies/${id}`);
    for (const path of ['a', 'b', 'c']) await fetch(`${service.webBase}/${path}`);
    await callApi(service, 'GET', '/nothing-of-the-api');
    await fetch(`${service.webBase}/x`, { method: 'PROPFIND' });
    await sessionToken(service, ada.id);
    const series = await read(service);
    const requests = (method: string, route: string, status: number) =>
      series.get(`rallypoint_http_requests_total{method="${method}",route="${route}",status="${status}"}`);
    expect(requests('GET', '/api/v10/lobbies/{lobby_id}', 404)).toBe(3);
    expect(requests('GET', 'other', 404)).toBe(4);
    expect(requests('other', 'other', 404)).toBe(1);
    expect(requests('POST', '/control/users/{id}/session', 200)).toBe(1);
    const duration = 'rallypoint_http_request_duration_seconds';
    const labels = 'method="GET",route="/api/v10/lobbies/{lobby_id}"';
    expect(series.get(`${duration}_count{${labels}}`)).toBe(3);
    expect(series.get(`${duration}_bucket{${labels},le="+Inf"}`)).toBe(3);
    expect(series.get(`${duration}_sum{${labels}}`)).toBeGreaterThan(0);
    expect([...series.keys()].join('\n')).not.toMatch(/nothing-of-the-api|PROPFIND|lobbies\/1/);
  });

  it('count sessions by whether their clients are there, and what is sent to them', async () => {
    const service = await start();
    const sessions = async () => {
      const series = await read(service);
      return ['connected', 'resumable'].map(state => series.get(`rallypoint_gateway_sessions{state="${state}"}`));
    };
    const join = async (id: string) =>
      GatewayClient.identified(service.gateway, {
        token: `Bearer ${await playerToken(service, id)}`,
        intents: intents.LOBBIES,
      });
    const [first, second] = [await join(ada.id), await join(grace.id)];
    expect(await sessions()).toEqual([2, 0]);
    await callApi(service, 'POST', '/lobbies', { members: [{ id: ada.id }, { id: grace.id }] });
    await Promise.all([first.dispatch('LOBBY_CREATE'), second.dispatch('LOBBY_CREATE')]);
    const series = await read(service);
    expect(series.get('rallypoint_gateway_events_total{event="LOBBY_CREATE"}')).toBe(2);
    expect(series.get('rallypoint_gateway_dispatches_total')).toBeGreaterThanOrEqual(4);
    expect(series.get('rallypoint_gateway_connections')).toBe(2);
    expect(series.get('rallypoint_gateway_backlog_bytes')).toBe(0);
    first.socket.terminate();
    await first.closed;
    // The service hears of it a moment later than its client.
    let left = await sessions();
    while (left[1] === 0) left = await sessions();
    expect(left).toEqual([1, 1]);
    second.socket.terminate();
  });

  it('count commits with their sizes and times', async () => {
    const service = await start();
    const before = await read(service);
    await Promise.all(Array.from({ length: 10 }, () => callApi(service, 'POST', '/lobbies', {})));
    const after = await read(service);
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const commits = grown('rallypoint_store_commits_total{outcome="success"}');
    expect(commits).toBeGreaterThan(0);
    expect(grown('rallypoint_store_commit_duration_seconds_count')).toBe(commits);
    expect(grown('rallypoint_store_commit_transactions_count')).toBe(commits);
    expect(grown('rallypoint_store_commit_transactions_sum')).toBe(10);
  });

  it('count answers of limits by scope, and addresses that are blocked', async () => {
    const invalidRequests = { requests: 3, windowMs: 60_000, blockMs: 60_000 };
    const buckets = { ...limitProfiles.off.buckets, global: { requests: 2, windowMs: 60_000 } };
    const service = await start({ limits: { ...limitProfiles.off, buckets, invalidRequests } });
    for (let n = 0; n < 4; n++) await callApi(service, 'GET', '/users/@me');
    for (let n = 0; n < 5; n++) await callApi(service, 'GET', '/users/@me', undefined, { authorization: 'Bot wrong' });
    const series = await read(service);
    expect(series.get('rallypoint_rate_limited_total{scope="global"}')).toBe(2);
    expect(series.get('rallypoint_intake_limited_total{limit="blocked_address"}')).toBe(2);
    expect(series.get('rallypoint_blocked_addresses')).toBe(1);
  });

  it('count connections that are rejected', async () => {
    const service = await start({ connectionsPerAddress: 1, opsPort: 0 });
    const held = await GatewayClient.open(service.gateway);
    await expect(fetch(`${service.webBase}/healthz`)).rejects.toThrow();
    const series = await read(service);
    expect(series.get('rallypoint_intake_limited_total{limit="connections"}')).toBeGreaterThan(0);
    held.socket.terminate();
  });

  it('count what servers outside were asked, and whether they took it', async () => {
    let status = 500;
    const game = await startLoopbackServer((_, response) => response.writeHead(status).end());
    closing.push(() => game.close());
    const applications = [{ ...app, event_webhooks_url: `${game.baseUrl}/events` }];
    const service = await start({ fixtures: { ...starfall, applications }, clock: 'virtual' });
    await playerToken(service, ada.id, 'identify');
    await service.clock.advance(10);
    status = 204;
    await service.clock.advance(5_000);
    const series = await read(service);
    const asked = (outcome: string) =>
      series.get(`rallypoint_outbound_requests_total{kind="webhook_event",outcome="${outcome}"}`);
    expect([asked('failure'), asked('success')]).toEqual([1, 1]);
    expect(series.get('rallypoint_outbound_request_duration_seconds_count{kind="webhook_event"}')).toBe(2);
  });

  it('tell the time of a virtual clock', async () => {
    const service = await start({ clock: { virtualFromMs: Date.UTC(2026, 0, 1) } });
    await service.clock.advance(1_500);
    expect((await read(service)).get('rallypoint_clock_seconds')).toBe(Date.UTC(2026, 0, 1) / 1000 + 1.5);
  });

  it('are of one service: another in the process counts for itself', async () => {
    const [one, other] = [await start(), await start()];
    await callApi(one, 'POST', '/lobbies', {});
    const name = 'rallypoint_http_requests_total{method="POST",route="/api/v10/lobbies",status="201"}';
    expect([(await read(one)).get(name), (await read(other)).get(name)]).toEqual([1, undefined]);
  });
});
