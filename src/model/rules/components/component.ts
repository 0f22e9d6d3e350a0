import { type ComponentType, componentTypes } from '../../component.ts';
import { componentLimits } from '../../limits/component-limits.ts';
import { limits } from '../../limits/limits.ts';
import { checkInteger, checkItems, checkList, checkSizedList, type Fields, isAbsent, isFields } from '../field.ts';
import type { FullReport } from '../full-report.ts';
import {
  checkButton,
  checkCheckbox,
  checkCheckboxGroup,
  checkContainer,
  checkFile,
  checkFileUpload,
  checkGallery,
  checkLabel,
  checkRadioGroup,
  checkSelect,
  checkSeparator,
  checkStringSelect,
  checkTextDisplay,
  checkTextInput,
  checkThumbnail,
  type Surroundings,
} from './component-fields.ts';

const types = componentTypes;
const selects = [types.STRING_SELECT, types.USER_SELECT, types.ROLE_SELECT, types.MENTIONABLE_SELECT] as const;
const inMessages = [types.ACTION_ROW, types.SECTION, types.TEXT_DISPLAY, types.MEDIA_GALLERY, types.FILE] as const;

/** Which types stand where. */
const places = {
  /** A message beside its text. */
  message: [types.ACTION_ROW],
  /** A message with the flag IS_COMPONENTS_V2. */
  messageV2: [...inMessages, types.SEPARATOR, types.CONTAINER],
  container: [...inMessages, types.SEPARATOR],
  messageRow: [types.BUTTON, ...selects, types.CHANNEL_SELECT],
  section: [types.TEXT_DISPLAY],
  accessory: [types.BUTTON, types.THUMBNAIL],
  modal: [types.ACTION_ROW, types.LABEL, types.TEXT_DISPLAY],
  modalRow: [types.TEXT_INPUT],
  label: [
    ...[types.TEXT_INPUT, ...selects, types.CHANNEL_SELECT],
    ...[types.FILE_UPLOAD, types.RADIO_GROUP, types.CHECKBOX_GROUP, types.CHECKBOX],
  ],
} as const satisfies Record<string, readonly ComponentType[]>;

/** As many as a valid message without IS_COMPONENTS_V2 can have: its rows, full of buttons. Components beyond are not checked. */
const componentsWalkedMax = limits.messageComponentsMax * (1 + componentLimits.rowButtonsMax);

/** A check in progress of all components of a message or modal. */
interface Walk extends Surroundings {
  /** How many were met, on all levels. */
  count: number;
  readonly ids: Set<number>;
}

/** The rules for a component by its type, beside those for type and number, at the report's current path. */
const checks: Readonly<Record<ComponentType, (walk: Walk, component: Fields, inLabel: boolean) => void>> = {
  [types.ACTION_ROW]: checkRow,
  [types.BUTTON]: checkButton,
  [types.STRING_SELECT]: checkStringSelect,
  [types.TEXT_INPUT]: checkTextInput,
  [types.USER_SELECT]: checkSelect,
  [types.ROLE_SELECT]: checkSelect,
  [types.MENTIONABLE_SELECT]: checkSelect,
  [types.CHANNEL_SELECT]: checkSelect,
  [types.SECTION](walk, { components, accessory }) {
    checkEach(walk, components, componentLimits.sectionTextsMax, places.section);
    checkOne(walk, 'accessory', accessory, places.accessory);
  },
  [types.TEXT_DISPLAY]: checkTextDisplay,
  [types.THUMBNAIL]: checkThumbnail,
  [types.MEDIA_GALLERY]: checkGallery,
  [types.FILE]: checkFile,
  [types.SEPARATOR]: checkSeparator,
  [types.CONTAINER](walk, container) {
    checkContainer(walk, container);
    checkEach(walk, container.components, limits.messageComponentsMax, places.container);
  },
  [types.LABEL](walk, label) {
    checkLabel(walk, label);
    checkOne(walk, 'component', label.component, places.label);
  },
  [types.FILE_UPLOAD]: checkFileUpload,
  [types.RADIO_GROUP]: checkRadioGroup,
  [types.CHECKBOX_GROUP]: checkCheckboxGroup,
  [types.CHECKBOX]: checkCheckbox,
};

