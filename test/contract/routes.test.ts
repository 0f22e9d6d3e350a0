import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/service/index.ts';
import { type Route, type RouteName, routes } from '../../src/wire/routes.ts';
import { starfall } from '../support/service/starfall.ts';

const names = Object.keys(routes) as RouteName[];
const readAll = (pattern: string) =>
  globSync(pattern)
    .map(file => readFileSync(file, 'utf8'))
    .join('\n');

describe('the route table', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
  });
  afterAll(() => service.close());

  it.each(names)('%s is served', async name => {
    const { method, path }: Route = routes[name];
    const url = `${service.apiBase}/v10${path.replace(/\{\w+\}/g, '1')}`;
    const answer = await fetch(url, { method });
    const { message } = (await answer.json().catch(() => ({}))) as { message?: string };
    expect([405, 500]).not.toContain(answer.status);
    expect(message).not.toBe('404: Not Found');
  });

  it.each(names.filter(name => !(routes[name] as Route).credentials.includes('none')))(
    '%s asks for a credential',
    async name => {
      const { method, path }: Route = routes[name];
      const answer = await fetch(`${service.apiBase}/v10${path.replace(/\{\w+\}/g, '1')}`, { method });
      expect(answer.status).toBe(401);
    },
  );

  it('has no path twice for one method', () => {
    const seen = names.map(name => `${routes[name].method} ${routes[name].path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('has no route that neither the clients nor a standard protocol client calls', () => {
    // Asked for by openid-client (by the discovery documents), by discord.js, by a user's own client, and by tools.
    const byOthers = ['createToken', 'revokeToken', 'getSigningKeys', 'getUserInfo', 'postUserInfo'];
    byOthers.push('getCurrentUser', 'getOriginalResponse', 'invokeCommand', 'getOpenApi', 'startDevice');
    byOthers.push('verifyDevice', 'finishDevice', 'getCurrentApplication');
    byOthers.push('getOwnApplication', 'editOwnApplication', 'getApplication', 'editApplication');
    byOthers.push('getOwnMember', 'listOwnConnections', 'listActiveThreads', 'listGuildRoles', 'getGuildRole');
    byOthers.push('getGuildMember', 'getChannel', 'getUser', 'leaveGuild', 'getGuild', 'listGuildMembers');
    byOthers.push('searchGuildMembers', 'openDirectChannel', 'editCurrentUser', 'getDirectChannel');
    byOthers.push('editRelationship', 'putGameRelationshipOf', 'deleteGameRelationshipOf');
    // What the SDK has from the gateway, and what phones and web pages use.
    byOthers.push('listRelationships', 'listGameRelationships', 'listPresences', 'editSettings');
    byOthers.push('deleteHeadlessSession', 'subscribeActivities', 'getActivityMetadata');
    const clients = readAll('src/{sdk,backend,wire}/**/*.ts') + readAll('samples/**/*.ts') + readAll('test/**/*.ts');
    const unused = names.filter(name => !byOthers.includes(name) && !clients.includes(`'${name}'`));
    expect(unused).toEqual([]);
  });
});
