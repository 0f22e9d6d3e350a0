import { connect } from 'node:net';
import { type SpecData, Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiErrors } from '../../src/model/errors/errors.ts';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { scopes } from '../../src/model/oauth.ts';
import { startService } from '../../src/service/index.ts';
import { intakeLimits } from '../../src/service/support/service-limits.ts';
import { type Route, routes } from '../../src/wire/routes.ts';
import { arbitraryCommand } from '../support/commands/arbitrary-command.ts';
import { button, labelled, row, stringSelect, text, textInput } from '../support/commands/components.ts';
import { openRouteWorld, type RouteWorld, routeNames, servingRouteNames } from '../support/http/every-route.ts';
import {
  documentOf,
  type Judge,
  judgeBy,
  type OpenApiDocument,
  operationOf,
} from '../support/http/openapi-document.ts';
import { starfall } from '../support/service/starfall.ts';

describe('the OpenAPI document', () => {
  let world: RouteWorld;
  let document: OpenApiDocument;
  let judge: Judge;
  beforeAll(async () => {
    world = await openRouteWorld();
    document = await documentOf(world.service);
    judge = judgeBy(document);
  });
  afterAll(() => world.close());

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as object as SpecData);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('has every route of the table once, and nothing else', () => {
    const told = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    );
    expect(told.sort()).toEqual(routeNames.map(name => `${routes[name].method} ${routes[name].path}`).sort());
  });

  it('names every operation once', () => {
    const ids = routeNames.map(name => operationOf(document, name).operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter(id => !/^[a-z0-9_]+$/.test(id))).toEqual([]);
  });

  it('is served where it says the server is', async () => {
    expect(document.servers).toEqual([{ url: `${world.service.apiBase}/v10` }]);
  });

  it('is in memory once, however many clients request it and do not read it', async () => {
    const clientCount = 60;
    const perClient = 1 + intakeLimits.pipelinedRunningMax;
    const before = process.memoryUsage().arrayBuffers;
    const { hostname, port } = new URL(world.service.webBase);
    const request = 'GET /api/v10/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const clients = Array.from({ length: clientCount }, () => connect(Number(port), hostname).pause());
    for (const client of clients) client.write(request.repeat(perClient));
    const answered = async () =>
      Number(/route="[^"]*openapi.json",status="200"} (\d+)/.exec(await world.service.metrics())?.[1]);
    await expect.poll(answered, { timeout: 20_000 }).toBeGreaterThanOrEqual(clientCount * perClient);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    for (const client of clients) client.destroy();
  });

  it.each(routeNames)('describes the parameters, the body, the statuses and the credentials of %s', name => {
    const route: Route = routes[name];
    const { parameters, requestBody, responses, security } = operationOf(document, name);
    const inPath = parameters.filter(parameter => parameter.in === 'path').map(parameter => parameter.name);
    expect(inPath).toEqual([...route.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
    expect(requestBody === undefined).toBe(route.body === undefined);
    expect(Object.keys(responses).filter(status => Number(status) < 400)).toEqual(route.success.map(String));
    const isOpen = route.credentials.includes('none');
    expect(security.some(requirement => Object.keys(requirement).length === 0)).toBe(isOpen);
    if (!isOpen) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403']));
    for (const requirement of security) {
      const asked = requirement.OAuth2 ?? [];
      expect(asked.filter(scope => !(scopes as readonly string[]).includes(scope))).toEqual([]);
    }
  });

  it.each(servingRouteNames)('describes what %s answers with success', async name => {
    const answer = await world.call(name, await world.sample(name));
    expect(routes[name].success).toContain(answer.status);
    expect(judge.ofAnswer(name, answer)).toEqual([]);
  });

  it.each(routeNames.filter(name => 'body' in routes[name]))('takes what %s takes', async name => {
    const { body } = await world.sample(name);
    const value = typeof body === 'string' ? Object.fromEntries(new URLSearchParams(body)) : body;
    expect(judge.ofRequest(name, value)).toEqual([]);
  });

  it.each(routeNames.filter(name => 'body' in routes[name]))(
    'describes what %s answers to a wrong body',
    async name => {
      const { params = {} } = await world.sample(name);
      for (const body of ['7', '{', '{"name":1,"metadata":1,"type":"x","permissions":1,"content":1,"members":1}']) {
        const answer = await world.call(name, { params, body });
        expect(judge.ofAnswer(name, answer)).toEqual([]);
      }
    },
  );

  it.each(routeNames.filter(name => !servingRouteNames.includes(name)))(
    'tells that there is nothing for %s to answer with',
    async name => {
      const answer = await world.call(name, await world.sample(name));
      expect(answer).toMatchObject({ status: 404, body: { code: apiErrors.unknown_webhook.code } });
      expect(judge.ofAnswer(name, answer)).toEqual([]);
    },
  );

  it.each(routeNames.filter(name => routes[name].path.includes('_id}')))(
    'tells what %s answers to an id that is none, and to one of nothing',
    async name => {
      const { params, ...rest } = await world.sample(name);
      const ids = [...routes[name].path.matchAll(/\{(\w+_id)\}/g)].map(([, parameter = '']) => parameter);
      const paramsOf = (value: string) => ({ ...params, ...Object.fromEntries(ids.map(id => [id, value])) });
      const wrong = await world.call(name, { ...rest, params: paramsOf('x') });
      expect(wrong.status).toBe(400);
      expect(judge.ofAnswer(name, wrong)).toEqual([]);
      expect(judge.ofAnswer(name, await world.call(name, { ...rest, params: paramsOf('42') }))).toEqual([]);
    },
  );

  it('takes uses of components and modals, and shows messages that have components', async () => {
    const place = { application_id: '1', channel_id: '2', guild_id: null };
    const press = { type: 3, ...place, message_id: '3', data: { component_type: 2, custom_id: 'join' } };
    const components = [labelled({ type: 4, custom_id: 'what', value: 'Nice' }), row(), text()];
    const submission = { type: 5, ...place, data: { id: '3', custom_id: 'm', components } };
    for (const use of [press, submission]) expect(judge.ofRequest('invokeCommand', use)).toEqual([]);
    expect(judge.ofRequest('invokeCommand', { ...press, message_id: undefined })).not.toEqual([]);
    expect(judge.ofRequest('invokeCommand', { ...press, type: 6 })).not.toEqual([]);
    const modal = { type: 9, data: { custom_id: 'm', title: 'x', components: [labelled(textInput('a'))] } };
    expect(judge.ofRequest('createInteractionResponse', modal)).toEqual([]);
    const { params = {} } = await world.sample('createInteractionResponse');
    const message = { type: 4, data: { content: 'x', components: [row(button('a')), row(stringSelect('b', ['c']))] } };
    expect(judge.ofRequest('createInteractionResponse', message)).toEqual([]);
    const answer = await world.call('createInteractionResponse', {
      params,
      query: '?with_response=true',
      body: message,
    });
    expect(answer.status).toBe(200);
    expect(judge.ofAnswer('createInteractionResponse', answer)).toEqual([]);
  });

  it('takes every valid command, and shows every one that is registered', async () => {
    const { params = {} } = await world.sample('createGlobalCommand');
    await fc.assert(
      fc.asyncProperty(arbitraryCommand(), async command => {
        expect(judge.ofRequest('createGlobalCommand', command)).toEqual([]);
        const answer = await world.call('createGlobalCommand', { params, body: command });
        expect(judge.ofAnswer('createGlobalCommand', answer)).toEqual([]);
        if (answer.status >= 400) expect(answer.body).toMatchObject({ code: apiErrors.too_many_commands.code });
      }),
      { numRuns: 60 },
    );
  });
});

describe('the limits in the OpenAPI document', () => {
  it.each(['standard', 'development'] as const)('are the figures of the running profile (%s)', async limits => {
    const service = await startService({ fixtures: starfall, limits });
    const document = await documentOf(service);
    const { buckets } = limitProfiles[limits];
    const told = (limit: { requests: number; windowMs: number } | undefined) =>
      limit && { requests: limit.requests, window_ms: limit.windowMs };
    for (const name of routeNames) {
      const { bucket, exempt }: Route = routes[name];
      expect(operationOf(document, name)['x-ratelimit']).toMatchObject({
        ...(bucket && { bucket, ...told(buckets[bucket]) }),
        global: exempt ? null : told(buckets.global),
      });
    }
    await service.close();
  });

  it('are no figures when nothing is limited', async () => {
    const service = await startService({ fixtures: starfall, limits: 'off' });
    const { 'x-ratelimit': told } = operationOf(await documentOf(service), 'createLobby');
    expect(told).toEqual({ bucket: 'lobby-create', global: null });
    await service.close();
  });
});
