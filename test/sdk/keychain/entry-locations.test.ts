import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEntryLocations } from '../../../src/sdk/keychain/entry-locations.ts';
import { openPrivateFolder } from '../../../src/sdk/keychain/private-folder.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

describe('the locations of entries', () => {
  it('are read as they were written, each account by itself, until forgotten', async () => {
    const places = openEntryLocations(await openPrivateFolder(folder.path));
    await places.write('ada', { holder: 'keytar', stale: ['file'] });
    await places.write('grace', { holder: undefined, stale: [] });
    const again = openEntryLocations(await openPrivateFolder(folder.path));
    expect(await again.read('ada')).toMatchObject({ holder: 'keytar', stale: ['file'] });
    expect(await again.read('grace')).toMatchObject({ holder: undefined, stale: [] });
    await again.forget('ada');
    expect([await places.read('ada'), await places.read('nobody')]).toEqual([undefined, undefined]);
    expect(await places.read('grace')).toMatchObject({ holder: undefined, stale: [] });
  });

  it('name each older copy once, and never the one that is to be read', async () => {
    const places = openEntryLocations(await openPrivateFolder(folder.path));
    await places.write('ada', { holder: 'keytar', stale: ['file', 'keytar', 'file', 'keyring'] });
    expect((await places.read('ada'))?.stale).toEqual(['file', 'keyring']);
  });

  it('have a new revision for each write', async () => {
    const places = openEntryLocations(await openPrivateFolder(folder.path));
    const revisions = new Set<string | undefined>();
    for (let time = 0; time < 3; time++) {
      await places.write('ada', { holder: 'file', stale: [] });
      revisions.add((await places.read('ada'))?.revision);
    }
    expect(revisions.size).toBe(3);
  });
});
