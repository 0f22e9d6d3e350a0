// What is built, of which sources, with which flags: one table for every system. `build.mjs` reads it.

/**
 * @typedef {object} Product
 * @property {string} file
 * @property {readonly string[]} sources patterns, from this folder on
 * @property {readonly string[]} flags
 * @property {readonly string[]} [libraries] of the system
 * @property {'headers' | 'library'} [nodeApi] what it needs of it: on Windows a library, too, because names are imported from somewhere there
 *
 * @typedef {object} Target
 * @property {string} platform as in process.platform
 * @property {string} arch as in process.arch
 * @property {readonly string[]} compilers the first one that is there is taken; from another system too, but for macOS
 * @property {string} [debian] the package that has the compiler
 */

/** What is built of itself on each kind of machine when everything is asked for. */
export const targets = /** @type {const} @satisfies {readonly Target[]} */ ([
  { platform: 'linux', arch: 'x64', compilers: ['x86_64-linux-gnu-g++'], debian: 'g++-x86-64-linux-gnu' },
  { platform: 'linux', arch: 'arm64', compilers: ['aarch64-linux-gnu-g++'], debian: 'g++-aarch64-linux-gnu' },
  {
    platform: 'win32',
    arch: 'x64',
    compilers: ['x86_64-w64-mingw32-g++-posix', 'x86_64-w64-mingw32-g++'],
    debian: 'g++-mingw-w64-x86-64-posix',
  },
  { platform: 'darwin', arch: 'arm64', compilers: ['clang++'] },
  { platform: 'darwin', arch: 'x64', compilers: ['clang++'] },
]);

const common = ['-std=c++17', '-fno-exceptions', '-fno-rtti', '-Wall', '-Wextra', '-fvisibility=hidden'];
const optimized = ['-Os', '-ffunction-sections', '-fdata-sections'];
const addonDefines = [
  'NAPI_VERSION=8',
  'NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS',
  'NODE_ADDON_API_DISABLE_DEPRECATED',
  'NODE_GYP_MODULE_NAME=rallypoint',
  'BUILDING_NODE_EXTENSION',
].map(define => `-D${define}`);
const forwarderSources = ['forwarder/forwarder.cc', 'forwarder/address.cc'];
const posixAddonSources = ['addon/addon.cc', 'addon/lock_posix.cc', 'addon/posix_failure.cc'];

const linuxAddonSources = [...posixAddonSources, 'addon/schemes_linux.cc', 'addon/linux/*.cc'];
const hardened = ['-fstack-protector-strong', '-Wl,-z,relro,-z,now', '-Wl,-z,noexecstack'];
const linuxRelease = [...common, ...optimized, ...hardened, '-Wl,--gc-sections', '-Wl,--build-id=none', '-s'];

const windowsRelease = [
  ...common,
  ...optimized,
  ...['UNICODE', '_UNICODE', 'NOMINMAX', 'WIN32_LEAN_AND_MEAN'].map(define => `-D${define}`),
  // No library of the compiler's has to be beside it.
  '-static',
  ...['-Wl,--gc-sections', '-Wl,--no-insert-timestamp', '-s'],
];

const macosRelease = [...common, '-Os', '-fstack-protector-strong', '-mmacosx-version-min=11.0', '-Wl,-dead_strip'];

/** @type {Readonly<Record<string, readonly Product[]>>} */
const byPlatform = {
  linux: [
    {
      file: 'rallypoint.node',
      sources: linuxAddonSources,
      // Without unwinding tables, for which the C++ library would be needed after all.
      flags: [
        ...linuxRelease,
        ...addonDefines,
        ...['-fPIC', '-shared', '-fno-asynchronous-unwind-tables', '-static-libstdc++', '-static-libgcc'],
        '-Wl,--version-script=addon/linux/exports.map',
      ],
      nodeApi: 'headers',
    },
    {
      file: 'rallypoint-forwarder',
      sources: [...forwarderSources, 'forwarder/system_posix.cc'],
      // With the C library inside, so that it runs on whichever Linux.
      flags: [...linuxRelease, '-U_FORTIFY_SOURCE', '-D_FORTIFY_SOURCE=2', '-fPIE', '-static-pie'],
    },
  ],
  win32: [
    {
      file: 'rallypoint.node',
      sources: ['addon/addon.cc', 'addon/*_windows.cc', 'addon/windows_*.cc'],
      // Else where it is loaded by preference depends on the path it is built at.
      flags: [...windowsRelease, ...addonDefines, '-shared', '-Wl,--disable-auto-image-base'],
      libraries: ['-ladvapi32', '-lshell32'],
      nodeApi: 'library',
    },
    {
      file: 'rallypoint-forwarder.exe',
      sources: [...forwarderSources, 'forwarder/system_windows.cc'],
      flags: [...windowsRelease, '-municode', '-mwindows'],
      libraries: ['-ladvapi32', '-lshell32', '-luser32'],
    },
  ],
  darwin: [
    {
      file: 'rallypoint.node',
      sources: [...posixAddonSources, 'addon/schemes_macos.mm'],
      flags: [...macosRelease, ...addonDefines, ...['-bundle', '-undefined', 'dynamic_lookup', '-Wl,-x']],
      libraries: ['-framework', 'AppKit', '-framework', 'CoreServices'],
      nodeApi: 'headers',
    },
    {
      file: 'rallypoint-forwarder',
      sources: [...forwarderSources, 'forwarder/system_posix.cc'],
      flags: [...macosRelease, '-Wl,-x'],
    },
  ],
};

const sanitizers = [
  '-O1',
  '-g',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
  '-fno-omit-frame-pointer',
];

/** The same for the tests, on Linux: under address, leak and undefined-behaviour sanitizers. @type {readonly Product[]} */
export const sanitizedProducts = [
  {
    file: 'rallypoint.node',
    sources: linuxAddonSources,
    flags: [...common, ...sanitizers, ...addonDefines, '-fPIC', '-shared'],
    nodeApi: 'headers',
  },
  {
    file: 'rallypoint-forwarder',
    sources: [...forwarderSources, 'forwarder/system_posix.cc'],
    flags: [...common, ...sanitizers],
  },
  {
    file: 'native-test',
    sources: ['test/*.cc', 'forwarder/address.cc', ...linuxAddonSources.filter(source => source !== 'addon/addon.cc')],
    flags: [...common, ...sanitizers, '-I.'],
  },
];

/**
 * @param {Pick<Target, 'platform' | 'arch'>} target
 * @returns {readonly Product[]} none for a system that nothing was written for
 */
export function productsFor({ platform, arch }) {
  const products = byPlatform[platform] ?? [];
  if (platform !== 'darwin') return products;
  const flags = ['-arch', arch === 'x64' ? 'x86_64' : arch];
  return products.map(product => ({ ...product, flags: [...product.flags, ...flags] }));
}
