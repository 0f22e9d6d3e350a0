import { ArgumentError } from '../model/errors/errors.ts';
import {
  globalRateMax,
  type LimitProfile,
  type LimitProfileName,
  limitProfiles,
  withGlobalRate,
} from '../model/limits/limit-profiles.ts';
import { type SignInMode, signInModes } from '../service/features/oauth/sign-in/sign-in-mode.ts';
import {
  checkAllowedHosts,
  checkPublicUrl,
  checkTrustedProxies,
  checkVoiceEndpoint,
  chooseSharedEngines,
  isAddress,
  type SharedEngines,
} from '../service/options.ts';
import { isLoopback } from '../service/support/network-address.ts';
import { intakeLimits, runtimeLimits, storeLimits } from '../service/support/service-limits.ts';
import { type GivenOptions, type OptionGroups, optionText, readOptions, UsageError } from './command-line.ts';
import { errorMessage } from './failure.ts';
import { suggestion } from './nearest.ts';

export const defaults = {
  port: 8910,
  host: '127.0.0.1',
  signIn: 'developer',
  data: '.rallypoint',
  limits: 'standard',
  logLevel: 'info',
} as const;
const portMax = 65_535;
const limitNames = Object.keys(limitProfiles) as LimitProfileName[];
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Option → the environment variable that it is read from if it is not given; the secret is no option, because others see those. */
export const serveEnvironment = {
  store: 'RALLYPOINT_STORE',
  bus: 'RALLYPOINT_BUS',
  secret: 'RALLYPOINT_SECRET',
} as const;

type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Where a service writes its addresses, in the folder where it was started, and where the commands for a running service look for them. */
export const defaultReadyFile = '.rallypoint/ready.json';

