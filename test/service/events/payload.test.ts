import { describe, expect, it } from 'vitest';
import type { Announced } from '../../../src/service/events/announcement.ts';
import { decodePayload, encodePayload } from '../../../src/service/events/payload.ts';

describe('the payload of an announcement', () => {
  it.each<[string, Announced]>([
    [
      'with an event and every field',
      {
        ...{ to: 'lobby/1', scope: 'lobby/1', revision: 7, position: 9, guild: '5', everyShard: true, except: '9' },
        ...{ only: 's', recheck: true, follow: 'lobby/2', unfollow: 'lobby/1' },
        event: { name: 'LOBBY_UPDATE', data: '{"name":"a\\nb 😀 \\u0000","text":"line\\nline"}' },
      },
    ],
    ['without an event', { to: 'user/1', scope: 'user/1', revision: 1, position: 2, follow: 'lobby/2' }],
    [
      'with data that has several lines',
      { to: 'a', scope: 'b', revision: 1, position: 2, event: { name: 'LOBBY_CREATE', data: '{\n"a":1\n}' } },
    ],
  ])('%s is the same after it was encoded and decoded', (_, announced) => {
    expect(decodePayload(announced.to, announced.position, encodePayload(announced))).toEqual(announced);
  });
});
