import { limits } from '../../limits/limits.ts';
import { checkList, checkText } from '../field.ts';
import type { Report } from '../report.ts';

const fileType = /^(image|video|audio|\.[\w\-.]+)$/i;

/** Checks the `file_types` of an option or input. @see docs/spec/commands.md#options */
export function checkFileTypes(report: Report, value: unknown): void {
  if (!checkList(report, 'file_types', value, limits.fileTypesMax)) return;
  report.enter('file_types');
  value.slice(0, limits.fileTypesMax).forEach((item, i) => {
    if (checkText(report, i, item, 0, limits.fileTypeLengthMax) && !fileType.test(item))
      report.at(i, 'STRING_TYPE_REGEX');
  });
  report.leave();
}

/**
 * Whether an option or input that takes `fileTypes` takes a file: by the end of its name, or by the kind of what is in it.
 * Unspecified: the kind is the one its sender names.
 *
 * @param fileTypes `image`, `video`, `audio` or extensions with their dot, in lower case; none: all files
 * @see docs/spec/commands.md#options
 */
export function takesFile(
  fileTypes: readonly string[] | null | undefined,
  { filename, content_type = '' }: { readonly filename: string; readonly content_type?: string },
): boolean {
  if (!fileTypes || fileTypes.length === 0) return true;
  const name = filename.toLowerCase();
  return fileTypes.some(type => {
    const wanted = type.toLowerCase();
    return wanted.startsWith('.') ? name.endsWith(wanted) : content_type.toLowerCase().startsWith(`${wanted}/`);
  });
}
