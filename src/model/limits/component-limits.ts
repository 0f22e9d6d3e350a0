/** Bounds of components and modals. @see docs/spec/interactions.md#answers */
export const componentLimits = {
  /** Of the custom ids of components and modals. */
  customIdLengthMax: 100,
  modalTitleLengthMax: 45,
  modalComponentsMax: 5,
  /** Numbers of components: 32 bits with a sign. */
  componentIdMax: 2 ** 31 - 1,
  rowButtonsMax: 5,
  buttonLabelLengthMax: 80,
  buttonUrlLengthMax: 512,
  selectOptionsMax: 25,
  selectPlaceholderLengthMax: 150,
  /** Of the label, the value and the description of a choice. */
  componentChoiceLengthMax: 100,
  radioOptionsMin: 2,
  /** Of a radio group and of a checkbox group. */
  groupOptionsMax: 10,
  textInputLengthMax: 4000,
  textInputLabelLengthMax: 45,
  textInputPlaceholderLengthMax: 100,
  labelLengthMax: 45,
  labelDescriptionLengthMax: 100,
  textDisplayLengthMax: 4000,
  sectionTextsMax: 3,
  galleryItemsMax: 10,
  mediaUrlLengthMax: 2048,
  mediaDescriptionLengthMax: 1024,
  containerColorMax: 0xffffff,
  separatorSpacingMax: 2,
  uploadedFilesMax: 10,
} as const;
