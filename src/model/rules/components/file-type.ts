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
