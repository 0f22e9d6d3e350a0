import fc from 'fast-check';
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import type { LobbyDirectory } from '../../../src/backend/fleet/directory.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { elapse } from '../../support/clock/elapse.ts';
import { patienceMs } from '../../support/runs/soak.ts';
import { tries } from '../../support/runs/tries.ts';
import { starfall } from '../../support/service/starfall.ts';
import { codeOf, Fleet, type GameServer, leaseMs } from './rig.ts';

const names = ['a', 'b'];
const keys = ['match 1', 'match 2'];
const members = [{ id: starfall.users[0].id }];

type Step =
  | { readonly do: 'ensure' | 'delete'; readonly server: number; readonly key: number }
  | { readonly do: 'hand over'; readonly server: number; readonly key: number; readonly to: number }
  | { readonly do: 'crash' | 'sweep' | 'cut off' | 'reconnect'; readonly server: number }
  /** A server is cut off for longer than its lease, while another asks for a lobby. */
  | { readonly do: 'outage'; readonly server: number; readonly key: number; readonly to: number }
  | { readonly do: 'fail next'; readonly when: 'before' | 'after' }
  | { readonly do: 'wait'; readonly ms: number };

const server = fc.nat(names.length - 1);
const key = fc.nat(keys.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('ensure' as const), server, key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), server, key }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('hand over' as const, 'outage' as const), server, key, to: server }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('crash', 'sweep', 'cut off', 'reconnect'), server }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fail next' as const), when: fc.constantFrom('before', 'after') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, leaseMs / 3, leaseMs, leaseMs) }),
  },
);

/** Game servers that come and go, over a directory that some cannot reach at times, and that fails at times. */
class Unreliable {
  readonly fleet: Fleet;
  readonly #servers = new Map<string, GameServer>();
  readonly #cutOff = new Set<string>();
  /** Which servers ever owned a lobby: all of them know it. */
  readonly #owners = new Map<string, Set<GameServer>>();
  #failing: 'before' | 'after' | undefined;

  constructor(fleet: Fleet) {
    this.fleet = fleet;
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'wait') await this.fleet.clock.advance(step.ms);
    else if (step.do === 'fail next') this.#failing = step.when;
    else if (step.do === 'outage') await this.#outage(step);
    else await this.#takeBy(names[step.server] ?? '', step);
    this.#failing = undefined;
    await this.#checkOwners();
  }

  async #outage({ server, key, to }: Step & { do: 'outage' }): Promise<void> {
    await this.take({ do: 'cut off', server });
    await this.take({ do: 'wait', ms: leaseMs });
    await this.take({ do: 'ensure', server: to, key });
    await this.take({ do: 'reconnect', server });
  }

  async #takeBy(name: string, step: Exclude<Step, { do: 'wait' | 'fail next' | 'outage' }>): Promise<void> {
    const { lobbies } = this.#server(name);
    switch (step.do) {
      case 'ensure': {
        const ensuring = lobbies.ensure(keys[step.key] ?? '', { members });
        const ensured = await elapse(
          this.fleet.clock,
          ensuring.catch(() => undefined),
          60_000,
          500,
        );
        if (ensured?.isOwner) this.#know(ensured.lobby.id, name);
        return;
      }
      case 'delete':
      case 'hand over': {
        const held = (await firstValueFrom(lobbies.state$)).lobbies.find(({ key }) => key === keys[step.key]);
        if (!held?.lobbyId) return;
        const to = step.do === 'hand over' ? (names[step.to] ?? '') : '';
        await codeOf(step.do === 'delete' ? lobbies.delete(held.lobbyId) : lobbies.handOver(held.lobbyId, to));
        return;
      }
      case 'sweep':
        await lobbies.sweep({ fate: ({ key }) => (key === keys[0] ? 'take-over' : 'delete') }).catch(() => {});
        for (const { lobbyId } of (await firstValueFrom(lobbies.state$)).lobbies) {
          if (lobbyId) this.#know(lobbyId, name);
        }
        return;
      case 'crash':
        this.#server(name).backend.close();
        this.#servers.delete(name);
        return;
      case 'cut off':
        this.#cutOff.add(name);
        return;
      case 'reconnect':
        this.#cutOff.delete(name);
    }
  }

  /** At any instant at most one server may write to a lobby. */
  async #checkOwners(): Promise<void> {
    for (const [id, servers] of this.#owners) {
      const codes = await Promise.all([...servers].map(({ lobbies }) => codeOf(lobbies.edit(id, {}))));
      const letOn = codes.filter(code => code === 'none');
      expect(letOn.length, `lobby ${id}: ${codes}`).toBeLessThanOrEqual(1);
    }
  }

  #know(id: string, name: string): void {
    const owners = this.#owners.get(id) ?? new Set();
    this.#owners.set(id, owners.add(this.#server(name)));
  }

  #server(name: string): GameServer {
    const known = this.#servers.get(name);
    if (known) return known;
    const options = { lobbyServer: { name, directory: this.#directoryOf(name), leaseMs } };
    const made = this.fleet.server(name, options);
    this.#servers.set(name, made);
    return made;
  }

  #directoryOf(name: string): LobbyDirectory {
    const { directory } = this.fleet;
    const reach = async () => {
      if (this.#cutOff.has(name)) throw new Error('cut off');
    };
    return {
      get: key => reach().then(() => directory.get(key)),
      list: prefix => reach().then(() => directory.list(prefix)),
      compareAndSet: async (key, before, after) => {
        await reach();
        const failing = this.#failing;
        this.#failing = undefined;
        if (failing === 'before') throw new Error('not written');
        const isDone = await directory.compareAndSet(key, before, after);
        if (failing === 'after') throw new Error('written, but nobody was told');
        return isDone;
      },
    };
  }

  async crashAll(): Promise<void> {
    for (const { backend } of this.#servers.values()) backend.close();
    await this.fleet.clock.advance(leaseMs);
  }
}

it(
  'a lobby has one writer at a time, and none is left behind, whoever crashes, is cut off or hands over',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
        const fleet = await Fleet.start();
        try {
          const unreliable = new Unreliable(fleet);
          for (const step of steps) await unreliable.take(step);
          await unreliable.crashAll();
          expect((await fleet.server('last').lobbies.sweep()).isComplete).toBe(true);
          // Nobody is in a lobby any more. What was never written down is empty, and its idle timeout ends it.
          expect((await stored(fleet)).lobby_members).toEqual([]);
          await fleet.service.clock.advance(limits.lobbyIdleTimeoutSecondsDefault * 1000);
          expect((await stored(fleet)).lobbies).toEqual([]);
        } finally {
          await fleet.close();
        }
      }),
      tries(30, 1_000),
    );
  },
  patienceMs,
);

async function stored({ service }: Fleet): Promise<{ lobbies: unknown[]; lobby_members: unknown[] }> {
  const headers = { authorization: `Bearer ${service.controlToken}` };
  const snapshot = await fetch(`${service.controlBase}/snapshot`, { headers });
  return ((await snapshot.json()) as { content: { lobbies: unknown[]; lobby_members: unknown[] } }).content;
}
