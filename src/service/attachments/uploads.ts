import { type CommandOption, optionTypes } from '../../model/command.ts';
import { type Component, componentTypes } from '../../model/component.ts';
import { fieldErrors, type Issue } from '../../model/errors/issue.ts';
import type { OptionValue, ResolvedData } from '../../model/interaction.ts';
import { type Attachment, messageFlags } from '../../model/message.ts';
import { takesFile } from '../../model/rules/components/file-type.ts';
import type { GivenInput } from '../../model/rules/components/modal-layout.ts';
import { isFields } from '../../model/rules/field.ts';
import type { ChannelId } from '../../model/snowflake.ts';
import { rejectIssues } from '../support/request-error.ts';
import { type Attach, uploadedFiles } from './attachments.ts';

/**
 * Files that a user's client uploaded with an interaction. The interaction refers to them by number; the application receives ids.
 *
 * Unspecified: an id without a file is passed on as it is, unresolved.
 *
 * @see docs/spec/interactions.md#resolved-data
 */
export class Uploads {
  readonly #byNumber = new Map<string, Attachment>();
  readonly #byId = new Map<string, Attachment>();

  /** @param data of the use @throws RequestError `invalid_form_body` when there are too many */
  constructor(attach: Attach, data: unknown, channel_id: ChannelId) {
    if (!isFields(data)) return;
    const files = uploadedFiles(data);
    if (files.length === 0) return;
    attach(data, { channel_id, flags: messageFlags.EPHEMERAL, attachments: [] }).forEach((attachment, i) => {
      this.#byNumber.set(String(files[i]?.index), attachment);
      this.#byId.set(attachment.id, attachment);
    });
  }

  /** The option values with ids in place of numbers, not validated yet. */
  inOptions(values: unknown): unknown {
    if (this.#byId.size === 0 || !Array.isArray(values)) return values;
    return values.map((value: unknown) => {
      if (!isFields(value)) return value;
      if (value.options !== undefined) return { ...value, options: this.inOptions(value.options) };
      return value.type === optionTypes.ATTACHMENT ? { ...value, value: this.#idOf(value.value) } : value;
    });
  }

  /** The submitted values with ids in place of numbers, not validated yet. */
  inComponents(components: unknown): unknown {
    if (this.#byId.size === 0 || !Array.isArray(components)) return components;
    return components.map((layout: unknown) => {
      const component = isFields(layout) ? layout.component : undefined;
      if (!isFields(layout) || !isFields(component) || component.type !== componentTypes.FILE_UPLOAD) return layout;
      const values = Array.isArray(component.values) ? component.values.map(one => this.#idOf(one)) : component.values;
      return { ...layout, component: { ...component, values } };
    });
  }

  /** What the values of attachment options stand for. @throws RequestError `invalid_form_body` at one of another type */
  resolveOptions(values: readonly OptionValue[], options: readonly CommandOption[]): Resolved {
    if (this.#byId.size === 0) return undefined;
    return this.#resolve(this.#idsInOptions(values, options, ['data', 'options']));
  }

  /** Like {@link resolveOptions}, for the inputs of a modal. */
  resolveInputs(given: readonly GivenInput[], inputs: ReadonlyMap<string | undefined, Component>): Resolved {
    return this.#resolve(
      given.flatMap(({ input: { custom_id, type, values = [] }, path }) => {
        if (type !== componentTypes.FILE_UPLOAD) return [];
        const { file_types } = inputs.get(custom_id) ?? {};
        return values.map((id, i) => ({
          id,
          fileTypes: file_types ?? [],
          path: ['data', 'components', ...path, 'values', String(i)],
        }));
      }),
    );
  }

  #idsInOptions(values: readonly OptionValue[], options: readonly CommandOption[], path: readonly string[]): Wanted[] {
    return values.flatMap(({ name, type, value, options: inner }, i) => {
      const option = options.find(one => one.name === name);
      if (inner) return this.#idsInOptions(inner, option?.options ?? [], [...path, String(i), 'options']);
      if (type !== optionTypes.ATTACHMENT) return [];
      return [{ id: String(value), fileTypes: option?.file_types ?? [], path: [...path, String(i), 'value'] }];
    });
  }

  #resolve(wanted: readonly Wanted[]): Resolved {
    const found: Record<string, Attachment> = {};
    const issues: Issue[] = [];
    for (const { id, fileTypes, path } of wanted) {
      const attachment = this.#byId.get(id);
      if (!attachment) continue;
      found[id] = attachment;
      const code = 'BASE_TYPE_CHOICES';
      if (!takesFile(fileTypes, attachment)) issues.push({ path, code, message: fieldErrors[code](fileTypes) });
    }
    rejectIssues(issues);
    return Object.keys(found).length > 0 ? { attachments: found } : undefined;
  }

  #idOf(value: unknown): unknown {
    return this.#byNumber.get(String(value))?.id ?? value;
  }
}

/** An attachment that an interaction refers to. */
interface Wanted {
  readonly id: string;
  readonly fileTypes: readonly string[];
  readonly path: readonly string[];
}

type Resolved = Pick<ResolvedData, 'attachments'> | undefined;