/** The options of `rallypoint serve`, by the headings of its help. */
export const serveOptions: OptionGroups = {
  Network: {
    port: { value: 'N', help: [`port for everything; 0 takes a free one (default ${defaults.port})`] },
    host: { value: 'H', help: [`address to listen on (default ${defaults.host})`] },
    'ops-port': {
      value: 'N',
      help: [
        'port of /healthz, /readyz and /metrics, which then are nowhere else; 0 takes a free',
        'one (default: they are at --port)',
      ],
    },
    'public-url': {
      value: 'URL',
      help: ['address by which other machines reach the service, like https://play.example'],
    },
    'trusted-proxy': {
      value: 'LIST',
      help: [
        'proxies whose X-Forwarded-For is trusted, so that limits by address count the clients',
        'behind them: addresses and CIDR blocks, separated by commas, as 127.0.0.1,10.0.5.0/24',
      ],
    },
    'allowed-host': {
      value: 'LIST',
      help: [
        'more names and addresses, separated by commas and without ports, that clients may use',
        'for the service besides loopback, --host and --public-url; others are answered 421',
      ],
    },
    connections: {
      value: 'N',
      help: [
        'limit on connections without an accepted credential; more are closed immediately',
        `(default ${withCommas(intakeLimits.unprovenConnectionsMax)})`,
      ],
    },
    'peer-connections': {
      value: 'N',
      help: [
        'the same for one address that is not a trusted proxy',
        `(default ${withCommas(intakeLimits.unprovenConnectionsPerAddressMax)}, of a private network ${withCommas(intakeLimits.unprovenConnectionsPerPrivateAddressMax)});`,
        `with a credential a user has up to ${withCommas(intakeLimits.connectionsPerUserMax)}, an application up to ${withCommas(intakeLimits.connectionsPerApplicationMax)}`,
      ],
    },
    'sign-in': {
      value: 'MODE',
      choices: signInModes,
      help: [
        `how people sign in on the pages: ${signInModes.join(', ')} (default ${defaults.signIn});`,
        'developer: they choose who they are; password: they enter that of their fixture',
      ],
    },
    'allow-public-developer-sign-in': {
      help: [
        'allow a --host that other machines reach together with developer sign-in, although',
        'everyone who can reach the service can then sign in as any of its users',
      ],
    },
  },
  'Requests to other servers': {
    'allow-private-webhooks': {
      help: [
        "allow applications' webhook and interaction URLs, and identity providers, on this",
        'machine and its network, although others reach the service (--host, --public-url)',
      ],
    },
  },
  State: {
    data: { value: 'DIR', help: [`folder for the state, created if missing (default ${defaults.data})`] },
    memory: { help: ['keep the state in memory; it is lost when the service ends'] },
    fixtures: { value: 'FILE', help: ['JSON file of applications, users and guilds to start with'] },
    store: {
      value: 'URL',
      help: [
        'PostgreSQL database that many nodes share: postgres://user:password@host:5432/database',
        `(or set ${serveEnvironment.store}), with --bus;`,
        'sqlite:DIR and memory: are other forms of --data and --memory',
      ],
    },
    bus: {
      value: 'URL',
      help: [
        `Redis server of those nodes: redis://host:6379/0 (or set ${serveEnvironment.bus});`,
        `${serveEnvironment.secret} may hold a secret that encrypts the keys in the database`,
      ],
    },
  },
  Behavior: {
    limits: {
      value: 'NAME',
      choices: limitNames,
      help: [
        `rate limits: ${limitNames.join(', ')} (default ${defaults.limits});`,
        'development is what the hosted service allows an unapproved application',
      ],
    },
    'global-rate': {
      value: 'N',
      help: [
        'requests per second of one application over all routes, which large applications are',
        `granted: up to ${globalRateMax} (default ${limitProfiles.standard.buckets.global?.requests})`,
      ],
    },
    'voice-endpoint': {
      value: 'H',
      help: ['address of your voice server, sent to the members of a call: voice.example:4433'],
    },
    'drain-timeout': {
      value: 'S',
      help: [
        'seconds that a stopping service waits for the requests under way',
        `(default ${runtimeLimits.drainTimeoutMs / 1000}), before it cuts them off`,
      ],
    },
    console: {
      help: [
        'serve the console at /console, which uses the control token',
        '(default: only with developer sign-in on loopback, without --public-url)',
      ],
    },
    'virtual-clock': { help: ['time starts at the present and advances only by "rallypoint clock advance"'] },
  },
  Output: {
    'ready-file': {
      value: 'FILE',
      help: [
        'also write the ready line to this file; it is removed when the service ends',
        `(default ${defaultReadyFile}, unless that names another running service)`,
      ],
    },
    'log-requests': { help: ['write a log line for every HTTP request that was answered'] },
    'slow-statement': {
      value: 'MS',
      help: [
        'log statements of the store that take this many milliseconds or more, without',
        `their values (default ${storeLimits.slowStatementMs})`,
      ],
    },
    'log-level': {
      value: 'LEVEL',
      choices: logLevels,
      help: [`${logLevels.join(', ')} (default ${defaults.logLevel})`],
    },
    help: { short: 'h', help: ['show this help'] },
  },
};

/** The checked options of `rallypoint serve`. */
export interface ServeSettings {
  readonly port: number;
  /** Absent: the endpoints for operators are at {@link port}. */
  readonly opsPort?: number;
  readonly host: string;
  /** An origin of the web. */
  readonly publicUrl?: string;
  /** Addresses and CIDR blocks. */
  readonly trustedProxies: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Absent: the service's own figure. */
  readonly connections?: number;
  readonly connectionsPerAddress?: number;
  readonly allowPrivateWebhooks: boolean;
  readonly signIn: SignInMode;
  readonly allowPublicDeveloperSignIn: boolean;
  /** Absent: in memory, or in {@link shared}. */
  readonly data?: string;
  /** What this node shares with others. */
  readonly shared?: SharedEngines;
  /** Path of the fixtures. */
  readonly fixtures?: string;
  readonly limits: LimitProfile;
  /** A host, perhaps with a port. Absent: there is no voice server. */
  readonly voiceEndpoint?: string;
  readonly drainTimeoutMs: number;
  readonly virtualClock: boolean;
  /** Absent: where the service has it on by itself. */
  readonly console?: true;
  /** Absent: the service's own figure. */
  readonly slowStatementMs?: number;
  readonly readyFile?: string;
  readonly logRequests: boolean;
  readonly logLevel: LogLevel;
}

