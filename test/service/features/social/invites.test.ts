import { beforeEach, describe, expect, it } from 'vitest';
import type { DirectMessage } from '../../../../src/model/direct-message.ts';
import { limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { relationshipTypes } from '../../../../src/model/relationship.ts';
import type { SecretRequest } from '../../../../src/service/features/social/messages/invites.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { ada, applicationRecord, ben, cyn, refusal, userRecord } from '../support.ts';
import { heardOn, type MessagesRig, makeMessagesRig, topicsOf } from './rig.ts';

const { FRIEND, BLOCKED } = relationshipTypes;
const JOIN = 1;
const JOIN_REQUEST = 5;
const full = { id: 'party', size: [4, 4] } as const;

let rig: MessagesRig;
beforeEach(async () => {
  rig = await makeMessagesRig();
  await rig.relate(ada, ben, FRIEND);
});

const invite = (from = ada, to = ben, more: object = {}): Promise<DirectMessage> =>
  rig.send(from, to, { activity: { type: JOIN, party_id: 'party', session_id: `session-${from}`, ...more } });
const secret = async (caller: string, request: Partial<SecretRequest> = {}) => {
  const whole = { userId: ada, sessionId: `session-${ada}`, applicationId: '1', ...request };
  return rig.messages.secrets.read(await rig.caller(caller), whole);
};

describe('an invite', () => {
  it('is a message that names the application, its party and the session', async () => {
    await rig.play(ada);
    const toBen = await heardOn(rig.core, topicsOf(ben).messages);
    const toOthers = await heardOn(rig.core, topicsOf(ben).invites);
    const toAda = await heardOn(rig.core, topicsOf(ada).invites);
    const sent = await invite();
    expect(sent).toMatchObject({
      ...{ content: '', channel_type: 1, application_id: '1', application: { id: '1', name: 'app 1', icon: null } },
      activity: { type: JOIN, party_id: 'party', session_id: `session-${ada}` },
    });
    expect(toBen.at(-1)?.d).toEqual(sent);
    expect(toOthers.map(({ event, d }) => [event?.name, d])).toEqual([
      [
        'ACTIVITY_INVITE_CREATE',
        {
          ...{ message_id: sent.id, channel_id: sent.channel_id, author: sent.author },
          ...{ application: sent.application, activity: sent.activity },
        },
      ],
    ]);
    expect(toAda).toEqual([]);
    expect(JSON.stringify([sent, toOthers])).not.toContain('"secret"');
  });

  it('takes the party and the session of the present activity where it names none', async () => {
    await rig.play(ada);
    const sent = await rig.send(ada, ben, { content: 'Come!', activity: { type: JOIN } });
    expect(sent).toMatchObject({ content: 'Come!', activity: { party_id: 'party', session_id: `session-${ada}` } });
  });

  it('goes out without anything else where the scopes allow invites alone', async () => {
    await rig.play(ada);
    const caller = { ...(await rig.caller(ada)), mayWrite: false };
    const send = (body: object) => rig.messages.send(caller, ben, body);
    const body = { content: 'Come!', metadata: { a: 'b' }, flags: 4096, activity: { type: JOIN } };
    const sent = JSON.parse(await send(body));
    expect(sent).toMatchObject({ content: '', flags: 1 << 16, activity: { type: JOIN } });
    expect(sent).not.toHaveProperty('metadata');
    expect(await refusal(send({ content: 'Hello' }))).toMatchObject({ reason: 'missing_scope' });
  });

  it('is rejected without a joinable activity of that party, session and application', async () => {
    const invalid = { reason: 'invalid_activity_action' };
    expect(await refusal(invite())).toMatchObject(invalid);
    await rig.play(ada);
    expect(await refusal(invite(ada, ben, { party_id: 'other' }))).toMatchObject(invalid);
    expect(await refusal(invite(ada, ben, { session_id: 'other' }))).toMatchObject(invalid);
    const foreign = rig.send(ada, ben, { activity: { type: JOIN }, application_id: '2' });
    expect(await refusal(foreign)).toMatchObject({ reason: 'invalid_form_body', paths: ['application_id'] });
    await rig.play(ada, { party: full });
    expect(await refusal(invite())).toMatchObject(invalid);
    await rig.play(ada, { application_id: '2' });
    expect(await refusal(invite())).toMatchObject(invalid);
  });

  it('is bound by the same rules as messages', async () => {
    await rig.play(ada);
    expect(await refusal(invite(ada, cyn))).toMatchObject({ reason: 'no_mutual_guilds' });
    await rig.relate(ben, ada, BLOCKED);
    expect(await refusal(invite())).toMatchObject({ reason: 'cannot_send_to_user' });
    expect(await refusal(invite(ada, ada))).toMatchObject({ reason: 'invalid_recipient' });
  });

  it('to a game of the same publisher is sent by each of its games', async () => {
    const children = ['11', '12'].map(id => applicationRecord(id, { parent_id: '1' }));
    await rig.core.store.transact('applications', transaction => {
      for (const child of children) transaction.put('applications', child);
    });
    await rig.play(ada, { application_id: '12' });
    const caller = await rig.caller(ada, children[0]);
    const body = { activity: { type: JOIN }, application_id: '12' };
    expect(JSON.parse(await rig.messages.send(caller, ben, body))).toMatchObject({ application: { id: '12' } });
  });

  it('is counted for its sender', async () => {
    rig = await makeMessagesRig({ limits: limitProfiles.standard });
    await rig.relate(ada, ben, FRIEND);
    await rig.play(ada);
    for (let number = 0; number < 10; number++) await invite();
    const { reason, fault } = await refusal(invite());
    expect(reason).toBe('rate_limited');
    expect(fault.extra).toMatchObject({ retry_after: 60 });
    await rig.send(ada, ben, 'A message is none.');
  });
});

describe('a request to join', () => {
  it('is about the recipient’s activity', async () => {
    const ask = (from = ben, to = ada) => rig.send(from, to, { activity: { type: JOIN_REQUEST } });
    expect(await refusal(ask())).toMatchObject({ reason: 'invalid_activity_action' });
    await rig.play(ada);
    expect(await ask()).toMatchObject({
      activity: { type: JOIN_REQUEST, session_id: `session-${ada}`, party_id: 'party' },
    });
    await rig.play(ada, { party: full });
    expect(await refusal(ask())).toMatchObject({ reason: 'invalid_activity_action' });
    await rig.play(ben);
    expect(await refusal(ask())).toMatchObject({ reason: 'invalid_activity_action' });
  });

  it('gives nobody a secret', async () => {
    await rig.play(ada);
    const { id } = await rig.send(ben, ada, { activity: { type: JOIN_REQUEST } });
    expect(await refusal(secret(ben, { messageId: id }))).toMatchObject({ reason: 'unknown_message' });
  });
});

describe('the secret of an activity', () => {
  it('is the present one, for who was invited', async () => {
    await rig.play(ada);
    const { id, channel_id } = await invite();
    expect(await secret(ben, { messageId: id, channelId: channel_id })).toEqual({ secret: 'secret' });
    await rig.play(ada, { secrets: { join: 'another' } }, 'another-session');
    expect(await secret(ben, { messageId: id, sessionId: 'another-session' })).toEqual({ secret: 'another' });
    expect(await refusal(secret(ben, { messageId: id }))).toMatchObject({ reason: 'unknown_session' });
    expect(await refusal(secret(cyn, { messageId: id }))).toMatchObject({ reason: 'unknown_message' });
    expect(await refusal(secret(ben, { messageId: '123' }))).toMatchObject({ reason: 'unknown_message' });
    const elsewhere = secret(ben, { messageId: id, channelId: '123' });
    expect(await refusal(elsewhere)).toMatchObject({ reason: 'unknown_message' });
  });

  it('is given for six hours', async () => {
    await rig.play(ada);
    const { id } = await invite();
    await rig.core.clock.advance(serviceLimits.activityInviteLifeMs - 1);
    expect(await secret(ben, { messageId: id })).toEqual({ secret: 'secret' });
    await rig.core.clock.advance(1);
    expect(await refusal(secret(ben, { messageId: id }))).toMatchObject({ reason: 'activity_expired' });
  });

  it('is given no more to who blocks, or while the sender is elsewhere, full, gone or invisible', async () => {
    await rig.play(ada);
    const { id } = await invite();
    const ask = () => secret(ben, { messageId: id });
    await rig.play(ada, { party: { id: 'other', size: [1, 4] } });
    expect(await refusal(ask())).toMatchObject({ reason: 'activity_expired' });
    await rig.play(ada, { party: full });
    expect(await refusal(ask())).toMatchObject({ reason: 'no_activity_access' });
    await rig.play(ada);
    await rig.core.store.transact('settings', transaction => {
      transaction.put('social_settings', { user_id: ada, settings: { status: 'invisible' } });
    });
    expect(await refusal(ask())).toMatchObject({ reason: 'activity_expired' });
    await rig.core.store.transact('settings', transaction => transaction.delete('social_settings', ada));
    await rig.stopPlaying(ada);
    expect(await refusal(ask())).toMatchObject({ reason: 'unknown_session' });
    await rig.play(ada);
    await rig.relate(ada, ben, BLOCKED);
    expect(await refusal(ask())).toMatchObject({ reason: 'no_activity_access' });
    await rig.relate(ada, ben);
    expect(await ask()).toEqual({ secret: 'secret' });
  });

  it('is open to friends without an invite only where the activity says so', async () => {
    await rig.play(ada);
    expect(await refusal(secret(ben))).toMatchObject({ reason: 'no_activity_access' });
    await rig.play(ada, { party: { id: 'party', size: [1, 4], privacy: 1 } });
    expect(await secret(ben)).toEqual({ secret: 'secret' });
    expect(await refusal(secret(cyn))).toMatchObject({ reason: 'no_activity_access' });
    await rig.relateInGame(ada, cyn);
    expect(await secret(cyn)).toEqual({ secret: 'secret' });
    expect(await refusal(secret(ben, { sessionId: 'other' }))).toMatchObject({ reason: 'unknown_session' });
    expect(await refusal(secret(ben, { userId: '999' }))).toMatchObject({ reason: 'unknown_session' });
    expect(await refusal(secret(ben, { applicationId: '2' }))).toMatchObject({ reason: 'no_activity_access' });
  });

  it('is given by an ephemeral invite, too, whose channel is its sender', async () => {
    await rig.put(userRecord('104'));
    await rig.enter(ada);
    await rig.enter('104');
    await rig.play(ada);
    const toOthers = await heardOn(rig.core, topicsOf('104').invites);
    const { id, channel_id } = await invite(ada, '104');
    expect(channel_id).toBe('104');
    expect(toOthers[0]).toMatchObject({ d: { channel_id: ada }, families: ['1'] });
    expect(await secret('104', { messageId: id, channelId: ada })).toEqual({ secret: 'secret' });
    await rig.core.clock.advance(serviceLimits.activityInviteLifeMs);
    expect((await refusal(secret('104', { messageId: id }))).reason).toMatch(/^(unknown_message|activity_expired)$/);
  });
});