/**
 * Checks the `components` of a message; the report stands at the message.
 *
 * Unspecified: a message with text has as many rows as the interface's schema says, not the five
 * that clients show.
 *
 * @param isV2 with the flag IS_COMPONENTS_V2: all types, and the bound counts those on every level; undefined where that
 *   is not known
 */
export function checkMessageComponents(report: FullReport, value: unknown, isV2: boolean | undefined): void {
  const max = limits.messageComponentsMax;
  if (isAbsent(value) || !checkList(report, 'components', value, max)) return;
  const walk = startWalk(report, false);
  walkItems(walk, value, max, isV2 === false ? places.message : places.messageV2);
  if (isV2 && walk.count > max) report.at('components', 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', max);
}

/** Checks the `components` of a modal, where the report stands. @see docs/spec/interactions.md#modals */
export function checkModalComponents(report: FullReport, value: unknown): void {
  checkEach(startWalk(report, true), value, componentLimits.modalComponentsMax, places.modal);
}

function startWalk(report: FullReport, inModal: boolean): Walk {
  return { report, inModal, count: 0, ids: new Set(), customIds: new Set() };
}

/** Buttons share a row; everything else takes all its width. */
function checkRow(walk: Walk, { components }: Fields): void {
  checkEach(walk, components, componentLimits.rowButtonsMax, walk.inModal ? places.modalRow : places.messageRow);
  if (!Array.isArray(components)) return;
  const { report } = walk;
  report.enter('components');
  let width = 0;
  components.slice(0, componentLimits.rowButtonsMax).forEach((one: unknown, i) => {
    width += isFields(one) && one.type === types.BUTTON ? 1 : componentLimits.rowButtonsMax;
    if (width > componentLimits.rowButtonsMax) report.at(i, 'COMPONENT_LAYOUT_WIDTH_EXCEEDED');
  });
  report.leave();
}

/** The nested `components`: one to `max` of them. */
function checkEach(walk: Walk, value: unknown, max: number, allowed: readonly ComponentType[]): void {
  if (checkSizedList(walk.report, 'components', value, 1, max)) walkItems(walk, value, max, allowed);
}

function walkItems(walk: Walk, list: readonly unknown[], max: number, allowed: readonly ComponentType[]): void {
  checkItems(walk.report, 'components', list, max, (_, item) => checkComponent(walk, item, allowed));
}

/** The one component below another, which must be there. */
function checkOne(walk: Walk, key: string, value: unknown, allowed: readonly ComponentType[]): void {
  const { report } = walk;
  if (isAbsent(value)) report.at(key, 'BASE_TYPE_REQUIRED');
  else if (!isFields(value)) report.at(key, 'MODEL_TYPE_CONVERT');
  else {
    report.enter(key);
    checkComponent(walk, value, allowed);
    report.leave();
  }
}

function checkComponent(walk: Walk, component: Fields, allowed: readonly ComponentType[]): void {
  walk.count++;
  if (walk.count > componentsWalkedMax) return;
  const { type, id } = component;
  if (!checkType(walk.report, type, allowed)) return;
  checkId(walk, id);
  checks[type](walk, component, allowed === places.label);
}

function checkType(report: FullReport, type: unknown, allowed: readonly ComponentType[]): type is ComponentType {
  if (isAbsent(type)) report.at('type', 'BASE_TYPE_REQUIRED');
  else if (!Number.isInteger(type)) report.at('type', 'NUMBER_TYPE_COERCE', type, 'int');
  // As for options of commands, a type that is not allowed here is reported at the component, because it decides how to read it.
  else if (!(allowed as readonly unknown[]).includes(type)) report.here('UNION_TYPE_CHOICES', allowed);
  else return true;
  return false;
}

/** A number of 32 bits; 0 says the same as none. */
function checkId({ report, ids }: Walk, id: unknown): void {
  if (isAbsent(id) || !checkInteger(report, 'id', id, 0, componentLimits.componentIdMax) || id === 0) return;
  if (ids.has(id)) report.at('id', 'COMPONENT_ID_DUPLICATED');
  ids.add(id);
}
