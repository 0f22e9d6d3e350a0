import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lobbyReader } from '../../../src/sdk/lobby/dispatch-reader.ts';
import { readMember } from '../../../src/sdk/lobby/lobby-reader.ts';
import { asRecord } from '../../../src/wire/http/codec.ts';
import { isDeeplyFrozen } from '../../support/runs/frozen.ts';

const member = { user_id: '9', metadata: { team: 'blue' }, flags: 1, connected: true, additional_name: 'The Brave' };
const voiceState = {
  lobby_id: '5',
  channel_id: '5',
  user_id: '9',
  session_id: 's',
  ...{ deaf: false, mute: true, self_deaf: false, self_mute: true, self_video: false },
  ...{ suppress: false, request_to_speak_timestamp: null },
};
const voiceSnapshot = {
  id: '9',
  sessionId: 's',
  ...{ selfMute: true, selfDeaf: false, selfVideo: false, mute: true, deaf: false },
};
const lobby = {
  id: '5',
  application_id: '1',
  metadata: { map: 'harbour' },
  members: [member],
  flags: 1,
  voice_states: [voiceState],
  region: '',
};
const memberSnapshot = {
  id: '9',
  metadata: { team: 'blue' },
  flags: 1,
  canLinkLobby: true,
  connected: true,
  additionalName: 'The Brave',
  displayName: 'The Brave',
};
const lobbySnapshot = {
  id: '5',
  applicationId: '1',
  metadata: { map: 'harbour' },
  members: [memberSnapshot],
  flags: 1,
  voiceStates: [voiceSnapshot],
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
  'LOBBY_MESSAGE_CREATE',
  'LOBBY_MESSAGE_UPDATE',
  'LOBBY_MESSAGE_DELETE',
  'LOBBY_VOICE_STATE_UPDATE',
];

function readLobbyEvent(name: string, data: unknown) {
  const fields = asRecord(data);
  const event = fields && lobbyReader(name)?.(fields);
  if (event?.kind !== 'member') return event;
  // Of members an event says only whose it is; the rest is read when somebody looks.
  const { kind, lobbyId, memberId, fields: unread, connected } = event;
  return { kind, lobbyId, member: readMember(memberId, unread, connected) };
}