/**
 * @returns undefined when the help was asked for
 * @throws UsageError
 */
export function readServeOptions(
  args: readonly string[],
  environment: ProcessEnvironment = process.env,
): ServeSettings | undefined {
  const given = readOptions('serve', args, serveOptions);
  if (given.help) return undefined;
  const fixtures = optionText(given, 'fixtures');
  const readyFile = optionText(given, 'ready-file');
  return {
    ...readPorts(given),
    ...readHost(given),
    ...readPublicUrl(given),
    trustedProxies: readTrustedProxies(given),
    allowedHosts: readAllowedHosts(given),
    ...readConnections(given),
    allowPrivateWebhooks: given['allow-private-webhooks'] === true,
    ...readState(given, environment),
    ...(fixtures !== undefined && { fixtures }),
    limits: readLimits(given),
    ...readVoiceEndpoint(given),
    drainTimeoutMs: readDrainTimeout(given),
    virtualClock: given['virtual-clock'] === true,
    ...(given.console === true && { console: true }),
    ...readSlowStatement(given),
    ...(readyFile !== undefined && { readyFile }),
    logRequests: given['log-requests'] === true,
    logLevel: choice(given, 'log-level', logLevels) ?? defaults.logLevel,
  };
}

function choice<Choice extends string>(
  given: GivenOptions,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = optionText(given, name);
  const chosen = choices.find(one => one === value);
  if (value === undefined || chosen) return chosen;
  throw new UsageError(`--${name} must be one of ${choices.join(', ')} (got "${value}").${suggestion(value, choices)}`);
}

function readPort(given: GivenOptions, name: 'port' | 'ops-port'): number | undefined {
  const value = optionText(given, name);
  if (value === undefined) return undefined;
  const port = /^[0-9]{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port <= portMax) return port;
  throw new UsageError(`--${name} must be a whole number from 0 to ${portMax} (got "${value}").`);
}

function readPorts(given: GivenOptions): Pick<ServeSettings, 'port' | 'opsPort'> {
  const port = readPort(given, 'port') ?? defaults.port;
  const opsPort = readPort(given, 'ops-port');
  if (opsPort === undefined) return { port };
  if (opsPort === 0 || opsPort !== port) return { port, opsPort };
  throw new UsageError(`--port and --ops-port are both ${port}. Without --ops-port its endpoints are at --port.`);
}

function readLimits(given: GivenOptions): LimitProfile {
  const profile = limitProfiles[choice(given, 'limits', limitNames) ?? defaults.limits];
  const value = optionText(given, 'global-rate');
  if (value === undefined) return profile;
  if (!profile.buckets.global)
    throw new UsageError(`--global-rate cannot be combined with --limits ${profile.name}, which has no limits.`);
  const rate = /^[0-9]{1,4}$/.test(value) ? Number(value) : Number.NaN;
  if (rate >= 1 && rate <= globalRateMax) return withGlobalRate(profile, rate);
  throw new UsageError(`--global-rate must be a whole number from 1 to ${globalRateMax} (got "${value}").`);
}

function readDrainTimeout(given: GivenOptions): number {
  const value = optionText(given, 'drain-timeout');
  if (value === undefined) return runtimeLimits.drainTimeoutMs;
  const secondsMax = runtimeLimits.drainTimeoutMsMax / 1000;
  const seconds = /^[0-9]{1,4}$/.test(value) ? Number(value) : Number.NaN;
  if (seconds <= secondsMax) return seconds * 1000;
  throw new UsageError(`--drain-timeout must be a whole number of seconds from 0 to ${secondsMax} (got "${value}").`);
}

