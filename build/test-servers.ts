/**
 * Vitest's global setup: bundles the servers and the desktop app that tests start as processes. They start in a fraction of the
 * time that hundreds of modules take.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'
import { once } from './once.ts'

const root = join(import.meta.dirname, '..')
/** As deep as the folders of the compiled server, whose files name others by relative paths. */
const folder = join(root, 'dist/test/servers/bundle')
const entries = [
  'test/crash/server.ts',
  'test/server/operation/moving/mover.ts',
  'test/support/server/peer-process.ts',
  ...globSync('server/**/*-worker.ts', { cwd: root }),
]
/** The main process of the desktop app, for the stand-in for Electron. */
const desktop = 'electron/main.ts'

/** Test files share the package of npm here; see `test/support/package/install.ts`. */
let packageFolder: string

export async function setup(): Promise<void> {
  packageFolder = mkdtempSync(join(tmpdir(), 'pds-package-'))
  process.env.PDS_TEST_PACKAGE = packageFolder
  // Coverage is counted in the sources.
  if (process.env.PDS_COVERAGE_DIR) return
  process.env.PDS_TEST_SERVERS = folder
  const sources = [
    ...entries,
    '{server,electron}/**/*.ts',
    'lexicons/generated/**/*.ts',
    'test/support/**/*.ts',
    'package-lock.json',
  ]
  await once({ sources, stamp: join(folder, 'stamp') }, bundle)
}

export function teardown(): void {
  rmSync(packageFolder, { recursive: true, force: true })
}

/** The desktop finds `dist/` from its own folder in it, which is one level less deep than the bundle. */
const builtFolder: Plugin = {
  name: 'built-folder',
  enforce: 'pre',
  transform(code, id) {
    if (!id.replaceAll('\\', '/').endsWith('electron/ground/folders.ts')) return undefined
    const [before, after] = ["import.meta.dirname, '../..'", "import.meta.dirname, '../../..'"]
    if (!code.includes(before)) throw new Error(`${id} has another path to dist/`)
    return code.replace(before, after)
  },
}

async function bundle(): Promise<void> {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [builtFolder],
    // SQLite is a file beside its package. The stand-in replaces Electron.
    ssr: { noExternal: true, external: ['sql.js', 'electron'] },
    build: {
      ssr: true,
      outDir: folder,
      copyPublicDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: { desktop, ...Object.fromEntries(entries.map((file) => [basename(file, '.ts'), file])) },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
        checks: { invalidAnnotation: false },
      },
    },
  })
}
