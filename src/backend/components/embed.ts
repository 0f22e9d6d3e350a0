import { Report } from '../../model/rules/report.ts';
import { requireType } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';

/** A framed part of a message, as the interface shapes it. */
export interface Embed {
  readonly title?: string;
  readonly description?: string;
  /** Where the title leads. */
  readonly url?: string;
  /** ISO 8601. */
  readonly timestamp?: string;
  /** 0xRRGGBB. */
  readonly color?: number;
  readonly footer?: EmbedFooter;
  readonly image?: EmbedImage;
  readonly thumbnail?: EmbedImage;
  readonly author?: EmbedAuthor;
  readonly fields?: readonly EmbedField[];
}

interface EmbedFooter {
  readonly text: string;
  readonly icon_url?: string;
}

interface EmbedImage {
  /** An address, or `attachment://` and the name of a file of the message. */
  readonly url: string;
}

interface EmbedAuthor {
  readonly name: string;
  readonly url?: string;
  readonly icon_url?: string;
}

interface EmbedField {
  readonly name: string;
  readonly value: string;
  /** Puts it beside its neighbors. Default false. */
  readonly inline?: boolean;
}

/** An embed in few words; each field may also be written as {@link Embed} has it. */
export interface EmbedInput
  extends Omit<Embed, 'timestamp' | 'color' | 'footer' | 'image' | 'thumbnail' | 'author' | 'fields'> {
  readonly timestamp?: Date | string;
  /** `#rrggbb`, or 0xRRGGBB. */
  readonly color?: `#${string}` | number;
  readonly footer?: string | EmbedFooter;
  /** An address, or `attachment://` and the name of a file of the message. */
  readonly image?: string | EmbedImage;
  readonly thumbnail?: string | EmbedImage;
  readonly author?: string | EmbedAuthor;
  /** Name → value, in this order. */
  readonly fields?: Readonly<Record<string, string>> | readonly EmbedField[];
}

/**
 * Makes an embed.
 *
 * @throws ValidationError for a color that is not `#rrggbb` and for an invalid date
 * @example
 * ```ts
 * const match = embed({ title: 'Match found', color: '#2aa198', fields: { Map: 'Harbour', Players: '4 of 8' } });
 * await backend.interactions.listen(({ reply }) => reply({ embeds: [match] }));
 * ```
 */
export function embed(input: EmbedInput): Embed {
  requireType('input', input, 'object');
  const { timestamp, color, footer, image, thumbnail, author, fields, ...others } = input;
  const report = new Report();
  if (typeof color === 'string' && !/^#[0-9a-f]{6}$/i.test(color)) report.at('color', 'STRING_TYPE_REGEX');
  if (timestamp instanceof Date && Number.isNaN(timestamp.getTime())) {
    report.at('timestamp', 'DATE_TIME_TYPE_PARSE', String(timestamp));
  }
  rejectIssues('The embed', report.issues);
  return {
    ...others,
    ...(timestamp !== undefined && { timestamp: typeof timestamp === 'string' ? timestamp : timestamp.toISOString() }),
    ...(color !== undefined && { color: typeof color === 'number' ? color : Number.parseInt(color.slice(1), 16) }),
    ...(footer !== undefined && { footer: typeof footer === 'string' ? { text: footer } : footer }),
    ...(image !== undefined && { image: imageOf(image) }),
    ...(thumbnail !== undefined && { thumbnail: imageOf(thumbnail) }),
    ...(author !== undefined && { author: typeof author === 'string' ? { name: author } : author }),
    ...(fields !== undefined && { fields: isList(fields) ? fields : listOf(fields) }),
  };
}

function imageOf(image: string | EmbedImage): EmbedImage {
  return typeof image === 'string' ? { url: image } : image;
}

function isList(fields: NonNullable<EmbedInput['fields']>): fields is readonly EmbedField[] {
  return Array.isArray(fields);
}

/** Beside each other, as names with short values usually are. */
function listOf(fields: Readonly<Record<string, string>>): EmbedField[] {
  return Object.entries(fields).map(([name, value]) => ({ name, value, inline: true }));
}
