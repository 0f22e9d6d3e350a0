import type { TrafficDetails } from '../../../../wire/control/traffic.ts';
import { literal, literalOf } from './literal.ts';
import { fetchCodeOf, sdkCallOf } from './sdk-code.ts';

/** The call as a test for Node's own runner, in a world of its own. Ids of the recorded service are not in that world. */
export function testCodeOf(details: TrafficDetails): string {
  const { entry } = details;
  if (entry.kind !== 'request' && entry.kind !== 'oauth') return '';
  const call = sdkCallOf(details);
  const name =
    entry.kind === 'request' && entry.route !== null ? entry.route : `${entry.method} ${entry.target.split('?')[0]}`;
  const title = literal(`${name} is answered with ${entry.status}`);
  const body = call ? sdkTest(details, call.by, call.code) : fetchTest(details);
  return [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    ...(call?.code.includes('userToken(') ? ["import { userToken } from '@rallypoint/sdk/backend';"] : []),
    "import { createWorld } from '@rallypoint/sdk/testing';",
    '',
    '// The ids are those of the recorded service: replace them by ids of the world.',
    `test(${title}, async () => {`,
    '  await using world = await createWorld();',
    ...body.map(line => (line === '' ? '' : `  ${line}`)),
    '});',
    '',
  ].join('\n');
}

function sdkTest({ entry, request }: TrafficDetails, by: 'backend' | 'client', code: string): readonly string[] {
  if (entry.kind !== 'request' || entry.route === null) return [];
  const username = entry.caller?.username ?? 'ada';
  const setup =
    by === 'backend' ? 'const { backend } = world;' : `const client = await world.player(${literal(username)});`;
  const called = indented(code);
  if (entry.status >= 400) {
    const expected =
      typeof entry.error_code === 'number'
        ? literalOf({ status: entry.status, errorCode: entry.error_code })
        : literalOf({ status: entry.status });
    return [setup, `await assert.rejects(${called}, ${expected});`];
  }
  const expected = { route: entry.route, ...(request?.body ? { body: request.body } : {}) };
  const isWrite = entry.method !== 'GET';
  return [
    setup,
    'world.traffic.clear();',
    `await ${called};`,
    ...(isWrite
      ? [
          `world.traffic.assertWrites([${indented(literalOf(expected))}], { by: ${by === 'backend' ? "'bot'" : literal(username)} });`,
        ]
      : [`assert.equal(world.traffic.calls({ route: ${literal(entry.route)} })[0]?.status, ${entry.status});`]),
  ];
}

function fetchTest(details: TrafficDetails): readonly string[] {
  const { entry } = details;
  if (entry.kind !== 'request' && entry.kind !== 'oauth') return [];
  const code = fetchCodeOf(details, '')
    .replace(/await fetch\('(.*)', \{/, (_, target: string) => `await fetch(world.baseUrl + '${target}', {`)
    .replace('process.env.BOT_TOKEN', 'world.botToken')
    .replace(/console\.log\(.*\n$/, `assert.equal(response.status, ${entry.status});`);
  return code.split('\n');
}

/** Further lines of a literal stand two deeper in the test. */
function indented(code: string): string {
  return code.replaceAll('\n', '\n  ');
}
