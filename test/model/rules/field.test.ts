import { describe, expect, it } from 'vitest';
import { checkAccountEdit, checkBotProvisionalToken } from '../../../src/model/rules/accounts/provisional.ts';
import { checkUserEdit } from '../../../src/model/rules/accounts/user.ts';
import { checkMessageData } from '../../../src/model/rules/interactions/callback.ts';
import { checkLobby, checkLobbyMember } from '../../../src/model/rules/lobbies/lobby.ts';
import { checkLobbyJoin } from '../../../src/model/rules/lobbies/lobby-join.ts';
import { checkLobbyMessage, checkModerationMetadata } from '../../../src/model/rules/lobbies/lobby-message.ts';
import { checkLobbyVoiceStates } from '../../../src/model/rules/lobbies/lobby-voice.ts';
import { checkActivity, checkSocialSettings } from '../../../src/model/rules/social/activity.ts';
import { checkDirectMessage } from '../../../src/model/rules/social/message.ts';
import { checkApplicationProfile } from '../../../src/model/rules/social/profile.ts';
import { checkRelationshipEdit, checkRequestNote } from '../../../src/model/rules/social/relationship.ts';
import { faults } from '../../support/commands/issues.ts';

const half = 'ab\ud800';
const calls = [{ lobby_id: '1', self_mute: false, self_deaf: false, preferred_region: half }];

describe('a text with a lone surrogate', () => {
  it.each([
    ['a lobby secret', checkLobbyJoin({ secret: half }), 'secret'],
    ['a value of lobby metadata', checkLobby({ metadata: { a: half } }), 'metadata.a'],
    ['a key of lobby metadata', checkLobby({ metadata: { [half]: 'x' } }), `metadata.${half}`],
    ['an additional name', checkLobbyMember({ additional_name: half }), 'additional_name'],
    ['the content of a lobby message', checkLobbyMessage({ content: half }), 'content'],
    ['a value of message metadata', checkLobbyMessage({ metadata: { a: half } }), 'metadata.a'],
    ['a key of message metadata', checkDirectMessage({ metadata: { [half]: 'x' } }), `metadata.${half}`],
    ['a key of moderation metadata', checkModerationMetadata({ [half]: 'x' }), half],
    ['a region of a call', checkLobbyVoiceStates(calls), '0.preferred_region'],
    ['the content of a direct message', checkDirectMessage({ content: half }), 'content'],
    ['the content of an answer', checkMessageData({ content: half }), 'content'],
    ['a note', checkRequestNote({ note: half }), 'note'],
    ['a nickname', checkRelationshipEdit({ nickname: half }), 'nickname'],
    ['a display name', checkAccountEdit({ global_name: half }), 'global_name'],
    ['the id of a player elsewhere', checkBotProvisionalToken({ external_user_id: half }), 'external_user_id'],
    ['a username', checkUserEdit({ username: half }), 'username'],
    ['the username of a profile', checkApplicationProfile({ username: half }), 'username'],
    ['a custom status', checkSocialSettings({ custom_status: { text: half } }), 'custom_status.text'],
    ['the state of an activity', checkActivity({ state: half }), 'state'],
    ['the join secret of an activity', checkActivity({ secrets: { join: half } }), 'secrets.join'],
    ['a label of an activity', checkActivity({ buttons: [half] }), 'buttons.0'],
  ])('is rejected as %s with STRING_TYPE_CONVERT', (_, issues, path) => {
    expect(faults(issues)).toEqual([`${path} STRING_TYPE_CONVERT`]);
  });

  it('is reported once where both key and value have one', () => {
    expect(faults(checkLobby({ metadata: { [half]: half } }))).toEqual([`metadata.${half} STRING_TYPE_CONVERT`]);
    expect(faults(checkModerationMetadata({ [half]: half }))).toEqual([`${half} STRING_TYPE_CONVERT`]);
  });

  it('is told from pairs of surrogates and from the replacement character', () => {
    expect(checkLobbyJoin({ secret: '🎲\ufffd', lobby_metadata: { '🎲': '🎲' } })).toEqual([]);
    expect(checkActivity({ state: '🎲🎲' })).toEqual([]);
  });
});
