import { apiErrors } from '../../../../model/errors/errors.ts';
import type { TrafficDetails, TrafficRequest } from '../../../../wire/control/traffic.ts';
import { literal, literalOf } from './literal.ts';
import { fetchCodeOf, sdkCallOf } from './sdk-code.ts';
import { isBeyondTests, type TestSetup, testSetupOf } from './test-setup.ts';

/**
 * The call as a test for Node's own runner, in a world of its own: with the users, the application and the channels that the call names, and
 * a lobby or a command where it needs one; empty where a test cannot have what the call is about. What led to an error is not known, so a test of a failed call may need more of it.
 */
export function testCodeOf(details: TrafficDetails): string {
  const { entry } = details;
  if ((entry.kind !== 'request' && entry.kind !== 'oauth') || isBeyondTests(details)) return '';
  const call = sdkCallOf(details);
  const name =
    entry.kind === 'request' && entry.route !== null ? entry.route : `${entry.method} ${entry.target.split('?')[0]}`;
  const title = literal(`${name} is answered with ${entry.status}`);
  const setup = testSetupOf(details, call?.by);
  const body = call ? sdkTest(details, call.by, setup.rename(call.code), setup) : fetchTest(details, setup);
  return [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    ...(call?.code.includes('userToken(') ? ["import { userToken } from '@rallypoint/sdk/backend';"] : []),
    "import { createWorld } from '@rallypoint/sdk/testing';",
    '',
    `test(${title}, async () => {`,
    `  await using world = await createWorld(${indented(setup.world)});`,
    ...body.map(line => (line === '' ? '' : `  ${line}`)),
    '});',
    '',
  ].join('\n');
}

function sdkTest(
  { entry, request }: TrafficDetails,
  by: 'backend' | 'client',
  code: string,
  { username, lines, rename, token }: TestSetup,
): readonly string[] {
  if (entry.kind !== 'request' || entry.route === null) return [];
  const called = indented(code.replace('process.env.ACCESS_TOKEN', 'token'));
  const isPlayer = by === 'client' || called !== indented(code);
  if (by === 'backend' && isPlayer) lines = [...lines, ...token];
  // The SDK reads a command without overwrites as an empty list.
  if (entry.status >= 400 && entry.error_code !== apiErrors.unknown_command_permissions.code) {
    const expected = literalOf(errorOf(entry));
    return [...lines, `await assert.rejects(${by === 'client' ? `async () => ${called}` : called}, ${expected});`];
  }
  const expected = { route: entry.route, ...(request?.body ? { body: request.body } : {}) };
  const isWrite = entry.method !== 'GET';
  return [
    ...lines,
    'world.traffic.clear();',
    `await ${called};`,
    ...(isWrite
      ? [
          `world.traffic.assertWrites([${rename(indented(literalOf(expected)))}], { by: ${isPlayer ? literal(username) : "'bot'"} });`,
        ]
      : [`assert.equal(world.traffic.calls({ route: ${literal(entry.route)} })[0]?.status, ${entry.status});`]),
  ];
}

/** The SDK finds what is wrong in a body by itself, before it sends anything, and has a class of its own for rate limits. */
function errorOf({ status, error_code }: TrafficRequest): object {
  if (error_code === apiErrors.invalid_form_body.code) return { code: 'invalid_form_body' };
  if (status === apiErrors.rate_limited.status) return { code: 'rate_limited' };
  return typeof error_code === 'number' ? { status, apiCode: error_code } : { status };
}

function fetchTest(details: TrafficDetails, { lines, rename, token }: TestSetup): readonly string[] {
  const { entry } = details;
  if (entry.kind !== 'request' && entry.kind !== 'oauth') return [];
  const code = fetchCodeOf(details, '')
    .replace(/await fetch\('(.*)', \{/, (_, target: string) => `await fetch(world.baseUrl + '${target}', {`)
    .replace('process.env.BOT_TOKEN', 'world.botToken')
    .replace(/process\.env\.(?:ACCESS|SESSION)_TOKEN/, 'token')
    .replace(/console\.log\(.*\n$/, `assert.equal(response.status, ${entry.status});`);
  return [...lines, ...(code.includes('token,') ? token : []), ...rename(code).split('\n')];
}

/** Further lines of a literal stand two deeper in the test. */
function indented(code: string): string {
  return code.replaceAll('\n', '\n  ');
}
