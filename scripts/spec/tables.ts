import {
  commandTypes,
  entryPointHandlers,
  integrationTypes,
  interactionContexts,
  optionTypes,
} from '../../src/model/command.ts';
import { componentTypes } from '../../src/model/component.ts';
import { apiErrors } from '../../src/model/errors/errors.ts';
import { fieldErrors } from '../../src/model/errors/field-errors.ts';
import { externalAuthTypes } from '../../src/model/external-auth.ts';
import { closeCodes, intents, opcodes } from '../../src/model/gateway.ts';
import { permissionBits } from '../../src/model/guild.ts';
import { interactionTypes } from '../../src/model/interaction.ts';
import { limitProfiles, type RateLimit, type RateLimitBucket } from '../../src/model/limits/limit-profiles.ts';
import { localeFallbacks, locales } from '../../src/model/locale.ts';
import { messageFlags, messageTypes } from '../../src/model/message.ts';
import { scopes, umbrellaScopes } from '../../src/model/oauth.ts';
import { overwriteTypes } from '../../src/model/overwrite.ts';
import { roleConnectionTypes } from '../../src/model/role-connection.ts';
import { type CollectionBound, collectionBounds, memoryBounds } from '../../src/service/store/collection-bounds.ts';
import { apiMessages, serviceFieldErrors } from '../../src/service/support/api-messages.ts';
import { formatDuration } from './figures.ts';
import { routeGroups, routesOf } from './routes.ts';

type Row = readonly (string | number)[];

/** What docs/spec shows of the code's tables, by the names that the pages use. */
export const specTables: Readonly<Record<string, () => string>> = {
  'command types': () => enumeration(commandTypes),
  'option types': () => enumeration(optionTypes),
  'entry-point handlers': () => enumeration(entryPointHandlers),
  'interaction contexts': () => enumeration(interactionContexts),
  'integration types': () => enumeration(integrationTypes),
  'overwrite types': () => enumeration(overwriteTypes),
  'interaction types': () => enumeration(interactionTypes),
  'component types': () => enumeration(componentTypes),
  'message types': () => enumeration(messageTypes),
  'message flags': () => bits(messageFlags),
  'permission bits': () => bits(permissionBits),
  'role connection types': () => enumeration(roleConnectionTypes),
  opcodes: () => enumeration(opcodes),
  'close codes': () =>
    table(
      ['Code', 'Name', 'What the client does next'],
      Object.entries(closeCodes).map(([name, { code, remedy }]) => [code, `\`${name}\``, remedies[remedy]]),
    ),
  intents: () => bits(intents),
  locales: () => list(locales),
  'locale fallbacks': () =>
    table(
      ['Locale', 'Next'],
      Object.entries(localeFallbacks).map(row => row.map(code)),
    ),
  scopes: () => list(scopes),
  'umbrella scopes': () =>
    table(
      ['Scope', 'Stands for'],
      Object.entries(umbrellaScopes).map(([scope, inner = []]) => [code(scope), inner.map(code).join(', ')]),
    ),
  'external identities': () => list(externalAuthTypes),
  'error codes': () =>
    table(
      ['Code', 'Status', 'Message of the service', 'Name in this package'],
      (Object.keys(apiErrors) as (keyof typeof apiErrors)[])
        .toSorted((a, b) => apiErrors[a].code - apiErrors[b].code || apiErrors[a].status - apiErrors[b].status)
        .map(name => [apiErrors[name].code, apiErrors[name].status, apiMessages[name], code(name)]),
    ),
  'field error codes': () => fieldErrorTable(fieldErrors),
  'field error codes of the service': () => fieldErrorTable(serviceFieldErrors),
  'rate limits': rateLimits,
  'what callers can store': () => boundTable('Collection', collectionBounds),
  'what a process holds': () => boundTable('What', memoryBounds),
  ...Object.fromEntries(routeGroups.map(group => [`routes: ${group}`, () => routeTable(group)])),
};

const remedies = { resume: 'resume the session', identify: 'identify again', stop: 'give up' } as const;

function boundTable(head: string, bounds: Readonly<Record<string, CollectionBound>>): string {
  return table(
    [head, 'Who adds', 'Bound', 'Beyond it', 'What removes', 'Test'],
    Object.entries(bounds).map(([name, { grownBy, bound, beyond, cleanedBy, test }]) => [
      head === 'Collection' ? code(name) : name,
      ...[grownBy, bound, beyond, cleanedBy, code(test)],
    ]),
  );
}

function routeTable(group: string): string {
  return table(
    ['Route', 'Credential', 'Success', 'Rate limit'],
    routesOf(group).map(({ method, path, credentials, success, bucket, exempt }) => [
      code(`${method} ${path}`),
      credentials.map(credential => (credential === 'none' ? 'none' : code(credential))).join(', '),
      success.join(', ') || 'never',
      exempt ? 'exempt' : bucket === undefined ? 'global' : code(bucket),
    ]),
  );
}

function rateLimits(): string {
  const { standard, development } = limitProfiles;
  const buckets = [
    ...new Set([...Object.keys(standard.buckets), ...Object.keys(development.buckets)]),
  ] as RateLimitBucket[];
  return table(
    ['Bucket', code('standard'), code('development')],
    buckets.map(bucket => [code(bucket), rate(standard.buckets[bucket]), rate(development.buckets[bucket])]),
  );
}

function rate(limit: RateLimit | undefined): string {
  if (!limit) return '–';
  const scope = limit.perApplication ? ' for each application' : '';
  return `${limit.requests.toLocaleString('en-US')} in ${formatDuration(limit.windowMs)}${scope}`;
}

type Wording = (...parts: never[]) => string;

/** Parameters of a message are shown as `…`. */
function fieldErrorTable(errors: Readonly<Record<string, Wording>>): string {
  return table(
    ['Code', 'Message'],
    Object.entries(errors).map(([name, wording]) => [
      code(name),
      (wording as (...parts: unknown[]) => string)(name.endsWith('_CHOICES') ? ['…'] : '…', '…'),
    ]),
  );
}

function enumeration(values: Readonly<Record<string, number>>): string {
  return table(
    ['Value', 'Name'],
    Object.entries(values).map(([name, value]) => [value, code(name)]),
  );
}

function bits(values: Readonly<Record<string, number | bigint>>): string {
  return table(
    ['Bit', 'Name'],
    Object.entries(values).map(([name, value]) => [code(`1 << ${Math.log2(Number(value))}`), code(name)]),
  );
}

function table(heads: readonly string[], rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function list(names: readonly string[]): string {
  return names.map(code).join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}