describe('readLobbyEvent: documented shapes', () => {
  it('reads the lobbies of READY', () => {
    const event = readLobbyEvent('READY', { user: {}, lobbies: [{ ...lobby, id: '10' }, lobby] });
    expect(event).toEqual({ kind: 'reset', lobbies: [{ ...lobbySnapshot, id: '10' }, lobbySnapshot], unreadable: 0 });
    expect(event?.kind === 'reset' && event.lobbies.every(isDeeplyFrozen)).toBe(true);
  });

  it.each([undefined, null])('reads a READY with lobbies: %s as none', lobbies => {
    expect(readLobbyEvent('READY', { lobbies })).toEqual({ kind: 'reset', lobbies: [], unreadable: 0 });
  });

  it.each(['LOBBY_CREATE', 'LOBBY_UPDATE'])('reads %s', name => {
    expect(readLobbyEvent(name, lobby)).toEqual({ kind: 'lobby', lobbyId: '5', lobby: lobbySnapshot });
  });

  it('reads LOBBY_DELETE', () => {
    expect(readLobbyEvent('LOBBY_DELETE', { id: '5', reason: 'removed' })).toEqual({
      kind: 'lobby-gone',
      lobbyId: '5',
      reason: 'removed',
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

describe('readLobbyEvent: calls', () => {
  const read = (data: object) => readLobbyEvent('LOBBY_VOICE_STATE_UPDATE', data);

  it('reads participants of the call, and those who left it', () => {
    const event = read(voiceState);
    expect(event).toEqual({ kind: 'voice', lobbyId: '5', memberId: '9', state: voiceSnapshot });
    expect(isDeeplyFrozen(event?.kind === 'voice' && event.state)).toBe(true);
    for (const channel_id of [null, undefined]) {
      expect(read({ ...voiceState, channel_id })).toEqual({ kind: 'voice', lobbyId: '5', memberId: '9' });
    }
  });

  it('takes what is not said for untrue', () => {
    expect(read({ lobby_id: '5', channel_id: '5', user_id: '9' })).toMatchObject({
      state: { sessionId: '', selfMute: false, selfDeaf: false, selfVideo: false, mute: false, deaf: false },
    });
  });

  it('cannot read one without a user or without a lobby', () => {
    expect(read({ ...voiceState, user_id: undefined })).toBeUndefined();
    expect(read({ ...voiceState, lobby_id: 5 })).toBeUndefined();
  });

  it('reads a lobby whose voice states it cannot read in part', () => {
    const voice_states = [null, {}, { ...voiceState, channel_id: null }, voiceState];
    expect(readLobbyEvent('LOBBY_CREATE', { ...lobby, voice_states })).toMatchObject({
      lobby: { voiceStates: [voiceSnapshot] },
    });
    for (const none of [undefined, null, 'x', {}]) {
      expect(readLobbyEvent('LOBBY_CREATE', { ...lobby, voice_states: none })).toMatchObject({
        lobby: { voiceStates: [] },
      });
    }
  });
});

describe('readLobbyEvent: messages', () => {
  const message = {
    id: '4194304000',
    type: 0,
    content: 'To the harbour!',
    lobby_id: '5',
    channel_id: '5',
    author: { id: '9', username: 'ada', global_name: null, discriminator: '0', avatar: null },
    flags: 65536,
    application_id: '1',
    lobby_member: { additional_name: 'The Brave' },
    metadata: { emote: 'wave' },
    channel_type: 17,
  };
  const read = (name: string, data: object) => readLobbyEvent(name, data);

  it('reads LOBBY_MESSAGE_CREATE; the time is that of the id', () => {
    const event = read('LOBBY_MESSAGE_CREATE', message);
    expect(event).toEqual({
      kind: 'message',
      lobbyId: '5',
      message: {
        id: '4194304000',
        key: '4194304000',
        lobbyId: '5',
        channelId: '5',
        author: { id: '9', username: 'ada', globalName: undefined, displayName: 'ada' },
        content: 'To the harbour!',
        type: 0,
        flags: 65536,
        metadata: { emote: 'wave' },
        moderationMetadata: {},
        additionalName: 'The Brave',
        applicationId: '1',
        sentAtMs: 1_420_070_401_000,
        editedAtMs: undefined,
        status: 'sent',
      },
    });
    expect(isDeeplyFrozen(event?.kind === 'message' && event.message)).toBe(true);
  });

  it('reads one of which only a part is said, and one of a linked channel', () => {
    expect(read('LOBBY_MESSAGE_CREATE', { id: '6', lobby_id: '5' })).toMatchObject({
      message: { content: '', author: undefined, applicationId: undefined, channelId: '5' },
    });
    const linked = { ...message, channel_id: '7', edited_timestamp: '2026-01-01T00:00:00.000000+00:00' };
    expect(read('LOBBY_MESSAGE_CREATE', linked)).toMatchObject({
      message: { channelId: '7', editedAtMs: Date.UTC(2026, 0, 1) },
    });
  });

  it('reads of LOBBY_MESSAGE_UPDATE what it says; an edit clears what moderation said', () => {
    const changeOf = (data: object) => {
      const event = read('LOBBY_MESSAGE_UPDATE', { id: '6', lobby_id: '5', ...data });
      return event?.kind === 'message-edit' ? event.change : undefined;
    };
    expect(changeOf({ moderation_metadata: { verdict: 'fine' } })).toEqual({ moderationMetadata: { verdict: 'fine' } });
    expect(changeOf({ content: 'edited', edited_timestamp: '2026-01-01T00:00:00Z' })).toEqual({
      content: 'edited',
      moderationMetadata: {},
      editedAtMs: Date.UTC(2026, 0, 1),
    });
    expect(changeOf({ content: 'same', moderation_metadata: { a: 'b' } })).toMatchObject({
      moderationMetadata: { a: 'b' },
    });
    expect(changeOf({ flags: 4, metadata: { a: 'b' }, edited_timestamp: null })).toEqual({
      flags: 4,
      metadata: { a: 'b' },
    });
  });

  it('reads LOBBY_MESSAGE_DELETE', () => {
    expect(read('LOBBY_MESSAGE_DELETE', { id: '6', lobby_id: '5' })).toEqual({
      kind: 'message-gone',
      lobbyId: '5',
      messageId: '6',
    });
  });

  it.each(['LOBBY_MESSAGE_CREATE', 'LOBBY_MESSAGE_UPDATE', 'LOBBY_MESSAGE_DELETE'])('needs the ids of %s', name => {
    expect(read(name, { id: '6' })).toBeUndefined();
    expect(read(name, { lobby_id: '5', id: 6 })).toBeUndefined();
  });
});

describe('readLobbyEvent: a linked channel', () => {
  const linkedOf = (linked_channel: unknown) => {
    const event = readLobbyEvent('LOBBY_UPDATE', { ...lobby, linked_channel });
    return event?.kind === 'lobby' ? event.lobby.linkedChannel : 'unread';
  };

  it('is read where there is one', () => {
    expect(linkedOf({ id: '7', name: 'general', guild_id: '3', type: 0 })).toEqual({
      id: '7',
      name: 'general',
      guildId: '3',
    });
    expect(linkedOf({ id: '7' })).toEqual({ id: '7', name: '', guildId: undefined });
    for (const none of [undefined, null, {}, 5]) expect(linkedOf(none)).toBeUndefined();
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
      {
        ...{ id: '9', metadata: {}, flags: 0, canLinkLobby: false, connected: false },
        ...{ additionalName: undefined, displayName: '9' },
      },
    ]);
  });

  it('takes lobby_id in LOBBY_DELETE', () => {
    expect(readLobbyEvent('LOBBY_DELETE', { lobby_id: '5' })).toEqual({
      ...{ kind: 'lobby-gone', lobbyId: '5', reason: 'unknown' },
    });
  });

  it.each([undefined, null])('takes a lobby with members and flags: %s', none => {
    expect(read({ members: none, flags: none })).toMatchObject({ members: [], flags: 0 });
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
        expect(event === undefined || lobbyReader(name) !== undefined).toBe(true);
      }),
    );
  });
});
