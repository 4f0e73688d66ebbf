/**
 * Vitest's global setup: bundles the servers that tests start as processes into `dist/test/servers/`. They start in a quarter of the
 * time that the sources take. Skips the work if no source has changed.
 */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** As deep as the folders of the compiled server, whose files name others by relative paths. */
const folder = join(root, 'dist/test/servers')
const stamp = join(folder, 'stamp')
const entries = [
  'test/crash/server.ts',
  'test/server/moving/mover.ts',
  'test/support/peer-process.ts',
  ...globSync('server/**/*-worker.ts', { cwd: root }),
]

export async function setup(): Promise<void> {
  // Coverage is counted in the sources.
  if (process.env.PDS_COVERAGE_DIR) return
  process.env.PDS_TEST_SERVERS = folder
  const sources = globSync(
    [...entries, 'server/**/*.ts', 'lexicons/generated/**/*.ts', 'test/support/*.ts', 'package-lock.json'],
    { cwd: root },
  )
    .sort()
    .map((file) => `${file} ${statSync(join(root, file)).mtimeMs}`)
    .join('\n')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    // SQLite is a file beside its package.
    ssr: { noExternal: true, external: ['sql.js'] },
    build: {
      ssr: true,
      outDir: folder,
      copyPublicDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: Object.fromEntries(entries.map((file) => [basename(file, '.ts'), file])),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
        checks: { invalidAnnotation: false },
      },
    },
  })
  writeFileSync(stamp, sources)
}
