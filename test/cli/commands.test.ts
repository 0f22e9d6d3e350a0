import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { needs } from '../support/runs/parts.ts';
import { starfall } from '../support/service/starfall.ts';

const main = resolve(import.meta.dirname, '../../src/cli/main.ts');
const [application] = starfall.applications;
const [guild] = starfall.guilds;
const token = { RALLYPOINT_BOT_TOKEN: application.bot_token };

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.reset();
  folder = mkdtempSync(join(tmpdir(), 'rallypoint-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `rallypoint commands …` for Starfall, in this process. Files are named from {@link folder}. */
function run([action = '', ...rest]: readonly string[], environment: Terminal['environment'] = token): Promise<Ended> {
  return plainRun([action, ...where(), ...rest], environment);
}

/** The same without the options that name the service and the application. */
async function plainRun(args: readonly string[], environment: Terminal['environment']): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  const terminal: Terminal = {
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
    environment,
    askHidden: async () => undefined,
    askWhether: async () => undefined,
  };
  const code = await rallypoint(['commands', ...args], terminal);
  return { code, stdout, stderr };
}

const where = () => ['--application', application.id, '--base-url', service.webBase];

function write(name: string, content: unknown): string {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return join(folder, name);
}

const rally = { name: 'rally', description: 'Calls your party together' };
const party = { name: 'party', description: 'Your party' };

describe('rallypoint commands', () => {
  it('plans, deploys, checks and shows: from nothing to a set that is in sync', async () => {
    const file = write('commands.json', [rally, party]);
    const planned = await run(['plan', file]);
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    expect(planned.stdout).toMatch(/^ {2}ACTION +COMMAND +TYPE\n {2}\+ create {2}rally {4}CHAT_INPUT\n/);
    expect(planned.stdout).toContain("It costs 2 of the day's 200 creates.");
    expect(await run(['check', file])).toMatchObject({ code: 1, stdout: planned.stdout });

    const deployed = await run(['deploy', file]);
    expect(deployed).toMatchObject({ code: 0, stderr: '[1/1] all commands in one call\n' });
    expect(deployed.stdout).toContain('in sync with the definitions');
    expect(await run(['check', file])).toMatchObject({ code: 0, stdout: expect.stringContaining('In sync') });
    expect((await run(['show'])).stdout).toMatch(/^ {2}NAME +TYPE +ID +DESCRIPTION\n/);
    expect((await run(['show'])).stdout).toMatch(/rally +CHAT_INPUT +\d+ +Calls your party together\n/);
    expect((await run(['show', 'rally'])).stdout).toMatch(/^rally {2}CHAT_INPUT\n/);
  });

  it('shows what would change, field by field', async () => {
    await run(['deploy', write('commands.json', [rally, party])]);
    const { stdout } = await run(['plan', write('commands.json', [{ ...rally, description: 'New' }])]);
    expect(stdout).toContain('~ edit    rally');
    expect(stdout).toContain('- delete  party');
    expect(stdout).toContain('description  "Calls your party together" → "New"');
  });

  it('pulls what is registered as definitions that change nothing', async () => {
    await run(['deploy', write('commands.json', [rally, { ...party, contexts: [0], nsfw: true }])]);
    const { stdout } = await run(['pull']);
    expect(JSON.parse(stdout)).toContainEqual({ ...party, contexts: [0], nsfw: true, integration_types: [0, 1] });
    expect(await run(['pull', '--out', join(folder, 'pulled.json')])).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(folder, 'pulled.json'), 'utf8')).toBe(stdout);
    expect((await run(['check', join(folder, 'pulled.json')])).code).toBe(0);
  });

  it('does the same for a guild', async () => {
    const file = write('commands.json', [rally]);
    const place = ['--guild', guild.id];
    expect((await run(['deploy', file, ...place])).code).toBe(0);
    expect((await run(['show', ...place])).stdout).toContain('1 command.');
    expect((await run(['show', ...place, 'rally'])).stdout).toContain(guild.id);
  });

  it.each([
    ['bad.ts', '[\n  { name: "rally" description: "x" },\n]', 'bad.ts:2'],
    ['bad.mjs', '[\n  { name: "rally" description: "x" },\n]', 'bad.mjs:2'],
    ['unknown.mjs', '[\n\n  { name: rally },\n]', 'unknown.mjs:3'],
  ])('names the line of the fault in %s', async (name, list, place) => {
    const file = write(name, `export default ${list};\n`);
    // As a program: here the test runner loads modules.
    const child = spawn(process.execPath, [main, 'commands', 'check', ...where(), file], { env: { ...token } });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${place} cannot be loaded: `) });
  });

  it('takes modules of JavaScript and TypeScript, and translations from a folder', async () => {
    const list = `[{ name: 'rally', description: 'Calls' }]`;
    const files = [
      write('default.mjs', `export default ${list};`),
      write('named.mjs', `export const commands = Promise.resolve(${list});`),
      write(
        'typed.ts',
        `const list: readonly { name: string; description: string }[] = ${list};\nexport default list;`,
      ),
      write('object.json', { commands: [{ name: 'rally', description: 'Calls' }] }),
    ];
    mkdirSync(join(folder, 'locales'));
    write('locales/de.json', { rally: { name: 'sammeln' } });
    await run(['deploy', files[0] ?? '', '--localizations', join(folder, 'locales')]);
    const checks = files.map(file => run(['check', file, '--localizations', join(folder, 'locales')]));
    expect((await Promise.all(checks)).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { stdout } = await run(['show', 'rally', '--locale', 'de']);
    expect(stdout).toMatch(/TEXT +SHOWN +REASON\n/);
    expect(stdout).toMatch(/name +sammeln +own/);
    expect(stdout).toMatch(/description +Calls +default/);
  });

  it('prints one JSON document with --json', async () => {
    const file = write('commands.json', [rally]);
    expect(JSON.parse((await run(['plan', file, '--json'])).stdout)).toMatchObject({
      in_sync: false,
      creates: 1,
      guild_id: null,
      commands: [
        { action: 'create', type: 1, name: 'rally', id: null },
        { action: 'leave', name: 'Launch' },
      ],
      warnings: [{ code: 'entry_point_missing' }],
    });
    await run(['deploy', file, '--json']);
    expect(JSON.parse((await run(['check', file, '--json'])).stdout)).toMatchObject({ in_sync: true });
    expect(JSON.parse((await run(['show', 'rally', '--json'])).stdout)).toMatchObject([rally]);
    const [texts] = JSON.parse((await run(['show', 'rally', '--json', '--locale', 'fr'])).stdout);
    expect(texts).toMatchObject({ name: 'rally', texts: [{ path: ['name'], reason: 'default' }, {}] });
  });

  it('takes a client secret as well', async () => {
    const environment = { RALLYPOINT_CLIENT_SECRET: application.client_secret };
    expect((await run(['deploy', write('commands.json', [rally])], environment)).code).toBe(0);
  });

  it('names every fault of the definitions, and writes nothing', async () => {
    const file = write('commands.json', [rally, { name: 'Not so', description: '' }]);
    const { code, stdout, stderr } = await run(['deploy', file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      '1.name: String value did not match validation regex. (STRING_TYPE_REGEX)',
      '1.name: Command name is invalid (APPLICATION_COMMAND_INVALID_NAME)',
      '1.description: This field is required (BASE_TYPE_REQUIRED)',
      `rallypoint: ${file} has 3 errors; nothing was written.`,
      '',
    ]);
    const asJson = await run(['plan', file, '--json']);
    expect(JSON.parse(asJson.stdout).issues).toHaveLength(3);
    mkdirSync(join(folder, 'locales'));
    write('locales/de.json', { raly: {} });
    const unknown = await run(['plan', write('one.json', [rally]), '--localizations', join(folder, 'locales')]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no command "raly"') });
    expect(unknown.stderr).toContain(`${join(folder, 'locales')} has 1 error; nothing was written.`);
  });

  it('fails in one line on what it cannot read, reach or find', async () => {
    const runs = [
      ['plan', 'none.json'],
      ['plan', write('broken.json', '{')],
      ['plan', write('number.json', '7')],
      ['plan', write('throws.mjs', 'throw new Error("no");')],
      ['plan', write('fine.json', [rally]), '--base-url', 'http://127.0.0.1:1'],
      ['plan', join(folder, 'fine.json'), '--localizations', 'nowhere'],
      ['show', 'raly'],
      ['pull', '--out', 'no/such/folder.json'],
    ];
    for (const { code, stdout, stderr } of await Promise.all(runs.map(args => run([...args])))) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^rallypoint: [^\n]+\n$/);
    }
  });

  it('names what it cannot load, and nothing of its own', async () => {
    expect((await run(['plan', 'none.ts'])).stderr).toMatch(
      /^rallypoint: none\.ts cannot be read: ENOENT[^\n]+'none\.ts'\n$/,
    );
    expect((await run(['plan', folder])).stderr).toBe(
      `rallypoint: ${folder} is a folder. Name a file of definitions in it.\n`,
    );
    expect((await run(['show', '--locale', 'xxxx'])).stderr).toContain('There is no locale "xxxx". Known are: ');
  });

  it('rejects wrong use in one line, with exit code 2', async () => {
    const runs = [
      ['plan'],
      ['plan', 'a.json', 'b.json'],
      ['show', 'a', 'b'],
      ['pull', 'a'],
      ['pln', 'a.json'],
      [''],
      ['plan', 'a.json', '--jsn'],
      ['plan', 'a.json', '--guild', 'x'],
      ['plan', 'a.json', '--out', 'x'],
      ['show', '--locale', 'xx'],
      ['show', '--yes'],
    ];
    for (const { code, stdout, stderr } of await Promise.all(runs.map(args => run([...args])))) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^rallypoint: [^\n]+\n$/);
    }
    expect((await run(['pln', 'a.json'])).stderr).toContain('Did you mean "plan"?');
  });

  it('takes no secret as an argument, does not repeat it, and asks for one only at a terminal', async () => {
    for (const args of [['--bot-token', 'very-secret'], ['--client-secret=very-secret'], ['--token=very-secret']]) {
      const { code, stdout, stderr } = await run(['plan', 'a.json', ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('RALLYPOINT_BOT_TOKEN');
      expect(stderr).not.toContain('very-secret');
    }
    expect(await run(['show'], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('RALLYPOINT_BOT_TOKEN'),
    });
    const wrong = await run(['show'], { RALLYPOINT_BOT_TOKEN: 'very-secret' });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('401') });
    expect(wrong.stderr).not.toContain('very-secret');
  });

  it('does not let a name steer the terminal', async () => {
    await run(['deploy', write('commands.json', [{ type: 2, name: 'a\u001b[2Jb' }])]);
    expect((await run(['show'])).stdout).toContain('a\\u{1b}[2Jb');
  });

  it('shows its help, and that of each action with the options it takes', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const word of [
      'plan FILE',
      'deploy FILE',
      'check FILE',
      'pull',
      'show [NAME]',
      '--base-url URL',
      'NO_COLOR',
    ]) {
      expect(stdout).toContain(word);
    }
    const [deploy, pull, asked] = await Promise.all([
      run(['deploy', '-h']),
      run(['pull', '--help']),
      plainRun(['help', 'pull'], {}),
    ]);
    expect(deploy.stdout).toContain('Usage: rallypoint commands deploy FILE [options]');
    expect(deploy.stdout).toContain('--yes');
    expect(deploy.stdout).not.toContain('--out');
    expect(pull.stdout).toContain('Usage: rallypoint commands pull [options]');
    expect(pull.stdout).toContain('--out FILE');
    expect(pull.stdout).not.toContain('--yes');
    expect(asked).toEqual(pull);
  });

  it('deletes nothing off a terminal without --yes', async () => {
    await run(['deploy', write('commands.json', [rally, party])]);
    const file = write('commands.json', [rally]);
    const { code, stderr } = await run(['deploy', file]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/delete party.*Nothing was written.*--yes/),
    });
    expect((await run(['show'])).stdout).toMatch(/^ {2}party /m);
    expect((await run(['deploy', file, '--yes'])).code).toBe(0);
    expect((await run(['show'])).stdout).not.toMatch(/^ {2}party /m);
  });

  it('names line and column where a file is not JSON', async () => {
    const runs = [
      ['plan', write('comments.json', '[\n  // the first\n]')],
      ['plan', write('fine.json', [rally]), '--config', write('config.json', '{\n  "baseUrl": "hunter2",\n}')],
    ];
    const [definitions, config] = await Promise.all(runs.map(args => run(args)));
    expect(definitions?.stderr).toContain(
      'comments.json is not JSON: line 2, column 3: comments are not allowed in JSON.',
    );
    expect(config?.stderr).toContain('config.json is not JSON: line 3, column 1: a comma before "}" is not allowed');
    expect(config?.stderr).not.toContain('hunter2');
    expect((await run(['plan', write('marked.json', `\uFEFF${JSON.stringify([rally])}`)])).code).toBe(0);
  });
});

describe('the settings of rallypoint commands', () => {
  const all = { RALLYPOINT_APPLICATION_ID: application.id, ...token };

  it('come from the environment', async () => {
    const environment = { ...all, RALLYPOINT_BASE_URL: `${service.webBase}/api/v10` };
    expect(await plainRun(['show'], environment)).toMatchObject({ code: 0, stdout: expect.stringContaining('Launch') });
  });

  it('come from a file, whose paths begin at its folder', async () => {
    write('commands.json', [rally]);
    const content = { baseUrl: service.webBase, applicationId: application.id, definitions: 'commands.json' };
    const config = write('rallypoint.config.json', content);
    expect((await plainRun(['deploy', '--config', config], token)).code).toBe(0);
    expect((await plainRun(['check', '--config', config], token)).code).toBe(0);
    // Found in the working folder.
    const child = spawn(process.execPath, [main, 'commands', 'check'], { cwd: folder, env: { ...token } });
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
  });

  it('come from the options first, then from the environment, then from the file', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const config = write('config.json', { baseUrl: nowhere, applicationId: '999' });
    const withFile = ['show', '--config', config];
    expect((await plainRun(withFile, token)).stderr).toContain(`${nowhere} cannot be reached`);
    expect((await plainRun(withFile, token)).stderr).toContain(`baseUrl in ${config}`);
    const environment = { ...all, RALLYPOINT_BASE_URL: service.webBase };
    expect((await plainRun(withFile, environment)).code).toBe(0);
    const elsewhere = await plainRun([...withFile, '--base-url', `${nowhere}/api`], environment);
    expect(elsewhere.stderr).toContain('comes from --base-url');
    expect((await plainRun([...withFile, '--application', '998'], environment)).code).toBe(1);
  });

  it('are named when they are missing, empty or wrong', async () => {
    const base = { RALLYPOINT_BASE_URL: service.webBase };
    const runs: [Terminal['environment'], RegExp][] = [
      [all, /--base-url URL.*RALLYPOINT_BASE_URL.*rallypoint\.config\.json/],
      [{ ...all, RALLYPOINT_BASE_URL: '' }, /address of the service is missing/],
      [{ ...all, RALLYPOINT_BASE_URL: '127.0.0.1:8910' }, /RALLYPOINT_BASE_URL: baseUrl must be an http or https URL/],
      [{ ...all, RALLYPOINT_BASE_URL: 'http://a.example' }, /must be https.*--allow-unencrypted/],
      [{ ...base, ...token }, /--application ID.*RALLYPOINT_APPLICATION_ID/],
      [{ ...base, ...token, RALLYPOINT_APPLICATION_ID: 'x' }, /RALLYPOINT_APPLICATION_ID must be an id/],
      [{ ...base, RALLYPOINT_APPLICATION_ID: '1', RALLYPOINT_BOT_TOKEN: '' }, /RALLYPOINT_BOT_TOKEN: set, but empty/],
    ];
    for (const [environment, told] of runs) {
      const { code, stderr } = await plainRun(['show'], environment);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(told) });
    }
  });

  it.each([
    [[], 'must hold an object'],
    [{ baseurl: 'x' }, 'unknown field "baseurl". Did you mean "baseUrl"?'],
    [{ botToken: 'hunter2' }, 'must not hold secrets'],
    [{ applicationId: 1 }, 'applicationId in'],
    [{ allowUnencrypted: 'yes' }, 'must be true or false'],
    [{ baseUrl: '' }, 'baseUrl in'],
  ])('of a file that says %j are rejected', async (content, told) => {
    const { code, stderr } = await plainRun(['show', '--config', write('config.json', content)], all);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(told) });
    expect(stderr).not.toContain('hunter2');
  });

  it('that the service does not accept are named, with the address that was called', async () => {
    const wrong = await run(['show'], { RALLYPOINT_BOT_TOKEN: 'very-secret' });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain(
      `GET ${service.apiBase}/v10/applications/${application.id}/commands answered 401: Unauthorized.`,
    );
    expect(wrong.stderr).toContain('did not accept the bot token of RALLYPOINT_BOT_TOKEN');
    const secret = await run(['show'], { RALLYPOINT_CLIENT_SECRET: 'very-secret' });
    expect(secret).toMatchObject({ code: 1, stderr: expect.stringContaining('RALLYPOINT_CLIENT_SECRET') });
    expect(secret.stderr).toContain(`POST ${service.apiBase}/v10/oauth2/token: `);
    const environment = { RALLYPOINT_BASE_URL: service.webBase, RALLYPOINT_APPLICATION_ID: '999', ...token };
    const foreign = await plainRun(['show'], environment);
    expect(foreign.stderr).toContain(
      'the bot token of RALLYPOINT_BOT_TOKEN belong to application 999 (RALLYPOINT_APPLICATION_ID)?',
    );
    const elsewhere = await run(['show', '--base-url', `${service.webBase}/nowhere`]);
    expect(elsewhere.stderr).toContain(`Is ${service.webBase}/nowhere (--base-url) the base URL of the service?`);
    const guild = await run(['show', '--guild', '77']);
    expect(guild.stderr).toContain(`Is application ${application.id} (--application) in guild 77 (--guild)?`);
    const prefixed = await run(['show'], { RALLYPOINT_BOT_TOKEN: 'Bot very-secret' });
    expect(prefixed).toMatchObject({ code: 2, stderr: expect.stringContaining('RALLYPOINT_BOT_TOKEN') });
    for (const { stderr } of [wrong, secret, prefixed]) expect(stderr).not.toContain('very-secret');
  });
});

// util-linux' `script` gives a program a terminal.
const terminal = await needs('linux', 'terminal');

describe.skipIf(terminal.missing)(`at a terminal${terminal.note}`, () => {
  async function attended(
    args: readonly string[],
    typed: string,
    environment: NodeJS.ProcessEnv = token,
  ): Promise<string> {
    const command = [process.execPath, main, 'commands', ...args, ...where()].join(' ');
    const { PATH } = process.env;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: { PATH, TERM: 'xterm', ...environment },
    });
    let shown = '';
    child.stdout.on('data', chunk => {
      shown += chunk;
      // Whoever sits there types when asked.
      if (/(BOT_TOKEN\): |\[y\/N\] )/.test(shown) && !child.stdin.writableEnded) child.stdin.end(typed);
    });
    await once(child, 'close');
    return shown;
  }

  it('asks for the bot token without showing it, and colours', async () => {
    const shown = await attended(['show'], `${application.bot_token}\r`, {});
    expect(shown).toContain('Bot token (or set RALLYPOINT_BOT_TOKEN): ');
    expect(shown).toContain('Launch');
    expect(shown).not.toContain(application.bot_token);
    expect(shown).toContain('\u001b[1mLaunch');
  });

  it('does not colour where NO_COLOR is set', async () => {
    expect(await attended(['show'], '', { ...token, NO_COLOR: '1' })).not.toContain('\u001b[1m');
  });

  it('asks before it deletes, unless --yes is given', async () => {
    await run(['deploy', write('commands.json', [rally, party])]);
    const file = write('commands.json', [rally]);
    expect(await attended(['deploy', file], 'n\r')).toContain('Nothing was written.');
    expect(await attended(['deploy', file], 'y\r')).toContain('Deployed.');
    await run(['deploy', write('both.json', [rally, party])]);
    expect(await attended(['deploy', file, '--yes'], '')).toContain('Deployed.');
  });
});
