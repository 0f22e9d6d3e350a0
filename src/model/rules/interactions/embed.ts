import { embedLimits } from '../../limits/embed-limits.ts';
import { limits } from '../../limits/limits.ts';
import { checkItems, checkList, codePointsUpTo, type Fields, isAbsent, isFields } from '../field.ts';
import {
  aBoolean,
  aList,
  aMediaAddress,
  anAddress,
  anInteger,
  anObject,
  aText,
  aTime,
  checkTable,
  type FieldTable,
  knownOf,
  pickKnown,
  required,
} from '../field-table.ts';
import type { FullReport } from '../full-report.ts';

const address = anAddress(embedLimits.embedUrlLengthMax);
const media = aMediaAddress(embedLimits.embedUrlLengthMax);

/** The fields of an embed that its sender gives. */
const embedTable: FieldTable = {
  title: aText(embedLimits.embedTitleLengthMax),
  description: aText(embedLimits.embedDescriptionLengthMax),
  url: address,
  timestamp: aTime,
  color: anInteger(0, embedLimits.embedColorMax),
  footer: anObject({ text: aText(embedLimits.embedFooterLengthMax), icon_url: media }),
  image: anObject({ url: media }),
  thumbnail: anObject({ url: media }),
  author: anObject({ name: aText(embedLimits.embedAuthorLengthMax), url: address, icon_url: media }),
  fields: aList(embedLimits.embedFieldsMax, {
    name: required(aText(embedLimits.embedFieldNameLengthMax)),
    value: required(aText(embedLimits.embedFieldValueLengthMax)),
    inline: aBoolean,
  }),
};
const known = knownOf(embedTable);

/**
 * Checks the `embeds` of a message; the report stands at the message.
 *
 * Unspecified: parts that would show nothing (a footer without text, an image without address) are accepted.
 *
 * @see docs/spec/interactions.md#embeds
 */
export function checkEmbeds(report: FullReport, embeds: unknown): void {
  if (isAbsent(embeds) || !checkList(report, 'embeds', embeds, limits.messageEmbedsMax)) return;
  checkItems(report, 'embeds', embeds, limits.messageEmbedsMax, (_, embed) => checkTable(report, embed, embedTable));
  const max = embedLimits.embedsLengthMax;
  let length = 0;
  for (const embed of embeds.slice(0, limits.messageEmbedsMax)) if (isFields(embed)) length += lengthOf(embed);
  if (length > max) report.at('embeds', 'MAX_EMBED_SIZE_EXCEEDED', max);
}

/** The embed with the fields that its sender can give, and nothing else. */
export function pickEmbed(embed: unknown): Fields {
  return pickKnown(embed, known) as Fields;
}

function lengthOf({ title, description, footer, author, fields }: Fields): number {
  const texts = [
    ...[title, description, isFields(footer) && footer.text, isFields(author) && author.name],
    ...(Array.isArray(fields) ? fields.slice(0, embedLimits.embedFieldsMax) : []).flatMap(field =>
      isFields(field) ? [field.name, field.value] : [],
    ),
  ];
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? shownLength(text) : 0), 0);
}

function shownLength(text: string): number {
  const max = embedLimits.embedsLengthMax;
  // White space of a text that is too long in any case is not looked for.
  return codePointsUpTo(text.length > 2 * max ? text : text.trim(), max);
}
