import Type from 'typebox';
import { Compile } from 'typebox/compile';

/**
 * What a schema can say of a command, compiled by typebox: shapes, lengths, patterns, counts. It knows nothing of order,
 * names that collide, letters' case or the combined length, and it is asked only for yes or no.
 */
const name = Type.String({ pattern: "^[-_'\\p{L}\\p{N}]{1,32}$" });
const description = Type.String({ minLength: 1, maxLength: 100 });
const nothing = <Schema extends Type.TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));
const texts = nothing(Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 100 })));
const described = { name, description, name_localizations: texts, description_localizations: texts };

const choice = Type.Object({
  name: description,
  name_localizations: texts,
  value: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Number()]),
});
const particular = {
  required: Type.Optional(Type.Boolean()),
  autocomplete: Type.Optional(Type.Boolean()),
  choices: Type.Optional(Type.Array(choice, { maxItems: 25 })),
  channel_types: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 16 }))),
  min_value: Type.Optional(Type.Number()),
  max_value: Type.Optional(Type.Number()),
  min_length: Type.Optional(Type.Integer({ minimum: 0, maximum: 6000 })),
  max_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 6000 })),
};
const parameter = Type.Object({ type: Type.Integer({ minimum: 3, maximum: 11 }), ...described, ...particular });
const holding = (type: number, inner: Type.TSchema) =>
  Type.Object({
    type: Type.Literal(type),
    ...described,
    options: Type.Optional(Type.Array(inner, { maxItems: 25 })),
  });
const subcommand = holding(1, parameter);

const command = Compile(
  Type.Object({
    type: nothing(Type.Integer({ minimum: 1, maximum: 4 })),
    ...described,
    options: nothing(
      Type.Union([
        Type.Array(parameter, { maxItems: 25 }),
        Type.Array(Type.Union([subcommand, holding(2, subcommand)]), { maxItems: 25 }),
      ]),
    ),
    default_member_permissions: nothing(Type.Union([Type.String({ pattern: '^[0-9]{1,17}$' }), Type.Integer()])),
    contexts: nothing(Type.Array(Type.Integer({ minimum: 0, maximum: 2 }), { minItems: 1, uniqueItems: true })),
    integration_types: nothing(
      Type.Array(Type.Integer({ minimum: 0, maximum: 1 }), { minItems: 1, uniqueItems: true }),
    ),
    nsfw: nothing(Type.Boolean()),
  }),
);

export function fitsSchema(value: unknown): boolean {
  return command.Check(value);
}
