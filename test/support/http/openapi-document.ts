import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Service } from '../../../src/service/index.ts';
import { type RouteName, routes } from '../../../src/wire/routes.ts';
import type { RouteAnswer } from './every-route.ts';

interface Content {
  readonly [mediaType: string]: { readonly schema: { readonly $ref: string } };
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-ratelimit': Readonly<Record<string, unknown>>;
}

/** A service's OpenAPI document, as far as tests look at it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export async function documentOf(service: Service): Promise<OpenApiDocument> {
  const { path } = routes.getOpenApi;
  return (await (await fetch(`${service.apiBase}/v10${path}`)).json()) as OpenApiDocument;
}

export function operationOf(document: OpenApiDocument, name: RouteName): Operation {
  const { method, path } = routes[name];
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`The document has no ${method} ${path}.`);
  return operation;
}

/** Judges what is sent and answered by the document. Every complaint is one error of the schema. */
export interface Judge {
  /** Of the schema with that name among the components. */
  complaints(schema: string, value: unknown): readonly unknown[];
  /** Of the route's request body. */
  ofRequest(name: RouteName, body: unknown): readonly unknown[];
  /** Of an answer; it must not carry what the document does not name. */
  ofAnswer(name: RouteName, answer: RouteAnswer): readonly unknown[];
}

export function judgeBy(document: OpenApiDocument): Judge {
  const requests = compilerOf(document);
  const answers = compilerOf(close(document) as OpenApiDocument);

  return {
    complaints: (schema, value) => judge(answers, `#/components/schemas/${schema}`, value),
    ofRequest(name, body) {
      const [content] = Object.values(operationOf(document, name).requestBody?.content ?? {});
      return content ? judge(requests, content.schema.$ref, body) : [`${name} takes no body`];
    },
    ofAnswer(name, { status, body }) {
      const told = operationOf(document, name).responses[String(status)];
      if (!told) return [`${name} answers ${status}, which the document does not tell`];
      const schema = told.content?.['application/json']?.schema.$ref;
      if (schema) return judge(answers, schema, body);
      return body === undefined ? [] : [`${name} answers ${status} with a body`];
    },
  };
}

function compilerOf(document: OpenApiDocument): Ajv2020 {
  return new Ajv2020({ strict: false, allErrors: true, formats: { uri: true } }).addSchema(document, 'openapi');
}

function judge(compiler: Ajv2020, ref: string, value: unknown): readonly unknown[] {
  const validate = compiler.getSchema(`openapi${ref}`) as ValidateFunction | undefined;
  if (!validate) throw new Error(`There is no ${ref}.`);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** With objects that have no other fields than those named. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
  const isOpen = 'properties' in value && !('additionalProperties' in value);
  return isOpen ? { ...fields, additionalProperties: false } : fields;
}
