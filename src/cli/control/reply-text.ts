import { type Component, componentTypes, partsOf } from '../../model/component.ts';
import type { Message } from '../../model/message.ts';
import type { Reply } from '../../testing/world-user.ts';
import { type Paint, printable } from '../paint.ts';

/** What a user sees of an answer, as text. */
export function replyText({ kind, message, modal, isEphemeral }: Reply, paint: Paint): string {
  if (modal) {
    const inputs = modal.components.flatMap(component => componentLines(component as Component, paint));
    return [`A form opens: ${paint('bold', printable(modal.title))}`, ...indented(inputs)].join('\n');
  }
  if (!message) return 'The application acknowledged it and shows nothing.';
  const [first = '', ...others] = messageLines(message, paint);
  const author = paint('bold', printable(message.author.global_name ?? message.author.username));
  const notes = [...(kind === 'update' ? ['changed'] : []), ...(isEphemeral ? ['only this user sees it'] : [])];
  const note = notes.length === 0 ? '' : paint('dim', `  (${notes.join(', ')})`);
  return [`${author}: ${first}${note}`, ...indented(others)].join('\n');
}

function messageLines({ content, embeds, components, attachments }: Message, paint: Paint): string[] {
  const shown = (embeds as readonly Embed[]).flatMap(({ title, description, fields = [] }) => [
    ...lines(title).map(line => paint('bold', line)),
    ...lines(description),
    ...fields.map(({ name, value }) => `${paint('bold', printable(name))}: ${printable(value)}`),
  ]);
  const files = attachments.map(({ filename, size }) => `${printable(filename)} (${size} bytes)`);
  const parts = (components as readonly Component[]).flatMap(component => componentLines(component, paint));
  return [...lines(content), ...shown, ...files, ...parts];
}

interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
}

/** A row of buttons is one line, everything else has lines of its own. */
function componentLines(component: Component, paint: Paint): string[] {
  const { components = [], component: labelled, accessory } = partsOf(component);
  if (component.type === componentTypes.ACTION_ROW) {
    return [components.map(one => componentLines(one, paint).join(' ')).join('  ')];
  }
  const inner = [...components, ...(labelled ? [labelled] : []), ...(accessory ? [accessory] : [])];
  return [...ownLines(component, paint), ...inner.flatMap(one => componentLines(one, paint))];
}

function ownLines(
  { type, label, content, placeholder, custom_id, options = [], disabled }: Component,
  paint: Paint,
): string[] {
  const name = printable(label ?? placeholder ?? custom_id ?? '');
  if (type === componentTypes.BUTTON) return [disabled ? paint('dim', `[${name}]`) : `[${name}]`];
  if (type === componentTypes.TEXT_DISPLAY) return lines(content);
  if (type === componentTypes.LABEL) return lines(label);
  if (options.length > 0) return [`<${name}>: ${options.map(option => printable(option.label)).join(', ')}`];
  return custom_id === undefined ? [] : [`<${name}>`];
}

function lines(text: string | null | undefined): string[] {
  return text ? text.split('\n').map(printable) : [];
}

function indented(text: readonly string[]): string[] {
  return text.map(line => `  ${line}`);
}
