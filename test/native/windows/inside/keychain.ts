import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openKeychain } from '../../../../src/sdk/keychain/open-keychain.ts';

/** Sets, reads, replaces and deletes secrets in the file tier of a fresh folder, or of this user's own. */
export async function roundTrip(folder?: string) {
  const keychain = await openKeychain({ service: 'Stärfall: 1*?', allow: ['encrypted-file'], folder });
  const accounts = ['ada', 'CON', 'a:b\\..\\c', '../../x', 'größer ✨', 'a'.repeat(128), 'ADA'];
  const secrets = new Map(accounts.map((account, index) => [account, `${account} ${'s'.repeat(index * 2_000)}`]));
  for (const [account, secret] of secrets) await keychain.set(account, secret);
  for (const [account, secret] of secrets) await keychain.set(account, `${secret}!`);
  const again = await openKeychain({ service: 'Stärfall: 1*?', allow: ['encrypted-file'], folder });
  const kept: boolean[] = [];
  for (const [account, secret] of secrets) kept.push((await again.get(account)) === `${secret}!`);
  const deleted: boolean[] = [];
  for (const account of accounts) deleted.push(await again.delete(account), await again.delete(account));
  return { backend: keychain.backend, tier: keychain.tier, kept, deleted, left: await again.get('ada') };
}

/** Where secrets lie when no folder is named. */
export function defaultFolders(): readonly string[] {
  return readdirSync(join(process.env.LOCALAPPDATA ?? '', 'rallypoint'));
}
