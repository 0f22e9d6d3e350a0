import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/command-line.ts';
import { serveHelp } from '../../src/cli/help.ts';
import { readServeOptions, serveOptions } from '../../src/cli/serve-options.ts';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';

const read = (line: string) => readServeOptions(line.split(' ').filter(Boolean));

function refusal(line: string): string {
  try {
    read(line);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  return expect.fail(`"${line}" was taken.`);
}

describe('the options of serve', () => {
  it('have defaults: loopback, a folder, standard limits, the system clock', () => {
    expect(read('')).toEqual({
      port: 8910,
      host: '127.0.0.1',
      trustedProxies: [],
      allowedHosts: [],
      allowPrivateWebhooks: false,
      signIn: 'developer',
      allowPublicDeveloperSignIn: false,
      data: '.rallypoint',
      limits: limitProfiles.standard,
      drainTimeoutMs: 10_000,
      virtualClock: false,
      logRequests: false,
      logLevel: 'info',
    });
  });

  it('are all read', () => {
    const line =
      '--port 0 --host=::1 --data D --fixtures F --limits off --ready-file R --bus local: --virtual-clock --log-level silent --drain-timeout 3 --ops-port 9464 --log-requests';
    expect(read(line)).toEqual({
      port: 0,
      opsPort: 9464,
      host: '::1',
      trustedProxies: [],
      allowedHosts: [],
      allowPrivateWebhooks: false,
      signIn: 'developer',
      allowPublicDeveloperSignIn: false,
      data: 'D',
      fixtures: 'F',
      limits: limitProfiles.off,
      drainTimeoutMs: 3_000,
      virtualClock: true,
      readyFile: 'R',
      logRequests: true,
      logLevel: 'silent',
    });
  });

  it('raise the limit over all routes from 1 to 1,200 a second, and no other', () => {
    for (const rate of [1, 1_200]) {
      const { buckets, ...profile } = limitProfiles.development;
      const global = { requests: rate, windowMs: 1_000 };
      expect(read(`--limits development --global-rate ${rate}`)?.limits).toEqual({
        ...profile,
        buckets: { ...buckets, global },
      });
    }
    for (const rate of ['0', '1201', '-1', '1.5', '1e2', 'many']) {
      expect(refusal(`--global-rate=${rate}`)).toBe(
        `--global-rate must be a whole number from 1 to 1200 (got "${rate}").`,
      );
    }
    expect(refusal('--limits off --global-rate 50')).toBe(
      '--global-rate cannot be combined with --limits off, which has no limits.',
    );
  });

  it('take from 0 to 3,600 seconds for the drain', () => {
    for (const seconds of [0, 3_600]) expect(read(`--drain-timeout ${seconds}`)?.drainTimeoutMs).toBe(seconds * 1_000);
    for (const seconds of ['3601', '-1', '1.5', '1e2', 'soon']) {
      expect(refusal(`--drain-timeout=${seconds}`)).toBe(
        `--drain-timeout must be a whole number of seconds from 0 to 3600 (got "${seconds}").`,
      );
    }
  });

  it('take from 0 to 600,000 milliseconds for slow statements', () => {
    for (const ms of [0, 600_000]) expect(read(`--slow-statement ${ms}`)?.slowStatementMs).toBe(ms);
    for (const ms of ['600001', '-1', '1.5', 'soon']) {
      expect(refusal(`--slow-statement=${ms}`)).toBe(
        `--slow-statement must be a whole number from 0 to 600000 (got "${ms}").`,
      );
    }
  });

  it('take the public address as an origin, and nothing more', () => {
    expect(read('--public-url https://play.example/')?.publicUrl).toBe('https://play.example');
    expect(read('--public-url http://10.0.0.4:8080')?.publicUrl).toBe('http://10.0.0.4:8080');
    for (const url of ['play.example', 'ftp://play.example', 'https://play.example/api', 'https://a:b@play.example']) {
      expect(refusal(`--public-url=${url}`)).toContain('an http or https origin');
    }
  });

  it('take proxies as addresses and blocks', () => {
    expect(read('--trusted-proxy 10.0.0.0/8,::1')?.trustedProxies).toEqual(['10.0.0.0/8', '::1']);
    for (const list of ['proxy.example', '10.0.0.0/33', '::1,', '1.2.3.4;::1']) {
      expect(refusal(`--trusted-proxy=${list}`)).toContain('an address or a CIDR block');
    }
  });

  it('take the voice server as a host, perhaps with a port', () => {
    expect(read('')?.voiceEndpoint).toBeUndefined();
    expect(read('--voice-endpoint voice.example:4433')?.voiceEndpoint).toBe('voice.example:4433');
    for (const endpoint of ['wss://voice.example', 'voice.example/', ':80']) {
      expect(refusal(`--voice-endpoint=${endpoint}`)).toContain('must be a host');
    }
  });

  it("take the operators' port from 0 to 65535, another than the port", () => {
    expect(read('--ops-port 0 --port 0')).toMatchObject({ port: 0, opsPort: 0 });
    expect(refusal('--ops-port 65536')).toBe('--ops-port must be a whole number from 0 to 65535 (got "65536").');
    expect(refusal('--ops-port 8910')).toContain('--port and --ops-port are both 8910.');
  });

  it('take the port from 0 to 65535', () => {
    expect(read('--port 65535')?.port).toBe(65_535);
    for (const port of ['65536', '123456', '1.5', '0x10', 'x', '1e3']) {
      expect(refusal(`--port ${port}`)).toBe(`--port must be a whole number from 0 to 65535 (got "${port}").`);
    }
  });

  it.each([
    ['', '.rallypoint'],
    ['--data state', 'state'],
    ['--memory', undefined],
    ['--store memory:', undefined],
    ['--store sqlite:', '.rallypoint'],
    ['--store sqlite:state', 'state'],
    ['--store sqlite:///var/state', '/var/state'],
  ])('keep the state, given %j, in %j', (line, data) => {
    expect(read(line)?.data).toBe(data);
  });

  it.each(['--data a --memory', '--store memory: --memory', '--data a --store sqlite:a'])(
    'refuse two places for the state: %s',
    line => {
      expect(refusal(line)).toContain('both say where the state is');
    },
  );

  it('reject other engines by name and never repeat the rest of an address', () => {
    const store = refusal('--store mysql://user:hunter2@db/x');
    const bus = refusal('--store postgres://user:hunter2@db/x --bus nats://:hunter2@cache');
    expect(store).toBe('--store cannot be "mysql:"; it can be postgres://…, sqlite:DIR or memory:.');
    expect(bus).toBe('--bus cannot be "nats:"; it can be redis://HOST:PORT/NUMBER or local:.');
    const wrong = [
      '--store hunter2',
      '--bus hunter2',
      '--store memory:hunter2',
      '--store postgres://[hunter2 --bus redis://cache',
      '--store postgres://db/x --bus redis://[hunter2',
    ];
    for (const line of wrong) expect(refusal(line)).not.toContain('hunter2');
    expect(refusal('--store hunter2')).toBe('--store must be postgres://…, sqlite:DIR or memory:.');
    expect(refusal('--store memory:hunter2')).toBe('--store memory: takes nothing after the colon.');
  });

  const cluster = { RALLYPOINT_STORE: 'postgres://db/x', RALLYPOINT_BUS: 'redis://cache/1' };
  const readIn = (line: string, environment: Record<string, string>) =>
    readServeOptions(line.split(' ').filter(Boolean), environment);

  it('take PostgreSQL and Redis together, as options or from the environment', () => {
    const shared = { store: 'postgres://db/x', bus: 'redis://cache/1', secrets: [] };
    const given = readIn('--store postgres://db/x --bus redis://cache/1', {});
    expect(given?.shared).toEqual(shared);
    expect(given).not.toHaveProperty('data');
    expect(readIn('', cluster)).toEqual(given);
    expect(readIn('--bus rediss://other', cluster)?.shared).toEqual({ ...shared, bus: 'rediss://other' });
    const secret = { RALLYPOINT_SECRET: 'the first of two secrets,the second of them, with' };
    expect(() => readIn('', { ...cluster, ...secret })).toThrow('at least 16 characters');
    const two = { RALLYPOINT_SECRET: 'the first of two secrets,the second of them' };
    expect(readIn('', { ...cluster, ...two })?.shared?.secrets).toEqual([
      'the first of two secrets',
      'the second of them',
    ]);
  });

  it.each([
    ['--store postgres://db/x', '--bus'],
    ['--store postgres://db/x --bus local:', '--bus'],
    ['--bus redis://cache', '--store'],
  ])('refuse one of PostgreSQL and Redis without the other: %s', (line, missing) => {
    expect(() => readIn(line, {})).toThrow(`give ${missing}, too`);
  });

  it('names the setting that is wrong when both are given', () => {
    expect(() => readIn('--store mysql://db/x --bus redis://cache', {})).toThrow(
      '--store cannot be "mysql:"; it can be postgres://… beside --bus.',
    );
    expect(() => readIn('--store postgres://db/x#y --bus redis://cache', {})).toThrow('--store: store must be');
    expect(() => readIn('--store postgres://db/x --bus redis://cache#y', {})).toThrow('--bus: ');
    expect(() => readIn('', { ...cluster, RALLYPOINT_SECRET: 'short' })).toThrow('RALLYPOINT_SECRET: Every secret');
  });

  it.each(['--data a', '--memory'])('refuse PostgreSQL together with %s', place => {
    expect(() => readIn(`${place} --store postgres://db/x --bus redis://cache`, {})).toThrow(UsageError);
    expect(() => readIn(place, cluster)).toThrow('RALLYPOINT_STORE both say where the state is kept');
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'example.com'])(
    'refuse the public host %s unless it is asked for by name',
    host => {
      expect(refusal(`--host ${host}`)).toContain('--allow-public-developer-sign-in');
      expect(read(`--host ${host} --allow-public-developer-sign-in`)).toMatchObject({
        host,
        allowPublicDeveloperSignIn: true,
      });
    },
  );

  it('take a public host with sign-in by password', () => {
    expect(refusal('--host 0.0.0.0 --sign-in developer')).toContain('--sign-in password');
    expect(read('--host 0.0.0.0 --sign-in password')).toMatchObject({ host: '0.0.0.0', signIn: 'password' });
  });

  it.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1'])('take the loopback host %s', host => {
    expect(read(`--host ${host}`)?.host).toBe(host);
  });

  it.each([
    ['--prot 1', 'There is no option --prot. Did you mean "--port"?'],
    ['--virtual-clok', 'There is no option --virtual-clok. Did you mean "--virtual-clock"?'],
    ['--constructor', 'There is no option --constructor. --help lists the options.'],
    ['-x', 'There is no option -x. --help lists the options.'],
    ['--port', '--port needs a value: --port N.'],
    ['--port=', '--port needs a value: --port N.'],
    ['--fixtures --memory', '--fixtures needs a value: --fixtures FILE.'],
    ['--memory=yes', '--memory takes no value.'],
    ['now', '"rallypoint serve" takes only options (got "now").'],
    ['--memory -- now', '"rallypoint serve" takes only options (got "now").'],
    ['--limits of', '--limits must be one of standard, development, off (got "of"). Did you mean "off"?'],
    ['--sign-in pasword', '--sign-in must be one of developer, password (got "pasword"). Did you mean "password"?'],
    ['--limits constructor', '--limits must be one of standard, development, off (got "constructor").'],
  ])('refuse %j in one line', (line, message) => {
    expect(refusal(line)).toBe(message);
  });

  it('let the last of a repeated option count', () => {
    expect(read('--port 1 --port 2')?.port).toBe(2);
  });

  it.each(['--help', '-h', '--memory --help', '--help --port 1'])('show the help for %j', line => {
    expect(read(line)).toBeUndefined();
  });

  it('are either read or rejected in one line, whatever is given', () => {
    const names = Object.values(serveOptions).flatMap(options => Object.keys(options).map(name => `--${name}`));
    const word = fc.oneof(fc.constantFrom(...names), fc.constantFrom('0', 'off', 'memory:', '-', '--'), fc.string());
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), args => {
        try {
          readServeOptions(args);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});

describe('the help of serve', () => {
  it('names every option, in lines of at most 110 characters', () => {
    const help = serveHelp();
    for (const options of Object.values(serveOptions)) {
      for (const [name, { value }] of Object.entries(options)) {
        expect(help).toContain(value ? `--${name} ${value} ` : `--${name}`);
      }
    }
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });
});
