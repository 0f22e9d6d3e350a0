import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compatibilityTables, withTables } from '../support/compatibility.ts';
import { officialSpec } from '../support/official-spec.ts';

const page = fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url));
const packages = fileURLToPath(new URL('../../package.json', import.meta.url));

describe('docs/compatibility.md', () => {
  // To write the tables anew: npm run unit -- test/contract/compatibility.test.ts -u
  it('has the tables that follow from the routes, the events and the public file', async () => {
    const text = await readFile(page, 'utf8');
    await expect(withTables(text, compatibilityTables(await officialSpec()))).toMatchFileSnapshot(page);
  });

  it('names the versions of the clients that the tests run', async () => {
    const text = await readFile(page, 'utf8');
    const { devDependencies } = JSON.parse(await readFile(packages, 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const clients = [
      'discord.js',
      '@discordjs/rest',
      '@discordjs/core',
      '@discordjs/ws',
      'oceanic.js',
      'eris',
      '@discordeno/bot',
      'oauth4webapi',
      'discord-api-spec',
    ];
    for (const name of clients) expect(text).toContain(`| ${name} | ${devDependencies[name]} |`);
  });
});
