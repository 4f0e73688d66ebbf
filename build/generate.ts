/**
 * Generates `lexicons/generated/` (types and validators) from the JSON under `lexicons/`.
 * Skips the work if no lexicon has changed, so that every npm script can run it first.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const lexicons = join(root, 'lexicons')
const out = join(lexicons, 'generated')
const stamp = join(out, '.stamp')

const sources = globSync('{com,app,chat}/**/*.json', { cwd: lexicons })
  .sort()
  .map((file) => `${file} ${statSync(join(lexicons, file)).mtimeMs}`)
  .join('\n')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== sources) {
  const options = [
    ['--lexicons', lexicons],
    ['--out', out, '--clear', '--indexFile', '--no-pretty'],
    ['--lib', '@atproto/lex-schema', '--importExt', '.ts'],
  ]
  const lex = join(root, 'node_modules/@atproto/lex/bin/lex')
  execFileSync(process.execPath, [lex, 'build', ...options.flat()], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(stamp, sources)
}