function readSlowStatement(given: GivenOptions): Pick<ServeSettings, 'slowStatementMs'> {
  const value = optionText(given, 'slow-statement');
  if (value === undefined) return {};
  const { slowStatementMsMax } = storeLimits;
  const slowStatementMs = /^[0-9]{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (slowStatementMs <= slowStatementMsMax) return { slowStatementMs };
  throw new UsageError(`--slow-statement must be a whole number from 0 to ${slowStatementMsMax} (got "${value}").`);
}

function readHost(given: GivenOptions): Pick<ServeSettings, 'host' | 'signIn' | 'allowPublicDeveloperSignIn'> {
  const host = optionText(given, 'host') ?? defaults.host;
  const signIn = choice(given, 'sign-in', signInModes) ?? defaults.signIn;
  const allowPublicDeveloperSignIn = given['allow-public-developer-sign-in'] === true;
  const mayBePublic = signIn === 'password' || allowPublicDeveloperSignIn;
  if (isLoopback(host) || mayBePublic) return { host, signIn, allowPublicDeveloperSignIn };
  throw new UsageError(
    `--host ${host} can be reached from other machines, and everyone who can reach the service can sign in as any of its ` +
      'users. Add --sign-in password, or --allow-public-developer-sign-in if you want that.',
  );
}

function readPublicUrl(given: GivenOptions): Pick<ServeSettings, 'publicUrl'> {
  try {
    const publicUrl = checkPublicUrl(optionText(given, 'public-url'));
    return publicUrl === undefined ? {} : { publicUrl };
  } catch (error) {
    throw new UsageError(`--public-url: ${errorMessage(error)}`);
  }
}

function readTrustedProxies(given: GivenOptions): readonly string[] {
  const list = optionText(given, 'trusted-proxy');
  try {
    return checkTrustedProxies(list?.split(',').map(proxy => proxy.trim()));
  } catch (error) {
    throw new UsageError(`--trusted-proxy: ${errorMessage(error)}`);
  }
}

function readAllowedHosts(given: GivenOptions): readonly string[] {
  const list = optionText(given, 'allowed-host');
  try {
    return checkAllowedHosts(list?.split(',').map(host => host.trim()));
  } catch (error) {
    throw new UsageError(`--allowed-host: ${errorMessage(error)}`);
  }
}

function readConnections(given: GivenOptions): Pick<ServeSettings, 'connections' | 'connectionsPerAddress'> {
  const connections = readCount(given, 'connections');
  const connectionsPerAddress = readCount(given, 'peer-connections');
  return {
    ...(connections !== undefined && { connections }),
    ...(connectionsPerAddress !== undefined && { connectionsPerAddress }),
  };
}

function readCount(given: GivenOptions, name: string): number | undefined {
  const value = optionText(given, name);
  if (value === undefined) return undefined;
  if (/^[1-9][0-9]{0,6}$/.test(value)) return Number(value);
  throw new UsageError(`--${name} must be a whole number from 1 to 9999999 (got "${value}").`);
}

function readVoiceEndpoint(given: GivenOptions): Pick<ServeSettings, 'voiceEndpoint'> {
  try {
    const voiceEndpoint = checkVoiceEndpoint(optionText(given, 'voice-endpoint'));
    return voiceEndpoint === undefined ? {} : { voiceEndpoint };
  } catch (error) {
    throw new UsageError(`--voice-endpoint: ${errorMessage(error)}`);
  }
}

function readState(given: GivenOptions, environment: ProcessEnvironment): Pick<ServeSettings, 'data' | 'shared'> {
  const named = (name: 'store' | 'bus') =>
    optionText(given, name) ?? (environment[serveEnvironment[name]] || undefined);
  const [store, bus] = [named('store'), named('bus')];
  rejectTwoPlaces(given, store !== undefined && given.store === undefined);
  const engine = store === undefined ? undefined : engineOf(store);
  if (storeEngines.has(engine) || (bus !== undefined && bus !== 'local:')) {
    return { shared: readShared(store, bus, environment) };
  }
  if (given.memory) return {};
  const data = store === undefined ? (readFolder(given) ?? defaults.data) : readEmbeddedStore(store);
  return data === undefined ? {} : { data };
}

function rejectTwoPlaces(given: GivenOptions, isStoreFromEnvironment: boolean): void {
  const places = (['data', 'memory', 'store'] as const)
    .filter(name => given[name] !== undefined)
    .map(name => `--${name}`);
  if (isStoreFromEnvironment) places.push(serveEnvironment.store);
  if (places.length < 2) return;
  throw new UsageError(`${places.join(' and ')} both say where the state is kept; give one of them.`);
}

function readShared(
  store: string | undefined,
  bus: string | undefined,
  environment: ProcessEnvironment,
): SharedEngines {
  const secrets = readSecrets(environment);
  const engine = bus === undefined ? 'local' : engineOf(bus);
  if (bus !== undefined && engine !== 'local' && !busEngines.has(engine)) {
    throw new UsageError(unknownEngine('--bus', engine, 'redis://HOST:PORT/NUMBER or local:'));
  }
  const storeEngine = store === undefined ? undefined : engineOf(store);
  if (store !== undefined && !storeEngines.has(storeEngine)) {
    throw new UsageError(unknownEngine('--store', storeEngine, 'postgres://… beside --bus'));
  }
  if (store === undefined || bus === undefined || engine === 'local') {
    const missing = bus === undefined || engine === 'local' ? 'bus' : 'store';
    const example = { store: 'postgres://user:password@host:5432/database', bus: 'redis://host:6379/0' }[missing];
    throw new UsageError(
      `PostgreSQL and Redis are used together: give --${missing}, too, like --${missing} ${example} (or set ${serveEnvironment[missing]}).`,
    );
  }
  try {
    const shared = chooseSharedEngines({ store, bus, secret: secrets });
    if (shared) return shared;
  } catch (error) {
    const source = error instanceof ArgumentError ? settingOfError[error.code] : undefined;
    throw new UsageError(source === undefined ? errorMessage(error) : `${source}: ${errorMessage(error)}`);
  }
  throw new Error('There is a store and a bus.');
}

/** The first encrypts; the others are those before it, or the next one. */
export function readSecrets(environment: ProcessEnvironment): readonly string[] {
  return (environment[serveEnvironment.secret] ?? '').split(',').filter(Boolean);
}

const storeEngines: ReadonlySet<string | undefined> = new Set(['postgres', 'postgresql']);
const busEngines: ReadonlySet<string | undefined> = new Set(['redis', 'rediss', 'unix']);
const settingOfError: Readonly<Record<string, string | undefined>> = {
  invalid_store: '--store',
  invalid_bus: '--bus',
  invalid_secret: serveEnvironment.secret,
};

/** The scheme of an address, in lower case. */
export function engineOf(address: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
}

/**
 * The folder that `--data` names.
 *
 * @throws UsageError for an address: a folder of that name would be made, with the password in it
 */
export function readFolder(given: GivenOptions): string | undefined {
  const text = optionText(given, 'data');
  if (text !== undefined && isAddress(text))
    throw new UsageError(`--data takes a folder, not an address (${engineOf(text)}:…); --store takes one.`);
  return text;
}

/** The folder of an embedded store; undefined for one in memory. */
export function readEmbeddedStore(address: string): string | undefined {
  const engine = engineOf(address);
  const rest = address.slice((engine?.length ?? 0) + 1).replace(/^\/\//, '');
  if (engine === 'sqlite') return rest === '' ? defaults.data : rest;
  if (engine === 'memory' && rest === '') return undefined;
  if (engine === 'memory') throw new UsageError('--store memory: takes nothing after the colon.');
  throw new UsageError(unknownEngine('--store', engine, 'postgres://…, sqlite:DIR or memory:'));
}

// Only the engine's name is repeated: the rest of an address may hold a password.
export function unknownEngine(option: string, engine: string | undefined, known: string): string {
  return engine === undefined ? `${option} must be ${known}.` : `${option} cannot be "${engine}:"; it can be ${known}.`;
}

/** Like `toLocaleString('en-US')`, which loads ICU's data: a tenth of the service's start. */
function withCommas(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
