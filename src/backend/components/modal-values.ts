import type { SubmittedComponent } from '../../model/component.ts';
import type { ChannelId, RoleId, Snowflake, UserId } from '../../model/snowflake.ts';

/**
 * What a user filled in, inferred from the modal's definition: values by custom id. A text that was left empty is `''`, a
 * choice that need not be made null, a list empty.
 *
 * @see docs/spec/interactions.md#submitted-modal
 */
export type ModalValues<Definition> = Definition extends { readonly components: readonly (infer Item)[] }
  ? { readonly [Input in InputOf<Item> as IdOf<Input>]: ValueOf<Input> }
  : never;

type InputOf<Item> = Item extends { readonly component: infer Input } ? Input : never;

type IdOf<Input> = Input extends { readonly custom_id: infer Id extends string } ? Id : never;

type ValueOf<Input> = Input extends { readonly type: infer Type extends keyof ValueTypes<Input> }
  ? ValueTypes<Input>[Type]
  : never;

interface ValueTypes<Input> {
  3: readonly ChoiceOf<Input>[];
  4: string;
  5: readonly UserId[];
  6: readonly RoleId[];
  /** Users' and roles'. */
  7: readonly Snowflake[];
  8: readonly ChannelId[];
  21: ChoiceOf<Input> | (Input extends { readonly required: false } ? null : never);
  22: readonly ChoiceOf<Input>[];
  23: boolean;
}

type ChoiceOf<Input> = Input extends { readonly options: readonly { readonly value: infer Value }[] } ? Value : string;

/** Lays the values of a submission out as {@link ModalValues} says; that they fit the modal is checked before. */
export function readModalValues(components: readonly SubmittedComponent[]): object {
  // Without a prototype an input that there is none of is undefined whatever its id is.
  const byId: Record<string, unknown> = Object.create(null);
  for (const { component, components: inRow = [] } of components) {
    for (const { custom_id, value, values } of component ? [component] : inRow) {
      if (custom_id !== undefined) byId[custom_id] = values ?? value;
    }
  }
  return byId;
}
