import { type SpecData, Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiErrors } from '../../src/model/errors.ts';
import { limitProfiles } from '../../src/model/limits.ts';
import { scopes } from '../../src/model/oauth.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { type Route, type RouteName, routes } from '../../src/wire/routes.ts';
import { arbitraryCommand } from '../support/arbitrary-command.ts';
import { openRouteWorld, type RouteAnswer, type RouteWorld, routeNames } from '../support/every-route.ts';
import { starfall } from '../support/starfall.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: { readonly 'application/json': { readonly schema: { readonly $ref: string } } } }
    >
  >;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-ratelimit': Readonly<Record<string, unknown>>;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

async function documentOf(service: Service): Promise<Document> {
  const { path } = routes.getOpenApi;
  return (await (await fetch(`${service.api_base}/v10${path}`)).json()) as Document;
}

function operationOf(document: Document, name: RouteName): Operation {
  const { method, path } = routes[name];
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`The document has no ${method} ${path}.`);
  return operation;
}

/** The document as it is, or with every object closed: then an answer must not carry what the document does not name. */
function schemasOf(document: Document, closed = false): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { uri: true } });
  ajv.addSchema(closed ? (close(document) as object) : document, 'openapi');
  return ajv;
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
  const isOpen = 'properties' in value && !('additionalProperties' in value);
  return isOpen ? { ...fields, additionalProperties: false } : fields;
}

function validatorOf(ajv: Ajv2020, ref: string): ValidateFunction {
  const validate = ajv.getSchema(`openapi${ref}`);
  if (!validate) throw new Error(`There is no ${ref}.`);
  return validate as ValidateFunction;
}

describe('the OpenAPI document', () => {
  let world: RouteWorld;
  let document: Document;
  let answers: Ajv2020;
  beforeAll(async () => {
    world = await openRouteWorld();
    document = await documentOf(world.service);
    answers = schemasOf(document, true);
  });
  afterAll(() => world.close());

  /** Complaints of the document about an answer; none when it says nothing of that status. */
  function complaints(name: RouteName, { status, body }: RouteAnswer): unknown {
    const told = operationOf(document, name).responses[String(status)];
    if (!told) return [`${name} answers ${status}, which the document does not tell`];
    if (!told.content) return body === undefined ? [] : [`${name} answers ${status} with a body`];
    const validate = validatorOf(answers, told.content['application/json'].schema.$ref);
    return validate(body) ? [] : validate.errors;
  }

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
    expect(document.servers).toEqual([{ url: `${world.service.api_base}/v10` }]);
  });

  it.each(routeNames)('tells the parameters, the body, the statuses and the credentials of %s', name => {
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

  it.each(routeNames)('tells what %s answers with success', async name => {
    const answer = await world.call(name, await world.sample(name));
    expect(routes[name].success).toContain(answer.status);
    expect(complaints(name, answer)).toEqual([]);
  });

  it.each(routeNames.filter(name => 'body' in routes[name]))('takes what %s takes', async name => {
    const { body } = await world.sample(name);
    const [content] = Object.values(operationOf(document, name).requestBody?.content ?? {});
    const validate = validatorOf(schemasOf(document), content?.schema.$ref ?? '');
    const value = typeof body === 'string' ? Object.fromEntries(new URLSearchParams(body)) : body;
    expect(validate(value) ? [] : validate.errors).toEqual([]);
  });

  it.each(routeNames.filter(name => 'body' in routes[name]))('tells what %s answers to a wrong body', async name => {
    const { params = {} } = await world.sample(name);
    for (const body of ['7', '{', '{"name":1,"metadata":1,"type":"x","permissions":1,"content":1,"members":1}']) {
      const answer = await world.call(name, { params, body });
      expect(complaints(name, answer)).toEqual([]);
    }
  });

  it.each(routeNames.filter(name => routes[name].path.includes('_id}')))(
    'tells what %s answers to an id that is none, and to one of nothing',
    async name => {
      const { body, params } = await world.sample(name);
      const ids = [...routes[name].path.matchAll(/\{(\w+_id)\}/g)].map(([, parameter = '']) => parameter);
      const paramsOf = (value: string) => ({ ...params, ...Object.fromEntries(ids.map(id => [id, value])) });
      const wrong = await world.call(name, { params: paramsOf('x'), body });
      expect(wrong.status).toBe(400);
      expect(complaints(name, wrong)).toEqual([]);
      expect(complaints(name, await world.call(name, { params: paramsOf('42'), body }))).toEqual([]);
    },
  );

  it('takes every valid command, and shows every one that is registered', async () => {
    const isInput = validatorOf(schemasOf(document), '#/components/schemas/CommandInput');
    const isCommand = validatorOf(answers, '#/components/schemas/Command');
    const { params = {} } = await world.sample('createGlobalCommand');
    await fc.assert(
      fc.asyncProperty(arbitraryCommand(), async command => {
        expect(isInput(command) ? [] : isInput.errors).toEqual([]);
        const { status, body } = await world.call('createGlobalCommand', { params, body: command });
        if (status !== 200 && status !== 201) expect(body).toMatchObject({ code: apiErrors.too_many_commands.code });
        else expect(isCommand(body) ? [] : isCommand.errors).toEqual([]);
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
