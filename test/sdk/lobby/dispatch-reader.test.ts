import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concernsLobbies, readLobbyEvent } from '../../../src/sdk/lobby/dispatch-reader.ts';
import { isDeeplyFrozen } from '../../support/frozen.ts';

const member = { user_id: '9', metadata: { team: 'blue' }, flags: 1, connected: true, additional_name: 'The Brave' };
const lobby = {
  id: '5',
  application_id: '1',
  metadata: { map: 'harbour' },
  members: [member],
  flags: 1,
  voice_states: [],
  region: '',
};
const memberSnapshot = {
  id: '9',
  metadata: { team: 'blue' },
  flags: 1,
  canLinkLobby: true,
  connected: true,
  additionalName: 'The Brave',
};
const lobbySnapshot = {
  id: '5',
  applicationId: '1',
  metadata: { map: 'harbour' },
  members: [memberSnapshot],
  flags: 1,
};

const names = [
  'READY',
  'LOBBY_CREATE',
  'LOBBY_UPDATE',
  'LOBBY_DELETE',
  'LOBBY_MEMBER_ADD',
  'LOBBY_MEMBER_UPDATE',
  'LOBBY_MEMBER_REMOVE',
  'LOBBY_MEMBER_CONNECT',
  'LOBBY_MEMBER_DISCONNECT',
];

describe('readLobbyEvent: documented shapes', () => {
  it('reads the lobbies of READY', () => {
    const event = readLobbyEvent('READY', { user: {}, lobbies: [{ ...lobby, id: '10' }, lobby] });
    expect(event).toEqual({ kind: 'reset', lobbies: [{ ...lobbySnapshot, id: '10' }, lobbySnapshot], unreadable: 0 });
    expect(event?.kind === 'reset' && event.lobbies.every(isDeeplyFrozen)).toBe(true);
  });

  it('reads a READY without lobbies as none', () => {
    expect(readLobbyEvent('READY', {})).toEqual({ kind: 'reset', lobbies: [], unreadable: 0 });
  });

  it.each(['LOBBY_CREATE', 'LOBBY_UPDATE'])('reads %s', name => {
    expect(readLobbyEvent(name, lobby)).toEqual({ kind: 'lobby', lobbyId: '5', lobby: lobbySnapshot });
  });

  it('reads LOBBY_DELETE', () => {
    expect(readLobbyEvent('LOBBY_DELETE', { id: '5', reason: 'removed' })).toEqual({
      kind: 'lobby-gone',
      lobbyId: '5',
    });
  });

  it.each(['LOBBY_MEMBER_ADD', 'LOBBY_MEMBER_UPDATE'])('reads %s', name => {
    expect(readLobbyEvent(name, { member, lobby_id: '5', application_id: '1' })).toEqual({
      kind: 'member',
      lobbyId: '5',
      member: memberSnapshot,
    });
  });

  it.each([
    ['LOBBY_MEMBER_CONNECT', true],
    ['LOBBY_MEMBER_DISCONNECT', false],
  ])('reads %s as connected: %s, whatever the member says', (name, connected) => {
    for (const said of [true, false, undefined]) {
      expect(readLobbyEvent(name, { member: { ...member, connected: said }, lobby_id: '5' })).toMatchObject({
        kind: 'member',
        member: { connected },
      });
    }
  });

  it('reads LOBBY_MEMBER_REMOVE', () => {
    expect(readLobbyEvent('LOBBY_MEMBER_REMOVE', { member, lobby_id: '5' })).toEqual({
      kind: 'member-gone',
      lobbyId: '5',
      memberId: '9',
    });
  });
});

describe('readLobbyEvent: what other services send', () => {
  const read = (fields: Record<string, unknown>) => {
    const event = readLobbyEvent('LOBBY_UPDATE', { ...lobby, ...fields });
    return event?.kind === 'lobby' ? event.lobby : undefined;
  };

  it('takes metadata as JSON text', () => {
    expect(read({ metadata: '{"map":"reef"}' })?.metadata).toEqual({ map: 'reef' });
  });

  it.each([null, undefined, '', 'no JSON', '[]', 'null', 5, []])('takes metadata %j for none', metadata => {
    expect(read({ metadata })?.metadata).toEqual({});
  });

  it('keeps of metadata what is text, under any name', () => {
    const metadata = JSON.parse('{"a":"b","n":1,"__proto__":"p","toString":"t"}');
    expect(Object.entries(read({ metadata })?.metadata ?? {})).toEqual([
      ['a', 'b'],
      ['__proto__', 'p'],
      ['toString', 't'],
    ]);
  });

  it('takes a member by id instead of user_id, and one that says nothing else', () => {
    expect(read({ members: [{ id: '9' }] })?.members).toEqual([
      { id: '9', metadata: {}, flags: 0, canLinkLobby: false, connected: false, additionalName: undefined },
    ]);
  });

  it('takes lobby_id in LOBBY_DELETE', () => {
    expect(readLobbyEvent('LOBBY_DELETE', { lobby_id: '5' })).toEqual({ kind: 'lobby-gone', lobbyId: '5' });
  });

  it('takes a lobby without members and flags', () => {
    expect(read({ members: undefined, flags: undefined })).toMatchObject({ members: [], flags: 0 });
  });

  it('keeps flags it does not know', () => {
    expect(read({ flags: 6, members: [{ ...member, flags: 6 }] })).toMatchObject({
      flags: 6,
      members: [{ flags: 6, canLinkLobby: false }],
    });
  });
});

describe('readLobbyEvent: what cannot be read', () => {
  it.each([
    ['LOBBY_CREATE', { ...lobby, id: undefined }],
    ['LOBBY_CREATE', { ...lobby, id: 5 }],
    ['LOBBY_CREATE', { ...lobby, application_id: undefined }],
    ['LOBBY_UPDATE', { ...lobby, members: {} }],
    ['LOBBY_UPDATE', { ...lobby, members: [{}] }],
    ['LOBBY_DELETE', {}],
    ['LOBBY_MEMBER_ADD', { member }],
    ['LOBBY_MEMBER_ADD', { lobby_id: '5' }],
    ['LOBBY_MEMBER_REMOVE', { lobby_id: '5', member: {} }],
    ['READY', { lobbies: {} }],
  ])('is undefined: %s %j', (name, data) => {
    expect(readLobbyEvent(name, data)).toBeUndefined();
  });

  it('leaves the unreadable lobbies of READY out, and says how many', () => {
    expect(readLobbyEvent('READY', { lobbies: [{}, lobby, null] })).toMatchObject({
      lobbies: [{ id: '5' }],
      unreadable: 2,
    });
  });

  it('never throws, whatever comes', () => {
    const odd = fc.oneof(fc.anything(), fc.record({ lobbies: fc.array(fc.anything()) }), fc.constant(lobby));
    fc.assert(
      fc.property(fc.constantFrom(...names, 'toString', ''), odd, (name, data) => {
        const event = readLobbyEvent(name, data);
        expect(event === undefined || concernsLobbies(name)).toBe(true);
      }),
    );
  });
});
