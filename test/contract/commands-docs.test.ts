import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { startService } from '../../src/service/service.ts';

const root = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs', 'commands.md'), 'utf8');
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, body = '']) => body);

describe('docs/commands.md', () => {
  it('leads from nothing to a deployed set, by the lines it shows', async () => {
    const [fixtures = '', commands = '', renamed = '', translations = ''] = blocks('json');
    const folder = mkdtempSync(join(tmpdir(), 'rallypoint-docs-'));
    const service = await startService({ fixtures: JSON.parse(fixtures), limits: 'off' });
    onTestFinished(async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    });
    writeFileSync(join(folder, 'commands.json'), commands);
    writeFileSync(join(folder, 'renamed.json'), `[${renamed}]`);
    mkdirSync(join(folder, 'locales'));
    writeFileSync(join(folder, 'locales', 'de.json'), translations);
    // As `npx rallypoint` would load it, but from here.
    const module = (blocks('ts')[0] ?? '').replace('@rallypoint/sdk/backend', join(root, 'src/backend/index.ts'));
    writeFileSync(join(folder, 'commands.ts'), module);

    const lines = blocks('sh')
      .flatMap(block => block.split('\n'))
      .filter(line => line.startsWith('npx rallypoint commands'));
    expect(lines.length).toBeGreaterThanOrEqual(6);
    const printed: string[] = [];
    for (const line of [
      ...lines,
      lineFor('plan renamed.json'),
      lineFor('deploy commands.ts'),
      lineFor('check commands.ts'),
    ]) {
      const { code, stdout, stderr } = await run(line);
      expect(`${line} → ${code} ${stderr}`).toMatch(/→ 0 (\[1\/1\].*\n)?$/);
      printed.push(stdout);
    }
    // What it shows of the first plan is what the first plan shows.
    expect(text).toContain(printed[0]);
    expect(printed.at(-3)).toContain('regroup (was rally)');

    async function run(line: string) {
      let stdout = '';
      let stderr = '';
      const args = line
        .split(' ')
        .slice(2)
        .map(word => {
          if (word.startsWith('http://')) return service.api_base;
          return /\.(json|ts)$|^locales$/.test(word) ? join(folder, word) : word;
        });
      const code = await rallypoint(args, {
        stdout: { write: part => (stdout += part) },
        stderr: { write: part => (stderr += part) },
        environment: { RALLYPOINT_BOT_TOKEN: JSON.parse(fixtures).applications[0].bot_token },
        askHidden: async () => undefined,
        askWhether: async () => undefined,
      });
      return { code, stdout, stderr };
    }
  });
});

function lineFor(action: string): string {
  return `npx rallypoint commands ${action} --application 100 --api-base http://127.0.0.1:8910/api`;
}
