import { version } from '../../../model/version.ts';
import { type JsonSchema, list, object, ref, text } from '../../http/json-schema.ts';
import type { ControlCall } from '../request.ts';
import { type Description, descriptions } from './descriptions.ts';

/** The OpenAPI 3.1 document of the calls that are mounted. @param base the address of the control API */
export function controlDocument(calls: readonly Pick<ControlCall, 'name'>[], base: string): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const { name } of calls) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(path, descriptionOf(name)) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rallypoint control API',
      version,
      summary: 'Changes a service from outside its interface, for tests and tools',
    },
    servers: [{ url: base }],
    security: [{ control: [] }],
    paths,
    components: {
      schemas: { Error: error },
      securitySchemes: {
        control: { type: 'http', scheme: 'bearer', description: 'The control token of the ready line.' },
      },
    },
  };
}

const error = object(
  'What is wrong, and what to do.',
  { message: text() },
  {
    issues: list(object('', { path: list(text()), code: text(), message: text() })),
  },
);

function descriptionOf(name: string): Description {
  const described = (descriptions as Readonly<Record<string, Description>>)[name];
  if (!described) throw new TypeError(`The control call ${name} has no description.`);
  return described;
}

function operationOf(
  path: string,
  { id, summary, query = {}, body, isBodyOptional, ...more }: Description,
): JsonSchema {
  return {
    operationId: id,
    summary,
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text(1) })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
    ],
    ...(body && { requestBody: { required: !isBodyOptional, content: { 'application/json': { schema: body } } } }),
    responses: responsesOf(id, more),
  };
}

function responsesOf(id: string, { answer, errors = [] }: Pick<Description, 'answer' | 'errors'>): JsonSchema {
  const statuses = [400, 401, ...errors];
  const content = (type: string, schema: JsonSchema) => ({ content: { [type]: { schema } } });
  const done = answer
    ? { 200: { description: 'Done.', ...content('application/json', answer) } }
    : { 204: { description: 'Done.' } };
  const success = id === 'stream' ? { 200: { description: 'Events.', ...content('text/event-stream', text()) } } : done;
  const failures = statuses.map(status => [
    status,
    { description: failure[status] ?? 'It failed.', ...content('application/json', ref('Error')) },
  ]);
  return { ...success, ...Object.fromEntries(failures) };
}

const failure: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'The control token is missing or wrong.',
  404: 'There is no such thing.',
  409: 'The service, or what else there is, does not allow it now.',
  413: 'There is too much.',
};
