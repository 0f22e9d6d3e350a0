import { expect, it } from 'vitest';
import { changeApplication } from '../../../../src/service/features/accounts/application-records.ts';
import { makeWorld } from '../support.ts';

it('changes an application after a document that is being stored, and takes nothing of it back', async () => {
  const { core, starfall } = await makeWorld();
  const stored = core.store.transact('fixtures', async transaction => {
    const application = (await transaction.get('applications', starfall.id)) ?? starfall;
    transaction.put('applications', { ...application, name: 'Starfall II' });
  });
  const changed = changeApplication(core.store, starfall.id, { bot_username: 'Harbour' });
  await stored;
  expect(await changed).toMatchObject({ name: 'Starfall II', bot_username: 'Harbour' });
  expect(await core.store.get('applications', starfall.id)).toEqual(await changed);
});

it('does not change an application that no longer exists', async () => {
  const { core } = await makeWorld();
  await expect(changeApplication(core.store, '42', {})).rejects.toMatchObject({ reason: 'unknown_application' });
  expect(await core.store.get('applications', '42')).toBeUndefined();
});
