import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayFrame, intents, opcodes } from '../../../../src/model/gateway.ts';
import { type FaultDocument, type Service, startService } from '../../../../src/service/index.ts';
import { runtimeLimits, serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { seededRandom } from '../../../../src/service/testing/faults/random.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken } from '../../../support/service/tokens.ts';

const [ada, grace] = starfall.users;
const lobbyIntents = intents.LOBBIES | intents.LOBBY_DELETE;
const [application] = starfall.applications;

let service: Service;
const clients: GatewayClient[] = [];
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterEach(async () => {
  service.faults.clear();
  for (const client of clients.splice(0)) client.socket.terminate();
  await service.clock.advance(serviceLimits.gatewayResumeWindowMs);
});
afterAll(() => service.close());

const commandsPath = `/applications/${application.id}/commands`;
const list = () => callApi(service, 'GET', commandsPath);
const statuses = async (calls: number) => {
  const seen: number[] = [];
  for (let n = 0; n < calls; n++) seen.push((await list()).status);
  return seen;
};

async function control(method: string, body?: unknown) {
  const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${service.controlBase}/faults`, { method, headers, body: JSON.stringify(body) ?? null });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function join({ id }: { id: string }): Promise<{ client: GatewayClient; token: string }> {
  const token = `Bearer ${await playerToken(service, id)}`;
  const client = await GatewayClient.identified(service.gateway, { token, intents: lobbyIntents });
  clients.push(client);
  await client.beat();
  return { client, token };
}

describe('a fault of requests', () => {
  it('strikes as often as its count says, and then no more', async () => {
    service.faults.add({ kind: 'status', status: 503, count: 2 });
    expect(await statuses(4)).toEqual([503, 503, 200, 200]);
    expect(service.faults.armed).toEqual([]);
  });

  it('strikes once when it says nothing, and without end with null', async () => {
    service.faults.add([{ kind: 'status', status: 500 }]);
    expect(await statuses(2)).toEqual([500, 200]);
    service.faults.add({ kind: 'status', status: 502, count: null });
    expect(await statuses(5)).toEqual([502, 502, 502, 502, 502]);
    service.faults.clear();
    expect(await statuses(1)).toEqual([200]);
  });

  it('executes nothing of the request', async () => {
    service.faults.add({ kind: 'status', status: 500, match: { route: 'createGlobalCommand' } });
    const command = { name: 'never', description: 'Never made' };
    expect(await callApi(service, 'POST', commandsPath, command)).toMatchObject({ status: 500, body: { code: 0 } });
    expect(JSON.stringify((await list()).body)).not.toContain('never');
  });

  it('strikes only what it names', async () => {
    const elsewhere: readonly FaultDocument['match'][] = [
      { route: 'createLobby' },
      { application_id: '5' },
      { user_id: ada.id },
      { event: 'READY' },
      { route: 'listGlobalCommands', application_id: '5' },
    ];
    for (const match of elsewhere) service.faults.add({ kind: 'status', status: 500, ...(match && { match }) });
    expect(await statuses(1)).toEqual([200]);
    const match = { route: 'listGlobalCommands', application_id: application.id };
    service.faults.add({ kind: 'status', status: 500, match });
    expect(await statuses(1)).toEqual([500]);
  });

  it.each(['user', 'global', 'shared'] as const)('rejects with a 429 of the scope %s', async scope => {
    service.faults.add({ kind: 'rate_limit', scope, retry_after_ms: 1500 });
    const { status, headers, body } = await list();
    expect(status).toBe(429);
    expect(body).toEqual({ message: expect.any(String), code: 0, retry_after: 1.5, global: scope === 'global' });
    expect(headers.get('x-ratelimit-scope')).toBe(scope);
    expect(headers.get('retry-after')).toBe('2');
    expect(headers.get('x-ratelimit-global')).toBe(scope === 'global' ? 'true' : null);
  });

  it('keeps an answer back until its time has come, and not a millisecond longer', async () => {
    service.faults.add({ kind: 'latency', ms: 1000 });
    let answered = false;
    const answer = list().then(({ status }) => {
      answered = true;
      return status;
    });
    await expect.poll(() => service.faults.armed.length).toBe(0);
    await service.clock.advance(999);
    expect(answered).toBe(false);
    await service.clock.advance(1);
    expect(await answer).toBe(200);
  });

  it('logs what a delayed call waits for on a virtual clock', async () => {
    const { log, lines } = recordingLog();
    const own = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual', log });
    own.faults.add({ kind: 'latency', ms: 1000 });
    const answer = callApi(own, 'GET', commandsPath);
    await expect
      .poll(() => lines.map(({ message }) => message))
      .toContainEqual(expect.stringContaining('until the virtual clock is advanced'));
    await own.clock.advance(1000);
    expect((await answer).status).toBe(200);
    await own.close();
  });

  it('makes the same choices with the same seed, others with another, in about the percentage', async () => {
    const drawn = async (seed: number) => {
      service.faults.add({ kind: 'status', status: 500, percent: 30, seed, count: null });
      const seen = await statuses(60);
      service.faults.clear();
      return seen;
    };
    const first = await drawn(7);
    expect(await drawn(7)).toEqual(first);
    expect(await drawn(8)).not.toEqual(first);
    const struck = first.filter(status => status === 500).length;
    expect(struck).toBeGreaterThan(6);
    expect(struck).toBeLessThan(32);
  });
});

describe('a fault of sockets', () => {
  it('cuts open sockets immediately; their sessions can be resumed', async () => {
    const { client, token } = await join(ada);
    const other = await join(grace);
    service.faults.add({ kind: 'drop', match: { user_id: ada.id } });
    expect((await client.closed).code).toBe(1006);
    const back = await GatewayClient.resumed(service.gateway, token, client);
    clients.push(back);
    await back.dispatch('RESUMED');
    await other.client.beat();
  });

  it('waits for the event that it names, which is lost with the connection and replayed', async () => {
    const { client, token } = await join(ada);
    service.faults.add({ kind: 'drop', match: { user_id: ada.id, event: 'LOBBY_CREATE' } });
    await client.beat();
    await callApi(service, 'POST', '/lobbies', { members: [{ id: ada.id }] });
    expect((await client.closed).code).toBe(1006);
    expect(client.names).toEqual(['READY']);
    const back = await GatewayClient.resumed(service.gateway, token, client);
    clients.push(back);
    await back.dispatch('RESUMED');
    expect(back.names).toEqual(['LOBBY_CREATE', 'RESUMED']);
  });

  it('applies to a socket once, and continues with those that come later', async () => {
    service.faults.add({ kind: 'reconnect', count: 2 });
    const first = await GatewayClient.open(service.gateway);
    const second = await GatewayClient.open(service.gateway);
    const third = await GatewayClient.open(service.gateway);
    clients.push(first, second, third);
    const asked = ({ op }: GatewayFrame) => op === opcodes.RECONNECT;
    await Promise.all([first.frame(asked), second.frame(asked)]);
    await Promise.all([first.beat(), second.beat(), third.beat()]);
    expect([first, second, third].map(({ frames }) => frames.filter(asked).length)).toEqual([1, 1, 0]);
  });

  it('sends and receives nothing on a frozen socket, which stays open until it is closed for silence', async () => {
    const { client } = await join(ada);
    service.faults.add({ kind: 'freeze' });
    client.send({ op: opcodes.HEARTBEAT, d: null });
    await service.clock.advance(serviceLimits.gatewayHeartbeatIntervalMs);
    expect(client.frames.at(-1)?.op).toBe(opcodes.HEARTBEAT_ACK);
    expect(client.frames.filter(({ op }) => op === opcodes.HEARTBEAT_ACK)).toHaveLength(1);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await service.clock.advance(serviceLimits.gatewayHeartbeatIntervalMs);
    expect((await client.closed).code).toBe(4009);
  });

  it.each(['', '&compress=zlib-stream'])(
    'cuts the next message off so that nobody can read it (%s)',
    async compress => {
      const { token } = await join(ada);
      const { WebSocket } = await import('ws');
      const socket = new WebSocket(`${service.gateway}?v=10&encoding=json${compress}`);
      const messages: Buffer[] = [];
      socket.on('message', data => messages.push(data as Buffer));
      await expect.poll(() => messages.length).toBe(1);
      service.faults.add({ kind: 'corrupt', seed: 3, match: { user_id: ada.id, event: 'READY' } });
      socket.send(JSON.stringify({ op: opcodes.IDENTIFY, d: { token, intents: 0, properties: {} } }));
      await expect.poll(() => messages.length).toBe(2);
      expect(() => JSON.parse(String(messages[1]))).toThrow();
      socket.terminate();
    },
  );

  it('ends a session that is said to be invalid, and keeps one that is said to be resumable', async () => {
    const [ends, stays] = [await join(ada), await join(grace)];
    service.faults.add({ kind: 'invalid_session', match: { user_id: ada.id } });
    service.faults.add({ kind: 'invalid_session', resumable: true, match: { user_id: grace.id } });
    const invalid = ({ op }: GatewayFrame) => op === opcodes.INVALID_SESSION;
    expect(await ends.client.frame(invalid)).toMatchObject({ d: false });
    expect(await stays.client.frame(invalid)).toMatchObject({ d: true });
    for (const { client } of [ends, stays]) client.socket.terminate();
    const gone = await GatewayClient.resumed(service.gateway, ends.token, ends.client);
    const back = await GatewayClient.resumed(service.gateway, stays.token, stays.client);
    clients.push(gone, back);
    expect(await gone.frame(invalid)).toMatchObject({ d: false });
    await back.dispatch('RESUMED');
  });

  it('takes a resume, and an Identify, over the connection whose session is said to be invalid', async () => {
    const [resuming, beginning] = [await join(ada), await join(grace)];
    service.faults.add({ kind: 'invalid_session', resumable: true, count: 2 });
    for (const { client } of [resuming, beginning]) await client.frame(({ op }) => op === opcodes.INVALID_SESSION);
    await service.clock.advance(runtimeLimits.gatewayIdentifyMs - 1);
    resuming.client.resume(resuming.token, resuming.client.sessionId, resuming.client.sequence);
    await resuming.client.dispatch('RESUMED');
    beginning.client.identify({ token: beginning.token, intents: lobbyIntents });
    const readies = () => beginning.client.names.filter(name => name === 'READY').length;
    await beginning.client.until(() => readies() === 2);
    expect([resuming.client.socket.readyState, beginning.client.socket.readyState]).toEqual([1, 1]);
  });

  it('closes the connection of an invalid session on which nothing follows, in time for an Identify', async () => {
    const { client } = await join(ada);
    service.faults.add({ kind: 'invalid_session', resumable: true });
    await client.frame(({ op }) => op === opcodes.INVALID_SESSION);
    await service.clock.advance(runtimeLimits.gatewayIdentifyMs);
    expect(await client.closed).toMatchObject({ code: 4009 });
  });

  it('leaves a socket alone that has not identified when it asks for a user or a session', async () => {
    service.faults.add([{ kind: 'drop', match: { user_id: ada.id } }, { kind: 'invalid_session' }]);
    const client = await GatewayClient.open(service.gateway);
    clients.push(client);
    await client.beat();
    expect(service.faults.armed).toHaveLength(2);
  });
});

describe('the control call', () => {
  it('arms faults, shows what is left of them and takes them back', async () => {
    const given = { kind: 'status', status: 503, count: 3 };
    const { status, body } = await control('POST', given);
    expect(status).toBe(200);
    expect(body).toEqual({ faults: [{ ...given, id: expect.any(String), left: 3 }] });
    await list();
    expect(await control('GET')).toMatchObject({ body: { faults: [{ left: 2 }] } });
    expect(await control('DELETE')).toEqual({ status: 204, body: undefined });
    expect(await statuses(1)).toEqual([200]);
  });

  it.each([
    ['nothing', undefined],
    ['an unknown kind', { kind: 'explode' }],
    ['a missing figure', { kind: 'latency' }],
    ['a figure out of range', { kind: 'status', status: 200 }],
    ['an unknown key', { kind: 'drop', status: 500 }],
    ['an unknown route', { kind: 'status', status: 500, match: { route: 'x' } }],
    ['a count of nothing', { kind: 'drop', count: 0 }],
    ['a list with one that is wrong', [{ kind: 'drop' }, { kind: 'drop', seed: -1 }]],
  ])('rejects %s with 400 and arms nothing', async (_, body) => {
    const { status, body: answer } = await control('POST', body);
    expect(status).toBe(400);
    expect(answer).toEqual({ message: expect.any(String) });
    expect(service.faults.armed).toEqual([]);
  });
});

it('is over with a reset', async () => {
  const own = await startService({ fixtures: starfall, limits: 'off' });
  own.faults.add({ kind: 'status', status: 500, count: null });
  await own.reset();
  expect((await callApi(own, 'GET', commandsPath)).status).toBe(200);
  await own.close();
});

describe('seeded randomness', () => {
  it('stays from 0 to below 1 and is spread evenly', () => {
    const random = seededRandom(1);
    const tenths = Array<number>(10).fill(0);
    for (let n = 0; n < 10_000; n++) {
      const at = Math.floor(random() * 10);
      tenths[at] = (tenths[at] ?? 0) + 1;
    }
    expect(tenths.every(count => count > 850 && count < 1150)).toBe(true);
  });
});
