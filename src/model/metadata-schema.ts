import { ArgumentError, ValidationError } from './errors/errors.ts';
import type { Metadata } from './lobby.ts';

/**
 * A schema as the validation libraries zod, valibot and arktype provide it: version 1 of the Standard Schema interface
 * (standardschema.dev), declared here so that this package depends on none of them.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a game's metadata looks like. Metadata is a map from text to text; a schema turns that map into a value. */
export interface MetadataSchemas<LobbyMetadata, MemberMetadata> {
  /** Of lobbies. Default: the map itself. */
  readonly lobby?: StandardSchema<LobbyMetadata> | undefined;
  /** Of lobby members. Default: the map itself. */
  readonly member?: StandardSchema<MemberMetadata> | undefined;
}

/** Reads and checks metadata by a schema. A map is parsed once: the same map gives the same value. */
export class MetadataReader<Output> {
  readonly #schema: StandardSchema<Output> | undefined;
  readonly #read = new WeakMap<Metadata, StandardResult<Output>>();

  /** @throws ArgumentError `invalid_schema` */
  constructor(schema: StandardSchema<Output> | undefined) {
    if (schema && typeof schema['~standard']?.validate !== 'function') {
      throw new ArgumentError(
        'invalid_schema',
        'A metadata schema must implement Standard Schema version 1, as those of zod, valibot and arktype do.',
      );
    }
    this.#schema = schema;
  }

  /** @returns undefined when the metadata does not fit the schema, or is undefined */
  read(metadata: Metadata | undefined): Output | undefined {
    if (!metadata) return undefined;
    const result = this.#validated(metadata);
    return result.issues ? undefined : result.value;
  }

  /**
   * @param what names the metadata in the error
   * @throws ValidationError it does not fit the schema
   */
  check(what: string, metadata: Metadata | undefined): void {
    const issues = metadata && this.#validate(metadata).issues;
    if (!issues) return;
    throw new ValidationError(
      'The metadata',
      issues.map(({ message, path = [] }) => ({
        path: [what, ...path.map(step => String(typeof step === 'object' ? step.key : step))],
        code: 'SCHEMA',
        message,
      })),
    );
  }

  #validated(metadata: Metadata): StandardResult<Output> {
    const read = this.#read.get(metadata) ?? this.#validate(metadata);
    this.#read.set(metadata, read);
    return read;
  }

  #validate(metadata: Metadata): StandardResult<Output> {
    // Without a schema the type parameter is Metadata.
    if (!this.#schema) return { value: metadata as unknown as Output };
    const result = parse(this.#schema, metadata);
    if (!(result instanceof Promise)) return result;
    result.catch(() => {});
    throw new ArgumentError('invalid_schema', 'A metadata schema must validate synchronously, not return a promise.');
  }
}

/** Players write metadata: what makes a schema throw, such as text that is no JSON for a transform, does not fit it. */
function parse<Output>(schema: StandardSchema<Output>, metadata: Metadata) {
  try {
    // A copy, because snapshots are frozen and arktype puts the values that it parsed into what it is given.
    return schema['~standard'].validate({ ...metadata });
  } catch (error) {
    return { issues: [{ message: error instanceof Error ? error.message : String(error) }] };
  }
}
