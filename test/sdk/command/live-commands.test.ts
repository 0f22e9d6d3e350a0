import type { Subscription } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { RallypointError, TransportError } from '../../../src/model/errors/errors.ts';
import { readCommandIndex } from '../../../src/sdk/command/index-reader.ts';
import { commandsRefreshMs, LiveCommands } from '../../../src/sdk/command/live-commands.ts';
import type { CommandSnapshot, CommandsSnapshot } from '../../../src/sdk/command/snapshot.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { isDeeplyFrozen } from '../../support/runs/frozen.ts';

const place = { guildId: '5' };

let clock: VirtualClock;
let live: LiveCommands;
let asked: AbortSignal[];
let answer: () => Promise<readonly CommandSnapshot[]>;
let seen: CommandsSnapshot[];

const named = (...names: string[]) =>
  readCommandIndex({
    application_commands: names.map((name, place) => ({ id: String(place), application_id: '1', type: 1, name })),
  }) ?? [];

beforeEach(() => {
  clock = new VirtualClock(0);
  live = new LiveCommands(clock);
  asked = [];
  seen = [];
  answer = async () => named('rally');
});

function watch(record = seen): Subscription {
  const load = async (signal: AbortSignal) => {
    asked.push(signal);
    return answer();
  };
  return live.commands$(place, load).subscribe(snapshot => record.push(snapshot));
}

const turn = () => new Promise(resolve => setImmediate(resolve));
const told = () =>
  seen.map(({ status, commands, error }) => [
    status,
    ...commands.map(({ name }) => name),
    ...(error ? [error.code] : []),
  ]);

describe('LiveCommands', () => {
  it('requests them when there is a subscriber and the client is ready, and not before', async () => {
    await clock.advance(commandsRefreshMs);
    watch();
    await clock.advance(commandsRefreshMs);
    expect([asked.length, told()]).toEqual([0, [['loading']]]);
    live.setReady(true);
    await turn();
    expect(told()).toEqual([['loading'], ['current', 'rally']]);
    expect(seen.every(isDeeplyFrozen)).toBe(true);
  });

  it('requests them once for all subscribers of a place, and replays the latest to new ones', async () => {
    live.setReady(true);
    watch();
    watch();
    await turn();
    const late: CommandsSnapshot[] = [];
    watch(late);
    expect([asked.length, late.length, late[0]?.status]).toEqual([1, 1, 'current']);
  });

  it('asks again every 30 s, says only what changed, and shares what did not', async () => {
    live.setReady(true);
    watch();
    await clock.advance(commandsRefreshMs - 1);
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    expect([asked.length, told().length]).toEqual([2, 2]);
    answer = async () => named('rally', 'leave');
    await clock.advance(commandsRefreshMs);
    expect(told().at(-1)).toEqual(['current', 'rally', 'leave']);
    expect(seen.at(-1)?.commands[0]).toBe(seen.at(-2)?.commands[0]);
  });

  it('requests them immediately after an event of a change, in place of the request before', async () => {
    live.refresh();
    live.setReady(true);
    watch();
    answer = async () => named('leave');
    live.refresh();
    await turn();
    expect(asked.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(told()).toEqual([['loading'], ['current', 'leave']]);
  });

  it('is stale while the client is not ready, and current again with the next session', async () => {
    live.setReady(true);
    watch();
    await turn();
    live.setReady(false);
    await clock.advance(commandsRefreshMs);
    expect([asked.length, told().at(-1)]).toEqual([1, ['stale', 'rally']]);
    live.setReady(true);
    await turn();
    expect(told().at(-1)).toEqual(['current', 'rally']);
  });

  it('shows why asking failed, keeps what it knows, and tries again', async () => {
    live.setReady(true);
    answer = () => Promise.reject(new TransportError('connection_lost', 'gone'));
    watch();
    await turn();
    expect(told().at(-1)).toEqual(['loading', 'connection_lost']);
    answer = async () => named('rally');
    await clock.advance(commandsRefreshMs);
    expect(told().at(-1)).toEqual(['current', 'rally']);
    answer = () => Promise.reject(new RangeError('a bug'));
    await clock.advance(commandsRefreshMs);
    expect(told().at(-1)).toEqual(['stale', 'rally', 'unreadable_answer']);
    expect(seen.at(-1)?.error).toBeInstanceOf(RallypointError);
  });

  it.each([
    ['its only subscriber leaves', (subscription: Subscription) => subscription.unsubscribe()],
    ['the client disconnects', () => live.setReady(false)],
  ])('asks no more when %s while it is notified', async (_, end) => {
    live.setReady(true);
    const subscription = watch({
      push: ({ status }: CommandsSnapshot) => (status === 'current' ? end(subscription) : undefined),
    } as unknown as CommandsSnapshot[]);
    await clock.advance(3 * commandsRefreshMs);
    expect(asked).toHaveLength(1);
  });

  it('stops without subscribers, forgets on disconnect, and completes when closed', async () => {
    live.setReady(true);
    const watching = watch();
    await turn();
    watching.unsubscribe();
    await clock.advance(3 * commandsRefreshMs);
    expect(asked).toHaveLength(1);
    let ended = false;
    live.commands$(place, answer).subscribe({ next: snapshot => seen.push(snapshot), complete: () => (ended = true) });
    await turn();
    live.setReady(false);
    live.forget();
    expect(told().slice(-3)).toEqual([['current', 'rally'], ['stale', 'rally'], ['loading']]);
    live.close();
    expect(ended).toBe(true);
    live.commands$(place, answer).subscribe({ complete: () => (ended = false) });
    expect(ended).toBe(false);
  });
});

describe('readCommandIndex', () => {
  it('reads commands with what the player sees of them', () => {
    const commands = readCommandIndex({
      applications: [],
      application_commands: [
        {
          id: '7',
          application_id: '1',
          type: 1,
          name: 'rally',
          name_localized: 'sammeln',
          description: 'Calls your party',
          guild_id: '5',
          nsfw: true,
          options: [
            {
              type: 4,
              name: 'size',
              name_localized: 'größe',
              description: 'How many',
              required: true,
              min_value: 1,
              max_value: 9,
              choices: [{ name: 'two', name_localized: 'zwei', value: 2 }, {}],
            },
            { type: 7, name: 'where', description: '', channel_types: [0, 2, 'x'], autocomplete: true },
            5,
          ],
        },
        { id: '8' },
      ],
    });
    expect(commands).toEqual([
      {
        id: '7',
        applicationId: '1',
        type: 1,
        name: 'rally',
        displayName: 'sammeln',
        description: 'Calls your party',
        displayDescription: 'Calls your party',
        guildId: '5',
        nsfw: true,
        options: [
          expect.objectContaining({
            name: 'size',
            displayName: 'größe',
            required: true,
            minValue: 1,
            maxValue: 9,
            minLength: undefined,
            choices: [{ name: 'two', displayName: 'zwei', value: 2 }],
          }),
          expect.objectContaining({ name: 'where', channelTypes: [0, 2], autocomplete: true, options: [] }),
        ],
      },
    ]);
    expect(isDeeplyFrozen(commands)).toBe(true);
  });

  it.each([undefined, null, [], {}, { application_commands: {} }])('takes %j for no index', body => {
    expect(readCommandIndex(body)).toBeUndefined();
  });
});
