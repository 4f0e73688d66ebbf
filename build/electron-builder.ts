/** How `npm run dist` packages the built program. `npm run dist:check` tests it without Electron's binary. */
import type { Configuration } from 'electron-builder'

export default {
  appId: 'example.desktop-pds',
  // On Linux it names the install folder under /opt, where the sandbox helper cannot run from a path with a space.
  // Installers are built on the system they are for.
  productName: process.platform === 'linux' ? 'desktop-pds' : 'Desktop PDS',
  copyright: 'Copyright © Desktop PDS contributors',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder expands these
  artifactName: 'desktop-pds-${version}-${os}-${arch}.${ext}',
  directories: { buildResources: 'build/icons', output: 'release' },
  publish: null,
  // No dependency has native code: the same files run on every system.
  npmRebuild: false,
  electronLanguages: ['en-US'],

  // electron-builder adds production dependencies itself. Only files that Node loads are kept.
  files: [
    'dist/**',
    'build/tray/**',
    'build/icons/linux/256x256.png',
    'package.json',
    '!dist/{build,package,test,test-types,renderer-types}{,/**}',
    '!dist/*.tgz',
    // The network for tests is no part of the program.
    '!dist/server/testing{,/**}',
    '!**/*.{tsbuildinfo,stamp}',
    '!**/*.{map,ts,cts,mts,tsx,md,markdown,yml,yaml,sh,bnf,ejs}',
    '!**/node_modules/**/{test,tests,__tests__,example,examples,benchmark,benchmarks,bench,docs,doc,coverage,.github}/**',
    '!**/node_modules/**/*.{test,spec,bench}.*',
    '!**/node_modules/**/*.{html,svg,ico,tgz,zip}',
    '!**/node_modules/**/{.*,Makefile*,CODEOWNERS,CNAME}',
    '!**/node_modules/sql.js/dist/!(sql-wasm.js|sql-wasm.wasm)',
    '!**/node_modules/@jsquash/jpeg/codec/enc/*.wasm',
    '!**/node_modules/mediabunny/{src,dist/bundles}/**',
    '!**/node_modules/@jsquash/webp/codec/enc/webp_enc.wasm',
  ],
  asar: true,

  electronFuses: {
    // Environment variables and arguments cannot make the program run as Node, load other code or open a debugger.
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    // The program has no cookies, and cookie encryption waits for the system's keyring at every start.
    enableCookieEncryption: false,
    grantFileProtocolExtraPrivileges: false,
    resetAdHocDarwinSignature: true,
  },

  protocols: { name: 'Desktop PDS', schemes: ['desktop-pds'] },

  // The default AppImage runtime needs libfuse2, which current distributions do not install. This one is static.
  toolsets: { appimage: '1.0.3' },
  linux: {
    target: [
      { target: 'AppImage', arch: ['x64', 'arm64'] },
      { target: 'deb', arch: ['x64', 'arm64'] },
    ],
    executableName: 'desktop-pds',
    icon: 'build/icons/linux',
    category: 'Network',
    synopsis: "A personal data server for one person's own desktop",
    desktop: {
      entry: {
        Name: 'Desktop PDS',
        Comment: "A personal data server for one person's own desktop",
        Keywords: 'PDS;server;social;identity;',
        StartupWMClass: 'desktop-pds',
      },
    },
  },
  // No --no-sandbox here: the AppImage's launcher adds it where the system forbids user namespaces.
  appImage: { executableArgs: [] },

  // Signed with CSC_LINK and CSC_KEY_PASSWORD, notarised with APPLE_ID, APPLE_APP_SPECIFIC_PASSWORD and APPLE_TEAM_ID.
  // Unsigned without them.
  mac: {
    target: [
      { target: 'dmg', arch: ['x64', 'arm64'] },
      { target: 'zip', arch: ['x64', 'arm64'] },
    ],
    category: 'public.app-category.social-networking',
    icon: 'build/icons/icon.icns',
    hardenedRuntime: true,
    gatekeeperAssess: false,
    entitlements: 'build/entitlements.mac.plist',
    entitlementsInherit: 'build/entitlements.mac.plist',
  },

  win: {
    target: [{ target: 'nsis', arch: ['x64', 'arm64'] }],
    icon: 'build/icons/icon.ico',
  },
  nsis: {
    oneClick: true,
    buildUniversalInstaller: false,
    perMachine: false,
    // Uninstalling the program keeps the accounts and their data.
    deleteAppDataOnUninstall: false,
  },
} satisfies Configuration
