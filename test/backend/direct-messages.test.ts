import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, createBackend } from '../../src/backend/client.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { Player, socialWorld, userIds } from '../support/service/social.ts';
import { starfall } from '../support/service/starfall.ts';
import { codeOf } from './fleet/rig.ts';

const { ada, grace } = userIds;
const [{ id: applicationId, bot_token: botToken }] = starfall.applications;

let service: Service;
let backend: Backend;
beforeAll(async () => {
  const relationships = [{ users: [ada, grace], type: 'friend' }] as const;
  service = await startService({ fixtures: { ...socialWorld, relationships }, limits: 'off' });
  backend = createBackend({ baseUrl: service.webBase, applicationId, botToken });
});
afterAll(async () => {
  await backend.close();
  await service.close();
});

describe('moderation metadata of a message between players', () => {
  it('replaces what was set before, and is seen in the history', async () => {
    const [alone] = [await Player.of(service, 'ada'), await Player.of(service, 'grace')];
    const { body } = await alone.call('POST', `/users/${grace}/messages`, { content: 'hello' });
    const { id } = body as { id: string };
    await backend.directMessages.setModerationMetadata([ada, grace], id, { verdict: 'unsure', score: '0.5' });
    await backend.directMessages.setModerationMetadata([grace, ada], id, { verdict: 'fine' });
    const history = await alone.call('GET', `/users/${grace}/messages`);
    expect(history.body).toMatchObject([{ id, moderation_metadata: { verdict: 'fine' } }]);
    const unknown = backend.directMessages.setModerationMetadata([ada, grace], '404', {});
    expect(await codeOf(unknown)).toBe('unknown_message');
  });

  it('is checked before it is sent', async () => {
    const { setModerationMetadata } = backend.directMessages;
    const six = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map(key => [key, key]));
    expect(await codeOf(setModerationMetadata([ada, grace], '1', six))).toBe('invalid_form_body');
    expect(await codeOf(setModerationMetadata([ada, 'x'], '1', {}))).toBe('invalid_snowflake');
    expect(await codeOf(setModerationMetadata([ada, grace], 'x', {}))).toBe('invalid_snowflake');
    expect(await codeOf(setModerationMetadata(null as never, '1', {}))).toBe('invalid_snowflake');
  });
});
