{
  'variables': {
    # Whether the tests are described too; scripts/build-native.ts says so.
    'tests%': 0,
    # Sources of the addon that are no Node: also linked into the tests.
    'posix_sources': ['addon/lock_posix.cc', 'addon/posix_failure.cc'],
    'linux_sources': [
      'addon/schemes_linux.cc',
      'addon/linux/desktop_entry.cc',
      'addon/linux/files.cc',
      'addon/linux/folders.cc',
      'addon/linux/key_file.cc',
    ],
    'version': '<!(node -p "require(\'../package.json\').version")',
  },
  'target_defaults': {
    'default_configuration': 'Release',
    'cflags_cc!': ['-std=gnu++17', '-std=gnu++20', '-std=gnu++23'],
    'cflags_cc': ['-std=c++17', '-fno-exceptions', '-fno-rtti'],
    'cflags': ['-Wall', '-Wextra', '-fstack-protector-strong', '-fvisibility=hidden'],
    'configurations': {
      'Release': {
        'conditions': [
          ['OS=="linux"', {
            'cflags!': ['-O3'],
            'cflags': ['-O2', '-U_FORTIFY_SOURCE', '-D_FORTIFY_SOURCE=2'],
            'ldflags': ['-Wl,-z,relro,-z,now', '-Wl,-z,noexecstack', '-Wl,--as-needed', '-s'],
          }],
        ],
      },
      # What the tests run under: node-gyp build --debug.
      'Debug': {
        'conditions': [
          ['OS=="linux"', {
            'cflags': ['-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'],
            'ldflags': ['-fsanitize=address,undefined'],
          }],
        ],
      },
    },
    'xcode_settings': {
      'CLANG_CXX_LANGUAGE_STANDARD': 'c++17',
      'GCC_ENABLE_CPP_EXCEPTIONS': 'NO',
      'GCC_ENABLE_CPP_RTTI': 'NO',
      'GCC_SYMBOLS_PRIVATE_EXTERN': 'YES',
      'MACOSX_DEPLOYMENT_TARGET': '11.0',
      'WARNING_CFLAGS': ['-Wall', '-Wextra'],
    },
    'msvs_settings': {
      'VCCLCompilerTool': { 'AdditionalOptions': ['/std:c++17', '/utf-8', '/guard:cf'], 'WarningLevel': 4, 'ExceptionHandling': 0 },
      'VCLinkerTool': { 'AdditionalOptions': ['/guard:cf'] },
    },
    'conditions': [
      # For us alone: a compiler of tomorrow that warns is no reason for a user to go without.
      ['tests==1', { 'cflags': ['-Werror'], 'xcode_settings': { 'GCC_TREAT_WARNINGS_AS_ERRORS': 'YES' } }],
      ['OS=="win"', { 'defines': ['UNICODE', '_UNICODE', 'NOMINMAX', 'WIN32_LEAN_AND_MEAN'] }],
    ],
  },
  'targets': [
    {
      'target_name': 'rallypoint',
      'sources': ['addon/addon.cc'],
      'include_dirs': ['<!(node -p "require(\'node-addon-api\').include_dir")'],
      'defines': ['NAPI_VERSION=8', 'NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS', 'NODE_ADDON_API_DISABLE_DEPRECATED'],
      'conditions': [
        ['OS=="linux"', { 'sources': ['<@(posix_sources)', '<@(linux_sources)'] }],
        ['OS=="mac"', {
          'sources': ['<@(posix_sources)', 'addon/schemes_macos.mm'],
          'libraries': ['-framework AppKit', '-framework CoreServices'],
        }],
        ['OS=="win"', {
          'sources': ['addon/lock_windows.cc', 'addon/schemes_windows.cc', 'addon/windows_text.cc'],
          'libraries': ['advapi32.lib', 'shell32.lib'],
        }],
      ],
    },
    {
      # Of the C library alone, so that it starts at once and runs where no C++ library is.
      'target_name': 'rallypoint-forwarder',
      'type': 'executable',
      'sources': ['forwarder/forwarder.cc', 'forwarder/address.cc'],
      'defines': ['RALLYPOINT_VERSION="<(version)"'],
      'conditions': [
        ['OS=="win"', {
          'sources': ['forwarder/system_windows.cc'],
          'libraries': ['advapi32.lib', 'shell32.lib', 'user32.lib'],
          'msvs_settings': { 'VCLinkerTool': { 'SubSystem': 2 } },
        }, {
          'sources': ['forwarder/system_posix.cc'],
        }],
        ['OS=="linux"', {
          'cflags': ['-fPIE'],
          'ldflags!': ['-rdynamic'],
          'ldflags': ['-pie'],
        }],
      ],
    },
  ],
  'conditions': [
    ['tests==1 and OS=="linux"', {
      'targets': [
        {
          'target_name': 'native-test',
          'type': 'executable',
          'include_dirs': ['.'],
          'sources': ['test/main.cc', 'test/address_test.cc', 'test/lock_test.cc', 'test/schemes_test.cc', 'forwarder/address.cc', '<@(posix_sources)', '<@(linux_sources)'],
        },
      ],
    }],
  ],
}
