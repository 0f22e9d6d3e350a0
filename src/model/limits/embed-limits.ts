/** Bounds of embeds and of the emojis of components. @see docs/spec/interactions.md#embeds */
export const embedLimits = {
  embedTitleLengthMax: 256,
  embedDescriptionLengthMax: 4096,
  embedFieldsMax: 25,
  embedFieldNameLengthMax: 256,
  embedFieldValueLengthMax: 1024,
  embedFooterLengthMax: 2048,
  embedAuthorLengthMax: 256,
  /** Of all addresses in it. */
  embedUrlLengthMax: 2048,
  embedColorMax: 0xffffff,
  /** Of all embeds of a message: titles, descriptions, fields, footers and authors, without white space around them. */
  embedsLengthMax: 6000,
  emojiNameLengthMax: 32,
} as const;
