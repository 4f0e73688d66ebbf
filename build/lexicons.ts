/**
 * Bundles the generated lexicons into `dist/lexicons/generated/index.js`, in place of the compiler's index of hundreds of modules:
 * the server starts faster and takes 8 MB less. Skips the work if no lexicon has changed.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const out = join(root, 'dist/lexicons/generated')
const bundle = join(out, 'index.js')
const stamp = join(root, 'dist/lexicons.stamp')
const sources = readFileSync(join(root, 'lexicons/generated/.stamp'), 'utf8')

// The compiler writes the index again when a namespace is added.
const isBundle = existsSync(bundle) && !readFileSync(bundle, 'utf8').includes("from './app")
if (!isBundle || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== sources) {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: 'lexicons/generated/index.ts',
      outDir: out,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'index.js' }, checks: { invalidAnnotation: false } },
    },
  })
  writeFileSync(stamp, sources)
}
