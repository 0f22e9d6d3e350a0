import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, createBackend } from '../../src/backend/index.ts';
import { limits } from '../../src/model/limits/limits.ts';
import type { Lobby } from '../../src/model/lobby.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { serviceLimits } from '../../src/service/support/service-limits.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { runs } from '../support/runs/soak.ts';
import { botHeaders, callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const { lobbyIdleTimeoutSecondsMin: min, lobbyIdleTimeoutSecondsMax: max } = limits;
const [ada] = starfall.users;
const day = 86_400;

/** Every figure that the sources name, and those next to them; in a soak all that are spread over what lies between. */
const documented = [min, min + 1, 60, 299, limits.lobbyIdleTimeoutSecondsDefault, 301, 3_600, day, max - 1, max];
const between = Array.from({ length: runs(0, 1_000) }, (_, n) => Math.round(min + ((n + 1) * (max - min)) / 1_001));

let service: Service;
let backend: Backend;

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
  const { id: applicationId, bot_token: botToken } = starfall.applications[0];
  backend = createBackend({ applicationId, botToken, baseUrl: service.webBase, globalLimit: 'off' });
});
afterAll(async () => {
  backend.close();
  await service.close();
});

/** The ways in which a lobby comes by an idle timeout of `seconds` that begins now. */
const ways: readonly (readonly [string, (seconds: number | undefined) => Promise<Lobby>])[] = [
  ['created by a server', seconds => backend.lobbies.create(timeout(seconds))],
  [
    'created by a client',
    async seconds => {
      const body = { secret: `idle ${Math.random()}`, ...timeout(seconds) };
      return (await callApi(service, 'PUT', '/lobbies', body, await player())).body as Lobby;
    },
  ],
  [
    'edited by a server',
    async (seconds = limits.lobbyIdleTimeoutSecondsDefault) => {
      const { id } = await backend.lobbies.create({ idle_timeout_seconds: seconds === min ? max : min });
      await service.clock.advance((min - 1) * 1000);
      return backend.lobbies.edit(id, timeout(seconds));
    },
  ],
];

/** With a new token each time: it ends after as long as the longest idle timeout. */
async function player() {
  return { ...botHeaders, authorization: `Bearer ${await playerToken(service, ada.id)}` };
}

function timeout(seconds: number | undefined) {
  return seconds === undefined ? {} : { idle_timeout_seconds: seconds };
}

async function lives(id: string): Promise<boolean> {
  return (await callApi(service, 'GET', `/lobbies/${id}`)).status === 200;
}

describe.each(ways)('an idle lobby %s', (_, make) => {
  it.each([...documented, ...between])(
    'with %i s lives 1 ms before they are over and is gone when they are',
    async seconds => {
      const { id } = await make(seconds);
      await service.clock.advance(seconds * 1000 - 1);
      expect(await lives(id)).toBe(true);
      await service.clock.advance(1);
      expect(await lives(id)).toBe(false);
    },
  );

  it('has 300 s when nothing is said', async () => {
    const { id } = await make(undefined);
    await service.clock.advance(limits.lobbyIdleTimeoutSecondsDefault * 1000 - 1);
    expect(await lives(id)).toBe(true);
    await service.clock.advance(1);
    expect(await lives(id)).toBe(false);
  });
});

describe('an idle timeout', () => {
  it.each([min - 1, 0, -1, max + 1, 5.5, '60', true])('of %j is rejected wherever it is given', async seconds => {
    const { id } = await backend.lobbies.create();
    const body = { idle_timeout_seconds: seconds };
    const answers = [
      await callApi(service, 'POST', '/lobbies', body),
      await callApi(service, 'PATCH', `/lobbies/${id}`, body),
      await callApi(service, 'PUT', '/lobbies', { ...body, secret: 's' }, await player()),
    ];
    for (const { status, body } of answers) {
      expect({ status, body }).toMatchObject({ status: 400, body: { errors: { idle_timeout_seconds: {} } } });
    }
  });

  it.each([min, max])(
    'of %i s does not run while a member is connected, and runs anew from the disconnect',
    async seconds => {
      const token = await playerToken(service, ada.id);
      const client = await GatewayClient.identified(service.gateway, { token: `Bearer ${token}` });
      const { id } = await backend.lobbies.create({ members: [{ id: ada.id }], idle_timeout_seconds: seconds });
      // Heartbeats keep the session alive over days of virtual time.
      const beatMs = serviceLimits.gatewayHeartbeatIntervalMs;
      const spanMs = Math.min(2 * seconds * 1000, 10 * beatMs);
      for (let passedMs = 0; passedMs < spanMs; passedMs += beatMs) {
        await service.clock.advance(Math.min(beatMs, spanMs - passedMs));
        await client.beat();
      }
      expect(await lives(id)).toBe(true);
      await client.end();
      await service.clock.advance(seconds * 1000 - 1);
      expect(await lives(id)).toBe(true);
      await service.clock.advance(1);
      expect(await lives(id)).toBe(false);
    },
  );
});
